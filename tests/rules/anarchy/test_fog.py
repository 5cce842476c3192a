"""What each camp reads and knows: A19, K1, K2, K7, K8."""

from typing import Any

import msgspec
import pytest

from tests.rules.anarchy.table import M, S, Table
from workers.kernel.odds import Term
from workers.rules.anarchy import RULEBOOK
from workers.rules.anarchy.events import (
    Attacked,
    BrokeDown,
    Hurt,
    Interposed,
    Narrated,
    Revealed,
    ThreatCame,
    Tried,
)
from workers.rules.anarchy.orders import (
    ORDERS,
    Allot,
    Attack,
    Breakdown,
    FirstAid,
    Grant,
    Interpose,
    Interrupt,
    Intervene,
    Luck,
    Move,
    Narrate,
    NewThreat,
    Place,
    Riposte,
    Risk,
    Trial,
)
from workers.rules.anarchy.see import see_mission, see_scene


def docks(**kane):
    table = Table({"s": 4, "t": 2})
    table.pc("ana.mia", physical=40)
    table.pc("ben.rook", physical=40)
    table.pc("cleo.silk", scene="t", physical=40)
    fields: dict[str, Any] = {"level": "pro", "physical": 40, "gear": ["radio"], **kane}
    table.npc("kane", **fields)
    table.npc("lurker", level="terror", physical=40, hidden=True, place=0)
    table.npc("lee", scene="t", level="minion", physical=40)
    table.mission().reserve = 9
    return table


def narrate(name, *steps):
    return Narrate(S, name, "", steps)


ATTACK = narrate("ana.mia", Attack("m.kane", "pistol"))
SHOT = narrate("m.kane", Attack("ana.mia", "gun"))
ALLOT = Allot(M, S, 9)


# --- The view ---------------------------------------------------------------------------------------------------------


def test_A19_players_know_their_scenes_and_all_players_sheets_and_the_gm_everything():
    table = docks()
    players, gm = (see_scene(table.scene(), camp) for camp in ("players", "gm"))

    assert {"ana.mia", "ben.rook", "m.kane"} == players.characters.keys()
    assert {"ana.mia", "ben.rook", "m.kane", "m.lurker"} == gm.characters.keys()
    assert players.characters["ana.mia"] == gm.characters["ana.mia"], "the GM reads the players' sheets"
    assert gm.characters["m.kane"].sheet is not None


def test_A19_of_a_gms_character_the_players_know_its_weapons_names_and_no_sheet():
    table = docks()
    table.who("m.kane").broken = ["gun", "radio"]
    table.who("m.kane").physical = 7
    kane = see_scene(table.scene(), "players").characters["m.kane"]

    assert (None, 0, 0) == (kane.sheet, kane.physical, kane.armour)
    assert (("gun", "hands"), ("gun",)) == (kane.weapons, kane.broken)


def test_A19_the_reserve_is_public_and_the_gms_wings_are_not():
    table = Table()
    table.pc("ana.mia")
    table.npc("spare", scene="", level="pro")
    players, gm = (see_mission(table.mission(), camp) for camp in ("players", "gm"))

    assert (1, 1) == (players.reserve, gm.reserve)
    assert ([], ["m.spare"]) == ([*players.wings], [*gm.wings])
    assert {"ana.mia": S} == players.where


def test_A19_players_read_points_of_their_scenes_and_allotments_are_the_gms_alone():
    told = docks().play(ALLOT, narrate("ana.mia", Move(1), Move(2, go="m.kane")), SHOT, Riposte(S, "m.kane", "gun"))

    assert 2 == told.facts("players", "point_spent")[0]["left"]
    assert [] == told.facts("players", "allotted") + told.facts("players", "allotment_made")
    assert 1 == len(told.facts("gm", "allotted"))


def test_A19_what_the_gm_spends_is_told_but_not_what_is_left_of_the_allotment():
    told = docks().play(ALLOT, ATTACK, Riposte(S, "m.kane", "gun"))

    assert [("riposte", False)] == [(fact["cause"], "left" in fact) for fact in told.facts("players", "point_spent")]
    assert 8 == told.facts("gm", "point_spent")[0]["left"]


