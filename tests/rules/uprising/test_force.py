"""Force against Force: U5 to U11."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.uprising.board import Board, values
from workers.rules.uprising.entities import Bonus, Landmark
from workers.rules.uprising.events import ContestTried, RaidTried
from workers.rules.uprising.force import Field, Presence, UnitForce, contest_chance
from workers.rules.uprising.orders import Contest, Move, Raid

FORCES = st.integers(0, 10_000)


def force(board: Board, name: str, *, defends: bool = False, kind: str = "contest") -> UnitForce:
    home = next(home for home in board.homes.values() if name in home.units)
    field = Field(home, Presence(home), board.city.boons, kind)  # type: ignore[arg-type]  # a contested kind
    return field.force(home.units[name], defends=defends)


@given(FORCES, FORCES, st.integers(-300, 300))
def test_U5_U6_U7_U8_a_contested_chance_is_the_ratio_and_the_points_within_5_and_95(
    attack: int, defence: int, points: int
) -> None:
    chance = contest_chance(attack, defence, points)
    plain = Fraction(attack, attack + defence) if attack + defence else Fraction(1, 2)

    assert Fraction(5, 100) <= chance <= Fraction(95, 100)
    if Fraction(5, 100) <= plain + Fraction(points, 100) <= Fraction(95, 100):
        assert chance == plain + Fraction(points, 100)


@pytest.mark.parametrize(("drawn", "outcome"), [(0, "success"), (46, "success"), (47, "failure"), (69, "failure")])
def test_U5_K5_a_contest_draws_below_the_denominator_of_its_exact_chance(drawn: int, outcome: str) -> None:
    """U5: 4 against 3 and one point of modifier are 47/70: a success is a draw below 47 of 70."""
    board = Board()
    board.unit("louise", force=4)
    board.card("speech", "contest", defence=3, modifier=1)
    board.order(Contest("north", ("louise",), "speech"))

    roll = board.resolve(lambda told: told.one(ContestTried).roll.dice == (drawn,)).one(ContestTried).roll

    assert ("47/70", 47, 70, outcome) == (roll.chance, roll.threshold, roll.below, roll.outcome)
    assert (drawn,) == (board.dice.stream(roll.path).below(70),)


def test_U6_U7_the_bounds_are_held_once_after_every_modifier() -> None:
    """U7: 19/20 and +30 −40 points are 85 %, not 95 − 40."""
    board = Board()
    board.unit("louise", force=99)
    board.boon("revolution", "a", points={"contest": 30})
    board.boon("revolution", "b", points={"contest": -40})
    board.card("speech", "contest", defence=1)

    assert "89/100" == board.odds(Contest("north", ("louise",), "speech")).success


def test_U8_no_force_on_either_side_is_even_then_modifiers_apply() -> None:
    board = Board()
    board.unit("louise", force=0)
    board.card("speech", "contest", defence=0)
    board.card("shout", "contest", defence=0, modifier=2)

    assert "1/2" == board.odds(Contest("north", ("louise",), "speech")).success
    assert "7/10" == board.odds(Contest("north", ("louise",), "shout")).success
    assert "1/20" == board.odds(Contest("north", ("louise",))).success, "nobody and 1 is not nothing"


def test_U9_in_defence_only_who_defends() -> None:
    board = Board()
    board.unit("louise", force=2, bonus=Bonus(defence=3))

    assert 2 == force(board, "louise").force
    assert {"own": 2, "in_defence": 3} == values(force(board, "louise", defends=True).terms)


def test_U9_behind_a_barricade_only_the_revolution_and_only_in_defence() -> None:
    board = Board()
    board.unit("louise", force=2, bonus=Bonus(barricade=3))
    board.unit("patrol", "law", 2, bonus=Bonus(barricade=3))
    assert 2 == force(board, "louise", defends=True).force, "without barricades"
    board.homes["north"].barricades = 1

    assert {"own": 2, "behind_barricade": 3} == values(force(board, "louise", defends=True).terms)
    assert 2 == force(board, "louise").force
    assert 2 == force(board, "patrol", defends=True).force


@pytest.mark.parametrize("defends", [False, True])
def test_U9_on_a_landmark_where_the_district_has_one(defends: bool) -> None:
    board = Board()
    board.unit("louise", force=2, bonus=Bonus(landmark=3))
    assert 2 == force(board, "louise", defends=defends).force
    board.homes["north"].landmark = Landmark("the guns", 0, "law")

    assert {"own": 2, "on_landmark": 3} == values(force(board, "louise", defends=defends).terms)


def test_U9_in_numbers_with_strictly_more_active_units_hidden_ones_buildings_and_refusers_included() -> None:
    board = Board()
    board.unit("louise", force=2, bonus=Bonus(numbers=3))
    board.unit("patrol", "law")
    assert 2 == force(board, "louise").force, "as many aren't more"
    for name, sheet in (("a", {"hidden": True}), ("b", {"nature": "building"}), ("c", {"refuses": True})):
        board.unit(name, **sheet)
        assert {"own": 2, "in_numbers": 3} == values(force(board, "louise").terms)
        board.homes["north"].units[name].status = "fallen"
        assert 2 == force(board, "louise").force


def test_U9_numbers_are_counted_at_that_moment() -> None:
    """U9: the raid that comes first in a district takes a unit away before the next is counted."""
    board = Board()
    board.unit("section", force=50, bonus=Bonus(numbers=1))
    board.unit("band", force=50)
    board.unit("club", nature="building")
    for name in ("patrol", "post"):
        board.unit(name, "law", 5, nature="building" if name == "post" else "troop", bonus=Bonus(numbers=7))
    board.unit("guard", "law", 5)
    board.order(Raid("north", ("section",), "post"))
    board.order(Raid("north", ("patrol",), "club"))

    def revolution_first(told: object) -> bool:
        first, second = told.all(RaidTried)  # type: ignore[attr-defined]  # what was told
        return bool(first.camp == "revolution" and first.outcome == "success" and second.camp == "law")

    first, second = board.resolve(revolution_first).all(RaidTried)

    assert ["own"] == [term.name for term in first.roll.forces[1].terms], "three against three"
    assert {"in_numbers"} == {term.name for force in second.facing.forces for term in force.terms} - {"own"}
    assert {"own"} == {term.name for force in second.roll.forces for term in force.terms}


def test_U9_upgrades_and_assets_give_force_for_that_kind_of_order() -> None:
    board = Board()
    board.unit("louise", force=2)
    board.boon("revolution", "paving", force={"raid": 2, "assault": 1})

    assert {"own": 2, "paving": 2} == values(force(board, "louise", kind="raid").terms)
    assert {"own": 2} == values(force(board, "louise", kind="contest").terms)


def test_U10_what_a_unit_loses() -> None:
    board = Board()
    board.unit("louise", force=9, wounds=2, shaken=True)
    board.homes["north"].gas = board.homes["north"].disease = True

    brought = force(board, "louise")

    assert {"own": 9, "wounds": -2, "shaken": -1, "tear_gas": -2, "disease": -1} == values(brought.terms)
    assert 3 == brought.force


def test_U10_who_crossed_in_the_open_fights_shaken_the_same_tick() -> None:
    board = Board()
    board.unit("louise", force=3, at="south")
    board.card("speech", "contest", defence=1)
    board.order(Move("south", ("louise",), "north"))
    board.order(Contest("north", ("louise",), "speech", ("south",)))

    tried = board.resolve().one(ContestTried)

    assert {"own": 3, "shaken": -1} == values(tried.roll.forces[0].terms)


@given(st.integers(0, 5), st.integers(0, 3), st.booleans(), st.booleans(), st.booleans(), st.integers(-5, 5))
def test_U11_a_force_is_never_below_zero(
    own: int, wounds: int, shaken: bool, gas: bool, disease: bool, upgrade: int
) -> None:
    board = Board()
    board.unit("louise", force=own, wounds=wounds, shaken=shaken)
    board.homes["north"].gas, board.homes["north"].disease = gas, disease
    board.boon("revolution", "upgrade", force={"contest": upgrade})

    brought = force(board, "louise")

    assert max(0, sum(term.value for term in brought.terms)) == brought.force
