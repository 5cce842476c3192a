"""Tasks that do nothing, on a worker with Tocsin's own settings: what Celery alone costs."""

from typing import Any

from celery import Celery, chain
from kombu import Exchange, Queue

from workers.app import make_app
from workers.settings import ServerSettings
from workers.store.connection import connect

NOTHING = "tocsin.bench.nothing"
TELL = "tocsin.bench.tell"
QUEUE = "tocsin.bench.nothing"


def build(settings: ServerSettings) -> Celery:
    """An application with Tocsin's settings and two tasks: one that does nothing, and one that only tells that it
    ran. It has a worker of its own: Tocsin's lets no other tasks in."""
    app = make_app(settings)
    app.conf.task_queues = [*app.conf.task_queues, Queue(QUEUE, Exchange(QUEUE), routing_key=QUEUE)]
    client = connect(settings.redis_url)

    @app.task(name=NOTHING, shared=False)
    def nothing() -> None:
        """Do nothing."""

    @app.task(name=TELL, shared=False)
    def tell(key: str) -> None:
        client.rpush(key, 1)

    return app


def send_chain(app: Celery, tasks: int, key: str) -> None:
    """Send so many tasks one after another; the last tells under `key` that all are done."""
    links = [app.signature(NOTHING, immutable=True, queue=QUEUE) for _ in range(tasks - 1)]
    links.append(app.signature(TELL, args=[key], immutable=True, queue=QUEUE))
    chain(*links, app=app).apply_async()


def __getattr__(name: str) -> Any:
    """`celery -A` looks for `app`."""
    if name == "app":
        return build(ServerSettings())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