def test_A19_a_scene_is_told_to_its_players_and_to_its_gm():
    told = docks().play(ATTACK, Narrate("m.t", "cleo.silk", "Elsewhere."))

    abouts = {fact["character"]: about for about, fact in told.reads("players") if fact["event"] == "narrated"}
    assert {"ana.mia": ["ana", "ben"], "cleo.silk": ["cleo"]} == abouts
    assert {"m"} == {name for about, _ in told.reads("gm") for name in about}


def test_K7_what_befell_a_camps_own_orders_is_told_to_it_alone():
    table = docks()
    table.scene().points["ana"] = 0
    told = table.play(SHOT, Riposte(S, "ana.mia", "pistol"), Riposte(S, "m.kane", "gun"), ATTACK)

    assert ["ana.mia"] == [fact["character"] for fact in told.facts("players", "held")]
    assert ["m.kane"] == [fact["character"] for fact in told.facts("gm", "held")]


# --- Rolls ------------------------------------------------------------------------------------------------------------


def test_K2_a_camps_copy_shows_the_other_camps_terms_as_one_total_unnamed():
    told = docks().play(SHOT)
    players, gm = told.facts("players", "attacked")[0], told.facts("gm", "attacked")[0]

    assert ("terms" in players, "terms" in gm) == (False, True)
    assert 10 == players["roll"]["pool"]
    assert [{"name": "agility", "value": 3}, {"name": "logic", "value": 3}] == players["defence_terms"]
    assert ("defence_terms" in gm, 6) == (False, gm["defence"]["pool"])


def test_K2_what_makes_up_the_nd_of_a_test_is_the_opponents_camps():
    trial = Trial(on="lift", opponent="m.kane", against="lift")
    told = docks().play(narrate("ana.mia", trial))
    players, gm = told.facts("players", "tested")[0], told.facts("gm", "tested")[0]

    assert (False, True) == ("nd_terms" in players, "nd_terms" in gm)
    assert (True, False) == ("terms" in players, "terms" in gm)
    assert players["nd"] == gm["nd"]


def test_K2_a_roll_is_recorded_with_what_a_person_needs_to_check_it():
    told = docks().play(ATTACK)
    fact = told.one(Attacked)

    assert (Term("firearms", 3), Term("agility", 3)) == fact.terms
    assert sum(face >= 5 for face in fact.roll.dice) == fact.roll.hits
    assert (3, fact.roll.hits - 3) == (fact.nd, fact.margin)
    assert told.result.context.dice.d6(fact.roll.path, 6) == fact.roll.dice
    assert {"roll", "terms", "nd", "margin", "outcome"} <= told.facts("players", "attacked")[0].keys()


def test_K1_no_order_carries_a_roll():
    fields = {name for kind in ORDERS for name in kind.__struct_fields__}

    assert not fields & {"roll", "dice", "hits", "seed", "faces", "id"}


def test_K8_a_rolls_path_has_the_orders_id_which_nobody_names():
    told = docks().play(ATTACK)

    assert f"narrations/{told.booked[0].id}/attack" == told.one(Attacked).roll.path
    assert 26 == len(told.booked[0].id)


def test_K8_a_new_threats_id_comes_from_the_id_key():
    table = docks()
    told = table.play(narrate("ana.mia", NewThreat("a patrol", "extra", 0)))

    ids = told.result.context.ids
    assert f"m.{ids.created('threat', 1, told.booked[0].id)}" == told.one(ThreatCame).character


def test_A19_damage_is_told_what_armour_and_tracks_took_of_a_gms_character_is_not():
    told = docks().play(ATTACK, where=lambda told: told.has(Hurt))
    players, gm = told.facts("players", "hurt")[0], told.facts("gm", "hurt")[0]

    assert ({"armour", "boxes"} & players.keys(), {"armour", "boxes"} <= gm.keys()) == (set(), True)
    assert ("terms" in players, "terms" in gm) == (True, False)
    told = docks().play(SHOT, where=lambda told: told.has(Hurt))
    players, gm = told.facts("players", "hurt")[0], told.facts("gm", "hurt")[0]
    assert {"armour", "boxes"} <= players.keys() & gm.keys(), "the GM reads the players' sheets"
    assert ("terms" in players, "terms" in gm) == (False, True)


