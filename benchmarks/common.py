"""What all references share: a campaign with its orders, the rules of one home, and how a result is told."""

import argparse
import hashlib
import json
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from workers.cli.bench.books import Book, write_book
from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.events import Event, Mail
from workers.kernel.ids import id_key, tick_seed
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Sums, Superstep
from workers.kernel.tick import context_of
from workers.registry import load_registry

encode = msgspec.json.encode


def book_of(rulebook: str, orders: int, seed: int = 1) -> Book:
    """A campaign with so many orders for its tick 1, the same that `tocsin bench tick` plays."""
    return write_book(Engine(load_registry().get(rulebook)), orders, seed)


def context_from(book: Book, shared: Any) -> Context[Any, Any]:
    """What the phases of tick 1 read beside their homes."""
    return context_of(1, tick_seed(book.seed, 1), id_key(book.seed), book.settings, shared)


def play_home(
    engine: Engine,
    superstep: Superstep,
    home: Any,
    orders: list[Booked[Any, Any]],
    mail: list[Mail],
    context: Context[Any, Any],
    sums: Sums,
) -> tuple[Any, list[Event], list[tuple[str, bytes]]]:
    """One home in one superstep: the home as it is then, its events, and what each camp reads of them."""
    rules = engine.rules
    events: list[Event] = []
    facts: list[tuple[str, bytes]] = []
    for event in superstep.homes.decide(home, orders, mail, context):
        change = rules.evolve.get(type(event))
        if change is not None:
            home = change(home, event)
        add = rules.tally.get(type(event))
        if add is not None:
            add(event, sums)
        for camp in rules.camps:
            fact = engine.projector.project(event, camp)
            if fact is not None:
                facts.append((camp, encode(fact)))
        events.append(event)
    return home, events, facts


def mail_in_order(letters: Iterable[Mail]) -> list[Mail]:
    """Letters as a home reads them: in the order of their canonical bytes, whoever sent them first."""
    return sorted(letters, key=canonical)


def digest_of(engine: Engine, homes: Iterable[bytes], shared: bytes) -> str:
    """One text for a state, however it was written down: references and product are held against each other by it."""
    whole = hashlib.sha256()
    for line in sorted(canonical(engine.read_home(body)) for body in homes):
        whole.update(line + b"\n")
    whole.update(canonical(engine.read_shared(shared)))
    return whole.hexdigest()


def arguments(what: str, **more: int) -> argparse.Namespace:
    """The options of a reference: `--orders`, `--rulebook`, `--runs`, and others with their defaults."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--orders", type=int, default=20_000)
    parser.add_argument("--rulebook", default="veil")
    parser.add_argument("--runs", type=int, default=3)
    for name, default in more.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


def measured(what: str, orders: int, runs: int, run: Callable[[], Callable[[], str]]) -> None:
    """Run a reference some times and print one JSON document: orders a second (of the median) and the digest of the
    state, which `run` gives a function for: working it out isn't part of what is measured."""
    seconds, digests = [], set()
    for _ in range(runs):
        started = time.monotonic()
        state = run()
        seconds.append(time.monotonic() - started)
        digests.add(state())
    median = sorted(seconds)[len(seconds) // 2]
    found = {
        "reference": what,
        "orders": orders,
        "runs": [round(one, 4) for one in seconds],
        "median": round(median, 4),
        "orders_per_s": round(orders / median, 1),
        "state": sorted(digests),
    }
    print(json.dumps(found))
