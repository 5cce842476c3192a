"""Standing reactions: riposte, interpose, interruption, narrative intervention, risk, to their depth: A13, A14, A16."""

import pytest

from tests.rules.anarchy.table import M, S, Table
from workers.kernel.odds import Term
from workers.rules.anarchy.events import (
    Attacked,
    Held,
    Hurt,
    Interposed,
    Intervened,
    Moved,
    Narrated,
    OrderVoid,
    PointSpent,
    Tried,
    TurnBegan,
)
from workers.rules.anarchy.orders import (
    Allot,
    Attack,
    Breakdown,
    Interpose,
    Interrupt,
    Intervene,
    Luck,
    Move,
    Narrate,
    Riposte,
    Risk,
    Trial,
)

LIFT = Trial(on="lift", opponent="m.kane", against="lift")


def docks(*more, **settings):
    """Mia, Rook and Silk of three players, Kane and Lee of the GM's, all at place 0 and hard to take out."""
    table = Table(**settings)
    for name in ("ana.mia", "ben.rook", "cleo.silk", *more):
        table.pc(name, physical=40)
    for name in ("kane", "lee"):
        table.npc(name, level="minion", physical=40)
    table.mission().reserve = 9
    return table


def narrate(name, *steps):
    return Narrate(S, name, "", steps)


KANE_SHOOTS_MIA = Narrate(S, "m.kane", "", (Attack("ana.mia", "gun"),))
MIA_SHOOTS_KANE = Narrate(S, "ana.mia", "", (Attack("m.kane", "pistol"),))
ALLOT = Allot(M, S, 9)


def bought(told):
    return [(fact.payer, fact.cause) for fact in told.of(PointSpent)]


# --- Riposte --------------------------------------------------------------------------------------------------------------


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


# --- Interpose ------------------------------------------------------------------------------------------------------------


def test_A13_who_interposes_makes_its_own_defence_against_the_attackers_roll():
    told = docks().play(KANE_SHOOTS_MIA, Interpose(S, "ben.rook"), where=lambda told: told.has(Interposed))
    attacked, interposed = told.one(Attacked), told.one(Interposed)

    assert ("ben.rook", "ana.mia", "m.kane") == (interposed.character, interposed.target, interposed.attacker)
    assert attacked.roll.hits == interposed.hits
    assert interposed.hits - interposed.defence.hits == interposed.margin
    assert attacked.roll.path + ".interpose" == interposed.defence.path
    assert [("ben", "interpose")] == bought(told)


def test_A13_if_the_attacker_wins_who_interposed_takes_it_with_the_new_margin():
    told = docks().play(
        KANE_SHOOTS_MIA,
        Interpose(S, "ben.rook"),
        where=lambda told: told.has(Interposed) and told.one(Interposed).margin == 0 and told.one(Attacked).margin > 0,
    )

    assert "ben.rook" == told.one(Hurt).character
    assert (Term("gun", 3), Term("margin", 0)) == told.one(Hurt).terms


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
        where=lambda told: told.has(Interposed) and told.one(Attacked).defence.complications == 1,
    )

    assert told.one(Attacked).defence.luck
    assert 1 == table.who("ana.mia").luck
    assert 9 + 2 + 1 == table.mission().reserve, "two points spent and the complication"


def test_A4_the_interposers_own_defence_may_be_lucky():
    table = docks()
    told = table.play(
        KANE_SHOOTS_MIA, Interpose(S, "ben.rook"), Luck(S, "ben.rook"), where=lambda told: told.has(Interposed)
    )

    assert told.one(Interposed).defence.luck
    assert (2, 1) == (table.who("ana.mia").luck, table.who("ben.rook").luck)


# --- Risk -----------------------------------------------------------------------------------------------------------------


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


def test_A13_risk_for_ones_own_defences_and_ripostes():
    told = docks().play(KANE_SHOOTS_MIA, Risk(S, "ana.mia", by="m.kane"))
    assert (0, 1) == (told.one(Attacked).roll.glitch, told.one(Attacked).defence.glitch)

    table = docks()
    table.scene().points["ana"] = 2
    told = table.play(
        ALLOT, Narrate(S, "m.lee", "", (Attack("ana.mia", "gun"),)), Riposte(S, "ana.mia", "pistol"), Risk(S, "ana.mia")
    )
    assert [("ana", "risk"), ("ana", "riposte")] == bought(told), "the defence came first"


