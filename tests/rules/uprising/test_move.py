"""Moves: U20."""

from typing import Any

import pytest

from tests.rules.uprising.board import Board, names, values
from workers.kernel.orders import Cost
from workers.rules.uprising.events import (
    AssaultRolled,
    ContestTried,
    UnitHid,
    UnitLost,
    UnitMoved,
    UnitsRecovered,
)
from workers.rules.uprising.orders import Arrest, Assault, Contest, Gamble, Move


def a_move(covered: bool = False, **sheet: Any) -> Board:
    board = Board("north middle south")
    board.card("cellars", "move", covered=True)
    board.unit("louise", **{"force": 3, **sheet})
    board.order(Move("north", ("louise",), "middle", "cellars" if covered else "move"))
    return board


def test_U20_in_the_open_it_leaves_a_unit_shaken_to_the_end_of_the_tick() -> None:
    board = a_move()
    board.order(Contest("middle", ("louise",), coming_from=("north",)), "revolution")

    told = board.resolve()

    assert {"own": 3, "shaken": -1} == values(told.one(ContestTried).roll.forces[0].terms)
    assert ("louise",) == told.one(UnitsRecovered).units
    assert ("middle", False) == (told.place("louise"), told.unit("louise").shaken)


def test_U20_in_the_open_is_no_service_under_cover_is_one() -> None:
    open_, covered = (
        a_move().check(Move("north", ("louise",), "middle")),
        a_move().check(Move("north", ("louise",), "middle", "cellars")),
    )

    assert {Cost("move/louise", 1, 1, "revolution")} == set(open_.costs)
    assert {Cost("move/louise", 1, 1, "revolution"), Cost("serve/louise", 1, 1, "revolution")} == set(covered.costs)


def test_U20_who_came_under_cover_serves_no_other_order() -> None:
    board = a_move(covered=True)
    board.unit("friend", at="middle")
    contest = Contest("middle", ("louise",), coming_from=("north",))

    assert "unit_serves" == board.refusal(contest)
    order = board.order(contest, "revolution")
    assert {order: "unit_serves"} == board.resolve().reasons()


def test_U20_who_served_before_may_move_in_the_open_and_not_under_cover() -> None:
    for covered in (False, True):
        board = a_move(covered)
        board.unit("patrol", "law")
        board.order(Arrest("north", ("louise",), "patrol"))

        told = board.resolve()

        assert ({"move-0": "unit_serves"} if covered else {}) == told.reasons()
        assert ("north" if covered else "middle") == told.place("louise")


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("hidden", [False, True])
def test_U20_in_the_open_a_hidden_unit_stays_hidden_and_a_revealed_one_revealed(hidden: bool, watched: bool) -> None:
    board = a_move(hidden=hidden)
    if watched:
        board.unit("patrol", "law", at="middle")

    assert hidden == board.resolve().unit("louise").hidden


@pytest.mark.parametrize(
    ("there", "hides"),
    [
        ({}, True),
        ({"camp": "revolution"}, True),
        ({"hidden": True}, True),
        ({"status": "fallen"}, True),
        ({"status": "imprisoned"}, True),
        ({"nature": "building"}, False),
        ({"force": 0}, False),
    ],
)
def test_U20_under_cover_it_hides_where_no_active_revealed_enemy_stands(there: dict[str, Any], hides: bool) -> None:
    board = a_move(covered=True)
    if there:
        board.unit("patrol", at="middle", **{"side": there.pop("camp", "law"), **there})

    told = board.resolve()

    assert hides == told.unit("louise").hidden == bool(told.all(UnitHid))
    assert not told.unit("louise").shaken


def test_U20_U21_who_stood_there_is_as_at_the_phase_s_start() -> None:
    """U20, U21: moves are simultaneous: a patrol that leaves still watched, one that comes didn't."""
    board = a_move(covered=True)
    board.unit("patrol", "law", at="middle")
    board.order(Move("middle", ("patrol",), "south"))
    assert not board.resolve().unit("louise").hidden

    for name in ("agent", "patrol"):
        board = a_move(covered=True)
        board.unit(name, "law", at="south")
        board.order(Move("south", (name,), "middle"))
        assert board.resolve().unit("louise").hidden, "whoever is first in ascending id"

    board = a_move(covered=True)
    board.unit("patrol", "law", at="middle", hidden=True)
    board.order(Move("middle", ("patrol",), "south"))
    assert board.resolve().unit("louise").hidden


