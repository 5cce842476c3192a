"""Exact odds with their terms: K3 and K4, U25."""

from fractions import Fraction
from typing import Any

import pytest

from tests.rules.uprising.board import Board, values
from workers.kernel.odds import nearest
from workers.rules.uprising.entities import Bonus
from workers.rules.uprising.events import (
    ArrestTried,
    AssassinationTried,
    AssaultFought,
    AssaultRolled,
    ContestTried,
    GambleTried,
    RaidTried,
    RallyTried,
)
from workers.rules.uprising.orders import (
    Arrest,
    Assassination,
    Assault,
    Contest,
    Gamble,
    Move,
    Raid,
    Rally,
    Search,
)


def a_city() -> Board:
    board = Board()
    board.unit("louise", force=3, bonus=Bonus(barricade=1))
    board.unit("mask", hidden=True)
    board.unit("prefect", "law", 2, nature="person", named=True, bodyguards=1)
    board.unit("post", "law", nature="building")
    board.card("speech", "contest", defence=3, modifier=-1)
    board.card("poster", "gamble", chance=37)
    return board


@pytest.mark.parametrize(
    ("order", "success", "basis"),
    [
        (Assassination("north", ("mask",), "prefect"), "9/20", "full"),
        (Search("north", ("louise",)), "1/2", "known"),
        (Rally("north", ("louise",), "prefect"), "9/20", "full"),
        (Arrest("north", ("louise",), "prefect"), "1/2", "full"),
        (Raid("north", ("louise",), "post"), "1/2", "known"),
        (Contest("north", ("louise",)), "3/7", "known"),
        (Contest("north", ("louise",), "speech"), "2/5", "full"),
        (Gamble("north", ("louise",), "poster"), "37/100", "full"),
        (Assault("north", ("louise",)), "4/7", "known"),
        (Move("north", ("louise",), "south"), "1/1", "full"),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_K3_the_odds_of_every_kind_of_order(order: Arrest, success: str, basis: str) -> None:
    odds = a_city().odds(order)

    assert (success, basis) == (odds.success, odds.basis)
    assert 1 == sum(Fraction(text) for text in odds.outcomes.values())


def test_U17_odds_of_a_rally_count_the_units_that_the_order_names() -> None:
    board = a_city()
    board.unit("jean")

    assert "1/2" == board.odds(Rally("north", ("louise", "jean"), "prefect")).success


def test_K3_contested_odds_list_the_forces() -> None:
    odds = a_city().odds(Raid("north", ("louise",), "post"))

    assert {"attack:louise": 3, "attack:mask": 1, "defence:post": 1, "defence:prefect": 2, "one": 1} == values(
        odds.terms
    )


def test_U25_search_odds_are_given_for_a_stealth() -> None:
    odds = a_city().odds(Search("north", ("louise",)))

    assert [66, 58, 50, 42] == [odds.effects[f"stealth_{stealth}"]["points"] for stealth in range(4)]


def test_U25_arrest_odds_leave_escapes_out() -> None:
    board = a_city()
    board.boon("law", "keys", escape_chance=90)

    assert "1/2" == board.odds(Arrest("north", ("louise",), "prefect")).success


def test_U25_hidden_units_make_odds_known_never_unknown() -> None:
    board = a_city()
    board.unit("ghost", "law", 9, hidden=True)
    board.homes["north"].units["louise"].bonus = Bonus(numbers=1)

    assert ("3/7", "known") == (
        board.odds(Contest("north", ("louise",))).success,
        board.odds(Contest("north", ("louise",))).basis,
    ), "the ghost doesn't count: the camp doesn't know it"
    assert "known" == board.odds(Arrest("north", ("louise",), "prefect")).basis, "numbers count hidden ones"


def test_K3_a_rally_by_authority_is_certain_one_way_or_the_other() -> None:
    board = a_city()
    board.card("proclamation", "rally", by_authority=True)
    order = Rally("north", ("louise",), "prefect", "proclamation")

    assert ("1/1", {"success": "1/1", "failure": "0/1"}) == (board.odds(order).success, board.odds(order).outcomes)
    assert {"authority": 40, "needed": 20} == values(board.odds(order).terms)
    board.city.gauges["revolution"].authority = 19
    assert "0/1" == board.odds(order).success


def test_K3_odds_after_the_moves_see_those_who_come_and_not_those_who_leave() -> None:
    board = a_city()
    board.unit("column", force=5, at="south")
    board.order(Move("south", ("column",), "north"))
    board.order(Move("north", ("louise",), "south"))

    odds = board.odds(Assault("north", ("column",), coming_from=("south",)))

    assert {"attack:column": 4, "attack:mask": 1, "defence:post": 1, "defence:prefect": 2} == values(odds.terms)


def test_K3_with_very_many_defenders_the_odds_say_won_or_lost() -> None:
    board = a_city()
    for number in range(60):
        board.unit(f"l{number}", "law")

    odds = board.odds(Assault("north", ("louise",)))

    assert {"won", "lost"} == set(odds.outcomes)
    assert {"defenders": 61, "risk_points": 50} == odds.effects["won"]


@pytest.mark.parametrize(
    ("order", "kind"),
    [
        (Assassination("north", ("mask",), "prefect"), AssassinationTried),
        (Rally("north", ("louise",), "prefect"), RallyTried),
        (Arrest("north", ("louise",), "prefect"), ArrestTried),
        (Raid("north", ("louise",), "post"), RaidTried),
        (Contest("north", ("louise",)), ContestTried),
        (Gamble("north", ("louise",), "poster"), GambleTried),
        (Assault("north", ("louise",)), AssaultFought),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_K3_the_full_enumeration_of_the_dice_gives_the_odds(order: Arrest, kind: type) -> None:
    """K3: of all draws that a roll may have, exactly the share promised succeeds."""
    board = a_city()
    odds = board.odds(order)
    board.order(order)
    told = board.resolve(lambda told: bool(told.all(kind)))
    rolled: Any = told.one(AssaultRolled if kind is AssaultFought else kind)
    roll = rolled.roll
    below = getattr(roll, "below", 100)
    draws = range(below) if hasattr(roll, "below") else range(1, 101)
    successes = sum(draw < roll.threshold if hasattr(roll, "below") else draw <= roll.threshold for draw in draws)

    assert Fraction(odds.success or "") == Fraction(successes, below)


def test_K4_nearest_rounds_half_away_from_zero() -> None:
    assert [5, -5, 3, 0] == [nearest(9, 2), nearest(-9, 2), nearest(5, 2), nearest(1, 3)]


def test_K3_U24_who_has_two_wounds_falls_whatever_the_risk_says() -> None:
    """5 against 1 + 2: of two defenders one falls in any case, and so does the only attacker if it loses (U16)."""
    board = Board()
    board.unit("section", force=3, wounds=2)
    board.unit("band", force=3, wounds=1)
    board.unit("company", "law", 7, wounds=2)

    odds = board.odds(Assault("north", ("company",)), "law")

    assert "5/8" == odds.success
    assert {"won_1": "5/16", "won_2": "5/16", "lost_fallen": "3/8", "lost_wounded": "0/1"} == odds.outcomes


@pytest.mark.parametrize(("numbers", "basis"), [(0, "full"), (1, "known")])
def test_U25_a_unit_that_fights_better_in_numbers_makes_the_odds_of_a_named_defence_known(
    numbers: int, basis: str
) -> None:
    board = a_city()
    board.homes["north"].units["louise"].bonus = Bonus(numbers=numbers)

    assert basis == board.odds(Contest("north", ("louise",), "speech")).basis
