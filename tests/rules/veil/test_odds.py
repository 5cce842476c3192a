"""Exact odds, computed on what a camp knows: K3 and V34."""

from fractions import Fraction
from typing import Any

import pytest

from tests.rules.veil.table import TICK, Table
from workers.kernel.odds import Odds
from workers.rules.veil import RULEBOOK
from workers.rules.veil.influence import verdict_on
from workers.rules.veil.odds import ROLLS, counter_counts
from workers.rules.veil.orders import AnyOrder, Counter, Influence, Intel, Mission, Recovery, Support
from workers.rules.veil.roll import read_roll

OUTCOMES = [*(f"quality_{quality}" for quality in range(1, 7)), "failure", "own_intervention", "enemy_intervention"]


def told(table: Table, order: AnyOrder, camp: str = "angel") -> Odds:
    return RULEBOOK.odds(order, table.view(order, camp))


def setting() -> tuple[Table, list[AnyOrder]]:
    """A servant, and one order of each kind that it may give."""
    table = Table()
    table.servant("ariane", superior="georges", succeeded=("intel",), rating=3, speech=4, mind=3)
    table.servant("celeste")
    table.servant("garance", "demon")
    own, allied = table.mission("ariane", "south"), table.mission("celeste", approach="occult")
    enemy = table.mission("garance", by_intel=True)
    table.intel("angel", "north", TICK)
    return table, [
        Mission("ariane", own, 1),
        Influence("ariane", "north"),
        Intel("ariane", "north"),
        Support("ariane", "celeste", allied),
        Counter("ariane", "garance", enemy),
        Recovery("ariane", 2),
    ]


@pytest.mark.parametrize("which", range(6))
def test_K3_V34_odds_are_those_of_the_orders_own_roll_and_sum_to_1(which: int) -> None:
    table, orders = setting()
    odds = told(table, orders[which])
    chances = {name: Fraction(chance) for name, chance in odds.outcomes.items()}

    assert OUTCOMES == list(chances)
    assert 1 == sum(chances.values())
    assert 1 - chances["failure"] - chances["enemy_intervention"] == Fraction(odds.success or "0")
    assert Fraction(1, 216) == chances["own_intervention"] == chances["enemy_intervention"]
    assert ("known" if isinstance(orders[which], Recovery) else "full", "") == (odds.basis, odds.missing)


@pytest.mark.parametrize("which", range(6))
def test_K3_the_terms_of_the_odds_are_those_of_the_roll(which: int) -> None:
    table, orders = setting()
    expected = told(table, orders[which])
    if which == 3:
        table.order(Mission("celeste", orders[3].mission))  # type: ignore[union-attr] # the fourth is the support
    if which == 4:
        table.order(Mission("garance", orders[4].mission))  # type: ignore[union-attr] # the fifth is the counter
    table.order(orders[which])

    rolls = [event.roll for event in table.resolve().events if hasattr(event, "roll") and event.servant == "ariane"]

    assert [expected.terms] == [roll.terms for roll in rolls]


def test_V34_the_gain_is_given_by_final_quality_whole_halved_and_cancelled() -> None:
    table = Table()
    table.servant("ariane")
    order = Mission("ariane", table.mission("ariane"))
    gains = {"quality_1": 9, "quality_2": 12, "quality_3": 15, "quality_4": 18, "quality_5": 21, "quality_6": 24}

    effects = told(table, order).effects

    assert {**gains, "failure": 0, "own_intervention": 25, "enemy_intervention": -25} == effects["influence"]
    assert [5, 6, 8, 9, 11, 12] == list(effects["influence_halved"].values())
    assert {0} == set(effects["influence_cancelled"].values())


def test_V34_a_failed_influence_still_gains_1_and_demons_gain_the_other_way() -> None:
    table = Table()
    table.zones["north"].affinity = "angel"
    table.servant("garance", "demon")

    effects = told(table, Influence("garance", "north"), "demon").effects

    assert ["influence"] == list(effects)
    assert [-2, -2, -3, -3, -4, -5, -1, -25, 25] == list(effects["influence"].values())


@pytest.mark.parametrize("score", range(11))
@pytest.mark.parametrize("final", range(1, 7))
def test_V24_K3_the_closed_form_of_a_counters_effects_is_the_enumeration(score: int, final: int) -> None:
    found = {"cancelled": 0, "halved": 0, "none": 0}
    for a in range(1, 7):
        for b in range(1, 7):
            for c in range(1, 7):
                _, quality = read_roll(100 * a + 10 * b + c, score, "demon")
                found[verdict_on(final, quality)] += 1

    assert found == counter_counts(score, final)


def test_V34_a_counters_cancel_and_halve_are_given_per_final_quality() -> None:
    table, orders = setting()
    odds = told(table, orders[4])
    score = max(0, sum(term.value for term in odds.terms))

    assert [counter_counts(score, final)["cancelled"] for final in range(1, 7)] == list(
        odds.effects["cancels_of_216"].values()
    )
    assert [counter_counts(score, final)["halved"] for final in range(1, 7)] == list(
        odds.effects["halves_of_216"].values()
    )
    assert ROLLS == 216


@pytest.mark.parametrize(("superior", "covers"), [("yves", [1, 1, 1, 1, 1, 1]), ("michel", [0, 0, 0, 1, 1, 1])])
def test_V26_V34_intels_coverage_by_quality(superior: str, covers: list[int]) -> None:
    table = Table()
    table.servant("ariane", superior=superior)

    effects = told(table, Intel("ariane", "north")).effects["coverage"]

    assert [*covers, 0, 1, 0] == list(effects.values())


@pytest.mark.parametrize(
    ("zone", "wounds", "basis"),
    [("north", 0, "known"), ("north", 2, "known"), ("south", 0, "full"), ("north", 3, "full")],
)
def test_K3_V29_a_recoverys_odds_are_on_what_is_known_while_a_mission_may_still_change_its_terms(
    zone: str, wounds: int, basis: str
) -> None:
    """South is sealed, and at three wounds no mission is played: then nothing comes before the recovery."""
    table = Table()
    table.servant("ariane", wounds=wounds)
    table.zones["south"].sealed_through = TICK
    assert "full" == told(table, Recovery("ariane")).basis

    table.mission("ariane", zone)

    assert basis == told(table, Recovery("ariane")).basis
    assert "full" == told(table, Influence("ariane", "north")).basis


def test_V30_V34_a_recoverys_power_points() -> None:
    table = Table()
    table.servant("ariane", soul=3)

    assert [3] * 6 + [2, 3, 2] == list(told(table, Recovery("ariane")).effects["power_points"].values())


@pytest.mark.parametrize(
    ("order", "missing"),
    [
        (Influence("nobody", "north"), "servant"),
        (Influence("garance", "north"), "servant"),
        (Influence("ariane", "atlantis"), "zone"),
        (Mission("ariane", "never-there"), "mission"),
        (Support("ariane", "celeste", "never-there"), "mission"),
        (Support("ariane", "garance", "m-garance-0"), "mission"),
        (Counter("ariane", "garance", "m-garance-1"), "mission"),
        (Counter("ariane", "nobody", "never-there"), "mission"),
    ],
)
def test_K3_a_term_that_the_camp_cannot_know_gives_unknown_with_that_term_named(order: Any, missing: str) -> None:
    table = Table()
    for name in ("ariane", "celeste"):
        table.servant(name)
    table.servant("garance", "demon")
    table.mission("garance", by_intel=True)
    table.mission("garance")

    odds = told(table, order)

    assert (None, {}, missing, "known") == (odds.success, odds.outcomes, odds.missing, odds.basis)
