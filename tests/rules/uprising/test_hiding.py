"""Who is revealed in the aftermath because a fight counted it: U24."""

import pytest

from tests.rules.uprising.board import IDS, values
from tests.rules.uprising.scenes import a_fight
from workers.rules.uprising.events import (
    HidingTested,
)
from workers.rules.uprising.orders import Arrest, Assault, Contest, Raid


@pytest.mark.parametrize("kind", [Arrest, Raid, Assault])
def test_U24_who_was_hidden_when_a_fight_counted_it_may_be_revealed(kind: type) -> None:
    board = a_fight(kind)

    told = board.resolve(lambda told: told.unit("ghost").active and told.unit("spy").active)
    tests = {event.unit: event.roll for event in told.all(HidingTested)}

    assert ({"spy"} if kind is Arrest else {"ghost", "spy"}) == set(tests)
    assert {"aftermath": 50, "stealth": 16} == values(tests["spy"].terms)
    assert (66, f"aftermath/{IDS.handle('spy')}/reveal") == (tests["spy"].threshold, tests["spy"].path)
    if kind is not Arrest:
        assert 42 == tests["ghost"].threshold
    for name, roll in tests.items():
        assert (board.dice.stream(roll.path).percent(),) == roll.dice
        assert (roll.outcome == "failure") == told.unit(name).hidden


@pytest.mark.parametrize(("stealth", "points"), [(0, 66), (2, 50), (8, 2), (9, 0), (100, 0)])
def test_U24_50_points_less_8_for_each_stealth_above_2_plus_8_below_within_0_and_95(stealth: int, points: int) -> None:
    board = a_fight(Assault)
    board.homes["north"].units["ghost"].stealth = stealth

    told = board.resolve(lambda told: told.unit("ghost").active)

    assert points == told.one(HidingTested, unit="ghost").roll.threshold


def test_U24_the_highest_chance_is_95() -> None:
    board = a_fight(Assault)
    board.settings = type(board.settings)(reveal_chance=90)

    told = board.resolve(lambda told: told.unit("spy").active)

    assert 95 == told.one(HidingTested, unit="spy").roll.threshold


def test_U24_a_contest_or_a_void_fight_counts_nobody() -> None:
    board = a_fight(Assault)
    board.orders.clear()
    board.order(Contest("north", ("company",)))
    board.order(Raid("north", ("section",), "nothing"))

    assert [] == board.resolve().all(HidingTested)


def test_U24_who_fell_is_not_tested() -> None:
    board = a_fight(Assault)

    told = board.resolve(lambda told: told.unit("ghost").status == "fallen")

    assert told.unit("ghost").hidden
    assert {"spy"} == {event.unit for event in told.all(HidingTested)}


def test_U24_who_was_not_hidden_when_it_was_counted_is_not_tested() -> None:
    board = a_fight(Assault)
    board.homes["north"].units["ghost"].hidden = False
    told = board.resolve()

    assert {"spy"} == {event.unit for event in told.all(HidingTested)}
