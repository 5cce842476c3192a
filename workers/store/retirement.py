"""The end of a tick: once it's archived, what its intake and its resolution left in Redis goes.

Each step may be done twice, and a retirement that was cut off is done again from its start: the head's `retired` says
up to which tick all of it is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from workers.store.blobs import collect_calls, read_index
from workers.store.commands import Commands
from workers.store.intake import INDEX_LETTERS
from workers.store.keys import Keys
from workers.store.records import Head
from workers.store.reports import least_kept, position_of
from workers.store.scripts import Call, Scripts

UNLINK_CHUNK: Final = 500
IDEMS_CHUNK: Final = 1_000
IDEM_LIFE_S: Final = 24 * 60 * 60
"""How long an idempotency record outlives its tick's retirement."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What is there of a tick when it is retired, read at once.

    Of its record `epochs` and `steps`, both 0 where an earlier retirement was done; the first of its idempotency
    records; where each stream ends; the tick in which each blob was last named.
    """

    epochs: int
    steps: int
    idems: list[bytes]
    ends: dict[str, bytes]
    named: dict[str, int]


class Retirement:
    """Drops what archived ticks left behind."""

    def __init__(self, client: Commands, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def retire(self, head: Head, archived: int) -> list[int]:
        """Retire each tick up to `archived` that isn't retired; the ticks that were, ascending."""
        ticks = list(range(head.retired + 1, archived + 1))
        for tick in ticks:
            self._scripts.run_all([*self.drop(head, tick), ("mark", [Keys(head.campaign).head], ["retired", tick])])
        return ticks

    def drop(self, head: Head, tick: int) -> list[Call]:
        """Drop the tick's book and its resolution's traces, let its idempotency records expire, and trim the streams
        and the records to the campaign's `retain_ticks`. Returns what collects the blobs that only earlier ticks named.
        """
        keys = Keys(head.campaign)
        found = self._look(head, keys, tick)
        names = _left_behind(head, keys, tick, found)
        first_kept = tick - head.retain_ticks + 1
        with self._client.pipeline(transaction=False) as pipeline:
            while chunk := list(islice(names, UNLINK_CHUNK)):
                pipeline.unlink(*chunk)
            _expire(pipeline, keys, found.idems)
            for camp, end in found.ends.items():
                least = least_kept(position_of(end), max(first_kept, 0))
                pipeline.xtrim(keys.reports(camp), approximate=False, minid=least)
            if first_kept > 0:
                pipeline.unlink(keys.record(first_kept - 1))
            if len(found.idems) < IDEMS_CHUNK:
                pipeline.unlink(keys.idems(tick))
            pipeline.execute()
        if len(found.idems) == IDEMS_CHUNK:
            self._expire_further(keys, tick)
        return list(collect_calls(head.campaign, found.named, tick))

    def _look(self, head: Head, keys: Keys, tick: int) -> _Found:
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.hmget(keys.record(tick), ["epoch", "steps"])
            pipeline.lrange(keys.idems(tick), 0, IDEMS_CHUNK - 1)
            pipeline.hgetall(keys.blobs)
            for camp in head.camps:
                pipeline.xrevrange(keys.reports(camp), count=1)
            (epochs, steps), idems, named, *newest = pipeline.execute()
        ends = {camp: entries[0][0] for camp, entries in zip(head.camps, newest, strict=True) if entries}
        return _Found(int(epochs or 0), int(steps or 0), idems, ends, read_index(named))

    def _expire_further(self, keys: Keys, tick: int) -> None:
        """A closed tick gets no more idempotency records, so the list is read as it lies, and goes only when all of
        them will expire: two processes may do this at once, and one may be cut off."""
        start = IDEMS_CHUNK
        while digests := self._client.lrange(keys.idems(tick), start, start + IDEMS_CHUNK - 1):
            with self._client.pipeline(transaction=False) as pipeline:
                _expire(pipeline, keys, digests)
                pipeline.execute()
            start += len(digests)
        self._client.unlink(keys.idems(tick))


def _expire(pipeline: Any, keys: Keys, digests: list[bytes]) -> None:
    for digest in digests:
        pipeline.expire(keys.idem(digest.decode()), IDEM_LIFE_S)


def _left_behind(head: Head, keys: Keys, tick: int, found: _Found) -> Iterator[str]:
    """The keys of a tick: the record said how many epochs and steps its resolution had."""
    for slice_ in range(head.slices):
        yield keys.book(tick, slice_)
    for group in range(head.groups):
        yield keys.meters(tick, group)
    for letter in INDEX_LETTERS:
        yield keys.where(tick, letter)
    yield from (keys.revisions(tick), keys.counts(tick), keys.ready(tick), keys.workers(tick))
    for epoch in range(1, found.epochs + 1):
        yield from (keys.attempts(tick, epoch), keys.steps(tick, epoch))
        for step in range(found.steps):
            yield keys.outputs(tick, epoch, step)
