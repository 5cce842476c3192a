"""`tocsin bench memory`: the server's bytes for an order, an entity and a fact of a report; a worker's peak."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import typer

from workers.cli.bench.books import Book, write_book
from workers.cli.bench.choices import ORDERS_MAX, Rulebook, Seed, Workers, numbers
from workers.cli.bench.documents import Goal, document, rounded, show
from workers.cli.bench.ground import TICK_LIMIT_S, Ground, ground
from workers.cli.bench.usage import children_of, peak_rss_mb
from workers.cli.options import AsJson
from workers.cli.output import note
from workers.cli.processes import wait_until
from workers.kernel.engine import Engine
from workers.registry import load_registry
from workers.store.keys import Keys
from workers.store.records import Head

ORDER_GOAL = 64.0
BOOK = ("book", "meters", "where", "revisions", "counts", "idem", "idems")
"""The kinds of key that booked orders fill."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure."""

    sizes: tuple[int, ...] = (10_000, 100_000)
    workers: int = 2
    rulebook: str = "veil"
    seed: int = 1

    @property
    def command(self) -> str:
        """The command that measures this again."""
        sizes = ",".join(map(str, self.sizes))
        return (
            f"tocsin bench memory --sizes {sizes} --workers {self.workers} --rulebook {self.rulebook}"
            f" --seed {self.seed}"
        )


def memory(
    sizes: Annotated[str, typer.Option("--sizes", help="Orders of the ticks, ascending.")] = "10000,100000",
    workers: Workers = 2,
    rulebook: Rulebook = "veil",
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """What orders, entities and reports take in the server's memory, and what a worker's memory peaks at."""
    chosen = numbers(sizes, "--sizes", ORDERS_MAX)
    show(measure(Plan(sizes=chosen, workers=workers, rulebook=rulebook, seed=seed)), as_json)


def measure(plan: Plan) -> dict[str, Any]:
    """The document: one tick of each size. Bytes are counted by the server, key by key, so one run tells them."""
    engine = Engine(load_registry().get(plan.rulebook))
    with ground(plan.workers) as here:
        found = [_of_size(here, engine, plan, size) for size in plan.sizes]
    last = found[-1]
    goals = [
        Goal("bytes of a booked order", last["bytes_an_order"], "<=", ORDER_GOAL),
        Goal("bytes of an entity", last["bytes_an_entity"]),
        Goal("bytes of a fact in a report", last["bytes_a_fact"]),
        Goal("server's peak bytes an order during a tick", last["peak_bytes_an_order"]),
        Goal("peak memory of a worker, MB", last["peak_rss_mb_per_worker"]),
    ]
    return document(
        plan.command,
        {"orders": list(plan.sizes), "workers": plan.workers},
        [plan.seed],
        [one["bytes_an_order"] for one in found],
        goals,
        by_size=found,
    )


def _of_size(here: Ground, engine: Engine, plan: Plan, size: int) -> dict[str, Any]:
    note(f"bench: {size} orders …")
    book = write_book(engine, size, plan.seed)
    client = here.services.store.client
    name = here.name()
    head = here.found(book, name)
    entities = _bytes(here, name, ("blob", "blobs"))
    before = client.info("memory")["used_memory"]
    here.book(head, book.items)
    kinds = {kind: _bytes(here, name, (kind,)) for kind in BOOK}
    peak_mb, peak_bytes = _play(here, head)
    facts, pages = _facts(here, book, name)
    reports = _bytes(here, name, ("reports",))
    run = here.told(name)
    found = {
        "orders": size,
        "entities": len(book.homes),
        "slices": book.new.slices,
        "shards": run.shards,
        "seconds": run.seconds,
        "bytes_an_order": rounded(sum(kinds.values()) / size),
        "of_which": {kind: rounded(found / size) for kind, found in kinds.items()},
        "packed_bytes_an_order": rounded(sum(len(item.packed) for item in book.items) / size),
        "bytes_an_entity": rounded(entities / len(book.homes)),
        "facts": facts,
        "pages": pages,
        "bytes_a_fact": rounded(reports / max(facts, 1)),
        "peak_bytes_an_order": rounded((peak_bytes - before) / size),
        "peak_rss_mb_per_worker": peak_mb,
    }
    here.forget([name])
    return found


def _play(here: Ground, head: Head) -> tuple[float, int]:
    """Play the tick: the peak of a worker's memory, in MB, and the most that the server used meanwhile, in bytes."""
    client = here.services.store.client
    most = 0

    def over() -> bool:
        nonlocal most
        most = max(most, client.info("memory")["used_memory"])
        return here.over(head.campaign)

    with here.worker() as child:
        here.shut(head)
        wait_until(over, "the tick is published and retired", TICK_LIMIT_S, [child])
        return peak_rss_mb(*children_of(child.pid)), most


def _bytes(here: Ground, name: str, kinds: tuple[str, ...]) -> int:
    """What a campaign's keys of some kinds take, counted whole by the server."""
    client = here.services.store.client
    prefix = Keys(name).blobs.removesuffix("blobs")
    keys = [key for kind in kinds for key in client.scan_iter(f"{prefix}{kind}*", count=10_000)]
    chosen = {key for key in keys if key.decode().removeprefix(prefix).partition(":")[0] in kinds}
    return sum(client.memory_usage(key, samples=0) or 0 for key in chosen)


def _facts(here: Ground, book: Book, name: str) -> tuple[int, int]:
    """How many facts all camps' reports hold, and in how many pages."""
    facts = pages = 0
    for camp in book.rulebook.camps:
        after = (0, 0)
        while found := here.services.store.reports.read(name, camp, after=after):
            after = (found[-1].tick, found[-1].page)
            pages += len(found)
            facts += sum(len(msgspec.json.decode(page.body)["facts"]) for page in found)
    return facts, pages
