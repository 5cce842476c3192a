"""Standing reactions: ripostes and risk, their triggers and their depth: A13, A14."""

import pytest

from tests.rules.anarchy.crowd import ALLOT, KANE_SHOOTS_MIA, MIA_SHOOTS_KANE, bought, docks, lift, narrate
from tests.rules.anarchy.table import S, Table, defence
from workers.kernel.odds import Term
from workers.rules.anarchy.events import (
    Attacked,
    BrokeDown,
    Held,
    Hurt,
    Interposed,
    Moved,
    Narrated,
    OrderVoid,
    PointSpent,
    Tried,
)
from workers.rules.anarchy.orders import Attack, Breakdown, Interpose, Luck, Move, Narrate, Riposte, Risk
from workers.rules.anarchy.settings import Settings

# --- Riposte ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_hit", [True, False])
def test_A13_a_riposte_is_an_immediate_attack_on_the_attacker_hit_or_not(is_hit):
    table = docks()
    told = table.play(
        KANE_SHOOTS_MIA,
        Riposte(S, "ana.mia", "pistol"),
        where=lambda told: (told.of(Attacked)[0].margin >= 0) == is_hit,
    )
    first, second = told.of(Attacked)

    assert ("ana.mia", "m.kane", "pistol", "riposte") == (second.character, second.target, second.weapon, second.cause)
    assert "narration" == first.cause
    assert [("ana", "riposte")] == bought(told)
    assert ["m.kane"] == [fact.character for fact in told.of(Narrated)], "a riposte isn't a Narration"


def test_A13_a_riposte_comes_after_the_damage():
    told = docks().play(KANE_SHOOTS_MIA, Riposte(S, "ana.mia", "pistol"), where=lambda told: len(told.of(Hurt)) == 2)

    assert ["Attacked", "Hurt", "Attacked", "Hurt"] == [
        type(event).__name__ for event in told.events if isinstance(event, Attacked | Hurt)
    ]


def test_A13_a_riposte_needs_its_owner_in_the_scene_after_the_damage():
    table = docks()
    table.who("ana.mia").physical = 39
    told = table.play(KANE_SHOOTS_MIA, Riposte(S, "ana.mia", "pistol"), where=lambda told: told.has(Hurt))

    assert 1 == len(told.of(Attacked))
    assert [] == bought(told)


def test_A13_a_riposte_is_the_named_targets_even_when_another_takes_the_hit():
    told = docks().play(
        KANE_SHOOTS_MIA,
        Interpose(S, "ben.rook"),
        Riposte(S, "ana.mia", "pistol"),
        Riposte(S, "ben.rook", "pistol"),
        where=lambda told: told.has(Interposed) and told.one(Interposed).margin >= 0,
    )

    assert ["m.kane", "ana.mia"] == [fact.character for fact in told.of(Attacked)]
    assert "ben.rook" == told.of(Hurt)[0].character


@pytest.mark.parametrize(
    ("weapon", "broken", "reason"), [("knife", [], "out_of_range"), ("pistol", ["pistol"], "weapon_broken")]
)
def test_A13_a_riposte_needs_its_weapon_in_range_and_working_else_the_report_says_so(weapon, broken, reason):
    table = docks()
    table.who("m.kane").place = 2
    table.who("ana.mia").broken = broken
    told = table.play(KANE_SHOOTS_MIA, Riposte(S, "ana.mia", weapon))

    assert (reason, "riposte") == (told.one(Held).reason, told.one(Held).effect)
    assert [] == bought(told)


def test_A13_a_riposte_has_no_luck_and_no_well_disposed():
    told = docks().play(KANE_SHOOTS_MIA, Riposte(S, "ana.mia", "pistol"), Luck(S, "ana.mia", times=9))
    riposte = told.of(Attacked)[1]

    assert (False, (Term("firearms", 3), Term("agility", 3))) == (riposte.roll.luck, riposte.terms)


def test_A10_a_riposte_may_name_a_special_too():
    told = docks().play(
        ALLOT,
        MIA_SHOOTS_KANE,
        Riposte(S, "m.kane", "gun", special="disarm"),
        Risk(S, "m.lee", who="m.kane"),
        where=lambda told: told.of(Attacked)[1].margin >= 0 and told.of(Attacked)[1].roll.exploits == 1,
    )

    assert ("ana.mia", "pistol", "m.kane") == (
        told.one(BrokeDown).character,
        told.one(BrokeDown).thing,
        told.one(BrokeDown).by,
    )


def test_A13_a_riposte_answers_the_attacker_that_it_names_alone():
    told = docks().play(
        KANE_SHOOTS_MIA, narrate("m.lee", Attack("ana.mia", "gun")), Riposte(S, "ana.mia", "pistol", by="m.lee")
    )

    assert [("m.kane", "ana.mia"), ("m.lee", "ana.mia"), ("ana.mia", "m.lee")] == [
        (fact.character, fact.target) for fact in told.of(Attacked)
    ]


