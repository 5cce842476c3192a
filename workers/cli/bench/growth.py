"""`tocsin bench growth`: whether an order costs more, and a worker takes more memory, in a larger tick."""

import statistics
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from workers.cli.bench.books import write_book
from workers.cli.bench.choices import ORDERS_MAX, ProfileFile, Rulebook, Runs, Seed, Workers, numbers
from workers.cli.bench.documents import Goal, document, rounded, show
from workers.cli.bench.ground import Ground, Run, ground
from workers.cli.bench.trust import PURE_ORDERS_MAX, Trusted, trusted
from workers.cli.options import AsJson
from workers.cli.output import note
from workers.kernel.engine import Engine
from workers.kernel.errors import InvalidInput
from workers.registry import load_registry

COST_GOAL = 1.2
MEMORY_GOAL = 3.0
MEMORY_MB_GOAL = 300.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure: ticks of these sizes, ascending; the last is held against the one before it."""

    sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    workers: int = 2
    rulebook: str = "veil"
    runs: int = 3
    seed: int = 1
    profile: str = ""

    @property
    def command(self) -> str:
        """The command that measures this again."""
        return (
            f"tocsin bench growth --sizes {','.join(map(str, self.sizes))} --workers {self.workers}"
            f" --rulebook {self.rulebook} --runs {self.runs} --seed {self.seed}"
        )


def growth(
    sizes: Annotated[
        str, typer.Option("--sizes", help="Orders of the ticks, ascending; the last is held against the one before.")
    ] = "10000,100000,1000000",
    workers: Workers = 2,
    rulebook: Rulebook = "veil",
    runs: Runs = 3,
    seed: Seed = 1,
    profile: ProfileFile = "",
    as_json: AsJson = False,
) -> None:
    """What an order costs, and what a worker's memory peaks at, in ticks ten times as large each."""
    chosen = numbers(sizes, "--sizes", ORDERS_MAX)
    if len(chosen) < 2:
        raise InvalidInput("--sizes", f"{sizes!r} is one size", "two or more: 100000,1000000")
    plan = Plan(sizes=chosen, workers=workers, rulebook=rulebook, runs=runs, seed=seed, profile=profile)
    show(measure(plan), as_json)


def measure(plan: Plan) -> dict[str, Any]:
    """The document: sizes one after another, each with its runs, so that one book is in memory at a time."""
    engine = Engine(load_registry().get(plan.rulebook))
    found: dict[int, Trusted[Run]] = {}
    with ground(plan.workers) as here:
        for size in plan.sizes:
            found[size] = _runs(here, engine, plan, size)
    last, before = plan.sizes[-1], plan.sizes[-2]
    cost = {size: statistics.median(run.seconds for run in found[size].runs) / size * 1e6 for size in plan.sizes}
    peak = {size: max(run.peak_rss_mb for run in found[size].runs) for size in plan.sizes}
    # Against what an order cost the pure loop around the same runs, a machine that slows down meanwhile drops out.
    loop = {size: found[size].pure_s / min(size, PURE_ORDERS_MAX) * 1e6 for size in plan.sizes}
    goals = [
        Goal("cost of an order", cost[last] / cost[before], "<=", COST_GOAL),
        Goal("peak memory of a worker", peak[last] / (peak[before] or 1.0), "<=", MEMORY_GOAL),
        Goal("peak memory of a worker, MB", peak[last], "<=", MEMORY_MB_GOAL),
    ]
    return document(
        plan.command,
        {"orders": list(plan.sizes), "workers": plan.workers},
        [plan.seed],
        [run.seconds for run in found[last].runs],
        goals,
        by_size=[
            {
                "orders": size,
                "runs": [run.seconds for run in found[size].runs],
                "us_an_order": rounded(cost[size]),
                "pure_loop_us_an_order": rounded(loop[size]),
                "peak_rss_mb_per_worker": peak[size],
                "shards": found[size].runs[0].shards,
                "digests_equal": len({run.digest for run in found[size].runs}) == 1,
            }
            for size in plan.sizes
        ],
        repeated_runs=sum(one.repeated for one in found.values()),
        untrusted_runs=sum(one.untrusted for one in found.values()),
    )


def _runs(here: Ground, engine: Engine, plan: Plan, size: int) -> Trusted[Run]:
    note(f"bench: {size} orders …")
    book = write_book(engine, size, plan.seed)
    pure = book if size <= PURE_ORDERS_MAX else write_book(engine, PURE_ORDERS_MAX, plan.seed)
    found = trusted(pure, plan.workers, plan.runs, lambda: here.run(book))
    if plan.profile and size == plan.sizes[-1]:
        here.run(book, plan.profile)
    return found
