"""How a campaign of the Veil starts, as a game designer writes it, and the first state that it makes."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from workers.kernel.entities import State
from workers.kernel.errors import InvalidInput
from workers.kernel.ids import Ids
from workers.rules.veil.entities import City, Servant, Stat, Superior, Zone
from workers.rules.veil.names import ACCEPTED, Name, is_name
from workers.rules.veil.settings import Settings, check_settings
from workers.rules.veil.tables import CHARACTERISTICS, INFLUENCE_MAX, TALENTS, Affinity, Camp

STATS = (*CHARACTERISTICS, *TALENTS)


class ScenarioZone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A zone (V4): whose place it is, whether people sleep there, and where its influence starts."""

    id: Name
    name: str
    affinity: Affinity = "neutral"
    dormitory: bool = False
    influence: Annotated[int, msgspec.Meta(ge=-INFLUENCE_MAX, le=INFLUENCE_MAX)] = 0


class ScenarioServant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A servant (V1, V2): what isn't given is 0, and power points are the settings' `pp_start`."""

    id: Name
    camp: Camp
    superior: Name
    body: Stat = 0
    mind: Stat = 0
    soul: Stat = 0
    speech: Stat = 0
    violence: Stat = 0
    stealth: Stat = 0
    smooth_talk: Stat = 0
    occult: Stat = 0
    machines: Stat = 0
    investigation: Stat = 0
    pp: Annotated[int, msgspec.Meta(ge=0)] | None = None
    wounds: Annotated[int, msgspec.Meta(ge=0)] = 0
    exposure: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    rating: int = 0


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A campaign's start."""

    title: str
    zones: Annotated[tuple[ScenarioZone, ...], msgspec.Meta(min_length=1)]
    superiors: tuple[Superior, ...]
    servants: tuple[ScenarioServant, ...]
    settings: Settings = Settings()
    strain: Annotated[int, msgspec.Meta(ge=0)] = 0


def found(scenario: Scenario, ids: Ids) -> State[City]:
    """The first state, before the opening draws missions (V5). Raises InvalidInput naming the scenario's field."""
    settings = scenario.settings
    check_settings(settings)
    _check_ids("zones", scenario.zones)
    _check_ids("superiors", scenario.superiors)
    _check_ids("servants", scenario.servants)
    for i, superior in enumerate(scenario.superiors):
        if not superior.weights.total():
            raise InvalidInput(f"superiors[{i}].weights", "all are 0", "at least one weight above 0")
    superiors = {superior.id: superior for superior in sorted(scenario.superiors, key=lambda item: item.id)}
    for i, servant in enumerate(scenario.servants):
        _check_servant(f"servants[{i}]", servant, superiors, settings)
    if scenario.strain > settings.strain_max:
        raise InvalidInput("strain", f"{scenario.strain} is too much", f"0..{settings.strain_max}")
    zones = {
        zone.id: Zone(zone.id, zone.name, zone.affinity, zone.dormitory, zone.influence)
        for zone in sorted(scenario.zones, key=lambda item: item.id)
    }
    city = City(zones, superiors, len(scenario.servants), scenario.strain)
    return State(city, {servant.id: _servant(servant, settings) for servant in scenario.servants})


def _check_ids(field: str, items: Sequence[Any]) -> None:
    seen: set[str] = set()
    for i, item in enumerate(items):
        if not is_name(item.id):
            raise InvalidInput(f"{field}[{i}].id", f"{item.id!r} is no name", ACCEPTED)
        if item.id in seen:
            raise InvalidInput(f"{field}[{i}].id", f"{item.id!r} is taken", "ids that differ")
        seen.add(item.id)


def _check_servant(field: str, servant: ScenarioServant, superiors: dict[str, Superior], settings: Settings) -> None:
    superior = superiors.get(servant.superior)
    if superior is None or superior.camp != servant.camp:
        accepted = ", ".join(key for key, item in superiors.items() if item.camp == servant.camp) or "none"
        problem = f"{servant.superior!r} is no Superior of the camp {servant.camp}"
        raise InvalidInput(f"{field}.superior", problem, accepted)
    for name in STATS:
        _check_range(f"{field}.{name}", getattr(servant, name), 0, settings.characteristic_max)
    _check_range(f"{field}.pp", servant.pp or 0, 0, settings.pp_max)
    _check_range(f"{field}.wounds", servant.wounds, 0, settings.wounds_max)
    _check_range(f"{field}.rating", servant.rating, -settings.rating_max, settings.rating_max)


def _check_range(field: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidInput(field, f"{value} is outside", f"{least}..{most}")


def _servant(servant: ScenarioServant, settings: Settings) -> Servant:
    stats = {name: getattr(servant, name) for name in STATS}
    return Servant(
        servant.id,
        servant.camp,
        servant.superior,
        **stats,
        pp=settings.pp_start if servant.pp is None else servant.pp,
        wounds=servant.wounds,
        exposure=servant.exposure,
        rating=servant.rating,
    )
