"""The field of a measurement: a real server with AOF always, real worker processes, and campaigns booked in full."""

import itertools
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from workers.app import QUEUE_LARGE, QUEUE_SMALL, make_app
from workers.bootstrap import Services, compose
from workers.cli.processes import Child, wait_until
from workers.dispatch import Dispatcher
from workers.kernel.digest import sha256_hex
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice
from workers.kernel.errors import InvalidInput, TocsinError
from workers.kernel.ids import Ids, id_key
from workers.kernel.orders import Booked, Booking
from workers.rules.contract import Rulebook, view_of
from workers.service.founding import CampaignPlan, generation_dice, new_campaign
from workers.service.meters import meter_field
from workers.service.records import Manifest
from workers.settings import ServerSettings
from workers.store.embedded import EmbeddedServer
from workers.store.records import Cost, Head, IntakeItem, IntakeRequest, NewCampaign
from workers.sweeper import Sweeper

BATCH = 1_000
START_LIMIT_S = 60.0
TICK_LIMIT_S = 900.0
SAMPLE_HOMES = 64
"""Homes of the small campaign on which it is counted how many orders a home gives."""
GROWTH = 1.25
"""A campaign that gives too few orders is made so many times larger, up to `GROWTHS_MAX` times."""
GROWTHS_MAX = 4


class BenchError(TocsinError):
    """A measurement that came to nothing: a tick failed, or its orders couldn't be booked."""


@dataclass(frozen=True, slots=True)
class Book:
    """A campaign ready to be written, with the orders of its first tick: the same bytes for every run."""

    rulebook: Rulebook
    engine: Engine
    new: NewCampaign
    seed: bytes
    draw: int
    settings: Any
    homes: dict[str, Any]
    shared: Any
    orders: list[Booked[Any, Any]]
    items: list[IntakeItem]


