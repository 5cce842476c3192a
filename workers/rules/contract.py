"""The rulebook contract: a rulebook is a value, one frozen record, checked when it is registered.

*See, decide, evolve, project*: replay, what-if, audit, fog and reports all follow from these. Everything in a
rulebook is pure: it reads what it is given, and neither the clock, the environment, a file nor randomness. `check`
and `odds` receive a camp's `View`, which holds only what `see` gave, and can't receive the state.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.digest import digest_of_parts
from workers.kernel.engine import Evolve, Tally
from workers.kernel.entities import Reads, State, View
from workers.kernel.errors import Refusal, RulebookError
from workers.kernel.events import KERNEL_EVENTS, Event, Mail, readers_of, tag_of
from workers.kernel.ids import Ids
from workers.kernel.odds import Odds
from workers.kernel.orders import Booking, Order
from workers.kernel.phases import Homes, Phase, Shared, supersteps

LANGUAGES = ("en", "fr")
"""The languages in which every rulebook speaks."""

SeeHome = Callable[[Any, Any, str], Any]
"""`see(home, shared, camp)`: what the camp knows of the home, or None."""
SeeShared = Callable[[Any, str], Any]
"""`see_shared(shared, camp)`: what the camp knows of the shared record."""
Check = Callable[[Any, View[Any, Any, Any]], Booking | tuple[Refusal, ...]]
"""`check(order, view)`: a booking, or at least one refusal."""


class Verdict(msgspec.Struct, frozen=True):
    """The end of a campaign: the winning camp (empty: nobody wins) and why, as a key of the words' terms."""

    winner: str
    reason: str


def no_verdict(shared: Any, settings: Any, tick: int) -> Verdict | None:
    """A rulebook whose campaigns end by the operator's word alone."""
    return None


