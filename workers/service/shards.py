"""A shard at work: its slices read a few at a time, played one after another, its results gathered."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from workers.kernel.engine import PhaseCount, SliceResult
from workers.kernel.entities import slice_of_key
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Sums, Superstep
from workers.kernel.tick import book_buckets
from workers.service.campaigns import Campaign
from workers.service.closed_book import NO_ORDERS, ClosedBook, Portion
from workers.service.records import Manifest, ShardOutput, SliceRef, blob, blobs_of, hexadecimal, ref_of

READ_FIRST: Final = 4
"""Slices of a shard that are asked for at once, the first time."""
READ_MOST: Final = 64
"""And at most, ever."""
READ_BYTES: Final = 4 << 20
"""After the first time as many as take about so many plain bytes, their orders included, if they are as large as those
before: homes are spread over slices by a hash. And never more than twice as many: where they aren't, it shows early."""


ReadBlobs = Callable[[list[str]], list[bytes]]
"""Blobs by digest, in the order of their digests; an empty digest is empty bytes. Raises MissingBlob."""


def next_count(count: int, largest: int) -> int:
    """How many slices to ask for after a part of `count`, of which the largest had so many plain bytes."""
    return max(1, min(READ_BYTES // largest, 2 * count, READ_MOST))


def slices_of_shard(shard: int, shards: int, slices: int) -> range:
    """The slices of a shard: equal runs, every slice in exactly one."""
    return range(shard * slices // shards, (shard + 1) * slices // shards)


def shard_of_slice(index: int, shards: int, slices: int) -> int:
    """The shard in which a slice lies."""
    guess = index * shards // slices
    while index not in slices_of_shard(guess, shards, slices):
        guess += 1
    return guess


@dataclass(slots=True)
class Results:
    """What the slices of a shard made so far."""

    slices: dict[int, SliceRef] = field(default_factory=dict)
    events: dict[int, str] = field(default_factory=dict)
    told: list[bytes] = field(default_factory=list)
    pages: dict[str, list[bytes]] = field(default_factory=dict)
    mail: dict[int, list[bytes]] = field(default_factory=dict)
    book: dict[int, str] = field(default_factory=dict)
    sums: Sums = field(default_factory=Sums)
    count: PhaseCount = field(default_factory=PhaseCount)
    blobs: dict[str, bytes] = field(default_factory=dict)

    def add(self, result: SliceResult, shard_of: Callable[[str], int]) -> None:
        """Take in all but the state of what was played next; `shard_of`: the shard in which a home lies."""
        self.told.extend(text for _, text in sorted(result.events.items()))
        self.events.update(hexadecimal(result.event_digests()))
        for camp, pages in result.pages.items():
            self.pages.setdefault(camp, []).extend(pages)
        for to, line in result.mail:
            self.mail.setdefault(shard_of(to), []).append(line)
        self.sums.merge(result.sums)
        self.count.add(result.count)

    def output(self) -> tuple[ShardOutput, dict[str, bytes]]:
        """The shard's output and the blobs that it names."""
        output = ShardOutput(
            slices=self.slices,
            events=self.events,
            sums=self.sums,
            counts=(self.count.events, self.count.void),
            events_blob=blob(b"\n".join(self.told), self.blobs),
            pages={camp: blobs_of(pages, self.blobs) for camp, pages in sorted(self.pages.items())},
            mail={target: blob(b"\n".join(sorted(lines)), self.blobs) for target, lines in sorted(self.mail.items())},
            book=self.book,
        )
        return output, self.blobs


class ShardPlay:
    """A shard at work: a few slices in memory at a time, its results gathered."""

    def __init__(
        self,
        read_blobs: ReadBlobs,
        campaign: Campaign,
        manifest: Manifest,
        superstep: Superstep,
        context: Context[Any, Any],
        shard: int,
        book: ClosedBook,
    ) -> None:
        head = campaign.head
        self._book = book
        self._read_blobs = read_blobs
        self._campaign = campaign
        self._manifest = manifest
        self._superstep = superstep
        self._context = context
        self._shards = head.tick_shards
        self._dropped = frozenset(head.dropped)
        self._results = Results()
        self.slices = slices_of_shard(shard, self._shards, head.slices)
        self._mail = self._read_mail(manifest.mail.get(shard, ()))

    def _read_mail(self, digests: Iterable[str]) -> dict[int, list[bytes]]:
        found: dict[int, list[bytes]] = {}
        for data in self._read_blobs(list(digests)):
            for line in data.split(b"\n"):
                to = msgspec.json.decode(line, type=_Addressed).to
                found.setdefault(slice_of_key(to, self._campaign.head.slices), []).append(line)
        return found

    def play(self) -> None:
        """Play all slices of the shard. Raises what the rulebook raises."""
        start, count = self.slices.start, READ_FIRST
        while start < self.slices.stop:
            part = range(start, min(start + count, self.slices.stop))
            largest = 1
            for index, data, portion in zip(part, self._states(part), self._portions(part), strict=True):
                largest = max(largest, len(data) + portion.stored_bytes)
                self._play(index, data, portion.orders)
            count = next_count(len(part), largest)
            start = part.stop

    def orders(self, index: int) -> list[Booked[Any, Any]]:
        """The live orders of a slice that the superstep plays; all of them in the first, which digests the book."""
        return self._portions([index])[0].orders

    def try_slice(self, index: int, orders: list[Booked[Any, Any]]) -> None:
        """Play one slice with these orders for what it raises, and for nothing else."""
        self._run(index, self._states([index])[0], orders)

    def _states(self, part: Sequence[int]) -> list[bytes]:
        return self._read_blobs([self._manifest.slices[index].digest for index in part])

    def _portions(self, part: Sequence[int]) -> list[Portion]:
        """The orders of some slices: of the kinds that the superstep plays, of all in the first."""
        if self._superstep.index == 0:
            return self._book.portions(part)
        kinds = self._superstep.homes.orders
        return self._book.portions(part, kinds) if kinds else [NO_ORDERS] * len(part)

    def _run(self, index: int, data: bytes, orders: list[Booked[Any, Any]]) -> SliceResult:
        engine = self._campaign.engine
        mail = engine.read_mail(self._mail.get(index, ()))
        return engine.play_slice(self._superstep, data, orders, mail, self._context, self._dropped)

    def _play(self, index: int, data: bytes, orders: list[Booked[Any, Any]]) -> None:
        """Play one slice and keep what it made."""
        result, made = self._run(index, data, orders), self._results
        if result.homes is not None:
            made.slices[index] = ref_of(result.homes, made.blobs)
        made.add(result, self._shard_of)
        if self._superstep.index == 0:
            made.book.update(hexadecimal(book_buckets(self._campaign.engine.packing, orders)))

    def _shard_of(self, key: str) -> int:
        return shard_of_slice(slice_of_key(key, self._campaign.head.slices), self._shards, len(self._manifest.slices))

    def output(self) -> tuple[ShardOutput, dict[str, bytes]]:
        """The shard's output and the blobs that it names."""
        return self._results.output()


class _Addressed(msgspec.Struct):
    to: str
