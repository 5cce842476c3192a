"""A gaming table for tests: set up a tick of the Veil, give each order the roll that it shall have, resolve, and read.

Dice are never replaced: an order's roll follows from its id, so an order gets an id that rolls what the test needs.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice, State, cut
from workers.kernel.events import KERNEL_EVENTS, Event
from workers.kernel.ids import Ids, id_key, tick_seed
from workers.kernel.orders import Booked, Booking, union_of
from workers.kernel.tick import Amendment, TickInput, TickResult, resolve
from workers.rules.contract import view_of
from workers.rules.veil import RULEBOOK
from workers.rules.veil.entities import City, Intel, Mission, Servant, Superior, Weights, Zone
from workers.rules.veil.events import EVENTS
from workers.rules.veil.orders import AnyOrder
from workers.rules.veil.settings import Settings

EventT = TypeVar("EventT", bound=Event)

ENGINE = Engine(RULEBOOK)
SEED = bytes(range(32))
IDS = Ids(id_key(SEED))
TICK = 5
_EVENT: msgspec.json.Decoder[Any] = msgspec.json.Decoder(union_of((*EVENTS, *KERNEL_EVENTS)))

SUPERIORS = {
    "michel": Superior("michel", "Michel", "angel", Weights(1, 1, 1, 1, 1, 1)),
    "yves": Superior("yves", "Yves", "angel", Weights(social=1), covers_on_any_success=True),
    "georges": Superior("georges", "Georges", "angel", Weights(violent=1), routine=True),
    "orvaline": Superior("orvaline", "Orvaline", "demon", Weights(1, 1, 1, 1, 1, 1)),
}


class Table:
    """A tick in the making."""

    def __init__(self, tick: int = TICK, zones: str = "north south", **settings: int) -> None:
        self.tick = tick
        self.settings = Settings(**settings)
        self.zones = {name: Zone(name, name.title()) for name in zones.split()}
        self.city = City(self.zones, SUPERIORS, 0)
        self.servants: dict[str, Servant] = {}
        self.orders: list[Booked[Any, Any]] = []
        self.amendments: list[Amendment] = []
        self.seed = tick_seed(SEED, tick)
        self.dice = Dice(self.seed)

    def servant(self, name: str, camp: str = "angel", superior: str = "", **fields: Any) -> Servant:
        """A servant with every characteristic 2, every talent 1 and 5 power points, where nothing else is said."""
        superior = superior or ("michel" if camp == "angel" else "orvaline")
        stats = dict.fromkeys(("body", "mind", "soul", "speech"), 2)
        stats |= dict.fromkeys(("violence", "stealth", "smooth_talk", "occult", "machines", "investigation"), 1)
        held = msgspec.convert({"id": name, "camp": camp, "superior": superior, "pp": 5, **stats, **fields}, Servant)
        self.servants[name] = held
        self.city.servants += 1
        return held

    def mission(
        self, servant: str, zone: str = "north", approach: Any = "social", base: int = 12, **fields: Any
    ) -> str:
        """A mission in preparation, assigned in the tick before; returns its id."""
        held = self.servants[servant].missions
        name = f"m-{servant}-{len(held)}"
        held.append(Mission(name, zone, approach, base, fields.pop("assigned", self.tick - 1), **fields))
        return name

    def intel(self, camp: str, zone: str, through: int, coverage: bool = False, **fields: int) -> Intel:
        """What a camp holds on a zone."""
        held = Intel(through, coverage, **fields)
        self.city.intel = {**self.city.intel, camp: {**self.city.intel.get(camp, {}), zone: held}}
        return held

    def roll_id(self, kind: str, roll: int, fits: Callable[[str], bool] = lambda order_id: True) -> str:
        """An order id, not used yet, whose roll of this kind is the one given."""
        faces = tuple(int(digit) for digit in str(roll))
        taken = {booked.id for booked in self.orders}
        for number in range(100_000):
            order_id = f"{kind}-{number}"
            if order_id not in taken and fits(order_id) and self.dice.d6(f"{kind}/{order_id}/roll", 3) == faces:
                return order_id
        raise AssertionError(f"no id found that rolls {roll}")

    def order(
        self, order: AnyOrder, roll: int | None = None, fits: Callable[[str], bool] = lambda order_id: True
    ) -> str:
        """Book an order, whether or not it is legal, so that it rolls what is given; returns its id."""
        kind = order.KIND.name
        order_id = f"{kind}-any-{len(self.orders)}" if roll is None else self.roll_id(kind, roll, fits)
        camp = self.servants[order.servant].camp if order.servant in self.servants else "angel"
        self.orders.append(Booked(order_id, order.servant, camp, order.servant, order, None))
        return order_id

    def amend(self, event: Event) -> None:
        """Add an amendment."""
        self.amendments.append(Amendment(RULEBOOK.amendments[type(event)](event), event))

    def given(self, slices: int = 1) -> TickInput:
        """The tick as the interpreter takes it."""
        return TickInput(
            tick=self.tick,
            tick_seed=self.seed,
            id_key=IDS.key,
            settings=self.settings,
            shared=canonical(self.city),
            slices=[piece.to_bytes() for piece in cut(self.servants.items(), slices)],
            orders=tuple(self.orders),
            amendments=tuple(self.amendments),
        )

    def resolve(self, slices: int = 1) -> "Told":
        """Resolve the tick."""
        return Told(resolve(ENGINE, self.given(slices)))

    def check(self, order: AnyOrder, camp: str = "angel") -> Any:
        """What intake says of an order: a booking, or refusals."""
        return RULEBOOK.check(order, self.view(order, camp))

    def refusal(self, order: AnyOrder, camp: str = "angel") -> tuple[str, str]:
        """The code and field of the only refusal of an order; empty where it is accepted."""
        answer = self.check(order, camp)
        if isinstance(answer, Booking):
            return "", ""
        (refused,) = answer
        return refused.code, refused.field

    def view(self, order: AnyOrder, camp: str = "angel") -> Any:
        """What intake hands to `check` and `odds`."""
        homes = {key: self.servants.get(key) for key in RULEBOOK.reads(order).homes}
        return view_of(RULEBOOK, camp, self.tick, self.settings, self.city, homes)


class Told:
    """A resolved tick, to be read."""

    def __init__(self, result: TickResult) -> None:
        self.result = result
        self.events = [_EVENT.decode(line) for step in result.steps for line in step.events]
        state = State(ENGINE.read_shared(result.shared), {})
        for data in result.slices:
            for key, line in Slice.parse(data).lines.items():
                state.homes[key] = ENGINE.read_home(line)
        self.city: City = state.shared
        self.servants: dict[str, Servant] = state.homes

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

    def phase_of(self, kind: type[Event]) -> list[str]:
        """The phases whose supersteps had an event of a type (a shared step counts to the superstep before it)."""
        return [
            step.phase
            for step in self.result.steps
            if any(isinstance(_EVENT.decode(line), kind) for line in step.events)
        ]

    def report(self, camp: str, tag: str = "") -> list[dict[str, Any]]:
        """The facts that a camp reads, those of one tag if one is given, in order."""
        facts = [fact for page in self.result.pages[camp] for _, fact in msgspec.json.decode(page)["facts"]]
        return [fact for fact in facts if not tag or fact["event"] == tag]

    def pages(self, camp: str) -> list[tuple[str, Any, dict[str, Any]]]:
        """All that a camp is sent, in order: the phase on the page, whom the fact is about, the fact."""
        pages = [msgspec.json.decode(page) for page in self.result.pages[camp]]
        return [(page["phase"], about, fact) for page in pages for about, fact in page["facts"]]

    def influence(self, zone: str = "north") -> int:
        """A zone's influence."""
        return self.city.zones[zone].influence


def next_tick(told: Told, table: Table) -> Table:
    """The table of the tick after: the state that this one left, and no orders yet."""
    after = Table(table.tick + 1)
    after.settings = table.settings
    after.city = told.city
    after.zones = told.city.zones
    after.servants = told.servants
    return after
