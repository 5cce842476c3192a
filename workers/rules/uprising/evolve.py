"""How events change state: the only way in which it changes. Each takes from its event all that it needs."""

from collections.abc import Mapping
from typing import Any

import msgspec

from workers.kernel.engine import Evolve, Tally
from workers.kernel.events import Event
from workers.kernel.phases import Sums
from workers.rules.uprising import events as happened
from workers.rules.uprising import tables
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


def _tally_heat(event: Any, sums: Sums) -> None:
    if event.heat:
        sums.add("heat", event.heat)


def _tally_loyalty(event: happened.ArrestTried, sums: Sums) -> None:
    if event.faction:
        sums.add(f"loyalty/{event.camp}/{event.faction}", event.loyalty)


def _tally_authority(event: happened.RallyTried, sums: Sums) -> None:
    if event.paid:
        sums.add(f"authority/{event.camp}", -event.paid)


def _tally_gains(event: happened.GaugesGained, sums: Sums) -> None:
    sums.add("heat", event.heat)
    sums.add(f"authority/{event.camp}", event.authority)
    for faction in sorted(event.loyalty):
        sums.add(f"loyalty/{event.camp}/{faction}", event.loyalty[faction])


def _tally_search(event: happened.SearchRolled, sums: Sums) -> None:
    if event.card and event.outcome == "success":
        sums.maximum(f"found/{event.camp}/{event.card}/{event.subject}", 1)


def _tally_claim(event: happened.AuthorityClaimed, sums: Sums) -> None:
    sums.add(f"claim/{event.camp}/{event.initiative}/{event.key}", 1)


def _tally_prison(event: happened.PrisonSeized, sums: Sums) -> None:
    sums.add(f"prison/{event.district}/{event.camp}", 1)


def _tally_census(event: happened.DistrictSettled, sums: Sums) -> None:
    sums.add("active", event.active)
    for side in tables.SIDES:
        sums.add(f"people/{side}", event.people.get(side, 0))
    for side in event.holds:
        sums.add(f"holds/{side}", 1)


TALLY: Mapping[type[Event], Tally] = {
    happened.AssassinationTried: _tally_heat,
    happened.UnitRevealed: _tally_heat,
    happened.ArrestTried: _tally_loyalty,
    happened.RallyTried: _tally_authority,
    happened.GaugesGained: _tally_gains,
    happened.SearchRolled: _tally_search,
    happened.AuthorityClaimed: _tally_claim,
    happened.PrisonSeized: _tally_prison,
    happened.DistrictSettled: _tally_census,
}
"""What each event adds for the barrier."""
