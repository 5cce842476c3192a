"""What a Narration is made of and what it buys: A13."""

import pytest

from tests.rules.anarchy.crowd import kane, lift, mia, rook, table_of_two
from tests.rules.anarchy.table import M, S, Table, defence
from workers.kernel.odds import Term
from workers.rules.anarchy.events import (
    Attacked,
    BrokeDown,
    EffectLeftOut,
    Healed,
    Mended,
    Moved,
    Narrated,
    OrderVoid,
    PointSpent,
    StepVoid,
    ThreatCame,
    Tried,
)
from workers.rules.anarchy.orders import (
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
    Riposte,
    Risk,
    Threat,
    Trial,
)
from workers.rules.anarchy.tables import EFFECTS

# --- The Narration ----------------------------------------------------------------------------------------------------


def test_A13_a_narration_has_at_most_one_attack_or_test():
    table = table_of_two()

    assert ("two_rolls", "steps[1]") == table.refusal(mia(Attack("m.kane", "pistol"), lift()))
    assert ("two_rolls", "steps[1]") == table.refusal(mia(Attack("m.kane", "pistol"), Attack("m.kane", "knife")))


@pytest.mark.parametrize(
    "steps",
    [
        (FirstAid("ben.rook", "stun"), FirstAid("m.kane", "stun")),
        (Breakdown("m.kane", "gun"), Breakdown("ben.rook", "lamp")),
        (NewThreat("a", "extra", 0), NewThreat("b", "extra", 0)),
        (Move(1), Move(2, go="m.kane"), Move(3, go="m.kane")),
    ],
)
def test_A13_an_effect_bought_twice_in_one_narration_is_refused(steps):
    assert "effect_twice" == table_of_two().refusal(mia(*steps))[0]


def test_A13_several_different_effects_can_be_bought_in_one_narration_each_for_exactly_1():
    table = table_of_two()
    table.who("ben.rook").stun = 1
    steps = (lift(well_disposed="bold", risk=True), FirstAid("ben.rook", "stun"))
    told = table.play(mia(*steps), where=lambda told: not told.one(Tried).roll.complications)

    assert ["well_disposed", "risk", "first_aid"] == [fact.cause for fact in told.of(PointSpent)]
    assert [2, 1, 0] == [fact.left for fact in told.of(PointSpent)]
    assert (0, 1 + 3) == (table.scene().points["ana"], table.mission().reserve)


def test_A13_the_effects_are_budgeted_at_intake_against_the_points_of_the_player():
    table = table_of_two()
    table.scene().points["ana"] = 2

    assert (2, 2) == table.costs(mia(lift(well_disposed="bold", risk=True)))["points:ana"]
    assert "points:ana" not in table.costs(mia(lift()))
    assert (-1, 0) == table.costs(Grant(S, "ana", "narration"))["points:ana"], "grants booked earlier count"
    assert not any(name.startswith("points") for name in table.costs(kane(Move(1), Move(2, go="ana.mia"))))


def test_A13_a_character_has_one_narration_a_turn():
    assert (1, 1) == table_of_two().costs(mia())["narration:ana.mia"]


def test_A13_what_no_longer_fits_the_players_points_when_turn_order_begins_voids_the_narration_K6():
    table = table_of_two()
    table.scene().points["ana"] = 1
    told = table.play(mia(lift(well_disposed="bold", risk=True)), unchecked=True)

    assert ("narrate", "over_budget") == (told.one(OrderVoid).order_kind, told.one(OrderVoid).reason)
    assert (1, []) == (table.scene().points["ana"], told.of(Narrated))


def test_A13_grants_count_when_turn_order_begins():
    table = table_of_two()
    table.scene().points["ana"] = 1
    order = mia(lift(well_disposed="bold", risk=True))
    told = table.play(Grant(S, "ana", "narration"), order, where=lambda told: not told.one(Tried).roll.complications)

    assert 2 == len(told.of(PointSpent))
    assert 0 == table.scene().points["ana"]


