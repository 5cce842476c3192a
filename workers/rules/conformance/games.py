"""The games that the kit plays: bundles that an author gives, and campaigns that the rulebook's own `sample` plays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec

from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice, State, View, cut, slice_of_key
from workers.kernel.errors import InvalidInput
from workers.kernel.ids import Ids, id_key, tick_seed
from workers.kernel.orders import Booked, Booking
from workers.kernel.tick import TickInput, TickResult, context_of, resolve
from workers.rules.bundle import load_bundle
from workers.rules.conformance.errors import without_error
from workers.rules.contract import Rulebook, Sight, view_of
from workers.rules.resources import parse_scenario, scenario_text

CAMPAIGN_SEED = bytes(range(32))
"""The seed of the campaigns that the kit makes up."""


@dataclass(frozen=True, slots=True)
class Game:
    """One tick to resolve, with its name for messages."""

    name: str
    given: TickInput

    def lines(self) -> dict[str, bytes]:
        """The canonical bytes of each home at the tick's start."""
        return lines_of(self.given.slices)

    def state(self, engine: Engine) -> State[Any]:
        """A fresh copy of the state at the tick's start: who gets it may change it."""
        return state_of(engine, self.given.shared, self.lines())

    def with_orders(self, orders: Iterable[Booked[Any, Any]]) -> "Game":
        """The same tick with other orders and nothing dropped."""
        return replace(self, given=replace(self.given, orders=tuple(orders), dropped=frozenset()))

    def with_state(self, state: State[Any]) -> "Game":
        """The same tick from another state."""
        slices = [piece.to_bytes() for piece in cut(state.homes.items(), len(self.given.slices))]
        return replace(self, given=replace(self.given, shared=canonical(state.shared), slices=slices))

    def with_seed(self, seed: bytes) -> "Game":
        """The same tick with other dice."""
        return replace(self, given=replace(self.given, tick_seed=seed))

    def with_slices(self, slices: int) -> "Game":
        """The same tick with its homes cut into another number of slices (a power of two up to 256)."""
        parts: list[dict[str, bytes]] = [{} for _ in range(slices)]
        for key, line in self.lines().items():
            parts[slice_of_key(key, slices)][key] = line
        return replace(self, given=replace(self.given, slices=[Slice.of(part).to_bytes() for part in parts]))


def lines_of(slices: Iterable[bytes]) -> dict[str, bytes]:
    """The canonical bytes of each home in stored slices."""
    return {key: line for data in slices for key, line in Slice.parse(data).lines.items()}


def state_of(engine: Engine, shared: bytes, lines: Mapping[str, bytes]) -> State[Any]:
    """The state of canonical bytes."""
    return State(engine.read_shared(shared), {key: engine.read_home(line) for key, line in lines.items()})


def game_from_bundle(rulebook: Rulebook, name: str, text: bytes) -> Game:
    """The game of a bundle. Raises InvalidInput naming the field, also for a bundle of another rulebook."""

    def find(wanted: str) -> Rulebook:
        if wanted != rulebook.name:
            raise InvalidInput("rulebook", f"a game of {wanted!r}", repr(rulebook.name))
        return rulebook

    return Game(name, load_bundle(text, find).given)


def self_played(rulebook: Rulebook, scenario: str, ticks: int, settings: Any = None) -> Iterator[Game]:
    """The first ticks of a scenario that ships, played by the rulebook's `sample`: tick 0 is the set-up.

    `settings` stand instead of the scenario's own, if given. Raises ConformanceError naming the game from whatever the
    rulebook raises.
    """
    made: Any = parse_scenario(rulebook, scenario_text(rulebook, scenario))
    made = made if settings is None else msgspec.structs.replace(made, settings=settings)
    engine = Engine(rulebook)
    key = id_key(CAMPAIGN_SEED)
    state = without_error(f"{scenario}, founded", partial(rulebook.found, made, Ids(key)))
    shared = canonical(state.shared)
    slices: Sequence[bytes] = [piece.to_bytes() for piece in cut(state.homes.items(), 4)]
    for tick in range(ticks + 1):
        given = TickInput(tick, tick_seed(CAMPAIGN_SEED, tick), key, made.settings, shared, slices)
        game = Game(f"{scenario}, tick {tick}", given)
        if tick > 0:
            drawn = without_error(f"{game.name}, sampled", partial(sampled, rulebook, engine, game))
            game = game.with_orders(drawn.orders)
        yield game
        result = without_error(f"{game.name}, resolved", partial(resolve, engine, game.given))
        shared, slices = result.shared, result.slices


@dataclass(frozen=True, slots=True)
class Sampled:
    """What `sample` gave for a tick: the orders that are legal, booked, and a sentence for each that isn't."""

    orders: tuple[Booked[Any, Any], ...]
    problems: tuple[str, ...]