def test_A19_a_threats_level_is_not_told():
    told = docks().play(narrate("ana.mia", NewThreat("a patrol", "extra", 0)))
    players, gm = told.facts("players", "threat_came")[0], told.facts("gm", "threat_came")[0]

    assert ({"level", "sheet"} & players.keys(), "extra") == (set(), gm["level"])
    assert "a patrol" == players["name"]


def test_A19_a_breakdown_of_a_gms_gear_is_told_without_the_thing():
    table = docks()
    told = table.play(ALLOT, narrate("m.kane", Breakdown("m.kane", "radio")))

    assert ("radio", False) == (told.one(BrokeDown).thing, "thing" in told.facts("players", "broke_down")[0])
    told = docks().play(narrate("ana.mia", Breakdown("m.kane", "gun")))
    assert "gun" == told.facts("players", "broke_down")[0]["thing"]


# --- Hidden characters ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "orders",
    [
        (narrate("m.lurker"),),
        (SHOT, Riposte(S, "m.lurker", "gun"), narrate("m.lurker", Move(1))),
        (ALLOT, ATTACK, Interpose(S, "m.lurker")),
        (ALLOT, ATTACK, Intervene(S, "m.lurker", "ana.mia", "It rains.")),
        (ALLOT, SHOT, Risk(S, "m.lurker")),
        (ALLOT, narrate("m.lurker"), Interrupt(S, "m.lurker", front=True)),
        (ALLOT, narrate("m.kane", FirstAid("m.lurker", "stun"))),
        (ALLOT, narrate("m.kane", Breakdown("m.lurker", "gun"))),
        (narrate("m.kane", Attack("m.lurker", "gun")),),
        (narrate("m.kane", Trial(on="lift", opponent="m.lurker", against="lift")),),
    ],
)
def test_A19_a_hidden_character_is_known_once_it_narrates_reacts_or_is_acted_on(orders):
    table = docks()
    table.who("m.lurker").stun = 2
    told = table.play(*orders, where=lambda told: told.has(Revealed))

    assert "m.lurker" == told.one(Revealed).character
    assert not table.who("m.lurker").hidden
    reads = [fact for _, fact in told.reads("players")]
    first = next(i for i, fact in enumerate(reads) if "m.lurker" in str(fact))
    assert "revealed" == reads[first]["event"], "nothing names it before"


def test_A19_a_pass_of_a_hidden_character_is_not_told():
    table = docks()
    told = table.play(ATTACK, SHOT)

    assert table.who("m.lurker").hidden
    assert not any("lurker" in str(fact) for _, fact in told.reads("players"))
    assert ["m.kane", "m.lurker", "ana.mia", "ben.rook"] == told.facts("gm", "turn_began")[0]["whole"]
    assert ["m.kane", "ana.mia", "ben.rook"] == told.facts("players", "turn_began")[0]["order"]


def test_A19_a_reaction_that_does_not_fire_reveals_nobody():
    table = docks()
    table.play(ATTACK, Interpose(S, "m.lurker"), Risk(S, "m.lurker"))

    assert table.who("m.lurker").hidden


@pytest.mark.parametrize(
    "order",
    [
        lambda name: narrate("ana.mia", Attack(name, "pistol")),
        lambda name: narrate("ana.mia", Trial(on="lift", opponent=name, against="lift")),
        lambda name: narrate("ana.mia", Breakdown(name, "gun")),
        lambda name: narrate("ana.mia", FirstAid(name, "stun")),
        lambda name: narrate("ana.mia", Move(1), Move(2, go=name)),
        lambda name: Narrate(S, name),
        lambda name: Riposte(S, "ana.mia", "pistol", by=name),
        lambda name: Interpose(S, "ana.mia", who=name),
        lambda name: Interpose(S, "ana.mia", by=name),
        lambda name: Risk(S, "ana.mia", who=name),
        lambda name: Risk(S, "ana.mia", by=name),
        lambda name: Interrupt(S, "ana.mia", by=name),
        lambda name: Intervene(S, "ana.mia", name, "It rains."),
        lambda name: Luck(S, "ana.mia", by=(name,)),
    ],
)
def test_K7_an_order_on_a_hidden_character_is_refused_with_the_words_for_what_does_not_exist(order):
    table = docks()
    hidden, nothing = (table.check(order(name), "players") for name in ("m.lurker", "m.nobody"))

    assert "unknown_character" == hidden[0].code
    assert str(nothing).replace("m.nobody", "m.lurker") == str(hidden)
    assert "m.lurker" not in hidden[0].accepted