def test_K6_of_a_players_narrations_each_is_kept_in_ascending_initiative_that_still_fits():
    table = table_of_two()
    for name in ("ana.nix", "ana.oz"):
        table.pc(name)
    table.scene().points["ana"] = 2
    orders = [
        Narrate(S, name, steps=(lift(risk=True, well_disposed="bold" if name == "ana.nix" else ""),))
        for name in ("ana.mia", "ana.nix", "ana.oz")
    ]
    told = table.play(*orders, unchecked=True)
    void = {fact.order for fact in told.of(OrderVoid)}
    kept = {booked.order.character for booked in told.booked if booked.id not in void}
    expected, spent = set(), 0
    for booked in sorted(told.booked, key=lambda booked: told.result.context.dice.initiative(booked.id)):
        cost = 2 if booked.order.character == "ana.nix" else 1
        if spent + cost <= 2:
            expected.add(booked.order.character)
            spent += cost

    assert expected == kept
    assert {"over_budget"} == {fact.reason for fact in told.of(OrderVoid)}


def test_K6_a_second_narration_of_a_character_is_void():
    told = table_of_two().play(mia(), mia(), unchecked=True)

    assert ["second_narration"] == [fact.reason for fact in told.of(OrderVoid)]
    assert 1 == len(told.of(Narrated))


def test_A13_what_has_become_illegal_when_turn_order_begins_voids_the_narration_whole():
    table = table_of_two(place=3)
    told = table.play(mia(Move(1), Attack("m.kane", "knife")), unchecked=True)

    assert "out_of_range" == told.one(OrderVoid).reason
    assert not told.has(Moved)


def test_A13_later_a_step_that_has_become_impossible_is_void_alone():
    table = table_of_two(place=2)
    flight = kane(Move(3))
    told = table.play(flight, mia(Attack("m.kane", "pistol"), Move(1)))

    assert ("ana.mia", 0, "attack", "out_of_range") == (
        told.one(StepVoid).character,
        told.one(StepVoid).step,
        told.one(StepVoid).step_kind,
        told.one(StepVoid).reason,
    )
    assert ["m.kane", "ana.mia"] == [fact.character for fact in told.of(Moved)]


def test_A10_the_steps_that_are_left_to_one_who_goes_out_in_its_own_narration_are_void():
    table = table_of_two()
    table.who("ana.mia").physical = 39
    told = table.play(
        Allot(M, S, 1),
        mia(Attack("m.kane", "pistol"), FirstAid("ben.rook", "stun"), Move(1)),
        Riposte(S, "m.kane", "gun"),
        where=lambda told: told.scene().characters["ana.mia"].out,
    )

    assert [(1, "first_aid", "out"), (2, "move", "out")] == [
        (fact.step, fact.step_kind, fact.reason) for fact in told.of(StepVoid)
    ]
    assert 0 == table.who("ana.mia").place


def test_A13_an_effect_that_cannot_be_paid_is_left_out_of_its_step():
    table = table_of_two()
    told = table.play(kane(Trial(on="lift", opponent="ana.mia", against="lift", well_disposed="", risk=True)))

    assert ("risk", "points") == (told.one(EffectLeftOut).effect, told.one(EffectLeftOut).reason)
    assert 0 == told.one(Tried).roll.glitch


@pytest.mark.parametrize(
    ("steps", "kind"),
    [
        ((Move(1), Move(2, go="ana.mia")), "move"),
        ((Breakdown("ana.mia", "lamp"),), "breakdown"),
        ((FirstAid("ana.mia", "stun"),), "first_aid"),
        ((NewThreat("a patrol", "extra", 0),), "new_threat"),
    ],
)
def test_A13_a_second_move_a_breakdown_a_first_aid_and_a_new_threat_unpaid_are_void_whole(steps, kind):
    table = table_of_two()
    table.who("ana.mia").stun = 1
    told = table.play(kane(*steps))

    assert (kind, "points") == (told.one(StepVoid).step_kind, told.one(StepVoid).reason)
    assert not any(told.has(event) for event in (BrokeDown, Healed, ThreatCame, PointSpent))


