"""The end of a campaign: U26."""

import pytest

from tests.rules.uprising.board import Board
from workers.rules.contract import Verdict
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.entities import Census, Influence
from workers.rules.uprising.tables import SIDES


@pytest.mark.parametrize(
    ("people", "districts", "winner"),
    [
        ((1, 1), (0, 0), None),
        ((0, 1), (1, 0), None),
        ((0, 1), (0, 0), Verdict("law", "revolution_beaten")),
        ((3, 0), (0, 0), Verdict("revolution", "law_beaten")),
        ((0, 0), (0, 0), Verdict("", "draw")),
        ((0, 0), (0, 2), Verdict("law", "revolution_beaten")),
    ],
)
def test_U26_a_side_with_nobody_and_no_district_has_lost(
    people: tuple[int, int], districts: tuple[int, int], winner: Verdict | None
) -> None:
    board = Board()
    board.city.census = {side: Census(people[i], districts[i]) for i, side in enumerate(SIDES)}

    assert winner == RULEBOOK.verdict(board.city, board.settings, 7)


def test_U26_the_census_is_that_of_the_tick_s_end() -> None:
    """U26: buildings, prisoners and the fallen don't count; hidden units do; 50 of influence hold a district."""
    board = Board("north middle south")
    board.homes["north"].influence = Influence(50, 49)
    board.homes["south"].influence = Influence(0, 100)
    board.unit("club", nature="building")
    board.unit("ghost", hidden=True)
    board.unit("inmate", status="imprisoned")
    board.unit("patrol", "law", at="south")
    board.unit("dead", "law", at="south", status="fallen")

    told = board.resolve()

    assert {"revolution": Census(1, 1), "law": Census(1, 1)} == told.city.census
    assert None is RULEBOOK.verdict(told.city, board.settings, 3)


def test_U26_the_first_census_is_taken_when_the_campaign_is_set_up() -> None:
    board = Board(tick=0)
    board.unit("louise")

    told = board.resolve()

    assert {"revolution": Census(1, 0), "law": Census(0, 0)} == told.city.census
    assert [{"event": "opened", "heat": 20}] == told.report("law")
