"""Narrative interventions and interruptions: A13, A14, A16."""

import pytest

from tests.rules.anarchy.crowd import ALLOT, MIA_SHOOTS_KANE, bought, docks, narrate
from tests.rules.anarchy.table import S
from workers.rules.anarchy.events import (
    Attacked,
    Held,
    Intervened,
    Narrated,
)
from workers.rules.anarchy.orders import (
    Attack,
    Interpose,
    Interrupt,
    Intervene,
    Riposte,
    Risk,
)

# --- Interventions ----------------------------------------------------------------------------------------------------


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


# --- Interruptions ----------------------------------------------------------------------------------------------------


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
    table = docks()
    table.scene().seats = ["cleo.silk", "ana.mia", "ben.rook"]
    told = table.play(
        *(narrate(name) for name in ("m.kane", "ana.mia", "ben.rook", "cleo.silk")),
        Interrupt(S, "ben.rook", front=True),
        Interrupt(S, "cleo.silk", front=True),
    )

    assert [
        ("cleo.silk", "interruption"),
        ("ben.rook", "interruption"),
        ("m.kane", "turn"),
        ("ana.mia", "turn"),
    ] == told_order(told)


def test_A16_two_characters_of_one_player_may_both_take_the_front():
    told = docks("ana.nix").play(
        *(narrate(name) for name in ("m.kane", "ana.mia", "ana.nix")),
        Interrupt(S, "ana.nix", front=True),
        Interrupt(S, "ana.mia", front=True),
    )

    assert [("ana", "interruption"), ("ana", "interruption")] == bought(told), "each counts in the one that it starts"
    assert ["ana.mia", "ana.nix", "m.kane"] == [name for name, _ in told_order(told)]


def test_A13_one_narration_is_brought_forward_once_and_the_second_interruption_is_not_paid():
    told = docks().play(
        narrate("ana.mia"),
        narrate("ben.rook"),
        Interrupt(S, "ana.mia", front=True),
        Interrupt(S, "ben.rook", front=True),
        Interrupt(S, "ben.rook", by="ana.mia"),
    )

    assert [("ana", "interruption"), ("ben", "interruption")] == bought(told)
    assert (told.booked[4].id, "in_front") == (told.one(Held).order, told.one(Held).reason)
    assert [("ana.mia", "interruption"), ("ben.rook", "interruption")] == told_order(told)


def test_A13_the_front_of_the_turn_is_bought_once():
    told = docks().play(narrate("ana.mia"), *(Interrupt(S, "ana.mia", front=True) for _ in range(2)))

    assert [("ana", "interruption")] == bought(told)
    assert (max(booked.id for booked in told.booked[1:]), "in_front") == (told.one(Held).order, told.one(Held).reason)


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


def test_A16_those_who_interrupt_an_interruption_come_before_those_who_still_wait():
    told = docks("dov.patch").play(
        *(narrate(name) for name in ("m.kane", "ana.mia", "ben.rook", "cleo.silk", "dov.patch")),
        Interrupt(S, "ana.mia", by="m.kane"),
        Interrupt(S, "ben.rook", by="m.kane"),
        Interrupt(S, "dov.patch", by="ana.mia"),
    )

    assert ["m.kane", "ana.mia", "dov.patch", "ben.rook", "cleo.silk"] == [name for name, _ in told_order(told)]


def test_A16_a_chain_of_interruptions_may_be_as_long_as_the_scene_has_characters():
    names = [f"x{i:03}.c" for i in range(400)]
    table = docks(*names)
    chain = [Interrupt(S, name, by=before) for before, name in zip(names[:0:-1], names[-2::-1], strict=True)]
    told = table.play(*(narrate(name) for name in names), Interrupt(S, names[-1], front=True), *chain)

    assert names[::-1] == [name for name, _ in told_order(told)]


def test_A14_interruptions_and_interventions_have_depth_1():
    told = docks(reaction_depth=1).play(
        *(narrate(name) for name in ("m.kane", "ana.mia", "ben.rook")),
        Interrupt(S, "ana.mia", front=True),
        Interrupt(S, "ben.rook", by="ana.mia"),
        Intervene(S, "cleo.silk", "m.kane", "It rains."),
    )

    assert [("ana", "interruption"), ("ben", "interruption"), ("cleo", "intervention")] == bought(told)
