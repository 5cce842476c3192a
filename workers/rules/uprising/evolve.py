"""How events change state: the only way in which it changes. Each takes from its event all that it needs."""

from collections.abc import Mapping

import msgspec

from workers.kernel.engine import Evolve
from workers.kernel.events import Event
from workers.rules.uprising import events as happened
from workers.rules.uprising.entities import City, District, Influence, Prison

copied = msgspec.structs.replace
"""A copy of a record: an event keeps its own."""


def _serve(district: District, names: tuple[str, ...]) -> None:
    for name in names:
        district.units[name].served = True


def _count(district: District, names: tuple[str, ...]) -> None:
    for name in names:
        district.units[name].counted = True


def _search(district: District, event: happened.SearchMade) -> District:
    _serve(district, event.units)
    return district


def _assassination(district: District, event: happened.AssassinationTried) -> District:
    _serve(district, event.units)
    if event.outcome == "success":
        district.units[event.target].status = "fallen"
    return district


def _rally(district: District, event: happened.RallyTried) -> District:
    _serve(district, event.units)
    if event.outcome == "success":
        target = district.units[event.target]
        target.camp = event.camp
        target.rallied = event.tick
    return district


def _arrest(district: District, event: happened.ArrestTried) -> District:
    _serve(district, event.units)
    _count(district, event.counted)
    if event.outcome == "arrested":
        if event.prison is None:
            district.units[event.target].status = "out"
        elif event.prison == district.id:
            district.units[event.target].status = "imprisoned"
        else:
            del district.units[event.target]
            district.absent[event.target] = "unit_arrested"
    return district


def _raid(district: District, event: happened.RaidTried) -> District:
    _serve(district, event.units)
    _count(district, event.counted)
    if event.outcome == "success":
        district.units[event.target].status = "destroyed"
    return district


def _contest(district: District, event: happened.ContestTried | happened.GambleTried) -> District:
    _serve(district, event.units)
    return district


def _assault(district: District, event: happened.AssaultFought) -> District:
    district.assaulted = True
    district.fire = event.fire
    if event.taken and "landmark" in event.taken and district.landmark is not None:
        district.landmark.holder = event.camp
    return district


def _assault_roll(district: District, event: happened.AssaultRolled) -> District:
    _serve(district, event.units)
    _count(district, event.counted)
    return district


def _struck(district: District, event: happened.UnitStruck) -> District:
    unit = district.units[event.unit]
    unit.wounds = event.wounds
    if event.outcome == "fallen":
        unit.status = "fallen"
    return district


def _moved(district: District, event: happened.UnitMoved) -> District:
    del district.units[event.unit]
    district.absent[event.unit] = "unit_moved"
    if not event.was_hidden and event.camp not in district.left:
        district.left = tuple(sorted((*district.left, event.camp)))
    return district


def _take_in(district: District, event: happened.PrisonerTaken | happened.UnitArrived) -> District:
    district.units[event.unit.id] = copied(event.unit)
    return district


def _revealed(district: District, event: happened.UnitRevealed) -> District:
    district.units[event.unit].hidden = False
    return district


def _hid(district: District, event: happened.UnitHid) -> District:
    district.units[event.unit].hidden = True
    return district


def _influence(district: District, event: happened.InfluenceMoved | happened.InfluenceAmended) -> District:
    district.influence = Influence(event.revolution, event.law)
    return district


def _ground(district: District, event: happened.GroundChanged) -> District:
    district.barricades, district.gas, district.fire = event.barricades, event.gas, event.fire
    return district


def _freed(district: District, event: happened.PrisonersFreed) -> District:
    for name in event.units:
        district.units[name].status = "active"
        district.units[name].hidden = False
    return district


def _recovered(district: District, event: happened.UnitsRecovered) -> District:
    for name in event.units:
        district.units[name].shaken = False
    return district


def _healed(district: District, event: happened.UnitsHealed) -> District:
    for name in event.units:
        unit = district.units[name]
        unit.wounds = max(0, unit.wounds - event.wounds)
    return district


def _raised(district: District, event: happened.UnitRaised) -> District:
    district.units[event.unit] = copied(event.sheet)
    return district


def _settled(district: District, event: happened.DistrictSettled) -> District:
    district.absent = {}
    district.left = ()
    district.assaulted = False
    for unit in district.units.values():
        unit.served = unit.counted = unit.shaken = False
    return district


