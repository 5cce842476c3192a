"""The rulebook against a second reading of the sheet, over wild cities and orders (U1–U24, K5, K6, K9)."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.uprising.board import ENGINE, Told
from tests.rules.uprising.reading import read_again
from tests.rules.uprising.reading.table import Table
from tests.rules.uprising.reading.wild import a_city, orders_for
from workers.kernel.digest import canonical
from workers.kernel.entities import cut
from workers.kernel.ids import Ids, id_key, tick_seed
from workers.kernel.tick import TickInput, resolve
from workers.rules.uprising.events import (
    ArrestTried,
    AssassinationTried,
    AssaultRolled,
    ContestTried,
    GambleTried,
    HidingTested,
    OrderVoid,
    RaidTried,
    RallyTried,
    SearchMade,
    SearchRolled,
    UnitDropped,
    UnitMoved,
    UnitRevealed,
    UnitStruck,
)
from workers.rules.uprising.settings import Settings

Line = tuple[Any, ...]
Tried = (AssassinationTried, RallyTried, ArrestTried, RaidTried, ContestTried, GambleTried, AssaultRolled)


def lines(told: Told) -> Iterator[Line]:
    """What the events tell, as the second reading tells it."""
    for event in told.events:
        match event:
            case SearchMade():
                yield ("search", event.district, *event.orders, "by", *event.units, event.card)
            case SearchRolled(subject=subject, unit=unit, roll=roll):
                yield ("search_roll", subject, unit, roll.threshold, roll.success)
            case UnitMoved(order=order, unit=unit, target=target):
                yield ("move", order, unit, target)
            case UnitStruck(district=district, unit=unit, outcome=outcome, wounds=wounds):
                yield ("struck", district, unit, outcome == "fallen", wounds)
            case HidingTested(district=district, unit=unit, roll=roll):
                yield ("hiding", district, unit, roll.threshold, roll.success)
            case _ if isinstance(event, Tried):
                kind = "assault" if isinstance(event, AssaultRolled) else event.__struct_config__.tag
                yield (kind, event.district, *event.orders, "by", *event.units, event.card, *_roll(event))


def _roll(event: Any) -> Line:
    if event.roll is None:
        return ("", 100 if event.outcome == "success" else 0, event.outcome == "success")
    if isinstance(event, ArrestTried):
        return (event.roll.path, str(Fraction(event.roll.chance)), event.outcome, event.prison)
    chance = event.roll.threshold
    if isinstance(event, RaidTried | ContestTried | AssaultRolled):
        chance = str(Fraction(event.roll.chance))
    return (event.roll.path, chance, event.roll.success)


def state_of(homes: Any, city: Any) -> dict[str, Any]:
    """What a tick leaves: everything but what lasts no longer than the tick."""
    left: dict[str, Any] = {"heat": city.heat, "gauges": {}, "homes": {}}
    for side, gauges in city.gauges.items():
        left["gauges"][side] = (gauges.authority, [faction.loyalty for faction in gauges.factions])
    for name, home in homes.items():
        units = {
            key: (unit.camp, unit.status, unit.hidden, unit.wounds, unit.rallied) for key, unit in home.units.items()
        }
        holder = (home.landmark.holder if home.landmark else None, getattr(city.prisons.get(name), "holder", None))
        left["homes"][name] = (home.influence, home.barricades, home.gas, home.fire, holder, units)
    return left


@settings(max_examples=100)
@given(st.binary(min_size=32, max_size=32))
def test_U1_to_U24_a_second_reading_of_the_sheet_comes_to_the_same_tick_for_tick(seed: bytes) -> None:
    homes, city = a_city(seed)
    ids = Ids(id_key(seed))
    for tick in (3, 4, 5):
        dice = tick_seed(seed, tick)
        orders = list(orders_for(dice, homes, city))
        pieces = [piece.to_bytes() for piece in cut(homes.items(), 2)]
        told = Told(resolve(ENGINE, TickInput(tick, dice, ids.key, Settings(), canonical(city), pieces, tuple(orders))))

        compare(told, read_again(homes, city, tick, dice, ids, orders))
        homes, city = told.state.homes, told.city


def compare(told: Told, table: Table) -> None:
    """That both tell the same."""
    dropped: dict[str, set[str]] = {}
    for event in told.all(UnitDropped):
        dropped.setdefault(event.order, set()).add(event.unit)
    assert sorted(map(repr, lines(told))) == sorted(map(repr, table.told))
    assert {event.order for event in told.all(OrderVoid)} == table.void
    assert dropped == table.dropped
    assert sorted((event.district, event.unit) for event in told.all(UnitRevealed)) == sorted(table.revealed)
    assert state_of(told.state.homes, told.city) == state_of(table.homes, table.city)
