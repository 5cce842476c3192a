"""Merged orders and initiative: U22."""

from fractions import Fraction

import pytest

from tests.rules.uprising.board import IDS, Board, Told, names
from tests.rules.uprising.scenes import a_crowd
from workers.rules.uprising.events import (
    ArrestTried,
    AssassinationTried,
    AssaultRolled,
    ContestTried,
    GambleTried,
    RaidTried,
    RallyTried,
    SearchRolled,
    UnitDropped,
    UnitStruck,
)
from workers.rules.uprising.orders import (
    Arrest,
    Assassination,
    Assault,
    Contest,
    Gamble,
    Raid,
    Rally,
    Search,
)


def test_U22_a_side_s_orders_of_one_kind_on_one_target_are_one_roll() -> None:
    board = a_crowd()
    for name in ("ada", "ben", "cleo"):
        board.order(Arrest("north", (name,), "louise"))

    tried = board.resolve().one(ArrestTried)

    assert ("arrest-0", "arrest-1", "arrest-2") == tried.orders
    assert ("ada", "ben", "cleo") == tried.units == tuple(names(tried.roll.forces))
    assert "3/5" == tried.roll.chance


def test_U22_contests_and_gambles_are_merged_by_district_and_card() -> None:
    board = a_crowd()
    board.card("parade", "contest", defence=4)
    board.card("poster", "gamble")
    for kind, card, name in (
        (Contest, "contest", "ada"),
        (Contest, "parade", "ben"),
        (Contest, "contest", "cleo"),
        (Gamble, "gamble", "louise"),
    ):
        board.order(kind("north", (name,), card))

    told = board.resolve()

    assert [("contest", ("ada", "cleo")), ("parade", ("ben",))] == sorted(
        (tried.card, tried.units) for tried in told.all(ContestTried)
    )
    assert ("louise",) == told.one(GambleTried).units


def test_U22_the_best_card_counts_the_highest_chance_then_the_lowest_id() -> None:
    board = a_crowd()
    board.card("b-weak", "arrest", modifier=-1)
    board.card("c-good", "arrest", modifier=1)
    board.card("a-good", "arrest", modifier=1)
    for name, card in (("ada", "b-weak"), ("ben", "c-good"), ("cleo", "a-good")):
        board.order(Arrest("north", (name,), "louise", card))

    assert "a-good" == board.resolve().one(ArrestTried).card


def test_U22_where_the_bounds_make_two_chances_equal_the_lowest_id_counts() -> None:
    board = a_crowd()
    board.homes["north"].units["ada"].force = 100
    board.card("a", "arrest", modifier=2)
    board.card("b", "arrest", modifier=9)
    board.order(Arrest("north", ("ada",), "louise", "b"))
    board.order(Arrest("north", ("ben",), "louise", "a"))

    tried = board.resolve().one(ArrestTried)

    assert ("a", "19/20") == (tried.card, tried.roll.chance)


def test_U22_of_merged_assassinations_the_best_card_counts_then_the_lowest_id() -> None:
    board = a_crowd()
    board.homes["north"].units["ada"].nature = "person"
    for name, chance in (("a-blade", 60), ("b-bomb", 90), ("c-bomb", 99)):
        board.card(name, "assassination", chance=chance)
        board.unit(f"mask-{name}", hidden=True)
        board.order(Assassination("north", (f"mask-{name}",), "ada", name))

    assert "c-bomb" == board.resolve().one(AssassinationTried).card

    board.card("b-bomb", "assassination", chance=97)
    assert "b-bomb" == board.resolve().one(AssassinationTried).card, "both are held at 95"


def test_U22_of_merged_rallies_each_card_s_chance_is_that_with_all_their_units() -> None:
    board = a_crowd()
    board.homes["north"].units["ada"].named = True
    for name, chance in (("a-friends", 60), ("b-friends", 90)):
        board.card(name, "rally", chance=chance)
        units = tuple(f"{name}-{number}" for number in range(4))
        for unit in units:
            board.unit(unit)
        board.order(Rally("north", units, "ada", name))

    assert "a-friends" == board.resolve().one(RallyTried).card, "with 8 units both are held at 95"


def test_U22_the_best_card_is_that_of_an_order_that_stands() -> None:
    board = a_crowd()
    board.card("good", "arrest", modifier=5)
    board.homes["north"].units["ada"].status = "fallen"
    board.order(Arrest("north", ("ada",), "louise", "good"))
    board.order(Arrest("north", ("ben",), "louise"))

    told = board.resolve()

    assert {"arrest-0": "unit_fallen"} == told.reasons()
    assert "arrest" == told.one(ArrestTried).card


