"""A toy rulebook for tests of the service and the HTTP face: two shores fish one lake by night.

A boat without a lamp is seen by its own shore only. An order fishes with 1..3 lines, or escorts another boat of its
shore that has an order of its own in the same tick.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.entities import Reads, State, View
from workers.kernel.errors import InvalidInput, Refusal
from workers.kernel.events import OWN, PUBLIC, PUBLIC_FACT, Event
from workers.kernel.ids import Ids
from workers.kernel.odds import Odds, Term, known_odds, unknown_odds
from workers.kernel.orders import Booked, Booking, Cost, Order
from workers.kernel.phases import Context, Homes, Phase, Shared, Sums
from workers.rules.contract import Rulebook

CAMPS = ("east", "west")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hands: Annotated[int, msgspec.Meta(ge=1, le=9, description="orders of a boat in a tick")] = 2


class ScenarioBoat(msgspec.Struct, frozen=True):
    id: str
    camp: str
    lamp: bool = False
    oil: int = 5


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    boats: tuple[ScenarioBoat, ...]
    settings: Settings = Settings()
    fish: int = 100


class Boat(msgspec.Struct):
    id: str
    camp: str
    lamp: bool
    oil: int
    catch: int = 0


class Lake(msgspec.Struct):
    fish: int
    caught: dict[str, int] = {}


class SeenBoat(msgspec.Struct, frozen=True):
    id: str
    camp: str
    oil: int | None = None
    catch: int | None = None


class SeenLake(msgspec.Struct, frozen=True):
    fish: int
    caught: int


class Fish(Order, frozen=True, tag="fish"):
    boat: str
    lines: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1
    depth: int = 0


class Escort(Order, frozen=True, tag="escort"):
    boat: str
    other: str


class Haul(Order, frozen=True, tag="haul"):
    """One net between several boats."""

    boats: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


AnyOrder = Fish | Escort | Haul


class Caught(Event, frozen=True, tag="caught"):
    camp: Annotated[str, OWN]
    boat: Annotated[str, OWN]
    order: Annotated[str, OWN]
    path: Annotated[str, OWN]
    dice: Annotated[tuple[int, ...], OWN]
    amount: Annotated[int, OWN]

    def about(self, camp: str) -> tuple[str, ...] | None:
        return (self.boat,)


class Surveyed(Event, frozen=True, tag="surveyed"):
    camp: Annotated[str, OWN]
    total: Annotated[int, OWN]


class Level(Event, frozen=True, tag="level"):
    fish: Annotated[int, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        return PUBLIC_FACT


def found(scenario: Scenario, ids: Ids) -> State[Lake]:
    homes: dict[str, Any] = {}
    for number, boat in enumerate(scenario.boats):
        if boat.camp not in CAMPS:
            raise InvalidInput(f"scenario.boats[{number}].camp", f"unknown camp {boat.camp!r}", "east or west")
        homes[boat.id] = Boat(boat.id, boat.camp, boat.lamp, boat.oil)
    return State(Lake(scenario.fish), homes)


def generate(size: int, dice: Dice) -> Scenario:
    stream = dice.stream("generate/lake/oil")
    boats = (ScenarioBoat(f"b{i}", CAMPS[i % 2], i % 5 == 0, 3 + stream.below(4)) for i in range(size))
    return Scenario(f"A lake of {size} boats", tuple(boats))


def sample(
    homes: Iterable[Boat], shared: Lake, settings: Settings, tick: int, dice: Dice
) -> Iterator[tuple[str, str, Order]]:
    for boat in homes:
        for _ in range(min(settings.hands, boat.oil)):
            yield boat.camp, boat.camp, Fish(boat.id, 1)


def reads(order: AnyOrder) -> Reads:
    if isinstance(order, Haul):
        return Reads(order.boats)
    if isinstance(order, Escort):
        return Reads((order.boat, order.other), (order.other,))
    return Reads((order.boat,))


def commands(order: AnyOrder) -> tuple[str, ...]:
    return order.boats if isinstance(order, Haul) else (order.boat,)


def see(boat: Boat, shared: Lake, camp: str) -> SeenBoat | None:
    if boat.camp == camp:
        return SeenBoat(boat.id, boat.camp, boat.oil, boat.catch)
    return SeenBoat(boat.id, boat.camp) if boat.lamp else None


def see_shared(shared: Lake, camp: str) -> SeenLake:
    return SeenLake(shared.fish, shared.caught.get(camp, 0))


def check_haul(order: Haul, view: View[SeenLake, SeenBoat, Settings]) -> Booking | tuple[Refusal, ...]:
    for number, name in enumerate(order.boats):
        boat = view.homes.get(name)
        if boat is None or boat.camp != view.camp:
            return (Refusal("unknown_boat", f"boats[{number}]", values={"boat": name}),)
    return Booking(order.boats[0], (Cost("hands", 1, view.settings.hands),))


def check(order: AnyOrder, view: View[SeenLake, SeenBoat, Settings]) -> Booking | tuple[Refusal, ...]:
    if isinstance(order, Haul):
        return check_haul(order, view)
    boat = view.homes.get(order.boat)
    if boat is None:
        return (Refusal("unknown_boat", "boat", values={"boat": order.boat}),)
    if boat.camp != view.camp:
        return (Refusal("not_yours", "boat", values={"boat": order.boat}),)
    hands = Cost("hands", 1, view.settings.hands)
    if isinstance(order, Escort):
        if view.homes.get(order.other) is None:
            return (Refusal("unknown_boat", "other", values={"boat": order.other}),)
        if not view.booked.get(order.other):
            return (Refusal("idle", "other", values={"boat": order.other}),)
        return Booking(order.boat, (hands,))
    return Booking(order.boat, (hands, Cost("oil", order.lines, boat.oil or 0)))


def odds(order: AnyOrder, view: View[SeenLake, SeenBoat, Settings]) -> Odds:
    if not isinstance(order, Fish):
        return unknown_odds("the other boat's plans")
    chance = 1 - Fraction(1, 2) ** order.lines
    terms = (Term("lines", order.lines),)
    return known_odds(chance, {"catch": chance, "nothing": 1 - chance}, terms, "full")


def play(
    home: Boat | None, orders: Sequence[Booked[Any, Any]], mail: Sequence[Any], context: Context[Lake, Settings]
) -> Iterator[Event]:
    if home is None:
        return
    for booked in orders:
        lines = booked.order.lines if isinstance(booked.order, Fish) else 0
        path = f"fish/{booked.id}/roll"
        dice = context.dice.d6(path, lines) if lines else ()
        amount = sum(die > 3 for die in dice)
        yield Caught(home.camp, home.id, booked.id, path, dice, amount)


def catch(boat: Boat, event: Caught) -> Boat:
    boat.catch += event.amount
    return boat


def count(event: Caught, sums: Sums) -> None:
    sums.add(event.camp, event.amount)


def tell(shared: Lake, sums: Sums, context: Context[Lake, Settings]) -> Iterator[Event]:
    for camp in CAMPS:
        yield Surveyed(camp, sums.added.get(camp, 0))
    yield Level(max(0, shared.fish - sum(sums.added.values())))


def survey(shared: Lake, event: Surveyed) -> Lake:
    shared.caught[event.camp] = shared.caught.get(event.camp, 0) + event.total
    return shared


def level(shared: Lake, event: Level) -> Lake:
    shared.fish = event.fish
    return shared


RULEBOOK = Rulebook(
    name="lake",
    version="1",
    package="tests.service.lake",
    camps=CAMPS,
    settings=Settings,
    scenario=Scenario,
    orders=(Fish, Escort, Haul),
    home=Boat,
    shared=Lake,
    events=(Caught, Surveyed, Level),
    phases=(Phase("night", (Homes(play, (Fish, Escort, Haul)), Shared(tell))), Phase("dawn", (Homes(play),))),
    opening=(Phase("dusk", (Homes(play), Shared(tell))),),
    found=found,
    generate=generate,
    sample=sample,
    scenarios=("pond",),
    reads=reads,
    commands=commands,
    see=see,
    see_shared=see_shared,
    check=check,
    evolve={Caught: catch},
    evolve_shared={Surveyed: survey, Level: level},
    tally={Caught: count},
    odds=odds,
)