def no_state_for_amendments(event: Any) -> str:
    """Amendments that change the shared record alone."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """A whole game, as data and pure functions."""

    name: str
    """The import name: lower-case letters, digits and underscores."""
    version: str
    """Changes with every change of behaviour; recorded with each tick."""
    package: str
    """The package that holds `words/<language>.toml` and `scenarios/<name>.toml`."""
    camps: tuple[str, ...]
    """The camps, each with a report stream of its own; at least one."""
    settings: type[msgspec.Struct]
    """Every number that is ours to choose, each with a default and bounds."""
    scenario: type[msgspec.Struct]
    """How a campaign starts, as a game designer writes it: has the fields `title` and `settings`."""
    orders: tuple[type[Order], ...]
    """The kinds of order, each tagged with its name (`kind`)."""
    facts: type[msgspec.Struct] | None = None
    """What `check` hands to the resolver beside the order (an array-like record), if any."""
    home: type[msgspec.Struct]
    """The record of a home; has a field `id`. Several kinds of home are one record with optional parts."""
    shared: type[msgspec.Struct]
    """The record that all read."""
    events: tuple[type[Event], ...]
    """Every type of event, mail and amendments included, each tagged with its name (`event`)."""
    phases: tuple[Phase, ...]
    """The tick, in order."""
    opening: tuple[Phase, ...]
    """Tick 0, the set-up: what happens to a founded state before tick 1 opens (with tick 0's dice)."""
    found: Callable[[Any, Ids], State[Any]]
    """`found(scenario, ids)`: the first state. Raises InvalidInput naming the scenario's field."""
    generate: Callable[[int, Dice], Any]
    """`generate(size, dice)`: a scenario with about `size` homes, drawn from the dice; one text for one seed."""
    sample: Callable[[Iterable[Any], Any, Any, int, Dice], Iterator[tuple[str, str, Any]]]
    """`sample(homes, shared, settings, tick, dice)`: legal orders for a tick as (camp, actor, order), about two a
    character or unit, drawn from the dice: what plays the game in the demo, the bench and the conformance kit."""
    scenarios: tuple[str, ...]
    """The names of the scenarios that ship; the first is the demo's."""
    reads: Callable[[Any], Reads]
    """`reads(order)`: the keys whose seen state `check` and `odds` need."""
    commands: Callable[[Any], tuple[str, ...]]
    """`commands(order)`: the entities that the order commands; an actor's token must list them all."""
    see: SeeHome
    see_shared: SeeShared
    check: Check
    evolve: Mapping[type[Event], Evolve]
    """By type of event, `change(home, event)`: changes the home in place and returns it; given None it may return a new
    home; returning None removes the home. An event without a row changes no home."""
    evolve_shared: Mapping[type[Event], Evolve]
    """By type of event, `change(shared, event)`: changes the shared record in place (only events of `Shared` steps and
    amendments without a home reach it)."""
    tally: Mapping[type[Event], Tally]
    """By type of event, `add(event, sums)`: what the event adds to shared entities."""
    odds: Callable[[Any, View[Any, Any, Any]], Odds]
    """`odds(order, view)`: exact odds of an order's own roll, computed on what the camp knows."""
    amendments: Mapping[type[Event], Callable[[Any], str]] = field(default_factory=dict)
    """The events that an operator may add, each with `home_of(event)`: the key of the home that it changes, or empty
    for the shared record."""
    verdict: Callable[[Any, Any, int], Verdict | None] = no_verdict
    """`verdict(shared, settings, tick)`: the campaign's end, if tick `tick` was its last."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The tables of the rules, as plain data: part of the fingerprint."""

    def fingerprint(self) -> str:
        """One text for what this rulebook is: name, version and data. Workers of another fingerprint refuse a tick."""
        parts = {"name": self.name, "version": self.version, "data": dict(self.data)}
        return digest_of_parts("tocsin/rulebook", parts)


SIGHT_HOMES = 4_096
"""Homes of which a sight keeps what camps know."""


class Sight:
    """The only way from state to a view. What a camp knows of the shared record is worked out once, however many of its
    orders are checked on it, and of a home once for orders that follow each other. The state isn't changed meanwhile.
    """

    __slots__ = ("_homes", "_rulebook", "_seen", "_settings", "_shared", "_tick")

    def __init__(self, rulebook: Rulebook, tick: int, settings: Any, shared: Any) -> None:
        self._rulebook = rulebook
        self._tick = tick
        self._settings = settings
        self._shared = shared
        self._seen: dict[str, Any] = {}
        self._homes: dict[tuple[str, str], Any] = {}

    def view(
        self, camp: str, homes: Mapping[str, Any], booked: Mapping[str, tuple[Any, ...]] | None = None
    ) -> View[Any, Any, Any]:
        """What a camp knows of the homes given (None for one that doesn't exist) and of the shared record."""
        known = {
            key: what
            for key, home in homes.items()
            if home is not None and (what := self._of_home(camp, key, home)) is not None
        }
        if camp not in self._seen:
            self._seen[camp] = self._rulebook.see_shared(self._shared, camp)
        return View(camp, self._tick, self._settings, self._seen[camp], known, dict(booked or {}))

    def _of_home(self, camp: str, key: str, home: Any) -> Any:
        place = (camp, key)
        if place not in self._homes:
            if len(self._homes) >= SIGHT_HOMES:
                self._homes.clear()
            self._homes[place] = self._rulebook.see(home, self._shared, camp)
        return self._homes[place]


def view_of(
    rulebook: Rulebook,
    camp: str,
    tick: int,
    settings: Any,
    shared: Any,
    homes: Mapping[str, Any],
    booked: Mapping[str, tuple[Any, ...]] | None = None,
) -> View[Any, Any, Any]:
    """The view of one camp: see `Sight.view`, which is for several."""
    return Sight(rulebook, tick, settings, shared).view(camp, homes, booked)


def check_rulebook(rulebook: Rulebook) -> None:
    """Raise RulebookError, naming what is wrong, unless the record keeps the contract."""

    def demand(condition: bool, problem: str) -> None:
        if not condition:
            raise RulebookError(str(getattr(rulebook, "name", "?")), problem)

    demand(isinstance(rulebook, Rulebook), f"the entry point gives a {type(rulebook).__name__}, a Rulebook is accepted")
    demand(rulebook.name.isidentifier() and rulebook.name.islower(), "the name is a lower-case identifier")
    demand(bool(rulebook.version), "the version is not empty")
    demand(bool(rulebook.camps) and len(set(rulebook.camps)) == len(rulebook.camps), "camps are distinct, at least one")
    for camp in rulebook.camps:
        demand(camp.isidentifier() and camp.islower(), f"camp {camp!r} is a lower-case identifier")
    demand("id" in rulebook.home.__struct_fields__, "the home record has a field `id`")
    for name in ("title", "settings"):
        demand(name in rulebook.scenario.__struct_fields__, f"the scenario record has a field {name!r}")
    demand(bool(rulebook.scenarios), "at least one scenario ships")
    _check_defaults(rulebook, demand)
    _check_orders(rulebook, demand)
    _check_events(rulebook, demand)
    _check_phases(rulebook, demand)


Demand = Callable[[bool, str], None]


def _check_defaults(rulebook: Rulebook, demand: Demand) -> None:
    try:
        made = rulebook.settings()
    except TypeError as error:
        demand(False, f"every setting has a default ({error})")
        return
    try:
        msgspec.convert(msgspec.to_builtins(made), rulebook.settings)
    except msgspec.ValidationError as error:
        demand(False, f"the settings' defaults are within their bounds ({error})")


def _check_orders(rulebook: Rulebook, demand: Demand) -> None:
    demand(bool(rulebook.orders), "at least one kind of order")
    tags = [tag_of(kind) for kind in rulebook.orders]
    demand(len(set(tags)) == len(tags), "no two kinds of order share a tag")
    for kind in rulebook.orders:
        demand(issubclass(kind, Order), f"order {kind.__name__} is an Order")
        demand(bool(kind.__struct_config__.frozen), f"order {kind.__name__} is frozen")
        bases = [base.__name__ for base in kind.__mro__[1:] if base in rulebook.orders]
        demand(not bases, f"no kind of order derives from another ({kind.__name__} from {bases})")
    if rulebook.facts is not None:
        demand(bool(rulebook.facts.__struct_config__.array_like), "the facts' record is array-like")


def _check_events(rulebook: Rulebook, demand: Demand) -> None:
    tags = [tag_of(kind) for kind in (*rulebook.events, *KERNEL_EVENTS)]
    demand(len(set(tags)) == len(tags), "no two types of event share a tag (nor one of the kernel's)")
    for kind in rulebook.events:
        demand(issubclass(kind, Event), f"event {kind.__name__} is an Event")
        demand(bool(kind.__struct_config__.frozen), f"event {kind.__name__} is frozen")
        try:
            readers = readers_of(kind)
        except TypeError as error:
            demand(False, str(error))
            return
        relative = [name for name, reader in readers.items() if reader.name in ("own", "other")]
        demand(
            not relative or "camp" in readers, f"event {kind.__name__} has a field `camp` (its {relative} depend on it)"
        )
        if issubclass(kind, Mail):
            demand(kind not in rulebook.evolve, f"mail {kind.__name__} changes no home: its reader's events do")
    for table in ("evolve", "evolve_shared", "tally", "amendments"):
        for kind in getattr(rulebook, table):
            demand(kind in rulebook.events, f"`{table}` has a row for {kind.__name__}, which is not among the events")
    for kind in rulebook.amendments:
        changes = kind in rulebook.evolve or kind in rulebook.evolve_shared
        demand(changes, f"amendment {kind.__name__} changes nothing: no table has a row for it")


def _check_phases(rulebook: Rulebook, demand: Demand) -> None:
    demand(bool(rulebook.phases), "at least one phase")
    names = [phase.name for phase in rulebook.phases]
    demand(len(set(names)) == len(names), "no two phases share a name")
    for phase in (*rulebook.phases, *rulebook.opening):
        demand(bool(phase.steps), f"phase {phase.name!r} has a step")
        demand(all(isinstance(step, Homes | Shared) for step in phase.steps), f"phase {phase.name!r} has steps only")
    for table in (rulebook.phases, rulebook.opening):
        try:
            supersteps(table)
        except ValueError as error:
            demand(False, str(error))
    played = {
        kind for phase in rulebook.phases for step in phase.steps if isinstance(step, Homes) for kind in step.orders
    }
    missing = sorted(tag_of(kind) for kind in rulebook.orders if kind not in played)
    demand(not missing, f"each kind of order is played by a phase; none plays {missing}")
