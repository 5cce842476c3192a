"""Replay and verification: a recorded tick resolved again, and each claim of its record held against it."""

from dataclasses import dataclass, field

import msgspec

from workers.kernel.engine import Engine, PhaseCount
from workers.kernel.entities import Slice
from workers.kernel.errors import InvalidInput, TocsinError
from workers.kernel.ids import commitment
from workers.kernel.tick import TickInput, TickResult, book_buckets, book_digest, resolve, state_digest
from workers.rules.contract import Rulebook
from workers.service.recording import Record, check_state, input_of

OWN_DIGEST = "the record's own digest (its last line)"


class Finding(msgspec.Struct, frozen=True):
    """One claim of a record that doesn't hold: the place, what the record says and what is true."""

    place: str
    recorded: str
    found: str


class Unresolvable(TocsinError):
    """A record whose tick can't be resolved: where it was changed, if that can be told, else what the rules raised."""

    def __init__(self, problem: str, finding: Finding | None = None) -> None:
        self.finding = finding
        super().__init__(f"the tick can't be resolved again: {problem}")


@dataclass(slots=True)
class Replay:
    """A recorded tick resolved again, and where it differs from its record (empty: identical)."""

    result: TickResult
    findings: list[Finding] = field(default_factory=list)

    @property
    def identical(self) -> bool:
        """Whether the digests and every event are those of the record."""
        return not any(not finding.place.startswith("report") for finding in self.findings)

    @property
    def reports_identical(self) -> bool:
        """Whether every page of every camp's report is that of the record, byte for byte."""
        return not any(finding.place.startswith("report") for finding in self.findings)


def replay(record: Record, rulebook: Rulebook, engine: Engine) -> Replay:
    """Resolve a record again, in this process, and compare.

    Raises InvalidInput where it can't be read, and Unresolvable where the rules can't play it.

    The findings come in the order in which a reader would look: seed, start, book, events, state, summary, reports; so
    the first one says where the record was changed.
    """
    header = record.header
    if header.fingerprint != rulebook.fingerprint():
        problem = f"recorded with {header.rulebook} {header.rulebook_version} ({header.fingerprint[:12]})"
        raise InvalidInput("fingerprint", problem, f"{rulebook.version} ({rulebook.fingerprint()[:12]})")
    given = input_of(record, rulebook)
    inputs = _inputs(record, given, engine)
    try:
        result = resolve(engine, given)
    except Exception as error:
        check_state(record, rulebook)
        raise _unresolvable(record, inputs, error) from error
    checked = Replay(result, inputs)
    checked.findings.extend(_events(record, result))
    _expect(checked.findings, "state", header.digests.state, result.state_digest)
    _expect(checked.findings, "tick digest", header.digests.tick, result.digest)
    checked.findings.extend(_summary(record, rulebook, result))
    checked.findings.extend(_pages(record, result))
    _expect(checked.findings, OWN_DIGEST, record.end, record.content)
    return checked


def _unresolvable(record: Record, inputs: list[Finding], error: Exception) -> Unresolvable:
    """A record that was changed stops the rules sooner than its claims can be held against their outcome: those of its
    input that don't hold tell the place."""
    findings = list(inputs)
    _expect(findings, OWN_DIGEST, record.end, record.content)
    if findings:
        return Unresolvable(f"{findings[0].place} doesn't hold", findings[0])
    return Unresolvable(f"{type(error).__name__}: {error}")


def _expect(findings: list[Finding], place: str, recorded: str, found: str) -> None:
    if recorded != found:
        findings.append(Finding(place, recorded, found))


def _inputs(record: Record, given: TickInput, engine: Engine) -> list[Finding]:
    header = record.header
    findings: list[Finding] = []
    _expect(findings, "seed", header.commitment, commitment(given.tick_seed))
    buckets: dict[int, bytes] = {}
    for data in given.slices:
        buckets.update(Slice.parse(data).bucket_digests())
    _expect(findings, "state at the start", header.digests.state_start, state_digest(buckets, given.shared))
    book = book_digest(book_buckets(engine.packing, given.orders), given.dropped)
    _expect(findings, "orders", header.digests.book, book)
    return findings


def _text(line: bytes) -> str:
    """A recorded line as it can be shown: a changed one needn't be UTF-8."""
    return line.decode(errors="backslashreplace")


def _events(record: Record, result: TickResult) -> list[Finding]:
    findings: list[Finding] = []
    recorded: dict[int, list[bytes]] = {}
    for step, line in record.events:
        recorded.setdefault(step, []).append(line)
    for number, trace in enumerate(result.steps):
        lines = recorded.pop(number, [])
        at = f"event of superstep {number} ({trace.phase})"
        for index, (said, true) in enumerate(zip(lines, trace.events, strict=False)):
            if said != true:
                findings.append(Finding(f"{at}, number {index}", _text(said), true.decode()))
                break
        _expect(findings, f"{at}, how many", str(len(lines)), str(len(trace.events)))
    _expect(findings, "events of supersteps that aren't the tick's", str(sorted(recorded)), "[]")
    digests = [trace.events_digest for trace in result.steps]
    _expect(findings, "events digests", str(list(record.header.digests.events)), str(digests))
    return findings


def _summary(record: Record, rulebook: Rulebook, result: TickResult) -> list[Finding]:
    """What the header says beside digests: the rulebook's version, how many orders, what each phase did."""
    header = record.header
    findings: list[Finding] = []
    _expect(findings, "rulebook version", header.rulebook_version, rulebook.version)
    _expect(findings, "orders, how many", str(header.orders), str(len(record.orders)))
    counts: dict[str, PhaseCount] = {}
    for trace in result.steps:
        for phase, count in trace.counts.items():
            counts.setdefault(phase, PhaseCount()).add(count)
    said = [(phase.name, phase.events, phase.void) for phase in header.phases]
    true = [(name, count.events, count.void) for name, count in counts.items()]
    _expect(findings, "phases: name, events, void orders", str(said), str(true))
    return findings


def _pages(record: Record, result: TickResult) -> list[Finding]:
    findings: list[Finding] = []
    for camp in sorted(set(record.pages) | set(result.pages)):
        said, true = record.pages.get(camp, []), result.pages.get(camp, [])
        for index, (one, other) in enumerate(zip(said, true, strict=False)):
            if one != other:
                findings.append(Finding(f"report of {camp}, page {index + 1}", _text(one), other.decode()))
                break
        _expect(findings, f"report of {camp}, how many pages", str(len(said)), str(len(true)))
    return findings
