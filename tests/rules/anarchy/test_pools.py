"""Sheets, pools, difficulty levels and the throw: A1 to A7 and A9."""

from fractions import Fraction
from itertools import product

import pytest

from tests.rules.anarchy.table import S, Table, seed
from workers.kernel.dice import Dice
from workers.kernel.odds import Term
from workers.rules.anarchy import chances
from workers.rules.anarchy.entities import Attributes, Sheet, Skill, Trait
from workers.rules.anarchy.events import Attacked, Moved, StepVoid, Tried
from workers.rules.anarchy.orders import Attack, Move, Narrate, Trial
from workers.rules.anarchy.pools import (
    Roll,
    base_terms,
    complication_dice,
    defence_nd,
    nd_of_pool,
    pool_of,
    terms_of,
    throw,
)
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import CharacterSpec, hands, sheet_of
from workers.rules.anarchy.tables import PAIRS, degree_of

DISTINCT = Sheet(
    "a sheet whose numbers tell themselves apart",
    attributes=Attributes(strength=1, agility=2, willpower=4, logic=8, charisma=16),
    skills={"firearms": Skill("agility", 3)},
)


def with_traits(*traits: Trait) -> Sheet:
    return Sheet("traits", None, DISTINCT.attributes, DISTINCT.skills, traits)


def values(terms: tuple[Term, ...]) -> dict[str, int]:
    return {term.name: term.value for term in terms}


# --- A1: traits, places -----------------------------------------------------------------------------------------------


def test_A1_an_asset_gives_dice_to_the_skills_and_pairs_that_it_names_and_a_flaw_takes_some():
    sheet = with_traits(
        Trait("asset", "eyes", 2, ("firearms", "perception")), Trait("flaw", "shaky", -1, ("firearms",))
    )

    assert {"firearms": 3, "agility": 2, "eyes": 2, "shaky": -1} == values(terms_of(sheet, (), "firearms"))
    assert {"logic": 8, "willpower": 4, "eyes": 2} == values(terms_of(sheet, (), "perception"))
    assert {"agility": 2, "logic": 8} == values(terms_of(sheet, (), "dodge"))


def test_A1_any_trait_may_impose_a_complication_die_on_named_rolls_or_on_all():
    sheet = with_traits(
        Trait("flaw", "cursed", complication=("all",)), Trait("advantage", "loud", complication=("firearms",))
    )

    assert 2 == complication_dice(sheet, (), "firearms")
    assert 1 == complication_dice(sheet, (), "dodge")


def test_A1_a_track_has_8_boxes_unless_the_sheet_says_otherwise():
    plain, frail = (sheet_of(CharacterSpec("x", physical=boxes), Settings()) for boxes in (None, 6))

    assert [(8, 8), (6, 8)] == [(sheet.physical, sheet.stun) for sheet in (plain, frail)]
    few = sheet_of(CharacterSpec("x"), Settings(track_boxes=5))
    assert (5, 5) == (few.physical, few.stun)


def test_A1_a_move_is_one_place_within_the_row():
    table = Table({"s": 3})
    table.pc("ana.mia", place=1)

    assert "" == table.refusal(Narrate(S, "ana.mia", steps=(Move(2),)))[0]
    assert ("not_adjacent", "steps[0].to") == table.refusal(Narrate(S, "ana.mia", steps=(Move(1),)))
    assert 2 == table.play(Narrate(S, "ana.mia", steps=(Move(2),))).one(Moved).place
    assert 2 == table.who("ana.mia").place
    assert ("not_adjacent", "steps[0].to") == table.refusal(Narrate(S, "ana.mia", steps=(Move(3),)))
    assert ("not_adjacent", "steps[0].to") == table.refusal(Narrate(S, "ana.mia", steps=(Move(0),)))


@pytest.mark.parametrize(("place", "refused"), [(0, "out_of_range"), (1, ""), (3, ""), (5, ""), (6, "out_of_range")])
def test_A1_in_range_is_a_difference_of_places_of_at_most_the_range(place, refused):
    table = Table({"s": 8})
    table.pc("ana.mia", place=3)
    table.npc("kane", level="minion", place=place)

    assert refused == table.refusal(Narrate(S, "ana.mia", steps=(Attack("m.kane", "pistol"),)))[0]


# --- A2, A3 -----------------------------------------------------------------------------------------------------------


