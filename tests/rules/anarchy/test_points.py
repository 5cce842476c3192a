"""Anarchy points: starts, limits, grants, the reserve and its allotments: A11, A12, A15, A16."""

import pytest

from tests.rules.anarchy.table import M, S, Table
from workers.rules.anarchy.events import Allotted, Granted, OrderVoid, PointSpent, StepVoid, ThreatCame, TurnBegan
from workers.rules.anarchy.events_aftermath import Arrived
from workers.rules.anarchy.events_mission import AllotmentMade, ReserveSettled
from workers.rules.anarchy.orders import (
    Allot,
    Attack,
    Grant,
    Interrupt,
    Move,
    Narrate,
    NewThreat,
    Place,
    Riposte,
    Start,
    Threat,
    Trial,
)
from workers.rules.anarchy.tables import PLAYER_START, RESERVE_START


def table_of_two():
    table = Table({"s": 4, "t": 2})
    table.pc("ana.mia", physical=40)
    table.pc("ben.rook", physical=40)
    table.npc("kane", level="extra", physical=40)
    table.npc("lee", scene="t", level="extra", physical=40)
    return table


GO = Narrate(S, "m.kane", "", (Move(1), Move(2, go="ana.mia")))


# --- A11 --------------------------------------------------------------------------------------------------------------


def test_A11_a_player_starts_with_3_and_the_gm_with_1():
    table = table_of_two()

    assert {"ana": 3, "ben": 3} == table.scene().points
    assert 1 == table.mission().reserve
    assert (3, 1) == (PLAYER_START, RESERVE_START)


def test_A11_each_point_that_a_player_spends_goes_to_the_reserve_which_has_no_limit():
    table = table_of_two()
    table.mission().reserve = 1000
    told = table.play(Narrate(S, "ana.mia", "", (Move(1), Move(2, go="m.kane"))))

    assert (2, 1001) == (table.scene().points["ana"], table.mission().reserve)
    assert 1001 == told.one(ReserveSettled).reserve


def test_A11_a_player_never_holds_more_than_6():
    table = table_of_two()
    table.play(*(Grant(S, "ana", "narration") for _ in range(3)))
    assert 6 == table.scene().points["ana"]

    told = table.play(Grant(S, "ana", "ruling"), unchecked=True)
    assert 6 == table.scene().points["ana"]
    assert ("grant", "at_most") == (told.one(OrderVoid).order_kind, told.one(OrderVoid).reason)


def test_K6_of_grants_that_no_longer_fit_those_of_lower_initiative_are_kept():
    table = table_of_two()
    table.scene().points["ana"] = 5
    told = table.play(*(Grant(S, "ana", ground) for ground in ("narration", "ruling", "narration")), unchecked=True)
    first, *rest = sorted(told.booked, key=lambda booked: told.result.context.dice.initiative(booked.id))

    assert first.order.ground == told.one(Granted).ground
    assert {booked.id for booked in rest} == {fact.order for fact in told.of(OrderVoid)}


# --- A12 --------------------------------------------------------------------------------------------------------------


def test_A12_a_grant_at_6_is_refused_with_that_reason_grants_booked_earlier_counted():
    table = table_of_two()
    table.scene().points["ana"] = 5
    grant = Grant(S, "ana", "narration")

    assert ("", "") == table.refusal(grant)
    assert ("at_most", "player") == table.refusal(grant, booked=table.book((grant,)))
    assert {"granted:ana": (1, 1), "points:ana": (-1, 0)} == table.costs(grant)
    table.scene().points["ana"] = 6
    assert ("at_most", "player") == table.refusal(grant)


def test_A12_any_number_of_grants_a_turn_each_of_one_point_and_none_from_the_reserve():
    table = table_of_two()
    told = table.play(Grant(S, "ana", "narration"), Grant(S, "ben", "ruling"), Grant(S, "ana", "ruling"))

    assert sorted([("ana", 4), ("ana", 5), ("ben", 4)]) == sorted(
        (fact.player, fact.points) for fact in told.of(Granted)
    )
    assert 1 == table.mission().reserve


@pytest.mark.parametrize(
    ("ground", "trait", "refused"),
    [
        ("narration", "", ""),
        ("ruling", "", ""),
        ("narration", "bold", "ground_without_trait"),
        ("ruling", "Hello.", "ground_without_trait"),
        ("line", "Hello.", ""),
        ("line", "bold", "ground_trait"),
        ("line", "", "ground_trait"),
        ("choice", "bold", ""),
        ("choice", "Hello.", ""),
        ("choice", "greedy", ""),
        ("choice", "charm", "ground_trait"),
        ("choice", "tall", "ground_trait"),
        ("asset", "charm", ""),
        ("asset", "shy", "ground_trait"),
    ],
)
def test_A12_a_grant_names_its_ground_and_the_line_behaviour_flaw_or_asset(ground, trait, refused):
    assert refused == table_of_two().refusal(Grant(S, "ana", ground, trait))[0]