@pytest.mark.parametrize("order", [Narrate(S, "m.kane"), Riposte(S, "m.kane", "gun")])
def test_K7_the_other_camps_characters_are_not_ones_own(order):
    assert ("not_yours", "character") == docks().refusal(order, camp="players")


def test_K7_the_gm_does_not_play_the_players_characters():
    assert ("not_yours", "character") == docks().refusal(ATTACK, camp="gm")
    assert ("gm_only", "") == docks().refusal(Place(M, "ana.mia", "m.t"), camp="players")
    assert ("gm_only", "") == docks().refusal(Grant(S, "ana", "narration"), camp="players")


# --- Known NDs and odds -----------------------------------------------------------------------------------------------


def test_A19_once_rolled_against_with_a_pair_its_nd_for_that_pair_is_known_and_odds_use_it():
    table = docks(level=None, attributes={"agility": 4, "logic": 5, "strength": 1, "willpower": 2})
    dodged, resisted = ATTACK, narrate("ana.mia", Attack("m.kane", "knife"))
    assert (None, "nd") == (table.odds(dodged).success, table.odds(dodged).missing)
    table.play(dodged)

    assert {"dodge": 3} == see_scene(table.scene(), "players").characters["m.kane"].met_nds
    assert ("known", Term("nd", 3)) == (table.odds(dodged).basis, table.odds(dodged).terms[-1])
    assert (None, "nd") == (table.odds(resisted).success, table.odds(resisted).missing)


def test_A19_a_known_nd_is_as_it_was_then():
    quick = {"kind": "asset", "name": "quick", "dice": 6, "on": ["dodge"]}
    table = docks(level=None, traits=[quick])
    table.play(ATTACK)
    table.who("m.kane").broken = ["quick"]

    assert Term("nd", 4) == table.odds(ATTACK).terms[-1]
    assert 2 == table.play(ATTACK).one(Attacked).nd
    assert Term("nd", 2) == table.odds(ATTACK).terms[-1]


def test_A19_a_test_and_an_interposition_make_an_nd_known_too():
    trial = Trial(on="lift", opponent="m.kane", against="intimidation")
    table = docks()
    told = table.play(narrate("ana.mia", trial))
    assert {"intimidation": told.one(Tried).nd} == table.who("m.kane").met_nds
    assert "known" == table.odds(narrate("ana.mia", trial)).basis

    table = docks()
    table.play(ALLOT, ATTACK, Interpose(S, "m.lurker"), where=lambda told: told.has(Interposed))
    assert {"dodge": 4} == table.who("m.lurker").met_nds


def test_A19_the_gms_odds_need_no_experience():
    table = docks()

    assert "full" == table.odds(SHOT).basis
    assert "full" == table.odds(narrate("m.kane", Attack("m.lurker", "gun"))).basis


def test_A19_shown_odds_leave_reactions_out():
    table = docks()
    alone = table.view(SHOT, "gm")
    reactions = table.book((Interpose(S, "ben.rook"), Risk(S, "m.lurker"), Luck(S, "ana.mia")))
    beside = msgspec.structs.replace(alone, booked={S: reactions})

    assert RULEBOOK.odds(SHOT, alone) == RULEBOOK.odds(SHOT, beside)


def test_A19_players_read_every_narration_of_their_scenes():
    told = docks().play(Narrate(S, "m.kane", "You shall not pass."))

    assert "You shall not pass." == told.facts("players", "narrated")[0]["text"]
    assert "turn" == told.one(Narrated).cause
