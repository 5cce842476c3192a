"""What a side knows (U25): all that `check`, `odds` and the view are given."""

from collections.abc import Mapping

import msgspec

from workers.kernel.entities import View
from workers.rules.uprising.cards import Boon, Card, Side
from workers.rules.uprising.entities import (
    City,
    District,
    Faction,
    Garrison,
    Ground,
    Influence,
    Landmark,
    Prison,
    Unit,
)
from workers.rules.uprising.settings import Settings


class SeenDistrict(msgspec.Struct, omit_defaults=True):
    """A district as a side knows it: the ground always; where it has an active unit, both influences and the other
    side's revealed units, too; its own units in any case.
    """

    id: str
    influence: Influence | None = None
    barricades: int = 0
    landmark: Landmark | None = None
    garrison: Garrison | None = None
    gas: bool = False
    disease: bool = False
    fire: int = 0
    units: dict[str, Unit] = {}


class SeenCity(msgspec.Struct, omit_defaults=True):
    """What a side knows of what is shared: its own gauges, and what is public."""

    heat: int
    authority: int
    factions: tuple[Faction, ...]
    boons: Mapping[Side, tuple[Boon, ...]]
    cards: Mapping[str, Card]
    ground: Mapping[str, Ground]
    prisons: Mapping[str, Prison]


SideView = View[SeenCity, SeenDistrict, Settings]


def see(district: District, city: City, camp: str) -> SeenDistrict:
    """What a side knows of a district."""
    watches = any(unit.camp == camp and unit.active for unit in district.units.values())
    units = {name: unit for name, unit in district.units.items() if unit.camp == camp or (watches and not unit.hidden)}
    return SeenDistrict(
        id=district.id,
        influence=district.influence if watches else None,
        barricades=district.barricades,
        landmark=district.landmark,
        garrison=district.garrison,
        gas=district.gas,
        disease=district.disease,
        fire=district.fire,
        units=units,
    )


def see_city(city: City, camp: str) -> SeenCity:
    """What a side knows of the shared record."""
    gauges = next(gauges for side, gauges in city.gauges.items() if side == camp)
    return SeenCity(city.heat, gauges.authority, gauges.factions, city.boons, city.cards, city.ground, city.prisons)
