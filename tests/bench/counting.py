"""Real ticks on real servers, counted: what the store is asked, and what goes through the queues."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

from workers.cli.bench.books import write_book
from workers.cli.bench.ground import Ground
from workers.cli.bench.watching import Asked, watched
from workers.cli.processes import wait_until
from workers.kernel.engine import Engine
from workers.registry import load_registry
from workers.store.connection import connect
from workers.store.embedded import EmbeddedServer

LIMIT_S = 120.0
UNACKED = "unacked"
"""Where Celery's transport keeps what a worker has taken and not yet acknowledged."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A tick of `orders`: how it was cut, and what it asked for between its close and its retirement."""

    supersteps: int
    shards: int
    slices: int
    camps: int
    orders: int
    asked: Asked
    messages: int
    broker_bytes: int
    store_bytes_in: int


class Counting:
    """A ground with a broker of its own and one worker of two processes."""

    def __init__(self, ground: Ground, broker: redis.Redis) -> None:
        self._ground = ground
        self._broker = broker
        # Ticks of one seed would find each other's blobs in the workers' caches.
        self._seeds = itertools.count(1)
        self._store: redis.Redis = ground.services.store.client

    def tick(self, rulebook: str, orders: int, shards: int, *, fuse_below: int = 0) -> Counted:
        """Play a tick and count."""
        engine = Engine(load_registry().get(rulebook))
        book = write_book(engine, orders, next(self._seeds), shards, fuse_below)
        name = self._ground.name()
        head = self._ground.found(book, name)
        self._ground.book(head, book.items)
        messages, broker_bytes, store_bytes = self._messages(), self._bytes(self._broker), self._bytes(self._store)
        with watched(self._ground.server.url) as asked:
            self._ground.shut(head)
            wait_until(lambda: self._idle_after(name), "the tick is archived and its tasks are done", LIMIT_S)
        after = self._ground.head(name)
        assert after.retired == 1
        return Counted(
            len(engine.steps),
            after.tick_shards,
            after.slices,
            len(after.camps),
            orders,
            asked,
            self._messages() - messages,
            self._bytes(self._broker) - broker_bytes,
            self._bytes(self._store) - store_bytes,
        )

    def _idle_after(self, name: str) -> bool:
        """Whether nothing is left to do; neither the archive nor the broker is what is counted."""
        return self._ground.services.archive.holds(name, 1) and self._broker.hlen(UNACKED) == 0

    def _messages(self) -> int:
        return int(self._broker.info("commandstats").get("cmdstat_lpush", {}).get("calls", 0))

    def _bytes(self, client: redis.Redis) -> int:
        return int(client.info("stats")["total_net_input_bytes"])


@contextmanager
def counting(folder: Path) -> Iterator[Counting]:
    """Two servers and a worker, ended with the block."""
    with EmbeddedServer(fsync="no") as broker_server, connect(broker_server.url) as broker:
        ground = Ground(folder, 2, broker_server.url)
        try:
            with ground.worker():
                yield Counting(ground, broker)
        finally:
            ground.close()
