"""Who drops out: U23; what is void: K6."""

import pytest

from tests.rules.uprising.board import IDS, Told
from tests.rules.uprising.scenes import a_crowd
from workers.rules.uprising.events import (
    ArrestTried,
    AssassinationTried,
    GambleTried,
    UnitDropped,
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


def test_U23_no_unit_is_said_to_drop_out_of_an_order_that_is_void() -> None:
    board = a_crowd()
    for name in ("ada", "ben", "cleo"):
        board.homes["north"].units[name].force = 0
    board.order(Assault("north", ("ada", "nobody")))
    board.order(Assault("north", ("louise", "missing"), "assault"))
    board.homes["north"].units["louise"].refuses = True

    told = board.resolve()

    assert {"no_attacker"} == set(told.reasons().values())
    assert [] == told.all(UnitDropped)


def test_U23_an_assault_whose_units_are_gone_says_so_before_all_else() -> None:
    """U23, K6: nobody else could attack either; the order's side reads what became of its own unit."""
    board = a_crowd()
    for name in ("ada", "ben", "cleo"):
        board.homes["north"].units[name].status = "fallen"
    board.order(Assault("north", ("ada",)))

    assert {"assault-0": "unit_fallen"} == board.resolve().reasons()


def test_U23_a_unit_that_can_t_serve_any_more_drops_out() -> None:
    board = a_crowd()
    home = board.homes["north"]
    board.unit("gone", "law", status="fallen")
    board.unit("jailed", "law", status="imprisoned")
    board.unit("away", "law", status="out")
    board.unit("razed", "law", status="destroyed")
    board.unit("ruin", "law", nature="building")
    board.unit("turncoat", "revolution", force=0)
    board.unit("elsewhere", "law", at="south")
    named = ("ada", "gone", "jailed", "away", "razed", "ruin", "turncoat", "elsewhere", "nobody")
    board.order(Arrest("north", named, "louise"))

    told = board.resolve()

    assert {
        "gone": "unit_fallen",
        "jailed": "unit_arrested",
        "away": "unit_arrested",
        "razed": "unit_destroyed",
        "ruin": "unit_building",
        "turncoat": "unit_changed_side",
        "elsewhere": "unit_elsewhere",
        "nobody": "unit_elsewhere",
    } == {dropped.unit: dropped.reason for dropped in told.all(UnitDropped)}
    assert ("ada",) == told.one(ArrestTried).units
    assert home.units["ada"].camp == "law"


def test_U23_an_order_is_void_when_no_unit_is_left() -> None:
    board = a_crowd()
    board.homes["north"].units["ada"].status = "fallen"
    board.order(Arrest("north", ("ada", "nobody"), "louise"))

    told = board.resolve()

    assert {"arrest-0": "unit_fallen"} == told.reasons()
    assert [] == told.all(ArrestTried)


def test_U23_a_killer_that_was_revealed_drops_out() -> None:
    board = a_crowd()
    for name in ("ada", "ben"):
        board.homes["north"].units[name].nature = "person"
    board.unit("mask", hidden=True)
    board.unit("cape")
    board.order(Assassination("north", ("mask", "cape"), "ada"))

    told = board.resolve()

    assert "unit_revealed" == told.one(UnitDropped).reason
    assert ("mask",) == told.one(AssassinationTried).units


def test_K6_where_one_unit_s_orders_don_t_fit_together_the_first_by_initiative_is_kept() -> None:
    """K6, U4: a unit serves one order of the tick; here intake was passed over."""
    board = a_crowd()
    board.unit("jean")
    keys = {name: IDS.handle(f"law:arrest:{name}") for name in ("louise", "jean")}
    orders = {name: board.order(Arrest("north", ("ada",), name)) for name in keys}

    for first, second in (("louise", "jean"), ("jean", "louise")):

        def comes_first(told: Told, first: str = first, second: str = second) -> bool:
            return board.dice.initiative(keys[first]) < board.dice.initiative(keys[second])

        told = board.resolve(comes_first)
        assert {orders[second]: "unit_serves"} == told.reasons()
        assert first == told.one(ArrestTried).target


def test_K6_U4_a_void_order_is_no_service() -> None:
    board = a_crowd()
    board.order(Arrest("north", ("ada",), "nobody"))
    board.order(Gamble("north", ("ada",)))

    told = board.resolve()

    assert {"arrest-0": "target_gone"} == told.reasons()
    assert ("ada",) == told.one(GambleTried).units


def test_K6_a_void_order_rolls_and_spends_nothing_and_tells_its_side_alone() -> None:
    board = a_crowd()
    board.homes["north"].units["louise"].hidden = True
    board.order(Arrest("north", ("ada", "ben"), "louise"))

    told = board.resolve()

    fact = {
        "event": "order_void",
        "camp": "law",
        "order": "arrest-0",
        "kind": "arrest",
        "district": "north",
        "units": ["ada", "ben"],
        "reason": "target_gone",
    }
    assert [(["ada", "ben"], fact)] == [line for line in told.lines("law") if line[1]["event"] == "order_void"]
    assert [] == told.report("revolution", "order_void")
    assert [] == [event for event in told.events if hasattr(event, "roll")]


@pytest.mark.parametrize(
    "order",
    [
        Assassination("nowhere", ("ada",), "louise"),
        Search("nowhere", ("ada",)),
        Rally("nowhere", ("ada",), "louise"),
        Arrest("nowhere", ("ada",), "louise"),
        Raid("nowhere", ("ada",), "louise"),
        Move("nowhere", ("ada",), "north"),
        Contest("nowhere", ("ada",)),
        Gamble("nowhere", ("ada",)),
        Assault("nowhere", ("ada",)),
    ],
    ids=lambda order: order.kind,
)
def test_K6_an_order_in_a_district_that_isn_t_there_is_void(order: Arrest) -> None:
    board = a_crowd()
    name = board.order(order)

    assert {name: "no_district"} == board.resolve().reasons()


@pytest.mark.parametrize(
    ("card", "reason"),
    [("nothing", "card_unknown"), ("raid", "card_of_other_kind"), ("red", "card_not_yours")],
)
def test_K6_a_card_that_can_t_be_used_any_more_makes_an_order_void(card: str, reason: str) -> None:
    board = a_crowd()
    board.card("red", "arrest", sides=("revolution",))
    board.order(Arrest("north", ("ada",), "louise", card))

    assert {"arrest-0": reason} == board.resolve().reasons()
    assert reason == board.refusal(Arrest("north", ("ada",), "louise", card), "law")


def test_K6_an_order_on_one_s_own_unit_is_void_as_such_whatever_became_of_it() -> None:
    board = a_crowd()
    board.unit("turncoat", "law", status="fallen")
    board.order(Arrest("north", ("ada",), "turncoat"))

    assert {"arrest-0": "target_changed_side"} == board.resolve().reasons()
