"""One shard of a superstep, and the commit that ends it: load, play, write once; add up, settle, move the head.

Both are functions of what the head asks for, and may run any number of times, anywhere: the second output of a shard is
found to be the same, the second commit finds the head moved. Nothing here decides what happens next; it says what
became of the work, and `dispatch` looks at the head again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from workers.kernel.digest import canonical
from workers.kernel.engine import PhaseCount
from workers.kernel.entities import slice_of_key
from workers.kernel.orders import Booked, Order
from workers.kernel.phases import Context, Sums, Superstep
from workers.kernel.tick import book_buckets, book_digest, events_digest
from workers.service.campaigns import Campaign, Campaigns, input_digest
from workers.service.records import (
    Manifest,
    PhaseSummary,
    ShardOutput,
    SliceRef,
    StepSummary,
    blob,
    encoded,
)
from workers.store import Store
from workers.store.records import ShardOutput as WrittenOutput
from workers.store.records import StepCommit, StepId

ShardOutcome = Literal["written", "same", "stale", "divergence"]
CommitOutcome = Literal["committed", "resolved", "stale", "incomplete", "missing"]

_OUTPUT = msgspec.json.Decoder(ShardOutput)


@dataclass(frozen=True, slots=True)
class Work:
    """What a message asks for: a superstep of an epoch of a tick, and the digest of its input."""

    campaign: str
    tick: int
    step: int
    epoch: int
    input_digest: str

    @property
    def at(self) -> StepId:
        """Where the store looks for it."""
        return StepId(self.campaign, self.tick, self.epoch, self.step)


def slices_of_shard(shard: int, shards: int, slices: int) -> range:
    """The slices of a shard: equal runs, every slice in exactly one."""
    return range(shard * slices // shards, (shard + 1) * slices // shards)


def shard_of_slice(index: int, shards: int, slices: int) -> int:
    """The shard in which a slice lies."""
    guess = index * shards // slices
    while index not in slices_of_shard(guess, shards, slices):
        guess += 1
    return guess


class Resolution:
    """Runs shards and commits of the campaigns in a store."""

    def __init__(self, store: Store, campaigns: Campaigns) -> None:
        self._store = store
        self._campaigns = campaigns

    def asked_for(self, work: Work) -> Campaign | None:
        """The campaign, if its head still asks for exactly this work; None when it doesn't (any more)."""
        campaign = self._campaigns.load(work.campaign)
        head = campaign.head
        if head.tick_status != "resolving" or (head.resolving, head.step, head.epoch) != (
            work.tick,
            work.step,
            work.epoch,
        ):
            return None
        return campaign if self.present_input(campaign) == work.input_digest else None

    def present_input(self, campaign: Campaign) -> str:
        """The digest of the input of the superstep that the head asks for."""
        tick = campaign.head.resolving
        commitment = self._store.heads.commitment(campaign.name, -1 if tick is None else tick)
        return input_digest(campaign.head, commitment or "")

    def run_shard(self, work: Work, shard: int, worker: str) -> ShardOutcome:
        """Play a shard's slices and write its output, once. Raises what the rulebook raises."""
        campaign = self.asked_for(work)
        if campaign is None or not 0 <= shard < campaign.head.tick_shards:
            return "stale"
        play = self.load_shard(campaign, work, shard)
        for index in play.slices:
            play.slice(index, play.orders(index))
        output, blobs = play.output()
        return self._store.ticks.output(work.at, WrittenOutput(shard, encoded(output), worker, blobs)).outcome

    def load_shard(self, campaign: Campaign, work: Work, shard: int) -> "ShardPlay":
        """All that a shard reads, ready to play."""
        head = campaign.head
        manifest = self._campaigns.manifest(campaign.name, head.manifest)
        shared = self._campaigns.shared(campaign, manifest)
        context = self._campaigns.context(campaign, work.tick, shared)
        superstep = campaign.engine.supersteps_of(work.tick)[work.step]
        return ShardPlay(self._store, self._campaigns, campaign, manifest, superstep, context, shard)

    def commit(self, work: Work) -> CommitOutcome:
        """End a superstep: add the sums, settle the shared record, name the new state, move the head."""
        campaign = self.asked_for(work)
        if campaign is None:
            return "stale"
        head = campaign.head
        written = self._store.ticks.outputs(work.campaign, work.tick, work.epoch, work.step)
        if len(written) < head.tick_shards:
            return "incomplete"
        outputs = [_OUTPUT.decode(written[shard]) for shard in range(head.tick_shards)]
        manifest = self._campaigns.manifest(campaign.name, head.manifest)
        shared = self._campaigns.shared(campaign, manifest)
        context = self._campaigns.context(campaign, work.tick, shared)
        steps = campaign.engine.supersteps_of(work.tick)
        barrier = Barrier(campaign, manifest, steps[work.step], context, outputs)
        last = work.step == len(steps) - 1
        new_manifest, summary, blobs = barrier.settle()
        reports = (digest for digests in summary.pages.values() for digest in digests)
        move = StepCommit(
            old_manifest=head.manifest,
            new_manifest=blob(encoded(new_manifest), blobs),
            last=last,
            summary=encoded(summary),
            named=frozenset([*new_manifest.named(), *summary.events_blobs, *reports]),
            blobs=blobs,
        )
        reply = self._store.ticks.commit(work.at, move)
        return "resolved" if last and reply.outcome == "committed" else reply.outcome


