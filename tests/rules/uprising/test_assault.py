"""Assaults: U15 and U16."""

from fractions import Fraction

import pytest

from tests.rules.uprising.board import Board, Told, names, values
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.entities import Garrison, Landmark
from workers.rules.uprising.events import (
    AssaultFought,
    AssaultRolled,
    GroundChanged,
    InfluenceMoved,
    PrisonTaken,
    UnitStruck,
)
from workers.rules.uprising.orders import Arrest, Assault, Contest, Move


def outcome(wanted: str):
    return lambda told: told.one(AssaultFought).outcome == wanted


def an_assault(side: str = "law") -> Board:
    """A section of Force 3 and a company of Force 4; the side given assaults."""
    board = Board()
    board.unit("section", force=3)
    board.unit("company", "law", 4)
    board.order(Assault("north", ("company" if side == "law" else "section",)))
    return board


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


def test_U16_won_25_influence_and_the_other_side_loses_30() -> None:
    moved = an_assault().resolve(outcome("won")).one(InfluenceMoved)

    assert (55, 0, 25, -30) == (moved.law, moved.revolution, moved.law_change, moved.revolution_change)


def test_U16_U4_a_card_s_gains_of_influence_replace_them() -> None:
    board = an_assault("revolution")
    board.card("rising", "assault", gains=Gains(influence=5))
    board.card("riot", "assault", modifier=9, gains=Gains(influence=0, enemy_influence=-1))
    board.orders.clear()
    board.order(Assault("north", ("section",), "rising"))
    moved = board.resolve(outcome("won")).one(InfluenceMoved)
    assert (5, -30) == (moved.revolution_change, moved.law_change)

    board.orders.clear()
    board.order(Assault("north", ("section",), "riot"))
    moved = board.resolve(outcome("won")).one(InfluenceMoved)
    assert (0, -1) == (moved.revolution_change, moved.law_change)


def test_U16_each_defender_falls_with_a_risk_of_50_else_is_wounded() -> None:
    board = an_assault()
    board.unit("child", force=0)
    board.unit("ghost", hidden=True)
    board.unit("club", nature="building")
    board.unit("deserter", refuses=True)

    told = board.resolve(outcome("won"))
    struck = told.all(UnitStruck)

    assert ["child", "ghost", "section"] == [event.unit for event in struck]
    for event in struck:
        assert event.roll.threshold == 50
        assert (board.dice.stream(event.roll.path).percent(),) == event.roll.dice
        fallen = event.roll.dice[0] <= 50
        assert ("fallen" if fallen else "wounded", 0 if fallen else 1) == (event.outcome, event.wounds)
        assert ("fallen" if fallen else "active") == told.unit(event.unit).status
    assert told.unit("club").active
    assert told.unit("deserter").active


def test_U16_lost_one_of_the_attackers_with_force_is_struck_in_ascending_id() -> None:
    board = an_assault()
    board.unit("agent", "law", 1)
    board.unit("clerk", "law", 0)
    board.unit("zouave", "law", 1)

    for drawn, name in enumerate(["agent", "company", "zouave"]):

        def struck(told: Told, name: str = name) -> bool:
            return outcome("lost")(told) and told.one(UnitStruck).unit == name

        told = board.resolve(struck)
        draw = told.one(UnitStruck).draw
        assert draw is not None
        assert ((drawn,), 3) == (draw.dice, draw.below)
        assert board.dice.stream(draw.path).below(3) == drawn
        assert [] == told.all(InfluenceMoved)


@pytest.mark.parametrize("wanted", ["won", "lost"])
def test_U16_either_way_the_district_burns_a_little(wanted: str) -> None:
    told = an_assault().resolve(outcome(wanted))

    assert 1 == told.one(AssaultFought).fire == told.district().fire
    assert [] == told.all(GroundChanged), "no fire goes out where there was an assault"


