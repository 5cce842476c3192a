"""A city in small for tests: set up a tick of the Uprising, resolve it, read what happened.

Dice are never replaced: a test that needs an outcome says which, and the board looks for a tick seed that brings it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice, State, View, cut
from workers.kernel.events import KERNEL_EVENTS, Event
from workers.kernel.ids import Ids, id_key, tick_seed
from workers.kernel.odds import Odds
from workers.kernel.orders import Booked, Booking, union_of
from workers.kernel.tick import Amendment, TickInput, TickResult, resolve
from workers.rules.contract import view_of
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.cards import Boon, Card
from workers.rules.uprising.entities import City, District, Faction, Gauges, Ground, Influence, Prison, Unit
from workers.rules.uprising.events import EVENTS
from workers.rules.uprising.orders import AnyOrder
from workers.rules.uprising.settings import Settings
from workers.rules.uprising.tables import SIDES, STANDARD_ASSETS, STANDARD_CARDS

EventT = TypeVar("EventT", bound=Event)

ENGINE = Engine(RULEBOOK)
SEED = bytes(range(32))
IDS = Ids(id_key(SEED))
TICK = 3
SEEDS = 2_000
_EVENT: msgspec.json.Decoder[Any] = msgspec.json.Decoder(union_of((*EVENTS, *KERNEL_EVENTS)))


class Board:
    """A tick in the making: districts in a row, each the neighbour of the next, unless `ground` says otherwise."""

    def __init__(self, districts: str = "north south", tick: int = TICK, **settings: int) -> None:
        names = districts.split()
        self.tick = tick
        self.settings = Settings(**settings)
        self.homes = {name: District(name, Influence(30, 30)) for name in names}
        rows = zip(["", *names], names, [*names[1:], ""], strict=False)
        self.city = City(
            heat=20,
            gauges={side: Gauges(40, (Faction("order", 50, order=side == "law"),)) for side in SIDES},
            boons=dict.fromkeys(SIDES, ()),
            cards={card.id: card for card in STANDARD_CARDS},
            ground={name: Ground("", tuple(filter(None, (before, after)))) for before, name, after in rows},
        )
        self.orders: list[Booked[Any, Any]] = []
        self.amendments: list[Amendment] = []
        self.seed = tick_seed(SEED, tick)

    # What there is

    def unit(self, name: str, side: Any = "revolution", force: int = 1, at: str = "north", **sheet: Any) -> Unit:
        """A revealed troop of Force 1, where nothing else is said."""
        held = Unit(id=name, camp=side, force=force, **{"nature": "troop", **sheet})
        self.homes[at].units[name] = held
        return held

    def card(self, name: str, kind: Any, **says: Any) -> Card:
        """One more card."""
        self.city.cards[name] = Card(name, kind, **says)
        return self.city.cards[name]

    def boon(self, side: Any, name: str, **gives: Any) -> None:
        """One more upgrade or asset of a side."""
        boon = STANDARD_ASSETS[name] if name in STANDARD_ASSETS else Boon(name, **gives)
        self.city.boons = {**self.city.boons, side: (*self.city.boons[side], boon)}

    def prison(self, at: str, holder: Any) -> None:
        """A prison, held by a side since before the tick."""
        self.city.prisons[at] = Prison(holder, holder)

    def order(self, order: AnyOrder, side: str | None = None, name: str = "") -> str:
        """Book an order, legal or not, for its first unit's side; returns its id."""
        unit = next((home.units[order.units[0]] for home in self.homes.values() if order.units[0] in home.units), None)
        camp = side or (unit.camp if unit is not None else "revolution")
        order_id = name or f"{order.kind}-{len(self.orders)}"
        self.orders.append(Booked(order_id, order.district, camp, order.units[0], order, None))
        return order_id

    def amend(self, event: Event) -> None:
        """An operator's amendment."""
        self.amendments.append(Amendment(RULEBOOK.amendments[type(event)](event), event))

    # What comes of it

    def given(self, slices: int = 4) -> TickInput:
        """The tick as the interpreter takes it."""
        return TickInput(
            tick=self.tick,
            tick_seed=self.seed,
            id_key=IDS.key,
            settings=self.settings,
            shared=canonical(self.city),
            slices=[piece.to_bytes() for piece in cut(self.homes.items(), slices)],
            orders=tuple(self.orders),
            amendments=tuple(self.amendments),
        )

    def resolve(self, when: Callable[["Told"], bool] = lambda told: True) -> "Told":
        """The tick resolved, with the first of many seeds for which it comes out as asked."""
        for number in range(SEEDS):
            self.seed = tick_seed(SEED, self.tick + 1_000 * number)
            told = Told(resolve(ENGINE, self.given()))
            if when(told):
                return told
        raise AssertionError(f"none of {SEEDS} seeds brings that")

    @property
    def dice(self) -> Dice:
        """The dice of the tick that was resolved last."""
        return Dice(self.seed)

    # What intake says

    def view(self, order: AnyOrder, side: str) -> View[Any, Any, Any]:
        """What intake hands to `check` and `odds`, with the side's orders that are booked so far."""
        reads = RULEBOOK.reads(order)
        homes = {key: self.homes.get(key) for key in reads.homes}
        booked = {
            home: tuple(one for one in self.orders if one.home == home and one.camp == side) for home in reads.booked
        }
        return view_of(RULEBOOK, side, self.tick, self.settings, self.city, homes, booked)

    def check(self, order: AnyOrder, side: str = "revolution") -> Any:
        """A booking, or refusals."""
        return RULEBOOK.check(order, self.view(order, side))

    def refusal(self, order: AnyOrder, side: str = "revolution") -> str:
        """The code of the only refusal of an order, empty where it is accepted."""
        answer = self.check(order, side)
        if isinstance(answer, Booking):
            return ""
        (refused,) = answer
        return str(refused.code)

    def odds(self, order: AnyOrder, side: str = "revolution") -> Odds:
        """The odds that the side is given."""
        assert isinstance(self.check(order, side), Booking), self.check(order, side)
        return RULEBOOK.odds(order, self.view(order, side))


