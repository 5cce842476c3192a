"""What there is to know of a campaign and of its ticks, cut to what a token's scope may see."""

from typing import Any, Final, Literal

import msgspec

from workers.service.campaigns import Campaign
from workers.service.problems import Problem
from workers.service.records import PhaseSummary
from workers.store import Store
from workers.store.records import Failure, Head, Policy, Schedule, Token

TickStatus = Literal["upcoming", "open", "resolving", "resolved", "failed", "lost", "published"]
UPCOMING_TICKS: Final = 2
"""Ticks after the open one that are spoken of: their commitments are public."""


class Operations(msgspec.Struct, frozen=True):
    """What only operators read of a campaign."""

    orders: int
    ready: tuple[str, ...]
    slices: int
    shards: int
    fuse_below: int
    min_open_s: int
    retain_ticks: int
    archived: int
    retired: int
    created_ms: int


class CampaignView(msgspec.Struct, frozen=True, omit_defaults=True):
    """A campaign. Times in milliseconds since 1970, by the server's clock; `deadline_ms` is the open tick's (0: it has
    none); `resolving` the tick that is closed and not yet published. `ready` says whether the token's camp is ready."""

    campaign: str
    rulebook: str
    rulebook_version: str
    status: str
    camps: tuple[str, ...]
    settings: Any
    schedule: Schedule
    policy: Policy
    open_tick: int
    published: int
    server_ms: int
    deadline_ms: int = 0
    resolving: int | None = None
    ready: bool | None = None
    operations: Operations | None = None


