"""Attacks: defence, damage, exploits, being out: A8 to A10."""

import pytest

from tests.rules.anarchy.table import S, Table, defence
from workers.kernel.odds import Term
from workers.rules.anarchy.events import Attacked, BrokeDown, Held, Hurt, OrderVoid, StepVoid
from workers.rules.anarchy.orders import Attack, Breakdown, FirstAid, Luck, Narrate, Place, Riposte, Risk, Trial


def face_off(**kane):
    """Mia of ana's at place 0, with Kane beside her."""
    table = Table()
    table.pc("ana.mia", physical=40)
    table.npc("kane", **{"level": "minion", **kane})
    return table


def attack(**fields):
    return Narrate(S, "ana.mia", steps=(Attack("m.kane", "pistol", **fields),))


def counter(**fields):
    return Narrate(S, "m.kane", steps=(Attack("ana.mia", "gun", **fields),))


def hit(told):
    return told.has(Hurt)


# --- A8 ---------------------------------------------------------------------------------------------------------------


def test_A8_an_attack_on_a_gms_character_is_rolled_against_its_levels_nd():
    assets = [{"kind": "asset", "name": "quick", "dice": 9, "on": ["dodge"]}]
    attacked = face_off(level="pro", traits=assets).play(attack()).one(Attacked)

    assert (3, None, "dodge") == (attacked.nd, attacked.defence, attacked.pair)
    assert attacked.roll.hits - 3 == attacked.margin


@pytest.mark.parametrize(("weapon", "pair", "nd"), [("pistol", "dodge", 3), ("knife", "resist", 1)])
def test_A8_without_a_level_against_the_nd_of_its_dodge_or_if_the_weapon_says_so_resist_pool(weapon, pair, nd):
    table = face_off(level=None, attributes={"agility": 4, "logic": 5, "strength": 1, "willpower": 2})
    attacked = table.play(Narrate(S, "ana.mia", steps=(Attack("m.kane", weapon),))).one(Attacked)

    assert (pair, nd, None) == (attacked.pair, attacked.nd, attacked.defence)


def test_A8_a_players_character_rolls_its_defence_whose_hits_stand_for_the_nd():
    attacked = face_off().play(counter()).one(Attacked)

    assert attacked.defence is not None
    assert (6, defence(attacked).hits) == (defence(attacked).pool, attacked.nd)
    assert attacked.roll.hits - defence(attacked).hits == attacked.margin
    assert f"{attacked.roll.path}.defence" == defence(attacked).path


def test_A8_the_attack_hits_with_as_many_hits_or_more():
    for hits in (1, 2):
        told = face_off().play(
            counter(), where=lambda told, hits=hits: (told.one(Attacked).roll.hits, told.one(Attacked).nd) == (hits, 2)
        )
        assert (hits == 2) == told.has(Hurt)


# --- A9: complications, paths -----------------------------------------------------------------------------------------


def test_A9_the_paths_of_an_attack_its_riposte_and_their_defences():
    table = face_off()
    table.pc("ben.rook")
    told = table.play(attack(), counter(), Riposte(S, "ana.mia", "pistol"))
    order, back = told.booked[0].id, told.booked[1].id
    paths = [roll.path for fact in told.of(Attacked) for roll in (fact.roll, fact.defence) if roll is not None]

    assert [
        f"narrations/{back}/attack",
        f"narrations/{back}/attack.defence",
        f"narrations/{back}/attack.riposte",
        f"narrations/{order}/attack",
    ] == paths


def test_A9_a_tests_path_has_the_label_test():
    told = face_off().play(Narrate(S, "ana.mia", steps=(Trial(on="lift", opponent="m.kane", against="lift"),)))

    assert told.facts("players", "tested")[0]["roll"]["path"] == f"narrations/{told.booked[0].id}/test"


def test_A9_each_complication_of_a_players_character_adds_1_to_the_reserve_when_the_tick_ends():
    table = face_off()
    cursed = [{"kind": "flaw", "name": "cursed", "complication": ["all"]}]
    table.pc("ben.rook", traits=cursed)
    told = table.play(
        Narrate(S, "ben.rook", steps=(Attack("m.kane", "pistol"),)),
        where=lambda told: told.one(Attacked).roll.complications == 1,
    )

    assert 1 + 1 == table.mission().reserve
    assert 2 == told.facts("gm", "reserve_settled")[0]["reserve"]


def test_A9_a_complication_of_the_gms_character_is_a_fact_alone():
    table = face_off(traits=[{"kind": "flaw", "name": "cursed", "complication": ["all"]}])
    told = table.play(
        counter(),
        where=lambda told: told.one(Attacked).roll.complications == 1 and not defence(told.one(Attacked)).complications,
    )

    assert 1 == table.mission().reserve
    assert 1 == told.facts("players", "attacked")[0]["roll"]["complications"]


