"""The same phases on Ray: an actor a process holds a part of the homes, the driver settles what all share.

As Ray's users would write it: state stays in the actors' memory, orders are given to them before the clock starts, each
superstep is one call of every actor and one `ray.get`. What it leaves out: anything that outlives a process that dies,
reports that are stored, replay, digests.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

os.environ.setdefault("RAY_AUTH_MODE", "disabled")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])

import msgspec
import ray

from benchmarks.common import (
    arguments,
    book_of,
    context_from,
    digest_of,
    encode,
    mail_in_order,
    measured,
    play_home,
)
from workers.cli.bench.books import Book
from workers.kernel.engine import Engine
from workers.kernel.events import Mail
from workers.kernel.ids import id_key, tick_seed
from workers.kernel.phases import Sums
from workers.kernel.tick import context_of
from workers.registry import load_registry


def part_of(key: str, parts: int) -> int:
    """The part in which a home lies."""
    return crc32(key.encode()) % parts


class Part:
    """Some homes with their orders, in one process."""

    def __init__(
        self, rulebook: str, homes: dict[str, bytes], packed: list[bytes], settings: bytes, seed: bytes
    ) -> None:
        chosen = load_registry().get(rulebook)
        self._engine = Engine(chosen)
        self._homes = {key: self._engine.read_home(body) for key, body in homes.items()}
        self._settings = msgspec.json.decode(settings, type=chosen.settings)
        self._seed = seed
        self._orders: dict[str, list[Any]] = {}
        for booked in sorted(map(self._engine.packing.unpack, packed), key=lambda one: one.id):
            self._orders.setdefault(booked.home, []).append(booked)

    def superstep(
        self, number: int, shared: bytes, mail: list[bytes]
    ) -> tuple[Sums, list[tuple[str, bytes]], list[tuple[str, bytes]]]:
        """Play a superstep: its sums, the mail that it sends, and what the camps read."""
        engine = self._engine
        superstep = engine.steps[number]
        context = context_of(
            1, tick_seed(self._seed, 1), id_key(self._seed), self._settings, engine.read_shared(shared)
        )
        letters: dict[str, list[Mail]] = {}
        for letter in engine.read_mail(mail):
            letters.setdefault(letter.to, []).append(letter)
        every = superstep.homes.every(context)
        sums, facts, sent = Sums(), [], []
        for key in sorted({*self._orders, *letters, *(self._homes if every else ())}):
            orders = [one for one in self._orders.get(key, ()) if isinstance(one.order, superstep.homes.orders)]
            if not (orders or key in letters or every):
                continue
            home = self._homes.get(key)
            home, events, read = play_home(
                engine, superstep, home, orders, mail_in_order(letters.get(key, ())), context, sums
            )
            facts += read
            sent += [(event.to, encode(event)) for event in events if isinstance(event, Mail)]
            if home is not None:
                self._homes[key] = home
            else:
                self._homes.pop(key, None)
        return sums, sent, facts

    def homes(self) -> list[bytes]:
        """Its homes."""
        return [encode(home) for home in self._homes.values()]


def start(book: Book, parts: int) -> list[Any]:
    """The actors, with their homes and orders."""
    homes: list[dict[str, bytes]] = [{} for _ in range(parts)]
    packed: list[list[bytes]] = [[] for _ in range(parts)]
    for key, home in book.homes.items():
        homes[part_of(key, parts)][key] = encode(home)
    for booked, item in zip(book.orders, book.items, strict=True):
        packed[part_of(booked.home, parts)].append(item.packed)
    actor = ray.remote(Part)
    made = [
        actor.remote(book.rulebook.name, homes[part], packed[part], book.new.settings.encode(), book.seed)
        for part in range(parts)
    ]
    ray.get([one.homes.remote() for one in made])
    return made


def tick(book: Book, actors: list[Any]) -> bytes:
    """Play tick 1; the shared record after it."""
    engine = book.engine
    shared = encode(book.shared)
    context = context_from(book, engine.read_shared(shared))
    mail: list[list[bytes]] = [[] for _ in actors]
    for number, superstep in enumerate(engine.steps):
        given = ray.put(shared)
        answers = ray.get([actor.superstep.remote(number, given, mail[part]) for part, actor in enumerate(actors)])
        sums = Sums()
        mail = [[] for _ in actors]
        for more, sent, _ in answers:
            sums.merge(more)
            for to, line in sent:
                mail[part_of(to, len(actors))].append(line)
        engine.settle(superstep, context.shared, sums, context)
        shared = encode(context.shared)
    return shared


def state(book: Book, actors: list[Any], shared: bytes) -> str:
    """The digest of what the actors and the driver hold."""
    homes = [body for part in ray.get([actor.homes.remote() for actor in actors]) for body in part]
    return digest_of(book.engine, homes, shared)


def main() -> None:
    """Measure it."""
    chosen = arguments("The same phases on Ray.", workers=2)
    book = book_of(chosen.rulebook, chosen.orders)
    ray.init(num_cpus=chosen.workers, include_dashboard=False, log_to_driver=False)
    try:
        crews = [start(book, chosen.workers)]

        def run() -> Callable[[], str]:
            actors = crews.pop()
            shared = tick(book, actors)

            def ended() -> str:
                digest = state(book, actors, shared)
                for actor in actors:
                    ray.kill(actor)
                crews.append(start(book, chosen.workers))
                return digest

            return ended

        measured("Ray", chosen.orders, chosen.runs, run)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
