"""What a side can't tell apart: K7."""

import pytest

from tests.rules.uprising.board import Board
from workers.kernel.digest import canonical
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.orders import (
    Arrest,
    Assassination,
    Raid,
    Rally,
    Search,
)


@pytest.mark.parametrize("target", ["ghost", "elsewhere", "nobody"])
def test_K7_a_target_that_isn_t_known_reads_like_one_that_isn_t_there(target: str) -> None:
    board = Board()
    board.unit("patrol", "law")
    board.unit("ghost", nature="person", named=True, hidden=True)
    board.unit("elsewhere", nature="person", named=True, at="south")
    board.card("plot", "assassination", sides=("law",))
    board.unit("agent", "law", hidden=True)
    answers = [
        board.check(Arrest("north", ("patrol",), target), "law"),
        board.check(Raid("north", ("patrol",), target), "law"),
        board.check(Rally("north", ("patrol",), target), "law"),
        board.check(Assassination("north", ("agent",), target, "plot"), "law"),
    ]

    for answer in answers:
        (refusal,) = answer
        assert ("target_unknown", "target", "illegal", "") == (
            refusal.code,
            refusal.field,
            refusal.family,
            refusal.accepted,
        )
        assert {"name": target, "district": "north"} == refusal.values


@pytest.mark.parametrize("name", ["ghost", "louise", "elsewhere", "nobody"])
def test_K7_a_unit_that_isn_t_one_s_own_reads_like_one_that_isn_t_there(name: str) -> None:
    board = Board()
    board.unit("patrol", "law")
    board.unit("ghost", hidden=True)
    board.unit("louise")
    board.unit("elsewhere", at="south")

    (refusal,) = board.check(Search("north", (name,)), "law")

    assert ("unit_not_here", "units[0]", "illegal") == (refusal.code, refusal.field, refusal.family)


def test_K7_a_void_order_doesn_t_tell_a_hidden_target_from_one_that_is_gone() -> None:
    reasons: set[str] = set()
    for change in ("hide", "leave", "fall"):
        board = Board()
        board.unit("patrol", "law")
        louise = board.unit("louise")
        match change:
            case "hide":
                louise.hidden = True
            case "leave":
                del board.homes["north"].units["louise"]
            case "fall":
                louise.status = "fallen"
        board.order(Arrest("north", ("patrol",), "louise"))
        reasons.update(board.resolve().reasons().values())

    assert {"target_gone"} == reasons


def test_K7_hidden_units_that_take_part_in_nothing_shown_change_nothing_that_a_side_reads() -> None:
    reports = set()
    for stealth, force, wounds in ((2, 1, 0), (9, 7, 2)):
        board = Board()
        board.unit("patrol", "law")
        board.unit("louise", force=3)
        board.unit("ghost", hidden=True, stealth=stealth, force=force, wounds=wounds, bodyguards=wounds)
        board.order(Arrest("north", ("patrol",), "louise"))
        told = board.resolve()
        view = RULEBOOK.see(told.district(), told.city, "law")
        reports.add(canonical([told.report("law"), view]))

    assert 1 == len(reports)