def test_A9_several_glitch_dice_each_count():
    table = face_off()
    table.pc("ben.rook")
    told = table.play(
        attack(risk=True),
        Risk(S, "ben.rook", who="ana.mia"),
        where=lambda told: told.one(Attacked).roll.complications == 2,
    )

    assert (2, (1, 1)) == (told.one(Attacked).roll.glitch, told.one(Attacked).roll.dice[-2:])
    assert 1 + 2 + 2 == table.mission().reserve, "two points spent and two complications"


# --- A10: damage ------------------------------------------------------------------------------------------------------


def test_A10_damage_is_weapon_damage_and_margin_and_armour_takes_it_first():
    table = face_off(level="terror")
    told = table.play(attack(), where=lambda told: told.one(Attacked).margin == 1)
    hurt = told.one(Hurt)

    assert (Term("pistol", 4), Term("margin", 1)) == hurt.terms
    assert (5, 4, 1, "physical") == (hurt.damage, hurt.armour, hurt.boxes, hurt.track)
    kane = table.who("m.kane")
    assert (0, 1, 0) == (kane.armour, kane.physical, kane.stun)


def test_A10_a_stun_weapon_fills_the_stun_track():
    table = face_off(level="extra")
    hands = Narrate(S, "ana.mia", steps=(Attack("m.kane", "hands"),))
    table.play(hands, where=lambda told: told.has(Hurt) and told.one(Attacked).margin == 0)

    assert (0, 1) == (table.who("m.kane").physical, table.who("m.kane").stun)


def test_A10_what_a_track_cannot_hold_is_lost_and_a_full_track_takes_the_character_out():
    table = face_off(level="extra", physical=3)
    told = table.play(attack(), where=hit)

    assert told.one(Hurt).damage >= 4
    assert (3, True) == (told.one(Hurt).boxes, told.one(Hurt).out)
    assert told.one(Hurt).character == "m.kane"


def test_A10_who_is_out_stays_out_and_cannot_be_placed_until_a_mission_starts():
    table = Table({"s": 4, "t": 2})
    table.pc("ana.mia")
    table.npc("kane", level="extra", physical=1)
    table.npc("lee", level="extra")
    table.play(attack(), where=hit)
    table.play()

    assert table.who("m.kane").out
    assert ("out", "character") == table.refusal(Place("m", "m.kane", "m.t"))
    table.book((Place("m", "m.lee", "m.t"),))


def test_A10_who_is_out_is_not_in_the_scene_for_any_order():
    table = face_off(level="extra", physical=1)
    table.npc("lee", level="extra")
    table.pc("ben.rook")
    table.play(attack(), where=hit)

    assert ("target_out", "steps[0].target") == table.refusal(attack())
    assert ("target_out", "steps[0].who") == table.refusal(Narrate(S, "ben.rook", steps=(FirstAid("m.kane", "stun"),)))
    assert ("target_out", "steps[0].whose") == table.refusal(
        Narrate(S, "ben.rook", steps=(Breakdown("m.kane", "gun"),))
    )
    assert ("out", "character") == table.refusal(Narrate(S, "m.kane"))
    assert ("out", "character") == table.refusal(Riposte(S, "m.kane", "gun"))


def test_A10_a_narration_of_one_who_went_out_in_the_same_turn_is_void():
    table = face_off(level="extra", physical=1)
    table.npc("lee", level="extra")
    table.scene().since = -1  # so that this Turn starts at Mia's seat
    told = table.play(attack(), counter(), where=hit)

    assert ("out", told.booked[1].id) == (told.one(OrderVoid).reason, told.one(OrderVoid).order)


def test_A10_each_exploit_of_a_hit_is_one_more_damage():
    told = face_off().play(
        attack(risk=True), where=lambda told: told.has(Hurt) and told.one(Attacked).roll.exploits == 1
    )

    assert Term("exploits", 1) == told.one(Hurt).terms[-1]
    assert 4 + told.one(Attacked).margin + 1 == told.one(Hurt).damage


def test_A10_the_named_special_uses_one_exploit_and_disarm_breaks_down_the_first_working_weapon():
    table = face_off(level=None, armour=9)
    two = Narrate(S, "ana.mia", steps=(Attack("m.kane", "pistol", risk=True, special="disarm"),))
    told = table.play(two, where=lambda told: told.has(Hurt) and told.one(Attacked).roll.exploits == 1)

    assert 4 + told.one(Attacked).margin == told.one(Hurt).damage
    assert ("m.kane", "pistol", "disarm") == (
        told.one(BrokeDown).character,
        told.one(BrokeDown).thing,
        told.one(BrokeDown).cause,
    )
    assert ["pistol"] == table.who("m.kane").worn


