"""Phase 9: the aftermath, in the order of U24."""

from collections.abc import Iterable, Iterator, Sequence

from workers.kernel.events import Event, Mail
from workers.rules.uprising import points, tables
from workers.rules.uprising.cards import Side
from workers.rules.uprising.entities import District, Unit
from workers.rules.uprising.events import (
    DistrictSettled,
    GroundChanged,
    HidingTested,
    PrisonersFreed,
    UnitRaised,
    UnitsHealed,
    UnitsRecovered,
)
from workers.rules.uprising.force import Presence, by_id
from workers.rules.uprising.gains import revealed
from workers.rules.uprising.merging import BookedOrder, Turn
from workers.rules.uprising.rolls import roll_points


def aftermath(
    district: District | None, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn
) -> Iterator[Event]:
    """What the tick leaves behind in a district."""
    if district is None:
        return
    presence = Presence(district)
    yield from _uncover(district, presence, turn)
    yield from _free(district, turn)
    yield from _rest(district, turn)
    fire = district.fire if district.assaulted else max(0, district.fire - turn.settings.fire_out)
    if district.gas or fire != district.fire:
        yield GroundChanged(district.id, district.barricades, False, fire, "aftermath")
    if turn.tick % turn.settings.levy == 0:
        yield from _levy(district, turn)
    yield settled(district, turn)


def _uncover(district: District, presence: Presence, turn: Turn) -> Iterator[Event]:
    """A unit that was hidden when an arrest, raid or assault counted it, and is active and hidden still, is tested."""
    for unit in sorted(district.units.values(), key=by_id):
        if unit.counted and unit.hidden and unit.active:
            path = f"aftermath/{turn.ids.handle(unit.id)}/reveal"
            chance = points.reveal_points(unit.stealth, turn.settings)
            roll = roll_points(turn.dice, path, points.reveal_terms(unit.stealth, turn.settings), chance)
            yield HidingTested(unit.camp, district.id, unit.id, roll.outcome, roll)
            if roll.success:
                yield revealed(district, presence, unit)


def _free(district: District, turn: Turn) -> Iterator[Event]:
    """A prison whose holder isn't that of the tick's start lets the new holder's side go free."""
    prison = turn.shared.prisons.get(district.id)
    for side in tables.SIDES:
        if prison is not None and prison.holder == side != prison.held:
            inmates = [unit for unit in district.units.values() if unit.status == "imprisoned"]
            freed = names_of(unit for unit in inmates if unit.camp == side)
            if freed:
                yield PrisonersFreed(side, district.id, freed)


def _rest(district: District, turn: Turn) -> Iterator[Event]:
    """Shaken units recover; those that served no order heal where there was no assault."""
    for side in tables.SIDES:
        own = [unit for unit in district.units.values() if unit.camp == side]
        shaken = names_of(unit for unit in own if unit.shaken and unit.active)
        if shaken:
            yield UnitsRecovered(side, district.id, shaken)
        resting = names_of(unit for unit in own if unit.active and unit.wounds and not unit.served)
        if resting and not district.assaulted:
            yield UnitsHealed(side, district.id, resting, turn.settings.healing)


def _levy(district: District, turn: Turn) -> Iterator[Event]:
    """A side with enough influence raises a revealed troop."""
    for side in tables.SIDES:
        if district.influence.of(side) >= turn.settings.levy_influence:
            name = turn.ids.created("levy", turn.tick, district.id, side)
            force, stealth = turn.settings.levy_force, turn.settings.levy_stealth
            sheet = Unit(id=name, camp=side, nature="troop", force=force, stealth=stealth)
            yield UnitRaised(side, district.id, name, Presence(district).seeing(side), sheet)


def settled(district: District, turn: Turn) -> DistrictSettled:
    """The census of a district as its tick ends."""
    active = [unit for unit in district.units.values() if unit.active]
    people = {side: sum(unit.camp == side and not unit.building for unit in active) for side in tables.SIDES}
    holding = turn.settings.holding_influence
    holds: tuple[Side, ...] = tuple(side for side in tables.SIDES if district.influence.of(side) >= holding)
    return DistrictSettled(district.id, people, holds, sum(unit.camp == tables.REVOLUTION for unit in active))


def names_of(units: Iterable[Unit]) -> tuple[str, ...]:
    """The ids of some units, ascending."""
    return tuple(sorted(unit.id for unit in units))