def test_A2_a_pool_is_skill_attribute_assets_and_modifiers_and_each_term_is_told_with_its_name():
    table = Table()
    asset = {"kind": "asset", "name": "tools", "dice": 2, "on": ["firearms"]}
    flaw = {"kind": "flaw", "name": "shaky", "dice": -1, "on": ["firearms"]}
    table.pc("ana.mia", traits=[asset, flaw])
    table.of_scene(challenges=[{"name": "the tin", "on": "firearms", "difficulty": "hard", "modifier": -2}])
    told = table.play(Narrate(S, "ana.mia", steps=(Trial("the tin"),)))

    assert {"firearms": 3, "agility": 3, "tools": 2, "shaky": -1, "the tin": -2} == values(told.one(Tried).terms)
    assert 5 == told.one(Tried).roll.pool
    assert 5 == len(told.one(Tried).roll.dice)


def test_A2_the_sum_is_bounded_below_by_0_and_glitch_and_complication_dice_come_on_top():
    table = Table()
    cursed = {"kind": "flaw", "name": "cursed", "dice": -9, "on": ["lift"], "complication": ["lift"]}
    table.pc("ana.mia", traits=[cursed])
    table.of_scene(challenges=[{"name": "the safe", "on": "lift", "difficulty": "hard"}])
    roll = table.play(Narrate(S, "ana.mia", steps=(Trial("the safe", risk=True),))).one(Tried).roll

    assert (0, 1, 1, 2) == (roll.pool, roll.glitch, roll.complication, len(roll.dice))


@pytest.mark.parametrize(
    ("pair", "attributes"),
    [
        ("catch", ("agility", "agility")),
        ("dodge", ("agility", "logic")),
        ("resist", ("strength", "willpower")),
        ("intentions", ("charisma", "charisma")),
        ("perception", ("logic", "willpower")),
        ("torture", ("strength", "willpower")),
        ("intimidation", ("charisma", "willpower")),
        ("recall", ("logic", "logic")),
        ("lift", ("strength", "strength")),
    ],
)
def test_A3_each_pair_is_two_attributes_and_no_skill(pair, attributes):
    assert attributes == tuple(term.name for term in base_terms(DISTINCT, pair))
    assert sum(DISTINCT.attributes.of(name) for name in attributes) == pool_of(base_terms(DISTINCT, pair))
    assert 9 == len(PAIRS)


# --- A4, A9: the throw ------------------------------------------------------------------------------------------------


def test_A4_a_die_is_a_hit_on_5_or_6_and_with_luck_on_4():
    for number in range(200):
        plain = throw(Dice(seed(number)), "narrations/x/test", 6, 0, 0, False)
        lucky = throw(Dice(seed(number)), "narrations/x/test", 6, 0, 0, True)
        assert plain.dice == lucky.dice
        assert sum(face in (5, 6) for face in plain.dice) == plain.hits
        assert sum(face in (4, 5, 6) for face in lucky.dice) == lucky.hits


def test_A9_the_stream_has_pool_then_glitch_then_complication_dice():
    for number in range(200):
        dice = Dice(seed(number))
        roll = throw(dice, "narrations/x/attack", 3, 2, 2, False)
        pool, glitch, worse = roll.dice[:3], roll.dice[3:5], roll.dice[5:]

        assert dice.d6("narrations/x/attack", 7) == roll.dice
        assert sum(face >= 5 for face in (*pool, *glitch)) == roll.hits
        assert sum(face >= 5 for face in glitch) == roll.exploits
        assert glitch.count(1) + worse.count(1) == roll.complications


def test_A9_with_luck_a_glitch_die_of_4_hits_but_is_no_exploit():
    fours = [
        roll
        for roll in (throw(Dice(seed(n)), "narrations/x/attack", 0, 1, 0, True) for n in range(100))
        if roll.dice == (4,)
    ]

    assert fours
    assert {(1, 0, 0)} == {(roll.hits, roll.exploits, roll.complications) for roll in fours}


def test_A9_a_roll_of_no_dice_has_no_hits():
    assert Roll("narrations/x/test", 0, (), 0) == throw(Dice(seed(0)), "narrations/x/test", 0, 0, 0, False)


def test_A9_the_distribution_of_hits_exploits_and_complications_is_that_of_all_dice():
    for pool, luck, glitch, complication in ((2, False, 1, 1), (1, True, 2, 0), (3, False, 0, 1), (0, True, 1, 1)):
        count = pool + glitch + complication
        found: dict[tuple[int, int, int], int] = {}
        for faces in product(range(1, 7), repeat=count):
            told_apart, worse = faces[pool : pool + glitch], faces[pool + glitch :]
            hits = sum(face >= (4 if luck else 5) for face in faces[: pool + glitch])
            key = hits, sum(face >= 5 for face in told_apart), told_apart.count(1) + worse.count(1)
            found[key] = found.get(key, 0) + 1

        exact = {key: Fraction(n, 6**count) for key, n in found.items()}
        assert exact == dict(chances.joint(pool, luck, glitch, complication))


