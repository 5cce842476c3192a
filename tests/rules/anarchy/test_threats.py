"""New threats: A13, A15."""

import pytest

from tests.rules.anarchy.crowd import kane, mia, rook, table_of_two
from tests.rules.anarchy.table import M, S
from workers.rules.anarchy.events import (
    Narrated,
    StepVoid,
    ThreatCame,
    TurnBegan,
)
from workers.rules.anarchy.orders import (
    Allot,
    Attack,
    Narrate,
    NewThreat,
    Threat,
)

# --- New threat -------------------------------------------------------------------------------------------------------


def test_A13_a_new_threat_is_a_gms_character_of_a_level_in_the_place_that_the_order_names():
    table = table_of_two()
    told = table.play(mia(NewThreat("a patrol", "extra", 2)))
    name = told.one(ThreatCame).character
    threat = table.who(name)

    assert (2, "extra", "", "a patrol") == (threat.place, threat.sheet.level, threat.player, threat.sheet.name)
    assert name.startswith("m.")
    assert S == table.mission().where[name]
    assert "" == table.refusal(Narrate(S, name, steps=(Attack("ana.mia", "gun"),)))[0]


def test_A13_a_new_threats_first_narration_is_in_the_next_turn():
    table = table_of_two()
    threat = table.play(mia(NewThreat("a patrol", "extra", 0))).one(ThreatCame).character
    told = table.play(Narrate(S, threat, "Halt!"))

    assert threat in [fact.character for fact in told.of(Narrated)]


@pytest.mark.parametrize("order", [Threat(S, "a patrol", "extra", 0), mia(NewThreat("a patrol", "extra", 0))])
def test_A13_a_threat_has_no_place_in_the_order_of_the_turn_in_which_it_appears(order):
    table = table_of_two()
    told = table.play(Allot(M, S, 1), order)
    threat = told.one(ThreatCame).character

    assert ("m.kane", "ana.mia", "ben.rook") == told.one(TurnBegan).whole
    assert threat in table.play(kane()).one(TurnBegan).whole


def test_A15_at_most_one_new_threat_a_scene_whoever_buys_it():
    table = table_of_two()
    told = table.play(mia(NewThreat("a", "extra", 0)), rook(NewThreat("b", "extra", 0)))

    assert 1 == len(told.of(ThreatCame))
    assert ("ben.rook", "no_more_threats") == (told.one(StepVoid).character, told.one(StepVoid).reason)
    assert 3 == table.scene().points["ben"]
    assert "no_more_threats" == table.refusal(mia(NewThreat("c", "extra", 0)))[0]
    assert "no_more_threats" == table.refusal(kane(NewThreat("c", "extra", 0)))[0]


def test_A15_of_level_at_most_extra_unless_the_scenario_says_otherwise():
    table = table_of_two()

    assert ("threat_level", "steps[0].level") == table.refusal(mia(NewThreat("a", "minion", 0)))
    table = table_of_two()
    table.of_scene(threats=2, threat_level="pro")
    assert "" == table.refusal(mia(NewThreat("a", "pro", 0)))[0]
    assert "threat_level" == table.refusal(mia(NewThreat("a", "terror", 0)))[0]
    table.play(mia(NewThreat("a", "pro", 0)))
    assert "" == table.refusal(mia(NewThreat("b", "minion", 0)))[0]


@pytest.mark.parametrize(
    ("step", "code"),
    [(NewThreat("a", "extra", 9), "no_such_place"), (NewThreat(" ", "extra", 0), "no_name")],
)
def test_A13_a_new_threat_has_a_name_and_a_place_of_the_row(step, code):
    assert code == table_of_two().refusal(mia(step))[0]


def test_a_refusal_says_what_would_be_accepted():
    table = table_of_two()
    table.of_scene(threats=2, threat_level="antagonist")
    (place,) = table.check(mia(NewThreat("a", "extra", 9)))
    (level,) = table.check(mia(NewThreat("a", "terror", 0)))

    assert ("0..3", "extra, minion, antagonist") == (place.accepted, level.accepted)
