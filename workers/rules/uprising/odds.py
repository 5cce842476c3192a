"""Exact odds of an order's own roll, on what its side knows (K3, U25): fractions with their terms.

`full` where no term enters that the side doesn't know. Hidden enemies make odds `known`, never unknown: in raids,
assaults, contests without a named defence, and wherever a unit fights better in numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Any

import msgspec

from workers.kernel.odds import Basis, Odds, Term, known_odds, unknown_odds
from workers.rules.uprising import points, tables
from workers.rules.uprising.cards import Card, Contested, Side
from workers.rules.uprising.entities import District, Influence, Unit
from workers.rules.uprising.force import Field, Presence, UnitForce, points_chance, total
from workers.rules.uprising.orders import (
    AfterMoves,
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
from workers.rules.uprising.phases import assassination
from workers.rules.uprising.phases.arrest import arrest_clash
from workers.rules.uprising.phases.assault import assault_clash, strong
from workers.rules.uprising.phases.contest import contest_clash
from workers.rules.uprising.phases.raid import raid_clash
from workers.rules.uprising.rolls import Clash
from workers.rules.uprising.see import SideView
from workers.rules.uprising.settings import Settings
from workers.rules.uprising.standing import Standing

STEALTHS = range(11)
"""The Stealths for which a search's odds are given."""
CASUALTIES_MAX = 40
"""Defenders up to which an assault's odds name each number that may fall."""


def odds(order: AnyOrder, view: SideView) -> Odds:
    """The odds of an order that `check` accepts."""
    card = view.shared.cards.get(order.card)
    if card is None:
        return unknown_odds("card")
    match order:
        case Move():
            return known_odds(Fraction(1), {"success": Fraction(1)}, (), "full")
        case Search():
            return _search(order, card, view)
        case Gamble():
            terms = points.gamble_terms(card)
            return _two(points_chance(total(terms)), terms, "full")
        case Assassination() | Rally():
            return _person(order, card, view)
        case Arrest() | Raid() | Contest() | Assault():
            return _contested(order, card, view)


def _two(chance: Fraction, terms: tuple[Term, ...], basis: Basis) -> Odds:
    return known_odds(chance, {"success": chance, "failure": 1 - chance}, terms, basis)


def _target(order: Assassination | Rally | Arrest | Raid, view: SideView) -> Unit | None:
    seen = view.homes.get(order.district)
    return None if seen is None else seen.units.get(order.target)


def _person(order: Assassination | Rally, card: Card, view: SideView) -> Odds:
    """Assassination (U14) and rally (U17), by dice or by authority: nothing hidden enters."""
    target = _target(order, view)
    if target is None:
        return unknown_odds("target")
    if isinstance(order, Assassination):
        guards = points.bodyguard_terms(target, view.settings)
        chance = assassination.chance(card, guards)
        return _two(points_chance(chance), (*points.assassination_terms(card), *guards), "full")
    if card.by_authority:
        authority, needed = view.shared.authority, points.authority_needed(target)
        compared = (Term("authority", authority), Term("needed", needed))
        return _two(Fraction(authority >= needed), compared, "full")
    terms = points.rally_terms(card, len(set(order.units)), view.settings)
    return _two(points_chance(points.rally_points(total(terms), view.settings)), terms, "full")


def _search(order: Search, card: Card, view: SideView) -> Odds:
    """A search, for a hidden unit of Stealth 2; `effects` has the points for each Stealth (U19, U25)."""
    standing = Standing(order, view)
    searchers = [unit for unit in map(standing.unit, order.units) if unit is not None]
    chances = (points.own_search_chance(unit, view.settings) for unit in searchers)
    best = max(chances, default=view.settings.search_chance)
    terms = points.search_terms(best if card.chance is None else card.chance, view.camp, view.shared.heat)

    def chance(stealth: int) -> int:
        return points.search_points(total(terms) + points.stealth_points(stealth), view.settings)

    found = points_chance(chance(tables.SEARCH_STEALTH))
    effects = {f"stealth_{stealth}": {"points": chance(stealth)} for stealth in STEALTHS}
    return known_odds(found, {"success": found, "failure": 1 - found}, terms, "known", effects)


