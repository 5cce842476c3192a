"""One shard of a superstep, and the commit that ends it: load, play, write once; add up, settle, move the head.

Both are functions of what the head asks for, and may run any number of times, anywhere: the second output of a shard is
found to be the same, the second commit finds the head moved. Nothing here decides what happens next; it says what
became of the work, and `dispatch` looks at the head again.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import msgspec

from workers.kernel.digest import canonical
from workers.service.barrier import Made, settle, state_after
from workers.service.campaigns import Campaign, Campaigns, input_digest
from workers.service.closed_book import ClosedBook, KeptBook
from workers.service.leaps import Leap, Leapt
from workers.service.records import ShardOutput, blob, encoded
from workers.service.shards import READ_FIRST, ShardPlay
from workers.store import Store
from workers.store.blobs import blobs_question
from workers.store.records import AttemptReply, StepCommit, StepId
from workers.store.records import ShardOutput as WrittenOutput

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


@dataclass(frozen=True, slots=True)
class Run:
    """What a process that plays a whole tick carries from superstep to superstep: the campaign as it was just read, and
    the closed book."""

    campaign: Campaign
    book: KeptBook


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
        return input_digest(campaign.head, self._campaigns.commitment(campaign))

    def run_shard(self, work: Work, shard: int, worker: str, run: Run | None = None) -> ShardOutcome:
        """Play a shard's slices and write its output, once. Raises what the rulebook raises.

        `run`: what one process that plays a whole tick has at hand. The campaign needn't be still so: the script that
        writes compares with the head.
        """
        campaign = run.campaign if run else self.asked_for(work)
        if campaign is None or not 0 <= shard < campaign.head.tick_shards:
            return "stale"
        play = self.load_shard(campaign, work, shard, run.book if run else None)
        play.play()
        output, blobs = play.output()
        written = WrittenOutput(shard, encoded(output), worker, blobs, campaign.head.closed_ms)
        outcome = self._store.ticks.output(work.at, written).outcome
        self._campaigns.keep(blobs, [*(ref.digest for ref in output.slices.values()), *output.mail.values()])
        return outcome

    def load_shard(self, campaign: Campaign, work: Work, shard: int, book: ClosedBook | None = None) -> ShardPlay:
        """All that a shard reads, ready to play; of a book that is carried along, what it has isn't read again."""
        head = campaign.head
        manifest = self._campaigns.manifest(campaign.name, head.manifest)
        shared = self._campaigns.shared(campaign, manifest)
        context = self._campaigns.context(campaign, work.tick, shared)
        superstep = campaign.engine.supersteps_of(work.tick)[work.step]
        read_blobs = partial(self._campaigns.blobs, campaign.name)
        book = book or ClosedBook(self._store, campaign, work.tick)
        return ShardPlay(read_blobs, campaign, manifest, superstep, context, shard, book)

    def begin_leap(self, at: StepId, run: Run) -> AttemptReply:
        """Count the start of a leap. The manifest and the book's first slices are read in the same round trip."""
        campaign, book = run.campaign, run.book
        first = range(min(READ_FIRST, campaign.head.slices))
        wanted = self._campaigns.uncached([campaign.head.manifest])
        state, orders = blobs_question(campaign.name, wanted), book.question(first)
        reply, told = self._store.ticks.leap_attempt(at, state, *([orders] if orders else []))
        read = zip(wanted, state.read(told[0]), strict=True)
        self._campaigns.keep({digest: data for digest, data in read if data is not None}, wanted)
        if orders:
            book.told(first, partial(orders.read, told[1]))
        return reply

    def leap(self, at: StepId, worker: str, run: Run, faults: tuple[type[BaseException], ...]) -> Leapt:
        """Play as many supersteps of a fused tick as go well, and commit them unless they are all of it: then its
        publication does. Raises `faults`, and what the server raises."""
        leap = Leap(self._store, self._campaigns, run.campaign, at.tick, run.book)
        leap.play(faults)
        return leap.commit(at, worker)

    def commit(self, work: Work, run: Run | None = None) -> CommitOutcome:
        """End a superstep: add the sums, settle the shared record, name the new state, move the head.

        `run`: as in `run_shard`.
        """
        campaign = run.campaign if run else self.asked_for(work)
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
        last = work.step == len(steps) - 1
        blobs: dict[str, bytes] = {}
        summary = settle(campaign, steps[work.step], context, Made.by_shards(outputs), blobs)
        kept, _ = campaign.engine.keep_shared(shared)
        new_manifest = state_after(manifest, blob(kept, blobs), outputs)
        move = StepCommit(
            old_manifest=head.manifest,
            new_manifest=blob(encoded(new_manifest), blobs),
            last=last,
            summaries=(canonical(summary),),
            named=frozenset([*new_manifest.named(), *summary.named()]),
            blobs=blobs,
            closed_ms=head.closed_ms,
        )
        reply = self._store.ticks.commit(work.at, move)
        self._campaigns.keep(blobs, [move.new_manifest, new_manifest.shared])
        return "resolved" if last and reply.outcome == "committed" else reply.outcome
