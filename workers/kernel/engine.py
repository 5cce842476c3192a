"""The interpreter of a superstep: one slice of homes, or the shared record at the barrier.

Both take bytes and give bytes, so that a worker, a replay and a test run the same code: `play_slice` is what a shard
does
for each of its slices, `settle` what a commit does once. Neither knows what a rulebook means by its events.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from workers.kernel.digest import canonical, digest_of_items
from workers.kernel.entities import Slice
from workers.kernel.errors import RulebookError
from workers.kernel.events import KERNEL_EVENTS, Event, Mail, OrderDropped, Projector
from workers.kernel.orders import Booked, Order, Packing, union_of
from workers.kernel.phases import Context, Phase, Sums, Superstep, supersteps

PAGE_FACTS = 256
"""Facts in a page of a report, at most."""

Evolve = Callable[[Any, Any], Any]
Tally = Callable[[Any, Sums], None]


class Rules(Protocol):
    """What the interpreter needs of a rulebook (`workers.rules.contract.Rulebook` is one)."""

    @property
    def name(self) -> str:
        """Its import name."""

    @property
    def camps(self) -> tuple[str, ...]:
        """Its camps."""

    @property
    def orders(self) -> tuple[type[Order], ...]:
        """Its kinds of order."""

    @property
    def facts(self) -> type[msgspec.Struct] | None:
        """What a booking hands to the resolver."""

    @property
    def home(self) -> type[msgspec.Struct]:
        """The record of a home."""

    @property
    def shared(self) -> type[msgspec.Struct]:
        """The record that all read."""

    @property
    def events(self) -> tuple[type[Event], ...]:
        """Its types of event."""

    @property
    def evolve(self) -> Mapping[type[Event], Evolve]:
        """What each event changes of a home."""

    @property
    def evolve_shared(self) -> Mapping[type[Event], Evolve]:
        """What each event changes of the shared record."""

    @property
    def tally(self) -> Mapping[type[Event], Tally]:
        """What each event adds to sums."""

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The table of a tick."""

    @property
    def opening(self) -> tuple[Phase, ...]:
        """The table of tick 0."""


@dataclass(slots=True)
class PhaseCount:
    """What a phase did: events, and orders that were void."""

    events: int = 0
    void: int = 0

    def count(self, event: Event) -> None:
        """Count one event."""
        self.events += 1
        self.void += event.void

    def add(self, other: "PhaseCount") -> None:
        """Take in another count of the same phase."""
        self.events += other.events
        self.void += other.void


@dataclass(slots=True)
class SliceResult:
    """What a superstep made of one slice.

    `data` is None and `buckets` empty where no home changed; else the slice's new bytes and the digests of all its
    buckets. `events` has the lines of events by bucket, `pages` the encoded pages of each camp that reads something,
    `mail` the key of the home that it is for and its line.
    """

    data: bytes | None
    buckets: dict[int, bytes]
    events: dict[int, list[bytes]]
    pages: dict[str, list[bytes]]
    sums: Sums
    mail: list[tuple[str, bytes]]
    count: PhaseCount

    def event_digests(self) -> dict[int, bytes]:
        """The digest of each bucket's events."""
        return {bucket: digest_of_items(lines) for bucket, lines in self.events.items()}


@dataclass(slots=True)
class SettleResult:
    """What the barrier made of the shared record: events and counts by phase, pages by camp."""

    shared: Any
    events: list[bytes] = field(default_factory=list)
    pages: dict[str, list[bytes]] = field(default_factory=dict)
    counts: dict[str, PhaseCount] = field(default_factory=dict)

    def event_digest(self) -> bytes:
        """The digest of the barrier's events."""
        return digest_of_items(self.events)


