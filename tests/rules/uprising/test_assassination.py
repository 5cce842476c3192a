"""Assassinations: U14."""

import pytest

from tests.rules.uprising.board import Board, values
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.events import AssassinationTried, GaugesGained, HeatMoved, UnitRevealed
from workers.rules.uprising.orders import Assassination


def an_attempt(bodyguards: int = 0) -> Board:
    board = Board(heat_units=1000)
    board.unit("prefect", "law", nature="person", bodyguards=bodyguards)
    board.unit("mask", hidden=True)
    board.unit("cape", hidden=True)
    board.order(Assassination("north", ("mask",), "prefect"))
    board.order(Assassination("north", ("cape",), "prefect"))
    return board


def outcome(wanted: str):
    return lambda told: told.one(AssassinationTried).outcome == wanted


@pytest.mark.parametrize(("bodyguards", "points"), [(0, 55), (2, 35), (5, 5), (9, 5)])
def test_U14_the_chance_is_55_less_10_a_bodyguard_within_5_and_95(bodyguards: int, points: int) -> None:
    tried = an_attempt(bodyguards).resolve().one(AssassinationTried)

    assert {"card": 55} == values(tried.roll.terms)
    assert (55 - 10 * bodyguards, points) == (tried.roll.total, tried.roll.threshold)
    assert ({"bodyguards": -10 * bodyguards} if bodyguards else {}) == values(tried.facing.terms)


def test_U14_a_card_may_say_otherwise_up_to_95() -> None:
    board = an_attempt()
    board.card("bomb", "assassination", chance=100)
    board.orders.clear()
    board.order(Assassination("north", ("mask",), "prefect", "bomb"))

    tried = board.resolve().one(AssassinationTried)

    assert ("bomb", 95) == (tried.card, tried.roll.threshold)


@pytest.mark.parametrize("drawn", [55, 56])
def test_U14_K5_a_chance_in_points_is_a_draw_of_1_to_100_at_most_the_chance(drawn: int) -> None:
    board = an_attempt()

    tried = board.resolve(lambda told: told.one(AssassinationTried).roll.dice == (drawn,)).one(AssassinationTried)

    assert ("success" if drawn <= 55 else "failure") == tried.outcome == tried.roll.outcome
    assert (board.dice.stream(tried.roll.path).percent(),) == tried.roll.dice


def test_U14_a_failure_reveals_the_killers_and_heats_by_5() -> None:
    """U14, U19: two revealed Revolution units add 2 each beside."""
    told = an_attempt().resolve(outcome("failure"))

    assert ["cape", "mask"] == [event.unit for event in told.all(UnitRevealed)]
    assert (20, 29) == (told.all(HeatMoved)[0].before, told.all(HeatMoved)[0].after)
    assert told.unit("prefect").active


def test_U14_the_law_s_failures_heat_the_revolution_too() -> None:
    board = Board(heat_units=1000)
    board.card("plot", "assassination", sides=("law",), chance=5)
    board.unit("agent", "law", hidden=True)
    board.unit("orator", nature="person")
    board.order(Assassination("north", ("agent",), "orator", "plot"))

    assert 25 == board.resolve(outcome("failure")).all(HeatMoved)[0].after


def test_U14_a_success_fells_the_target_and_leaves_the_killers_hidden() -> None:
    board = an_attempt()
    board.city.cards["assassination"] = type(board.city.cards["assassination"])(
        "assassination", "assassination", ("revolution",), chance=55, gains=Gains(authority=3)
    )

    told = board.resolve(outcome("success"))

    assert "fallen" == told.unit("prefect").status
    assert (True, True) == (told.unit("mask").hidden, told.unit("cape").hidden)
    assert 3 == told.one(GaugesGained).authority
    assert [(20, 19)] == [(moved.before, moved.after) for moved in told.all(HeatMoved)], "it only cools"


def test_U14_the_target_is_a_revealed_person_the_killers_are_hidden() -> None:
    board = an_attempt()
    board.unit("patrol", "law")
    board.unit("ghost", "law", nature="person", hidden=True)
    board.unit("open")
    refusals = {
        "patrol": board.refusal(Assassination("north", ("mask",), "patrol")),
        "ghost": board.refusal(Assassination("north", ("mask",), "ghost")),
        "open": board.refusal(Assassination("north", ("open",), "prefect")),
    }
    assert {"patrol": "target_not_person", "ghost": "target_unknown", "open": "unit_revealed"} == refusals
    board.orders.clear()
    for number, (unit, target) in enumerate((("mask", "patrol"), ("mask", "ghost"), ("open", "prefect"))):
        board.order(Assassination("north", (unit,), target), name=str(number))

    assert {"0": "target_not_person", "1": "target_gone", "2": "unit_revealed"} == board.resolve().reasons()


def test_U14_the_default_card_is_the_revolution_s_alone() -> None:
    board = an_attempt()
    board.unit("agent", "law", hidden=True)
    board.unit("orator", nature="person")

    assert "card_not_yours" == board.refusal(Assassination("north", ("agent",), "orator"), "law")


def test_U25_who_lost_its_last_unit_to_killers_sees_the_influence_no_more() -> None:
    board = an_attempt()
    board.card("bomb", "assassination", chance=95, gains=Gains(influence=3))
    board.orders.clear()
    board.order(Assassination("north", ("mask",), "prefect", "bomb"))

    told = board.resolve(outcome("success"))

    assert 1 == len(told.report("revolution", "influence"))
    assert [] == told.report("law", "influence")
