"""The homes of one slice, played one after another: what each has to do, and what its events lead to."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from workers.kernel.digest import canonical
from workers.kernel.entities import Slice
from workers.kernel.events import Event, Mail, OrderDropped, Plan, Projector
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Sums, Superstep
from workers.kernel.reports import Reports

Evolve = Callable[[Any, Any], Any]
Tally = Callable[[Any, Sums], None]

_by_id = attrgetter("id")


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


@dataclass(frozen=True, slots=True)
class Effect:
    """All that events of one type lead to, looked up once an event: how they change a home, what they add to sums, how
    they are projected; whether they are mail, and whether they say that an order was void.
    """

    change: Evolve | None
    tally: Tally | None
    plan: Plan
    mail: bool
    void: bool


class Effects(dict[type[Event], Effect]):
    """The effects of a rulebook's events by their type, each worked out when it is first looked up. Looking up a type
    that wasn't declared raises RulebookError.
    """

    def __init__(self, evolve: Mapping[type[Event], Evolve], tally: Mapping[type[Event], Tally], projector: Projector):
        super().__init__()
        self._evolve = evolve
        self._tally = tally
        self._projector = projector

    def __missing__(self, kind: type[Event]) -> Effect:
        plan = self._projector.plan(kind)
        effect = Effect(self._evolve.get(kind), self._tally.get(kind), plan, issubclass(kind, Mail), kind.void)
        self[kind] = effect
        return effect


@dataclass(frozen=True, slots=True)
class Work:
    """What the homes of a slice have to do in a superstep, by key: live orders and dropped ones, each in ascending id,
    and mail in the order in which it came.
    """

    orders: Mapping[str, list[Booked[Any, Any]]]
    mail: Mapping[str, list[Mail]]
    dropped: Mapping[str, list[Booked[Any, Any]]]

    def __bool__(self) -> bool:
        """Whether any home has something to do."""
        return bool(self.orders or self.mail or self.dropped)

    def named(self) -> set[str]:
        """The keys of all homes that have something to do."""
        return {*self.orders, *self.mail, *self.dropped}


def gather(
    superstep: Superstep, orders: Iterable[Booked[Any, Any]], mail: Iterable[Mail], dropped: frozenset[str]
) -> Work:
    """What there is to do, given the live orders, in any order, of kinds that the superstep plays and others; the mail;
    and the ids of the orders that an operator took out, of which the first superstep tells.
    """
    work = Work(defaultdict(list), defaultdict(list), defaultdict(list))
    kinds = superstep.homes.orders
    plays: dict[type, bool] = {}
    for booked in orders:
        if booked.id in dropped:
            if superstep.index == 0:
                work.dropped[booked.home].append(booked)
            continue
        kind = type(booked.order)
        if kind not in plays:
            plays[kind] = issubclass(kind, kinds)
        if plays[kind]:
            work.orders[booked.home].append(booked)
    for letter in mail:
        work.mail[letter.to].append(letter)
    for of_home in (*work.orders.values(), *work.dropped.values()):
        if len(of_home) > 1:
            of_home.sort(key=_by_id)
    return work


class Play:
    """The run of one superstep over homes, whose lines it changes; its results are gathered here.

    `made`: whether a home came into being; `changed`: whether the bytes of any changed since it was set to False.
    """

    __slots__ = (
        "_context",
        "_decide",
        "_effects",
        "_lines",
        "_read_home",
        "changed",
        "count",
        "made",
        "mail",
        "reports",
        "sums",
    )

    def __init__(
        self,
        superstep: Superstep,
        context: Context[Any, Any],
        piece: Slice,
        reports: Reports,
        effects: Effects,
        read_home: Callable[[bytes], Any],
    ) -> None:
        self._decide = superstep.homes.decide
        self._context = context
        self._lines = piece.lines
        self._effects = effects
        self._read_home = read_home
        self.reports = reports
        self.sums = Sums()
        self.mail: list[tuple[str, bytes]] = []
        self.count = PhaseCount()
        self.changed = False
        self.made = False

    def homes(self, keys: Iterable[str], work: Work, everywhere: bool) -> list[bytes]:
        """Play those homes that have something to do, and those that are there if all are visited, in the order of
        their keys. Returns the lines of their events.

        Raises RulebookError for an event of an undeclared type.
        """
        # This is the hot loop of a tick: once a home, once an event.
        lines, effects, decide, context = self._lines, self._effects, self._decide, self._context
        orders_of, mail_of, dropped_of = work.orders, work.mail, work.dropped
        sums, tell = self.sums, self.reports.tell
        told: list[bytes] = []
        event: Any
        for key in keys:
            if key in dropped_of:
                self._tell_dropped(dropped_of[key], told)
            line = lines.get(key)
            orders, letters = orders_of.get(key, ()), mail_of.get(key, ())
            if not (orders or letters or (everywhere and line is not None)):
                continue
            home = None if line is None else self._read_home(line)
            evolved = False
            for event in decide(home, orders, letters, context):
                effect = effects[type(event)]
                if effect.change is not None:
                    home = effect.change(home, event)
                    evolved = True
                text = canonical(event)
                told.append(text)
                tell(effect.plan, event, text)
                if effect.tally is not None:
                    effect.tally(event, sums)
                if effect.mail:
                    self.mail.append((event.to, text))
                if effect.void:
                    self.count.void += 1
            if evolved:
                self._keep(key, line, home)
        self.count.events += len(told)
        return told

    def _tell_dropped(self, orders: Iterable[Booked[Any, Any]], told: list[bytes]) -> None:
        """Tell of orders that an operator took out: facts, and nothing that changes anything."""
        for booked in orders:
            event = OrderDropped(booked.camp, booked.actor, booked.id)
            text = canonical(event)
            told.append(text)
            self.reports.add(event, text)
            self.count.void += 1

    def _keep(self, key: str, line: bytes | None, home: Any) -> None:
        """Write a home that events changed; None: it is gone."""
        if home is None:
            self.changed |= self._lines.pop(key, None) is not None
            return
        after = canonical(home)
        self._lines[key] = after
        self.made |= line is None
        self.changed |= after != line