class Reports:
    """The facts of one phase, gathered for each camp and cut into pages."""

    __slots__ = ("_camps", "_lines", "_phase", "_project")

    def __init__(self, projector: Projector, camps: tuple[str, ...], phase: str) -> None:
        self._project = projector.project
        self._camps = camps
        self._phase = phase
        self._lines: dict[str, list[bytes]] = {camp: [] for camp in camps}

    def add(self, event: Event, line: bytes) -> None:
        """Add what each camp reads of an event; `line` is its canonical bytes."""
        for camp in self._camps:
            fact = self._project(event, camp)
            if fact is not None:
                encoded = line if fact is event else canonical(fact)
                about = event.about(camp)
                self._lines[camp].append(b"[%b,%b]" % (b"null" if about is None else canonical(about), encoded))

    def pages(self) -> dict[str, list[bytes]]:
        """The encoded pages of each camp that reads something: `{"phase", "facts": [[about, fact], …]}`."""
        head = b'{"phase":%b,"facts":[' % canonical(self._phase)
        return {
            camp: [head + b",".join(lines[i : i + PAGE_FACTS]) + b"]}" for i in range(0, len(lines), PAGE_FACTS)]
            for camp, lines in self._lines.items()
            if lines
        }


class Engine:
    """A rulebook made ready to run: its decoders, its projections, its supersteps."""

    __slots__ = ("_decode_home", "_decode_mail", "_decode_shared", "opening", "packing", "projector", "rules", "steps")

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.projector = Projector((*rules.events, *KERNEL_EVENTS), rules.name)
        self.packing = Packing(rules.orders, rules.facts, rules.camps)
        self.steps = supersteps(rules.phases)
        self.opening = supersteps(rules.opening)
        self._decode_home = msgspec.json.Decoder(rules.home).decode
        self._decode_shared = msgspec.json.Decoder(rules.shared).decode
        mails = tuple(kind for kind in rules.events if issubclass(kind, Mail))
        self._decode_mail: Callable[[bytes], Any] | None = None
        if mails:
            self._decode_mail = msgspec.json.Decoder(union_of(mails)).decode

    def supersteps_of(self, tick: int) -> tuple[Superstep, ...]:
        """The supersteps of a tick: tick 0 is the set-up and has its own table."""
        return self.opening if tick == 0 else self.steps

    def read_home(self, line: bytes) -> Any:
        """A home from its canonical bytes."""
        return self._decode_home(line)

    def read_shared(self, data: bytes) -> Any:
        """The shared record from its canonical bytes."""
        return self._decode_shared(data)

    def read_mail(self, lines: Iterable[bytes]) -> list[Mail]:
        """Mail from canonical lines, in canonical order."""
        ordered = sorted(lines)
        if ordered and self._decode_mail is None:
            raise RulebookError(self.rules.name, "mail was sent, but no event of the rulebook is mail")
        return [self._decode_mail(line) for line in ordered] if self._decode_mail else []

    def play_slice(
        self,
        superstep: Superstep,
        data: bytes,
        orders: Iterable[Booked[Any, Any]],
        mail: Iterable[Mail],
        context: Context[Any, Any],
        dropped: frozenset[str] = frozenset(),
    ) -> SliceResult:
        """One superstep over one slice.

        `orders` are the live orders of the slice's homes, in any order; `mail` what the superstep before sent to them;
        `dropped` the ids that an operator took out. Raises what the rulebook raises, and RulebookError when an event
        isn't one of the rulebook's.
        """
        piece = Slice.parse(data)
        homes = len(piece.lines)
        work = _gather(superstep, orders, mail, dropped)
        everywhere = superstep.homes.every(context)
        if everywhere:
            for key in piece.lines:
                if key not in work:
                    work[key] = _Work()
        play = _Play(self, superstep.phase, context)
        changed = False
        for bucket, keys in _in_order(piece, work):
            lines: list[bytes] = []
            for key in keys:
                item = work[key]
                if item.dropped:
                    play.note_dropped(item, lines)
                if item.orders or item.mail or (everywhere and key in piece.lines):
                    changed |= play.home(superstep, piece, key, item, lines)
            if lines:
                play.events[bucket] = lines
        result = SliceResult(None, {}, play.events, play.reports.pages(), play.sums, play.mail, play.count)
        if changed:
            if len(piece.lines) != homes or play.made:
                piece = Slice.of(piece.lines)
            result.data = piece.to_bytes()
            result.buckets = piece.bucket_digests()
        return result

    def settle(self, superstep: Superstep, shared: Any, sums: Sums, context: Context[Any, Any]) -> SettleResult:
        """The barrier after a superstep: its `Shared` steps, in order. `shared` is changed and returned.

        Raises RulebookError when sums were sent and no step reads them.
        """
        if (sums.added or sums.highest) and not superstep.shared:
            raise RulebookError(self.rules.name, f"phase {superstep.phase!r} sends sums and no shared step reads them")
        result = SettleResult(shared)
        evolve = self.rules.evolve_shared
        for phase, step in superstep.shared:
            reports = Reports(self.projector, self.rules.camps, phase)
            count = result.counts.setdefault(phase, PhaseCount())
            for event in step.decide(shared, sums, context):
                change = evolve.get(type(event))
                if change is not None:
                    change(shared, event)
                line = canonical(event)
                result.events.append(line)
                reports.add(event, line)
                count.count(event)
            for camp, pages in reports.pages().items():
                result.pages.setdefault(camp, []).extend(pages)
        return result


