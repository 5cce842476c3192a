"""The end of a superstep: the outputs of its shards become one new state."""

from typing import Any

from workers.kernel.digest import canonical
from workers.kernel.engine import PhaseCount
from workers.kernel.phases import Context, Sums, Superstep
from workers.kernel.tick import book_digest, events_digest
from workers.service.campaigns import Campaign
from workers.service.records import Manifest, PhaseSummary, ShardOutput, StepSummary, blob, blobs_of


class Barrier:
    """Adds up what the shards of a superstep sent, and settles the shared record."""

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
            pages=self._pages({camp: blobs_of(pages, blobs) for camp, pages in settled.pages.items()}),
            book_digest=self._book() if self._superstep.index == 0 else "",
            paged=True,
        )
        return self._new_manifest(blob(canonical(settled.shared), blobs)), summary, blobs

    def _pages(self, at_barrier: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        parts = [*(output.pages for output in self._outputs), at_barrier]
        return {
            camp: tuple([digest for pages in parts for digest in pages.get(camp, ())])
            for camp in self._campaign.rulebook.camps
        }

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
