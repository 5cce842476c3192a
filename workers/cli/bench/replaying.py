"""`tocsin bench replay`: a recorded tick resolved again by one process, against the pure loop."""

import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from workers import clock
from workers.bootstrap import collect_seldom
from workers.cli.bench.books import write_book
from workers.cli.bench.choices import Rulebook, Runs, Seed
from workers.cli.bench.documents import Goal, document, rounded, show
from workers.cli.bench.errors import BenchError
from workers.cli.bench.forks import in_forks
from workers.cli.bench.ground import ground
from workers.cli.bench.trust import trusted
from workers.cli.options import AsJson
from workers.cli.output import note
from workers.cli.records import record_of
from workers.kernel.engine import Engine
from workers.registry import load_registry
from workers.service.replaying import replay as replay_record

ORDERS_MAX = 1_000_000
WORKERS = 2
GOAL = 2.5


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure."""

    orders: int = 50_000
    rulebook: str = "veil"
    runs: int = 5
    seed: int = 1

    @property
    def command(self) -> str:
        """The command that measures this again."""
        return (
            f"tocsin bench replay --orders {self.orders} --rulebook {self.rulebook} --runs {self.runs}"
            f" --seed {self.seed}"
        )


def replay(
    orders: Annotated[int, typer.Option("--orders", min=1, max=ORDERS_MAX, help="Orders of the tick.")] = 50_000,
    rulebook: Rulebook = "veil",
    runs: Runs = 5,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """A recorded tick read, resolved again and compared byte for byte in one process, against the pure loop."""
    show(measure(Plan(orders=orders, rulebook=rulebook, runs=runs, seed=seed)), as_json)


def measure(plan: Plan) -> dict[str, Any]:
    """The document: a tick is played and archived once, then replayed in a fork between two pure loops, each time."""
    engine = Engine(load_registry().get(plan.rulebook))
    book = write_book(engine, plan.orders, plan.seed)
    with ground(WORKERS) as here:
        note(f"bench: a tick of {plan.orders} orders is recorded …")
        run = here.run(book)
        (path,) = sorted((here.folder / "archive").rglob("tick-*.zst"))
        found = trusted(book, 1, plan.runs, lambda: in_forks(lambda: _replay_s(path, engine, run.digest))[0])
        reads = [in_forks(lambda: _read_s(path))[0] for _ in found.runs]
    replay_s, pure_s = statistics.median(found.runs), found.pure_s
    return document(
        plan.command,
        {"orders": plan.orders, "homes": len(book.homes), "processes": 1},
        [plan.seed],
        found.runs,
        [Goal("replay to pure loop", replay_s / pure_s, "<=", GOAL)],
        pure_loop_median=rounded(pure_s),
        reading_median=rounded(statistics.median(reads)),
        orders_per_s=round(plan.orders / replay_s, 1),
        digest=run.digest,
        **found.doubts,
    )


def _replay_s(path: Path, engine: Engine, digest: str) -> float:
    """The seconds from the file to the verdict, in a process prepared as the verb's. Raises BenchError where the replay
    isn't identical."""
    collect_seldom()
    started_s = clock.monotonic_s()
    record = record_of(str(path))
    rulebook: Any = engine.rules
    done = replay_record(record, rulebook, engine)
    seconds = clock.monotonic_s() - started_s
    if not (done.identical and done.reports_identical and done.result.digest == digest):
        raise BenchError(f"the replay differs: {done.findings[:1]}")
    return seconds


def _read_s(path: Path) -> float:
    """The seconds that reading the record takes, of those of the replay."""
    started_s = clock.monotonic_s()
    record_of(str(path))
    return clock.monotonic_s() - started_s
