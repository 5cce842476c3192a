"""A leap: superstep after superstep of a fused tick, played by one process and committed at once.

Nothing waits for what a fused tick makes between two supersteps, so it needn't be stored: a leap writes what it ends
with, and what the tick's reports and record name. It gives the same bytes as the same supersteps committed one by one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

import msgspec
import structlog

from workers.kernel.phases import Superstep
from workers.service.barrier import Barrier
from workers.service.campaigns import NOTHING, Campaign, Campaigns
from workers.service.closed_book import ClosedBook
from workers.service.records import StepSummary, blob, encoded
from workers.service.shards import READ_FIRST, ShardPlay
from workers.store import Store
from workers.store.records import StepCommit, StepId

LEAP_BYTES: Final = 8 << 20
"""Once it has made so many plain bytes a leap ends: a large state needn't be in memory as often as there are
supersteps, and no call of the server takes much longer than one that ends a single superstep."""

LeapOutcome = Literal["whole", "committed", "stale", "missing", "halted", "careful"]
"""`whole`: it played all of the tick, which is yet to be committed, with its publication; `committed`: some of it;
`stale`: the head asks for something else; `missing`: a blob of the state isn't stored; `halted`: the first superstep
raised; `careful`: a leap from here came to no end before, so none was tried."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Resolved:
    """A resolved tick: its campaign as the last commit leaves it, the summaries of its supersteps, who played them; the
    commit itself where it is still to be written, with the blobs that are only there."""

    campaign: Campaign
    steps: list[StepSummary]
    workers: set[str]
    commit: tuple[StepId, StepCommit] | None = None

    @property
    def fresh(self) -> Mapping[str, bytes]:
        """The blobs that are stored nowhere yet."""
        return self.commit[1].blobs if self.commit else NOTHING


@dataclass(frozen=True, slots=True)
class Leapt:
    """What became of a leap; `resolved` is the tick where it is `whole`."""

    outcome: LeapOutcome
    resolved: Resolved | None = None


class Leap:
    """A leap from where a campaign's head stands, as one process plays it."""

    def __init__(self, store: Store, campaigns: Campaigns, campaign: Campaign, tick: int, book: ClosedBook) -> None:
        self._store = store
        self._campaigns = campaigns
        self._campaign = campaign
        self._tick = tick
        self._book = book
        self._steps = campaign.engine.supersteps_of(tick)
        self._manifest = campaigns.manifest(campaign.name, campaign.head.manifest)
        self._made: dict[str, bytes] = {}
        self._read([self._manifest.shared, *(ref.digest for ref in self._manifest.slices[:READ_FIRST])])  # at once
        self._bytes = 0
        self._summaries: list[StepSummary] = []

    def play(self, faults: tuple[type[BaseException], ...]) -> None:
        """Play on until the tick's last superstep is done, LEAP_BYTES are made or one raises: that one is left to
        whoever plays it alone, counts its failures and finds out who is to blame. Raises `faults`, the machine's.
        """
        for superstep in self._steps[self._campaign.head.step :]:
            try:
                self._play(superstep)
            except faults:
                raise
            except Exception as error:  # noqa: BLE001 a rulebook may raise anything
                log.info("leap ends early", campaign=self._campaign.name, tick=self._tick, error=repr(error))
                return
            if self._bytes >= LEAP_BYTES:
                return

    def _play(self, superstep: Superstep) -> None:
        """One superstep: its only shard, and its barrier. What it made is taken in once all of it went well."""
        campaign, manifest = self._campaign, self._manifest
        shared = campaign.engine.read_shared(self._read([manifest.shared])[0])
        context = self._campaigns.context(campaign, self._tick, shared)
        shard = ShardPlay(self._read, campaign, manifest, superstep, context, 0, self._book)
        shard.play()
        output, blobs = shard.output()
        self._manifest, summary, more = Barrier(campaign, manifest, superstep, context, [output]).settle()
        self._summaries.append(summary)
        self._made |= blobs | more
        self._bytes += sum(map(len, (*blobs.values(), *more.values())))

    def _read(self, digests: list[str]) -> list[bytes]:
        return self._campaigns.blobs(self._campaign.name, digests, self._made)

    def commit(self, at: StepId, worker: str) -> Leapt:
        """Move the head past all that was played; where that is the whole tick it is left to its publication."""
        if not self._summaries:
            return Leapt("halted")
        last = at.step + len(self._summaries) == len(self._steps)
        named = {*self._manifest.named(), *_named(self._summaries)}
        blobs = {digest: self._made[digest] for digest in named if digest in self._made}
        move = StepCommit(
            old_manifest=self._campaign.head.manifest,
            new_manifest=blob(encoded(self._manifest), blobs),
            last=last,
            summaries=tuple(map(encoded, self._summaries)),
            named=frozenset(named),
            blobs=blobs,
            worker=worker,
            closed_ms=self._campaign.head.closed_ms,
        )
        self._campaigns.keep(blobs, blobs)
        if len(self._summaries) < len(self._steps):
            return Leapt(self._store.ticks.commit(at, move).outcome)
        head = msgspec.structs.replace(
            self._campaign.head, manifest=move.new_manifest, step=len(self._steps), tick_status="resolved"
        )
        resolved = Resolved(replace(self._campaign, head=head), self._summaries, {worker}, (at, move))
        return Leapt("whole", resolved)


def _named(summaries: Iterable[StepSummary]) -> Iterable[str]:
    return (digest for summary in summaries for digest in summary.named())
