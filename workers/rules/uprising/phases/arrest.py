"""Phase 4: arrests (U12)."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

import msgspec

from workers.kernel.events import Event, Mail
from workers.kernel.odds import Term
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Boon, Card, Side
from workers.rules.uprising.entities import City, District, Unit
from workers.rules.uprising.events import ArrestTried, PrisonerSent, UnitHid
from workers.rules.uprising.force import Field, Presence, could_defend, modifier_points
from workers.rules.uprising.gains import take_gains
from workers.rules.uprising.merging import (
    BookedOrder,
    Group,
    Team,
    Turn,
    gather,
    hidden_among,
    in_district,
    merged,
    shown,
    target_problem,
    void,
)
from workers.rules.uprising.rolls import Clash, PointsRoll, best_card, roll_contest, roll_points

ONE = (Term("one", 1),)
"""What every defence without a name has on top (U12, U13, U18)."""


@in_district
def arrest(district: District, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn) -> Iterator[Event]:
    """Carry out a district's arrests, one after the other."""
    presence = Presence(district)
    field = Field(district, presence, turn.shared.boons, "arrest")
    prison_for = cache(partial(nearest_prison, turn.shared, district.id))
    for group in merged(orders, turn):
        problem = target_problem(district, group, buildings=False)
        if problem is not None:
            yield from void(group.orders, problem)
            continue
        team = yield from gather(district, group, turn)
        if team is not None:
            yield from _attempt(field, group, team, prison_for, turn)


def arrest_clash(field: Field, units: Sequence[Unit], target: Unit, card: Card, boons: Sequence[Boon]) -> Clash:
    """The named units against the target's Force + 1; those that refuse to fire bring nothing (U12, U15)."""
    attackers = field.forces(filter(could_defend, units), defends=False)
    defenders = field.forces(filter(could_defend, (target,)), defends=True)
    return Clash(attackers, defenders, (), ONE, modifier_points(card.modifier, "arrest", boons))


def _attempt(
    field: Field, group: Group, team: Team, prison_for: Callable[[Side], str | None], turn: Turn
) -> Iterator[Event]:
    district = field.district
    target = district.units[group.target]
    boons = turn.shared.boons[group.camp]
    card, clash = best_card(team.cards, lambda card: arrest_clash(field, team.units, target, card, boons))
    roll, facing = roll_contest(turn.dice, f"arrest/{group.key}/contest", clash)
    escape = _escape(group, target, turn) if roll.success else None
    escaped = escape is not None and escape.success
    prison = prison_for(target.camp) if roll.success and not escaped else None
    faction = order_faction(turn.shared, group.camp) if roll.success else ""
    yield ArrestTried(
        camp=group.camp,
        district=district.id,
        target=target.id,
        outcome="escaped" if escaped else "arrested" if roll.success else "failed",
        prison=prison,
        escape=escape,
        escape_facing=None if escape is None else escape.facing(()),
        orders=team.order_ids,
        units=team.names,
        card=card.id,
        roll=roll,
        shown=shown(team.units),
        facing=facing,
        counted=hidden_among([unit for unit in team.units if could_defend(unit)]),
        faction=faction,
        loyalty=tables.ARREST_LOYALTY if faction else 0,
    )
    if escaped:
        yield UnitHid(target.camp, district.id, target.id, "escape")
    elif roll.success:
        field.presence.lost(target.camp)
        if prison is not None and prison != district.id:
            yield PrisonerSent(prison, target.camp, msgspec.structs.replace(target, status="imprisoned"))
    if roll.success:
        yield from take_gains(district, field.presence, group.camp, card, turn.settings)


def _escape(group: Group, target: Unit, turn: Turn) -> PointsRoll | None:
    """The target's chance to get away once it is arrested: the highest that its side's upgrades give."""
    way = max(turn.shared.boons[target.camp], key=lambda boon: boon.escape_chance, default=None)
    if way is None or not way.escape_chance:
        return None
    terms = (Term(way.id, way.escape_chance),)
    return roll_points(turn.dice, f"arrest/{group.key}/escape", terms, way.escape_chance)


def order_faction(city: City, side: Side) -> str:
    """The id of a side's Order faction, empty if it has none."""
    return next((faction.id for faction in city.gauges[side].factions if faction.order), "")


def nearest_prison(city: City, start: str, side: Side) -> str | None:
    """The prison where an arrested unit of a side is taken: one that its side doesn't hold, the nearest by district
    distance, unreachable ones last, then the lowest id; None when there is none.
    """
    prisons = city.prisons
    if all(prison.holder == side for prison in prisons.values()):
        return None
    ring, seen = [start], {start}
    while ring:
        here = [name for name in ring if name in prisons and prisons[name].holder != side]
        if here:
            return min(here)
        ring = _next_ring(city, ring, seen)
    return min(name for name, prison in prisons.items() if prison.holder != side)


def _next_ring(city: City, ring: Sequence[str], seen: set[str]) -> list[str]:
    """The districts one step beyond a ring, which are then seen."""
    found = []
    for name in ring:
        ground = city.ground.get(name)
        for neighbour in ground.neighbours if ground is not None else ():
            if neighbour not in seen:
                seen.add(neighbour)
                found.append(neighbour)
    return found
