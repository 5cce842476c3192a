"""What an assault does: U16."""

from fractions import Fraction

import pytest

from tests.rules.uprising.board import Board, Told
from tests.rules.uprising.scenes import an_assault
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.entities import Landmark
from workers.rules.uprising.events import (
    AssaultFought,
    GroundChanged,
    InfluenceMoved,
    PrisonTaken,
    UnitStruck,
)
from workers.rules.uprising.orders import Assault


def outcome(wanted: str):
    return lambda told: told.one(AssaultFought).outcome == wanted


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