def test_A13_risk_on_a_test_and_on_an_interposition():
    told = docks().play(narrate("ana.mia", LIFT), Risk(S, "ben.rook", by="m.kane"))
    assert 1 == told.one(Tried).roll.glitch

    told = docks().play(
        KANE_SHOOTS_MIA,
        Interpose(S, "ben.rook"),
        Risk(S, "cleo.silk", who="ben.rook"),
        where=lambda told: told.has(Interposed),
    )
    assert (0, 1) == (told.one(Attacked).defence.glitch, told.one(Interposed).defence.glitch)


def test_A13_risk_is_for_rolls_of_ones_own_camp():
    table = docks()

    assert ("own_camp_only", "who") == table.refusal(Risk(S, "ana.mia", who="m.kane"))
    assert ("own_camp_only", "who") == table.refusal(Risk(S, "m.kane", who="ana.mia"))
    told = table.play(ALLOT, KANE_SHOOTS_MIA, Risk(S, "cleo.silk", times=9), Risk(S, "m.lee", times=9))
    assert (1, 1) == (told.one(Attacked).roll.glitch, told.one(Attacked).defence.glitch)
    assert [("gm", "risk"), ("cleo", "risk")] == bought(told)


# --- Interventions --------------------------------------------------------------------------------------------------------


def test_A13_a_narrative_intervention_is_a_short_text_when_anothers_narration_begins():
    told = docks().play(MIA_SHOOTS_KANE, Intervene(S, "ben.rook", "ana.mia", "It rains."))

    assert ("ben.rook", "ana.mia", "It rains.") == (
        told.one(Intervened).character,
        told.one(Intervened).within,
        told.one(Intervened).text,
    )
    order = [type(event).__name__ for event in told.events]
    assert order.index("Narrated") < order.index("Intervened") < order.index("Attacked")
    assert [("ben", "intervention")] == bought(told)


@pytest.mark.parametrize(
    ("order", "refused"),
    [
        (Intervene(S, "ben.rook", "", "It rains."), ("by_needed", "by")),
        (Intervene(S, "ben.rook", "ben.rook", "It rains."), ("oneself", "by")),
        (Intervene(S, "ben.rook", "ana.mia", ""), ("text_length", "text")),
        (Intervene(S, "ben.rook", "ana.mia", "x" * 281), ("text_length", "text")),
        (Intervene(S, "ben.rook", "ana.mia", "x" * 280), ("", "")),
        (Riposte(S, "ben.rook", "bazooka"), ("unknown_weapon", "weapon")),
        (Riposte(S, "ben.rook", "pistol", by="m.nobody"), ("unknown_character", "by")),
        (Interpose(S, "ben.rook", who="m.nobody"), ("unknown_character", "who")),
        (Risk(S, "ben.rook", who="m.nobody"), ("unknown_character", "who")),
        (Interrupt(S, "ben.rook", front=True, by="ana.mia"), ("front_or_by", "by")),
    ],
)
def test_A14_a_trigger_that_cannot_be_meant_is_refused(order, refused):
    assert refused == docks().refusal(order)


# --- Interruptions --------------------------------------------------------------------------------------------------------


def told_order(told):
    return [(fact.character, fact.cause) for fact in told.of(Narrated)]


def test_A16_an_interruption_plays_right_after_the_narration_that_triggered_it_its_reactions_included():
    told = docks().play(
        narrate("m.kane", Attack("ana.mia", "gun")),
        narrate("m.lee"),
        narrate("cleo.silk"),
        Interrupt(S, "cleo.silk", by="m.kane"),
        Riposte(S, "ana.mia", "pistol"),
    )

    assert [("m.kane", "turn"), ("cleo.silk", "interruption"), ("m.lee", "turn")] == told_order(told)
    assert [("ana", "riposte"), ("cleo", "interruption")] == bought(told)


def test_A16_an_interruption_after_anybodys_narration():
    told = docks().play(narrate("m.kane"), narrate("cleo.silk"), narrate("m.lee"), Interrupt(S, "cleo.silk"))

    assert ["m.kane", "cleo.silk", "m.lee"] == [name for name, _ in told_order(told)]


def test_A16_a_pass_triggers_nothing():
    told = docks().play(narrate("cleo.silk"), narrate("ana.mia"), Interrupt(S, "cleo.silk", by="m.kane"))

    assert [("ana.mia", "turn"), ("cleo.silk", "turn")] == told_order(told)


