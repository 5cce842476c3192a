"""Cities and orders drawn at random: small, crowded, and with more of everything than a scenario has."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from workers.kernel.dice import Dice
from workers.kernel.orders import Booked
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Boon, Card, Gains
from workers.rules.uprising.entities import (
    Bonus,
    City,
    District,
    Faction,
    Garrison,
    Gauges,
    Ground,
    Influence,
    Landmark,
    Prison,
    Unit,
)
from workers.rules.uprising.orders import ORDERS, AnyOrder, Contest, Gamble, Move

T = TypeVar("T")
SIDES: tuple[Any, ...] = ("revolution", "law")
CONTESTED: tuple[Any, ...] = ("arrest", "raid", "contest", "assault")


class Chance:
    """Draws from one stream."""

    def __init__(self, seed: bytes, what: str) -> None:
        self._stream = Dice(seed).stream(f"test/wild/{what}")

    def upto(self, most: int) -> int:
        return self._stream.below(most + 1)

    def pick(self, things: Sequence[T]) -> T:
        return things[self._stream.below(len(things))]

    def happens(self, percent: int) -> bool:
        return self._stream.percent() <= percent


def a_city(seed: bytes) -> tuple[dict[str, District], City]:
    """One to four districts with up to ten units each, and a hand of cards."""
    chance = Chance(seed, "city")
    names = [f"d{number}" for number in range(1 + chance.upto(3))]
    ways = {(a, b) for a in names for b in names if a < b and chance.happens(70)}
    prisons = {name: Prison(*[chance.pick(("", *SIDES))] * 2) for name in names if chance.happens(50)}
    return {name: _district(name, name in prisons, chance) for name in names}, City(
        heat=chance.pick((0, 30, 48, 50, 97)),
        gauges={
            side: Gauges(chance.pick((0, 10, 19, 30, 60)), (Faction("order", chance.upto(100), chance.happens(70)),))
            for side in SIDES
        },
        boons={side: tuple(_boons(chance)) for side in SIDES},
        cards={card.id: card for card in (*tables.STANDARD_CARDS, *(_card(f"c{n:02}", chance) for n in range(12)))},
        ground={name: Ground("", tuple(b for b in names if (name, b) in ways or (b, name) in ways)) for name in names},
        prisons=prisons,
    )


def _district(name: str, prison: bool, chance: Chance) -> District:
    units = [_unit(f"{name}-u{number}", prison, chance) for number in range(chance.upto(10))]
    return District(
        id=name,
        influence=Influence(chance.upto(100), chance.upto(100)),
        barricades=chance.pick((0, 0, 1, 3)),
        landmark=Landmark("guns", chance.upto(3), chance.pick(("", *SIDES))) if chance.happens(40) else None,
        garrison=Garrison(chance.upto(3), chance.pick(((), SIDES, SIDES[:1], SIDES[1:])))
        if chance.happens(40)
        else None,
        gas=chance.happens(15),
        disease=chance.happens(15),
        fire=chance.upto(2),
        units={unit.id: unit for unit in units},
    )


def _unit(name: str, prison: bool, chance: Chance) -> Unit:
    building = chance.happens(15)
    active = chance.happens(88)
    away: tuple[Any, ...] = ("destroyed",) if building else ("fallen", "out", *(["imprisoned"] * 3 if prison else ()))
    return Unit(
        id=name,
        camp=chance.pick(SIDES),
        nature="building" if building else chance.pick(("person", "person", "troop")),
        force=chance.pick((0, 1, 1, 2, 3, 5)),
        stealth=chance.upto(6),
        status="active" if active else chance.pick(away),
        hidden=active and chance.happens(40),
        wounds=chance.pick((0, 0, 1, 2)),
        named=chance.happens(80),
        bodyguards=chance.pick((0, 0, 1, 6)),
        spy=chance.happens(10),
        informer=chance.happens(10),
        refuses=not building and chance.happens(12),
        never_rallies=chance.happens(10),
        search_chance=chance.pick((None, None, 0, 40, 90)),
        search_neighbours=chance.happens(50),
        bonus=Bonus(chance.upto(2), chance.upto(2), chance.upto(2), chance.upto(2)) if chance.happens(50) else None,
        rallied=chance.pick((0, 0, 0, 1, 3)),
    )


def _boons(chance: Chance) -> Iterator[Boon]:
    for name in ("back-doors", "sabres"):
        if chance.happens(60):
            force = {kind: chance.upto(4) - 2 for kind in CONTESTED if chance.happens(40)}
            points = {kind: 10 * chance.upto(6) - 30 for kind in CONTESTED if chance.happens(40)}
            yield Boon(name, force, points, chance.pick((0, 30, 100)))


def _card(name: str, chance: Chance) -> Card:
    kind = chance.pick([order.kind for order in ORDERS])
    by_authority = kind == "rally" and chance.happens(60)
    rolls = kind in ("assassination", "gamble", "search") or (kind == "rally" and not by_authority)
    gains = Gains(
        influence=chance.pick((None, 10, -20, 90)),
        enemy_influence=chance.pick((None, -10, 30, -90)),
        heat=chance.pick((0, 0, 4, -7)),
        authority=chance.pick((0, 0, 10, -15)),
        loyalty={"order": chance.pick((0, 5, -60))},
        barricades=chance.pick((0, 0, 2, -3)),
        gas=chance.happens(15),
    )
    return Card(
        name,
        kind,
        sides=chance.pick((SIDES, SIDES, SIDES[:1], SIDES[1:])),
        modifier=chance.upto(5) - 2 if kind in CONTESTED else 0,
        chance=chance.pick((None, 5, 60, 95, 100)) if rolls else None,
        bonus=chance.upto(3) if kind == "raid" else 0,
        gains=Gains() if kind == "move" else gains,
        neighbours=kind == "search" and chance.happens(50),
        defence=chance.pick((None, 0, 4)) if kind == "contest" else None,
        by_authority=by_authority,
        covered=kind == "move" and chance.happens(70),
        buildings_only=kind == "raid" and chance.happens(30),
    )


def orders_for(seed: bytes, homes: dict[str, District], city: City) -> Iterator[Booked[Any, Any]]:
    """Orders of every kind, most of which intake would book, and some that it never would."""
    chance = Chance(seed, "orders")
    everybody = [(place, unit) for place, home in homes.items() for unit in home.units.values()]
    for number in range(min(30, 2 * len(everybody))):
        place, first = chance.pick(everybody)
        friends = [
            unit.id
            for where, unit in everybody
            if (where == place and unit.camp == first.camp and unit.status == "active") or chance.happens(3)
        ]
        units = (first.id, *(chance.pick(friends) for _ in range(chance.upto(2)) if friends))
        order = _order(place, units, first, everybody, city, chance)
        camp = first.camp if chance.happens(97) else chance.pick(SIDES)
        yield Booked(f"{number:02}", order.district, camp, first.id, order, None)


def _order(
    place: str, units: tuple[str, ...], first: Unit, everybody: Sequence[Any], city: City, chance: Chance
) -> AnyOrder:
    kind: Any = chance.pick(ORDERS)
    hand = [card.id for card in city.cards.values() if card.kind == kind.kind and first.camp in card.sides]
    card = chance.pick(hand) if hand and chance.happens(95) else chance.pick([*sorted(city.cards), "nothing"])
    beside = city.ground[place].neighbours or (place,)
    if kind is Move:
        return Move(place, units, chance.pick(beside) if chance.happens(95) else place, card)
    if "target" in kind.__struct_fields__:
        targets = [unit.id for where, unit in everybody if where == place and unit.camp != first.camp and unit.revealed]
        target = chance.pick(targets) if targets and chance.happens(90) else chance.pick(everybody)[1].id
        targeted: AnyOrder = kind(district=place, units=units, target=target, card=card)
        return targeted
    after_moves = kind in (Contest, Gamble) or kind.kind == "assault"
    where = chance.pick(beside) if after_moves and chance.happens(30) else place
    plain: AnyOrder = kind(district=where if chance.happens(98) else "nowhere", units=units, card=card)
    return plain