def _contested(order: Arrest | Raid | Contest | Assault, card: Card, view: SideView) -> Odds:
    field = known_field(order, view)
    side: Any = view.camp
    boons = view.shared.boons[side]
    units = [field.district.units[name] for name in order.units if name in field.district.units]
    if isinstance(order, Assault):
        return _assault(field, side, assault_clash(field, side, card, boons), view)
    if isinstance(order, Contest):
        basis: Basis = "known" if card.defence is None or _in_numbers(units) else "full"
        return _clash(contest_clash(field, side, units, card, boons), basis)
    target = _target(order, view)
    if target is None:
        return unknown_odds("target")
    if isinstance(order, Raid):
        return _clash(raid_clash(field, side, target, card, boons), "known")
    return _clash(arrest_clash(field, units, target, card, boons), "known" if _in_numbers([*units, target]) else "full")


def _in_numbers(units: Iterable[Unit]) -> bool:
    """Whether a Force hangs on how many units each side has, hidden ones included."""
    return any(unit.bonus is not None and unit.bonus.numbers for unit in units)


def known_field(order: Arrest | Raid | Contest | Assault, view: SideView) -> Field:
    """The order's district as its side knows it; for orders after the moves with its own booked moves carried out:
    those that come are shaken from it (U20).
    """
    seen = view.homes[order.district]
    units: Mapping[str, Unit] = seen.units
    if isinstance(order, AfterMoves):
        standing = Standing(order, view)
        enemies = {name: unit for name, unit in seen.units.items() if unit.camp != view.camp}
        come = {name: msgspec.structs.replace(unit, shaken=True) for name, unit in standing.coming().items()}
        units = {**enemies, **standing.staying(), **come}
    district = District(
        id=seen.id,
        influence=seen.influence or Influence(),
        barricades=seen.barricades,
        landmark=seen.landmark,
        garrison=seen.garrison,
        gas=seen.gas,
        disease=seen.disease,
        units=dict(units),
    )
    kinds: Contested = order.kind  # type: ignore[assignment]  # these four kinds are the contested ones
    return Field(district, Presence(district), view.shared.boons, kinds)


def _forces(prefix: str, forces: Sequence[UnitForce]) -> tuple[Term, ...]:
    return tuple(Term(f"{prefix}:{brought.unit}", brought.force) for brought in forces)


def clash_terms(clash: Clash) -> tuple[Term, ...]:
    """Every Force and every addition of a contest, by name."""
    return (
        *_forces("attack", clash.attackers),
        *clash.bonus,
        *_forces("defence", clash.defenders),
        *clash.ground,
        *clash.points,
    )


def _clash(clash: Clash, basis: Basis) -> Odds:
    return _two(clash.chance(), clash_terms(clash), basis)


def _assault(field: Field, side: Side, clash: Clash, view: SideView) -> Odds:
    """An assault, with its casualties as a distribution (U16): `won_<n>` that n defenders fall, `lost_fallen` and
    `lost_wounded` the attacker that is struck. With more than 40 defenders: `won` and `lost`.
    """
    chance = clash.chance()
    struck = [unit for unit in field.defenders(tables.other(side)) if not unit.building]
    effects = {"won": {"defenders": len(struck), "risk_points": tables.CASUALTY_RISK}}
    if len(struck) > CASUALTIES_MAX:
        return known_odds(chance, {"won": chance, "lost": 1 - chance}, clash_terms(clash), "known", effects)
    doomed = sum(falls_when_wounded(unit, view.settings) for unit in struck)
    outcomes = {f"won_{fallen + doomed}": chance * share for fallen, share in casualties(len(struck) - doomed).items()}
    attackers = [unit for unit, _ in strong(field, side)]
    risk = points_chance(tables.CASUALTY_RISK)
    shares = [Fraction(1) if falls_when_wounded(unit, view.settings) else risk for unit in attackers]
    falls = sum(shares, Fraction(0)) / len(shares) if shares else Fraction(0)
    outcomes["lost_fallen"] = (1 - chance) * falls
    outcomes["lost_wounded"] = (1 - chance) * (1 - falls)
    return known_odds(chance, outcomes, clash_terms(clash), "known", effects)


def casualties(defenders: int) -> dict[int, Fraction]:
    """How many of some defenders fall in a lost assault, with the exact chance of each number (U16)."""
    risk = points_chance(tables.CASUALTY_RISK)
    return {n: comb(defenders, n) * risk**n * (1 - risk) ** (defenders - n) for n in range(defenders + 1)}


def falls_when_wounded(unit: Unit, settings: Settings) -> bool:
    """Whether the next wound is the one that fells a unit (U24)."""
    return unit.wounds + 1 >= settings.wounds_to_fall
