"""Force against Force: chances (U5–U8) and what a unit brings to a contest (U9–U11)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from workers.kernel.odds import Term
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Boon, Contested, Side
from workers.rules.uprising.entities import Bonus, District, Unit

HUNDRED = 100


class UnitForce(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What one unit brings to a contest: its terms, and their sum, never below 0 (U11)."""

    unit: str
    force: int
    terms: tuple[Term, ...] = ()


def clamp(value: int, low: int, high: int) -> int:
    """The value, held within its bounds."""
    if value < low:
        return low
    if value > high:
        return high
    return value


def points_chance(points: int) -> Fraction:
    """A chance in points as a fraction."""
    return Fraction(points, HUNDRED)


def contest_chance(attack: int, defence: int, points: int) -> Fraction:
    """The chance of a contested order: attack / (attack + defence), even when there's no Force at all, plus the points
    of its modifiers, within 5 %..95 % (U5–U8).
    """
    total = attack + defence
    parts, whole = (HUNDRED * attack, total) if total else (tables.EVEN_POINTS, 1)  # parts: points of the whole
    held = clamp(parts + points * whole, tables.CONTEST_LOWEST * whole, tables.CONTEST_HIGHEST * whole)
    return Fraction(held, HUNDRED * whole)


def modifier_points(modifier: int, kind: Contested, boons: Iterable[Boon]) -> tuple[Term, ...]:
    """The points added to a contested chance: the card's own modifier (U6), and what assets and upgrades give (U3,
    U12).
    """
    terms = [Term("modifier", modifier * tables.MODIFIER_POINTS)] if modifier else []
    terms.extend(Term(boon.id, boon.points[kind]) for boon in boons if boon.points.get(kind))
    return tuple(terms)


def total(terms: Iterable[Term]) -> int:
    """The sum of terms."""
    found = 0
    for term in terms:
        found += term.value
    return found


class Presence:
    """How many active units each side has in a district: who is there to see, and who is in numbers (U9, U25)."""

    __slots__ = ("active",)

    def __init__(self, district: District) -> None:
        self.active: dict[Side, int] = dict.fromkeys(tables.SIDES, 0)
        for unit in district.units.values():
            if unit.active:
                self.active[unit.camp] += 1

    def lost(self, side: Side) -> None:
        """An active unit of a side is one no more."""
        self.active[side] -= 1

    def turned(self, side: Side) -> None:
        """An active unit changed over to a side."""
        self.active[side] += 1
        self.active[tables.other(side)] -= 1

    def watching(self) -> tuple[Side, ...]:
        """The sides that have an active unit here."""
        return tuple(side for side in tables.SIDES if self.active[side])

    def seeing(self, side: Side) -> tuple[Side, ...]:
        """Who sees what a side does openly here: it, and whoever is watching."""
        return tuple(other for other in tables.SIDES if other == side or self.active[other])


class Field:
    """A district as contests of one kind see it: who is there, and what boons give (U9)."""

    __slots__ = ("_common", "district", "presence")

    def __init__(
        self, district: District, presence: Presence, boons: Mapping[Side, Sequence[Boon]], kind: Contested
    ) -> None:
        self.district = district
        self.presence = presence
        self._common = {
            side: tuple(Term(boon.id, boon.force[kind]) for boon in boons[side] if boon.force.get(kind))
            for side in tables.SIDES
        }

    def force(self, unit: Unit, *, defends: bool) -> UnitForce:
        """What a unit that stands here brings (U9–U11). Refusers bring nothing: who calls leaves them out (U15)."""
        district = self.district
        terms = [Term("own", unit.force)]
        if unit.bonus is not None:
            terms.extend(self._bonuses(unit, unit.bonus, defends=defends))
        terms.extend(self._common[unit.camp])
        if unit.wounds:
            terms.append(Term("wounds", -tables.WOUND_LOSS * unit.wounds))
        if unit.shaken:
            terms.append(Term("shaken", -tables.SHAKEN_LOSS))
        if district.gas:
            terms.append(Term("tear_gas", -tables.GAS_LOSS))
        if district.disease:
            terms.append(Term("disease", -tables.DISEASE_LOSS))
        return UnitForce(unit.id, max(0, total(terms)), tuple(terms))

    def _bonuses(self, unit: Unit, bonus: Bonus, *, defends: bool) -> Iterator[Term]:
        """The bonuses of a unit's description that apply (U9)."""
        district, active = self.district, self.presence.active
        if bonus.defence and defends:
            yield Term("in_defence", bonus.defence)
        if bonus.barricade and defends and district.barricades and unit.camp == tables.REVOLUTION:
            yield Term("behind_barricade", bonus.barricade)
        if bonus.landmark and district.landmark is not None:
            yield Term("on_landmark", bonus.landmark)
        if bonus.numbers and active[unit.camp] > active[tables.other(unit.camp)]:
            yield Term("in_numbers", bonus.numbers)

    def forces(self, units: Iterable[Unit], *, defends: bool) -> tuple[UnitForce, ...]:
        """What each of some units brings, in ascending id."""
        return tuple(self.force(unit, defends=defends) for unit in sorted(units, key=by_id))

    def defenders(self, side: Side) -> list[Unit]:
        """The units of a side that could defend here: active, and not refusing to fire (U15)."""
        return [unit for unit in self.district.units.values() if unit.camp == side and could_defend(unit)]

    def attackers(self, side: Side) -> list[Unit]:
        """The units of a side that could attack here: active, no building, and not refusing to fire (U1, U15)."""
        return [unit for unit in self.defenders(side) if not unit.building]


def by_id(unit: Unit) -> str:
    """Ids compare as UTF-8 bytes, which is how Python's texts of code points compare (U1)."""
    return unit.id


def could_defend(unit: Unit) -> bool:
    """Whether a unit is active and would fire."""
    return unit.active and not unit.refuses


def strength(forces: Iterable[UnitForce]) -> int:
    """The Force of several units: each is floored, not their sum (U11)."""
    found = 0
    for brought in forces:
        found += brought.force
    return found
