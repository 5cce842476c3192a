"""A leap: superstep after superstep of a fused tick, played by one process and committed at once.

Nothing waits for what a fused tick makes between two supersteps, so it needn't be stored: a leap writes what it ends
with, and what the tick's reports and record name. It gives the same bytes as the same supersteps committed one by one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import msgspec
import structlog

from workers.kernel.digest import canonical
from workers.kernel.entities import Slice, slice_of_bucket
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Superstep
from workers.kernel.tick import book_buckets
from workers.service.barrier import Made, settle
from workers.service.campaigns import NOTHING, Campaign, Campaigns
from workers.service.closed_book import ClosedBook
from workers.service.records import Manifest, StepSummary, blob, encoded, ref_of
from workers.service.shards import READ_FIRST, next_count
from workers.store import Store
from workers.store.records import StepCommit, StepId

STATE_BYTES: Final = 8 << 20
"""A state of more plain bytes isn't kept in memory: its tick is played superstep by superstep, a few slices at a time.
"""
LEAP_BYTES: Final = 8 << 20
"""Once it has made so many plain bytes to tell of a leap ends: no call of the server takes much longer than one that
ends a single superstep."""

LeapOutcome = Literal["whole", "committed", "stale", "missing", "halted", "careful"]
"""`whole`: it played all of the tick, which is yet to be committed, with its publication; `committed`: some of it;
`stale`: the head asks for something else; `missing`: a blob of the state isn't stored; `halted`: the first superstep
raised, or the state is too large; `careful`: a leap from here came to no end before, so none was tried."""

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
    """A leap from where a campaign's head stands, as one process plays it: all homes stay in memory, cut into lines,
    until it ends."""

    def __init__(self, store: Store, campaigns: Campaigns, campaign: Campaign, tick: int, book: ClosedBook) -> None:
        self._store = store
        self._campaigns = campaigns
        self._campaign = campaign
        self._tick = tick
        self._book = book
        self._steps = campaign.engine.supersteps_of(tick)
        self._dropped = frozenset(campaign.head.dropped)
        self._manifest = campaigns.manifest(campaign.name, campaign.head.manifest)
        self._shared = b""
        self._homes = Slice({}, {})
        self._orders: list[Booked[Any, Any]] = []
        self._mail: list[bytes] = []
        self._changed: set[int] = set()
        self._made: dict[str, bytes] = {}
        self._bytes = 0
        self._summaries: list[StepSummary] = []

    def play(self, faults: tuple[type[BaseException], ...]) -> None:
        """Play on until the tick's last superstep is done, LEAP_BYTES are made or one raises: that one is left to
        whoever plays it alone, counts its failures and finds out who is to blame. Raises `faults`, the machine's.
        """
        try:
            if not self._load():
                return
            shared = self._campaign.engine.read_shared(self._shared)
            context = self._campaigns.context(self._campaign, self._tick, shared)
            for superstep in self._steps[self._campaign.head.step :]:
                context = replace(context, shared=self._play(superstep, context))
                if self._bytes >= LEAP_BYTES:
                    return
        except faults:
            raise
        except Exception as error:  # noqa: BLE001 a rulebook may raise anything
            log.info("leap ends early", campaign=self._campaign.name, tick=self._tick, error=repr(error))

    def _load(self) -> bool:
        """Read the homes, the orders and the mail under way; False where the state is too large to be kept."""
        refs, held = self._manifest.slices, 0
        start, count = 0, READ_FIRST
        while start < len(refs):
            part = range(start, min(start + count, len(refs)))
            # The shared record comes in the round trip of the first slices.
            self._shared, *read = self._read([self._manifest.shared, *(refs[index].digest for index in part)])
            held += sum(map(len, read))
            if held > STATE_BYTES:
                return False
            for data, portion in zip(read, self._book.portions(part), strict=True):
                piece = Slice.parse(data)
                self._homes.keys |= piece.keys
                self._homes.lines |= piece.lines
                self._orders += portion.orders
            start, count = part.stop, next_count(count, max(1, *map(len, read)))
        for data in self._read(list(self._manifest.mail.get(0, ()))):
            self._mail += data.split(b"\n")
        return True

    def _play(self, superstep: Superstep, context: Context[Any, Any]) -> Any:
        """One superstep: its only shard, and its barrier; the shared record after it. What it made is taken in once all
        of it went well, that record's bytes with it: where the next one raises, they are what it began with."""
        campaign, engine = self._campaign, self._campaign.engine
        mail, slices = engine.read_mail(self._mail), campaign.head.slices
        result = engine.play_slices(superstep, self._homes, slices, self._orders, mail, context, self._dropped)
        blobs: dict[str, bytes] = {}
        made = Made.at_once(result, blobs)
        if superstep.index == 0:
            made.book = book_buckets(engine.packing, self._orders)
        summary = settle(campaign, superstep, context, made, blobs)
        # Only a barrier that has steps changes it.
        kept, shared = engine.keep_shared(context.shared) if superstep.shared else (self._shared, context.shared)
        self._shared = kept
        self._summaries.append(summary)
        self._homes = self._homes if result.homes is None else result.homes
        self._changed |= result.changed
        self._mail = [line for _, line in result.mail]
        self._made |= blobs
        self._bytes += sum(map(len, blobs.values()))
        return shared

    def _read(self, digests: list[str]) -> list[bytes]:
        return self._campaigns.blobs(self._campaign.name, digests)

    def _state(self) -> Manifest:
        """The state as it is now; what of it isn't stored yet goes among the blobs that were made."""
        refs, slices, made = list(self._manifest.slices), self._campaign.head.slices, self._made
        for index in sorted({slice_of_bucket(bucket, slices) for bucket in self._changed}):
            keys = {
                bucket: names for bucket, names in self._homes.keys.items() if slice_of_bucket(bucket, slices) == index
            }
            lines = {name: self._homes.lines[name] for names in keys.values() for name in names}
            refs[index] = ref_of(Slice(keys, lines), made)
        under_way = b"\n".join(sorted(self._mail))
        mail: dict[int, tuple[str, ...]] = {0: (blob(under_way, made),)} if under_way else {}
        return Manifest(blob(self._shared, made), tuple(refs), mail)

    def commit(self, at: StepId, worker: str) -> Leapt:
        """Move the head past all that was played; where that is the whole tick it is left to its publication."""
        if not self._summaries:
            return Leapt("halted")
        manifest, blobs = self._state(), self._made
        last = at.step + len(self._summaries) == len(self._steps)
        named = {*manifest.named(), *_named(self._summaries)}
        move = StepCommit(
            old_manifest=self._campaign.head.manifest,
            new_manifest=blob(encoded(manifest), blobs),
            last=last,
            summaries=tuple(map(canonical, self._summaries)),
            named=frozenset(named),
            blobs=blobs,
            worker=worker,
            closed_ms=self._campaign.head.closed_ms,
        )
        if len(self._summaries) < len(self._steps):
            outcome = self._store.ticks.commit(at, move).outcome
            self._campaigns.keep(blobs, blobs)
            return Leapt(outcome)
        head = msgspec.structs.replace(
            self._campaign.head, manifest=move.new_manifest, step=len(self._steps), tick_status="resolved"
        )
        resolved = Resolved(replace(self._campaign, head=head), self._summaries, {worker}, (at, move))
        return Leapt("whole", resolved)


def _named(summaries: Iterable[StepSummary]) -> Iterable[str]:
    return (digest for summary in summaries for digest in summary.named())
