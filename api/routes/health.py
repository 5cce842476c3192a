"""Health: whether the process lives, and whether it can be trusted with orders."""

import msgspec
from fastapi import APIRouter, Response

from api.calls import Calling, answer
from workers.store.connection import server_problems

router = APIRouter(tags=["health"])


class Health(msgspec.Struct, frozen=True):
    """The process answers."""

    status: str = "alive"


class Readiness(msgspec.Struct, frozen=True):
    """The server answers; `warnings` are sentences on how it is set up, empty when it keeps what it acknowledges."""

    status: str
    warnings: tuple[str, ...]


@router.get("/health", operation_id="health")
async def health() -> Response:
    """Whether the process is alive. Asks nobody else."""
    return answer(Health())


@router.head("/health", include_in_schema=False)
async def health_without_body() -> Response:
    """The same, for a prober that wants the status alone: no body goes with it."""
    return answer(Health())


@router.get("/ready", operation_id="ready")
def ready(call: Calling) -> Response:
    """Whether the server that holds the truth answers; 503 `server_unreachable` where it doesn't."""
    return answer(Readiness("ready", tuple(server_problems(call.face.store.client))))
