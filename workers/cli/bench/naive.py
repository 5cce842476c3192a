"""The usual way, for comparison: one Celery task an order, each reading its entity from Redis and writing it back.

It plays by the same rules: the task decides its one order with the rulebook's own function for that kind of order,
evolves the home and projects the events, and adds what the event says to counters in Redis. What it leaves out is what
is hard (phases, mail, one result for any order of arrival), so it is cheaper than an honest version of itself would be.
"""

import functools
from typing import Any

from celery import Celery
from kombu import Exchange, Queue

from workers import clock
from workers.bootstrap import compose
from workers.cli.bench.books import Book
from workers.cli.bench.ground import Ground
from workers.cli.processes import wait_until
from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.phases import Context, Sums, Superstep
from workers.kernel.tick import context_of
from workers.settings import ServerSettings
from workers.store.connection import connect

TASK = "tocsin.bench.order"
QUEUE = "tocsin.bench"
IDLE = "tocsin.bench.idle"
"""What the worker listens to until the clock starts."""
FEW = 2
SETTLE_LIMIT_S = 600.0
_HOMES, _SHARED, _SEED, _DONE, _SUMS = (f"tocsin-bench:{name}" for name in ("homes", "shared", "seed", "done", "sums"))
_REPORT = "tocsin-bench:report"


class Decider:
    """What a naive task's process keeps: the rulebook and the tick's context, read once."""

    def __init__(self, settings: ServerSettings, rulebook: str) -> None:
        self.client = connect(settings.redis_url)
        self.engine = Engine(compose(settings).registry.get(rulebook))
        shared = self.engine.read_shared(_bytes(self.client.get(_SHARED)))
        seed = _bytes(self.client.get(_SEED))
        self.context: Context[Any, Any] = context_of(1, seed, seed, self.engine.rules.settings(), shared)  # type: ignore[attr-defined]  # a rulebook has settings; the interpreter needn't know
        self.steps: dict[type, Superstep] = {
            kind: step for step in reversed(self.engine.steps) for kind in step.homes.orders
        }

    def play(self, packed: bytes) -> None:
        """One order: read, decide, evolve, project, write."""
        booked = self.engine.packing.unpack(packed)
        home = self.engine.read_home(_bytes(self.client.hget(_HOMES, booked.home)))
        plain = self.engine.packing.plain(booked.order)
        step = self.steps[type(plain)]
        sums = Sums()
        lines: list[bytes] = []
        rules = self.engine.rules
        for event in step.homes.decide(home, [booked], [], self.context):
            change = rules.evolve.get(type(event))
            if change is not None:
                home = change(home, event)
            add = rules.tally.get(type(event))
            if add is not None:
                add(event, sums)
            facts = [self.engine.projector.project(event, camp) for camp in rules.camps]
            lines.append(canonical(facts))
        with self.client.pipeline(transaction=False) as pipeline:
            if home is not None:
                pipeline.hset(_HOMES, booked.home, canonical(home))
            for name, amount in sums.added.items():
                pipeline.hincrby(_SUMS, name, amount)
            for line in lines:
                pipeline.xadd(_REPORT, {"p": line})
            pipeline.incr(_DONE)
            pipeline.execute()


def _bytes(value: Any) -> bytes:
    return bytes(value or b"")


def build_app(settings: ServerSettings) -> Celery:
    """The naive application: one task, one queue, no results, and else Celery's own defaults."""
    app = Celery("naive", broker=settings.broker, set_as_current=False)
    app.conf.update(
        task_queues=[Queue(QUEUE, Exchange(QUEUE), routing_key=QUEUE)],
        task_ignore_result=True,
        broker_connection_retry_on_startup=True,
    )

    @functools.cache
    def decider(rulebook: str) -> Decider:
        return Decider(settings, rulebook)

    @app.task(name=TASK, shared=False)
    def order(rulebook: str, packed: str) -> None:
        decider(rulebook).play(bytes.fromhex(packed))

    return app


def __getattr__(name: str) -> Any:
    """`celery -A` looks for `app`."""
    if name == "app":
        return build_app(ServerSettings())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def naive_orders_per_s(here: Ground, book: Book, sample: int) -> float:
    """Orders a second of the naive way on a sample of the book, from the first order done to the last.

    The messages are in the queue before the worker looks at it, so sending them costs nothing here.
    """
    client = here.services.store.client
    orders = book.orders[:sample]
    named = {booked.home for booked in orders}
    client.hset(_HOMES, mapping={key: canonical(book.homes[key]) for key in named})
    client.set(_SHARED, canonical(book.shared))
    client.set(_SEED, book.seed)
    app = build_app(here.settings)
    for booked in orders:
        packed = book.engine.packing.pack(booked).hex()
        app.signature(TASK, args=[book.rulebook.name, packed], queue=QUEUE).apply_async()

    def done() -> int:
        return int(client.get(_DONE) or 0)

    try:
        with here.worker(__name__, IDLE) as child:
            asked_s = clock.monotonic_s()
            app.control.add_consumer(QUEUE)
            wait_until(lambda: done() > 0, "the first naive order", SETTLE_LIMIT_S, [child])
            first, started_s = done(), clock.monotonic_s()
            if first * FEW > len(orders):  # so few that they were over before anybody looked
                first, started_s = 0, asked_s
            wait_until(lambda: done() >= len(orders), "the naive orders", SETTLE_LIMIT_S, [child])
            seconds = clock.monotonic_s() - started_s
    finally:
        client.unlink(_HOMES, _SHARED, _SEED, _DONE, _SUMS, _REPORT)
    return (len(orders) - first) / seconds
