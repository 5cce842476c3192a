"""A whole tick in memory: the interpreter of supersteps run to the end, by one process, with any number of slices.

This is what `resolve`, `replay` and `verify` run. Workers run the same supersteps through the store; both give the same
bytes and the same digests.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from workers.kernel.dice import Dice
from workers.kernel.digest import (
    bucket_of,
    canonical,
    digest_of_buckets,
    digest_of_items,
    digest_of_parts,
    sha256_hex,
)
from workers.kernel.engine import Engine, PhaseCount, Reports
from workers.kernel.entities import Slice, slice_of_key
from workers.kernel.events import Event
from workers.kernel.ids import Ids
from workers.kernel.orders import Booked, Packing
from workers.kernel.phases import Context, Sums, Superstep


@dataclass(frozen=True, slots=True)
class Amendment:
    """An event that an operator added, carried out before phase 1: on the home named, or (empty) on the shared
    record.
    """

    home: str
    event: Event


@dataclass(frozen=True, slots=True)
class TickInput:
    """All that a tick depends on.

    `slices` are the stored bytes of the homes at the tick's start, a run of buckets each; `shared` the canonical
    bytes of the shared record; `orders` the live orders, in any order; `dropped` the ids that an operator took out.
    """

    tick: int
    tick_seed: bytes
    id_key: bytes
    settings: Any
    shared: bytes
    slices: Sequence[bytes]
    orders: Sequence[Booked[Any, Any]] = ()
    dropped: frozenset[str] = frozenset()
    amendments: Sequence[Amendment] = ()


@dataclass(slots=True)
class StepTrace:
    """What one superstep did: its events' digest, lines of events in order, and counts by phase."""

    phase: str
    events_digest: str
    events: list[bytes]
    counts: dict[str, PhaseCount]


@dataclass(slots=True)
class TickResult:
    """The state after a tick, its events step by step, each camp's pages in order, and the digests."""

    tick: int
    shared: bytes
    slices: list[bytes]
    steps: list[StepTrace]
    pages: dict[str, list[bytes]]
    state_digest: str
    book_digest: str
    digest: str
    context: Context[Any, Any] = field(repr=False)


def context_of(tick: int, tick_seed: bytes, id_key: bytes, settings: Any, shared: Any) -> Context[Any, Any]:
    """What the functions of a tick's phases receive beside their own home."""
    return Context(tick, settings, shared, Dice(tick_seed), Ids(id_key))


def book_buckets(packing: Packing, orders: Iterable[Booked[Any, Any]]) -> dict[int, bytes]:
    """The digest of each bucket of a book: its live orders in ascending id, by the buckets of their homes."""
    of_bucket: dict[int, list[Booked[Any, Any]]] = {}
    of_home: dict[str, list[Booked[Any, Any]]] = {}
    for booked in orders:
        found = of_home.get(booked.home)
        if found is None:
            found = of_home[booked.home] = of_bucket.setdefault(bucket_of(booked.home), [])
        found.append(booked)
    by_id = attrgetter("id")
    return {bucket: digest_of_items([packing.lines(sorted(live, key=by_id))]) for bucket, live in of_bucket.items()}


def book_digest(buckets: Mapping[int, bytes], dropped: Iterable[str] = ()) -> str:
    """The digest of a tick's book, from its buckets' digests and what was dropped of it."""
    return digest_of_buckets("tocsin/book", buckets, [canonical(sorted(dropped))])


def state_digest(buckets: Mapping[int, bytes], shared: bytes) -> str:
    """The digest of a state, from its buckets' digests and the canonical bytes of the shared record."""
    return digest_of_buckets("tocsin/state", buckets, [bytes.fromhex(sha256_hex(shared))])


def events_digest(buckets: Mapping[int, bytes], barrier: bytes) -> str:
    """The digest of a superstep's events, from those of its buckets and of its barrier."""
    return digest_of_buckets("tocsin/events", buckets, [barrier])


def tick_digest(tick: int, rulebook: str, book: str, events: Sequence[str], state: str) -> str:
    """The digest of a tick: one text for everything that it did."""
    parts = {"tick": tick, "rulebook": rulebook, "book": book, "events": list(events), "state": state}
    return digest_of_parts("tocsin/tick", parts)


