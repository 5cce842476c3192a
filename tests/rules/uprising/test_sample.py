"""The orders that play the game where nobody does: what the demonstration shows."""

import hashlib

import pytest

from tests.rules.uprising.board import ENGINE, Told
from workers.kernel.dice import Dice
from workers.kernel.digest import canonical
from workers.kernel.entities import cut
from workers.kernel.ids import Ids, id_key, tick_seed
from workers.kernel.orders import Booked
from workers.kernel.tick import TickInput, resolve
from workers.rules.resources import parse_scenario, scenario_text
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.scenario import Scenario

SHOWN = {"arrest", "raid", "assault", "assassination", "rally", "search"}
"""What is resolved at least once in six ticks of the small scenario, whatever its seed."""


@pytest.mark.parametrize("campaign", range(10))
def test_six_ticks_of_the_small_scenario_show_every_kind_of_contested_order(campaign: int) -> None:
    seed = hashlib.sha256(f"campaign {campaign}".encode()).digest()
    ids = Ids(id_key(seed))
    scenario = parse_scenario(RULEBOOK, scenario_text(RULEBOOK, RULEBOOK.scenarios[0]))
    assert isinstance(scenario, Scenario)
    state = RULEBOOK.found(scenario, ids)
    happened: set[str] = set()
    for tick in range(1, 7):
        dice = tick_seed(seed, tick)
        drawn = RULEBOOK.sample(state.homes.values(), state.shared, scenario.settings, tick, Dice(dice))
        orders = [
            Booked(ids.order(tick, actor, "sample", index), order.district, camp, actor, order, None)
            for index, (camp, actor, order) in enumerate(drawn)
        ]
        pieces = [piece.to_bytes() for piece in cut(state.homes.items(), 1)]
        told = Told(
            resolve(ENGINE, TickInput(tick, dice, ids.key, scenario.settings, canonical(state.shared), pieces, orders))
        )
        happened.update(str(event.__struct_config__.tag) for event in told.events)
        state = told.state

    assert happened >= SHOWN