# --- A5, A6, A7 -------------------------------------------------------------------------------------------------------


def test_A5_an_nd_is_a_third_of_the_pool_rounded_to_nearest_and_may_be_0():
    assert [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4] == [nd_of_pool(pool) for pool in range(13)]


@pytest.mark.parametrize(("difficulty", "nd"), [("trivial", 1), ("easy", 2), ("hard", 3), ("very_hard", 4)])
def test_A5_a_challenge_has_the_nd_of_its_difficulty_and_says_what_is_rolled(difficulty, nd):
    table = Table()
    table.pc("ana.mia")
    table.of_scene(challenges=[{"name": "the lock", "on": "recall", "difficulty": difficulty}])
    tested = table.play(Narrate(S, "ana.mia", steps=(Trial("the lock"),))).one(Tried)

    assert nd == tested.nd
    assert ("recall", "the lock", "") == (tested.on, tested.challenge, tested.opponent)
    assert tested.roll.hits - nd == tested.margin


def test_A5_an_opposed_test_is_rolled_against_the_nd_of_the_opposing_pool_even_a_players():
    table = Table()
    table.pc("ana.mia")
    table.pc("ben.rook", attributes={"agility": 6, "logic": 5})
    told = table.play(Narrate(S, "ana.mia", steps=(Trial(on="firearms", opponent="ben.rook", against="dodge"),)))

    assert 4 == told.one(Tried).nd
    assert {"agility": 6, "logic": 5} == values(told.one(Tried).nd_terms)
    assert not told.has(Attacked)


def test_A5_a_broken_asset_is_not_in_the_opposing_pool():
    table = Table()
    table.pc("ana.mia")
    table.pc("ben.rook", traits=[{"kind": "asset", "name": "crane", "dice": 3, "on": ["lift"]}])
    order = Narrate(S, "ana.mia", steps=(Trial(on="lift", opponent="ben.rook", against="lift"),))
    assert 3 == table.play(order).one(Tried).nd

    table.who("ben.rook").broken = ["crane"]
    assert Term("nd", 2) == table.odds(order).terms[-1]
    table.scene().since = table.tick - 2  # Mia's seat comes before the pass that mends
    told = table.play(order)
    assert (2, ("strength", "strength")) == (told.one(Tried).nd, tuple(term.name for term in told.one(Tried).nd_terms))


def test_A5_equal_hits_are_enough():
    table = Table()
    table.pc("ana.mia")
    table.of_scene(challenges=[{"name": "the lock", "on": "recall", "difficulty": "easy"}])
    told = table.play(
        Narrate(S, "ana.mia", steps=(Trial("the lock"),)), where=lambda told: told.one(Tried).roll.hits == 2
    )

    assert (0, "bare_success") == (told.one(Tried).margin, told.one(Tried).outcome)


@pytest.mark.parametrize(
    ("trial", "code"),
    [
        (Trial(), "challenge_or_opponent"),
        (Trial("the lock", opponent="m.kane", on="lift", against="lift"), "challenge_or_opponent"),
        (Trial("the lock", on="firearms"), "challenge_says"),
        (Trial("nothing"), "unknown_challenge"),
        (Trial("the engine"), "skill_lacking"),
        (Trial(on="piloting", opponent="m.kane", against="lift"), "skill_lacking"),
        (Trial(on="", opponent="m.kane", against="lift"), "skill_lacking"),
        (Trial(on="lift", opponent="m.kane"), "pair_needed"),
        (Trial(on="lift", opponent="ana.mia", against="lift"), "oneself"),
        (Trial(on="lift", opponent="m.nobody", against="lift"), "unknown_character"),
        (Trial("the lock"), ""),
        (Trial(on="lift", opponent="m.kane", against="lift"), ""),
    ],
)
def test_A5_a_test_names_a_challenge_of_its_scene_or_an_opponent_with_a_pair(trial, code):
    table = Table()
    table.pc("ana.mia")
    table.npc("kane", level="minion")
    table.of_scene(
        challenges=[
            {"name": "the lock", "on": "recall", "difficulty": "easy"},
            {"name": "the engine", "on": "mechanics", "difficulty": "easy"},
        ]
    )

    assert code == table.refusal(Narrate(S, "ana.mia", steps=(trial,)))[0]


def test_A5_a_skill_that_the_sheet_lacks_is_no_refusal_for_a_level():
    table = Table()
    table.npc("kane", level="pro")
    table.pc("ana.mia")
    table.of_scene(challenges=[{"name": "the engine", "on": "mechanics", "difficulty": "easy"}])
    told = table.play(Narrate(S, "m.kane", steps=(Trial("the engine"),)))

    assert {"level": 10} == values(told.one(Tried).terms)


