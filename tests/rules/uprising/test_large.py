"""Large games: one district with 10,000 orders, and 20 districts with 500 each: one digest however they're cut."""

from typing import Any

import msgspec
import pytest

from tests.rules.uprising.board import ENGINE, IDS
from workers.kernel.dice import Dice
from workers.kernel.digest import canonical
from workers.kernel.entities import cut
from workers.kernel.orders import Booked
from workers.kernel.tick import TickInput, TickResult, resolve
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.scenario import Scenario

SEED = bytes(range(32))


def a_crowd(districts: int, units: int) -> Scenario:
    """Districts in a row with `units` units each, ten kinds of them."""
    made: Scenario = RULEBOOK.generate(districts, Dice(SEED))
    crowd = tuple(
        msgspec.structs.replace(unit, id=f"{unit.id}-{copy}", informer=unit.informer and copy < 2)
        for unit in made.units
        for copy in range(units // 10)
    )
    return msgspec.structs.replace(made, units=crowd)


def orders_of(scenario: Scenario, places: int, each: int) -> tuple[TickInput, list[Booked[Any, Any]]]:
    """A tick with so many orders in each district."""
    state = RULEBOOK.found(scenario, IDS)
    drawn = RULEBOOK.sample(state.homes.values(), state.shared, scenario.settings, 1, Dice(SEED))
    by_place: dict[str, list[Booked[Any, Any]]] = {}
    for index, (camp, actor, order) in enumerate(drawn):
        booked = Booked(IDS.order(1, actor, "key", index), order.district, camp, actor, order, None)
        by_place.setdefault(order.district, []).append(booked)
    orders = [booked for place in sorted(by_place)[:places] for booked in by_place[place][:each]]
    given = TickInput(1, SEED, IDS.key, scenario.settings, canonical(state.shared), [], orders)
    return given, orders


def resolved(scenario: Scenario, given: TickInput, slices: int, backwards: bool) -> TickResult:
    state = RULEBOOK.found(scenario, IDS)
    pieces = [piece.to_bytes() for piece in cut(state.homes.items(), slices)]
    orders = given.orders[::-1] if backwards else given.orders
    return resolve(
        ENGINE,
        TickInput(given.tick, given.tick_seed, given.id_key, given.settings, given.shared, pieces, tuple(orders)),
    )


@pytest.mark.parametrize(("districts", "units", "each"), [(1, 13_000, 10_000), (20, 650, 500)])
def test_U22_a_large_game_has_one_digest_whatever_the_number_of_slices(districts: int, units: int, each: int) -> None:
    scenario = a_crowd(districts, units)
    given, orders = orders_of(scenario, districts, each)

    assert districts * each == len(orders)
    digests = {
        resolved(scenario, given, slices, backwards).digest
        for slices, backwards in ((1, False), (16, True), (256, False))
    }

    assert 1 == len(digests)