@pytest.mark.parametrize("orders", [1, 3])
def test_U22_each_order_is_keyed_by_the_handle_of_side_kind_and_target(orders: int) -> None:
    board = a_crowd()
    for name in ("ada", "ben", "cleo")[:orders]:
        board.order(Arrest("north", (name,), "louise"))

    assert f"arrest/{IDS.handle('law:arrest:louise')}/contest" == board.resolve().one(ArrestTried).roll.path


def test_U22_the_paths_of_every_kind_of_roll() -> None:
    board = a_crowd()
    board.unit("post", "law", nature="building")
    board.unit("prefect", "law", nature="person", named=True)
    board.unit("mask", hidden=True)
    board.unit("friend", force=4)
    board.unit("ghost", "law", hidden=True)
    board.card("poster", "gamble")
    board.order(Assassination("north", ("mask",), "prefect"))
    board.order(Search("north", ("friend",)))
    board.order(Raid("north", ("louise",), "post"))
    board.order(Contest("north", ("ada",)))
    board.order(Gamble("north", ("ben",), "poster"))
    board.order(Assault("north", ("cleo",)))

    def all_there(told: Told) -> bool:
        return {AssassinationTried, SearchRolled, RaidTried, ContestTried, GambleTried, AssaultRolled} <= {
            type(event) for event in told.events
        }

    told = board.resolve(all_there)
    handle = IDS.handle

    assert f"assassination/{handle('revolution:assassination:prefect')}/roll" == told.one(AssassinationTried).roll.path
    assert f"search/{handle('revolution:search:north')}/{handle('ghost')}" == told.one(SearchRolled).roll.path
    assert f"raid/{handle('revolution:raid:post')}/contest" == told.one(RaidTried).roll.path
    assert f"contest/{handle('law:contest:north:contest')}/contest" == told.one(ContestTried).roll.path
    assert f"contest/{handle('law:gamble:north:poster')}/roll" == told.one(GambleTried).roll.path
    assault = handle("law:assault:north")
    assert f"assault/{assault}/contest" == told.one(AssaultRolled).roll.path
    for struck in told.all(UnitStruck):
        assert f"assault/{assault}/{handle(struck.unit)}" == struck.roll.path
        assert struck.draw is None or f"assault/{assault}/casualty" == struck.draw.path


def test_U22_orders_of_a_district_are_carried_out_by_initiative_of_their_keys() -> None:
    board = a_crowd()
    for number in range(8):
        board.unit(f"r{number}")
        board.unit(f"l{number}", "law")
        board.order(Arrest("north", (f"l{number}",), f"r{number}"))

    tried = [event.target for event in board.resolve().all(ArrestTried)]

    assert sorted(tried, key=lambda name: board.dice.initiative(IDS.handle(f"law:arrest:{name}"))) == tried
    assert tried != sorted(tried)


@pytest.mark.parametrize("force", [0, 1, 2])
def test_U22_splitting_a_force_into_many_orders_gains_nothing(force: int) -> None:
    """U22: ten orders of a unit each and one order of ten units give the same chance, roll and outcome."""
    tried = []
    for split in (False, True):
        board = Board()
        who = tuple(f"l{number}" for number in range(10))
        for name in who:
            board.unit(name, "law", force)
        board.unit("louise", force=5)
        for units in [(name,) for name in who] if split else [who]:
            board.order(Arrest("north", units, "louise"))
        tried.append(board.resolve().one(ArrestTried))

    assert tried[0].roll == tried[1].roll
    assert Fraction(max(5, 100 * 10 * force // (10 * force + 6)), 100) <= Fraction(tried[0].roll.chance) + Fraction(
        1, 100
    )


def test_U4_K6_a_unit_named_by_two_orders_on_one_target_serves_the_first() -> None:
    board = a_crowd()
    board.card("z-good", "arrest", modifier=5)
    board.order(Arrest("north", ("ada", "ada"), "louise"))
    board.order(Arrest("north", ("ada", "ben"), "louise"))
    third = board.order(Arrest("north", ("ben", "ada"), "louise", "z-good"))

    told = board.resolve()
    tried = told.one(ArrestTried)

    assert 4 == tried.roll.attack
    assert (("arrest-0", "arrest-1"), "arrest") == (tried.orders, tried.card), "a void order's card doesn't count"
    assert {third: "unit_serves"} == told.reasons()
    assert [("arrest-1", "ada", "unit_serves")] == [
        (event.order, event.unit, event.reason) for event in told.all(UnitDropped)
    ]