def test_A13_luck_that_is_gone_later_is_left_out():
    table = table_of_two()
    table.who("ana.mia").luck = 1
    attack = kane(Attack("ana.mia", "gun"))
    told = table.play(attack, mia(Attack("m.kane", "pistol", luck=True)), Luck(S, "ana.mia"))

    assert [True, False] == [defence(told.of(Attacked)[0]).luck, told.of(Attacked)[1].roll.luck]
    assert ("luck", "no_luck") == (told.one(EffectLeftOut).effect, told.one(EffectLeftOut).reason)


def test_A13_luck_that_is_gone_when_turn_order_begins_voids_the_narration():
    table = table_of_two()
    table.who("ana.mia").luck = 0
    told = table.play(mia(Attack("m.kane", "pistol", luck=True)), unchecked=True)

    assert "no_luck" == told.one(OrderVoid).reason


@pytest.mark.parametrize("effect", EFFECTS)
def test_A13_the_group_settles_which_effects_are_allowed(effect):
    table = Table(effects=[other for other in EFFECTS if other != effect])
    table.pc("ana.mia")
    table.pc("ben.rook")
    table.npc("kane", level="extra")
    orders = {
        "well_disposed": mia(lift(well_disposed="bold")),
        "risk": mia(lift(risk=True)),
        "go": mia(Move(1), Move(2, go="m.kane")),
        "breakdown": mia(Breakdown("m.kane", "gun")),
        "first_aid": mia(FirstAid("ben.rook", "stun")),
        "new_threat": mia(NewThreat("a", "extra", 0)),
        "riposte": Riposte(S, "ana.mia", "pistol"),
        "interpose": Interpose(S, "ana.mia"),
        "interruption": Interrupt(S, "ana.mia"),
        "intervention": Intervene(S, "ana.mia", "ben.rook", "And then it rained."),
    }

    assert {effect: "effect_not_allowed"} == {
        name: table.refusal(order)[0] for name, order in orders.items() if table.refusal(order)[0]
    }


def test_A13_A15_the_gms_threat_without_a_character_is_allowed_or_not_as_the_effect_is():
    for effects, refused in (((), "effect_not_allowed"), (("new_threat",), "")):
        table = Table(effects=effects)
        table.pc("ana.mia")
        assert refused == table.refusal(Threat(S, "a patrol", "extra", 0))[0]


def test_A13_risk_as_a_standing_order_is_allowed_or_not_as_the_effect_is():
    table = Table(effects=[])
    table.pc("ana.mia")

    assert "effect_not_allowed" == table.refusal(Risk(S, "ana.mia"))[0]
    assert "" == table.refusal(Luck(S, "ana.mia"))[0], "luck is no effect of an Anarchy point"


# --- Well-disposed ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trait", "refused"),
    [("bold", ""), ("Hello.", ""), ("tall", ""), ("charm", ""), ("greedy", "trait_kind"), ("shy", "no_such_trait")],
)
def test_A13_well_disposed_names_a_behaviour_line_advantage_or_asset_that_the_character_has(trait, refused):
    assert refused == table_of_two().refusal(mia(lift(well_disposed=trait)))[0]


def test_A13_well_disposed_adds_3_dice_also_where_an_assets_normal_bonus_does_not_apply():
    table = table_of_two()
    told = table.play(mia(lift(well_disposed="charm")))

    assert Term("charm", 3) == told.one(Tried).terms[-1]
    assert 3 + 3 + 3 == told.one(Tried).roll.pool


def test_A13_well_disposed_does_not_apply_while_the_trait_is_broken():
    table = table_of_two()
    order = mia(lift(well_disposed="charm"))
    table.mission().reserve = 1
    told = table.play(Allot(M, S, 1), kane(Breakdown("ana.mia", "charm")), order)

    assert ("well_disposed", "trait_broken") == (told.one(EffectLeftOut).effect, told.one(EffectLeftOut).reason)
    assert 3 == table.scene().points["ana"]
    table.who("ana.mia").broken = ["charm"]
    assert "trait_broken" == table.refusal(order)[0]