def resolve(engine: Engine, given: TickInput) -> TickResult:
    """Resolve a tick in memory. Raises what the rulebook raises; nothing outside is read or changed."""
    shared = engine.read_shared(given.shared)
    run = _Run(engine, given, context_of(given.tick, given.tick_seed, given.id_key, given.settings, shared))
    if given.amendments:
        run.amend()
    for superstep in engine.supersteps_of(given.tick):
        run.superstep(superstep)
    shared_bytes = canonical(run.context.shared)
    buckets: dict[int, bytes] = {}
    for data in run.slices:
        buckets.update(Slice.parse(data).bucket_digests())
    state = state_digest(buckets, shared_bytes)
    book = book_digest(book_buckets(engine.packing, given.orders), given.dropped)
    events = [step.events_digest for step in run.steps]
    digest = tick_digest(given.tick, engine.rules.name, book, events, state)
    return TickResult(given.tick, shared_bytes, run.slices, run.steps, run.pages, state, book, digest, run.context)


class _Run:
    """A tick under way in memory."""

    def __init__(self, engine: Engine, given: TickInput, context: Context[Any, Any]) -> None:
        self._engine = engine
        self._given = given
        self.context = context
        self.slices = list(given.slices)
        self.steps: list[StepTrace] = []
        self.pages: dict[str, list[bytes]] = {camp: [] for camp in engine.rules.camps}
        self._orders = self._by_slice((booked.home, booked) for booked in given.orders)
        self._mail: list[list[bytes]] = [[] for _ in self.slices]

    def _by_slice(self, items: Iterable[tuple[str, Any]]) -> list[list[Any]]:
        found: list[list[Any]] = [[] for _ in self.slices]
        for key, item in items:
            found[slice_of_key(key, len(self.slices))].append(item)
        return found

    def amend(self) -> None:
        """Carry out the amendments, as a step before the first."""
        count = PhaseCount()
        events: list[bytes] = []
        reports = Reports(self._engine.projector, self._engine.rules.camps, "amendments")
        for amendment in self._given.amendments:
            event = amendment.event
            if amendment.home:
                self._amend_home(amendment.home, event)
            else:
                self._engine.rules.evolve_shared[type(event)](self.context.shared, event)
            line = canonical(event)
            events.append(line)
            reports.add(event, line)
            count.count(event)
        self._publish(reports.pages())
        digest = events_digest({}, digest_of_items(events))
        self.steps.append(StepTrace("amendments", digest, events, {"amendments": count}))

    def _amend_home(self, key: str, event: Event) -> None:
        place = slice_of_key(key, len(self.slices))
        piece = Slice.parse(self.slices[place])
        line = piece.lines.get(key)
        home = self._engine.rules.evolve[type(event)](None if line is None else self._engine.read_home(line), event)
        if home is None:
            piece.lines.pop(key, None)
        else:
            piece.lines[key] = canonical(home)
        self.slices[place] = Slice.of(piece.lines).to_bytes()

    def superstep(self, superstep: Superstep) -> None:
        sums = Sums()
        count = PhaseCount()
        sent: list[tuple[str, bytes]] = []
        digests: dict[int, bytes] = {}
        events: list[bytes] = []
        for i, data in enumerate(self.slices):
            mail = self._engine.read_mail(self._mail[i])
            result = self._engine.play_slice(superstep, data, self._orders[i], mail, self.context, self._given.dropped)
            if result.homes is not None:
                self.slices[i] = result.homes.to_bytes()
            sums.merge(result.sums)
            count.add(result.count)
            sent.extend(result.mail)
            digests.update(result.event_digests())
            for text in result.events.values():
                events.extend(text.split(b"\n"))
            self._publish(result.pages)
        self._mail = self._by_slice(sent)
        settled = self._engine.settle(superstep, self.context.shared, sums, self.context)
        _, shared = self._engine.keep_shared(self.context.shared)
        self.context = replace(self.context, shared=shared)
        self._publish(settled.pages)
        counts = {superstep.phase: count}
        for phase, more in settled.counts.items():
            counts.setdefault(phase, PhaseCount()).add(more)
        digest = events_digest(digests, settled.event_digest())
        self.steps.append(StepTrace(superstep.phase, digest, events + settled.events, counts))

    def _publish(self, pages: Mapping[str, list[bytes]]) -> None:
        for camp, more in pages.items():
            self.pages[camp].extend(more)
