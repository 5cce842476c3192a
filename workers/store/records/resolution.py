"""A tick from its close to its publication: what is asked, and what the scripts answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from workers.store.errors import InvalidRequest

Trigger = Literal["operator", "deadline", "ready"]

CloseOutcome = Literal[
    "closed",
    "not_open_campaign",
    "other_tick",
    "still_resolving",
    "not_due",
    "not_ready",
    "min_open",
    "archive_behind",
    "archive_ahead",
]


class CloseTerms(msgspec.Struct, frozen=True):
    """How a tick is closed. `next_deadline_ms` is the next tick's deadline (0: none). A tick that isn't fused and
    whose campaign fixes no number gets a shard per `orders_per_shard` orders, at least `shards_min`.
    `archive_lag_max`: how many published ticks may wait for the archive.
    """

    trigger: Trigger
    next_deadline_ms: int = 0
    orders_per_shard: int = 25_000
    shards_min: int = 1
    archive_lag_max: int = 10


class CloseReply(msgspec.Struct, frozen=True):
    """`closed`, with the number of shards and whether one task does it all (`fused`), or why not.

    `open_tick` and `resolving` (None: nothing resolves) are the head's after the call; `until_ms` is the time
    to wait for (`not_due`, `min_open`). `archive_ahead` is no script's answer: the archive holds the tick already,
    so the server came back older than what it had published.
    """

    outcome: CloseOutcome
    open_tick: int = 0
    resolving: int | None = None
    tick_shards: int = 0
    fused: bool = False
    until_ms: int = 0


class StepId(msgspec.Struct, frozen=True):
    """Where a task of a resolution stands: what it does holds only while the head stands there too."""

    campaign: str
    tick: int
    epoch: int
    step: int


class ShardOutput(msgspec.Struct, frozen=True):
    """What a shard made of its step. `output` is JSON that depends on the shard's input alone (no time, no worker);
    `blobs` are the blobs that it made, by digest; `worker` is who did it, for the record; `closed_ms` as in a
    `StepCommit`."""

    shard: int
    output: bytes
    worker: str
    blobs: dict[str, bytes] = {}
    closed_ms: int | None = None


class StepCommit(msgspec.Struct, frozen=True):
    """The move past a step, or past several that one `worker` played without writing outputs: from `old_manifest`
    to `new_manifest`, which names the digests `named`; `blobs` are written with it. `summaries` has JSON for each
    step; after the `last` the tick is resolved. `closed_ms` is the head's when the tick was read that was played (None:
    of whichever close): a server that lost its last seconds may have closed the tick again since, with another book.

    Raises InvalidRequest where the new manifest is in neither `named` nor `blobs`.
    """

    old_manifest: str
    new_manifest: str
    last: bool
    summaries: tuple[bytes, ...]
    named: frozenset[str]
    blobs: dict[str, bytes] = {}
    worker: str = ""
    closed_ms: int | None = None

    def __post_init__(self) -> None:
        if self.new_manifest not in self.blobs and self.new_manifest not in self.named:
            raise InvalidRequest(f"new_manifest: {self.new_manifest!r} is unknown; accepted: one of named or of blobs")


class OutputReply(msgspec.Struct, frozen=True):
    """`written`: `count` shards of the step have their output now; `same`: this one had it already, identical;
    `stale`: the head asks for something else; `divergence`: another output was there, and the tick stands still."""

    outcome: Literal["written", "same", "stale", "divergence"]
    count: int = 0


class CommitReply(msgspec.Struct, frozen=True):
    """`committed`; `stale`: the head asks for something else; `missing`: blobs that the manifest names and the
    store doesn't hold, nothing was written."""

    outcome: Literal["committed", "stale", "missing"]
    missing: tuple[str, ...] = ()


class AttemptReply(msgspec.Struct, frozen=True):
    """`counted`, with the count so far, or `stale`."""

    outcome: Literal["counted", "stale"]
    count: int = 0


class RetryReply(msgspec.Struct, frozen=True):
    """`retried` or `stale` (nothing to retry in that epoch); `epoch` is the present one."""

    outcome: Literal["retried", "stale"]
    epoch: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class TickPublication:
    """How a tick is published: all pages of each camp, at least one, each asked for once and given by its bytes or by
    the digest of a stored blob; the `epoch` in which it was resolved, and the `manifest` of the state they tell of;
    the staged commitment, which is that of tick + 3; the tick's record, to which the script adds `epoch` and `steps`;
    the seeds (tick → hex) that are revealed with it.
    """

    pages: Mapping[str, Iterable[bytes | str]]
    epoch: int
    manifest: str
    staged_commitment: str
    record: Mapping[str, str]
    seeds: Mapping[int, str]


PublishOutcome = Literal["published", "same", "stale", "unwritten"]
"""`same`: it was published already; `stale`: it isn't resolved in that epoch to that state; `unwritten`: a stream
lacks the tick's last page."""


class Page(msgspec.Struct, frozen=True):
    """A page of a camp's stream; `last` says that the tick is complete with it."""

    tick: int
    page: int
    body: bytes
    last: bool