def test_U20_two_units_may_change_places() -> None:
    board = a_move()
    board.unit("friend", at="middle")
    board.order(Move("middle", ("friend",), "north"))

    told = board.resolve()

    assert ("middle", "north") == (told.place("louise"), told.place("friend"))


def test_U20_only_to_a_neighbouring_district() -> None:
    board = a_move()
    for target in ("south", "north", "nowhere"):
        assert "not_neighbour" == board.refusal(Move("north", ("louise",), target))
    board.orders.clear()
    order = board.order(Move("north", ("louise",), "south"))

    assert {order: "not_neighbour"} == board.resolve().reasons()


def test_U20_once_a_tick() -> None:
    """U20: two moves of one unit: the first in initiative is carried out, the other is void; it never moves on."""
    board = a_move()
    second = board.order(Move("north", ("louise",), "middle"))
    third = board.order(Move("middle", ("louise",), "south"), "revolution")

    told = board.resolve()

    assert {second: "unit_moved", third: "unit_elsewhere"} == told.reasons()
    assert 1 == len(told.all(UnitMoved))


def test_U20_a_unit_has_no_place_but_one() -> None:
    board = a_move()

    told = board.resolve()

    assert "middle" == told.place("louise")
    assert {} == told.district("north").absent
    assert () == told.district("north").left


def test_U4_orders_after_the_moves_are_judged_as_the_booked_moves_will_leave_the_units() -> None:
    board = a_move()
    board.unit("stayer", force=2)
    for kind in (Contest, Gamble, Assault):
        assert "" == board.refusal(kind("middle", ("louise",), coming_from=("north",)))
        assert "unit_not_here" == board.refusal(kind("middle", ("louise",)))
        assert "unit_not_here" == board.refusal(kind("middle", ("stayer",), coming_from=("north",)))
        assert "unit_leaves" == board.refusal(kind("north", ("louise",)))
        assert "" == board.refusal(kind("north", ("stayer",)))
        assert "not_neighbour" == board.refusal(kind("north", ("stayer",), coming_from=("south",)))
    board.unit("patrol", "law")
    assert "" == board.refusal(Arrest("north", ("louise",), "patrol")), "this comes before the moves"


def test_U4_who_serves_where_it_comes_from_is_refused() -> None:
    board = a_move()
    board.unit("patrol", "law")
    board.order(Arrest("north", ("louise",), "patrol"))

    assert "unit_serves" == board.refusal(Gamble("middle", ("louise",), coming_from=("north",)))


def test_U15_who_moved_away_fights_where_it_came_to() -> None:
    board = a_move()
    board.unit("patrol", "law", at="middle")
    board.order(Assault("middle", ("louise",), coming_from=("north",)), "revolution")

    assert ["louise"] == names(board.resolve().one(AssaultRolled).roll.forces)


def test_U20_who_came_under_cover_is_not_shaken_when_it_fights() -> None:
    board = a_move(covered=True)
    board.unit("friend", force=1, at="middle")
    board.unit("patrol", "law", at="middle")
    board.order(Assault("middle", ("friend",)))

    rolled = board.resolve().one(AssaultRolled)

    assert {"friend": 1, "louise": 3} == {force.unit: force.force for force in rolled.roll.forces}


def test_U20_who_is_hidden_already_is_not_told_that_it_hides() -> None:
    board = a_move(covered=True, hidden=True)

    told = board.resolve()

    assert told.unit("louise").hidden
    assert [] == told.all(UnitHid)


def test_U4_who_moves_elsewhere_does_not_come() -> None:
    board = Board("north middle south")
    board.unit("louise", at="middle")
    board.order(Move("middle", ("louise",), "south"))

    assert "unit_not_here" == board.refusal(Gamble("north", ("louise",), coming_from=("middle",)))
    assert "" == board.refusal(Gamble("south", ("louise",), coming_from=("middle",)))


def test_K6_who_is_on_its_way_to_a_district_that_is_gone_is_told_lost() -> None:
    board = a_move()
    del board.homes["middle"]

    told = board.resolve()

    assert ("revolution", "middle", "louise") == tuple(
        getattr(told.one(UnitLost), name) for name in ("camp", "district", "unit")
    )
    assert 1 == len(told.report("revolution", "unit_lost"))


def test_K6_so_is_who_is_taken_to_a_prison_that_is_gone() -> None:
    board = Board()
    board.prison("south", "law")
    board.unit("patrol", "law", 20)
    board.unit("louise")
    board.order(Arrest("north", ("patrol",), "louise"))
    del board.homes["south"]

    told = board.resolve(lambda told: bool(told.all(UnitLost)))

    assert "louise" == told.one(UnitLost).unit
