"""Arrests: U12."""

from typing import Any

import pytest

from tests.rules.uprising.board import Board, Told, after, values
from workers.rules.uprising.entities import Bonus, Faction
from workers.rules.uprising.events import ArrestTried, LoyaltyMoved, PrisonerTaken, UnitHid
from workers.rules.uprising.orders import Arrest, Search


def outcome(wanted: str):
    return lambda told: told.one(ArrestTried).outcome == wanted


def an_arrest(districts: str = "north south", **target: Any) -> Board:
    """Two gendarmes of the Law arrest Louise; a third one stands by."""
    board = Board(districts)
    board.unit("louise", force=3, **target)
    for name in ("anton", "boris", "cyril"):
        board.unit(name, "law", 2)
    board.order(Arrest("north", ("anton", "boris"), "louise"))
    return board


def test_U12_the_named_units_attack_and_the_target_defends_with_its_force_and_1() -> None:
    board = an_arrest(bonus=Bonus(defence=2))
    board.unit("friend", force=9)

    tried = board.resolve().one(ArrestTried)

    assert {"anton": 2, "boris": 2} == {force.unit: force.force for force in tried.roll.forces}
    assert {"louise": 5} == {force.unit: force.force for force in tried.facing.forces}
    assert {"one": 1} == values(tried.roll.ground)
    assert (4, 6, "2/5") == (tried.roll.attack, tried.roll.defence, tried.roll.chance)


def test_U12_U15_a_refuser_that_the_order_names_attacks_with_nothing() -> None:
    board = an_arrest()
    board.homes["north"].units["anton"].refuses = True

    tried = board.resolve().one(ArrestTried)

    assert ["boris"] == [force.unit for force in tried.roll.forces]
    assert (2, ("anton", "boris")) == (tried.roll.attack, tried.units)


def test_U12_the_asset_of_the_order_faction_adds_15_points() -> None:
    board = an_arrest()
    board.boon("law", "order_faction")

    roll = board.resolve().one(ArrestTried).roll

    assert {"order_faction": 15} == values(roll.terms)
    assert ("13/20", 15) == (roll.chance, roll.points)


def test_U12_a_hidden_unit_or_a_building_is_no_target() -> None:
    board = an_arrest(hidden=True)
    board.unit("club", nature="building")
    club = board.order(Arrest("north", ("cyril",), "club"))

    assert {"arrest-0": "target_gone", club: "target_building"} == board.resolve().reasons()
    assert "target_unknown" == board.refusal(Arrest("north", ("cyril",), "louise"), "law")
    assert "target_building" == board.refusal(Arrest("north", ("cyril",), "club"), "law")


def test_U12_the_arrested_unit_goes_to_the_nearest_prison_that_its_side_doesn_t_hold() -> None:
    """U12: north – one – two – three – four; its own side holds the nearest, the other two are equally far in turn."""
    board = an_arrest("north one two three four")
    board.prison("one", "revolution")
    board.prison("three", "")
    board.prison("four", "law")

    told = board.resolve(outcome("arrested"))

    assert "three" == told.one(ArrestTried).prison
    assert ("three", "imprisoned") == (told.place("louise"), told.unit("louise").status)
    assert "louise" == told.one(PrisonerTaken).unit.id


def test_U12_of_two_prisons_equally_near_the_lowest_id() -> None:
    board = an_arrest("east north zest")
    board.prison("zest", "law")
    board.prison("east", "law")

    assert "east" == board.resolve(outcome("arrested")).one(ArrestTried).prison


def test_U12_a_prison_out_of_reach_comes_last_then_the_lowest_id() -> None:
    board = an_arrest("north south abbey zoo")
    for name in ("abbey", "zoo"):
        board.city.ground[name] = type(board.city.ground[name])()
    board.city.ground["south"] = type(board.city.ground["south"])("", ("north",))
    board.prison("zoo", "law")
    board.prison("abbey", "revolution")
    assert "zoo" == board.resolve(outcome("arrested")).one(ArrestTried).prison, "and not its own side's"

    board.prison("abbey", "law")
    assert "abbey" == board.resolve(outcome("arrested")).one(ArrestTried).prison

    board.prison("south", "law")
    assert "south" == board.resolve(outcome("arrested")).one(ArrestTried).prison


def test_U12_a_prison_in_the_same_district_takes_the_unit_at_once() -> None:
    board = an_arrest()
    board.prison("north", "law")

    told = board.resolve(outcome("arrested"))

    assert ("north", "imprisoned") == (told.place("louise"), told.unit("louise").status)
    assert [] == told.all(PrisonerTaken)