@dataclass(slots=True)
class _Work:
    """What one home has to do in a superstep."""

    orders: list[Booked[Any, Any]] = field(default_factory=list)
    mail: list[Mail] = field(default_factory=list)
    dropped: list[Booked[Any, Any]] = field(default_factory=list)


def _gather(
    superstep: Superstep, orders: Iterable[Booked[Any, Any]], mail: Iterable[Mail], dropped: frozenset[str]
) -> dict[str, _Work]:
    kinds = superstep.homes.orders
    work: dict[str, _Work] = {}
    for booked in orders:
        if booked.id in dropped:
            if superstep.index == 0:
                work.setdefault(booked.home, _Work()).dropped.append(booked)
        elif isinstance(booked.order, kinds):
            work.setdefault(booked.home, _Work()).orders.append(booked)
    for letter in mail:
        work.setdefault(letter.to, _Work()).mail.append(letter)
    for item in work.values():
        item.orders.sort(key=_by_id)
        item.dropped.sort(key=_by_id)
    return work


def _by_id(booked: Booked[Any, Any]) -> str:
    return booked.id


def _in_order(piece: Slice, work: Mapping[str, _Work]) -> list[tuple[int, list[str]]]:
    """The homes to visit by bucket, in the slice's order, with those that aren't there yet."""
    if all(key in piece.lines for key in work):
        keys = piece.keys
    else:
        keys = Slice.of({**piece.lines, **{key: b"" for key in work if key not in piece.lines}}).keys
    return [(bucket, [key for key in names if key in work]) for bucket, names in keys.items()]


class _Play:
    """The run of one superstep over one slice."""

    __slots__ = ("_context", "_engine", "count", "events", "made", "mail", "reports", "sums")

    def __init__(self, engine: Engine, phase: str, context: Context[Any, Any]) -> None:
        self._engine = engine
        self._context = context
        self.events: dict[int, list[bytes]] = {}
        self.reports = Reports(engine.projector, engine.rules.camps, phase)
        self.sums = Sums()
        self.mail: list[tuple[str, bytes]] = []
        self.count = PhaseCount()
        self.made = False

    def note_dropped(self, work: _Work, lines: list[bytes]) -> None:
        """Tell of the orders that an operator took out, adding to `lines`."""
        for booked in work.dropped:
            self._record(OrderDropped(booked.camp, booked.actor, booked.id), lines)

    def home(self, superstep: Superstep, piece: Slice, key: str, work: _Work, lines: list[bytes]) -> bool:
        """Play one home, adding its events to `lines`; returns whether its bytes changed."""
        line = piece.lines.get(key)
        home = None if line is None else self._engine.read_home(line)
        evolve = self._engine.rules.evolve
        evolved = False
        for event in superstep.homes.decide(home, work.orders, work.mail, self._context):
            change = evolve.get(type(event))
            if change is not None:
                home = change(home, event)
                evolved = True
            self._record(event, lines)
        if not evolved:
            return False
        if home is None:
            return piece.lines.pop(key, None) is not None
        after = canonical(home)
        piece.lines[key] = after
        self.made |= line is None
        return after != line

    def _record(self, event: Event, lines: list[bytes]) -> None:
        line = canonical(event)
        lines.append(line)
        self.count.count(event)
        self.reports.add(event, line)
        tally = self._engine.rules.tally.get(type(event))
        if tally is not None:
            tally(event, self.sums)
        if isinstance(event, Mail):
            self.mail.append((event.to, line))