def test_A14_a_riposte_to_a_riposte():
    told = docks().play(
        ALLOT,
        MIA_SHOOTS_KANE,
        Riposte(S, "m.kane", "gun"),
        Riposte(S, "ana.mia", "pistol"),
        Riposte(S, "m.kane", "gun"),
    )

    assert [
        ("ana.mia", "m.kane", "attack"),
        ("m.kane", "ana.mia", "attack.riposte"),
        ("ana.mia", "m.kane", "attack.riposte.riposte"),
    ] == [(fact.character, fact.target, fact.roll.path.rpartition("/")[2]) for fact in told.of(Attacked)]
    assert [("gm", "riposte"), ("ana", "riposte")] == bought(told), "the same effect not twice in one Narration"


def test_A13_the_same_effect_is_not_sold_twice_to_one_player_in_one_narration_reactions_included():
    table = docks()
    told = table.play(
        KANE_SHOOTS_MIA,
        narrate("m.lee", Attack("ana.mia", "gun")),
        Riposte(S, "ana.mia", "pistol", times=5),
        Riposte(S, "ana.mia", "knife", times=5),
    )

    assert [("ana", "riposte"), ("ana", "riposte")] == bought(told), "once in each Narration"
    assert not told.has(Held)


def test_A13_the_gm_counts_as_one_player():
    table = docks()
    risks = Risk(S, "m.kane"), Risk(S, "m.lee")
    told = table.play(ALLOT, *risks, KANE_SHOOTS_MIA)

    assert [("gm", "risk")] == bought(told)
    assert 1 == told.one(Attacked).roll.glitch


def test_A13_a_reaction_that_its_player_has_bought_already_does_not_fire_and_the_report_says_so():
    told = docks().play(ALLOT, KANE_SHOOTS_MIA, Risk(S, "m.lee"), Risk(S, "m.lee", who="m.kane"))

    assert max(booked.id for booked in told.booked[2:]) == told.one(Held).order
    assert ("m.lee", "risk", "bought") == (told.one(Held).character, told.one(Held).effect, told.one(Held).reason)
    assert [(["m"], "held")] == [(about, fact["event"]) for about, fact in told.reads("gm") if "reason" in fact]
    assert [] == told.facts("players", "held")


def test_A14_what_does_not_fire_is_told_once_a_turn_for_each_reason():
    shots = [narrate(name, Attack("ana.mia", "gun")) for name in ("m.kane", "m.lee")]
    table = docks()
    table.scene().points["ana"] = 0
    told = table.play(*shots, Riposte(S, "ana.mia", "pistol", times=9))

    assert (2, "points") == (len(told.of(Attacked)), told.one(Held).reason)


def test_A14_a_reaction_fires_at_most_as_often_as_it_says():
    told = docks().play(
        KANE_SHOOTS_MIA, narrate("m.lee", Attack("ana.mia", "gun")), Riposte(S, "ana.mia", "pistol", times=1)
    )

    assert 3 == len(told.of(Attacked))


def test_A14_a_reaction_that_cannot_be_paid_does_not_fire_and_the_report_says_so():
    table = docks()
    table.scene().points["ana"] = 0
    told = table.play(KANE_SHOOTS_MIA, Riposte(S, "ana.mia", "pistol"))

    assert 1 == len(told.of(Attacked))
    assert ("ana.mia", "riposte", "points") == (told.one(Held).character, told.one(Held).effect, told.one(Held).reason)
    assert [(["ana"], "held")] == [(about, fact["event"]) for about, fact in told.reads("players") if "reason" in fact]
    assert [] == told.facts("gm", "held")


def test_A14_reactions_need_no_narration_and_last_for_one_turn():
    table = docks()
    assert 2 == len(table.play(KANE_SHOOTS_MIA, Riposte(S, "ana.mia", "pistol")).of(Attacked))
    assert 1 == len(table.play(KANE_SHOOTS_MIA).of(Attacked))


# --- Risk -------------------------------------------------------------------------------------------------------------


def test_A13_risk_adds_a_glitch_die_to_the_narrations_own_roll_by_its_step():
    told = docks().play(narrate("ana.mia", Attack("m.kane", "pistol", risk=True)))

    assert (6, 1, 7) == (
        told.one(Attacked).roll.pool,
        told.one(Attacked).roll.glitch,
        len(told.one(Attacked).roll.dice),
    )
    assert [("ana", "risk")] == bought(told)