def write_book(engine: Engine, rulebook: Rulebook, orders: int, seed: int, shards: int) -> Book:
    """Generate a campaign of any rulebook and exactly `orders` legal orders for its tick 1.

    Its size follows from how many orders a home of that rulebook gives (the Veil's servants two each). Raises
    InvalidInput when the rulebook's sample gives fewer on ever larger campaigns.
    """
    small = _found(engine, rulebook, SAMPLE_HOMES, seed, shards)
    _book_legal(small, orders)
    size = max(2, -(-orders * len(small.homes) // max(len(small.items) // len(small.homes) * len(small.homes), 1)))
    book = small
    for _ in range(GROWTHS_MAX):
        book = _found(engine, rulebook, size, seed, shards)
        _book_legal(book, orders)
        if len(book.items) == orders:
            return book
        size = int(size * GROWTH) + 1
    problem = f"{rulebook.name}'s sample gives {len(book.items)} legal orders on a campaign made for {orders}"
    raise InvalidInput("--orders", problem, f"at most {len(book.items)}")


def _found(engine: Engine, rulebook: Rulebook, size: int, seed: int, shards: int) -> Book:
    """A generated campaign without orders."""
    campaign_seed = bytes.fromhex(sha256_hex(f"tocsin/bench/{seed}".encode()))
    plan = CampaignPlan(
        campaign="bench",
        rulebook=rulebook.name,
        scenario={"generate": {"size": size, "seed": str(seed)}},
        shards=shards,
        fuse_below=0,
    )
    new = new_campaign(engine, plan, campaign_seed, "bench", "bench")
    manifest = msgspec.json.decode(new.blobs[new.manifest], type=Manifest)
    homes: dict[str, Any] = {}
    for ref in manifest.slices:
        lines = Slice.parse(new.blobs[ref.digest] if ref.digest else b"").lines
        homes |= {key: engine.read_home(line) for key, line in lines.items()}
    shared = engine.read_shared(new.blobs[manifest.shared])
    settings = msgspec.json.decode(new.settings, type=rulebook.settings)
    return Book(rulebook, engine, new, campaign_seed, seed, settings, homes, shared, [], [])


def _book_legal(book: Book, wanted: int) -> None:
    """Judge the rulebook's sample of orders as intake would, until enough are booked within their meters."""
    homes_in_order = (book.homes[key] for key in sorted(book.homes))
    drawn = book.rulebook.sample(homes_in_order, book.shared, book.settings, 1, generation_dice(book.draw))
    ids = Ids(id_key(book.seed))
    used: dict[tuple[str, str], int] = {}
    mine: dict[tuple[str, str], tuple[Booked[Any, Any], ...]] = {}
    for number, (camp, actor, order) in enumerate(drawn):
        if len(book.items) == wanted:
            return
        reads = book.rulebook.reads(order)
        homes = {key: book.homes.get(key) for key in reads.homes}
        booked = {key: mine[camp, key] for key in reads.booked if (camp, key) in mine}
        view = view_of(book.rulebook, camp, 1, book.settings, book.shared, homes, booked)
        answer = book.rulebook.check(order, view)
        if not isinstance(answer, Booking) or not _take(used, answer):
            continue
        order_id = ids.order(1, actor, "bench", number)
        entry = Booked(order_id, answer.home, camp, actor, order, answer.facts, answer.costs)
        book.orders.append(entry)
        book.items.append(_item(book, entry))
        if reads.booked:
            mine[camp, answer.home] = (*mine.get((camp, answer.home), ()), entry)


def _item(book: Book, entry: Booked[Any, Any]) -> IntakeItem:
    places = [cost.place(entry.home) for cost in entry.costs]
    costs = tuple(
        Cost(place, meter_field(place, cost.meter), cost.amount, cost.limit)
        for place, cost in zip(places, entry.costs, strict=True)
    )
    return IntakeItem(entry.id, entry.home, book.engine.packing.pack(entry), costs)


def _take(used: dict[tuple[str, str], int], booking: Booking) -> bool:
    """Take a booking's costs from the meters, or nothing and False where one is over its limit."""
    meters = [(cost.place(booking.home), cost.meter) for cost in booking.costs]
    for meter, cost in zip(meters, booking.costs, strict=True):
        if cost.amount > 0 and used.get(meter, 0) + cost.amount > cost.limit:
            return False
    for meter, cost in zip(meters, booking.costs, strict=True):
        used[meter] = used.get(meter, 0) + cost.amount
    return True


@dataclass(frozen=True, slots=True)
class Run:
    """One measured tick: its time from close to publication, by the server's clock, and what it left."""

    seconds: float
    digest: str
    orders: int
    shards: int
    peak_rss_mb: float


class Field:
    """A server and, for each run, a fresh worker with `processes` pool processes."""

    def __init__(self, folder: Path, processes: int) -> None:
        self._folder = folder
        self._processes = processes
        self.server = EmbeddedServer(data_dir=folder / "server")
        self.server.start()
        self.settings = ServerSettings(
            redis_url=self.server.url,
            broker_url="",
            archive_url=(folder / "archive").resolve().as_uri(),
            task_soft_limit_s=1_000,
            task_hard_limit_s=1_100,
            visibility_timeout_s=1_200,
        )
        self.services: Services = compose(self.settings)
        self._numbers = itertools.count(1)

    def close(self) -> None:
        """Stop the server."""
        self.server.stop()

    def worker(self, module: str, queues: str) -> Child:
        """Start a Celery worker of a module and wait until it answers."""
        command = [sys.executable, "-m", "celery", "-A", module, "worker", "-Q", queues, "--loglevel", "ERROR"]
        command += [
            "--concurrency",
            str(self._processes),
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
        ]
        environment = {name: str(value) for name, value in _environment(self.settings).items()}
        child = Child(f"worker-{next(self._numbers)}", command, self._folder / "worker.log", environment).start()
        with make_app(self.settings) as app:
            wait_until(lambda: bool(app.control.ping(timeout=0.5)), "the worker answers", START_LIMIT_S, [child])
        return child

    def run(self, book: Book) -> Run:
        """Write the campaign, book its orders, close its tick and wait until it is published and retired."""
        name = f"bench-{next(self._numbers)}"
        head = self._book(book, name)
        child = self.worker("workers.tasks", f"{QUEUE_LARGE},{QUEUE_SMALL}")
        try:
            dispatcher = Dispatcher(make_app(self.settings), self.services)
            reply = self.services.closing.close(head, 1, "operator")
            if reply.outcome != "closed":
                raise BenchError(f"the tick didn't close: {reply.outcome}")
            dispatcher.wake(name)
            sweeper = Sweeper(self.services, dispatcher)
            wait_until(lambda: self._over(name, sweeper), "the tick is published and retired", TICK_LIMIT_S, [child])
            peak_mb = peak_rss_mb(child)
        finally:
            child.stop()
        after = self._head(name)
        record = self.services.store.heads.record(name, 1) or {}
        run = Run(
            (after.published_ms - after.closed_ms) / 1000, record["digest"], after.orders, after.tick_shards, peak_mb
        )
        self._forget(name)
        return run

    def _book(self, book: Book, name: str) -> Head:
        store = self.services.store
        store.heads.create(msgspec.structs.replace(book.new, campaign=name), seed=book.seed)
        store.heads.lifecycle(name, "open")
        head = self._head(name)
        for start in range(0, len(book.items), BATCH):
            items = book.items[start : start + BATCH]
            reply = store.intake.book(head, IntakeRequest(tick=1), items)
            if reply.outcome != "answered" or not all(isinstance(result, int) for result in reply.results):
                raise BenchError(f"a batch wasn't booked: {reply.outcome} {reply.results[:3]}")
        return head

    def _head(self, name: str) -> Head:
        head = self.services.store.heads.get(name)
        if head is None:
            raise BenchError(f"campaign {name} is gone")
        return head

    def _over(self, name: str, sweeper: Sweeper) -> bool:
        sweeper.round()
        head = self._head(name)
        if head.failure is not None:
            raise BenchError(f"the tick failed: {head.failure.message}")
        return head.retired >= 1

    def _forget(self, name: str) -> None:
        """Drop a measured campaign, so that runs don't add up in the server's memory."""
        client = self.services.store.client
        for pattern in (f"tocsin:{{{name}}}:*", f"tocsin-seed:{{{name}}}"):
            keys = list(client.scan_iter(pattern, count=1_000))
            for start in range(0, len(keys), BATCH):
                client.unlink(*keys[start : start + BATCH])


def _environment(settings: ServerSettings) -> dict[str, str]:
    told = {f"TOCSIN_{name.upper()}": str(value) for name, value in settings.model_dump().items()}
    return {**os.environ, **told}


def peak_rss_mb(child: Child) -> float:
    """The largest peak of resident memory among a worker's pool processes, in megabytes (10⁶ bytes); 0 where the
    system doesn't tell (it is read from Linux' /proc)."""
    try:
        pids = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
        peaks = [_peak_kb(Path(f"/proc/{pid}/status")) for pid in pids]
    except OSError:
        return 0.0
    return round(max(peaks, default=0) * 1024 / 1e6, 1)


def _peak_kb(status: Path) -> int:
    for line in status.read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0