@dataclass(slots=True)
class _Gathered:
    """What a shard's slices made so far."""

    slices: dict[int, SliceRef] = field(default_factory=dict)
    events: dict[int, str] = field(default_factory=dict)
    lines: list[bytes] = field(default_factory=list)
    pages: dict[str, list[bytes]] = field(default_factory=dict)
    mail: dict[int, list[bytes]] = field(default_factory=dict)
    book: dict[int, str] = field(default_factory=dict)
    sums: Sums = field(default_factory=Sums)
    count: PhaseCount = field(default_factory=PhaseCount)
    blobs: dict[str, bytes] = field(default_factory=dict)


class ShardPlay:
    """A shard at work: one slice in memory at a time, its results gathered."""

    def __init__(
        self,
        store: Store,
        campaigns: Campaigns,
        campaign: Campaign,
        manifest: Manifest,
        superstep: Superstep,
        context: Context[Any, Any],
        shard: int,
    ) -> None:
        head = campaign.head
        self._store = store
        self._campaigns = campaigns
        self._campaign = campaign
        self._manifest = manifest
        self._superstep = superstep
        self._context = context
        self._shards = head.tick_shards
        self._dropped = frozenset(head.dropped)
        self._gathered = _Gathered()
        self.slices = slices_of_shard(shard, self._shards, head.slices)
        self._mail = self._read_mail(manifest.mail.get(shard, ()))
        self._revisions: dict[str, int] | None = None

    def _read_mail(self, digests: Iterable[str]) -> dict[int, list[bytes]]:
        found: dict[int, list[bytes]] = {}
        for data in self._campaigns.blobs(self._campaign.name, list(digests)):
            for line in data.split(b"\n"):
                to = msgspec.json.decode(line, type=_Addressed).to
                found.setdefault(slice_of_key(to, self._campaign.head.slices), []).append(line)
        return found

    def orders(self, index: int) -> list[Booked[Any, Any]]:
        """The live orders of a slice that the superstep plays; all of them in the first, which digests the book."""
        kinds = self._superstep.homes.orders
        if self._superstep.index > 0 and not kinds:
            return []
        if self._revisions is None:
            self._revisions = self._store.intake.revisions(self._campaign.name, self._context.tick)
        played = kinds if self._superstep.index > 0 else (Order,)
        return read_book(self._store, self._campaign, self._context.tick, index, self._revisions, played)

    def slice(self, index: int, orders: list[Booked[Any, Any]], *, dry: bool = False) -> None:
        """Play one slice with these orders; `dry`: for what it raises alone."""
        engine = self._campaign.engine
        data = self._campaigns.blobs(self._campaign.name, [self._manifest.slices[index].digest])[0]
        mail = engine.read_mail(self._mail.get(index, ()))
        result = engine.play_slice(self._superstep, data, orders, mail, self._context, self._dropped)
        if dry:
            return
        made = self._gathered
        if result.data is not None:
            buckets = {bucket: digest.hex() for bucket, digest in sorted(result.buckets.items())}
            made.slices[index] = SliceRef(blob(result.data, made.blobs), buckets)
        for bucket, lines in sorted(result.events.items()):
            made.lines.extend(lines)
            made.events[bucket] = result.event_digests()[bucket].hex()
        for camp, pages in result.pages.items():
            made.pages.setdefault(camp, []).extend(pages)
        for to, line in result.mail:
            target = shard_of_slice(
                slice_of_key(to, self._campaign.head.slices), self._shards, len(self._manifest.slices)
            )
            made.mail.setdefault(target, []).append(line)
        if self._superstep.index == 0:
            digests = book_buckets(engine.packing, orders)
            made.book.update({bucket: digest.hex() for bucket, digest in sorted(digests.items())})
        made.sums.merge(result.sums)
        made.count.add(result.count)

    def output(self) -> tuple[ShardOutput, dict[str, bytes]]:
        """The shard's output and the blobs that it names."""
        made = self._gathered
        output = ShardOutput(
            slices=made.slices,
            events=made.events,
            sums=made.sums,
            counts=(made.count.events, made.count.void),
            events_blob=blob(b"\n".join(made.lines), made.blobs),
            pages={camp: blob(b"\n".join(pages), made.blobs) for camp, pages in sorted(made.pages.items())},
            mail={target: blob(b"\n".join(sorted(lines)), made.blobs) for target, lines in sorted(made.mail.items())},
            book=made.book,
        )
        return output, made.blobs


