"""The Celery application: its transport, its limits, its quiet result backend. Task code is in `tasks`.

Messages are a cache of work that can be derived from Redis at any time: nothing here needs them to arrive once, or at
all.
"""

from collections.abc import Callable
from queue import Empty
from typing import Any

import structlog
from celery import Celery
from celery.app.amqp import AMQP
from celery.backends.redis import RedisBackend, SentinelBackend
from kombu import Connection, Exchange, Queue
from redis.exceptions import ConnectionError as ConnectionLost

from workers.service.door import Kind, Refused, check_command, check_task
from workers.settings import ServerSettings
from workers.store.connection import CONNECT_TIMEOUT_S, SOCKET_TIMEOUT_S
from workers.store.sentinel import read_sentinel

EXCHANGE = "tocsin"
QUEUE_LARGE = "tocsin.large"
"""Shards and commits of ticks that are spread over shards."""
QUEUE_SMALL = "tocsin.small"
"""Ticks that one task resolves, and what follows a tick: publication, archive."""


PROBLEM_CHARACTERS = 200
"""Of what is wrong with a message that is refused, so many are logged."""
QUEUES = (QUEUE_LARGE, QUEUE_SMALL)
MAILBOX = ".celery.pidbox"
"""How the name of a worker's mailbox ends, from which it takes the commands of `celery inspect`."""

Refuse = Callable[[Kind], None]
"""Counts a message that was refused."""

log = structlog.get_logger()


class Quiet:
    """A Redis result backend, for a publisher that never waits for a result.

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


class QuietBackend(Quiet, RedisBackend):
    """The backend on a server."""


class QuietSentinelBackend(Quiet, SentinelBackend):
    """The backend on the server that Sentinels name."""


def guarded(transport: Any, refuse: Refuse) -> Any:
    """A transport over Redis that lets nothing in but messages that may come in; what else is taken from a queue is
    dropped there and then. Celery's own checks come later and are fewer: much of what is refused here would end the
    worker, and come back to the next one when it had been taken as unacknowledged.
    """
    plain: Any = transport.Channel

    class Channel(plain):  # type: ignore[misc]  # the channel of whichever transport is guarded
        def _brpop_read(self, **options: Any) -> Any:
            delivered = self.connection.delivered
            try:
                return super()._brpop_read(**options)
            except (ValueError, RecursionError) as error:
                if self.connection.delivered != delivered:
                    raise
                turn_away(Refused("not_json", str(error)), "")
                raise Empty from error

        def _connparams(self, asynchronous: bool = False) -> Any:
            # A channel whose connection is gone would look for its server's name there, and end the worker: it is told
            # as what it is instead, which whoever closes a connection expects.
            if self.connection.client is None:
                raise ConnectionLost("the channel is closed")
            return super()._connparams(asynchronous)

        def _receive(self) -> Any:
            try:
                return super()._receive()
            except RecursionError as error:
                turn_away(Refused("not_json", str(error)), "")
                raise Empty from error

    class Transport(transport):  # type: ignore[misc]  # the transport that is guarded
        delivered = 0

        def _deliver(self, message: Any, queue: str) -> None:
            self.delivered += 1
            try:
                if queue in QUEUES:
                    check_task(message)
                else:
                    check_command(message, mailbox=queue.endswith(MAILBOX))
            except Refused as refused:
                turn_away(refused, queue)
                return
            super()._deliver(message, queue)

    def turn_away(refused: Refused, queue: str) -> None:
        log.warning("message refused", kind=refused.kind, queue=queue, problem=str(refused)[:PROBLEM_CHARACTERS])
        refuse(refused.kind)

    Transport.Channel = Channel
    return Transport


def guarding(refuse: Refuse) -> type[AMQP]:
    """What a Celery application connects by, so that each of its connections has a guarded transport, on whichever URL
    it ends."""
    made: dict[Any, Any] = {}

    class Guarded(Connection):
        def get_transport_cls(self) -> Any:
            plain = super().get_transport_cls()
            if plain not in made:
                made[plain] = guarded(plain, refuse)
            return made[plain]

    return type("Guarding", (AMQP,), {"Connection": Guarded})


def make_app(settings: ServerSettings, refuse: Refuse | None = None) -> Celery:
    """A Celery application on the settings' broker, with no task. No connection is opened.

    `refuse` is for applications whose workers take messages: they let in only those that may come in, and it counts
    the others.
    """
    app = Celery("tocsin", set_as_current=False, amqp=guarding(refuse) if refuse else None)
    address = read_sentinel(settings.broker)
    url = settings.broker if address is None else address.broker_url()
    options = {} if address is None else address.broker_options()
    backend = QuietBackend if address is None else QuietSentinelBackend
    app.conf.update(
        broker_url=url,
        result_backend=f"{__name__}.{backend.__name__}+{url}",
        result_backend_transport_options=options,
        accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        task_queues=[Queue(name, Exchange(EXCHANGE), routing_key=name) for name in QUEUES],
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
            **options,
        },
        redis_socket_timeout=SOCKET_TIMEOUT_S,
        redis_socket_connect_timeout=CONNECT_TIMEOUT_S,
        enable_utc=True,
    )
    return app