def sampled(rulebook: Rulebook, engine: Engine, game: Game) -> Sampled:
    """Book the orders of the rulebook's `sample` as intake would: each checked, its meters added up."""
    given = game.given
    context = context_of(given.tick, given.tick_seed, given.id_key, given.settings, None)
    state = game.state(engine)
    drawn = rulebook.sample(state.homes.values(), state.shared, given.settings, given.tick, context.dice)
    desk = Desk(rulebook, game.state(engine), given.settings, given.tick)
    problems: list[str] = []
    for index, (camp, actor, order) in enumerate(drawn):
        problem = desk.book(context.ids.order(given.tick, actor, "sample", index), camp, actor, order)
        if problem:
            problems.append(f"{game.name}: {actor!r} of {camp!r} with {order}: {problem}")
    return Sampled(tuple(desk.booked), tuple(problems))


class Desk:
    """Intake in small: checks orders on what their camp knows, and adds up meters."""

    def __init__(self, rulebook: Rulebook, state: State[Any], settings: Any, tick: int) -> None:
        self.booked: list[Booked[Any, Any]] = []
        self._rulebook = rulebook
        self._state = state
        self._sight = Sight(rulebook, tick, settings, state.shared)
        self._mine: dict[tuple[str, str], list[Booked[Any, Any]]] = {}
        self._meters: dict[tuple[str, str], int] = {}

    def book(self, order_id: str, camp: str, actor: str, order: Any) -> str:
        """Book an order; returns why it can't be, or an empty text."""
        if camp not in self._rulebook.camps:
            return f"no camp {camp!r}"
        answer = self._rulebook.check(order, self.view(camp, order))
        if not isinstance(answer, Booking):
            return f"refused: {', '.join(refusal.code for refusal in answer)}"
        for cost in answer.costs:
            taken = self._meters.get((cost.place(answer.home), cost.meter), 0)
            if cost.amount > 0 and taken + cost.amount > cost.limit:
                return f"over the limit of meter {cost.meter!r}: {taken} + {cost.amount} > {cost.limit}"
        for cost in answer.costs:
            meter = (cost.place(answer.home), cost.meter)
            self._meters[meter] = self._meters.get(meter, 0) + cost.amount
        booked = Booked(order_id, answer.home, camp, actor, order, answer.facts, answer.costs)
        self.booked.append(booked)
        self._mine.setdefault((camp, answer.home), []).append(booked)
        return ""

    def view(self, camp: str, order: Any) -> View[Any, Any, Any]:
        """What intake hands to `check`: the camp's view of the keys that the order reads."""
        reads = self._rulebook.reads(order)
        homes = {key: self._state.homes.get(key) for key in reads.homes}
        mine = {key: tuple(self._mine[camp, key]) for key in reads.booked if (camp, key) in self._mine}
        return self._sight.view(camp, homes, mine)


def booked_by_home(orders: Iterable[Booked[Any, Any]], camp: str) -> dict[str, tuple[Booked[Any, Any], ...]]:
    """A camp's booked orders by home, in the order given."""
    found: dict[str, list[Booked[Any, Any]]] = {}
    for booked in orders:
        if booked.camp == camp:
            found.setdefault(booked.home, []).append(booked)
    return {home: tuple(mine) for home, mine in found.items()}


def full_view(rulebook: Rulebook, state: State[Any], given: TickInput, camp: str) -> View[Any, Any, Any]:
    """All that a camp knows at a tick's start, with no order booked."""
    return view_of(rulebook, camp, given.tick, given.settings, state.shared, state.homes)


def view_bytes(rulebook: Rulebook, state: State[Any], given: TickInput, camp: str) -> bytes:
    """The canonical bytes of all that a camp knows."""
    view = full_view(rulebook, state, given, camp)
    return canonical([view.shared, dict(view.homes)])


def end_state(engine: Engine, result: TickResult) -> State[Any]:
    """The state after a tick."""
    return state_of(engine, result.shared, lines_of(result.slices))


def names_in(plain: Any) -> Iterator[str]:
    """What in plain data names an entity: the values of fields called `id`, and the keys of mappings of records."""
    if isinstance(plain, Mapping):
        for key, value in plain.items():
            if key == "id" and isinstance(value, str):
                yield value
            if isinstance(value, Mapping):
                yield str(key)
            yield from names_in(value)
    elif isinstance(plain, list | tuple):
        for value in plain:
            yield from names_in(value)


class _Page(msgspec.Struct):
    phase: str
    facts: list[msgspec.Raw]


_PAGES: msgspec.json.Decoder[_Page] = msgspec.json.Decoder(_Page)


def facts_of(pages: Iterable[bytes]) -> list[tuple[str, bytes]]:
    """What a camp reads, fact by fact, with its phase: the same however the facts are cut into pages."""
    decoded = [_PAGES.decode(page) for page in pages]
    return [(page.phase, bytes(fact)) for page in decoded for fact in page.facts]