class Told:
    """A resolved tick, to be read."""

    def __init__(self, result: TickResult) -> None:
        self.result = result
        self.events = [_EVENT.decode(line) for step in result.steps for line in step.events]
        homes = {}
        for data in result.slices:
            for key, line in Slice.parse(data).lines.items():
                homes[key] = ENGINE.read_home(line)
        self.state: State[City] = State(ENGINE.read_shared(result.shared), homes)

    @property
    def city(self) -> City:
        """The shared record after the tick."""
        return self.state.shared

    def district(self, name: str = "north") -> District:
        """A district after the tick."""
        found: District = self.state.homes[name]
        return found

    def unit(self, name: str) -> Unit:
        """A unit after the tick, wherever it is; there is only one of its name."""
        (found,) = [home.units[name] for home in self.state.homes.values() if name in home.units]
        unit: Unit = found
        return unit

    def place(self, name: str) -> str:
        """The district where a unit is after the tick."""
        (found,) = [key for key, home in self.state.homes.items() if name in home.units]
        return found

    def all(self, kind: type[EventT], **fields: Any) -> list[EventT]:
        """The events of a type whose fields have the values given, in order."""
        return [
            event
            for event in self.events
            if isinstance(event, kind) and all(getattr(event, name) == value for name, value in fields.items())
        ]

    def one(self, kind: type[EventT], **fields: Any) -> EventT:
        """The only such event."""
        found = self.all(kind, **fields)
        assert len(found) == 1, found
        return found[0]

    def reasons(self) -> dict[str, str]:
        """Why orders are void, by id."""
        return {event.order: event.reason for event in self.events if event.void}

    def report(self, camp: str, tag: str = "") -> list[dict[str, Any]]:
        """The facts that a side reads, those of one tag if one is given, in order."""
        return [fact for _, fact in self.lines(camp) if not tag or fact["event"] == tag]

    def lines(self, camp: str) -> list[tuple[list[str] | None, dict[str, Any]]]:
        """The facts that a side reads, each with the entities that it is about."""
        return [tuple(line) for page in self.result.pages[camp] for line in msgspec.json.decode(page)["facts"]]

    def phases(self, camp: str) -> list[str]:
        """The phases of which a side reads anything, in order."""
        return [msgspec.json.decode(page)["phase"] for page in self.result.pages[camp]]


def after(told: Told, board: Board) -> Board:
    """The board of the tick after: the state that this one left, and no orders yet."""
    coming = Board(" ".join(board.homes), board.tick + 1)
    coming.settings = board.settings
    coming.city = told.city
    coming.homes = dict(told.state.homes)
    return coming


def names(units: Iterable[Any]) -> list[str]:
    """The ids of some forces or units."""
    return [getattr(unit, "unit", None) or unit.id for unit in units]


def values(terms: Iterable[Any]) -> Mapping[str, int]:
    """Terms by name."""
    return {term.name: term.value for term in terms}
