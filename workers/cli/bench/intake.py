"""`tocsin bench intake`: orders over HTTP, against the script that books them called directly; that against HSET."""

import os
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
import typer

from workers import clock
from workers.cli.bench.books import Book, write_book
from workers.cli.bench.choices import ProfileFile, Rulebook, Runs, Seed
from workers.cli.bench.documents import Goal, document, rounded, show
from workers.cli.bench.errors import BenchError
from workers.cli.bench.ground import BATCH, Ground, ground
from workers.cli.bench.serving import Request, Served, api, camp_token, posting
from workers.cli.bench.usage import cpu_s
from workers.cli.options import AsJson
from workers.cli.output import note
from workers.kernel.engine import Engine
from workers.kernel.orders import Booked
from workers.registry import load_registry
from workers.store.records import Head, IntakeItem

ORDERS_MAX: Final = 1_000_000
CONNECTIONS_MAX: Final = 64
HTTP_GOAL: Final = 0.8
HSET_GOAL: Final = 0.35


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure."""

    orders: int = 40_000
    singles: int = 1_000
    processes: int = 2
    connections: int = 8
    rulebook: str = "veil"
    runs: int = 5
    seed: int = 1
    profile: str = ""

    @property
    def command(self) -> str:
        """The command that measures this again."""
        return (
            f"tocsin bench intake --orders {self.orders} --singles {self.singles} --api-processes {self.processes}"
            f" --connections {self.connections} --rulebook {self.rulebook} --runs {self.runs} --seed {self.seed}"
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """Orders of one camp, as a client sends them and as the script takes them."""

    camp: str
    body: bytes
    items: list[IntakeItem]


@dataclass(frozen=True, slots=True)
class Spent:
    """What something took: seconds, and processor seconds of each side."""

    seconds: float
    cpu_s: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Rates:
    """Orders a second, each way, in one run."""

    http: float
    script: float
    hset: float
    single: float
    cpu_us: Mapping[str, float]


def intake(  # noqa: PLR0913, PLR0917 a command has as many parameters as options
    orders: Annotated[int, typer.Option("--orders", min=1, max=ORDERS_MAX, help="Orders, in batches of 1,000.")] = (
        40_000
    ),
    singles: Annotated[int, typer.Option("--singles", min=1, max=ORDERS_MAX, help="Orders sent one by one.")] = 1_000,
    api_processes: Annotated[
        int, typer.Option("--api-processes", min=1, max=64, help="Processes of the API (deploy/ has two).")
    ] = 2,
    connections: Annotated[
        int, typer.Option("--connections", min=1, max=CONNECTIONS_MAX, help="Client connections, kept open.")
    ] = 8,
    rulebook: Rulebook = "veil",
    runs: Runs = 5,
    seed: Seed = 1,
    profile: ProfileFile = "",
    as_json: AsJson = False,
) -> None:
    """Intake over real HTTP, judged and answered, against the same script called by one client with no HTTP."""
    plan = Plan(
        orders=orders,
        singles=min(singles, orders),
        processes=api_processes,
        connections=connections,
        rulebook=rulebook,
        runs=runs,
        seed=seed,
        profile=profile,
    )
    show(measure(plan), as_json)


def measure(plan: Plan) -> dict[str, Any]:
    """The document: in each run the three ways in turn, each into a campaign of its own."""
    engine = Engine(load_registry().get(plan.rulebook))
    note(f"bench: {plan.orders} orders in batches of {BATCH} …")
    book = write_book(engine, plan.orders, plan.seed)
    batches = list(batches_of(book, BATCH))
    singles = list(batches_of(book, 1, plan.singles))
    with ground(1) as here:
        # A camp's token sends all of its orders, one a request too: no limit of a token may be what is measured.
        unlimited = {"requests_token_second_max": plan.singles + len(batches)}
        here.settings = here.settings.model_copy(update=unlimited)
        with api(here, plan.processes) as served:
            _over_http(here, book, batches[:1], served, 1)  # opens the connections of both sides
            found = [_run(here, book, batches, singles, served, plan.connections) for _ in range(plan.runs)]
        if plan.profile:
            with api(here, plan.processes, plan.profile) as served:
                _over_http(here, book, batches, served, plan.connections)
    http = statistics.median(one.http for one in found)
    script = statistics.median(one.script for one in found)
    hset = statistics.median(one.hset for one in found)
    goals = [
        Goal("HTTP to script", statistics.median(one.http / one.script for one in found), ">=", HTTP_GOAL),
        Goal("script to HSET", statistics.median(one.script / one.hset for one in found), ">=", HSET_GOAL),
    ]
    sizes = {
        "orders": plan.orders,
        "batch": BATCH,
        "singles": plan.singles,
        "api_processes": plan.processes,
        "connections": plan.connections,
        "body_bytes_an_order": round(sum(len(batch.body) for batch in batches) / plan.orders),
    }
    return document(
        plan.command,
        sizes,
        [plan.seed],
        [plan.orders / one.http for one in found],
        goals,
        http_orders_per_s=round(http),
        script_orders_per_s=round(script),
        hset_orders_per_s=round(hset),
        single_orders_per_s=round(statistics.median(one.single for one in found)),
        cpu_us_an_order={
            name: rounded(statistics.median(one.cpu_us[name] for one in found)) for name in found[0].cpu_us
        },
        script_runs=[rounded(plan.orders / one.script) for one in found],
        hset_runs=[rounded(plan.orders / one.hset) for one in found],
    )


def batches_of(book: Book, size: int, orders: int = 0) -> "list[Batch]":
    """A book's orders (the first `orders`, or all) in batches of at most `size`, each of one camp."""
    by_camp: dict[str, list[tuple[Booked[Any, Any], IntakeItem]]] = {}
    chosen = list(zip(book.orders, book.items, strict=True))[: orders or None]
    for booked, item in chosen:
        by_camp.setdefault(booked.camp, []).append((booked, item))
    found = []
    for camp, pairs in by_camp.items():
        for start in range(0, len(pairs), size):
            part = pairs[start : start + size]
            body = msgspec.json.encode({"orders": [booked.order for booked, _ in part]})
            if size == 1:
                body = msgspec.json.encode(part[0][0].order)
            found.append(Batch(camp, body, [item for _, item in part]))
    return found


