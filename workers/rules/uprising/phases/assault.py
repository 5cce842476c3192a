"""Phase 8: assaults (U15, U16)."""

from collections.abc import Iterator, Sequence
from typing import Literal

from workers.kernel.events import Event, Mail
from workers.kernel.odds import Term
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Boon, Card, Side
from workers.rules.uprising.entities import City, District, Unit
from workers.rules.uprising.events import AssaultFought, AssaultRolled, PrisonSeized, Reason, UnitStruck
from workers.rules.uprising.force import Field, Presence, UnitForce, by_id, modifier_points
from workers.rules.uprising.gains import take_gains
from workers.rules.uprising.merging import (
    BookedOrder,
    Group,
    Turn,
    gather,
    hidden_among,
    in_district,
    merged,
    shown,
)
from workers.rules.uprising.rolls import Clash, ContestRoll, Draw, best_card, draw, roll_contest, roll_points

RISK = (Term("risk", tables.CASUALTY_RISK),)


@in_district
def assault(district: District, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn) -> Iterator[Event]:
    """Carry out a district's assaults, one after the other; its prison goes to whoever won last, at the phase's end."""
    seized: Side | None = None
    for group in merged(orders, turn):
        for event in _attempt(district, group, seized, turn):
            yield event
            if isinstance(event, AssaultFought) and event.outcome == "won" and district.id in turn.shared.prisons:
                seized = group.camp
    if seized is not None:
        yield PrisonSeized(seized, district.id)


def strong(field: Field, side: Side) -> list[tuple[Unit, UnitForce]]:
    """Those units of a side that attack in an assault: with effective Force above 0, in ascending id."""
    brought = [(unit, field.force(unit, defends=False)) for unit in sorted(field.attackers(side), key=by_id)]
    return [(unit, force) for unit, force in brought if force.force > 0]


def assault_problem(field: Field, side: Side, city: City) -> Reason | None:
    """Why there can be no assault: nobody attacks, or there is nothing to overcome (U15)."""
    if not strong(field, side):
        return "no_attacker"
    district, enemy = field.district, tables.other(side)
    garrison, landmark, prison = district.garrison, district.landmark, city.prisons.get(district.id)
    something = (
        any(not unit.hidden for unit in field.defenders(enemy))
        or (garrison is not None and garrison.force > 0 and side in garrison.hostile)
        or (landmark is not None and landmark.holder != side)
        or (prison is not None and prison.holder != side)
        or (side == tables.LAW and district.barricades > 0)
    )
    return None if something else "nothing_to_overcome"


def assault_clash(field: Field, side: Side, card: Card, boons: Sequence[Boon]) -> Clash:
    """The units of a side that have Force, against the other side's, a hostile garrison, a landmark that the side
    doesn't hold, and for the Law the barricades.
    """
    district = field.district
    ground = []
    if district.garrison is not None and side in district.garrison.hostile:
        ground.append(Term("garrison", district.garrison.force))
    if district.landmark is not None and district.landmark.holder != side:
        ground.append(Term("landmark", district.landmark.defence))
    if side == tables.LAW and district.barricades:
        ground.append(Term("barricades", district.barricades))
    attackers = tuple(force for _, force in strong(field, side))
    defenders = field.forces(field.defenders(tables.other(side)), defends=True)
    return Clash(attackers, defenders, (), tuple(ground), modifier_points(card.modifier, "assault", boons))


def _attempt(district: District, group: Group, seized: Side | None, turn: Turn) -> Iterator[Event]:
    side = group.camp
    field = Field(district, Presence(district), turn.shared.boons, "assault")
    problem = assault_problem(field, side, turn.shared)
    team = yield from gather(district, group, turn, lambda card: problem)
    if team is None:
        return
    card, clash = best_card(team.cards, lambda card: assault_clash(field, side, card, turn.shared.boons[side]))
    roll, facing = roll_contest(turn.dice, f"assault/{group.key}/contest", clash)
    attackers = [unit for unit, _ in strong(field, side)]
    defenders = sorted(field.defenders(tables.other(side)), key=by_id)
    yield _fought(district, side, roll, seized, turn)
    yield AssaultRolled(
        camp=side,
        district=district.id,
        orders=team.order_ids,
        units=team.names,
        card=card.id,
        roll=roll,
        shown=shown(attackers),
        facing=facing,
        counted=hidden_among([*attackers, *defenders]),
    )
    if roll.success:
        for unit in defenders:
            if not unit.building:
                yield from _strike(field, group, unit, None, turn)
        yield from take_gains(district, field.presence, side, card, turn.settings)
    else:
        drawn = draw(turn.dice, f"assault/{group.key}/casualty", len(attackers))
        yield from _strike(field, group, attackers[drawn.dice[0]], drawn, turn)


def _fought(district: District, side: Side, roll: ContestRoll, seized: Side | None, turn: Turn) -> AssaultFought:
    """What everybody sees of an assault, with what its winner takes."""
    taken: list[Literal["landmark", "prison"]] = []
    prison = turn.shared.prisons.get(district.id)
    if roll.success and district.landmark is not None and district.landmark.holder != side:
        taken.append("landmark")
    if roll.success and prison is not None and (seized or prison.holder) != side:
        taken.append("prison")
    fire = district.fire + turn.settings.assault_fire
    return AssaultFought(side, district.id, "won" if roll.success else "lost", tuple(taken) or None, fire)


def _strike(field: Field, group: Group, unit: Unit, drawn: Draw | None, turn: Turn) -> Iterator[Event]:
    """A unit falls with a risk of 50 %, else it is wounded; a third wound fells it, too (U16, U24)."""
    path = f"assault/{group.key}/{turn.ids.handle(unit.id)}"
    roll = roll_points(turn.dice, path, RISK, tables.CASUALTY_RISK)
    wounds = unit.wounds if roll.success else unit.wounds + 1
    falls = roll.success or wounds >= turn.settings.wounds_to_fall
    faced = unit.camp != group.camp or field.defenders(tables.other(group.camp))
    if falls:
        field.presence.lost(unit.camp)
    yield UnitStruck(
        camp=unit.camp,
        district=field.district.id,
        unit=unit.id,
        outcome="fallen" if falls else "wounded",
        wounds=wounds,
        roll=roll,
        draw=drawn,
        facing=roll.facing(()),
        witnessed=bool(faced) and not unit.hidden,
    )
