"""From resolved to published, archived and retired: each step may be cut off anywhere and done again.

The order is what makes it safe: pages to every stream, then the head says published, then the record is in the archive
and read back, and only then does anything go away.
"""

from collections.abc import Iterator
from typing import Final

import msgspec
import structlog

from workers.kernel.digest import canonical
from workers.kernel.errors import TocsinError
from workers.kernel.ids import commitment, mac, salt, tick_seed
from workers.kernel.tick import state_digest, tick_digest
from workers.service.campaigns import Campaign, Campaigns, MissingBlob
from workers.service.closed_book import ClosedBook
from workers.service.closing import closable_ms
from workers.service.leaps import Resolved
from workers.service.recording import Digests, RecordHeader, ended, line_of, lines_of_slices, order_line, read_header
from workers.service.records import EMPTY_PAGE, PhaseSummary, StepSummary
from workers.store import Store
from workers.store.archive import Archive
from workers.store.errors import ArchiveConflict
from workers.store.records import Head, PublishOutcome, TickPublication

_SUMMARY = msgspec.json.Decoder(StepSummary)

SLICES_A_READ: Final = 8
"""Slices, or slices' orders, that are asked for at once."""
PAGES_A_READ: Final = 64
"""Pages that are asked for at once."""

log = structlog.get_logger()


class ArchiveAhead(TocsinError):
    """The archive holds a tick of this campaign that the server would play again another way."""


class MissingRecord(TocsinError):
    """What the server keeps of a published tick was lost before it was archived."""


class MissingPages(TocsinError):
    """What tells of the tick that was to be published isn't there: its summaries, or the last page in a stream."""


