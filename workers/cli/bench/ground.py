"""The ground of a measurement: a real server that syncs every write, real worker processes, an archive on disk."""

import itertools
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from celery import Celery

from workers import clock
from workers.app import QUEUE_LARGE, QUEUE_SMALL, make_app
from workers.bootstrap import Services, compose
from workers.cli.bench.books import Book
from workers.cli.bench.errors import BenchError
from workers.cli.bench.profiles import profiled
from workers.cli.bench.usage import children_of, cpu_s, peak_rss_mb
from workers.cli.processes import Child, wait_until
from workers.dispatch import Dispatcher
from workers.kernel.digest import sha256_hex
from workers.settings import ServerSettings
from workers.store.embedded import EmbeddedServer
from workers.store.keys import CAMPAIGNS, Keys
from workers.store.records import Head, IntakeItem, IntakeRequest
from workers.sweeper import Sweeper

BATCH = 1_000
START_LIMIT_S = 60.0
PING_S = 0.5
TICK_LIMIT_S = 900.0
WORKER = "workers.tasks"
QUEUES = f"{QUEUE_LARGE},{QUEUE_SMALL}"


@dataclass(frozen=True, slots=True)
class Run:
    """One measured tick: its time from close to publication, by the server's clock, what it left and what it took.

    Counts and processor time reach on to its retirement: the archive is in them.
    """

    seconds: float
    digest: str
    orders: int
    shards: int
    peak_rss_mb: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    cpu_s: dict[str, float] = field(default_factory=dict)


