"""What a side sees of the city: U25."""

from typing import Any

from tests.rules.uprising.board import Board
from workers.kernel.digest import canonical
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.entities import Influence, Landmark


def seen(board: Board, camp: str, place: str = "north") -> Any:
    return RULEBOOK.see(board.homes[place], board.city, camp)


def test_U25_a_side_knows_its_own_units_everywhere_and_the_revealed_ones_where_it_has_an_active_unit() -> None:
    board = Board()
    for place in ("north", "south"):
        board.unit(f"section-{place}", at=place)
        board.unit(f"ghost-{place}", at=place, hidden=True)
    board.unit("patrol", "law")
    board.unit("inmate", "law", at="south", status="imprisoned")

    assert {"section-north", "patrol"} == set(seen(board, "law").units)
    assert {"inmate"} == set(seen(board, "law", "south").units)
    assert {"section-south", "ghost-south", "inmate"} == set(seen(board, "revolution", "south").units)


def test_U25_U1_a_building_watches() -> None:
    board = Board()
    board.unit("post", "law", nature="building")
    board.unit("louise")

    assert {"post", "louise"} == set(seen(board, "law").units)


def test_U25_sheets_are_whole() -> None:
    board = Board()
    louise = board.unit("louise", bodyguards=2, never_rallies=True, wounds=1, spy=True)
    board.unit("patrol", "law")

    assert louise == seen(board, "law").units["louise"]


def test_U25_both_influences_where_it_has_an_active_unit() -> None:
    board = Board()
    board.unit("patrol", "law")

    assert Influence(30, 30) == seen(board, "law").influence
    assert None is seen(board, "law", "south").influence
    assert None is seen(board, "revolution").influence


def test_U25_its_own_gauges_and_what_is_public() -> None:
    board = Board()
    board.boon("revolution", "paving", force={"raid": 1})
    board.homes["north"].barricades = 3
    board.homes["north"].landmark = Landmark("the guns", 2)
    board.prison("north", "law")
    board.city.gauges["revolution"].authority = 77

    city = RULEBOOK.see_shared(board.city, "law")

    assert (40, 20) == (city.authority, city.heat)
    assert ["order"] == [faction.id for faction in city.factions]
    assert board.city.boons == city.boons
    assert board.city.cards == city.cards
    assert board.city.ground == city.ground
    assert board.city.prisons == city.prisons
    assert (3, "the guns") == (seen(board, "law").barricades, seen(board, "law").landmark.name)
    assert b"77" not in canonical(city)