class Publication:
    """Publishes, archives and retires the ticks of the campaigns in a store. `archive_lag_max`: no tick closes while
    more published ones than that wait for the archive."""

    def __init__(self, store: Store, campaigns: Campaigns, archive: Archive, archive_lag_max: int) -> None:
        self._store = store
        self._campaigns = campaigns
        self._archive = archive
        self._archive_lag_max = archive_lag_max

    def publish(self, name: str, tick: int, resolved: Resolved | None = None) -> PublishOutcome:
        """Publish a resolved tick: every page to its stream, then the head. Safe to do again. `resolved`: the tick,
        where this process just resolved it; its commit is then written first, in the same round trip.

        Raises ArchiveAhead, and tells nobody anything, where the tick is archived otherwise; MissingPages where what
        tells of it was lost.
        """
        if resolved is None:
            campaign = self._campaigns.load(name)
            if campaign.head.resolving != tick or campaign.head.tick_status != "resolved":
                return "same" if campaign.head.published >= tick else "stale"
            resolved = self._resolved(campaign, tick)
            if not resolved.steps:  # another process has published it and retired what it left
                if self._campaigns.load(name).head.published >= tick:
                    return "same"
                raise MissingPages(f"campaign {name}: the summaries of tick {tick} aren't in the store")
        campaign = resolved.campaign
        digests = self._digests(resolved, tick)
        self._check_archive(campaign.head, tick, digests)
        seed = self._campaigns.seed(campaign)
        record = self._record(resolved, digests, mac(salt(seed, tick), digests.tick).hex())
        plan = TickPublication(
            pages={camp: self._told(campaign, camp, resolved.steps) for camp in campaign.rulebook.camps},
            epoch=campaign.head.epoch,
            manifest=campaign.head.manifest,
            staged_commitment=commitment(tick_seed(seed, tick + 3)),
            record=record,
            seeds=self._revealed(campaign, seed, tick),
        )
        outcome = self._store.ticks.publish(name, tick, plan, resolved.commit)
        if outcome == "unwritten":
            raise MissingPages(f"campaign {name}: a stream lacks the last page of tick {tick}")
        self._campaigns.keep(resolved.fresh, resolved.fresh)  # the archive and the next tick ask for them
        return outcome

    def _resolved(self, campaign: Campaign, tick: int) -> Resolved:
        summaries, workers = self._store.ticks.account(campaign.name, tick, campaign.head.epoch)
        return Resolved(campaign, [_SUMMARY.decode(data) for data in summaries], set(workers.values()))

    def _check_archive(self, head: Head, tick: int, digests: Digests) -> None:
        """A tick that isn't published and yet archived was published by a server that lost it since. What would be the
        same again may be; anything else would contradict what players were told."""
        try:
            if not self._archive.holds(head.campaign, tick):
                return
            archived = read_header(next(self._archive.read(head.campaign, tick), b""))
        except OSError as error:
            log.warning("archive away", campaign=head.campaign, tick=tick, error=str(error))
            return
        if (archived.digests, archived.epoch) == (digests, head.epoch):
            return
        # Whoever was overtaken by the tick's retirement has played it without its orders, and is stale.
        if self._campaigns.load(head.campaign).head.published < tick:
            raise ArchiveAhead(
                f"campaign {head.campaign}: tick {tick} was published before, another way: the archive holds it; "
                f"the server is older than its archive, see `tocsin campaign restore`"
            )

    def finish(self, name: str) -> None:
        """Archive and retire what is published and not yet archived or retired, oldest first; reveal at the end.
        The sweeper is told that the next tick may close now, if it waited for the publication or for the archive.

        Raises ArchiveError when the archive can't take a record, MissingRecord when there is none to take: nothing is
        retired then.
        """
        campaign = self._campaigns.load(name)
        head = campaign.head
        refused = head.published - head.archived > self._archive_lag_max
        if not refused:
            self._let_close(head)
        for tick in range(head.archived + 1, head.published + 1):
            self._archive_tick(campaign, tick)
        if refused:
            self._let_close(head)
        self._store.retirement.retire(head, max(head.archived, head.published))
        if self.unrevealed(head):
            seed = self._campaigns.seed(campaign)
            known = self._store.heads.seeds(name)
            ticks = (tick for tick in range(head.published + 1) if tick not in known)
            self._store.heads.reveal(name, {tick: tick_seed(seed, tick).hex() for tick in ticks})

    def _let_close(self, head: Head) -> None:
        """Have it looked at whether the open tick closes, which it couldn't while something else was in its way."""
        may_close_ms = closable_ms(head)
        if head.status == "open" and may_close_ms:
            self._store.hints.due_at_latest(head.campaign, may_close_ms)

    def unrevealed(self, head: Head) -> bool:
        """Whether the campaign has ended and keeps a seed secret that its policy reveals then."""
        if head.status != "ended" or head.policy.reveal_after is None:
            return False
        return len(self._store.heads.seeds(head.campaign)) <= head.published

    def _archive_tick(self, campaign: Campaign, tick: int) -> None:
        """Archive a tick. Another process may be finishing the same one: what it has archived and begun to retire can't
        be read whole any more, and needn't be."""
        try:
            self._write_record(campaign, tick)
        except (ArchiveConflict, MissingBlob):
            if self._campaigns.load(campaign.name).head.archived < tick:
                raise
        self._store.heads.archived(campaign.name, tick)

    def _told(self, campaign: Campaign, camp: str, steps: list[StepSummary]) -> list[bytes | str]:
        """A camp's pages, each by its blob, or the one that says that there are none."""
        told: list[bytes | str] = []
        for step in steps:
            told += step.pages.get(camp, ()) if step.paged else self._pages(campaign, camp, [step])
        return told or [EMPTY_PAGE]

    def _pages(self, campaign: Campaign, camp: str, steps: list[StepSummary]) -> Iterator[bytes]:
        """The bytes of a camp's pages, whichever release wrote the blobs."""
        digests = [digest for step in steps for digest in step.pages.get(camp, ())]
        for start in range(0, len(digests), PAGES_A_READ):
            for data in self._campaigns.blobs(campaign.name, digests[start : start + PAGES_A_READ]):
                yield from data.split(b"\n")

    def _digests(self, resolved: Resolved, tick: int) -> Digests:
        campaign, steps, states = resolved.campaign, resolved.steps, []
        for digest in (campaign.head.start_manifest, campaign.head.manifest):
            manifest = self._campaigns.manifest(campaign.name, digest, resolved.fresh)
            (shared,) = self._campaigns.blobs(campaign.name, [manifest.shared], resolved.fresh)
            states.append(state_digest(manifest.buckets(), shared))
        events = tuple(step.events_digest for step in steps)
        book = steps[0].book_digest
        whole = tick_digest(tick, campaign.rulebook.name, book, events, states[1])
        return Digests(book, events, states[0], states[1], whole)

    def _record(self, resolved: Resolved, digests: Digests, seal: str) -> dict[str, str]:
        head = resolved.campaign.head
        return {
            "digest": digests.tick,
            "seal": seal,
            "digests": canonical(digests).decode(),
            "phases": canonical(phases_of(resolved.steps)).decode(),
            "orders": str(head.orders),
            "shards": str(head.tick_shards),
            "fused": str(int(head.fused)),
            "trigger": head.trigger,
            "closed_ms": str(head.closed_ms),
            "dropped": canonical(head.dropped).decode(),
            "start_manifest": head.start_manifest,
            "summaries": canonical(resolved.steps).decode(),
            "workers": canonical(sorted(resolved.workers)).decode(),
        }

    def _revealed(self, campaign: Campaign, seed: bytes, tick: int) -> dict[int, str]:
        after = campaign.head.policy.reveal_after
        if not isinstance(after, int) or tick < after:
            return {}
        return {tick - after: tick_seed(seed, tick - after).hex()}

    def _write_record(self, campaign: Campaign, tick: int) -> None:
        fields = self._store.heads.record(campaign.name, tick)
        if fields is None:
            if self._archive.holds(campaign.name, tick):  # whole, since files get their name last
                return
            raise MissingRecord(f"campaign {campaign.name}: tick {tick} can't be archived: its record is gone")
        self._archive.write(campaign.name, tick, ended(self._lines(campaign, tick, fields)))

    def _lines(self, campaign: Campaign, tick: int, fields: dict[str, str]) -> Iterator[bytes]:
        steps = msgspec.json.decode(fields["summaries"], type=list[StepSummary])
        campaign_seed = self._campaigns.seed(campaign)
        seed = tick_seed(campaign_seed, tick)
        header = RecordHeader(
            campaign=campaign.name,
            rulebook=campaign.rulebook.name,
            rulebook_version=campaign.rulebook.version,
            fingerprint=campaign.head.fingerprint,
            settings=msgspec.Raw(campaign.head.settings.encode()),
            tick=tick,
            epoch=int(fields["epoch"]),
            tick_seed=seed.hex(),
            id_key=campaign.ids.key.hex(),
            salt=salt(campaign_seed, tick).hex(),
            commitment=commitment(seed),
            slices=campaign.head.slices,
            orders=int(fields["orders"]),
            dropped=tuple(msgspec.json.decode(fields["dropped"], type=list[str])),
            digests=msgspec.json.decode(fields["digests"], type=Digests),
            phases=phases_of(steps),
        )
        yield canonical(header)
        yield from self._state_lines(campaign, fields["start_manifest"])
        yield from self._order_lines(campaign, tick)
        for number, step in enumerate(steps):
            for digest in step.events_blobs:
                for line in self._campaigns.blobs(campaign.name, [digest])[0].split(b"\n"):
                    yield line_of("event", str(number).encode(), line)
        for camp in campaign.rulebook.camps:
            for page in self._pages(campaign, camp, steps):
                yield line_of("page", canonical(camp), page)

    def _state_lines(self, campaign: Campaign, digest: str) -> Iterator[bytes]:
        manifest = self._campaigns.manifest(campaign.name, digest)
        yield line_of("shared", self._campaigns.blobs(campaign.name, [manifest.shared])[0])
        for part in _parts(len(manifest.slices)):
            digests = [manifest.slices[index].digest for index in part]
            yield from lines_of_slices(self._campaigns.blobs(campaign.name, digests))

    def _order_lines(self, campaign: Campaign, tick: int) -> Iterator[bytes]:
        book = ClosedBook(self._store, campaign, tick)
        for part in _parts(campaign.head.slices):
            for portion in book.portions(part):
                for order in sorted(portion.orders, key=lambda one: one.id):
                    yield order_line(campaign.engine, order)


def _parts(slices: int) -> Iterator[range]:
    """All slices, as many at a time as are read at once."""
    for start in range(0, slices, SLICES_A_READ):
        yield range(start, min(start + SLICES_A_READ, slices))


def phases_of(steps: list[StepSummary]) -> tuple[PhaseSummary, ...]:
    """The phases of a tick, each once, in the order of their first step."""
    found: dict[str, PhaseSummary] = {}
    for step in steps:
        for phase in step.phases:
            known = found.get(phase.name)
            if known is None:
                found[phase.name] = phase
            else:
                events, void = known.events + phase.events, known.void + phase.void
                found[phase.name] = PhaseSummary(phase.name, max(known.shards, phase.shards), events, void)
    return tuple(found.values())
