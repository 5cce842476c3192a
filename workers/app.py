"""The Celery application: its transport, its limits, its quiet result backend. Task code is in `tasks`.

Messages are a cache of work that can be derived from Redis at any time: nothing here needs them to arrive once, or at
all.
"""

from typing import Any

from celery import Celery
from celery.backends.redis import RedisBackend
from kombu import Exchange, Queue

from workers.settings import ServerSettings
from workers.store.connection import CONNECT_TIMEOUT_S, SOCKET_TIMEOUT_S

EXCHANGE = "tocsin"
QUEUE_LARGE = "tocsin.large"
"""Shards and commits of ticks that are spread over shards."""
QUEUE_SMALL = "tocsin.small"
"""Ticks that one task resolves, and what follows a tick: publication, archive."""


class QuietBackend(RedisBackend):
    """The Redis result backend, for a publisher that never waits for a result.

    Chords over Redis count their header tasks here, but the publishing process would also subscribe to the result of
    each one, even of tasks that ignore theirs, and never unsubscribe. Nobody here reads a result, so nothing
    subscribes.
    """

    def add_pending_result(self, result: Any, weak: bool = False, start_drainer: bool = True) -> Any:  # noqa: ARG002 celery's signature, called by position
        """Hand the result back; wait for nothing."""
        return result

    def add_pending_results(self, results: Any, weak: bool = False) -> Any:  # noqa: ARG002 celery's signature, called by position
        """Hand the results back; wait for nothing."""
        return list(results)

    def on_task_call(self, producer: Any, task_id: str) -> None:
        """Subscribe to nothing."""


def make_app(settings: ServerSettings) -> Celery:
    """A Celery application on the settings' broker, with no task. No connection is opened."""
    app = Celery("tocsin", set_as_current=False)
    app.conf.update(
        broker_url=settings.broker,
        result_backend=f"{__name__}.{QuietBackend.__name__}+{settings.broker}",
        accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        task_queues=[Queue(name, Exchange(EXCHANGE), routing_key=name) for name in (QUEUE_LARGE, QUEUE_SMALL)],
        task_default_exchange=EXCHANGE,
        task_default_routing_key=QUEUE_SMALL,
        task_default_queue=QUEUE_SMALL,
        task_create_missing_queues=False,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=True,
        task_soft_time_limit=settings.task_soft_limit_s,
        task_time_limit=settings.task_hard_limit_s,
        result_expires=3_600,
        worker_prefetch_multiplier=1,
        worker_soft_shutdown_timeout=settings.task_soft_limit_s,
        worker_deduplicate_successful_tasks=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": settings.visibility_timeout_s,
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
            # A worker that is killed while it gives messages back keeps the others from it no longer than this.
            "unacked_mutex_expire": 10,
            # Without them, whoever sends over a connection whose other end vanished silently would wait for ever.
            "socket_timeout": SOCKET_TIMEOUT_S,
            "socket_connect_timeout": CONNECT_TIMEOUT_S,
        },
        redis_socket_timeout=SOCKET_TIMEOUT_S,
        redis_socket_connect_timeout=CONNECT_TIMEOUT_S,
        enable_utc=True,
    )
    return app
