"""What must be true after it all: held against the archive, the server and what clients were told."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from tests.chaos.ledger import Acknowledged, Ledger
from workers.bootstrap import Services
from workers.kernel.orders import Booked
from workers.service.access import Sender
from workers.service.orders import receipt_digest
from workers.service.recording import Record, input_of, read_record
from workers.service.replaying import replay
from workers.store.errors import ArchiveError

STREAM_MAX: Final = 100_000


@dataclass
class Findings:
    """What isn't as it must be, a sentence each, by what it is."""

    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    wrong_digest: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many of each."""
        return {name: len(getattr(self, name)) for name in self.__dataclass_fields__}

    def lines(self) -> list[str]:
        """All of them."""
        return [f"{name}: {line}" for name in self.__dataclass_fields__ for line in getattr(self, name)]


def read_records(services: Services, campaign: str, published: int, findings: Findings) -> dict[int, Record]:
    """The archived records of a campaign's ticks; one that is missing or can't be read is lost."""
    found: dict[int, Record] = {}
    for tick in range(1, published + 1):
        try:
            found[tick] = read_record(services.archive.read(campaign, tick))
        except (ArchiveError, OSError) as error:
            findings.lost.append(f"{campaign}: tick {tick} isn't in the archive: {error}")
    return found


def check_digests(services: Services, campaign: str, records: dict[int, Record], findings: Findings) -> None:
    """Each record replays to what it says, the server says the same, and each tick starts where the last one ended."""
    loaded = services.campaigns.load(campaign)
    state = ""
    for tick, record in records.items():
        digests = record.header.digests
        for found in replay(record, loaded.rulebook, loaded.engine).findings:
            findings.wrong_digest.append(
                f"{campaign}, tick {tick}, {found.place}: {found.recorded} isn't {found.found}"
            )
        said = (services.store.heads.record(campaign, tick) or {}).get("digest", "")
        if said != digests.tick:
            findings.wrong_digest.append(f"{campaign}, tick {tick}: published as {said}, recorded as {digests.tick}")
        if state not in ("", digests.state_start):
            findings.wrong_digest.append(f"{campaign}, tick {tick}: doesn't start where tick {tick - 1} ended")
        state = digests.state


def check_orders(
    services: Services, campaign: str, records: dict[int, Record], ledger: Ledger, findings: Findings
) -> None:
    """Every acknowledged order is in exactly its tick's record, as acknowledged, or was withdrawn; nothing else is."""
    rulebook = services.campaigns.load(campaign).rulebook
    acknowledged = {name: one for name, one in ledger.orders.items() if one.campaign == campaign}
    seen: Counter[str] = Counter()
    for tick, record in records.items():
        for booked in input_of(record, rulebook).orders:
            seen[booked.id] += 1
            known = acknowledged.get(booked.id)
            if known is None:
                findings.duplicated.append(f"{campaign}, tick {tick}: order {booked.id} was acknowledged to nobody")
            else:
                _check_order(f"{campaign}, tick {tick}: order {booked.id}", tick, booked, known, findings)
    for name, one in acknowledged.items():
        if seen[name] > 1:
            findings.duplicated.append(f"{campaign}: order {name} is in {seen[name]} ticks")
        if seen[name] == 0 and one.withdrawn is False:
            findings.lost.append(f"{campaign}: order {name}, acknowledged for tick {one.tick}, is in no tick")


def _check_order(where: str, tick: int, booked: Booked[Any, Any], known: Acknowledged, findings: Findings) -> None:
    if known.tick != tick:
        findings.duplicated.append(f"{where} was acknowledged for tick {known.tick}")
    if known.withdrawn:
        findings.duplicated.append(f"{where} was withdrawn")
    sender = Sender(booked.camp, booked.actor)
    possible = {(number, receipt_digest(booked.id, number, sender, booked.order)) for number, _ in known.digests}
    if known.digests and possible.isdisjoint(known.digests):
        findings.lost.append(f"{where} isn't what was acknowledged")


def check_reports(
    services: Services, campaign: str, records: dict[int, Record], camps: Sequence[str], findings: Findings
) -> None:
    """Each camp's stream holds the pages of every record, each once, in order, and says where each tick ends."""
    for camp in camps:
        entries = services.store.reports.read(campaign, camp, after=(0, 1 << 40), count=STREAM_MAX)
        found = [(page.tick, page.page, page.last, page.body) for page in entries]
        wanted = []
        for tick, record in records.items():
            pages = record.pages.get(camp, [])
            wanted += [(tick, number, number == len(pages), body) for number, body in enumerate(pages, start=1)]
        empty = {tick for tick, record in records.items() if not record.pages.get(camp)}
        _compare(f"{campaign}, {camp}'s stream", wanted, [page for page in found if page[0] not in empty], findings)


def facts_of(records: dict[int, Record], camp: str) -> list[tuple[str, Any]]:
    """Ids and facts that a camp must have read, in order."""
    found: list[tuple[str, Any]] = []
    for tick, record in records.items():
        for number, page in enumerate(record.pages.get(camp, ()), start=1):
            facts = msgspec.json.decode(page)["facts"]
            found += [(f"{tick}-{number}.{index}", fact) for index, (_, fact) in enumerate(facts, start=1)]
    return found


def check_reading(
    where: str, records: dict[int, Record], camp: str, read: list[tuple[str, Any]], findings: Findings
) -> None:
    """A client read every fact, each once, in order."""
    _compare(where, facts_of(records, camp), read, findings)


def _compare(where: str, wanted: Sequence[Any], found: Sequence[Any], findings: Findings) -> None:
    if list(wanted) == list(found):
        return
    missing = [one for one in wanted if one not in found]
    twice = [one for index, one in enumerate(found) if one in found[:index] or one not in wanted]
    findings.lost += [f"{where}: {one[:2]} is missing" for one in missing]
    findings.duplicated += [f"{where}: {one[:2]} is there twice, or is nobody's" for one in twice]
    if not missing and not twice:
        findings.duplicated.append(f"{where}: out of order")
