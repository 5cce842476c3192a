"""Interpositions: A13, A14."""

import pytest

from tests.rules.anarchy.crowd import ALLOT, KANE_SHOOTS_MIA, MIA_SHOOTS_KANE, bought, docks, narrate
from tests.rules.anarchy.table import S, defence
from workers.kernel.odds import Term
from workers.rules.anarchy.events import Attacked, BrokeDown, Held, Hurt, Interposed, TurnBegan
from workers.rules.anarchy.orders import Attack, Interpose, Luck, Riposte, Risk

# --- Interpose --------------------------------------------------------------------------------------------------------


def test_A13_who_interposes_makes_its_own_defence_against_the_attackers_roll():
    told = docks().play(KANE_SHOOTS_MIA, Interpose(S, "ben.rook"), where=lambda told: told.has(Interposed))
    attacked, interposed = told.one(Attacked), told.one(Interposed)

    assert ("ben.rook", "ana.mia", "m.kane") == (interposed.character, interposed.target, interposed.attacker)
    assert attacked.roll.hits == interposed.hits
    assert interposed.hits - defence(interposed).hits == interposed.margin
    assert attacked.roll.path + ".interpose" == defence(interposed).path
    assert [("ben", "interpose")] == bought(told)


def test_A13_if_the_attacker_wins_who_interposed_takes_it_with_the_new_margin():
    told = docks().play(
        KANE_SHOOTS_MIA,
        Interpose(S, "ben.rook"),
        where=lambda told: told.has(Interposed) and told.one(Interposed).margin == 0 and told.one(Attacked).margin > 0,
    )

    assert "ben.rook" == told.one(Hurt).character
    assert (Term("gun", 3), Term("margin", 0)) == told.one(Hurt).terms


def test_A10_disarm_is_for_whoever_is_hit():
    told = docks().play(
        ALLOT,
        narrate("m.kane", Attack("ana.mia", "gun", risk=True, special="disarm")),
        Interpose(S, "ben.rook"),
        where=lambda told: told.has(Interposed) and told.has(Hurt) and told.one(Attacked).roll.exploits == 1,
    )

    assert ("ben.rook", "pistol") == (told.one(BrokeDown).character, told.one(BrokeDown).thing)


def test_A13_else_nobody_is_hit():
    told = docks().play(
        KANE_SHOOTS_MIA,
        Interpose(S, "ben.rook"),
        where=lambda told: told.has(Interposed) and told.one(Interposed).margin < 0,
    )

    assert not told.has(Hurt)


def test_A13_nobody_interposes_where_nobody_is_hit():
    told = docks().play(KANE_SHOOTS_MIA, Interpose(S, "ben.rook"), where=lambda told: told.one(Attacked).margin < 0)

    assert not told.has(Interposed)
    assert [] == bought(told)


def test_A13_a_gms_interposer_sets_its_nd():
    told = docks().play(ALLOT, MIA_SHOOTS_KANE, Interpose(S, "m.lee"), where=lambda told: told.has(Interposed))

    assert (2, None, "m.lee") == (told.one(Interposed).nd, told.one(Interposed).defence, told.one(Interposed).character)
    assert [("gm", "interpose")] == bought(told)


def test_A14_of_two_interposers_one_fires_the_first_in_turn_order_from_the_actor():
    table = docks()
    told = table.play(
        KANE_SHOOTS_MIA,
        Interpose(S, "cleo.silk"),
        Interpose(S, "ben.rook"),
        where=lambda told: told.has(Interposed),
    )
    assert "ben.rook" == told.one(Interposed).character
    assert not told.has(Held)

    table = docks()
    table.scene().seats = ["cleo.silk", "ana.mia", "ben.rook"]
    told = table.play(
        KANE_SHOOTS_MIA, Interpose(S, "cleo.silk"), Interpose(S, "ben.rook"), where=lambda told: told.has(Interposed)
    )
    assert "cleo.silk" == told.one(Interposed).character


def test_A14_simultaneous_triggers_fire_in_turn_order_from_the_actor_not_from_the_turns_start():
    told = docks().play(
        ALLOT,
        MIA_SHOOTS_KANE,
        Interpose(S, "m.lee"),
        Interpose(S, "ben.rook", who="m.kane"),
        where=lambda told: told.has(Interposed),
    )

    assert ("m.kane", "m.lee", "ana.mia", "ben.rook", "cleo.silk") == told.one(TurnBegan).order
    assert "ben.rook" == told.one(Interposed).character


