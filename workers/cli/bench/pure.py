"""The pure loop: a rulebook's `decide`, `evolve` and `project` over orders in memory, on one core.

No encoding, no digest, no store: what a tick would cost if nothing had to be agreed, kept or checked. It is the
reference for what the service adds.
"""

import gc
import os
from typing import Any

from workers import clock
from workers.cli.bench.field import BenchError, Book
from workers.kernel.engine import Engine
from workers.kernel.events import Event, Mail
from workers.kernel.ids import id_key, tick_seed
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Sums, Superstep
from workers.kernel.tick import context_of


def pure_loop_s(book: Book) -> float:
    """Play tick 1 of a book in memory; the seconds that it took. The book's homes are changed: call it in a fork."""
    by_home: dict[str, list[Booked[Any, Any]]] = {}
    for booked in sorted(book.orders, key=lambda one: one.id):
        by_home.setdefault(booked.home, []).append(booked)
    context = context_of(1, tick_seed(book.seed, 1), id_key(book.seed), book.settings, book.shared)
    gc.disable()
    started_s = clock.monotonic_s()
    mail: dict[str, list[Mail]] = {}
    for superstep in book.engine.steps:
        mail = _superstep(book, superstep, by_home, mail, context)
    return clock.monotonic_s() - started_s


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


def pure_loops_s(book: Book, processes: int) -> list[float]:
    """The pure loop on `processes` cores at once, each in a fork of this process; the seconds of each.

    Plain forks, without the hooks of `multiprocessing`: kombu's would wait on connections that its parent still reads.
    """
    gc.freeze()
    pipes = [_fork(book) for _ in range(processes)]
    gc.unfreeze()
    found = []
    for pid, reading in pipes:
        with os.fdopen(reading) as pipe:
            text = pipe.read()
        os.waitpid(pid, 0)
        if not text:
            raise BenchError("a pure loop ended without a result")
        found.append(float(text))
    return found


def _fork(book: Book) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    try:
        os.write(writing, repr(pure_loop_s(book)).encode())
    finally:
        os._exit(0)
