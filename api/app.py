"""The HTTP face, put together: routes under `/v1`, problems as documents, one OpenAPI description."""

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import msgspec
import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from redis.exceptions import RedisError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from api import problems
from api.calls import Gate
from api.metrics import Watch, Watched
from api.openapi import describe
from api.queries import problem_of_parameters
from api.routes import campaigns, health, metrics, orders, reports, ticks, tokens, view
from api.streams import Streams
from workers import clock
from workers.app import make_app
from workers.bootstrap import compose, settle_memory
from workers.dispatch import Dispatcher
from workers.service.face import Face
from workers.service.metrics import Counters
from workers.store.connection import AsyncClient, Client, connect, connect_async

log = structlog.get_logger()

PREFIX = "/v1"
FLUSH_S = 5.0
"""How often a process adds what it counted to the tallies of all, in seconds: what a kill can lose of them."""


def create_app(
    face: Face,
    wake: Callable[[str], object],
    waiting: Callable[[], AsyncClient],
    broker: Client | None = None,
    flush_s: float = FLUSH_S,
) -> FastAPI:
    """The application over a service. `wake(campaign)` sends work to workers; `waiting` makes the client that waits for
    reports; `broker` is a client of the server of the queues (None: the store's own). Nothing is sent before the first
    request; what was counted is added to the tallies every `flush_s` seconds."""
    streams = Streams(waiting)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        flushing = asyncio.create_task(_flush_always(face.counters, flush_s))
        yield
        flushing.cancel()
        with suppress(RedisError):
            await run_in_threadpool(face.counters.flush)
        await streams.close()

    app = FastAPI(
        title="Tocsin",
        version="1",
        summary="Resolves the ticks of large, long-lived campaign games.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.gate = Gate(face, wake, streams, Watched(face, broker or face.store.client))
    app.add_middleware(Watch, counters=face.counters, requests_max=face.limits.requests_max)
    for module in (orders, reports, view, ticks, campaigns, tokens, health, metrics):  # the most asked for first
        app.include_router(module.router, prefix=PREFIX)
    for module in (health, metrics):
        app.include_router(module.router, include_in_schema=False)
    described: list[bytes] = []

    @app.get(f"{PREFIX}/openapi.json", include_in_schema=False)
    def description() -> Response:
        if not described:
            described.append(msgspec.json.encode(describe(app, face.registry)))
        return Response(described[0], media_type="application/json")

    for kind in problems.HANDLED:
        app.add_exception_handler(kind, _handle)
    return app


def application() -> FastAPI:
    """The application that a process serves, from the environment's settings: what `api.app:app` gives to a server."""
    services = compose()
    settings = services.settings
    face = Face.over(settings, services.store, services.registry, services.campaigns, clock.entropy)
    dispatcher = Dispatcher(make_app(settings), services)
    waiting = partial(connect_async, settings.redis_url, block_s=settings.stream_wait_s)
    broker = None if settings.broker == settings.redis_url else connect(settings.broker)
    return create_app(face, dispatcher.wake, waiting, broker)


async def _flush_always(counters: Counters, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        with suppress(RedisError):  # kept, and added the next time
            await run_in_threadpool(counters.flush)


def __getattr__(name: str) -> Any:
    """`app`, composed when a server asks for it: importing this module reads no environment.

    A batch leaves some ten thousand objects, none of them in a cycle: collected as seldom as a worker's, they cost a
    fifth less.
    """
    if name == "app":
        made = application()
        settle_memory()
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


async def _handle(request: Request, error: Exception) -> Response:
    if isinstance(error, RequestValidationError):
        return problems.respond(problem_of_parameters(request, error))
    problem = problems.problem_of(error)
    if problem.code == "internal_error":
        # Written out here: a renderer of tracebacks may show the values of variables, and some are secrets.
        lines = "".join(traceback.format_exception(error))
        log.error("request failed", method=request.method, path=request.url.path, traceback=lines)
    return problems.respond(problem, error.headers if isinstance(error, HTTPException) else None)