@pytest.mark.parametrize("holders", [(), ("revolution",)])
def test_U12_without_such_a_prison_the_unit_leaves_the_level(holders: tuple[str, ...]) -> None:
    board = an_arrest()
    for holder in holders:
        board.prison("south", holder)

    told = board.resolve(outcome("arrested"))

    assert None is told.one(ArrestTried).prison
    assert ("north", "out") == (told.place("louise"), told.unit("louise").status)


def test_U12_each_arrest_raises_the_loyalty_of_the_arresting_side_s_order_faction_by_2() -> None:
    board = an_arrest()
    board.unit("jean")
    board.order(Arrest("north", ("cyril",), "jean"))

    def both(told: Told) -> bool:
        return {tried.outcome for tried in told.all(ArrestTried)} == {"arrested"}

    told = board.resolve(both)

    assert ("law", "order", 50, 54) == tuple(
        getattr(told.one(LoyaltyMoved), name) for name in ("camp", "faction", "before", "after")
    )


def test_U12_a_side_without_an_order_faction_gains_no_loyalty() -> None:
    board = an_arrest()
    board.city.gauges["law"].factions = (Faction("shopkeepers", 50),)

    assert [] == board.resolve(outcome("arrested")).all(LoyaltyMoved)


def test_U12_a_failed_arrest_changes_nothing() -> None:
    board = an_arrest()

    told = board.resolve(outcome("failed"))

    assert told.unit("louise").active
    assert [] == told.all(LoyaltyMoved)


def test_U12_some_units_escape_as_the_highest_chance_of_their_side_s_upgrades_says() -> None:
    board = an_arrest()
    board.boon("revolution", "cellars", escape_chance=30)
    board.boon("revolution", "friends", escape_chance=60)
    board.boon("law", "keys", escape_chance=99)

    told = board.resolve(outcome("escaped"))
    tried = told.one(ArrestTried)

    assert tried.escape is not None
    assert {"friends": 60} == values(tried.escape.terms)
    assert (60, "success") == (tried.escape.threshold, tried.escape.outcome)
    assert tried.escape.path == tried.roll.path.replace("/contest", "/escape")
    assert (board.dice.stream(tried.escape.path).percent(),) == tried.escape.dice
    assert "escape" == told.one(UnitHid).cause
    assert (True, True) == (told.unit("louise").active, told.unit("louise").hidden)
    assert 52 == told.one(LoyaltyMoved).after, "loyalty rises all the same"
    failed_to = board.resolve(outcome("arrested")).one(ArrestTried).escape
    assert failed_to is not None
    assert failed_to.dice[0] > 60


def test_U12_nobody_rolls_to_escape_before_the_arrest_succeeded() -> None:
    board = an_arrest()
    board.boon("revolution", "friends", escape_chance=60)

    assert None is board.resolve(outcome("failed")).one(ArrestTried).escape


def test_U12_a_prisoner_does_nothing_in_the_tick_after() -> None:
    board = an_arrest()
    board.prison("south", "law")

    coming = after(board.resolve(outcome("arrested")), board)

    assert "unit_not_here" == coming.refusal(Search("north", ("louise",)))
    assert "unit_not_active" == coming.refusal(Search("south", ("louise",)))


def test_U12_who_escapes_is_taken_nowhere() -> None:
    board = an_arrest()
    board.boon("revolution", "friends", escape_chance=60)
    board.prison("south", "law")

    told = board.resolve(outcome("escaped"))

    assert None is told.one(ArrestTried).prison
    assert "north" == told.place("louise")


def test_U24_U15_a_hidden_refuser_that_was_named_is_not_counted() -> None:
    board = an_arrest()
    board.unit("shy", "law", 5, hidden=True, refuses=True)
    board.unit("sly", "law", 0, hidden=True)
    board.order(Arrest("north", ("shy", "sly"), "louise"))

    tried = board.resolve().one(ArrestTried)

    assert ("sly",) == tried.counted
    assert ("anton", "boris", "shy", "sly") == tried.units


def test_U9_who_was_arrested_first_counts_in_numbers_no_more() -> None:
    """U9, K9: three against three; once one of them is arrested, the others' arrests are in numbers."""
    board = Board()
    for name in ("louise", "jean", "marie"):
        board.unit(name, force=1)
    for name in ("anton", "boris", "cyril"):
        board.unit(name, "law", 2, bonus=Bonus(numbers=5))
    board.order(Arrest("north", ("anton",), "louise"))
    board.order(Arrest("north", ("boris",), "jean"))

    def both(told: Told) -> bool:
        return told.all(ArrestTried)[0].outcome == "arrested"

    assert [2, 7] == [tried.roll.attack for tried in board.resolve(both).all(ArrestTried)]
