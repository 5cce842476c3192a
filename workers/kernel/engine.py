"""The interpreter of a superstep: one slice of homes, or the shared record at the barrier.

Both take bytes and give bytes, so that a worker, a replay and a test run the same code: `play_slice` is what a shard
does for each of its slices, `settle` what a commit does once. Neither knows what a rulebook means by its events.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from workers.kernel.digest import canonical, digest_of_items
from workers.kernel.entities import Slice, slice_of_bucket
from workers.kernel.errors import RulebookError
from workers.kernel.events import KERNEL_EVENTS, Event, Mail, Projector
from workers.kernel.orders import Booked, Order, Packing, union_of
from workers.kernel.phases import Context, Phase, Sums, Superstep, supersteps
from workers.kernel.play import Effects, Evolve, PhaseCount, Play, Tally, Work, gather
from workers.kernel.reports import PAGE_FACTS, Reports

__all__ = [
    "PAGE_FACTS",
    "Engine",
    "Evolve",
    "PhaseCount",
    "Reports",
    "Rules",
    "SettleResult",
    "SliceResult",
    "Tally",
]


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
class SliceResult:
    """What a superstep made of one slice, or of several.

    `homes` has their homes as they are now, and `changed` the buckets in which one changed; None and empty where none
    did. `events` has the events of each bucket as one text, a line each; `pages` the encoded pages of each camp that
    reads something; `mail` the key of the home that it is for and its line.
    """

    homes: Slice | None = None
    changed: set[int] = field(default_factory=set)
    events: dict[int, bytes] = field(default_factory=dict)
    pages: dict[str, list[bytes]] = field(default_factory=dict)
    sums: Sums = field(default_factory=Sums)
    mail: list[tuple[str, bytes]] = field(default_factory=list)
    count: PhaseCount = field(default_factory=PhaseCount)

    def event_digests(self) -> dict[int, bytes]:
        """The digest of each bucket's events."""
        return {bucket: digest_of_items([text]) for bucket, text in self.events.items()}


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


class Engine:
    """A rulebook made ready to run: its decoders, its projections, its supersteps."""

    __slots__ = (
        "_decode_home",
        "_decode_mail",
        "_decode_shared",
        "_effects",
        "opening",
        "packing",
        "projector",
        "rules",
        "steps",
    )

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.projector = Projector((*rules.events, *KERNEL_EVENTS), rules.name)
        self.packing = Packing(rules.orders, rules.facts, rules.camps)
        self.steps = supersteps(rules.phases)
        self.opening = supersteps(rules.opening)
        self._decode_home = msgspec.json.Decoder(rules.home).decode
        self._decode_shared = msgspec.json.Decoder(rules.shared).decode
        self._effects = Effects(rules.evolve, rules.tally, self.projector)
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

    def keep_shared(self, shared: Any) -> tuple[bytes, Any]:
        """The shared record after a barrier: its canonical bytes, and the record read back from them, so that what is
        played next finds the same whether it was stored in between or not.

        Raises RulebookError where what the rulebook left there isn't its own shared record: nobody could play on.
        """
        data = canonical(shared)
        try:
            return data, self._decode_shared(data)
        except msgspec.ValidationError as error:
            raise RulebookError(self.rules.name, f"its shared record can't be read back: {error}") from error

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
        return self._play(superstep, lambda: Slice.parse(data), 1, gather(superstep, orders, mail, dropped), context)

    def play_slices(
        self,
        superstep: Superstep,
        homes: Slice,
        slices: int,
        orders: Iterable[Booked[Any, Any]],
        mail: Iterable[Mail],
        context: Context[Any, Any],
        dropped: frozenset[str] = frozenset(),
    ) -> SliceResult:
        """One superstep over all slices of a state, of which there are `slices`: what `play_slice` makes of one after
        another, for a process that keeps them in memory. `homes` are those of all of them, and stay as they are.
        """
        return self._play(superstep, homes.copy, slices, gather(superstep, orders, mail, dropped), context)

    def _play(
        self, superstep: Superstep, read: Callable[[], Slice], slices: int, work: Work, context: Context[Any, Any]
    ) -> SliceResult:
        """Play homes, of one slice or of all `slices`: pages end where a slice does. Where there is nothing to do, they
        aren't even read.
        """
        everywhere = superstep.homes.every(context)
        if not everywhere and not work:
            return SliceResult()
        piece = read()
        homes = len(piece.lines)
        reports = Reports(self.projector, self.rules.camps, superstep.phase)
        play = Play(superstep, context, piece, reports, self._effects, self._decode_home)
        result = SliceResult(sums=play.sums, mail=play.mail, count=play.count)
        present = 0
        for bucket, keys in _visits(piece, work, everywhere):
            index = slice_of_bucket(bucket, slices)
            if index != present:
                reports.end_pages()
                present = index
            lines = play.homes(keys, work, everywhere)
            if lines:
                result.events[bucket] = b"\n".join(lines)
            if play.changed:
                result.changed.add(bucket)
                play.changed = False
        result.pages = reports.pages()
        if result.changed:
            result.homes = Slice.of(piece.lines) if len(piece.lines) != homes or play.made else piece
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


def _visits(piece: Slice, work: Work, everywhere: bool) -> list[tuple[int, list[str]]]:
    """The homes to visit by bucket, in the slice's order, with those that aren't there yet."""
    named = work.named()
    missing = named.difference(piece.lines)
    keys = piece.keys
    if missing:
        keys = Slice.of({**piece.lines, **dict.fromkeys(missing, b"")}).keys
    if everywhere:
        return list(keys.items())
    visits = ((bucket, [key for key in names if key in named]) for bucket, names in keys.items())
    return [(bucket, chosen) for bucket, chosen in visits if chosen]
