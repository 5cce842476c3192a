"""What goes into the store and comes out of it, as values.

Orders, homes, events, pages and settings are opaque here: bytes or text that only a rulebook understands.
Times are the server's, in milliseconds since 1970 (`_ms`); 0 stands for "not yet" or "none".
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from workers.store.errors import InvalidRequest
from workers.store.keys import GROUPS_MAX, SLICES_MAX, check_camp, check_campaign

SCHEMA: Final = 1
ITEMS_MAX: Final = 1_000
AMOUNT_MAX: Final = 1 << 31
LIMIT_MAX: Final = 1 << 52
"""Meters are counted in doubles inside the scripts: whole up to here and beyond."""
CAMPS_MAX: Final = 64
SEED_BYTES: Final = 32

Status = Literal["draft", "open", "paused", "ended"]
TickStatus = Literal["", "resolving", "resolved", "failed", "lost"]
Trigger = Literal["operator", "deadline", "ready"]
Verb = Literal["open", "pause", "resume", "end"]
Scope = Literal["admin", "operator", "camp", "actor"]


class Schedule(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """When ticks close by themselves: an interval, or a cron expression in a time zone, and when all camps are ready.

    `interval_s` is in seconds, 0 for none; with neither, only the operator (or the camps) close a tick.
    Raises InvalidRequest where both are given.
    """

    interval_s: int = 0
    cron: str = ""
    time_zone: str = "UTC"
    when_ready: bool = False

    def __post_init__(self) -> None:
        if self.interval_s < 0:
            raise InvalidRequest(f"schedule.interval_s: {self.interval_s} is negative; accepted: 0 (none) or seconds")
        if self.interval_s and self.cron:
            raise InvalidRequest("schedule: interval_s and cron are both given; accepted: one of them, or none")


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the campaign shows, and when.

    `reveal_after`: a tick's seed is revealed when the tick that many later is published; "end": all together when
    the campaign ends; None: never.
    """

    reveal_after: int | Literal["end"] | None = 3

    def __post_init__(self) -> None:
        if isinstance(self.reveal_after, int) and self.reveal_after < 0:
            raise InvalidRequest(f"policy.reveal_after: {self.reveal_after} is negative; accepted: 0.., 'end' or null")


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a tick stands still. `kind`: divergence, exception, lost; `shard` is a number, or "commit"."""

    kind: str
    message: str = ""
    epoch: int = 0
    step: int = 0
    shard: str = ""
    worker: str = ""
    details: dict[str, str] = {}


class Head(msgspec.Struct, frozen=True):
    """A campaign's present state, as one script left it.

    `open_tick` takes orders; `published` is the last published tick (0 at creation, the set-up); `resolving` is
    the tick closed and not yet published, or None, and `tick_status`, `step` of `steps`, `epoch`,
    `tick_shards`, `fused`, `orders`, `book_version`, `trigger` and `closed_ms` speak of it.
    `manifest` names the state after the last committed step, `start_manifest` the one that the tick began from.
    `staged_commitment` is that of the tick two after the open one: the next close publishes it.
    `shards` is 0 where the close chooses their number; `id_key` is hex and never shown.
    """

    campaign: str
    rulebook: str
    rulebook_version: str
    fingerprint: str
    status: Status
    settings: str
    camps: tuple[str, ...]
    schedule: Schedule
    policy: Policy
    slices: int
    groups: int
    shards: int
    fuse_below: int
    min_open_s: int
    retain_ticks: int
    id_key: str
    creation_key: str
    creation_digest: str
    created_ms: int
    open_tick: int
    opened_ms: int
    deadline_ms: int
    published: int
    published_ms: int
    archived: int
    retired: int
    resolving: int | None
    tick_status: TickStatus
    step: int
    steps: int
    epoch: int
    tick_shards: int
    fused: bool
    orders: int
    book_version: int
    start_manifest: str
    manifest: str
    step_started_ms: int
    progress_ms: int
    staged_commitment: str
    dropped: tuple[str, ...]
    failure: Failure | None
    closed_ms: int
    trigger: str
    schema: int = SCHEMA

    def __repr__(self) -> str:
        """Without `id_key`: whoever holds it can compute every handle, and representations end in logs."""
        return (
            f"<Head {self.campaign} {self.status} open={self.open_tick} published={self.published} "
            f"resolving={self.resolving} {self.tick_status or '-'} epoch={self.epoch} step={self.step}/{self.steps}>"
        )

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """The same for rich, which prints tracebacks with their values."""
        return [("campaign", self.campaign), ("status", self.status)]


class NewCampaign(msgspec.Struct, frozen=True, kw_only=True):
    """All that a campaign is made from, except its seed (which goes by itself, so that nothing prints it).

    `commitments` are those of ticks 0, 1 and 2, `staged_commitment` that of tick 3 (hex). `blobs` holds the
    first state's by digest, the one named `manifest` among them; `pages` each camp's report pages of tick 0;
    `record` the record of tick 0. `creation_key` and `creation_digest` make creation idempotent.
    `slices` and `groups` are powers of two up to 256 and 65536. Raises InvalidRequest or InvalidName.
    """

    campaign: str
    rulebook: str
    rulebook_version: str
    fingerprint: str
    camps: tuple[str, ...]
    steps: int
    id_key: str
    commitments: tuple[str, str, str]
    staged_commitment: str
    manifest: str
    blobs: dict[str, bytes]
    pages: dict[str, list[bytes]] = {}
    record: dict[str, str] = {}
    settings: str = "{}"
    schedule: Schedule = Schedule()
    policy: Policy = Policy()
    slices: int = 16
    groups: int = 16
    shards: int = 0
    fuse_below: int = 2_000
    min_open_s: int = 0
    retain_ticks: int = 100
    creation_key: str = ""
    creation_digest: str = ""

    def __repr__(self) -> str:
        """Without `id_key`, as for a head."""
        return f"<NewCampaign {self.campaign} {self.rulebook} {self.rulebook_version}>"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """The same for rich."""
        return [("campaign", self.campaign)]

    def __post_init__(self) -> None:
        check_campaign(self.campaign)
        for camp in self.camps:
            check_camp(camp)
        if not 1 <= len(self.camps) <= CAMPS_MAX or len(set(self.camps)) != len(self.camps):
            raise InvalidRequest(f"camps: {len(self.camps)} given; accepted: 1 to {CAMPS_MAX} different names")
        _check_power("slices", self.slices, SLICES_MAX)
        _check_power("groups", self.groups, GROUPS_MAX)
        for field, value, least in (
            ("shards", self.shards, 0),
            ("fuse_below", self.fuse_below, 0),
            ("min_open_s", self.min_open_s, 0),
            ("retain_ticks", self.retain_ticks, 1),
            ("steps", self.steps, 1),
        ):
            if value < least:
                raise InvalidRequest(f"{field}: {value} is too small; accepted: {least} or more")
        if self.manifest not in self.blobs:
            raise InvalidRequest(f"manifest: {self.manifest!r} is not among the blobs; accepted: the digest of one")
        if unknown := self.pages.keys() - set(self.camps):
            raise InvalidRequest(f"pages: {sorted(unknown)} are no camps; accepted: {sorted(self.camps)}")


def _check_power(field: str, value: int, most: int) -> None:
    if not 1 <= value <= most or value & (value - 1):
        raise InvalidRequest(f"{field}: {value} is not accepted; accepted: a power of two from 1 to {most}")


class CreateReply(msgspec.Struct, frozen=True):
    """`created`; `same`: this creation already happened; `conflict`: its key was used with other content;
    `exists`: another campaign has the name."""

    outcome: Literal["created", "same", "conflict", "exists"]


class LifecycleReply(msgspec.Struct, frozen=True):
    """`changed`, `same` (it was so already) or `refused` (not from the present status); `status` is the
    present one, "" where no such campaign exists."""

    outcome: Literal["changed", "same", "refused"]
    status: str


class Cost(msgspec.Struct, frozen=True, array_like=True):
    """An amount to take on a meter, at most up to `limit` in all; an amount of 0 or less always passes.

    `home` places the meter (an entity's home, or any name for a meter that has none); `field` is the meter's
    name, unique in the campaign, the shorter the better: each booked meter is stored under it.
    """

    home: str
    field: str
    amount: int
    limit: int


class Release(msgspec.Struct, frozen=True, array_like=True):
    """An amount to give back to a meter: what an earlier revision took."""

    home: str
    field: str
    amount: int


class IntakeItem(msgspec.Struct, frozen=True):
    """One order to book. `id`: 26 characters of lower-case base32; `home` says in which slice it is booked;
    `packed` is the order's bytes (they carry id and revision: the book keeps every revision). `expect` is 0 for a
    new order, else the revision that it replaces; `release` is what that one took."""

    id: str
    home: str
    packed: bytes
    costs: tuple[Cost, ...] = ()
    release: tuple[Release, ...] = ()
    expect: int = 0


class IntakeRequest(msgspec.Struct, frozen=True):
    """What a batch says of itself. `tick`: the tick that the ids were made for; `idem`: the digest of its
    idempotency key, or "", with `body`, the digest of what was sent, and `note`, any text that is kept with the
    answer and given back with it; `camp`: whose ready mark an order clears, or ""; `for_tick`: this tick or none;
    `atomic`: all of it or nothing. `orders_tick_max` bounds a tick's live orders, and four times that all changes
    of its book (replaced orders stay in it)."""

    tick: int
    idem: str = ""
    body: str = ""
    note: str = ""
    camp: str = ""
    for_tick: bool = False
    atomic: bool = False
    orders_tick_max: int = 2_000_000


Refused = Literal["over", "revision_conflict", "tick_full", "not_booked"]


class ItemRefusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why an item wasn't booked: `over` (meter `field` stands at `used` of `limit`), `revision_conflict`
    (`revision` is the present one; 0: withdrawn), `tick_full` (`limit` reached), `not_booked` (another item of
    an atomic batch was refused)."""

    refused: Refused
    field: str = ""
    used: int = 0
    limit: int = 0
    revision: int = 0


IntakeOutcome = Literal[
    "answered", "idempotency_conflict", "closed_campaign", "other_tick", "tick_closed", "view_changed"
]


class IntakeReply(msgspec.Struct, frozen=True):
    """The answer to a batch.

    `answered`: `results` holds, an item, the revision booked, or its refusal; `published` is the state that it
    was checked on. `other_tick`, `tick_closed`: `tick` is the one that takes orders now. `view_changed`:
    `published` is the state to check on. `closed_campaign`: `status` says why, "" where there is none.
    `replayed`: the answer to the same batch, given before; `note` is what that request said.
    """

    outcome: IntakeOutcome
    tick: int = 0
    published: int = 0
    status: str = ""
    results: tuple[int | ItemRefusal, ...] = ()
    note: str = ""
    replayed: bool = False


class WithdrawReply(msgspec.Struct, frozen=True):
    """`withdrawn`; `same`: it was already; `revision_conflict`: `revision` is the present one; `tick_closed`:
    `tick` takes orders now; `closed_campaign`: `status` says why."""

    outcome: Literal["withdrawn", "same", "revision_conflict", "tick_closed", "closed_campaign"]
    revision: int = 0
    tick: int = 0
    status: str = ""


class ReadyReply(msgspec.Struct, frozen=True):
    """`marked`: `ready` of `camps` camps are ready now. `unknown_camp`; `tick_closed`: `tick` takes
    orders now; `closed_campaign`: `status` says why."""

    outcome: Literal["marked", "unknown_camp", "tick_closed", "closed_campaign"]
    ready: int = 0
    camps: int = 0
    tick: int = 0
    status: str = ""


class Counts(msgspec.Struct, frozen=True):
    """A tick's book in numbers: live `orders`, and `version`, the count of its changes."""

    orders: int
    version: int


CloseOutcome = Literal[
    "closed",
    "not_open_campaign",
    "other_tick",
    "still_resolving",
    "not_due",
    "not_ready",
    "min_open",
    "archive_behind",
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
    to wait for (`not_due`, `min_open`).
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
    `blobs` are the blobs that it made, by digest; `worker` is who did it, for the record."""

    shard: int
    output: bytes
    worker: str
    blobs: dict[str, bytes] = {}


class StepCommit(msgspec.Struct, frozen=True):
    """The move past a step: from `old_manifest` to `new_manifest`, which names the digests `named`; `blobs`
    are written with it. `summary` is JSON; after the `last` step the tick is resolved.

    Raises InvalidRequest where the new manifest is in neither `named` nor `blobs`.
    """

    old_manifest: str
    new_manifest: str
    last: bool
    summary: bytes
    named: frozenset[str]
    blobs: dict[str, bytes] = {}

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


class PagesReply(msgspec.Struct, frozen=True):
    """`written`: how many pages are new and how many were there (`skipped`); `stale`: the tick isn't resolved."""

    outcome: Literal["written", "stale"]
    written: int = 0
    skipped: int = 0


class Page(msgspec.Struct, frozen=True):
    """A page of a camp's stream; `last` says that the tick is complete with it."""

    tick: int
    page: int
    body: bytes
    last: bool


class Token(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a token may do: `admin` everywhere; `operator` in `campaign`; `camp` for all of `camp`; `actor`
    for its `entities`. Raises InvalidRequest where scope and fields don't fit."""

    scope: Scope
    campaign: str = ""
    camp: str = ""
    actor: str = ""
    entities: tuple[str, ...] = ()
    created_ms: int = 0
    label: str = ""

    def __post_init__(self) -> None:
        needs = {
            "campaign": self.scope != "admin",
            "camp": self.scope in ("camp", "actor"),
            "actor": self.scope == "actor",
        }
        for field, needed in needs.items():
            if bool(getattr(self, field)) != needed:
                raise InvalidRequest(
                    f"{field}: {getattr(self, field)!r} with scope {self.scope!r}; "
                    f"accepted: {'a name' if needed else 'nothing'}"
                )
