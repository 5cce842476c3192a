"""How a campaign starts, as a game designer writes it, and the state that is founded on it."""

import unicodedata
from collections.abc import Container, Mapping, Set
from typing import Annotated

import msgspec

from workers.kernel.entities import State
from workers.kernel.errors import InvalidInput
from workers.kernel.ids import Ids
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Boon, Card, Side
from workers.rules.uprising.entities import (
    Amount,
    Bonus,
    City,
    District,
    Faction,
    Garrison,
    Gauges,
    Ground,
    Holder,
    Influence,
    Landmark,
    Nature,
    Prison,
    Status,
    Unit,
)
from workers.rules.uprising.settings import Settings

ID_MAX = 64
FORBIDDEN = "/#:"


class SideStart(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A side at the start. Upgrades and assets are written out, or named where they are standard ones."""

    authority: Amount = 0
    factions: tuple[Faction, ...] = ()
    upgrades: tuple[str | Boon, ...] = ()
    assets: tuple[str | Boon, ...] = ()


class PrisonStart(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A prison and who holds it."""

    holder: Holder = ""


class DistrictStart(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A district at the start (U2). Neighbours name each other."""

    id: str
    name: str = ""
    neighbours: tuple[str, ...] = ()
    influence: Influence = Influence()
    barricades: Amount = 0
    landmark: Landmark | None = None
    garrison: Garrison | None = None
    gas: bool = False
    disease: bool = False
    fire: Amount = 0
    prison: PrisonStart | None = None


class UnitStart(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A unit at the start (U1): its sheet, its side, and the district where it stands or is imprisoned."""

    id: str
    side: Side
    district: str
    nature: Nature
    force: Amount
    stealth: Amount = 2
    status: Status = "active"
    hidden: bool = False
    wounds: Amount = 0
    named: bool = False
    bodyguards: Amount = 0
    spy: bool = False
    informer: bool = False
    refuses: bool = False
    never_rallies: bool = False
    search_chance: Annotated[int, msgspec.Meta(ge=0, le=100)] | None = None
    search_neighbours: bool = False
    bonus: Bonus | None = None


class Scenario(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A whole campaign at its start. `cards` come to the standard ones, one of each kind, whose ids are the kinds'
    names.
    """

    title: str
    sides: dict[Side, SideStart]
    districts: tuple[DistrictStart, ...]
    units: tuple[UnitStart, ...] = ()
    cards: tuple[Card, ...] = ()
    heat: Amount = 0
    settings: Settings = Settings()


def found(scenario: Scenario, ids: Ids) -> State[City]:
    """The first state. Raises InvalidInput naming the scenario's field, what was wrong and what would be accepted."""
    _check_districts(scenario)
    _check_sides(scenario)
    _check_cards(scenario)
    homes = {start.id: _district(start) for start in scenario.districts}
    places = {start.id: start for start in scenario.districts}
    taken: set[str] = set()
    for i, unit in enumerate(scenario.units):
        _check_unit(f"units[{i}]", unit, taken, places, scenario.settings.wounds_to_fall)
        taken.add(unit.id)
        homes[unit.district].units[unit.id] = _unit(unit)
    cards = {card.id: card for card in (*tables.STANDARD_CARDS, *scenario.cards)}
    city = City(
        heat=scenario.heat,
        gauges={side: _gauges(start) for side, start in scenario.sides.items()},
        boons={side: boons_of(f"sides.{side}", start) for side, start in scenario.sides.items()},
        cards=cards,
        ground={start.id: Ground(start.name, start.neighbours) for start in scenario.districts},
        prisons={
            start.id: Prison(start.prison.holder, start.prison.holder)
            for start in scenario.districts
            if start.prison is not None
        },
    )
    return State(city, dict(homes))


def _district(start: DistrictStart) -> District:
    return District(
        id=start.id,
        influence=start.influence,
        barricades=start.barricades,
        landmark=None if start.landmark is None else msgspec.structs.replace(start.landmark),
        garrison=start.garrison,
        gas=start.gas,
        disease=start.disease,
        fire=start.fire,
    )


def _unit(start: UnitStart) -> Unit:
    sheet = {name: getattr(start, name) for name in start.__struct_fields__ if name not in ("side", "district")}
    return Unit(camp=start.side, **sheet)


def _gauges(start: SideStart) -> Gauges:
    return Gauges(start.authority, tuple(msgspec.structs.replace(faction) for faction in start.factions))


def boons_of(where: str, start: SideStart) -> tuple[Boon, ...]:
    """A side's upgrades and assets, sorted by id. Raises InvalidInput for a name that is no standard asset's."""
    found: dict[str, Boon] = {}
    for field, listed in (("upgrades", start.upgrades), ("assets", start.assets)):
        for i, item in enumerate(listed):
            place = f"{where}.{field}[{i}]"
            boon = tables.STANDARD_ASSETS.get(item) if isinstance(item, str) else item
            if boon is None:
                raise InvalidInput(place, f"no standard asset is called {item!r}", ", ".join(tables.STANDARD_ASSETS))
            check_id(f"{place}.id", boon.id, found)
            found[boon.id] = boon
    return tuple(found[name] for name in sorted(found))


def check_id(field: str, name: str, taken: Container[str] = ()) -> None:
    """Raise InvalidInput unless a name can be an id, and is not among those taken."""
    plain = 0 < len(name) <= ID_MAX and unicodedata.normalize("NFC", name) == name
    if not plain or any(char in FORBIDDEN or unicodedata.category(char) in ("Cc", "Cs") for char in name):
        accepted = f"1 to {ID_MAX} characters in Unicode form NFC, without / # : and control characters"
        raise InvalidInput(field, f"{name!r} can't be an id", accepted)
    if name in taken:
        raise InvalidInput(field, f"{name!r} is taken", "ids that differ")


def _check_districts(scenario: Scenario) -> None:
    if not scenario.districts:
        raise InvalidInput("districts", "there is none", "at least one district")
    places: dict[str, DistrictStart] = {}
    for i, start in enumerate(scenario.districts):
        check_id(f"districts[{i}].id", start.id, places)
        places[start.id] = start
    for i, start in enumerate(scenario.districts):
        for j, name in enumerate(start.neighbours):
            field = f"districts[{i}].neighbours[{j}]"
            if name not in places or name == start.id or name in start.neighbours[:j]:
                raise InvalidInput(
                    field, f"{name!r} is no other district, or named twice", "ids of other districts, once"
                )
            if start.id not in places[name].neighbours:
                raise InvalidInput(
                    field, f"{name!r} doesn't name {start.id!r} as its neighbour", "neighbours of each other"
                )
        highest = scenario.settings.influence_max
        if max(start.influence.revolution, start.influence.law) > highest:
            raise InvalidInput(f"districts[{i}].influence", "above the settings' influence_max", f"0..{highest}")


def _check_sides(scenario: Scenario) -> None:
    missing = [side for side in tables.SIDES if side not in scenario.sides]
    if missing:
        raise InvalidInput("sides", f"{missing[0]!r} is missing", " and ".join(tables.SIDES))
    _at_most("heat", scenario.heat, scenario.settings.heat_max)
    for side in tables.SIDES:
        start = scenario.sides[side]
        _at_most(f"sides.{side}.authority", start.authority, scenario.settings.authority_max)
        named: list[str] = []
        for i, faction in enumerate(start.factions):
            check_id(f"sides.{side}.factions[{i}].id", faction.id, named)
            named.append(faction.id)
            _at_most(f"sides.{side}.factions[{i}].loyalty", faction.loyalty, scenario.settings.loyalty_max)
        if sum(faction.order for faction in start.factions) > 1:
            raise InvalidInput(
                f"sides.{side}.factions", "several are the Order faction", "at most one with order = true"
            )


def _at_most(field: str, value: int, highest: int) -> None:
    if value > highest:
        raise InvalidInput(field, f"{value} is too high", f"0..{highest}")


ONLY_FOR = {
    "modifier": ("arrest", "raid", "contest", "assault"),
    "chance": ("assassination", "rally", "gamble", "search"),
    "bonus": ("raid",),
    "neighbours": ("search",),
    "defence": ("contest",),
    "by_authority": ("rally",),
    "covered": ("move",),
    "buildings_only": ("raid",),
}
"""The kinds of card on which each field means something (U4, U6)."""


def _check_cards(scenario: Scenario) -> None:
    taken = [card.id for card in tables.STANDARD_CARDS]
    for i, card in enumerate(scenario.cards):
        where = f"cards[{i}]"
        check_id(f"{where}.id", card.id, taken)
        taken.append(card.id)
        plain = Card(card.id, card.kind)
        for field, kinds in ONLY_FOR.items():
            if getattr(card, field) != getattr(plain, field) and card.kind not in kinds:
                raise InvalidInput(
                    f"{where}.{field}", f"means nothing on a card of kind {card.kind}", f"on {', '.join(kinds)}"
                )
        if card.by_authority and card.chance is not None:
            raise InvalidInput(f"{where}.chance", "a rally by authority rolls no dice", "either chance or by_authority")
        if card.kind == "move" and card.gains != plain.gains:
            raise InvalidInput(f"{where}.gains", "a move succeeds at nothing", "no gains on a move")
        _check_loyalties(f"{where}.gains.loyalty", card, scenario)


def _check_loyalties(field: str, card: Card, scenario: Scenario) -> None:
    factions = [faction.id for side in card.sides for faction in scenario.sides[side].factions]
    for name in sorted(card.gains.loyalty):
        if name not in factions:
            raise InvalidInput(
                field, f"no faction of the card's sides is called {name!r}", ", ".join(factions) or "none"
            )


def _check_unit(
    where: str, start: UnitStart, taken: Set[str], homes: Mapping[str, DistrictStart], wounds_to_fall: int
) -> None:
    check_id(f"{where}.id", start.id, taken)
    place = homes.get(start.district)
    if place is None:
        raise InvalidInput(f"{where}.district", f"there is no district {start.district!r}", "ids of districts")
    if start.status == "imprisoned" and place.prison is None:
        raise InvalidInput(f"{where}.status", f"{start.district!r} has no prison", "imprisoned where there is a prison")
    if start.status == "imprisoned" and start.hidden:
        raise InvalidInput(f"{where}.hidden", "a prisoner hides from nobody", "false for an imprisoned unit")
    if start.status in ("active", "imprisoned") and start.wounds >= wounds_to_fall:
        raise InvalidInput(f"{where}.wounds", f"{start.wounds} wounds fell a unit", f"0..{wounds_to_fall - 1}")