@pytest.mark.parametrize(("wounds", "falls"), [(1, False), (2, True)])
def test_U16_U24_a_third_wound_fells_a_unit_whenever_it_comes(wounds: int, falls: bool) -> None:
    board = an_assault()
    board.homes["north"].units["section"].wounds = wounds

    told = board.resolve(lambda told: outcome("won")(told) and told.one(UnitStruck).roll.outcome == "failure")

    assert ("fallen" if falls else "wounded", wounds + 1) == (
        told.one(UnitStruck).outcome,
        told.one(UnitStruck).wounds,
    )


def test_U16_a_won_assault_takes_the_landmark_at_once_and_the_prison_at_the_phase_s_end() -> None:
    board = an_assault()
    board.homes["north"].landmark = Landmark("the guns", 0, "revolution")
    board.prison("north", "revolution")

    told = board.resolve(outcome("won"))
    lost = board.resolve(outcome("lost"))

    assert ("landmark", "prison") == told.one(AssaultFought).taken
    assert told.district().landmark == Landmark("the guns", 0, "law")
    assert ("law", "north") == (told.one(PrisonTaken).camp, told.one(PrisonTaken).district)
    assert "law" == told.city.prisons["north"].holder
    assert "revolution" == lost.city.prisons["north"].holder


def test_U16_U23_when_both_sides_win_the_prison_goes_to_the_last_winner() -> None:
    board = Board()
    board.prison("north", "revolution")
    for name, side in (("section", "revolution"), ("company", "law")):
        board.unit(name, side, 9, nature="person")
        board.unit(f"{name}-2", side, 9)
        board.order(Assault("north", (name,)))

    def both_win(told: Told) -> bool:
        return [fought.outcome for fought in told.all(AssaultFought)] == ["won", "won"]

    for last in ("law", "revolution"):

        def last_wins(told: Told, last: str = last) -> bool:
            return both_win(told) and told.all(AssaultFought)[1].camp == last

        assert last == board.resolve(last_wins).city.prisons["north"].holder


def test_U15_assaults_are_fought_after_the_moves_by_whoever_is_there() -> None:
    board = an_assault()
    board.unit("column", "law", 5, at="south")
    board.order(Move("south", ("column",), "north"))

    rolled = board.resolve().one(AssaultRolled)

    assert ["column", "company"] == names(rolled.roll.forces)
    assert ("company",) == rolled.units


def test_U16_K3_the_casualties_are_given_as_a_distribution() -> None:
    board = an_assault()
    board.unit("child", force=0)
    board.unit("veteran", force=1, wounds=2)
    board.unit("old", "law", 3, wounds=2)

    odds = board.odds(Assault("north", ("company",)), "law")
    shares = {name: Fraction(text) for name, text in odds.outcomes.items()}
    chance = Fraction(odds.success or "0")

    assert Fraction(5, 8) == chance
    assert {
        "won_1": chance / 4,
        "won_2": chance / 2,
        "won_3": chance / 4,
        "lost_fallen": (1 - chance) * Fraction(3, 4),
        "lost_wounded": (1 - chance) * Fraction(1, 4),
    } == shares


def test_U16_the_second_winner_takes_the_prison_from_the_first() -> None:
    board = Board()
    board.prison("north", "law")
    for name, side in (("section", "revolution"), ("company", "law")):
        board.unit(name, side, 9)
        board.unit(f"{name}-2", side, 9)
        board.order(Assault("north", (name,)))

    def revolution_then_law(told: Told) -> bool:
        return [(fought.camp, fought.outcome) for fought in told.all(AssaultFought)] == [
            ("revolution", "won"),
            ("law", "won"),
        ]

    told = board.resolve(revolution_then_law)

    assert [("prison",), ("prison",)] == [fought.taken for fought in told.all(AssaultFought)]
    assert [] == told.all(PrisonTaken), "the Law held it before, and holds it again"


def test_U25_a_side_whose_last_unit_fell_sees_the_influence_no_more() -> None:
    board = an_assault()

    told = board.resolve(lambda told: outcome("won")(told) and told.unit("section").status == "fallen")

    assert 1 == len(told.report("law", "influence"))
    assert [] == told.report("revolution", "influence")
