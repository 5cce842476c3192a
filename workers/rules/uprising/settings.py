"""Every number that is ours to choose [O], with its default, its bounds and its clause. The source's own are in
`tables`.
"""

from typing import Annotated

import msgspec


def _number(low: int, high: int, description: str) -> msgspec.Meta:
    return msgspec.Meta(ge=low, le=high, description=description)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of one campaign. Points are hundredths of a chance; ticks count from 1."""

    influence_max: Annotated[int, _number(1, 1000, "the highest influence of a side in a district (U2)")] = 100
    heat_max: Annotated[int, _number(1, 1000, "the highest Heat (U3)")] = 100
    authority_max: Annotated[int, _number(1, 1000, "the highest Authority of a side (U3)")] = 100
    loyalty_max: Annotated[int, _number(1, 1000, "the highest loyalty of a faction (U3)")] = 100
    bodyguard_points: Annotated[int, _number(0, 100, "points that a bodyguard takes from an assassination (U14)")] = 10
    assault_fire: Annotated[int, _number(0, 100, "how much fire an assault adds to its district (U16)")] = 1
    rally_points: Annotated[int, _number(0, 100, "points that a unit at the side of a rallied one gives (U17)")] = 5
    rally_highest: Annotated[int, _number(0, 100, "the highest chance of a rally by dice, in points (U17)")] = 95
    rally_authority: Annotated[int, _number(0, 1000, "Authority that a rally by authority books and takes (U17)")] = 10
    rally_rest: Annotated[int, _number(0, 1000, "ticks in which a unit that changed side can't be rallied (U17)")] = 5
    search_chance: Annotated[int, _number(0, 100, "chance of a searcher without one of its own, in points (U19)")] = 50
    search_lowest: Annotated[int, _number(0, 95, "the lowest chance of a search, in points (U19)")] = 0
    wounds_to_fall: Annotated[int, _number(1, 100, "the wound that fells a unit (U24)")] = 3
    reveal_chance: Annotated[int, _number(0, 100, "points to be revealed in the aftermath (U24)")] = 50
    reveal_stealth: Annotated[int, _number(0, 100, "the Stealth that changes nothing in the aftermath (U24)")] = 2
    reveal_points: Annotated[int, _number(0, 100, "points that each Stealth above it takes, below it gives (U24)")] = 8
    reveal_highest: Annotated[int, _number(0, 100, "the highest chance of an aftermath's reveal, in points (U24)")] = 95
    healing: Annotated[int, _number(0, 100, "wounds that a unit at rest heals in a tick (U24)")] = 1
    fire_out: Annotated[int, _number(0, 100, "how much a fire falls where there was no assault (U24)")] = 1
    levy: Annotated[int, _number(1, 10_000, "troops are raised in ticks divisible by this (U24)")] = 5
    levy_influence: Annotated[int, _number(0, 1000, "influence from which a side raises a troop (U24)")] = 50
    levy_force: Annotated[int, _number(0, 100, "Force of a raised troop (U24)")] = 1
    levy_stealth: Annotated[int, _number(0, 100, "Stealth of a raised troop (U24)")] = 2
    heat_units: Annotated[int, _number(1, 1000, "active Revolution units that cool the Heat by 1 (U24)")] = 4
    holding_influence: Annotated[int, _number(0, 1000, "influence at which a side still holds a district (U26)")] = 50
