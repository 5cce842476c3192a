"""Metrics: what whoever watches the installation reads, in Prometheus' text format."""

from fastapi import APIRouter, Response
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from api.calls import Calling

router = APIRouter(tags=["health"])


@router.get("/metrics", operation_id="read_metrics")
def read_metrics(call: Calling) -> Response:
    """Metrics of the whole installation, all processes together: scrape one of them. For admins."""
    call.admin()
    return Response(call.gate.watched.text(), 200, media_type=CONTENT_TYPE_PLAIN_0_0_4)
