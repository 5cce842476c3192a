"""What an operator may amend between ticks, before the tick's first phase (K6)."""

import pytest

from tests.rules.uprising.board import Board
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.entities import Faction, Influence, Unit
from workers.rules.uprising.events import (
    GaugesAmended,
    GroundAmended,
    HeatAmended,
    InfluenceAmended,
    PrisonAmended,
    SearchMade,
    UnitPlaced,
    UnitWithdrawn,
)
from workers.rules.uprising.orders import Search

NEWCOMER = Unit(id="newcomer", camp="revolution", nature="person", force=2, hidden=True)


def test_every_amendment_says_which_home_it_changes() -> None:
    made = [
        (UnitPlaced("revolution", "north", NEWCOMER), "north"),
        (UnitWithdrawn("revolution", "north", "louise"), "north"),
        (GroundAmended("south"), "south"),
        (InfluenceAmended("south", 1, 2), "south"),
        (HeatAmended(3), ""),
        (GaugesAmended("law", 3, {}), ""),
        (PrisonAmended("south", "law"), ""),
    ]

    assert {type(event) for event, _ in made} == set(RULEBOOK.amendments)
    assert [home for _, home in made] == [RULEBOOK.amendments[type(event)](event) for event, _ in made]


def test_a_unit_that_is_placed_plays_in_the_same_tick_and_only_its_side_reads_of_it() -> None:
    board = Board()
    board.unit("patrol", "law")
    board.amend(UnitPlaced("revolution", "north", NEWCOMER))
    board.order(Search("north", ("newcomer",)), "revolution")

    told = board.resolve()

    assert ("newcomer",) == told.one(SearchMade).units
    assert "newcomer" in str(told.report("revolution", "unit_placed"))
    assert "newcomer" not in str(told.report("law"))


def test_a_unit_is_withdrawn_from_its_own_side_alone() -> None:
    board = Board()
    board.unit("louise")
    board.unit("jean")
    board.amend(UnitWithdrawn("revolution", "north", "louise"))
    board.amend(UnitWithdrawn("law", "north", "jean"))
    board.amend(UnitWithdrawn("law", "north", "nobody"))

    assert {"jean"} == set(board.resolve().district().units)


def test_what_an_amendment_of_the_ground_leaves_out_stays() -> None:
    board = Board()
    board.homes["north"].barricades, board.homes["north"].fire = 2, 3
    board.amend(GroundAmended("north", gas=True, disease=True, fire=9))

    told = board.resolve()

    assert (2, True, 8, False) == (
        told.district().barricades,
        told.district().disease,
        told.district().fire,
        told.district().gas,
    ), "the gas cleared and the fire fell in the aftermath"


def test_influence_heat_gauges_and_prisons_are_set() -> None:
    board = Board()
    board.city.gauges["law"].factions = (Faction("order", 50, order=True), Faction("shopkeepers", 40))
    board.amend(InfluenceAmended("north", 7, 8))
    board.amend(HeatAmended(33))
    board.amend(GaugesAmended("law", 12, {"order": 13}))
    board.amend(PrisonAmended("south", "law"))
    board.amend(PrisonAmended("nowhere", "law"))

    city = board.resolve().city

    assert Influence(7, 8) == board.resolve().district().influence
    assert (33, 12, [13, 40]) == (
        city.heat,
        city.gauges["law"].authority,
        [faction.loyalty for faction in city.gauges["law"].factions],
    )
    assert {"south"} == set(city.prisons)


@pytest.mark.parametrize(
    "event",
    [
        UnitPlaced("revolution", "nowhere", NEWCOMER),
        UnitWithdrawn("revolution", "nowhere", "louise"),
        GroundAmended("nowhere", fire=3),
        InfluenceAmended("nowhere", 1, 2),
    ],
    ids=lambda event: type(event).__name__,
)
def test_an_amendment_of_a_district_that_is_not_there_makes_none(event: UnitPlaced) -> None:
    board = Board()
    board.amend(event)

    assert {"north", "south"} == set(board.resolve().state.homes)


def test_a_gauge_that_was_set_too_high_is_bounded_when_it_next_moves() -> None:
    board = Board()
    board.amend(HeatAmended(900))
    board.unit("louise")

    assert 99 == board.resolve().city.heat, "100 at the end of the first phase, less 1"