def _run(
    here: Ground, book: Book, batches: list[Batch], singles: list[Batch], served: Served, connections: int
) -> Rates:
    orders = sum(len(batch.items) for batch in batches)
    http = _over_http(here, book, batches, served, connections)
    script = _by_script(here, book, batches, served)
    cpu_us = {f"http_{who}": http.cpu_s[who] for who in http.cpu_s}
    cpu_us |= {f"script_{who}": script.cpu_s[who] for who in ("server", "client")}
    return Rates(
        orders / http.seconds,
        orders / script.seconds,
        orders / _by_hset(here, batches),
        len(singles) / _over_http(here, book, singles, served, connections).seconds,
        {name: seconds / orders * 1e6 for name, seconds in cpu_us.items()},
    )


def _spent(here: Ground, served: Served, work: Callable[[], object]) -> Spent:
    before, started_s = _used(here, served), clock.monotonic_s()
    work()
    seconds, after = clock.monotonic_s() - started_s, _used(here, served)
    return Spent(seconds, {who: after[who] - before[who] for who in before})


def _used(here: Ground, served: Served) -> dict[str, float]:
    """The processor time that each side has used so far: the API's processes, the server, and this process, which sends
    and waits."""
    return {"api": cpu_s(*served.pids), "server": cpu_s(here.server.pid), "client": cpu_s(os.getpid())}


def _over_http(here: Ground, book: Book, batches: list[Batch], served: Served, connections: int) -> Spent:
    """What the API takes to book the batches; all of their orders are found booked afterwards."""
    name = here.name()
    head = here.found(book, name)
    # As many senders as connections: what one token may ask for in a second is bounded.
    tokens = {camp: [camp_token(here, name, camp) for _ in range(connections)] for camp in book.rulebook.camps}
    requests = [
        Request(
            f"/v1/campaigns/{name}/orders", tokens[batch.camp][number % connections], f"{name}-{number}", batch.body
        )
        for number, batch in enumerate(batches)
    ]
    with posting(served.port, requests, connections) as post:
        spent = _spent(here, served, post)
    _check(here, head, batches)
    return spent


def _by_script(here: Ground, book: Book, batches: list[Batch], served: Served) -> Spent:
    """What one client takes to book the batches, judged and packed before, through the script alone."""
    name = here.name()
    head = here.found(book, name)

    def book_all() -> None:
        for batch in batches:
            here.book_batch(head, batch.items)

    spent = _spent(here, served, book_all)
    _check(here, head, batches)
    return spent


def _by_hset(here: Ground, batches: list[Batch]) -> float:
    """The seconds in which one client puts the packed orders into a hash by their ids, a command a batch."""
    client = here.services.store.client
    key = f"tocsin-bench:{here.name()}"
    started_s = clock.monotonic_s()
    for batch in batches:
        client.hset(key, mapping={item.id: item.packed for item in batch.items})
    seconds = clock.monotonic_s() - started_s
    client.unlink(key)
    return seconds


def _check(here: Ground, head: Head, batches: list[Batch]) -> None:
    wanted = sum(len(batch.items) for batch in batches)
    booked = here.services.store.intake.counts(head.campaign, 1).orders
    here.forget([head.campaign])
    if booked != wanted:
        raise BenchError(f"{booked} orders were booked, of {wanted} sent")
