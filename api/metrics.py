"""Metrics of the HTTP face: what is counted of each request, and how all of them are written out."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, cast

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from redis.exceptions import OutOfMemoryError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workers.app import QUEUE_LARGE, QUEUE_SMALL
from workers.service.face import Face
from workers.service.limits import seconds
from workers.service.metrics import Counters, Metric, Value
from workers.store.census import Census
from workers.store.commands import Commands
from workers.store.connection import NO_SERVER, Client
from workers.store.records import Admission

ADMISSION: Final = "tocsin.admission"
"""Where a request's scope has what its token was told: its count of requests stands in the answer's headers."""
VERSION: Final = "/v1"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})


class Watch:
    """Counts each request by method, route and status, and tells a token how many requests it has left."""

    def __init__(self, app: ASGIApp, counters: Counters, requests_max: int) -> None:
        self._app = app
        self._counters = counters
        self._requests_max = requests_max

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._count(scope, message["status"])
                admission: Admission | None = scope.get(ADMISSION)
                if admission is not None:
                    message["headers"] = [*message["headers"], *self._limits(admission)]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception:
            self._count(scope, 500)  # who answers it stands outside
            raise

    def _count(self, scope: Scope, status: int) -> None:
        method = scope["method"] if scope["method"] in METHODS else "other"
        # The template, never the path: that has campaigns' names, and there is no end of paths. What stands before a
        # router is in some releases of FastAPI part of its routes' templates.
        route = getattr(scope.get("route"), "path", "none").removeprefix(VERSION)
        self._counters.count("requests", method, route, str(status))

    def _limits(self, admission: Admission) -> Iterator[tuple[bytes, bytes]]:
        left = max(0, self._requests_max - admission.requests)
        yield b"ratelimit-limit", b"%d" % self._requests_max
        yield b"ratelimit-remaining", b"%d" % left
        yield b"ratelimit-reset", b"%d" % seconds(admission.left_ms)


class Watched(Collector):
    """Everything that is told, gathered when asked for. `broker` is a client of the server of the queues."""

    def __init__(self, face: Face, broker: Client) -> None:
        self._face = face
        self._queues = Census(cast(Commands, broker))

    def text(self) -> bytes:
        """All metrics, in Prometheus' text format. Raises redis-py's errors when the store's server is gone; a full one
        takes no more counts, and tells those that it has."""
        with suppress(OutOfMemoryError):
            self._face.counters.flush()
        return generate_latest(self)

    def collect(self) -> Iterator[Family]:
        """Each metric with its samples, as the client library takes them."""
        for metric, values in self._face.telemetry.read(self._lengths()):
            yield _family(metric, values)

    def _lengths(self) -> dict[str, int]:
        """The queues' lengths; none where their server, which may be another one, is gone."""
        try:
            return self._queues.queue_lengths((QUEUE_LARGE, QUEUE_SMALL))
        except NO_SERVER:
            return {}


def _family(metric: Metric, values: list[Value]) -> Family:
    kind: Any = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family: Any = kind(metric.name, metric.meaning, labels=metric.labels)
    for labels, value in values:
        family.add_metric(labels, value)
    return cast(Family, family)