def _placed(district: District | None, event: happened.UnitPlaced) -> District | None:
    if district is not None:
        district.units[event.unit.id] = copied(event.unit, camp=event.camp)
    return district


def _withdrawn(district: District | None, event: happened.UnitWithdrawn) -> District | None:
    if district is not None:
        unit = district.units.get(event.unit)
        if unit is not None and unit.camp == event.camp:
            del district.units[event.unit]
    return district


def _ground_amended(district: District | None, event: happened.GroundAmended) -> District | None:
    if district is not None:
        for name in ("disease", "gas", "barricades", "fire"):
            value = getattr(event, name)
            if value is not None:
                setattr(district, name, value)
    return district


def _influence_amended(district: District | None, event: happened.InfluenceAmended) -> District | None:
    return None if district is None else _influence(district, event)


def _heat(city: City, event: happened.HeatMoved) -> City:
    city.heat = event.after
    return city


def _authority(city: City, event: happened.AuthorityMoved) -> City:
    city.gauges[event.camp].authority = event.after
    return city


def _loyalty(city: City, event: happened.LoyaltyMoved) -> City:
    for faction in city.gauges[event.camp].factions:
        if faction.id == event.faction:
            faction.loyalty = event.after
    return city


def _prison_taken(city: City, event: happened.PrisonTaken) -> City:
    city.prisons[event.district].holder = event.camp
    return city


def _claims_cut(city: City, event: happened.ClaimsCut) -> City:
    city.gauges[event.camp].overdrawn = event.keys
    return city


def _tick_settled(city: City, event: happened.TickSettled) -> City:
    city.census = {side: copied(census) for side, census in event.census.items()}
    for gauges in city.gauges.values():
        gauges.overdrawn = ()
    for prison in city.prisons.values():
        prison.held = prison.holder
    return city


def _opened(city: City, event: happened.UprisingOpened) -> City:
    city.census = {side: copied(census) for side, census in event.census.items()}
    return city


def _heat_amended(city: City, event: happened.HeatAmended) -> City:
    city.heat = event.heat
    return city


def _gauges_amended(city: City, event: happened.GaugesAmended) -> City:
    gauges = city.gauges[event.camp]
    gauges.authority = event.authority
    for faction in gauges.factions:
        faction.loyalty = event.loyalty.get(faction.id, faction.loyalty)
    return city


def _prison_amended(city: City, event: happened.PrisonAmended) -> City:
    if event.district in city.ground:
        city.prisons[event.district] = Prison(event.holder, event.holder)
    return city


EVOLVE: Mapping[type[Event], Evolve] = {
    happened.SearchMade: _search,
    happened.AssassinationTried: _assassination,
    happened.RallyTried: _rally,
    happened.ArrestTried: _arrest,
    happened.RaidTried: _raid,
    happened.ContestTried: _contest,
    happened.GambleTried: _contest,
    happened.AssaultFought: _assault,
    happened.AssaultRolled: _assault_roll,
    happened.UnitStruck: _struck,
    happened.UnitMoved: _moved,
    happened.PrisonerTaken: _take_in,
    happened.UnitArrived: _take_in,
    happened.UnitRevealed: _revealed,
    happened.UnitHid: _hid,
    happened.InfluenceMoved: _influence,
    happened.GroundChanged: _ground,
    happened.PrisonersFreed: _freed,
    happened.UnitsRecovered: _recovered,
    happened.UnitsHealed: _healed,
    happened.UnitRaised: _raised,
    happened.DistrictSettled: _settled,
    happened.UnitPlaced: _placed,
    happened.UnitWithdrawn: _withdrawn,
    happened.GroundAmended: _ground_amended,
    happened.InfluenceAmended: _influence_amended,
}
"""What each event does to its district."""

EVOLVE_SHARED: Mapping[type[Event], Evolve] = {
    happened.HeatMoved: _heat,
    happened.AuthorityMoved: _authority,
    happened.LoyaltyMoved: _loyalty,
    happened.PrisonTaken: _prison_taken,
    happened.ClaimsCut: _claims_cut,
    happened.TickSettled: _tick_settled,
    happened.UprisingOpened: _opened,
    happened.HeatAmended: _heat_amended,
    happened.GaugesAmended: _gauges_amended,
    happened.PrisonAmended: _prison_amended,
}
"""What each event does to the shared record."""