def test_A10_disarm_skips_what_has_broken_down_in_this_scene_and_counts_as_that_things_breakdown():
    table = face_off(level=None, armour=9)
    table.who("m.kane").worn.append("pistol")
    told = table.play(
        attack(risk=True, special="disarm"), where=lambda told: told.has(Hurt) and told.one(Attacked).roll.exploits == 1
    )

    assert "knife" == told.one(BrokeDown).thing
    again = Narrate(S, "ana.mia", steps=(Breakdown("m.kane", "knife"),))
    assert ("worn", "steps[0].thing") == table.refusal(again)


def test_A10_other_specials_are_words_and_use_one_exploit_too():
    told = face_off().play(
        attack(risk=True, special="aim at the lamp"),
        where=lambda told: told.has(Hurt) and told.one(Attacked).roll.exploits == 1,
    )

    assert not told.has(BrokeDown)
    assert 4 + told.one(Attacked).margin == told.one(Hurt).damage
    assert "aim at the lamp" == told.facts("players", "attacked")[0]["special"]


def test_A10_an_exploit_of_an_attack_that_misses_allows_nothing():
    told = face_off(level="terror").play(
        attack(risk=True, special="disarm"),
        where=lambda told: told.one(Attacked).roll.exploits == 1 and told.one(Attacked).margin < 0,
    )

    assert not told.has(Hurt)
    assert not told.has(BrokeDown)


# --- A4: luck ---------------------------------------------------------------------------------------------------------


def test_A4_a_luck_point_is_spent_before_the_roll_hit_or_not():
    table = face_off()
    told = table.play(attack(luck=True), where=lambda told: not told.one(Attacked).roll.hits)

    assert told.one(Attacked).roll.luck
    assert 1 == table.who("ana.mia").luck
    assert 3 == table.scene().points["ana"], "luck costs no Anarchy point"


def test_A4_without_a_luck_point_luck_is_refused():
    table = face_off()
    table.who("ana.mia").luck = 0

    assert ("no_luck", "steps[0].luck") == table.refusal(attack(luck=True))
    assert ("no_luck", "") == table.refusal(Luck(S, "ana.mia"))


def test_A4_luck_on_defences_is_declared_ahead_up_to_n_rolls_one_point_each():
    table = face_off()
    table.npc("lee", level="minion")
    table.npc("zoe", level="minion")
    attackers = [Narrate(S, f"m.{name}", steps=(Attack("ana.mia", "gun"),)) for name in ("kane", "lee", "zoe")]
    table.who("ana.mia").luck = 3
    told = table.play(*attackers, Luck(S, "ana.mia", times=2))

    assert [True, True, False] == [defence(fact).luck for fact in told.of(Attacked)]
    assert 1 == table.who("ana.mia").luck
    assert not told.has(Held)


def test_A4_luck_on_defences_ends_with_the_luck_points():
    table = face_off()
    table.npc("lee", level="minion")
    table.who("ana.mia").luck = 1
    attackers = [Narrate(S, f"m.{name}", steps=(Attack("ana.mia", "gun"),)) for name in ("kane", "lee")]
    told = table.play(*attackers, Luck(S, "ana.mia", times=9))

    assert [True, False] == [defence(fact).luck for fact in told.of(Attacked)]
    assert 0 == table.who("ana.mia").luck
    assert ("luck", "no_luck") == (told.one(Held).effect, told.one(Held).reason), "what is left out is told (A13)"


def test_A4_luck_on_defences_may_be_kept_for_named_attackers():
    table = face_off()
    table.npc("lee", level="minion")
    attackers = [Narrate(S, f"m.{name}", steps=(Attack("ana.mia", "gun"),)) for name in ("kane", "lee")]
    told = table.play(*attackers, Luck(S, "ana.mia", times=2, by=("m.lee",)))

    assert [False, True] == [defence(fact).luck for fact in told.of(Attacked)]
    assert 1 == table.who("ana.mia").luck
    assert ("unknown_character", "by[0]") == table.refusal(Luck(S, "ana.mia", by=("m.nobody",)))


def test_A13_an_attack_that_has_become_impossible_is_void_alone_and_spends_nothing():
    table = face_off(level="extra", physical=1)
    table.npc("lee", level="extra")
    table.pc("ben.rook")
    late = Narrate(S, "ben.rook", steps=(Attack("m.kane", "pistol", luck=True, risk=True, well_disposed="bold"),))
    told = table.play(attack(), late, where=hit)

    assert ("target_out", "attack") == (told.one(StepVoid).reason, told.one(StepVoid).step_kind)
    assert (3, 2) == (table.scene().points["ben"], table.who("ben.rook").luck)
