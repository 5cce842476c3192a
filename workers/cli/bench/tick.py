"""`tocsin bench tick`: one tick of any rulebook, against one Celery task an order and against the pure loop."""

import statistics
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from workers.cli.bench.books import Book, write_book
from workers.cli.bench.choices import ORDERS_MAX, ProfileFile, Rulebook, Runs, Seed, Workers
from workers.cli.bench.documents import Goal, document, rounded, show
from workers.cli.bench.ground import Run, ground
from workers.cli.bench.model import tick_counts
from workers.cli.bench.naive import naive_orders_per_s
from workers.cli.bench.trust import PURE_ORDERS_MAX, Trusted, trusted
from workers.cli.options import AsJson
from workers.cli.output import note
from workers.kernel.engine import Engine
from workers.registry import load_registry

NAIVE_GOAL = 200.0
PURE_GOALS = {"veil": 0.4}
"""Of workers × the pure loop; `PURE_GOAL` for every other rulebook."""
PURE_GOAL = 0.35


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure."""

    orders: int = 100_000
    workers: int = 2
    rulebook: str = "veil"
    shards: int = 0
    runs: int = 3
    seed: int = 1
    naive_sample: int = 2_000
    profile: str = ""

    @property
    def command(self) -> str:
        """The command that measures this again."""
        shards = f" --shards {self.shards}" if self.shards else ""
        return (
            f"tocsin bench tick --orders {self.orders} --workers {self.workers} --rulebook {self.rulebook}{shards}"
            f" --runs {self.runs} --seed {self.seed} --naive-sample {self.naive_sample}"
        )


def tick(  # noqa: PLR0913, PLR0917 a command has as many parameters as options
    orders: Annotated[int, typer.Option("--orders", min=1, max=ORDERS_MAX, help="Orders of the tick.")] = 100_000,
    workers: Workers = 2,
    rulebook: Rulebook = "veil",
    shards: Annotated[int, typer.Option("--shards", min=0, max=256, help="Shards; 0: as many as a tick chooses.")] = 0,
    runs: Runs = 3,
    seed: Seed = 1,
    naive_sample: Annotated[
        int, typer.Option("--naive-sample", min=100, help="Orders of the naive reference.")
    ] = 2_000,
    profile: ProfileFile = "",
    as_json: AsJson = False,
) -> None:
    """One tick from its close to its publication, on a real server with AOF always and real worker processes."""
    plan = Plan(
        orders=orders,
        workers=workers,
        rulebook=rulebook,
        shards=shards,
        runs=runs,
        seed=seed,
        naive_sample=naive_sample,
        profile=profile,
    )
    show(measure(plan), as_json)


def measure(plan: Plan) -> dict[str, Any]:
    """The tick's document."""
    engine = Engine(load_registry().get(plan.rulebook))
    note(f"bench: a campaign of {plan.rulebook} with {plan.orders} orders …")
    book = write_book(engine, plan.orders, plan.seed, plan.shards)
    pure_orders = min(plan.orders, PURE_ORDERS_MAX)
    pure = book if pure_orders == plan.orders else write_book(engine, pure_orders, plan.seed, plan.shards)
    with ground(plan.workers) as here:
        found = trusted(pure, plan.workers, plan.runs, lambda: here.run(book))
        if plan.profile:
            here.run(book, plan.profile)
        note("bench: the naive reference …")
        naive = naive_orders_per_s(here, book, min(plan.naive_sample, plan.orders))
    return _document(plan, book, found, pure_orders / found.pure_s, naive)


def _document(plan: Plan, book: Book, found: Trusted[Run], pure: float, naive: float) -> dict[str, Any]:
    runs = found.runs
    rate = plan.orders / statistics.median(run.seconds for run in runs)
    sizes = {
        "orders": plan.orders,
        "workers": plan.workers,
        "shards": runs[0].shards,
        "homes": len(book.homes),
        "slices": book.new.slices,
        "naive_sample": min(plan.naive_sample, plan.orders),
        "pure_orders": min(plan.orders, PURE_ORDERS_MAX),
    }
    to_naive, to_pure = round(rate / naive, 2), round(rate / (plan.workers * pure), 3)
    goals = [
        Goal("ratio_to_naive", to_naive, ">=", NAIVE_GOAL),
        Goal("ratio_to_pure_loop", to_pure, ">=", PURE_GOALS.get(plan.rulebook, PURE_GOAL)),
    ]
    model = tick_counts(supersteps=len(book.engine.steps), shards=runs[0].shards, slices=book.new.slices)
    return document(
        plan.command,
        sizes,
        [plan.seed],
        [run.seconds for run in runs],
        goals,
        orders_per_s=round(rate, 1),
        pure_loop_orders_per_s=round(pure, 1),
        naive_task_orders_per_s=round(naive, 1),
        peak_rss_mb_per_worker=max(run.peak_rss_mb for run in runs),
        ratio_to_naive=to_naive,
        ratio_to_pure_loop=to_pure,
        digest=runs[0].digest,
        digests_equal=len({run.digest for run in runs}) == 1,
        cpu_us_an_order={
            who: rounded(statistics.median(run.cpu_s[who] for run in runs) / plan.orders * 1e6) for who in runs[0].cpu_s
        },
        counts=runs[0].counts,
        model={"messages": model.messages, "round_trips_at_most": model.round_trips},
        **found.doubts,
    )
