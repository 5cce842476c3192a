"""The end of a tick: once it's archived, what its intake and its resolution left in Redis goes.

Each step may be done twice, and a retirement that was cut off is done again from its start: the head's `retired` says
up to which tick all of it is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, cast

from workers.store import Store
from workers.store.commands import Commands
from workers.store.intake import INDEX_LETTERS
from workers.store.keys import Keys
from workers.store.records import Head

UNLINK_CHUNK: Final = 500
IDEMS_CHUNK: Final = 1_000
IDEM_LIFE_S: Final = 24 * 60 * 60
"""How long an idempotency record outlives its tick's retirement."""


def retire(store: Store, campaign: str) -> list[int]:
    """Retire each tick that is archived and isn't retired; the ticks that were, ascending."""
    head = store.heads.get(campaign)
    if head is None:
        return []
    ticks = list(range(head.retired + 1, head.archived + 1))
    for tick in ticks:
        retire_tick(store, head, tick)
        store.heads.retired(campaign, tick)
    return ticks


def retire_tick(store: Store, head: Head, tick: int) -> None:
    """Drop the tick's book and its resolution's traces, let its idempotency records expire, collect the blobs that only
    earlier ticks named, and trim the streams and the records to the campaign's `retain_ticks`."""
    keys = Keys(head.campaign)
    names = _left_behind(store, head, keys, tick)
    while chunk := list(islice(names, UNLINK_CHUNK)):
        store.client.unlink(*chunk)
    _expire_idempotency_records(store, keys, tick)
    store.blobs.collect(head.campaign, tick)
    first_kept = tick - head.retain_ticks + 1
    for camp in head.camps:
        store.reports.trim(head.campaign, camp, max(first_kept, 0))
    if first_kept > 0:
        store.client.unlink(keys.record(first_kept - 1))


def _left_behind(store: Store, head: Head, keys: Keys, tick: int) -> Iterator[str]:
    """The keys of a tick. Its record says how many epochs and steps its resolution had; where the record is gone, an
    earlier retirement of the tick was done."""
    for slice_ in range(head.slices):
        yield keys.book(tick, slice_)
    for group in range(head.groups):
        yield keys.meters(tick, group)
    for letter in INDEX_LETTERS:
        yield keys.where(tick, letter)
    yield from (keys.revisions(tick), keys.counts(tick), keys.ready(tick), keys.workers(tick))
    record = store.heads.record(head.campaign, tick) or {}
    for epoch in range(1, int(record.get("epoch", 0)) + 1):
        yield from (keys.attempts(tick, epoch), keys.steps(tick, epoch))
        for step in range(int(record["steps"])):
            yield keys.outputs(tick, epoch, step)


def _expire_idempotency_records(store: Store, keys: Keys, tick: int) -> None:
    """A closed tick gets no more of them, so the list is read as it lies, and goes only when all of them will expire:
    two processes may do this at once, and one may be cut off."""
    client = cast(Commands, store.client)
    start = 0
    while digests := client.lrange(keys.idems(tick), start, start + IDEMS_CHUNK - 1):
        with client.pipeline(transaction=False) as pipeline:
            for digest in digests:
                pipeline.expire(keys.idem(digest.decode()), IDEM_LIFE_S)
            pipeline.execute()
        start += len(digests)
    client.unlink(keys.idems(tick))