def test_A16_an_interruption_by_one_who_has_already_acted_does_not_fire_and_the_report_says_so():
    told = docks().play(narrate("m.kane"), narrate("ana.mia"), ALLOT, Interrupt(S, "m.kane", by="ana.mia"))

    assert ("m.kane", "interruption", "no_narration") == (
        told.one(Held).character,
        told.one(Held).effect,
        told.one(Held).reason,
    )
    assert [] == bought(told)


def test_A16_an_interruption_needs_a_narration_order_of_its_own():
    told = docks().play(narrate("m.kane"), Interrupt(S, "cleo.silk"), Interrupt(S, "ana.mia", front=True))

    assert [("ana.mia", "no_narration"), ("cleo.silk", "no_narration")] == [
        (fact.character, fact.reason) for fact in told.of(Held)
    ]


def test_A16_interruptions_declared_for_the_turn_go_to_the_front_in_turn_order():
    told = docks().play(
        *(narrate(name) for name in ("m.kane", "ana.mia", "ben.rook", "cleo.silk")),
        Interrupt(S, "cleo.silk", front=True),
        Interrupt(S, "ben.rook", front=True),
    )

    assert [
        ("ben.rook", "interruption"),
        ("cleo.silk", "interruption"),
        ("m.kane", "turn"),
        ("ana.mia", "turn"),
    ] == told_order(told)


def test_A16_several_interrupted_by_one_narration_play_in_turn_order_from_the_actor():
    told = docks().play(
        *(narrate(name) for name in ("m.kane", "m.lee", "ana.mia", "ben.rook", "cleo.silk")),
        Interrupt(S, "cleo.silk", by="ana.mia"),
        Interrupt(S, "ben.rook", by="ana.mia"),
    )

    assert ["m.kane", "m.lee", "ana.mia", "ben.rook", "cleo.silk"] == [name for name, _ in told_order(told)]
    assert [False, False, False, True, True] == [cause == "interruption" for _, cause in told_order(told)]


def test_A16_an_interruption_counts_in_the_narration_that_it_starts():
    table = docks("ana.nix")
    told = table.play(
        narrate("m.kane"),
        narrate("ana.mia"),
        narrate("ana.nix"),
        Interrupt(S, "ana.mia", by="m.kane"),
        Interrupt(S, "ana.nix", by="ana.mia"),
    )

    assert [("ana", "interruption"), ("ana", "interruption")] == bought(told)
    assert ["m.kane", "ana.mia", "ana.nix"] == [name for name, _ in told_order(told)]


def test_A16_an_interruption_that_cannot_be_paid_leaves_the_narration_at_its_seat():
    table = docks()
    table.scene().points["cleo"] = 0
    told = table.play(narrate("m.kane"), narrate("cleo.silk"), Interrupt(S, "cleo.silk", front=True))

    assert [("m.kane", "turn"), ("cleo.silk", "turn")] == told_order(told)
    assert "points" == told.one(Held).reason


def test_A13_what_an_interruption_of_the_turn_cost_is_missing_later_and_the_effect_is_left_out():
    table = docks()
    table.scene().points["ana"] = 1
    told = table.play(
        narrate("ana.mia", Attack("m.kane", "pistol", risk=True)), Interrupt(S, "ana.mia", front=True), unchecked=True
    )

    assert [("ana", "interruption")] == bought(told)
    assert 0 == told.one(Attacked).roll.glitch


# --- Depth ----------------------------------------------------------------------------------------------------------------


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
    labels = [fact.defence.path.rpartition("/")[2] for fact in told.of(Interposed)]
    assert ["attack.interpose", "attack.riposte.interpose", "attack.riposte.riposte.interpose"][:depth] == labels


def test_A14_risk_on_the_roll_of_a_reaction_is_one_deeper():
    table = docks(reaction_depth=1)
    told = table.play(KANE_SHOOTS_MIA, Riposte(S, "ana.mia", "pistol"), Risk(S, "ben.rook", by="m.kane", who="ana.mia"))
    assert (1, 0) == (told.of(Attacked)[0].defence.glitch, told.of(Attacked)[1].roll.glitch)

    told = docks(reaction_depth=2).play(
        MIA_SHOOTS_KANE, ALLOT, Riposte(S, "m.kane", "gun"), Risk(S, "ben.rook", who="ana.mia")
    )
    assert [1, 0] == [fact.roll.glitch for fact in told.of(Attacked)]


# --- Legality at the phase ------------------------------------------------------------------------------------------------


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
