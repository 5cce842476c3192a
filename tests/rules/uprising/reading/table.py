"""What every phase of the second reading needs: the table on which a tick is played."""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from fractions import Fraction
from typing import Any

from workers.kernel.dice import Dice
from workers.kernel.ids import Ids
from workers.rules.uprising.cards import Card
from workers.rules.uprising.entities import City, District, Unit
from workers.rules.uprising.settings import Settings

SIDES = ("revolution", "law")
Stands = tuple[Any, Card, list[str]]
"""An order that stands, its card, the units that carry it out."""


def other(side: str) -> Any:
    return "law" if side == "revolution" else "revolution"


def within(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


class Table:
    """A tick under way, from a copy of its state. What is told of it: `told` (one line a roll or merged order), `void`
    orders, units that `dropped` out by order, units `revealed` with their district.
    """

    def __init__(
        self, homes: dict[str, District], city: City, tick: int, seed: bytes, ids: Ids, orders: Iterable[Any]
    ) -> None:
        self.homes, self.city = deepcopy(homes), deepcopy(city)
        self.tick, self.dice, self.ids = tick, Dice(seed), ids
        self.orders = sorted(orders, key=lambda booked: booked.id)
        self.settings = Settings()
        self.held = {name: prison.holder for name, prison in self.city.prisons.items()}
        self.told: list[tuple[Any, ...]] = []
        self.void: set[str] = set()
        self.dropped: dict[str, set[str]] = {}
        self.revealed: list[tuple[str, str]] = []
        self.served: set[str] = set()
        self.counted: set[str] = set()
        self.shaken: set[str] = set()
        self.assaulted: set[str] = set()
        self._start_of_phase()

    # The end of a phase (U23)

    def _start_of_phase(self) -> None:
        self.heat = 0
        self.authority = dict.fromkeys(SIDES, 0)
        self.loyalty: dict[tuple[str, str], int] = {}
        self.seized: dict[str, Any] = {}
        self.jailed: list[tuple[Unit, str]] = []

    def end_of_phase(self) -> None:
        self.city.heat = within(self.city.heat + self.heat, 0, 100)
        for side, gauges in self.city.gauges.items():
            gauges.authority = within(gauges.authority + self.authority[side], 0, 100)
            for faction in gauges.factions:
                faction.loyalty = within(faction.loyalty + self.loyalty.get((side, faction.id), 0), 0, 100)
        for name, side in self.seized.items():
            self.city.prisons[name].holder = side
        for unit, place in self.jailed:
            self.homes[place].units[unit.id] = unit
        self._start_of_phase()

    # Units and their Force (U9–U11, U15)

    def active(self, place: str, side: str = "") -> list[Unit]:
        units = sorted(self.homes[place].units.values(), key=lambda unit: unit.id.encode())
        return [unit for unit in units if unit.status == "active" and side in ("", unit.camp)]

    def attackers(self, place: str, side: str) -> list[Unit]:
        return [unit for unit in self.defenders(place, side) if unit.nature != "building"]

    def defenders(self, place: str, side: str) -> list[Unit]:
        return [unit for unit in self.active(place, side) if not unit.refuses]

    def force(self, unit: Unit, place: str, kind: Any, *, defends: bool) -> int:
        home, force = self.homes[place], unit.force
        if unit.bonus is not None:
            force += unit.bonus.defence if defends else 0
            behind = defends and unit.camp == "revolution" and home.barricades > 0
            force += unit.bonus.barricade if behind else 0
            force += unit.bonus.landmark if home.landmark is not None else 0
            more = len(self.active(place, unit.camp)) > len(self.active(place, other(unit.camp)))
            force += unit.bonus.numbers if more else 0
        force += sum(boon.force.get(kind, 0) for boon in self.city.boons[unit.camp])
        force -= unit.wounds + (unit.id in self.shaken) + (2 if home.gas else 0) + (1 if home.disease else 0)
        return max(0, force)

    def attack(self, units: Iterable[Unit], place: str, kind: str) -> int:
        return sum(self.force(unit, place, kind, defends=False) for unit in units if not unit.refuses)

    def defence(self, units: Iterable[Unit], place: str, kind: str) -> int:
        return sum(self.force(unit, place, kind, defends=True) for unit in units if not unit.refuses)

    # Chances and dice (U5–U8, K5)

    def chance(self, attack: int, defence: int, card: Card, side: Any, kind: Any) -> Fraction:
        plain = Fraction(attack, attack + defence) if attack + defence else Fraction(1, 2)
        points = 10 * card.modifier + sum(boon.points.get(kind, 0) for boon in self.city.boons[side])
        return max(Fraction(5, 100), min(Fraction(95, 100), plain + Fraction(points, 100)))

    def contest(self, path: str, chance: Fraction) -> bool:
        return self.dice.stream(path).below(chance.denominator) < chance.numerator

    def percent(self, path: str, points: int) -> bool:
        return self.dice.stream(path).percent() <= points

    # What happens to units and gauges

    def reveal(self, unit: Unit, place: str) -> None:
        if unit.hidden:
            unit.hidden = False
            self.revealed.append((place, unit.id))
            self.heat += 2 if unit.camp == "revolution" else 0

    def count(self, units: Iterable[Unit]) -> None:
        self.counted.update(unit.id for unit in units if unit.hidden)

    def gain(self, side: Any, place: str, card: Card, mine: int = 0, theirs: int = 0) -> None:
        """What a card gives on success; `mine` and `theirs` is the influence where it says nothing."""
        gains, home = card.gains, self.homes[place]
        changes = {
            side: mine if gains.influence is None else gains.influence,
            other(side): theirs if gains.enemy_influence is None else gains.enemy_influence,
        }
        after = {name: within(home.influence.of(name) + changes[name], 0, 100) for name in SIDES}  # type: ignore[arg-type]  # sides, both of them
        home.influence = type(home.influence)(**after)
        home.barricades = max(0, home.barricades + gains.barricades)
        home.gas = home.gas or gains.gas
        self.heat += gains.heat
        self.authority[side] += gains.authority
        for faction, change in gains.loyalty.items():
            self.loyalty[side, faction] = self.loyalty.get((side, faction), 0) + change

    # Merged orders (U22) and who carries them out (U23)

    def groups(self, *kinds: str, by_card: bool = False) -> list[tuple[str, str, list[Any]]]:
        """The key, the district and the orders of each merged order: districts in turn, in each by initiative."""
        found: dict[tuple[str, str], list[Any]] = {}
        for booked in self.orders:
            order = booked.order
            if order.kind not in kinds:
                continue
            if order.district not in self.homes:
                self.void.add(booked.id)
                continue
            text = f"{booked.camp}:{order.kind}:{getattr(order, 'target', order.district)}"
            text += f":{order.card}" if by_card else ""
            found.setdefault((order.district, self.ids.handle(text)), []).append(booked)
        keyed = [(key, place, orders) for (place, key), orders in found.items()]
        return sorted(keyed, key=lambda group: (group[1].encode(), self.dice.initiative(group[0])))

    def standing(
        self, place: str, orders: Sequence[Any], fits: Callable[[Card], bool] = lambda card: True, *, kill: bool = False
    ) -> list[Stands]:
        """The orders that stand, each with its card and the units that are left of those that it names."""
        kept: list[Stands] = []
        for booked in orders:
            order = booked.order
            card = self.city.cards.get(order.card)
            usable = card is not None and card.kind == order.kind and booked.camp in card.sides
            taken = {name for _, _, names in kept for name in names}
            able = [name for name in dict.fromkeys(order.units) if self._able(place, name, booked.camp, kill)]
            able = [name for name in able if name not in taken]
            if card is None or not usable or not able or not fits(card):
                self.void.add(booked.id)
                continue
            left = set(order.units) - set(able)
            if left:
                self.dropped[booked.id] = left
            kept.append((booked, card, able))
        return kept

    def _able(self, place: str, name: str, side: str, kill: bool) -> bool:
        unit = self.homes[place].units.get(name)
        if unit is None or unit.status != "active" or unit.camp != side or unit.nature == "building":
            return False
        return name not in self.served and (unit.hidden or not kill)

    def units(self, place: str, kept: Sequence[Stands]) -> list[Unit]:
        return [self.homes[place].units[name] for _, _, names in kept for name in names]

    def best(self, kept: Sequence[Stands], chance: Callable[[Card], Any]) -> tuple[Card, Any]:
        """The card with the highest chance, then the lowest id."""
        cards = {card.id: card for _, card, _ in kept}
        name = min(cards, key=lambda name: (-chance(cards[name]), name.encode()))
        return cards[name], chance(cards[name])

    def target(self, place: str, booked: Any) -> Unit | None:
        """The target of an order, if it is there: an active, revealed unit of the other side."""
        unit = self.homes[place].units.get(booked.order.target)
        gone = unit is None or unit.status != "active" or unit.hidden or unit.camp == booked.camp
        return None if gone else unit

    def carried_out(self, kind: str, place: str, kept: Sequence[Stands], card: Card, **what: Any) -> None:
        names = sorted(unit.id for unit in self.units(place, kept))
        self.served.update(name for _, _, names in kept for name in names)
        orders = sorted(booked.id for booked, _, _ in kept)
        self.told.append((kind, place, *orders, "by", *names, card.id, *what.values()))

    def all_void(self, orders: Sequence[Any]) -> None:
        self.void.update(booked.id for booked in orders)
