"""A Celery application of four small tasks on the project's own transport, limits and result backend."""

import threading
from typing import Any

import redis

from workers.app import make_app
from workers.settings import ServerSettings
from workers.store.connection import connect

DONE = "tocsin:{round-trip}:head"
"""Where the last task says that it ran: a key that a worker may write."""


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(name)
    app = make_app(ServerSettings())

    @app.task(name="small.part")
    def part(number: int) -> None:
        _server().hset(DONE, f"part-{number}", 1)

    @app.task(name="small.fail")
    def fail() -> None:
        raise ValueError("as told")

    @app.task(name="small.again")
    def again() -> None:
        if _server().hincrby(DONE, "again", 1) == 1:
            threading.Event().wait()  # until the worker is killed

    @app.task(name="small.whole")
    def whole() -> None:
        _server().hset(DONE, "whole", 1)

    return app


def _server() -> redis.Redis:
    return connect(ServerSettings().redis_url)
