"""Legal orders for a tick, drawn from dice: what plays the game in the demo, the bench and the conformance kit.

Each unit serves one order: those of its side in one district take turns at what can be done there. Most then move, in
the open; some fight where they arrive.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workers.kernel.dice import Dice, Stream
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Card, Kind, Side
from workers.rules.uprising.entities import City, District, Unit
from workers.rules.uprising.force import by_id
from workers.rules.uprising.merging import card_problem
from workers.rules.uprising.orders import (
    AnyOrder,
    Arrest,
    Assassination,
    Assault,
    Contest,
    Gamble,
    Move,
    Raid,
    Rally,
    Search,
)
from workers.rules.uprising.phases.rally import person_problem
from workers.rules.uprising.settings import Settings

ROUND: tuple[Kind, ...] = ("rally", "raid", "arrest", "search", "assault", "contest", "gamble")
"""What the units of a side take turns at: in odd ticks from its beginning, in even ones from a search or an assault."""
MOVES_OF = 8
"""Of so many draws one is a move under cover (in even ticks), and three leave a unit where it is."""

Sampled = tuple[str, str, AnyOrder]


@dataclass(frozen=True, slots=True)
class _Scene:
    """One side in one district: what it may do there, and to whom."""

    side: Side
    district: District
    city: City
    persons: Sequence[Unit]
    people: Sequence[Unit]
    waverers: Sequence[Unit]
    buildings: Sequence[Unit]
    cards: Mapping[Kind, Sequence[Card]]
    tick: int
    price: int
    stream: Stream

    def pick(self, units: Sequence[Unit]) -> Unit | None:
        """One of some units, if there is any."""
        return units[self.stream.below(len(units))] if units else None

    def card(self, kind: Kind) -> Card | None:
        """One of the side's cards of a kind."""
        cards = self.cards.get(kind, ())
        return cards[self.stream.below(len(cards))] if cards else None


def sample(homes: Iterable[District], city: City, settings: Settings, tick: int, dice: Dice) -> Iterator[Sampled]:
    """Orders as (side, actor, order): the actor is the order's first unit."""
    hands = {side: _hand(city, side) for side in tables.SIDES}
    purses = {side: city.gauges[side].authority for side in tables.SIDES}
    for district in homes:
        stream = dice.stream(f"sample/{district.id}/orders")
        for side in tables.SIDES:
            enemy = tables.other(side)
            seen = [unit for unit in district.units.values() if unit.camp == enemy and unit.revealed]
            seen.sort(key=by_id)
            people = [unit for unit in seen if not unit.building]
            scene = _Scene(
                side=side,
                district=district,
                city=city,
                persons=[unit for unit in seen if unit.nature == "person"],
                people=people,
                waverers=[unit for unit in people if person_problem(unit, tick, settings.rally_rest) is None],
                buildings=[unit for unit in seen if unit.building],
                cards=hands[side],
                tick=tick,
                price=settings.rally_authority,
                stream=stream,
            )
            for order in _orders(scene, purses):
                yield side, order.units[0], order


def _hand(city: City, side: Side) -> dict[Kind, list[Card]]:
    """The cards that a side can use, by kind, in ascending id."""
    hand: dict[Kind, list[Card]] = {}
    for name in sorted(city.cards):
        card = city.cards[name]
        if card_problem(card, card.kind, side) is None:
            hand.setdefault(card.kind, []).append(card)
    return hand


def _orders(scene: _Scene, purses: dict[Side, int]) -> Iterator[AnyOrder]:
    """A side's orders in a district: at most one takes Authority, from what the side's other districts left of it."""
    mine = [
        unit for unit in scene.district.units.values() if unit.camp == scene.side and unit.active and not unit.building
    ]
    turn = 0 if scene.tick % 2 else len(ROUND) - 3 - scene.stream.below(2)
    claimed = False
    for unit in sorted(mine, key=by_id):
        order = _assassination(scene, unit)
        while order is None:
            order = _order(
                scene, unit, ROUND[turn % len(ROUND)], authority=not claimed and purses[scene.side] >= scene.price
            )
            turn += 1
        if scene.city.cards[order.card].by_authority:
            claimed = True
            purses[scene.side] -= scene.price
        yield from _with_move(scene, unit, order)


def _with_move(scene: _Scene, unit: Unit, order: AnyOrder) -> Iterator[AnyOrder]:
    """An order of a unit that may move: what comes before the moves is done first, what comes after them it does where
    it arrives.
    """
    way = _way(scene)
    draw = scene.stream.below(MOVES_OF)
    here = scene.district.id
    covered = [card for card in scene.cards["move"] if card.covered]
    if way is None or 1 <= draw <= 3:
        yield order
    elif draw == 0 and covered and scene.tick % 2 == 0:
        yield Move(here, (unit.id,), way, covered[0].id)
    else:
        yield Move(here, (unit.id,), way)
        if isinstance(order, Contest | Gamble | Assault):
            yield type(order)(way, order.units, order.card, (here,))
        else:
            yield order


def _way(scene: _Scene) -> str | None:
    ground = scene.city.ground.get(scene.district.id)
    neighbours = ground.neighbours if ground is not None else ()
    return neighbours[scene.stream.below(len(neighbours))] if neighbours else None


def _assassination(scene: _Scene, unit: Unit) -> AnyOrder | None:
    """A hidden unit strikes in odd ticks, where there is somebody to strike."""
    card = scene.card("assassination")
    target = scene.pick(scene.persons)
    if card is None or target is None or not unit.hidden or scene.tick % 2 == 0:
        return None
    return Assassination(scene.district.id, (unit.id,), target.id, card.id)


def _order(scene: _Scene, unit: Unit, kind: Kind, *, authority: bool) -> AnyOrder | None:
    """An order of one kind, if it can be given here."""
    card = scene.card(kind)
    if card is None:
        return None
    place, units = scene.district.id, (unit.id,)
    match kind:
        case "search":
            return Search(place, units, card.id)
        case "contest":
            return Contest(place, units, card.id)
        case "gamble":
            return Gamble(place, units, card.id)
        case "assault":
            return Assault(place, units, card.id)
        case _:
            return _targeted(scene, unit, card, authority=authority)


def _targeted(scene: _Scene, unit: Unit, card: Card, *, authority: bool) -> AnyOrder | None:
    place, units = scene.district.id, (unit.id,)
    if card.kind == "raid":
        target = scene.pick(scene.buildings or (() if card.buildings_only else scene.people))
        return Raid(place, units, target.id, card.id) if target else None
    if card.kind == "arrest":
        target = scene.pick(scene.people)
        return Arrest(place, units, target.id, card.id) if target else None
    target = scene.pick(scene.waverers)
    if target is None or (card.by_authority and not authority):
        return None
    return Rally(place, units, target.id, card.id)