# --- Breakdown --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("whose", "thing", "refused"),
    [
        ("ben.rook", "pistol", ""),
        ("ben.rook", "lamp", ""),
        ("ben.rook", "charm", ""),
        ("ana.mia", "lamp", ""),
        ("m.kane", "gun", ""),
        ("ben.rook", "bold", "unknown_thing"),
        ("ben.rook", "hands", "hands_never"),
        ("m.kane", "radio", "unknown_thing"),
        ("m.kane", "visor", "unknown_thing"),
        ("m.nobody", "gun", "unknown_character"),
    ],
)
def test_A13_weapons_gear_and_assets_can_break_down_and_a_gms_gear_is_known_to_the_gm_alone(whose, thing, refused):
    table = table_of_two(gear=["radio"], traits=[{"kind": "asset", "name": "visor"}])

    assert refused == table.refusal(mia(Breakdown(whose, thing)))[0]
    if thing in ("radio", "visor"):
        assert "" == table.refusal(kane(Breakdown(whose, thing)))[0]


def test_A13_a_broken_weapon_cannot_attack_until_the_end_of_its_owners_next_narration():
    table = table_of_two()
    orders = mia(Breakdown("m.kane", "gun")), kane(Attack("ana.mia", "gun"))
    table.scene().since = -1
    told = table.play(*orders)

    assert ("weapon_broken", ["m.kane"]) == (
        told.one(StepVoid).reason,
        [fact.character for fact in told.of(Mended)],
    )
    assert [] == table.who("m.kane").broken
    assert ["gun"] == table.who("m.kane").worn


def test_A13_what_breaks_down_during_a_narration_of_its_owner_waits_for_the_next():
    table = table_of_two()
    told = table.play(mia(Breakdown("ana.mia", "lamp")))

    assert not told.has(Mended)
    assert ["lamp"] == table.who("ana.mia").broken
    assert "ana.mia" == table.play().one(Mended).character, "a pass mends too"
    assert [] == table.who("ana.mia").broken


def test_A13_who_has_narrated_ahead_does_not_pass_at_its_seat():
    table = table_of_two()
    told = table.play(kane(), rook(), mia(Breakdown("ben.rook", "lamp")), Interrupt(S, "ben.rook", by="m.kane"))

    assert ["m.kane", "ben.rook", "ana.mia"] == [fact.character for fact in told.of(Narrated)]
    assert ["lamp"] == table.who("ben.rook").broken


def test_A10_who_is_out_does_not_pass():
    table = table_of_two()
    table.who("ben.rook").broken = ["lamp"]
    table.who("ben.rook").out = True

    assert not table.play().has(Mended)
    assert ["lamp"] == table.who("ben.rook").broken


def test_A13_a_pass_that_began_before_the_breakdown_does_not_mend_it():
    table = table_of_two()
    told = table.play(mia(Breakdown("m.kane", "gun")))

    assert not told.has(Mended)
    assert "weapon_broken" == table.refusal(kane(Attack("ana.mia", "gun")))[0]
    assert "m.kane" == table.play(kane()).one(Mended).character


def test_A13_a_thing_breaks_down_at_most_once_a_scene():
    table = table_of_two()
    table.play(mia(Breakdown("m.kane", "gun")))
    table.play()

    assert [] == table.who("m.kane").broken
    assert ("worn", "steps[0].thing") == table.refusal(rook(Breakdown("m.kane", "gun")))


def test_A13_what_still_is_broken_from_the_scene_before_cannot_break_down():
    table = table_of_two()
    table.who("m.kane").broken = ["gun"]

    assert ("worn", "steps[0].thing") == table.refusal(mia(Breakdown("m.kane", "gun")))
    told = table.play(mia(Breakdown("m.kane", "gun")), unchecked=True)
    assert "worn" == told.one(OrderVoid).reason


def test_A13_of_two_breakdowns_of_one_thing_the_second_is_void_alone_and_unpaid():
    table = table_of_two()
    told = table.play(mia(Breakdown("m.kane", "gun")), rook(Breakdown("m.kane", "gun")))

    assert ("ben.rook", "worn") == (told.one(StepVoid).character, told.one(StepVoid).reason)
    assert 3 == table.scene().points["ben"]