def test_A14_one_characters_reactions_fire_by_order_id():
    told = docks().play(KANE_SHOOTS_MIA, Riposte(S, "ana.mia", "pistol"), Riposte(S, "ana.mia", "hands"))
    first = min(told.booked[1:], key=lambda booked: booked.id)

    assert first.order.weapon == told.of(Attacked)[1].weapon


def test_A14_an_interposer_that_cannot_pay_leaves_it_to_the_next():
    table = docks()
    table.scene().points["ben"] = 0
    told = table.play(
        KANE_SHOOTS_MIA, Interpose(S, "cleo.silk"), Interpose(S, "ben.rook"), where=lambda told: told.has(Interposed)
    )

    assert ("ben.rook", "points") == (told.one(Held).character, told.one(Held).reason)
    assert "cleo.silk" == told.one(Interposed).character


@pytest.mark.parametrize(
    ("fields", "fires"),
    [
        ({}, True),
        ({"who": "ana.mia"}, True),
        ({"who": "cleo.silk"}, False),
        ({"by": "m.kane"}, True),
        ({"by": "m.lee"}, False),
        ({"who": "m.lee"}, False),
    ],
)
def test_A14_the_trigger_says_who_is_acted_on_and_by_whom(fields, fires):
    told = docks().play(
        KANE_SHOOTS_MIA, Interpose(S, "ben.rook", **fields), where=lambda told: told.one(Attacked).margin >= 0
    )

    assert fires == told.has(Interposed)


def test_A14_an_empty_who_is_the_own_camp_and_a_named_one_may_be_anybody():
    attack = narrate("ben.rook", Attack("m.kane", "pistol"))
    told = docks().play(attack, Interpose(S, "ana.mia"), where=lambda told: told.one(Attacked).margin >= 0)
    assert not told.has(Interposed)

    told = docks().play(attack, Interpose(S, "ana.mia", who="m.kane"), where=lambda told: told.has(Interposed))
    assert "ana.mia" == told.one(Interposed).character


def test_A13_neither_attacker_nor_target_interposes():
    told = docks().play(
        KANE_SHOOTS_MIA,
        ALLOT,
        Interpose(S, "ana.mia"),
        Interpose(S, "m.kane", who="ana.mia"),
        where=lambda told: told.one(Attacked).margin >= 0,
    )

    assert not told.has(Interposed)
    assert ("oneself", "who") == docks().refusal(Interpose(S, "ana.mia", who="ana.mia"))


def test_A13_luck_and_complications_of_the_ignored_roll_stand():
    table = docks()
    told = table.play(
        KANE_SHOOTS_MIA,
        Luck(S, "ana.mia"),
        Risk(S, "ana.mia", who="ana.mia"),
        Interpose(S, "ben.rook"),
        where=lambda told: told.has(Interposed) and defence(told.one(Attacked)).complications == 1,
    )

    assert defence(told.one(Attacked)).luck
    assert 1 == table.who("ana.mia").luck
    assert 9 + 2 + 1 == table.mission().reserve, "two points spent and the complication"


def test_A4_the_interposers_own_defence_may_be_lucky():
    table = docks()
    told = table.play(
        KANE_SHOOTS_MIA, Interpose(S, "ben.rook"), Luck(S, "ben.rook"), where=lambda told: told.has(Interposed)
    )

    assert defence(told.one(Interposed)).luck
    assert (2, 1) == (table.who("ana.mia").luck, table.who("ben.rook").luck)


@pytest.mark.parametrize(("depth", "fires"), [(1, False), (2, True)])
def test_A14_an_interposition_against_a_riposte_has_depth_2(depth, fires):
    told = docks(reaction_depth=depth).play(
        ALLOT,
        KANE_SHOOTS_MIA,
        Riposte(S, "ana.mia", "pistol"),
        Interpose(S, "m.lee"),
        where=lambda told: told.of(Attacked)[1].margin >= 0,
    )

    assert fires == told.has(Interposed)
    assert fires != any(fact.reason == "depth" for fact in told.of(Held))


@pytest.mark.parametrize(("depth", "glitch"), [(1, 0), (2, 1)])
def test_A14_risk_on_the_roll_of_who_interposes_has_depth_2(depth, glitch):
    told = docks(reaction_depth=depth).play(
        KANE_SHOOTS_MIA,
        Interpose(S, "ben.rook"),
        Risk(S, "cleo.silk", who="ben.rook"),
        where=lambda told: told.has(Interposed),
    )

    assert glitch == defence(told.one(Interposed)).glitch