class _Addressed(msgspec.Struct):
    to: str


def read_book(
    store: Store,
    campaign: Campaign,
    tick: int,
    index: int,
    revisions: dict[str, int],
    kinds: tuple[type[Order], ...] = (Order,),
) -> list[Booked[Any, Any]]:
    """The live orders of a slice of a tick's book, of some kinds or of all: of each order its present revision.

    Withdrawn orders are left out; costs aren't read.
    """
    (packed,) = store.intake.read_slices(campaign.name, tick, [index])
    booked = campaign.engine.packing.unpack_played(packed, kinds)
    return [order for order in booked if revisions.get(order.id, 1) == order.revision]


class Barrier:
    """The end of a superstep: the outputs of its shards become one new state."""

    def __init__(
        self,
        campaign: Campaign,
        manifest: Manifest,
        superstep: Superstep,
        context: Context[Any, Any],
        outputs: list[ShardOutput],
    ) -> None:
        self._campaign = campaign
        self._manifest = manifest
        self._superstep = superstep
        self._context = context
        self._outputs = outputs

    def settle(self) -> tuple[Manifest, StepSummary, dict[str, bytes]]:
        """The new manifest, the summary of the superstep, and the blobs that the barrier itself made."""
        sums = Sums()
        count = PhaseCount()
        digests: dict[int, bytes] = {}
        for output in self._outputs:
            sums.merge(output.sums)
            count.add(PhaseCount(*output.counts))
            digests.update({bucket: bytes.fromhex(text) for bucket, text in output.events.items()})
        settled = self._campaign.engine.settle(self._superstep, self._context.shared, sums, self._context)
        blobs: dict[str, bytes] = {}
        counts = {self._superstep.phase: count}
        for phase, more in settled.counts.items():
            counts.setdefault(phase, PhaseCount()).add(more)
        events = [output.events_blob for output in self._outputs]
        events.append(blob(b"\n".join(settled.events), blobs))
        summary = StepSummary(
            phases=tuple(PhaseSummary(name, len(self._outputs), c.events, c.void) for name, c in counts.items()),
            events_digest=events_digest(digests, settled.event_digest()),
            events_blobs=tuple(digest for digest in events if digest),
            pages=self._pages({camp: blob(b"\n".join(pages), blobs) for camp, pages in settled.pages.items()}),
            book_digest=self._book() if self._superstep.index == 0 else "",
        )
        return self._new_manifest(blob(canonical(settled.shared), blobs)), summary, blobs

    def _pages(self, at_barrier: dict[str, str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for camp in self._campaign.rulebook.camps:
            digests = [output.pages.get(camp, "") for output in self._outputs] + [at_barrier.get(camp, "")]
            found[camp] = tuple(digest for digest in digests if digest)
        return found

    def _book(self) -> str:
        buckets = {b: bytes.fromhex(text) for output in self._outputs for b, text in output.book.items()}
        return book_digest(buckets, self._campaign.head.dropped)

    def _new_manifest(self, shared: str) -> Manifest:
        slices = list(self._manifest.slices)
        mail: dict[int, list[str]] = {}
        for output in self._outputs:
            for index, ref in output.slices.items():
                slices[index] = ref
            for target, digest in output.mail.items():
                mail.setdefault(target, []).append(digest)
        return Manifest(shared, tuple(slices), {target: tuple(mail[target]) for target in sorted(mail)})