def test_A13_a_broken_asset_gives_neither_dice_nor_complication_die():
    table = Table()
    heavy = {"kind": "asset", "name": "crane", "dice": 2, "on": ["lift"], "complication": ["lift"]}
    table.pc("ana.mia", traits=[heavy])
    table.pc("ben.rook")
    table.npc("kane", level="extra")
    before = table.play(mia(lift())).one(Tried).roll
    table.scene().since = table.tick - 1 - 2  # the Turn starts at Rook's seat
    told = table.play(rook(Breakdown("ana.mia", "crane")), mia(lift()))

    assert (8, 1) == (before.pool, before.complication)
    assert (6, 0) == (told.one(Tried).roll.pool, told.one(Tried).roll.complication)


# --- Go! --------------------------------------------------------------------------------------------------------------


def test_A13_go_buys_a_second_move_to_close_in_on_or_get_away_from_an_adversary():
    table = table_of_two(place=3)
    told = table.play(mia(Move(1), Move(2, go="m.kane"), Attack("m.kane", "pistol")))

    assert ["go"] == [fact.cause for fact in told.of(PointSpent)]
    assert [(1, ""), (2, "m.kane")] == [(fact.place, fact.go) for fact in told.of(Moved)]
    assert 2 == table.who("ana.mia").place


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ((Move(1), Move(2)), "go_needed"),
        ((Move(1, go="m.kane"),), "go_not_needed"),
        ((Move(1), Move(2, go="ana.mia")), "oneself"),
        ((Move(1), Move(2, go="m.nobody")), "unknown_character"),
        ((Move(1), Move(2, go="m.kane"), Move(1)), "too_many_moves"),
        ((Move(1), Move(3, go="m.kane")), "not_adjacent"),
    ],
)
def test_A13_one_move_without_go_and_two_with_it(steps, code):
    assert code == table_of_two().refusal(mia(*steps))[0]


def test_A13_a_second_move_from_an_adversary_who_went_out_is_void():
    table = table_of_two(physical=1)
    table.npc("lee", level="extra")
    told = table.play(
        mia(Attack("m.kane", "pistol")),
        rook(Move(1), Move(2, go="m.kane")),
        where=lambda told: told.has(StepVoid),
    )

    assert ("move", "target_out") == (told.one(StepVoid).step_kind, told.one(StepVoid).reason)
    assert (1, 3) == (table.who("ben.rook").place, table.scene().points["ben"])


# --- First aid --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heals", ["armour", "physical", "stun"])
def test_A13_first_aid_heals_one_point_of_armour_physical_or_stun_of_another(heals):
    table = Table()
    table.pc("ana.mia")
    table.pc("ben.rook", armour=3)
    hurt = table.who("ben.rook")
    hurt.armour, hurt.physical, hurt.stun = 1, 2, 2
    told = table.play(mia(FirstAid("ben.rook", heals)))
    rook_now = table.who("ben.rook")

    assert ("ben.rook", "ana.mia", heals) == (told.one(Healed).character, told.one(Healed).by, told.one(Healed).heals)
    expected = {"armour": (2, 2, 2), "physical": (1, 1, 2), "stun": (1, 2, 1)}[heals]
    assert expected == (rook_now.armour, rook_now.physical, rook_now.stun)


def test_A13_first_aid_on_oneself_is_refused():
    table = table_of_two()
    table.who("ana.mia").stun = 1

    assert ("oneself", "steps[0].who") == table.refusal(mia(FirstAid("ana.mia", "stun")))


@pytest.mark.parametrize("heals", ["armour", "physical", "stun"])
def test_A13_first_aid_is_void_and_unpaid_with_nothing_to_heal(heals):
    table = Table()
    table.pc("ana.mia")
    table.pc("ben.rook", armour=3)
    told = table.play(mia(FirstAid("ben.rook", heals)))

    assert "nothing_to_heal" == told.one(StepVoid).reason
    assert 3 == table.scene().points["ana"]