def test_A14_a_standing_risk_is_for_any_roll_but_the_narrations_own():
    told = docks().play(MIA_SHOOTS_KANE, Risk(S, "ana.mia"))

    assert 0 == told.one(Attacked).roll.glitch
    assert [] == bought(told)


def test_A13_risk_for_another_players_roll():
    told = docks().play(MIA_SHOOTS_KANE, Risk(S, "ben.rook"))

    assert 1 == told.one(Attacked).roll.glitch
    assert [("ben", "risk")] == bought(told)


@pytest.mark.parametrize(("by", "glitch"), [("", 1), ("m.kane", 1), ("m.lee", 0)])
def test_A14_for_risk_by_whom_is_the_other_side_of_the_roll(by, glitch):
    assert glitch == docks().play(MIA_SHOOTS_KANE, Risk(S, "ben.rook", by=by)).one(Attacked).roll.glitch
    assert glitch == defence(docks().play(KANE_SHOOTS_MIA, Risk(S, "ana.mia", by=by)).one(Attacked)).glitch


def test_A13_risk_for_ones_own_defences_and_ripostes():
    told = docks().play(KANE_SHOOTS_MIA, Risk(S, "ana.mia", by="m.kane"))
    assert (0, 1) == (told.one(Attacked).roll.glitch, defence(told.one(Attacked)).glitch)

    table = docks()
    table.scene().points["ana"] = 2
    told = table.play(
        ALLOT, Narrate(S, "m.lee", "", (Attack("ana.mia", "gun"),)), Riposte(S, "ana.mia", "pistol"), Risk(S, "ana.mia")
    )
    assert [("ana", "risk"), ("ana", "riposte")] == bought(told), "the defence came first"


def test_A13_risk_on_a_test_and_on_an_interposition():
    told = docks().play(narrate("ana.mia", lift()), Risk(S, "ben.rook", by="m.kane"))
    assert 1 == told.one(Tried).roll.glitch

    told = docks().play(
        KANE_SHOOTS_MIA,
        Interpose(S, "ben.rook"),
        Risk(S, "cleo.silk", who="ben.rook"),
        where=lambda told: told.has(Interposed),
    )
    assert (0, 1) == (defence(told.one(Attacked)).glitch, defence(told.one(Interposed)).glitch)


def test_A13_risk_is_for_rolls_of_ones_own_camp():
    table = docks()

    assert ("own_camp_only", "who") == table.refusal(Risk(S, "ana.mia", who="m.kane"))
    assert ("own_camp_only", "who") == table.refusal(Risk(S, "m.kane", who="ana.mia"))
    told = table.play(ALLOT, KANE_SHOOTS_MIA, Risk(S, "cleo.silk", times=9), Risk(S, "m.lee", times=9))
    assert (1, 1) == (told.one(Attacked).roll.glitch, defence(told.one(Attacked)).glitch)
    assert [("gm", "risk"), ("cleo", "risk")] == bought(told)


# --- Depth ------------------------------------------------------------------------------------------------------------


def test_A14_a_reaction_to_the_narrations_own_act_has_depth_1_and_the_depth_is_a_setting():
    table = docks(reaction_depth=1)
    told = table.play(ALLOT, MIA_SHOOTS_KANE, Riposte(S, "m.kane", "gun"), Riposte(S, "ana.mia", "pistol"))

    assert ["ana.mia", "m.kane"] == [fact.character for fact in told.of(Attacked)]
    assert ("ana.mia", "depth") == (told.one(Held).character, told.one(Held).reason)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_A14_the_depth_is_at_most_4_by_default_and_ends_a_chain_of_ripostes(depth):
    table = Table(**({} if depth == 4 else {"reaction_depth": depth}))
    names = ["ana.mia", "ben.rook"]
    for name in names:
        table.pc(name, physical=40, weapons=[{"name": "gun", "skill": "firearms", "damage": 1}])
    # Two players alone: each sells itself one riposte a Narration, so the chain is made longer by interpositions.
    for player in "cdefg":
        table.pc(f"{player}.x", physical=40)
    told = table.play(
        narrate("ana.mia", Attack("ben.rook", "gun")),
        *(Riposte(S, name, "gun") for name in names),
        *(Interpose(S, f"{player}.x") for player in "cdefg"),
        where=lambda told: len(told.of(Attacked)) == min(depth, 2) + 1 and len(told.of(Interposed)) == min(depth, 3),
    )

    assert min(depth, 2) + 1 == len(told.of(Attacked))
    labels = [defence(fact).path.rpartition("/")[2] for fact in told.of(Interposed)]
    assert ["attack.interpose", "attack.riposte.interpose", "attack.riposte.riposte.interpose"][:depth] == labels


