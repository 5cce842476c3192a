"""A campaign whose server came back older than its archive, brought up to it.

The archive's records are the ticks that players were told of. Each must follow from the one before, the first from the
state on the server; the last is resolved again, for the state after it. What the server had begun of those ticks goes.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.errors import InvalidInput, TocsinError
from workers.kernel.ids import commitment, mac, salt, tick_seed
from workers.kernel.tick import state_digest
from workers.service.backup import STAGED, acted, hint
from workers.service.campaigns import Campaigns, UnknownCampaign
from workers.service.deadlines import next_deadline_ms
from workers.service.exporting import check_page
from workers.service.recording import Record, RecordHeader, read_record
from workers.service.records import EMPTY_PAGE, blob, encoded, manifest_of
from workers.service.replaying import Unresolvable, replay
from workers.store import Store
from workers.store.archive import Archive
from workers.store.backup import Item, compare_and_write, fill, write_blobs
from workers.store.compression import compressed
from workers.store.errors import ArchiveError
from workers.store.keys import Keys
from workers.store.records import Act, Head


class BrokenArchive(TocsinError):
    """The archive doesn't have what it takes to bring a campaign up to it."""


class CaughtUp(msgspec.Struct, frozen=True):
    """The last published tick before and after. `orders_lost` has the ids of live orders that the server had booked for
    the ticks between and their records don't have: acknowledged after that tick had been played. None: they can't be
    read, since the server's state is of another version of the rulebook."""

    before: int
    after: int
    orders_lost: tuple[str, ...] | None = ()


@dataclass(slots=True)
class _Plan:
    """What is written: blobs, a record a tick, pages by camp and tick, and the head's fields."""

    blobs: dict[str, bytes] = field(default_factory=dict)
    records: dict[int, dict[str, str]] = field(default_factory=dict)
    pages: dict[str, dict[int, list[bytes]]] = field(default_factory=dict)
    orders: dict[int, set[str]] = field(default_factory=dict)
    head: dict[str, str] = field(default_factory=dict)


class CatchingUp:
    """Brings campaigns of a store up to an archive."""

    def __init__(self, store: Store, campaigns: Campaigns, archive: Archive) -> None:
        self._store = store
        self._campaigns = campaigns
        self._archive = archive

    def behind(self, head: Head) -> int:
        """How many published ticks the archive has that the server doesn't know of."""
        return max(max(self._archive.ticks(head.campaign), default=0) - head.published, 0)

    def catch_up(self, name: str) -> CaughtUp:
        """Bring a campaign up to the last tick in the archive: its state, what is public of its ticks, its reports.

        The next tick opens, and keeps the orders that were booked for it. Raises UnknownCampaign, and BrokenArchive
        where a record is missing, doesn't follow from the one before, or isn't what this process makes of it.
        """
        head = self._store.heads.get(name)
        if head is None:
            raise UnknownCampaign(f"no campaign {name!r}")
        last = head.published + self.behind(head)
        if last == head.published:
            return CaughtUp(last, last)
        seed = self._campaigns.campaign_seed(name)
        plan = self._plan(head, last, seed)
        lost = self._lost(head, plan.orders)
        write_blobs(self._store, name, plan.blobs.items())
        if not self._write(head, last, seed, plan):
            raise BrokenArchive(f"campaign {name}: its head moved on meanwhile; stop what works on it, and try again")
        present = self._store.heads.get(name)
        if present is not None:
            hint(self._store, present)
        return CaughtUp(head.published, last, lost)

    def _plan(self, head: Head, last: int, seed: bytes) -> _Plan:
        plan = _Plan(pages={camp: {} for camp in head.camps})
        state = self._state(head)
        for tick in range(head.published + 1, last + 1):
            record = self._record(head, tick, seed)
            if record.header.digests.state_start != state:
                raise BrokenArchive(f"campaign {head.campaign}: tick {tick} doesn't begin with the state before it")
            state = record.header.digests.state
            plan.orders[tick] = {order.id for order in record.orders} | set(record.header.dropped)
            plan.records[tick] = _record_fields(head, record.header, seed)
            if tick > last - head.retain_ticks:
                for camp in head.camps:
                    plan.pages[camp][tick] = _pages(record, camp)
            if tick == last:
                self._arrive(head, record, seed, plan)
        return plan

    def _state(self, head: Head) -> str:
        manifest = self._campaigns.manifest(head.campaign, head.start_manifest)
        return state_digest(manifest.buckets(), self._campaigns.blobs(head.campaign, [manifest.shared])[0])

    def _record(self, head: Head, tick: int, seed: bytes) -> Record:
        try:
            record = read_record(self._archive.read(head.campaign, tick))
        except (OSError, ArchiveError, InvalidInput) as error:
            raise BrokenArchive(
                f"campaign {head.campaign}: the record of tick {tick} can't be read: {error}"
            ) from error
        header = record.header
        for what, said, true in (
            ("campaign", header.campaign, head.campaign),
            ("tick", header.tick, tick),
            ("rulebook", header.rulebook, head.rulebook),
            ("id key", header.id_key, head.id_key),
            ("seed", header.tick_seed, tick_seed(seed, tick).hex()),
            ("slices", header.slices, head.slices),
        ):
            if said != true:
                raise BrokenArchive(f"campaign {head.campaign}: the record of tick {tick} has another {what}")
        return record

    def _arrive(self, head: Head, record: Record, seed: bytes, plan: _Plan) -> None:
        """The state after the last tick, and the head that names it."""
        header = record.header
        rulebook, engine = self._campaigns.rulebook(head.rulebook), self._campaigns.engine(head.rulebook)
        try:
            replayed = replay(record, rulebook, engine)
        except (InvalidInput, Unresolvable) as error:
            raise BrokenArchive(f"campaign {head.campaign}: tick {header.tick} can't be resolved: {error}") from error
        if replayed.findings:
            place = replayed.findings[0].place
            raise BrokenArchive(f"campaign {head.campaign}: the record of tick {header.tick} doesn't hold: {place}")
        made = manifest_of(replayed.result.shared, replayed.result.slices, plan.blobs)
        manifest = blob(encoded(made), plan.blobs)
        plan.head = _head_fields(header, manifest, engine) | self._times(head)
        plan.head["staged_commitment"] = commitment(tick_seed(seed, header.tick + 1 + STAGED))

    def _times(self, head: Head) -> dict[str, str]:
        now_ms = self._store.heads.server_time_ms()
        deadline_ms = next_deadline_ms(head.schedule, now_ms) if head.status == "open" else 0
        act = Act("catch-up", head.published + 1, now_ms, str(head.published))
        times = {"published_ms": now_ms, "opened_ms": now_ms, "progress_ms": now_ms, "deadline_ms": deadline_ms}
        return {name: str(value) for name, value in times.items()} | acted(head, act)

    def _lost(self, head: Head, recorded: dict[int, set[str]]) -> tuple[str, ...] | None:
        if self._campaigns.rulebook(head.rulebook).fingerprint() != head.fingerprint:
            return None
        packing = self._campaigns.engine(head.rulebook).packing
        lost = []
        for tick in range(head.published + 1, min(max(recorded), head.open_tick + 1) + 1):
            revisions = self._store.intake.revisions(head.campaign, tick)
            for packed in self._store.intake.read_slices(head.campaign, tick, range(head.slices)):
                live = (one for one in map(packing.unpack, packed) if revisions.get(one.id, 1) == one.revision)
                lost += [one.id for one in live if one.id not in recorded[tick]]
        return tuple(sorted(lost))

    def _write(self, head: Head, last: int, seed: bytes, plan: _Plan) -> bool:
        name, keys = head.campaign, Keys(head.campaign)
        newest = {camp: self._store.reports.last_position(name, camp) or (-1, 0) for camp in head.camps}
        after = head.policy.reveal_after
        revealed = range(last - after + 1) if isinstance(after, int) else ()

        def write(transaction: Any) -> None:
            for digest in plan.blobs:
                transaction.hset(keys.blobs, digest, last)
            for tick in range(last + STAGED + 1):
                transaction.hset(keys.commitments, tick, commitment(tick_seed(seed, tick)))
            for tick in revealed:
                transaction.hset(keys.seeds, tick, tick_seed(seed, tick).hex())
            for tick, fields in plan.records.items():
                transaction.hset(keys.record(tick), mapping=fields)
            for camp, ticks in plan.pages.items():
                entries = Item("reports", (camp,), _entries(ticks, newest[camp]))
                fill(transaction, keys.reports(camp), entries)
            transaction.hset(keys.head, mapping=plan.head)

        watched = (keys.head, *(keys.reports(camp) for camp in head.camps))
        return compare_and_write(self._store, watched, lambda _: self._store.heads.get(name) == head, write)


