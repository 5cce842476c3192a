"""The sub-commands of `tocsin bench`, one a question."""

import statistics
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from workers.cli.bench.field import Book, Field, Run, write_book
from workers.cli.bench.naive import naive_orders_per_s
from workers.cli.bench.pure import pure_loops_s
from workers.cli.options import AsJson
from workers.cli.output import note, print_json, table
from workers.kernel.engine import Engine
from workers.registry import load_registry

app = typer.Typer(
    add_completion=False, help="Measure: ratios to references taken in the same run.", no_args_is_help=True
)

PURE_ORDERS_MAX = 200_000
"""The pure loop runs on a campaign of at most so many orders: its cost an order doesn't depend on their number."""
AGREE = 0.15
"""A run is trusted when the pure loop before and after it agrees within this part."""
REPEATS_PER_RUN = 1
"""How often a run is repeated because it wasn't trusted, before it is told as it is, and counted as untrusted."""


@app.callback()
def bench() -> None:
    """Measure: ratios to references taken in the same run."""


@app.command("tick")
def tick(
    orders: Annotated[int, typer.Option("--orders", min=1, max=10_000_000, help="Orders of the tick.")] = 100_000,
    workers: Annotated[int, typer.Option("--workers", min=1, max=64, help="Worker processes.")] = 2,
    rulebook: Annotated[str, typer.Option("--rulebook", help="The rulebook.")] = "veil",
    shards: Annotated[int, typer.Option("--shards", min=0, max=256, help="Shards; 0: as many as a tick chooses.")] = 0,
    runs: Annotated[int, typer.Option("--runs", min=1, max=20, help="Runs, of which the median is told.")] = 3,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The campaign's seed.")] = 1,
    naive_sample: Annotated[
        int, typer.Option("--naive-sample", min=100, help="Orders of the naive reference.")
    ] = 2_000,
    as_json: AsJson = False,
) -> None:
    """One tick from its close to its publication, on a real server with AOF always and real worker processes."""
    chosen = load_registry().get(rulebook)
    engine = Engine(chosen)
    note(f"bench: a campaign of {rulebook} with {orders} orders …")
    book = write_book(engine, chosen, orders, seed, shards)
    pure_orders = min(orders, PURE_ORDERS_MAX)
    pure = book if pure_orders == orders else write_book(engine, chosen, pure_orders, seed, shards)
    with tempfile.TemporaryDirectory(prefix="tocsin-bench-") as folder:
        field = Field(Path(folder), workers)
        try:
            measured, pure_s, doubts = _measure(field, book, pure, workers, runs)
            note("bench: the naive reference …")
            naive = naive_orders_per_s(field, book, min(naive_sample, orders))
        finally:
            field.close()
    document = _document(orders, workers, rulebook, seed, measured, pure_orders / pure_s, naive)
    document["sizes"] |= {
        "naive_sample": min(naive_sample, orders),
        "pure_orders": pure_orders,
        "homes": len(book.homes),
    }
    document |= doubts
    _print(document, as_json)


def _measure(field: Field, book: Book, pure: Book, workers: int, runs: int) -> tuple[list[Run], float, dict[str, int]]:
    """The runs, the median time of the pure loop, and how many runs were repeated, or kept, where it didn't agree."""
    measured: list[Run] = []
    loops: list[float] = []
    repeated = untrusted = 0
    before = statistics.mean(pure_loops_s(pure, workers))
    while len(measured) < runs:
        run = field.run(book)
        after = statistics.mean(pure_loops_s(pure, workers))
        agrees = abs(after - before) <= AGREE * min(before, after)
        note(f"bench: {run.seconds:.2f} s, pure loop {before:.2f} s before and {after:.2f} s after")
        if agrees or repeated >= runs * REPEATS_PER_RUN:
            measured.append(run)
            untrusted += not agrees
            loops += [before, after]
        else:
            repeated += 1
        before = after
    return measured, statistics.median(loops), {"repeated_runs": repeated, "untrusted_runs": untrusted}


def _document(
    orders: int, workers: int, rulebook: str, seed: int, runs: list[Run], pure: float, naive: float
) -> dict[str, Any]:
    median_s = statistics.median(run.seconds for run in runs)
    rate = orders / median_s
    return {
        "command": f"tocsin bench tick --orders {orders} --workers {workers} --rulebook {rulebook} --runs {len(runs)}",
        "sizes": {"orders": orders, "workers": workers, "shards": runs[0].shards},
        "seeds": [seed],
        "runs": [run.seconds for run in runs],
        "median": median_s,
        "orders_per_s": round(rate, 1),
        "pure_loop_orders_per_s": round(pure, 1),
        "naive_task_orders_per_s": round(naive, 1),
        "peak_rss_mb_per_worker": max(run.peak_rss_mb for run in runs),
        "ratio_to_naive": round(rate / naive, 2),
        "ratio_to_pure_loop": round(rate / (workers * pure), 3),
        "digest": runs[0].digest,
        "digests_equal": len({run.digest for run in runs}) == 1,
    }


def _print(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    table(
        document["command"], ("what", "value"), [(name, value) for name, value in document.items() if name != "command"]
    )