@pytest.mark.parametrize(("settings", "glitch"), [({}, 1), ({"reaction_depth": 4}, 1), ({"reaction_depth": 3}, 0)])
def test_A14_the_deepest_is_risk_for_who_interposes_against_a_riposte_to_a_riposte(settings, glitch):
    told = docks(**settings).play(
        ALLOT,
        KANE_SHOOTS_MIA,
        Riposte(S, "ana.mia", "pistol"),
        Riposte(S, "m.kane", "gun"),
        Interpose(S, "ben.rook", by="m.kane"),
        Risk(S, "cleo.silk", who="ben.rook"),
        where=lambda told: told.has(Interposed) and told.of(Attacked)[0].margin < 0,
    )

    assert "attack.riposte.riposte.interpose" == defence(told.one(Interposed)).path.rpartition("/")[2]
    assert glitch == defence(told.one(Interposed)).glitch
    assert 4 == Settings().reaction_depth


def test_A14_risk_on_the_roll_of_a_reaction_is_one_deeper():
    table = docks(reaction_depth=1)
    told = table.play(KANE_SHOOTS_MIA, Riposte(S, "ana.mia", "pistol"), Risk(S, "ben.rook", by="m.kane", who="ana.mia"))
    assert (1, 0) == (defence(told.of(Attacked)[0]).glitch, told.of(Attacked)[1].roll.glitch)

    told = docks(reaction_depth=2).play(
        MIA_SHOOTS_KANE, ALLOT, Riposte(S, "m.kane", "gun"), Risk(S, "ben.rook", who="ana.mia")
    )
    assert [1, 0] == [fact.roll.glitch for fact in told.of(Attacked)]


# --- Legality at the phase --------------------------------------------------------------------------------------------


def test_K6_a_reaction_that_is_illegal_when_turn_order_begins_is_void():
    table = docks()
    table.who("ana.mia").out = True
    told = table.play(Riposte(S, "ana.mia", "pistol"), Luck(S, "ana.mia"), unchecked=True)

    assert ["out", "out"] == [fact.reason for fact in told.of(OrderVoid)]


def test_A14_a_character_has_a_bounded_number_of_standing_orders():
    assert (1, 16) == docks().costs(Risk(S, "ana.mia"))["standing:ana.mia"]
    assert (1, 3) == docks(reactions=3).costs(Luck(S, "ana.mia"))["standing:ana.mia"]


def test_A14_what_happens_during_a_turn_is_seen_by_what_follows():
    table = docks()
    told = table.play(
        ALLOT,
        narrate("m.kane", Move(1)),
        narrate("m.lee", Breakdown("ana.mia", "pistol"), Attack("ana.mia", "gun")),
        Riposte(S, "ana.mia", "pistol"),
    )

    assert 1 == told.one(Moved).place
    assert "weapon_broken" == told.one(Held).reason


@pytest.mark.parametrize(("depth", "glitch"), [(1, 0), (2, 1)])
def test_A14_risk_on_the_defence_against_a_riposte_has_depth_2(depth, glitch):
    told = docks(reaction_depth=depth).play(ALLOT, MIA_SHOOTS_KANE, Riposte(S, "m.kane", "gun"), Risk(S, "ana.mia"))

    assert (0, glitch) == (told.of(Attacked)[0].roll.glitch, defence(told.of(Attacked)[1]).glitch)


def test_A1_range_is_counted_wherever_in_the_row_one_stands():
    table = docks()
    table.who("m.kane").place = table.who("ana.mia").place = 3
    told = table.play(narrate("ana.mia", Attack("m.kane", "knife")), ALLOT, Riposte(S, "m.kane", "hands"))

    assert ["ana.mia", "m.kane"] == [fact.character for fact in told.of(Attacked)]


def test_A14_risk_on_anothers_own_test_has_depth_1():
    told = docks(reaction_depth=1).play(narrate("ana.mia", lift()), Risk(S, "ben.rook"))

    assert 1 == told.one(Tried).roll.glitch


@pytest.mark.parametrize(("depth", "glitch"), [(1, 0), (2, 1)])
def test_A14_risk_on_the_roll_of_a_riposte_has_depth_2(depth, glitch):
    told = docks(reaction_depth=depth).play(
        ALLOT, MIA_SHOOTS_KANE, Riposte(S, "m.kane", "gun"), Risk(S, "m.lee", who="m.kane")
    )

    assert glitch == told.of(Attacked)[1].roll.glitch


def test_A14_turn_order_from_the_actor_begins_with_the_actor():
    told = docks().play(
        ALLOT, MIA_SHOOTS_KANE, Riposte(S, "m.kane", "gun"), Risk(S, "m.lee"), Risk(S, "m.kane", who="m.kane")
    )

    assert [("m.kane", "riposte"), ("m.kane", "risk")] == [(fact.character, fact.cause) for fact in told.of(PointSpent)]
