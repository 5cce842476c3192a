"""The end of a superstep: what its shards made is added up, the shared record settled, and all of it summed up."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from workers.kernel.engine import PhaseCount, SliceResult
from workers.kernel.phases import Context, Sums, Superstep
from workers.kernel.tick import book_digest, events_digest
from workers.service.campaigns import Campaign
from workers.service.records import Manifest, PhaseSummary, ShardOutput, StepSummary, blob, blobs_of


@dataclass(slots=True)
class Made:
    """What the shards of a superstep made, added up, but for the state.

    `events` has the digest of each bucket that had an event, `events_blobs` the blobs of their lines, `pages` those of
    each camp's pages, in order; `book` the digests of the book's buckets (in the first superstep only).
    """

    shards: int = 1
    sums: Sums = field(default_factory=Sums)
    count: PhaseCount = field(default_factory=PhaseCount)
    events: dict[int, bytes] = field(default_factory=dict)
    events_blobs: list[str] = field(default_factory=list)
    pages: dict[str, list[str]] = field(default_factory=dict)
    book: dict[int, bytes] = field(default_factory=dict)

    @classmethod
    def by_shards(cls, outputs: Sequence[ShardOutput]) -> "Made":
        """By all shards, as they wrote it."""
        made = cls(len(outputs))
        for output in outputs:
            made.sums.merge(output.sums)
            made.count.add(PhaseCount(*output.counts))
            made.events.update({bucket: bytes.fromhex(text) for bucket, text in output.events.items()})
            made.events_blobs.append(output.events_blob)
            for camp, pages in output.pages.items():
                made.pages.setdefault(camp, []).extend(pages)
            made.book.update({bucket: bytes.fromhex(text) for bucket, text in output.book.items()})
        return made

    @classmethod
    def at_once(cls, result: SliceResult, blobs: dict[str, bytes]) -> "Made":
        """By one process that plays all slices; the blobs that it names go among `blobs`."""
        return cls(
            sums=result.sums,
            count=result.count,
            events=result.event_digests(),
            events_blobs=[blob(b"\n".join([text for _, text in sorted(result.events.items())]), blobs)],
            pages={camp: list(blobs_of(pages, blobs)) for camp, pages in result.pages.items()},
        )


def settle(
    campaign: Campaign, superstep: Superstep, context: Context[Any, Any], made: Made, blobs: dict[str, bytes]
) -> StepSummary:
    """Settle the shared record, which is changed in its place (`context.shared`); returns the summary of the superstep.
    The blobs that the barrier itself makes go among `blobs`. Raises what the rulebook raises.
    """
    settled = campaign.engine.settle(superstep, context.shared, made.sums, context)
    counts = {superstep.phase: made.count}
    for phase, more in settled.counts.items():
        counts.setdefault(phase, PhaseCount()).add(more)
    at_barrier = {camp: blobs_of(pages, blobs) for camp, pages in settled.pages.items()}
    events_blobs = [*made.events_blobs, blob(b"\n".join(settled.events), blobs)]
    return StepSummary(
        phases=tuple([PhaseSummary(name, made.shards, c.events, c.void) for name, c in counts.items()]),
        events_digest=events_digest(made.events, settled.event_digest()),
        events_blobs=tuple([digest for digest in events_blobs if digest]),
        pages={camp: (*made.pages.get(camp, ()), *at_barrier.get(camp, ())) for camp in campaign.rulebook.camps},
        book_digest=book_digest(made.book, campaign.head.dropped) if superstep.index == 0 else "",
        paged=True,
    )


def state_after(manifest: Manifest, shared: str, outputs: Sequence[ShardOutput]) -> Manifest:
    """The state at the end of a superstep, from the one before it, the shared record's digest and what shards wrote."""
    slices = list(manifest.slices)
    mail: dict[int, list[str]] = {}
    for output in outputs:
        for index, ref in output.slices.items():
            slices[index] = ref
        for target, digest in output.mail.items():
            mail.setdefault(target, []).append(digest)
    return Manifest(shared, tuple(slices), {target: tuple(mail[target]) for target in sorted(mail)})