class Progress(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far a tick's resolution is, for operators: supersteps done of all, and shards of the present one."""

    epoch: int
    step: int
    steps: int
    shards_done: int
    shards: int
    fused: bool
    orders: int
    trigger: str
    closed_ms: int
    progress_ms: int
    attempts: dict[str, int] = {}
    failure: Failure | None = None
    dropped: tuple[str, ...] = ()


class TickRecord(msgspec.Struct, frozen=True):
    """A published tick's record, for operators."""

    digest: str
    orders: int
    shards: int
    trigger: str
    closed_ms: int
    phases: tuple[PhaseSummary, ...]
    dropped: tuple[str, ...]


class TickView(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tick. `phase` is the one that is being resolved. `seal` is HMAC-SHA256 over the tick's digest under the tick's
    salt: who is given both later can check that nothing was rewritten."""

    tick: int
    status: TickStatus
    phase: str = ""
    deadline_ms: int = 0
    seal: str = ""
    progress: Progress | None = None
    record: TickRecord | None = None


class Overview:
    """Tells of the campaigns in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def campaign(self, campaign: Campaign, token: Token) -> CampaignView:
        """A campaign as the token's scope sees it."""
        head = campaign.head
        operates = token.scope in ("admin", "operator")
        ready = self._store.intake.ready_camps(head.campaign, head.open_tick)
        return CampaignView(
            campaign=head.campaign,
            rulebook=head.rulebook,
            rulebook_version=head.rulebook_version,
            status=head.status,
            camps=head.camps,
            settings=campaign.settings,
            schedule=head.schedule,
            policy=head.policy,
            open_tick=head.open_tick,
            published=head.published,
            server_ms=self._store.heads.server_time_ms(),
            deadline_ms=head.deadline_ms,
            resolving=head.resolving,
            ready=None if operates else token.camp in ready,
            operations=self._operations(head, tuple(ready)) if operates else None,
        )

    def _operations(self, head: Head, ready: tuple[str, ...]) -> Operations:
        return Operations(
            orders=self._store.intake.counts(head.campaign, head.open_tick).orders,
            ready=ready,
            slices=head.slices,
            shards=head.shards,
            fuse_below=head.fuse_below,
            min_open_s=head.min_open_s,
            retain_ticks=head.retain_ticks,
            archived=head.archived,
            retired=head.retired,
            created_ms=head.created_ms,
        )

    def tick(self, campaign: Campaign, tick: int, token: Token) -> TickView:
        """A tick as the token's scope sees it: status and phase for all, counts for operators. Raises Problem
        (unknown_tick)."""
        head = campaign.head
        operates = token.scope in ("admin", "operator")
        if tick == head.resolving:
            status: TickStatus = head.tick_status or "resolving"
            progress = self._progress(head, tick) if operates else None
            return TickView(tick, status, _phase_of(campaign), progress=progress)
        if 0 <= tick <= head.published:
            return self._published(head, tick, operates)
        if tick == head.open_tick:
            return TickView(tick, "open", deadline_ms=head.deadline_ms)
        if head.open_tick < tick <= head.open_tick + UPCOMING_TICKS:
            return TickView(tick, "upcoming")
        raise unknown_tick(head.campaign, tick)

    def _progress(self, head: Head, tick: int) -> Progress:
        ticks = self._store.ticks
        return Progress(
            epoch=head.epoch,
            step=head.step,
            steps=head.steps,
            shards_done=len(ticks.output_shards(head.campaign, tick, head.epoch, head.step)),
            shards=head.tick_shards,
            fused=head.fused,
            orders=head.orders,
            trigger=head.trigger,
            closed_ms=head.closed_ms,
            progress_ms=head.progress_ms,
            attempts=ticks.attempts(head.campaign, tick, head.epoch),
            failure=head.failure,
            dropped=head.dropped,
        )

    def _published(self, head: Head, tick: int, operates: bool) -> TickView:
        fields = self._store.heads.record(head.campaign, tick) or {}
        record = None
        if operates and fields:
            record = TickRecord(
                digest=fields.get("digest", ""),
                orders=int(fields.get("orders", "0")),
                shards=int(fields.get("shards", "0")),
                trigger=fields.get("trigger", ""),
                closed_ms=int(fields.get("closed_ms", "0")),
                phases=msgspec.json.decode(fields.get("phases", "[]"), type=tuple[PhaseSummary, ...]),
                dropped=msgspec.json.decode(fields.get("dropped", "[]"), type=tuple[str, ...]),
            )
        return TickView(tick, "published", seal=fields.get("seal", ""), record=record)

    def commitment(self, head: Head, tick: int) -> str:
        """SHA-256 of a tick's seed, in hexadecimal. Raises Problem (unknown_tick, not_committed)."""
        if tick < 0:
            raise unknown_tick(head.campaign, tick)
        found = self._store.heads.commitment(head.campaign, tick)
        if found is None:
            detail = f"The seed of tick {tick} is committed to when tick {tick - UPCOMING_TICKS} closes."
            raise Problem("not_committed", detail)
        return found

    def seed(self, head: Head, tick: int) -> str:
        """A tick's seed, in hexadecimal, once it is revealed. Raises Problem (unknown_tick, not_revealed)."""
        if tick < 0:
            raise unknown_tick(head.campaign, tick)
        found = self._store.heads.seed_revealed(head.campaign, tick)
        if found is None:
            raise Problem("not_revealed", f"The seed of tick {tick} isn't revealed: {_when(head, tick)}.")
        return found


def unknown_tick(name: str, tick: int) -> Problem:
    """The problem of a tick that isn't, or isn't yet."""
    return Problem("unknown_tick", f"Campaign {name!r} has no tick {tick} yet.")


def _phase_of(campaign: Campaign) -> str:
    steps = campaign.engine.steps
    head = campaign.head
    return steps[head.step].phase if head.step < len(steps) else ""


def _when(head: Head, tick: int) -> str:
    if head.policy.reveal_after is None:
        return "this campaign never reveals its seeds"
    if head.status == "ended" and head.resolving is None:
        if tick > head.published:
            return "the campaign ended before that tick was played"
        return "the campaign has ended, and its seeds are about to be"
    if head.policy.reveal_after == "end":
        return "this campaign reveals its seeds when it ends"
    return f"it will be when tick {tick + head.policy.reveal_after} is published, or when the campaign ends"
