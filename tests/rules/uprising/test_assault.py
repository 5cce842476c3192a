"""Assaults: U15."""

import pytest

from tests.rules.uprising.board import Board, names, values
from tests.rules.uprising.scenes import an_assault
from workers.rules.uprising.entities import Garrison, Landmark
from workers.rules.uprising.events import (
    AssaultFought,
    AssaultRolled,
)
from workers.rules.uprising.orders import Arrest, Assault, Contest, Move


def outcome(wanted: str):
    return lambda told: told.one(AssaultFought).outcome == wanted


def test_U15_all_units_with_force_attack_against_all_of_the_other_side() -> None:
    board = an_assault()
    board.unit("patrol", "law", 2, hidden=True)
    board.unit("clerk", "law", 0)
    board.unit("post", "law", 9, nature="building")
    board.unit("refuser", "law", 9, refuses=True)
    board.unit("ghost", force=1, hidden=True)
    board.unit("club", force=2, nature="building")
    board.unit("child", force=0)
    board.unit("deserter", force=9, refuses=True)

    rolled = board.resolve().one(AssaultRolled)

    assert {"company": 4, "patrol": 2} == {force.unit: force.force for force in rolled.roll.forces}
    assert {"section": 3, "ghost": 1, "club": 2, "child": 0} == {f.unit: f.force for f in rolled.facing.forces}
    assert (6, 6, "1/2") == (rolled.roll.attack, rolled.roll.defence, rolled.roll.chance)


@pytest.mark.parametrize("side", ["law", "revolution"])
def test_U15_the_ground_defends_too(side: str) -> None:
    board = an_assault(side)
    home = board.homes["north"]
    home.garrison = Garrison(2, ("law", "revolution"))
    home.landmark = Landmark("the guns", 3, "")
    home.barricades = 4

    ground = values(board.resolve().one(AssaultRolled).roll.ground)

    barricades = {"barricades": 4} if side == "law" else {}
    assert {"garrison": 2, "landmark": 3, **barricades} == ground


def test_U15_a_garrison_that_isn_t_hostile_and_a_landmark_of_one_s_own_don_t_defend() -> None:
    board = an_assault()
    board.homes["north"].garrison = Garrison(2, ("revolution",))
    board.homes["north"].landmark = Landmark("the guns", 3, "law")

    assert () == board.resolve().one(AssaultRolled).roll.ground


def test_U15_a_garrison_loses_nothing_and_it_and_the_barricades_stay() -> None:
    board = an_assault()
    home = board.homes["north"]
    home.garrison = Garrison(2, ("law",))
    home.barricades = 4
    home.gas = home.disease = True

    told = board.resolve(outcome("won"))

    assert 2 == values(told.one(AssaultRolled).roll.ground)["garrison"]
    assert (Garrison(2, ("law",)), 4) == (told.district().garrison, told.district().barricades)


@pytest.mark.parametrize("kind", ["refuses", "wounded", "gas"])
def test_U15_void_with_no_attacker_of_effective_force(kind: str) -> None:
    board = an_assault()
    company = board.homes["north"].units["company"]
    company.force = 2
    company.refuses = kind == "refuses"
    company.wounds = 2 if kind == "wounded" else 0
    board.homes["north"].gas = kind == "gas"

    told = board.resolve()

    assert {"assault-0": "no_attacker"} == told.reasons()
    assert (0, []) == (told.district().fire, told.all(AssaultFought))


@pytest.mark.parametrize(
    ("what", "void"),
    [
        ("nothing", True),
        ("a hidden enemy", True),
        ("an enemy who refuses to fire", True),
        ("a garrison of Force 0", True),
        ("a garrison that isn't hostile", True),
        ("its own landmark", True),
        ("its own prison", True),
        ("an enemy of Force 0", False),
        ("a building", False),
        ("a hostile garrison", False),
        ("a landmark of nobody", False),
        ("a prison of nobody", False),
        ("barricades", False),
    ],
)
def test_U15_void_with_nothing_to_overcome(what: str, void: bool) -> None:
    board = Board()
    home = board.homes["north"]
    board.unit("company", "law", 4)
    match what:
        case "a hidden enemy":
            board.unit("louise", hidden=True)
        case "an enemy who refuses to fire":
            board.unit("louise", refuses=True)
        case "a garrison of Force 0":
            home.garrison = Garrison(0, ("law",))
        case "a garrison that isn't hostile":
            home.garrison = Garrison(5, ("revolution",))
        case "its own landmark" | "a landmark of nobody":
            home.landmark = Landmark("the guns", 1, "law" if what.startswith("its") else "")
        case "its own prison" | "a prison of nobody":
            board.prison("north", "law" if what.startswith("its") else "")
        case "an enemy of Force 0":
            board.unit("louise", force=0)
        case "a building":
            board.unit("club", nature="building")
        case "a hostile garrison":
            home.garrison = Garrison(1, ("law",))
        case "barricades":
            home.barricades = 1
    board.order(Assault("north", ("company",)))

    assert ({"assault-0": "nothing_to_overcome"} if void else {}) == board.resolve().reasons()


def test_U15_barricades_are_nothing_to_overcome_for_the_revolution() -> None:
    board = Board()
    board.homes["north"].barricades = 3
    board.unit("section", force=4)
    board.order(Assault("north", ("section",)))

    assert {"assault-0": "nothing_to_overcome"} == board.resolve().reasons()


def test_U15_a_refuser_neither_attacks_nor_defends_in_any_contest() -> None:
    board = Board()
    board.unit("deserter", force=9, refuses=True)
    board.unit("louise", force=2)
    board.unit("grumbler", "law", 9, refuses=True)
    board.unit("patrol", "law", 1)

    odds = board.odds(Contest("north", ("deserter", "louise")))

    assert {"attack:louise": 2, "defence:patrol": 1, "one": 1} == values(odds.terms)


def test_U15_as_an_arrest_s_target_a_refuser_defends_with_0_and_1() -> None:
    board = Board()
    board.unit("deserter", force=9, refuses=True)
    board.unit("patrol", "law", 1)

    assert "1/2" == board.odds(Arrest("north", ("patrol",), "deserter"), "law").success


def test_U15_assaults_are_fought_after_the_moves_by_whoever_is_there() -> None:
    board = an_assault()
    board.unit("column", "law", 5, at="south")
    board.order(Move("south", ("column",), "north"))

    rolled = board.resolve().one(AssaultRolled)

    assert ["column", "company"] == names(rolled.roll.forces)
    assert ("company",) == rolled.units


def test_U25_a_side_whose_last_unit_fell_sees_the_influence_no_more() -> None:
    board = an_assault()

    told = board.resolve(lambda told: outcome("won")(told) and told.unit("section").status == "fallen")

    assert 1 == len(told.report("law", "influence"))
    assert [] == told.report("revolution", "influence")