class Ground:
    """A server, and workers on it for as long as something is measured. Ends with its `with` block.

    `broker_url` names another server for Celery's messages, so that what the store is asked can be counted apart.
    """

    def __init__(self, folder: Path, processes: int, broker_url: str = "") -> None:
        self.folder = folder
        self.processes = processes
        self.server = EmbeddedServer(data_dir=folder / "server")
        self.server.start()
        # A measured task may take as long as it takes: what the limits are for is told in docs/reference/settings.md.
        self.settings = ServerSettings(
            redis_url=self.server.url,
            broker_url=broker_url,
            archive_url=(folder / "archive").resolve().as_uri(),
            task_soft_limit_s=1_000,
            task_hard_limit_s=1_100,
            visibility_timeout_s=1_200,
        )
        self.services: Services = compose(self.settings)
        self.dispatcher = Dispatcher(make_app(self.settings), self.services)
        self.sweeper = Sweeper(self.services, self.dispatcher)
        self._numbers = itertools.count(1)
        self._swept_s = -float("inf")

    def close(self) -> None:
        """Stop the server."""
        self.services.store.client.close()
        self.server.stop()

    def child(self, name: str, command: Sequence[str]) -> Child:
        """Start a process of Tocsin with this ground's settings."""
        told = {f"TOCSIN_{name.upper()}": str(value) for name, value in self.settings.model_dump().items()}
        return Child(name, command, self.folder / f"{name}.log", {**os.environ, **told}).start()

    @contextmanager
    def worker(self, module: str = WORKER, queues: str = QUEUES, profile: str = "") -> Iterator[Child]:
        """A Celery worker of a module, once it answers; its flame graph goes into `profile`, if that is a file."""
        command = [sys.executable, "-m", "celery", "-A", module, "worker", "-Q", queues, "--loglevel", "ERROR"]
        command += ["--concurrency", str(self.processes), "--without-gossip", "--without-mingle", "--without-heartbeat"]
        name = f"worker-{next(self._numbers)}"
        child = self.child(name, [*command, "--hostname", f"{name}@%h"])
        try:
            with make_app(self.settings) as app:
                wait_until(lambda: _answers(app, name), "the worker answers", START_LIMIT_S, [child])
            with profiled(child.pid, profile):
                yield child
        finally:
            child.stop()

    def name(self) -> str:
        """A name for a campaign, or for anything else that needs one of its own."""
        return f"bench-{next(self._numbers)}"

    def found(self, book: Book, name: str) -> Head:
        """Write a campaign and open it."""
        store = self.services.store
        store.heads.create(msgspec.structs.replace(book.new, campaign=name), seed=book.seed)
        store.heads.lifecycle(name, "open")
        return self.head(name)

    def book(self, head: Head, items: Sequence[IntakeItem]) -> None:
        """Book orders in batches, as the API does: each with the digests of an idempotency key and of a body."""
        for start in range(0, len(items), BATCH):
            self.book_batch(head, items[start : start + BATCH])

    def book_batch(self, head: Head, items: Sequence[IntakeItem]) -> None:
        """Book one batch. Raises BenchError where not all of it is booked."""
        digest = sha256_hex(f"{head.campaign}/{items[0].id}".encode())
        reply = self.services.store.intake.book(head, IntakeRequest(tick=1, idem=digest, body=digest), items)
        if reply.outcome != "answered" or not all(isinstance(result, int) for result in reply.results):
            raise BenchError(f"a batch wasn't booked: {reply.outcome} {reply.results[:3]}")

    def run(self, book: Book, profile: str = "") -> Run:
        """A campaign of its own and a fresh worker: book the orders, close the tick, wait until it is published and
        retired, and drop it all again."""
        name = self.name()
        head = self.found(book, name)
        self.book(head, book.items)
        with self.worker(profile=profile) as child:
            pool = children_of(child.pid)
            before, used = self.counts(), {"workers": cpu_s(*pool), "server": cpu_s(self.server.pid)}
            self.shut(head)
            wait_until(lambda: self.over(name), "the tick is published and retired", TICK_LIMIT_S, [child])
            run = replace(
                self.told(name),
                counts={key: value - before[key] for key, value in self.counts().items()},
                cpu_s={"workers": cpu_s(*pool) - used["workers"], "server": cpu_s(self.server.pid) - used["server"]},
                peak_rss_mb=peak_rss_mb(*pool),
            )
        self.forget([name])
        return run

    def shut(self, head: Head) -> None:
        """Close tick 1 and send its work, as a sweeper does."""
        reply = self.services.closing.close(head, 1, "operator")
        if reply.outcome != "closed":
            raise BenchError(f"the tick didn't close: {reply.outcome}")
        if reply.fused:
            self.dispatcher.resolve([head.campaign])
        else:
            self.dispatcher.wake(head.campaign)

    def told(self, name: str) -> Run:
        """What the server tells of a published tick 1."""
        head = self.head(name)
        record = self.services.store.heads.record(name, 1) or {}
        seconds = (head.published_ms - head.closed_ms) / 1000
        return Run(seconds, record["digest"], head.orders, head.tick_shards)

    def head(self, name: str) -> Head:
        """A campaign's head. Raises BenchError where its tick failed."""
        head = self.services.store.heads.get(name)
        if head is None:
            raise BenchError(f"campaign {name} is gone")
        if head.failure is not None:
            raise BenchError(f"the tick failed: {head.failure.message}")
        return head

    def sweep(self) -> None:
        """A sweeper's round, if its interval has passed since the last: called as often as one likes."""
        now_s = clock.monotonic_s()
        if now_s - self._swept_s >= self.settings.sweep_interval_s:
            self.sweeper.round()
            self._swept_s = now_s

    def over(self, name: str) -> bool:
        """Whether tick 1 of a campaign is published and retired, with a sweeper at work meanwhile."""
        self.sweep()
        return self.head(name).retired >= 1

    def counts(self) -> dict[str, int]:
        """What the server counted so far: scripts run, messages put into queues, bytes in and out, commands of all."""
        client = self.services.store.client
        commands = client.info("commandstats")
        stats = client.info("stats")
        scripts = sum(commands.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("eval", "evalsha"))
        return {
            "scripts": scripts,
            "messages": commands.get("cmdstat_lpush", {}).get("calls", 0),
            "commands": stats["total_commands_processed"],
            "bytes_in": stats["total_net_input_bytes"],
            "bytes_out": stats["total_net_output_bytes"],
        }

    def forget(self, names: Iterable[str]) -> None:
        """Drop measured campaigns, so that runs don't add up in the server's memory."""
        client = self.services.store.client
        for name in names:
            keys = [Keys(name).seed, *client.scan_iter(f"tocsin:{{{name}}}:*", count=10_000)]
            for start in range(0, len(keys), BATCH):
                client.unlink(*keys[start : start + BATCH])
            client.srem(CAMPAIGNS, name)


def _answers(app: Celery, name: str) -> bool:
    """Whether the worker of a name answers, whoever else does."""
    replies: list[dict[str, Any]] = app.control.ping(timeout=PING_S) or []
    return any(node.startswith(f"{name}@") for reply in replies for node in reply)


@contextmanager
def ground(processes: int) -> Iterator[Ground]:
    """A ground in a folder of its own, gone with the block."""
    with TemporaryDirectory(prefix="tocsin-bench-") as folder:
        made = Ground(Path(folder), processes)
        try:
            yield made
        finally:
            made.close()
