"""`tocsin bench small`: a tick of few orders, against a chain of Celery tasks that do nothing."""

import statistics
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from workers import clock
from workers.cli.bench.books import Book, write_book
from workers.cli.bench.choices import ProfileFile, Rulebook, Runs, Seed, Workers
from workers.cli.bench.documents import Goal, document, rounded, show
from workers.cli.bench.errors import BenchError
from workers.cli.bench.ground import Ground, ground
from workers.cli.bench.noop import QUEUE, build, send_chain
from workers.cli.bench.trust import YARDSTICK_ORDERS, trusted
from workers.cli.bench.usage import children_of, cpu_s
from workers.cli.options import AsJson
from workers.cli.output import note
from workers.cli.processes import wait_until
from workers.kernel.engine import Engine
from workers.registry import load_registry
from workers.store.connection import Client, connect_blocking

MODULE = "workers.cli.bench.noop"
FUSE_BELOW = 2_000
BLOCK_S = 10.0
POLL_S = 0.000_5
LIMIT_S = 60.0
GOAL = 0.5


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure. `yardstick` is how many orders the pure loop has that tells whether the machine is quiet."""

    orders: int = 50
    tasks: int = 8
    workers: int = 2
    rulebook: str = "veil"
    runs: int = 30
    seed: int = 1
    profile: str = ""
    yardstick: int = YARDSTICK_ORDERS

    @property
    def command(self) -> str:
        """The command that measures this again."""
        return (
            f"tocsin bench small --orders {self.orders} --tasks {self.tasks} --workers {self.workers}"
            f" --rulebook {self.rulebook} --runs {self.runs} --seed {self.seed}"
        )


def small(
    orders: Annotated[int, typer.Option("--orders", min=1, max=FUSE_BELOW - 1, help="Orders of the tick.")] = 50,
    tasks: Annotated[int, typer.Option("--tasks", min=1, max=100, help="Tasks of the reference's chain.")] = 8,
    workers: Workers = 2,
    rulebook: Rulebook = "veil",
    runs: Runs = 30,
    seed: Seed = 1,
    profile: ProfileFile = "",
    as_json: AsJson = False,
) -> None:
    """A small tick, close to publication, against a chain of Celery tasks that do nothing, with the same settings."""
    plan = Plan(orders=orders, tasks=tasks, workers=workers, rulebook=rulebook, runs=runs, seed=seed, profile=profile)
    show(measure(plan), as_json)


def measure(plan: Plan) -> dict[str, Any]:
    """The document: ticks and chains in turn, on one worker, between two looks at whether the machine is quiet."""
    engine = Engine(load_registry().get(plan.rulebook))
    book = write_book(engine, plan.orders, plan.seed, fuse_below=FUSE_BELOW)
    yardstick = write_book(engine, plan.yardstick, plan.seed)
    with ground(plan.workers) as here, connect_blocking(here.server.url, block_s=BLOCK_S) as waiting:
        note(f"bench: {plan.runs} ticks of {plan.orders} orders and as many chains of {plan.tasks} tasks …")
        found = trusted(yardstick, plan.workers, 1, lambda: _in_turn(here, waiting, book, plan))
    turns = found.runs[0]
    tick_s, chain_s = statistics.median(turns.ticks), statistics.median(turns.chains)
    sizes = {"orders": plan.orders, "tasks": plan.tasks, "workers": plan.workers, "homes": len(book.homes)}
    return document(
        plan.command,
        sizes,
        [plan.seed],
        turns.ticks,
        [Goal("tick to chain", tick_s / chain_s, "<=", GOAL)],
        chain_median=rounded(chain_s),
        chain_runs=[rounded(seconds) for seconds in turns.chains],
        worker_cpu_ms=rounded(turns.worker_cpu_s * 1e3),
        **found.doubts,
    )


@dataclass(frozen=True, slots=True)
class Turns:
    """The seconds of each tick and of each chain, and a worker's processor time for a tick, its archive included."""

    ticks: list[float]
    chains: list[float]
    worker_cpu_s: float


def _in_turn(here: Ground, waiting: Client, book: Book, plan: Plan) -> Turns:
    ticks: list[float] = []
    chains: list[float] = []
    reference = here.worker(MODULE, QUEUE)
    with here.worker(profile=plan.profile) as child, reference, build(here.settings) as app:
        used_s = 0.0
        for number in range(plan.runs + plan.workers):
            if number == plan.workers:  # those before opened connections and imported what they play
                used_s = cpu_s(*children_of(child.pid))
                ticks, chains = [], []
            name = here.name()
            head = here.found(book, name)
            here.book(head, book.items)
            started_s = clock.monotonic_s()
            here.shut(head)
            _wait_published(here, waiting, name)
            seconds = clock.monotonic_s() - started_s
            wait_until(lambda name=name: here.head(name).retired >= 1, "the tick is retired", LIMIT_S, [child])  # type: ignore[misc]  # mypy can't infer a lambda with a default
            here.forget([name])
            started_s = clock.monotonic_s()
            send_chain(app, plan.tasks, f"tocsin-bench:{name}")
            if waiting.blpop([f"tocsin-bench:{name}"], timeout=BLOCK_S) is None:
                raise BenchError(f"a chain of {plan.tasks} tasks took more than {BLOCK_S:g} s")
            chain_s = clock.monotonic_s() - started_s
            ticks.append(seconds)
            chains.append(chain_s)
        used_s = cpu_s(*children_of(child.pid)) - used_s
    return Turns(ticks, chains, used_s / plan.runs)


def _wait_published(here: Ground, waiting: Client, name: str) -> None:
    """Wait for the last camp's report of tick 1 on the server, then for the head, which follows at once."""
    camp = here.head(name).camps[-1]
    key = here.services.store.reports.key(name, camp)
    if not waiting.xread({key: "1-0"}, block=int(BLOCK_S * 1000)):
        raise BenchError(f"a small tick wasn't published within {BLOCK_S:g} s")
    while here.head(name).published < 1:
        clock.sleep_s(POLL_S)
