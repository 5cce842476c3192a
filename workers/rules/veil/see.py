"""What a camp knows: of a servant, and of the city (K7, V34). `check` and `odds` receive nothing else."""

from operator import attrgetter
from typing import Any, TypeAlias

import msgspec

from workers.kernel.entities import View
from workers.rules.veil.entities import City, Mission, Servant, Superior, Zone
from workers.rules.veil.settings import Settings
from workers.rules.veil.tables import Affinity, Approach, Camp


class OwnMission(msgspec.Struct, frozen=True):
    """A mission of an own servant. Whether the other camp has detected it isn't known."""

    id: str
    zone: str
    approach: Approach
    base: int
    chain: int
    assigned: int
    held: int


class OwnServant(msgspec.Struct, frozen=True, tag_field="known", tag="own"):
    """A servant of one's own camp."""

    id: str
    camp: Camp
    superior: str
    body: int
    mind: int
    soul: int
    speech: int
    violence: int
    stealth: int
    smooth_talk: int
    occult: int
    machines: int
    investigation: int
    pp: int
    wounds: int
    exposure: int
    rating: int
    succeeded: tuple[str, ...]
    missions: tuple[OwnMission, ...]


class DetectedMission(msgspec.Struct, frozen=True):
    """An enemy mission in preparation that one's camp has detected (V2, V26, V27)."""

    id: str
    zone: str
    approach: Approach
    exposed: bool
    """Detected by the servant's exposure, so for the coming tick only; else by intel, so while that is fresh."""


class DetectedServant(msgspec.Struct, frozen=True, tag_field="known", tag="detected"):
    """An enemy servant with a detected mission; of any other nothing is known."""

    id: str
    missions: tuple[DetectedMission, ...]


class SeenZone(msgspec.Struct, frozen=True):
    """A zone: what is public, and the last influence known with its tick (None before the first intel)."""

    id: str
    name: str
    affinity: Affinity
    dormitory: bool
    sealed_through: int
    influence: int | None
    known: int | None
    fresh_through: int | None
    coverage: bool


class SeenCity(msgspec.Struct, frozen=True):
    """The city as a camp knows it: neither strain nor noise (V34)."""

    zones: dict[str, SeenZone]
    superiors: dict[str, Superior]


SeenServant: TypeAlias = OwnServant | DetectedServant
VeilView: TypeAlias = View[SeenCity, SeenServant, Settings]

_told = attrgetter(*(name for name in OwnServant.__struct_fields__ if name != "missions"))
"""What a camp reads of its servant's record as it is: all fields but the last, in their order."""


def see(home: Servant, shared: Any, camp: str) -> SeenServant | None:
    """What a camp knows of a servant: everything of its own, of another only its detected missions."""
    if home.camp == camp:
        fields: tuple[Any, ...] = (*_told(home), tuple(map(_own, home.missions)))
        return OwnServant(*fields)
    detected = [
        DetectedMission(mission.id, mission.zone, mission.approach, mission.exposed)
        for mission in home.missions
        if mission.by_intel or mission.exposed
    ]
    return DetectedServant(home.id, tuple(detected)) if detected else None


def _own(mission: Mission) -> OwnMission:
    return OwnMission(
        mission.id, mission.zone, mission.approach, mission.base, mission.chain, mission.assigned, mission.held
    )


def see_shared(shared: City, camp: str) -> SeenCity:
    """What a camp knows of the city."""
    return SeenCity({key: _zone(zone, shared, camp) for key, zone in shared.zones.items()}, shared.superiors)


def _zone(zone: Zone, city: City, camp: str) -> SeenZone:
    held = city.intel_of(camp, zone.id)
    return SeenZone(
        id=zone.id,
        name=zone.name,
        affinity=zone.affinity,
        dormitory=zone.dormitory,
        sealed_through=zone.sealed_through,
        influence=held.influence if held else None,
        known=held.known if held else None,
        fresh_through=held.through if held else None,
        coverage=held.coverage if held else False,
    )
