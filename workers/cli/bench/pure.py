"""The pure loop: a rulebook's `decide`, `evolve` and `project` over orders in memory, on one core.

No encoding, no digest, no store: what a tick would cost if nothing had to be agreed, kept or checked. It is the
reference for what the service adds.
"""

import gc
from collections.abc import Iterator
from typing import Any

from workers import clock
from workers.cli.bench.books import Book
from workers.cli.bench.forks import in_forks
from workers.kernel.engine import Engine
from workers.kernel.events import Event, Mail
from workers.kernel.ids import id_key, tick_seed
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Sums, Superstep
from workers.kernel.tick import context_of


def pure_loop_s(book: Book) -> float:
    """Play tick 1 of a book in memory; the seconds that it took. The book's homes are changed: call it in a fork."""
    gc.disable()
    by_home = _by_home(book)
    started_s = clock.monotonic_s()
    for _ in play(book, by_home):
        pass
    return clock.monotonic_s() - started_s


def pure_loops_s(book: Book, processes: int) -> list[float]:
    """The pure loop on `processes` cores at once, each in a fork of this process; the seconds of each."""
    return in_forks(lambda: pure_loop_s(book), processes)


def played(book: Book) -> dict[str, Any]:
    """The homes after tick 1, played in memory. The book's homes and its shared record are changed."""
    for _ in play(book, _by_home(book)):
        pass
    return book.homes


def _by_home(book: Book) -> dict[str, list[Booked[Any, Any]]]:
    by_home: dict[str, list[Booked[Any, Any]]] = {}
    for booked in sorted(book.orders, key=lambda one: one.id):
        by_home.setdefault(booked.home, []).append(booked)
    return by_home


def play(book: Book, by_home: dict[str, list[Booked[Any, Any]]]) -> Iterator[Superstep]:
    """The supersteps of tick 1, each done when it is given."""
    context = context_of(1, tick_seed(book.seed, 1), id_key(book.seed), book.settings, book.shared)
    mail: dict[str, list[Mail]] = {}
    for superstep in book.engine.steps:
        mail = _superstep(book, superstep, by_home, mail, context)
        yield superstep


def _superstep(
    book: Book,
    superstep: Superstep,
    by_home: dict[str, list[Booked[Any, Any]]],
    mail: dict[str, list[Mail]],
    context: Context[Any, Any],
) -> dict[str, list[Mail]]:
    engine: Engine = book.engine
    rules = engine.rules
    evolve, tally, camps, project = rules.evolve, rules.tally, rules.camps, engine.projector.project
    kinds, everybody = superstep.homes.orders, superstep.homes.every(context)
    sums = Sums()
    sent: dict[str, list[Mail]] = {}
    homes = book.homes
    for key in sorted({*by_home, *mail, *(homes if everybody else ())}):
        orders = [booked for booked in by_home.get(key, ()) if isinstance(booked.order, kinds)]
        letters = mail.get(key, [])
        if not (orders or letters or everybody):
            continue
        home = homes.get(key)
        event: Event
        for event in superstep.homes.decide(home, orders, letters, context):
            kind = type(event)
            change = evolve.get(kind)
            if change is not None:
                home = change(home, event)
            add = tally.get(kind)
            if add is not None:
                add(event, sums)
            for camp in camps:
                project(event, camp)
            if isinstance(event, Mail):
                sent.setdefault(event.to, []).append(event)
        if home is not None:
            homes[key] = home
        else:
            homes.pop(key, None)
    engine.settle(superstep, context.shared, sums, context)
    return sent
