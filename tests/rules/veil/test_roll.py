"""The roll: V3, V8 and V10–V15."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.rules.veil.table import SEED, TICK, Table
from workers.kernel.dice import Dice
from workers.kernel.ids import tick_seed
from workers.kernel.odds import nearest
from workers.rules.veil.events import (
    CounterJudged,
    CounterRolled,
    InfluencePlayed,
    IntelRolled,
    Intervention,
    MissionPlayed,
    RecoveryRolled,
    SupportRolled,
    VeilTorn,
)
from workers.rules.veil.odds import outcome_counts, successes
from workers.rules.veil.orders import Counter, Influence, Intel, Mission, Recovery, Support
from workers.rules.veil.roll import read_roll
from workers.rules.veil.tables import ACTION_POINTS, APPROACHES, CAMPS, KINDS, THRESHOLDS

ROLLS = [100 * a + 10 * b + c for a, b, c in product(range(1, 7), repeat=3)]


def terms(event: Any) -> dict[str, int]:
    return {term.name: term.value for term in event.roll.terms}


def test_V8_costs_difficulties_and_pairs_are_those_of_the_source() -> None:
    assert {
        "mission": (2, -2, ("", "")),
        "influence": (1, 0, ("speech", "smooth_talk")),
        "intel": (1, 0, ("mind", "investigation")),
        "support": (1, -1, ("", "")),
        "counter": (2, -3, ("body", "stealth")),
        "recovery": (1, 2, ("soul", "")),
    } == {kind.name: (kind.ap, kind.difficulty, kind.pair) for kind in KINDS}


def test_V10_the_six_approaches_and_their_pairs() -> None:
    assert [
        ("violent", ("body", "violence")),
        ("stealthy", ("body", "stealth")),
        ("social", ("speech", "smooth_talk")),
        ("occult", ("soul", "occult")),
        ("technical", ("mind", "machines")),
        ("slow_infiltration", ("mind", "investigation")),
    ] == list(APPROACHES.items())


@pytest.mark.parametrize("approach", APPROACHES)
def test_V10_a_mission_and_its_support_roll_the_pair_of_the_approach(approach: Any) -> None:
    table = Table()
    characteristic, talent = APPROACHES[approach]
    stats: dict[str, Any] = {characteristic: 4, talent: 3}
    for name in ("ariane", "celeste"):
        table.servant(name, **stats)
    mission = table.mission("ariane", approach=approach)
    table.order(Mission("ariane", mission), 331)
    table.order(Support("celeste", "ariane", mission), 331)

    told = table.resolve()

    assert {characteristic: 4, talent: 3, "difficulty": -2} == terms(told.one(MissionPlayed))
    assert {characteristic: 4, talent: 3, "difficulty": -1} == terms(told.one(SupportRolled))


def test_V8_the_other_orders_roll_their_own_pairs() -> None:
    table = Table()
    table.servant("ariane", speech=3, smooth_talk=2, mind=4, investigation=5, soul=1, occult=5)
    table.servant("celeste", body=5, stealth=2)
    table.servant("garance", "demon")
    mission = table.mission("garance", by_intel=True)
    table.order(Influence("ariane", "north"))
    table.order(Intel("ariane", "north"))
    table.order(Recovery("ariane"))
    table.order(Counter("celeste", "garance", mission))
    table.order(Mission("garance", mission))

    told = table.resolve()

    assert {"speech": 3, "smooth_talk": 2, "difficulty": 0} == terms(told.one(InfluencePlayed))
    assert {"mind": 4, "investigation": 5, "difficulty": 0} == terms(told.one(IntelRolled))
    assert {"soul": 1, "difficulty": 2} == terms(told.one(RecoveryRolled))
    assert {"body": 5, "stealth": 2, "difficulty": -3} == terms(told.one(CounterRolled))


def test_V3_a_servant_has_3_action_points() -> None:
    assert 3 == ACTION_POINTS


def test_V11_three_dice_are_read_as_hundreds_tens_and_units() -> None:
    table = Table()
    table.servant("ariane")
    order = table.order(Influence("ariane", "north"), 241)

    roll = table.resolve().one(InfluencePlayed).roll

    assert (2, 4, 1) == roll.dice
    assert Dice(tick_seed(SEED, TICK)).d6(f"influence/{order}/roll", 3) == roll.dice


@pytest.mark.parametrize(
    ("fields", "pp", "expected"),
    [
        ({}, 0, {}),
        ({}, 2, {"power_points": 2}),
        ({"wounds": 1}, 0, {"wounded": -1}),
        ({"wounds": 2}, 1, {"power_points": 1, "wounded": -1}),
        ({"rating": -2}, 0, {}),
        ({"rating": -3}, 0, {"disgrace": -1}),
        ({"rating": 2}, 0, {}),
        ({"rating": 3}, 0, {"promotion": 1}),
        ({"superior": "georges", "succeeded": ("influence",)}, 0, {"routine": 1}),
        ({"superior": "georges", "succeeded": ("intel",)}, 0, {}),
        ({"superior": "michel", "succeeded": ("influence",)}, 0, {}),
    ],
)
def test_V12_the_modifiers_of_a_score(fields: dict[str, Any], pp: int, expected: dict[str, int]) -> None:
    table = Table()
    table.servant("ariane", **fields)
    table.order(Influence("ariane", "north", pp))

    played = table.resolve().one(InfluencePlayed)

    assert {"speech": 2, "smooth_talk": 1, "difficulty": 0, **expected} == terms(played)
    assert 3 + sum(expected.values()) == played.roll.score
    assert pp == 5 - table.resolve().servants["ariane"].pp


def test_V12_the_score_is_clamped_once_after_every_term() -> None:
    table = Table()
    table.servant("ariane", speech=5, smooth_talk=5)
    table.servant("celeste", speech=5, smooth_talk=5, wounds=1, rating=-3)
    for name in ("ariane", "celeste"):
        table.order(Influence(name, "north", 2))

    told = table.resolve()

    assert [12, 10] == [
        sum(term.value for term in told.one(InfluencePlayed, servant=name).roll.terms) for name in told.servants
    ]
    assert [10, 10] == [told.one(InfluencePlayed, servant=name).roll.score for name in told.servants]


def test_V12_a_score_below_0_counts_as_0() -> None:
    table = Table()
    table.servant("ariane", body=0, stealth=0, wounds=2, rating=-5)
    table.servant("garance", "demon")
    mission = table.mission("garance", by_intel=True)
    table.order(Counter("ariane", "garance", mission))
    table.order(Mission("garance", mission))

    roll = table.resolve().one(CounterRolled).roll

    assert -5 == sum(term.value for term in roll.terms)
    assert (0, 166) == (roll.score, roll.threshold)


def test_V13_the_thresholds_and_their_successes_over_all_216_rolls() -> None:
    assert (166, 236, 316, 356, 426, 466, 536, 616, 636, 646, 656) == THRESHOLDS
    counted = [sum(roll <= threshold for roll in ROLLS) for threshold in THRESHOLDS]
    assert [36, 54, 78, 102, 120, 144, 162, 186, 198, 204, 210] == counted
    assert counted == [successes(score) for score in range(11)]
    assert [17, 25, 36, 47, 56, 67, 75, 86, 92, 94, 97] == [nearest(100 * count, 216) for count in counted]


@pytest.mark.parametrize("camp", CAMPS)
@pytest.mark.parametrize("score", range(11))
def test_V13_V14_V15_the_closed_form_of_K3_is_the_enumeration(score: int, camp: str) -> None:
    found = dict.fromkeys(outcome_counts(0), 0)
    for roll in ROLLS:
        outcome, quality = read_roll(roll, score, camp)
        found[f"quality_{quality}" if outcome == "success" else outcome] += 1

    assert outcome_counts(score) == found
    succeeded = 216 - found["failure"] - found["enemy_intervention"]
    assert Fraction(successes(score), 216) == Fraction(succeeded, 216)


@pytest.mark.parametrize("roll", ROLLS)
def test_V14_the_quality_of_a_success_is_the_units_digit(roll: int) -> None:
    for score, threshold in enumerate(THRESHOLDS):
        outcome, quality = read_roll(roll, score, "angel")
        if roll not in (111, 666):
            expected = ("success", roll % 10) if roll <= threshold else ("failure", 0)
            assert expected == (outcome, quality)


@pytest.mark.parametrize(("roll", "camp", "influence"), [(111, "angel", 25), (111, "demon", 25), (666, "angel", -25)])
def test_V15_an_intervention_moves_25_towards_its_power_and_replaces_the_influence(
    roll: int, camp: str, influence: int
) -> None:
    table = Table()
    table.servant("x", camp)
    table.order(Influence("x", "north"), roll)

    told = table.resolve()

    own = (roll == 111) == (camp == "angel")
    assert ("own_intervention" if own else "enemy_intervention") == told.one(InfluencePlayed).outcome
    assert influence == told.influence()
    assert told.one(InfluencePlayed).gain is None


@pytest.mark.parametrize(("roll", "camp"), [(111, "angel"), (666, "demon")])
def test_V15_an_own_intervention_is_a_success_of_quality_6_with_every_other_effect(roll: int, camp: str) -> None:
    table = Table()
    table.servant("x", camp)
    table.order(Mission("x", table.mission("x", "north")), roll)
    table.order(Intel("x", "south"), roll)

    told = table.resolve()
    played, intel = told.one(MissionPlayed), told.one(IntelRolled)

    assert (6, True, 1, 1) == (played.quality, played.chains, played.rating, played.exposure)
    assert (6, True) == (intel.roll.quality, intel.coverage)
    assert {"north", "south"} == {event.zone for event in told.all(Intervention)}
    assert 25 == abs(told.influence("north")) == abs(told.influence("south"))


def test_V15_an_enemy_intervention_is_a_failure_with_every_other_effect() -> None:
    table = Table()
    table.servant("ariane")
    table.order(Mission("ariane", table.mission("ariane", approach="violent")), 666)
    table.order(Intel("ariane", "south"), 666)

    told = table.resolve()
    played = told.one(MissionPlayed)

    assert (0, -1, 1, 2) == (played.quality, played.rating, played.wounds, played.exposure)
    assert not told.city.intel_of("angel", "south")


def test_V15_a_support_and_a_counter_act_in_the_zone_of_their_mission() -> None:
    table = Table()
    table.servant("ariane")
    table.servant("celeste")
    table.servant("garance", "demon")
    mission = table.mission("ariane", "north", by_intel=True)
    table.order(Mission("ariane", mission), 665)
    support = table.order(Support("celeste", "ariane", mission), 111)
    counter = table.order(Counter("garance", "ariane", mission), 111)

    told = table.resolve()

    assert (support, "own_intervention") == (told.one(SupportRolled).order, told.one(SupportRolled).outcome)
    assert (counter, "enemy_intervention") == (told.one(CounterRolled).order, told.one(CounterRolled).outcome)
    assert [("divine", "north")] * 2 == [(event.cause, event.zone) for event in told.all(Intervention)]
    assert 50 == told.influence("north")


def test_V15_an_own_intervention_of_a_counter_counts_as_quality_6() -> None:
    table = Table()
    table.servant("ariane", speech=5, smooth_talk=5)
    table.servant("garance", "demon")
    mission = table.mission("ariane", by_intel=True)
    table.order(Mission("ariane", mission), 116)
    table.order(Counter("garance", "ariane", mission), 666)

    told = table.resolve()

    assert "cancelled" == told.one(CounterJudged).outcome
    assert -25 == told.influence()


def test_V15_a_recovery_moves_no_zone_and_its_intervention_has_none() -> None:
    table = Table()
    table.servant("ariane", soul=4, wounds=1)
    table.order(Recovery("ariane"), 111)

    told = table.resolve()

    assert (4, 9, 0) == (
        told.one(RecoveryRolled).gained,
        told.one(RecoveryRolled).pp_now,
        told.one(RecoveryRolled).wounds,
    )
    assert None is told.one(Intervention).zone
    assert 1 == told.one(VeilTorn).interventions
    assert {0} == {zone.influence for zone in told.city.zones.values()}


def test_V15_an_intervention_is_public_by_power_and_zone_and_tells_neither_servant_nor_order() -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon")
    table.order(Influence("ariane", "north"), 111)

    told = table.resolve()

    expected = {"event": "intervention", "cause": "divine", "zone": "north"}
    assert [expected] == told.report("demon", "intervention") == told.report("angel", "intervention")