def _pages(record: Record, camp: str) -> list[bytes]:
    """A camp's pages of a tick. Raises BrokenArchive for what is none: only the last tick is resolved again."""
    pages = record.pages.get(camp) or [EMPTY_PAGE]
    where = f"campaign {record.header.campaign}: the record of tick {record.header.tick}"
    for number, page in enumerate(pages, start=1):
        try:
            check_page(page, f"{where}: the page {number} of {camp}")
        except InvalidInput as error:
            raise BrokenArchive(str(error)) from error
    return pages


def _entries(ticks: dict[int, list[bytes]], newest: tuple[int, int]) -> list[Any]:
    """The stream's entries of some ticks' pages that it doesn't have yet."""
    entries: list[Any] = []
    for tick, pages in sorted(ticks.items()):
        for number, page in enumerate(pages, start=1):
            if (tick, number) > newest:
                last = [b"last", b"1"] if number == len(pages) else []
                entries += [f"{tick}-{number}".encode(), [b"p", compressed(page), *last]]
    return entries


def _record_fields(head: Head, header: RecordHeader, seed: bytes) -> dict[str, str]:
    """What the server keeps of a published tick, as far as its record tells."""
    epoch = max(header.epoch, head.epoch if header.tick == head.resolving else 0)
    return {
        "digest": header.digests.tick,
        "seal": mac(salt(seed, header.tick), header.digests.tick).hex(),
        "digests": canonical(header.digests).decode(),
        "phases": canonical(header.phases).decode(),
        "orders": str(header.orders),
        "shards": str(max((phase.shards for phase in header.phases), default=0)),
        "dropped": canonical(header.dropped).decode(),
        # By these its retirement knows which keys the server may have of it.
        "epoch": str(epoch),
        "steps": str(head.steps),
    }


def _head_fields(header: RecordHeader, manifest: str, engine: Engine) -> dict[str, str]:
    fields = {
        "published": header.tick,
        "archived": header.tick,
        "open_tick": header.tick + 1,
        "start_manifest": manifest,
        "manifest": manifest,
        "rulebook_version": header.rulebook_version,
        "fingerprint": header.fingerprint,
        "settings": bytes(header.settings).decode(),
        "steps": len(engine.steps),
        "dropped": "[]",
    }
    zeros = ("step", "epoch", "tick_shards", "fused", "orders", "book_version", "step_started_ms", "closed_ms")
    empty = ("resolving", "tick_status", "failure", "trigger")
    whole = {**dict.fromkeys(zeros, 0), **dict.fromkeys(empty, ""), **fields}
    return {name: str(value) for name, value in whole.items()}
