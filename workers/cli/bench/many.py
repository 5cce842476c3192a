"""`tocsin bench many`: many small campaigns whose deadline falls at once, against all their orders in one."""

import statistics
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from workers.cli.bench.books import Book, write_book
from workers.cli.bench.choices import ORDERS_MAX, ProfileFile, Rulebook, Runs, Seed, Workers
from workers.cli.bench.documents import Goal, document, rounded, show
from workers.cli.bench.errors import BenchError
from workers.cli.bench.ground import TICK_LIMIT_S, Ground, ground
from workers.cli.bench.trust import trusted
from workers.cli.options import AsJson
from workers.cli.output import note
from workers.cli.processes import Child, wait_until
from workers.kernel.engine import Engine
from workers.registry import load_registry

CAMPAIGNS_MAX = 100_000
FUSE_BELOW = 2_000
SOON_MS = 300
LOOKS = 32
"""Campaigns looked at in one turn."""
GOAL = 8.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure."""

    campaigns: int = 1_000
    orders: int = 50
    workers: int = 2
    rulebook: str = "veil"
    runs: int = 3
    seed: int = 1
    profile: str = ""

    @property
    def command(self) -> str:
        """The command that measures this again."""
        return (
            f"tocsin bench many --campaigns {self.campaigns} --orders {self.orders} --workers {self.workers}"
            f" --rulebook {self.rulebook} --runs {self.runs} --seed {self.seed}"
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """One run: many campaigns, then one with all their orders; seconds from the first close to the last publication,
    and how long the sweeper took to close them all."""

    many_s: float
    one_s: float
    closing_s: float


def many(
    campaigns: Annotated[int, typer.Option("--campaigns", min=1, max=CAMPAIGNS_MAX, help="Campaigns.")] = 1_000,
    orders: Annotated[int, typer.Option("--orders", min=1, max=FUSE_BELOW - 1, help="Orders of each.")] = 50,
    workers: Workers = 2,
    rulebook: Rulebook = "veil",
    runs: Runs = 3,
    seed: Seed = 1,
    profile: ProfileFile = "",
    as_json: AsJson = False,
) -> None:
    """Many campaigns closed at once by the sweeper, against the same number of orders in one campaign."""
    plan = Plan(
        campaigns=campaigns,
        orders=orders,
        workers=workers,
        rulebook=rulebook,
        runs=runs,
        seed=seed,
        profile=profile,
    )
    show(measure(plan), as_json)


def measure(plan: Plan) -> dict[str, Any]:
    """The document. Every campaign is another one, of another seed: none finds another's blobs in a worker's cache."""
    engine = Engine(load_registry().get(plan.rulebook))
    note(f"bench: {plan.campaigns} campaigns of {plan.orders} orders, and one of {plan.campaigns * plan.orders} …")
    books = [
        write_book(engine, plan.orders, plan.seed + number, fuse_below=FUSE_BELOW) for number in range(plan.campaigns)
    ]
    one = write_book(engine, min(plan.campaigns * plan.orders, ORDERS_MAX), plan.seed, fuse_below=FUSE_BELOW)
    with ground(plan.workers) as here:
        found = trusted(one, plan.workers, plan.runs, lambda: _pair(here, books, one))
        if plan.profile:
            _pair(here, books, one, plan.profile)
    many_s = statistics.median(pair.many_s for pair in found.runs)
    one_s = statistics.median(pair.one_s for pair in found.runs)
    sizes = {"campaigns": plan.campaigns, "orders": plan.orders, "workers": plan.workers}
    return document(
        plan.command,
        sizes,
        [plan.seed],
        [pair.many_s for pair in found.runs],
        [Goal("many to one", many_s / one_s, "<=", GOAL)],
        one_median=rounded(one_s),
        one_runs=[rounded(pair.one_s) for pair in found.runs],
        closing_median=rounded(statistics.median(pair.closing_s for pair in found.runs)),
        campaigns_per_s=round(plan.campaigns / many_s, 1),
        **found.doubts,
    )


def _pair(here: Ground, books: list[Book], one: Book, profile: str = "") -> Pair:
    with here.worker(profile=profile) as child:
        many_s, closing_s = _closed_at_once(here, books, child)
        one_s, _ = _closed_at_once(here, [one], child)
    return Pair(many_s, one_s, closing_s)


def _closed_at_once(here: Ground, books: list[Book], child: Child) -> tuple[float, float]:
    """The seconds from the first close to the last publication, and to the last close, by the server's clock.

    The deadline of all falls at one moment, and the sweeper finds them due, as it does in play. With retirement off the
    clock, the workers are idle again when this returns.
    """
    store = here.services.store
    names = [here.name() for _ in books]
    for name, book in zip(names, books, strict=True):
        head = here.found(book, name)
        here.book(head, book.items)
        store.heads.lifecycle(name, "pause")
    here.sweeper.round()  # the slow walk over all campaigns is done now and not again for half a minute
    deadline_ms = store.heads.server_time_ms() + SOON_MS + len(names)
    for name in names:
        store.heads.lifecycle(name, "resume", deadline_ms=deadline_ms)
        store.hints.due(name, deadline_ms)
    wait_until(lambda: store.heads.server_time_ms() >= deadline_ms, "the deadline passes", TICK_LIMIT_S)
    wait_until(_Sweep(here, names), "all ticks are published and retired", TICK_LIMIT_S, [child])
    heads = [here.head(name) for name in names]
    if any(head.closed_ms < deadline_ms for head in heads):
        raise BenchError("a tick closed before its deadline")
    first_ms = min(head.closed_ms for head in heads)
    here.forget(names)
    seconds = (max(head.published_ms for head in heads) - first_ms) / 1000
    return max(seconds, 0.001), (max(head.closed_ms for head in heads) - first_ms) / 1000


class _Sweep:
    """Sweeps as often as a sweeper does, and looks at a few campaigns at a time: a look at all would be felt."""

    def __init__(self, here: Ground, names: list[str]) -> None:
        self._here = here
        self._waiting = names[::-1]

    def __call__(self) -> bool:
        """Whether all ticks are retired."""
        self._here.sweep()
        for _ in range(LOOKS):
            if self._waiting and self._here.head(self._waiting[-1]).retired >= 1:
                self._waiting.pop()
        return not self._waiting
