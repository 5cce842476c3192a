"""A campaign: what it is made from, and how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from workers.store.errors import InvalidRequest
from workers.store.keys import GROUPS_MAX, SLICES_MAX, check_camp, check_campaign

SCHEMA: Final = 2
"""The schema of heads that this release writes; it reads all from 1 on."""
CAMPS_MAX: Final = 64
SEED_BYTES: Final = 32
RECORD_FIELDS_MAX: Final = 1_000

Status = Literal["draft", "open", "paused", "ended"]
TickStatus = Literal["", "resolving", "resolved", "failed", "lost"]
Verb = Literal["open", "pause", "resume", "end"]


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


REVEAL_AFTER_MAX: Final = 1_000_000
"""Ticks until a seed is revealed: more than a campaign lives; who wants never says so."""


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the campaign shows, and when.

    `reveal_after`: a tick's seed is revealed when the tick that many later is published; "end": all together when
    the campaign ends; None: never.
    """

    reveal_after: int | Literal["end"] | None = 3

    def __post_init__(self) -> None:
        if isinstance(self.reveal_after, int) and not 0 <= self.reveal_after <= REVEAL_AFTER_MAX:
            accepted = f"0..{REVEAL_AFTER_MAX}, 'end' or null"
            raise InvalidRequest(f"policy.reveal_after: {self.reveal_after} is out of bounds; accepted: {accepted}")


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a tick stands still. `kind`: divergence, exception, lost; `shard` is a number, or "commit"."""

    kind: str
    message: str = ""
    epoch: int = 0
    step: int = 0
    shard: str = ""
    worker: str = ""
    details: dict[str, str] = {}


class Act(msgspec.Struct, frozen=True):
    """What an operator did to a campaign beside its ticks, before tick `tick` closed: `upgrade` (rulebook's version and
    fingerprint, `before` and `after`), `restore` (from an export), `catch-up` (published ticks, from the archive)."""

    act: Literal["upgrade", "restore", "catch-up"]
    tick: int
    at_ms: int
    before: str = ""
    after: str = ""


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
    history: tuple[Act, ...] = ()
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
        check_record(self.record)
        if self.manifest not in self.blobs:
            raise InvalidRequest(f"manifest: {self.manifest!r} is not among the blobs; accepted: the digest of one")
        if unknown := self.pages.keys() - set(self.camps):
            raise InvalidRequest(f"pages: {sorted(unknown)} are no camps; accepted: {sorted(self.camps)}")


def check_record(record: Mapping[str, str]) -> None:
    """Raises InvalidRequest for a tick's record of more than RECORD_FIELDS_MAX fields."""
    if len(record) > RECORD_FIELDS_MAX:
        raise InvalidRequest(f"record: {len(record)} fields; accepted: {RECORD_FIELDS_MAX} at most")


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
