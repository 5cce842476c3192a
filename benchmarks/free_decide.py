"""How much faster a worker would be if `decide` cost nothing: the most that any other way to decide could give.

The supersteps of tick 1 are played as a worker plays them, from packed orders and compressed slices to the compressed
slices, events and pages that it would send: once with the rulebook's `decide`, once with its events taken from a table
that a first pass wrote. The difference is everything that `decide` costs, dice and ids included.
"""

import copy
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from benchmarks.common import arguments, book_of, context_from
from workers.cli.bench.books import Book
from workers.kernel.digest import sha256_hex
from workers.kernel.engine import SliceResult
from workers.kernel.entities import slice_of_key
from workers.kernel.events import Event
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, DecideHome, Sums, Superstep
from workers.service.records import Manifest
from workers.store.compression import compressed, plain

Table = dict[tuple[int, str], list[Event]]
"""The events of a home in a superstep."""


class Shard:
    """A whole campaign as one shard."""

    def __init__(self, book: Book) -> None:
        self.engine = book.engine
        self.book = book
        manifest = msgspec.json.decode(book.new.blobs[book.new.manifest], type=Manifest)
        self.slices = [compressed(book.new.blobs[ref.digest]) if ref.digest else b"" for ref in manifest.slices]
        self.packed: dict[int, list[bytes]] = defaultdict(list)
        for item in book.items:
            self.packed[slice_of_key(item.home, len(self.slices))].append(item.packed)

    def tick(self, steps: Sequence[Superstep]) -> tuple[float, list[bytes]]:
        """Play all supersteps; the processor seconds of what a worker would do, and the slices afterwards."""
        context = context_from(self.book, copy.deepcopy(self.book.shared))
        slices, mail, seconds = list(self.slices), defaultdict[int, list[bytes]](list), 0.0
        for step in steps:
            sums, letters = Sums(), defaultdict[int, list[bytes]](list)
            started = time.process_time()
            for number, held in enumerate(slices):
                result = self._slice(step, number, held, mail[number], context)
                if result.homes is not None:
                    slices[number] = _sent(result.homes.to_bytes())
                    result.homes.bucket_digests()
                sums.merge(result.sums)
                for to, line in result.mail:
                    letters[slice_of_key(to, len(slices))].append(line)
            seconds += time.process_time() - started
            self.engine.settle(step, context.shared, sums, context)
            mail = letters
        return seconds, [plain(held) for held in slices]

    def _slice(
        self, step: Superstep, number: int, held: bytes, mail: Iterable[bytes], context: Context[Any, Any]
    ) -> SliceResult:
        kinds = step.homes.orders if step.index else self.engine.rules.orders
        orders = self.engine.packing.unpack_played(self.packed[number], kinds)
        result = self.engine.play_slice(step, plain(held), orders, self.engine.read_mail(mail), context)
        result.event_digests()
        _sent(b"\n".join(result.events.values()))
        for pages in result.pages.values():
            _sent(b"\n".join(pages))
        return result


def _sent(data: bytes) -> bytes:
    """What a worker sends of a blob, under the name that it works out."""
    sha256_hex(data)
    return compressed(data)


def _key(home: Any, orders: Sequence[Booked[Any, Any]], mail: Sequence[Any]) -> str:
    if home is not None:
        return str(home.id)
    return orders[0].home if orders else str(mail[0].to)


def _noting(step: Superstep, table: Table) -> Superstep:
    """The superstep, writing what it decides into a table."""
    decide = step.homes.decide

    def noting(home: Any, orders: Sequence[Any], mail: Sequence[Any], context: Context[Any, Any]) -> Iterable[Event]:
        events = table[step.index, _key(home, orders, mail)] = []
        for event in decide(home, orders, mail, context):
            events.append(event)
            yield event

    return _deciding(step, noting)


def _reading(step: Superstep, table: Table) -> Superstep:
    """The superstep, deciding by that table."""

    def reading(home: Any, orders: Sequence[Any], mail: Sequence[Any], _: Context[Any, Any]) -> Iterable[Event]:
        return table[step.index, _key(home, orders, mail)]

    return _deciding(step, reading)


def _deciding(step: Superstep, decide: DecideHome) -> Superstep:
    return replace(step, homes=replace(step.homes, decide=decide))


def freed(shard: Shard) -> list[Superstep]:
    """The supersteps with all that they decide in a table, from one pass over the shard."""
    table: Table = {}
    shard.tick([_noting(step, table) for step in shard.engine.steps])
    return [_reading(step, table) for step in shard.engine.steps]


def main() -> None:
    """Print one JSON document: processor seconds with and without `decide`, and their ratio, the bound."""
    given = arguments("How much faster a worker would be if decide cost nothing")
    shard = Shard(book_of(given.rulebook, given.orders))
    free = freed(shard)
    pairs = [(shard.tick(shard.engine.steps)[0], shard.tick(free)[0]) for _ in range(given.runs)]
    found = {
        "rulebook": given.rulebook,
        "orders": given.orders,
        "with_decide_s": [round(one, 3) for one, _ in pairs],
        "without_decide_s": [round(other, 3) for _, other in pairs],
        "bound": round(statistics.median(one / other for one, other in pairs), 2),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