def test_A12_the_trait_is_one_of_the_players_own_characters_in_the_scene():
    table = Table()
    table.pc("ana.mia")
    table.pc("ana.nix", traits=[{"kind": "line", "name": "Mine."}])
    table.pc("ben.rook", traits=[{"kind": "line", "name": "His."}])

    assert ("ground_trait", "trait") == table.refusal(Grant(S, "ana", "line", "His."))
    assert ("", "") == table.refusal(Grant(S, "ana", "line", "Mine."))
    table.who("ana.nix").out = True
    assert ("ground_trait", "trait") == table.refusal(Grant(S, "ana", "line", "Mine."))


def test_A12_grants_to_others_do_not_count():
    table = table_of_two()
    table.scene().points["ana"] = 5

    assert ("", "") == table.refusal(Grant(S, "ana", "ruling"), booked=table.book((Grant(S, "ben", "ruling"),)))


def test_A12_grants_are_the_gms_and_for_players_of_the_scene():
    table = table_of_two()

    assert ("gm_only", "") == table.refusal(Grant(S, "ana", "narration"), camp="players")
    assert ("unknown_player", "player") == table.refusal(Grant("m.t", "ana", "narration"))
    assert ("unknown_player", "player") == table.refusal(Grant(S, "nobody", "narration"))


def test_A12_a_point_granted_can_be_spent_in_the_same_turn():
    table = table_of_two()
    table.scene().points["ana"] = 0
    table.play(Grant(S, "ana", "narration"), Narrate(S, "ana.mia", "", (Move(1), Move(2, go="m.kane"))))

    assert (2, 0) == (table.who("ana.mia").place, table.scene().points["ana"])


# --- A15, A16: the GM's points ----------------------------------------------------------------------------------------


def test_A15_the_gms_characters_buy_effects_too_and_a_point_so_spent_leaves_the_game():
    table = table_of_two()
    told = table.play(Allot(M, S, 1), GO)

    assert ("gm", "go", 0) == (told.one(PointSpent).payer, told.one(PointSpent).cause, told.one(PointSpent).left)
    assert 0 == table.mission().reserve
    assert {"ana": 3, "ben": 3} == table.scene().points


def test_A16_without_an_allotment_a_scene_has_none():
    table = table_of_two()
    table.mission().reserve = 9
    told = table.play(GO)

    assert "points" == told.one(StepVoid).reason
    assert 9 == table.mission().reserve


def test_A16_a_scene_spends_only_its_allotment_and_leftovers_return():
    table = table_of_two()
    table.mission().reserve = 5
    told = table.play(Allot(M, S, 3), Allot(M, "m.t", 1), GO)

    assert [("m.s", 3), ("m.t", 1)] == sorted((fact.scene, fact.points) for fact in told.of(Allotted))
    assert 4 == table.mission().reserve
    assert (0, 0) == (table.scene().allotment, table.scene("m.t").allotment)


def test_A16_one_allotment_a_scene_and_a_sum_above_the_reserve_is_refused_at_intake():
    table = table_of_two()
    table.mission().reserve = 3

    assert {"allotted:m.s": (1, 1), "reserve": (3, 3)} == table.costs(Allot(M, S, 3))
    assert ("above_reserve", "points") == table.refusal(Allot(M, S, 4))
    assert ("unknown_scene", "scene") == table.refusal(Allot(M, "m.nowhere", 1))
    assert ("gm_only", "") == table.refusal(Allot(M, S, 1), camp="players")


def test_A16_an_allotment_that_no_longer_fits_the_reserve_is_void_at_its_phase_K6():
    table = table_of_two()
    table.mission().reserve = 3
    told = table.play(Allot(M, S, 2), Allot(M, "m.t", 2), unchecked=True)
    first, second = sorted(told.booked, key=lambda booked: told.result.context.dice.initiative(booked.id))

    assert first.order.scene == told.one(AllotmentMade).scene
    assert (second.id, "above_reserve") == (told.one(OrderVoid).order, told.one(OrderVoid).reason)
    assert 3 == table.mission().reserve


def test_A16_a_second_allotment_of_a_scene_is_void():
    table = table_of_two()
    table.mission().reserve = 3
    told = table.play(Allot(M, S, 1), Allot(M, S, 1), unchecked=True)

    assert "allotted_twice" == told.one(OrderVoid).reason


def test_A16_the_gms_effects_are_budgeted_when_they_fall_due_in_turn():
    table = table_of_two()
    told = table.play(
        Allot(M, S, 1),
        Narrate(S, "ana.mia", "", (Attack("m.kane", "pistol"),)),
        Riposte(S, "m.kane", "gun"),
        Narrate(S, "m.kane", "", (Trial(on="lift", opponent="ana.mia", against="lift", risk=True),)),
    )

    assert ["risk"] == [fact.cause for fact in told.of(PointSpent)], "the Narration came first"