def test_A5_a_test_whose_opponent_went_out_meanwhile_is_void_alone():
    table = Table()
    table.pc("ana.mia", place=1)
    table.pc("ben.rook")
    table.npc("kane", level="extra", physical=1, place=1)
    table.npc("lee", level="extra", place=3)
    orders = (
        Narrate(S, "ana.mia", steps=(Attack("m.kane", "pistol"),)),
        Narrate(S, "ben.rook", steps=(Trial(on="lift", opponent="m.kane", against="lift"), Move(1))),
    )
    told = table.play(*orders, where=lambda told: told.scene().characters["m.kane"].out)

    assert ("ben.rook", 0, "target_out") == void_step(told)
    assert "ben.rook" == told.one(Moved).character


def void_step(told):
    fact = told.one(StepVoid)
    return fact.character, fact.step, fact.reason


@pytest.mark.parametrize(
    ("level", "dice", "nd", "armour", "damage"),
    [
        ("extra", 4, 1, 0, 3),
        ("minion", 6, 2, 1, 3),
        ("antagonist", 8, 3, 2, 4),
        ("pro", 10, 3, 3, 5),
        ("terror", 12, 4, 4, 6),
    ],
)
def test_A6_a_level_has_its_dice_nd_armour_and_one_gun_and_no_luck(level, dice, nd, armour, damage):
    sheet = sheet_of(CharacterSpec("kane", level=level), Settings())
    (gun,) = sheet.weapons

    assert dice == pool_of(base_terms(sheet, "anything")) == pool_of(base_terms(sheet, "dodge"))
    assert nd == defence_nd(sheet, base_terms(sheet, "dodge"))
    assert (armour, 0) == (sheet.armour, sheet.luck)
    assert ("gun", damage, "physical", 3, "dodge") == (gun.name, gun.damage, gun.track, gun.range, gun.defence)


def test_A6_armour_and_damage_by_level_are_settings():
    settings = Table(armour={"pro": 7}, damage={"pro": 9}, gun_range=1).settings
    sheet = sheet_of(CharacterSpec("kane", level="pro"), settings)

    assert (7, 9, 1) == (sheet.armour, sheet.weapons[0].damage, sheet.weapons[0].range)


def test_A6_traits_come_on_top_of_a_levels_dice():
    asset, flaw = Trait("asset", "visor", 2, ("perception",)), Trait("flaw", "deaf", -3, ("perception",))
    sheet = sheet_of(CharacterSpec("kane", level="minion", traits=(asset, flaw)), Settings())

    assert {"level": 6, "visor": 2, "deaf": -3} == values(terms_of(sheet, (), "perception"))


def test_A7_the_degrees_of_margins():
    degrees = ["critical_failure", "critical_failure", "failure", "failure", "bare_failure", "bare_success", "success"]
    degrees += ["success", "success", "critical_success", "critical_success"]

    assert degrees == [degree_of(margin) for margin in range(-5, 6)]


def test_A7_a_test_changes_no_state_by_itself():
    table = Table()
    table.pc("ana.mia")
    table.npc("kane", level="minion")
    before = dict(table.homes)
    told = table.play(
        Narrate(S, "ana.mia", steps=(Trial(on="lift", opponent="m.kane", against="lift"),)),
        where=lambda told: told.one(Tried).margin >= 0,
    )
    table.who("m.kane").met_nds.clear()

    assert "players" == told.one(Tried).camp
    assert before == table.homes


# --- A13: bare hands --------------------------------------------------------------------------------------------------


def test_A13_bare_hands_roll_brawl_or_strength_and_agility_for_1_stun_at_range_0():
    brawler = Sheet("x", attributes=DISTINCT.attributes, skills={"brawl": Skill("strength", 5)})
    weapon = hands(Settings())

    assert {"brawl": 5, "strength": 1} == values(base_terms(brawler, weapon.skill))
    assert {"strength": 1, "agility": 2} == values(base_terms(DISTINCT, weapon.skill))
    assert (1, "stun", 0, "dodge") == (weapon.damage, weapon.track, weapon.range, weapon.defence)


def test_A13_everybody_has_bare_hands():
    table = Table()
    table.pc("ana.mia", weapons=[])
    table.npc("kane", level="minion")
    told = table.play(Narrate(S, "ana.mia", steps=(Attack("m.kane", "hands"),)))

    assert ("hands", {"strength": 3, "agility": 3}) == (told.one(Attacked).weapon, values(told.one(Attacked).terms))