def test_A16_a_player_spends_in_the_scene_where_its_points_live_and_they_travel_with_it():
    table = table_of_two()
    table.scene().points["ana"] = 2
    told = table.play(Place(M, "ana.mia", "m.t", 1))

    assert ("ana.mia", "m.t", 1) == (told.one(Arrived).character, told.one(Arrived).scene, told.one(Arrived).place)
    assert ({"ben": 3}, {"ana": 2}) == (table.scene().points, table.scene("m.t").points)
    assert "m.t" == table.mission().players["ana"].scene


# --- A15: the GM's threat ---------------------------------------------------------------------------------------------


def test_A15_the_gm_may_order_a_threat_without_a_character_paid_in_the_turn_order_phase():
    table = table_of_two()
    told = table.play(Allot(M, S, 1), Threat(S, "a patrol", "extra", 3))
    spent, came = told.one(PointSpent), told.one(ThreatCame)

    assert ("gm", "new_threat", "", 0) == (spent.payer, spent.cause, spent.character, spent.left)
    assert (3, "a patrol") == (table.who(came.character).place, came.name)
    steps = {step.phase: [b"threat_came" in line for line in step.events] for step in told.result.steps}
    assert any(steps["turn order"])
    assert 0 == table.mission().reserve


def test_A15_a_threat_that_cannot_be_paid_is_void():
    table = table_of_two()
    told = table.play(Threat(S, "a patrol", "extra", 3))

    assert ("threat", "points") == (told.one(OrderVoid).order_kind, told.one(OrderVoid).reason)
    assert not told.has(ThreatCame)


def test_A16_interruptions_are_paid_in_turn_order_then_the_gms_threat():
    table = table_of_two()
    interrupt = Narrate(S, "m.kane"), Interrupt(S, "m.kane", front=True)
    told = table.play(Allot(M, S, 1), *interrupt, Threat(S, "a patrol", "extra", 3))

    assert ["interruption"] == [fact.cause for fact in told.of(PointSpent)]
    assert "points" == told.one(OrderVoid).reason
    assert ("m.kane",) == told.one(TurnBegan).front


def test_K6_of_threats_that_the_allotment_does_not_pay_that_of_lower_initiative_is_kept():
    table = Table()
    table.pc("ana.mia")
    table.npc("kane", level="extra")
    table.of_scene(threats=5)
    told = table.play(Allot(M, S, 1), *(Threat(S, name, "extra", 0) for name in ("one", "two", "three")))
    first, *rest = sorted(told.booked[1:], key=lambda booked: told.result.context.dice.initiative(booked.id))

    assert first.order.name == told.one(ThreatCame).name
    assert {booked.id for booked in rest} == {fact.order for fact in told.of(OrderVoid)}


def test_A15_of_two_threats_that_the_allotment_pays_the_scene_has_one():
    table = table_of_two()
    table.mission().reserve = 2
    told = table.play(Allot(M, S, 2), *(Threat(S, name, "extra", 0) for name in ("one", "two")), unchecked=True)

    assert "no_more_threats" == told.one(OrderVoid).reason
    assert (1, 1) == (len(told.of(ThreatCame)), table.mission().reserve), "the second isn't paid"


def test_A15_a_threat_counts_in_the_one_that_a_scene_may_have():
    table = table_of_two()
    table.mission().reserve = 5
    told = table.play(
        Allot(M, S, 5), Threat(S, "a patrol", "extra", 3), Narrate(S, "ana.mia", "", (NewThreat("b", "extra", 0),))
    )

    assert "no_more_threats" == told.one(StepVoid).reason
    assert ("no_more_threats", "") == table.refusal(Threat(S, "c", "extra", 0))


@pytest.mark.parametrize(
    ("order", "refused"),
    [
        (Threat(S, "a", "minion", 0), "threat_level"),
        (Threat(S, "a", "extra", 4), "no_such_place"),
        (Threat(S, "", "extra", 0), "no_name"),
    ],
)
def test_A15_the_gms_threat_keeps_the_limits_of_a_new_threat(order, refused):
    table = table_of_two()

    assert refused == table.refusal(order)[0]
    assert "gm_only" == table.refusal(order, camp="players")[0]


def test_A15_each_camp_sees_its_own_threats_counted_at_intake():
    table = table_of_two()

    assert (1, 1) == table.costs(Threat(S, "a", "extra", 0))["threats:gm"]
    assert (1, 1) == table.costs(Narrate(S, "ana.mia", "", (NewThreat("b", "extra", 0),)))["threats:players"]


def test_A18_a_start_swallows_what_was_spent_and_left():
    table = table_of_two()
    table.mission().reserve = 7
    table.play(Allot(M, S, 5), GO, Narrate(S, "ana.mia", "", (Move(1), Move(2, go="m.kane"))), Start(M))

    assert 1 == table.mission().reserve
    assert [3, 3] == [table.mission().players[name].points for name in ("ana", "ben")]
