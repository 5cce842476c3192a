"""Support and counter-mission: V22–V25."""

from typing import Any

import pytest

from tests.rules.veil.table import Table, Told
from workers.rules.veil.events import (
    CounterJudged,
    CounterRolled,
    MissionAssigned,
    MissionPlayed,
    OrderLost,
    OrderVoid,
    SupportRolled,
)
from workers.rules.veil.orders import Counter, Influence, Mission, Recovery, Support

GOOD: dict[str, Any] = {"body": 5, "stealth": 5, "speech": 5, "smooth_talk": 5}


def duel(mission_roll: int | None, *counters: int, supports: tuple[int, ...] = (), **mission: Any) -> Told:
    """Ariane's social mission in `north`, with these rolls of counters and supports. No roll: it isn't played."""
    table = Table()
    table.servant("ariane", **GOOD)
    name = table.mission("ariane", by_intel=True, **mission)
    if mission_roll is not None:
        table.order(Mission("ariane", name), mission_roll)
    for i, roll in enumerate(counters):
        table.servant(f"demon{i}", "demon", **GOOD)
        table.order(Counter(f"demon{i}", "ariane", name, 1), roll)
    for i, roll in enumerate(supports):
        table.servant(f"angel{i}", **GOOD)
        table.order(Support(f"angel{i}", "ariane", name, 1), roll)
    return table.resolve()


@pytest.mark.parametrize(
    ("roll", "supports", "quality", "influence"),
    [(243, (), 3, 15), (243, (331,), 4, 18), (243, (331, 336), 5, 21), (245, (331, 336), 6, 24), (243, (665,), 3, 15)],
)
def test_V22_each_support_that_succeeds_adds_1_to_the_quality_up_to_6(
    roll: int, supports: tuple[int, ...], quality: int, influence: int
) -> None:
    told = duel(roll, supports=supports)

    assert (quality, influence) == (told.one(MissionPlayed).quality, told.influence())


def test_V22_supports_do_nothing_for_a_mission_that_fails() -> None:
    told = duel(665, supports=(331, 331))

    assert (0, 0) == (told.one(MissionPlayed).quality, told.influence())


def test_V22_V29_of_three_supports_the_two_lowest_by_initiative_are_rolled_and_the_third_is_void() -> None:
    table = Table()
    table.servant("ariane")
    mission = table.mission("ariane")
    table.order(Mission("ariane", mission), 331)
    supports = []
    for name in ("bastien", "celeste", "denis"):
        table.servant(name)
        supports.append(table.order(Support(name, "ariane", mission)))

    told = table.resolve()

    ranked = sorted(supports, key=table.dice.initiative)
    assert set(ranked[:2]) == {event.order for event in told.all(SupportRolled)}
    assert (ranked[2], "two_supports") == (told.one(OrderVoid).order, told.one(OrderVoid).reason)


def test_V22_void_and_lost_supports_do_not_compete() -> None:
    table = Table()
    for name in ("ariane", "bastien", "celeste"):
        table.servant(name)
    table.servant("denis", wounds=3)
    table.servant("eloi", pp=0)
    mission = table.mission("ariane")
    table.order(Mission("ariane", mission))
    good = [table.order(Support(name, "ariane", mission)) for name in ("bastien", "celeste")]
    before_all = min(map(table.dice.initiative, good))
    void = [
        table.order(Support(name, "ariane", mission, pp), 331, lambda name: table.dice.initiative(name) < before_all)
        for name, pp in (("denis", 0), ("eloi", 1))
    ]

    told = table.resolve()

    assert set(good) == {event.order for event in told.all(SupportRolled)}
    assert {void[0]: "wounds", void[1]: "power_points"} == {event.order: event.reason for event in told.all(OrderVoid)}


def test_V22_supports_of_other_missions_of_the_same_servant_do_not_compete() -> None:
    """One names a mission that is gone (void), one a mission that isn't played (lost); both come before the good ones
    by initiative, and take no place from them."""
    table = Table()
    for name in ("ariane", "bastien", "celeste", "denis", "eloi"):
        table.servant(name)
    mission, idle = table.mission("ariane"), table.mission("ariane")
    table.order(Mission("ariane", mission))
    good = [table.order(Support(name, "ariane", mission)) for name in ("bastien", "celeste")]
    before_all = min(map(table.dice.initiative, good))
    gone, lost = (
        table.order(Support(name, "ariane", named), 331, lambda name: table.dice.initiative(name) < before_all)
        for name, named in (("denis", "never-there"), ("eloi", idle))
    )

    told = table.resolve()

    assert set(good) == {event.order for event in told.all(SupportRolled)}
    assert (gone, "mission_gone") == (told.one(OrderVoid).order, told.one(OrderVoid).reason)
    assert lost == told.one(OrderLost).order


def test_V22_one_servant_may_give_both_supports() -> None:
    table = Table()
    table.servant("ariane", **GOOD)
    table.servant("celeste", **GOOD)
    mission = table.mission("ariane")
    table.order(Mission("ariane", mission), 243)
    for _ in range(2):
        table.order(Support("celeste", "ariane", mission), 331)

    assert 5 == table.resolve().one(MissionPlayed).quality


def test_V22_supporting_a_mission_of_ones_own_is_refused() -> None:
    table = Table()
    table.servant("ariane")
    mission = table.mission("ariane")

    assert ("own_mission", "target") == table.refusal(Support("ariane", "ariane", mission))


def test_V22_supporting_an_enemy_is_refused_even_when_its_mission_is_detected() -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon")
    mission = table.mission("garance", by_intel=True)

    assert ("unknown_servant", "target") == table.refusal(Support("ariane", "garance", mission))


@pytest.mark.parametrize(
    ("quality", "counter", "outcome", "influence"),
    [(3, 3, "cancelled", 0), (3, 6, "cancelled", 0), (3, 2, "halved", 8), (1, 1, "cancelled", 0), (6, 5, "halved", 12)],
)
def test_V24_a_counter_of_at_least_the_quality_cancels_and_a_lower_one_halves(
    quality: int, counter: int, outcome: str, influence: int
) -> None:
    told = duel(240 + quality, 240 + counter)

    assert outcome == told.one(MissionPlayed).outcome == told.one(CounterJudged).outcome
    assert (influence, quality) == (told.influence(), told.one(CounterJudged).quality)


def test_V22_V24_the_raised_quality_is_the_one_that_a_counter_must_reach() -> None:
    assert "cancelled" == duel(243, 244).one(MissionPlayed).outcome
    assert "halved" == duel(243, 244, supports=(331, 331)).one(MissionPlayed).outcome


def test_V24_a_cancelled_mission_gains_nothing_is_exposed_as_on_a_failure_and_keeps_rating_and_wounds() -> None:
    told = duel(245, 246, approach="violent")
    played = told.one(MissionPlayed)

    assert (0, 2, 0, 0) == (told.influence(), played.exposure, played.rating, played.wounds)
    assert played.gain is not None
    assert (21, 0, "cancelled") == (played.gain.rounded, played.gain.points, played.gain.counter)
    assert [] == told.all(MissionAssigned, cause="chained")


def test_V24_V17_a_mission_cancelled_in_a_place_of_the_other_camp_is_exposed_by_3() -> None:
    """2 as on a failure, and 1 for the place."""
    table = Table()
    table.zones["north"].affinity = "demon"
    table.servant("ariane", **GOOD)
    table.servant("garance", "demon", **GOOD)
    mission = table.mission("ariane", by_intel=True)
    table.order(Mission("ariane", mission), 243)
    table.order(Counter("garance", "ariane", mission), 246)

    played = table.resolve().one(MissionPlayed)

    assert ("cancelled", 3) == (played.outcome, played.exposure)


def test_V24_a_halved_gain_is_rounded_twice_and_at_least_1_and_its_owner_sees_the_term() -> None:
    gain = duel(242, 241).one(MissionPlayed).gain
    assert gain is not None
    assert ("halved", 12, 6) == (gain.counter, gain.rounded, gain.points)
    small = duel(242, 241, base=1).one(MissionPlayed).gain
    assert small is not None
    assert (1, 1) == (small.rounded, small.points)


def test_V24_halved_is_a_success_for_rating_exposure_and_chain_and_cancelled_is_none() -> None:
    halved = duel(246, 241).one(MissionPlayed)
    cancelled = duel(246, 246).one(MissionPlayed)

    assert (1, 1, True) == (halved.rating, halved.exposure, halved.chains)
    assert (0, 2, False) == (cancelled.rating, cancelled.exposure, cancelled.chains)


def test_V24_of_several_counters_the_best_counts_once() -> None:
    assert (6, "halved") == (duel(242, 241, 241).influence(), duel(242, 241, 241).one(MissionPlayed).outcome)
    assert "cancelled" == duel(242, 241, 243, 665).one(MissionPlayed).outcome


def test_V24_a_mission_that_fails_by_itself_is_untouched_and_its_owner_reads_nothing_of_the_counter() -> None:
    told = duel(665, 246)
    alone = duel(665)

    assert "failure" == told.one(MissionPlayed).outcome
    assert (-1, 2) == (told.one(MissionPlayed).rating, told.one(MissionPlayed).exposure)
    assert alone.report("angel") == told.report("angel")


@pytest.mark.parametrize(("roll", "outcome"), [(111, "own_intervention"), (666, "enemy_intervention")])
def test_V24_a_mission_that_rolled_an_intervention_cannot_be_countered(roll: int, outcome: str) -> None:
    told = duel(roll, 246)

    assert outcome == told.one(MissionPlayed).outcome
    assert 25 == abs(told.influence())


@pytest.mark.parametrize(
    ("mission", "counter", "outcome", "quality"),
    [(243, 665, "success", 3), (665, 665, "failure", None), (665, 246, "failure", None), (243, 244, "cancelled", 3)],
)
def test_V24_the_countering_camp_reads_outcome_and_final_quality_whether_its_own_roll_succeeded_or_not(
    mission: int, counter: int, outcome: str, quality: int | None
) -> None:
    (fact,) = duel(mission, counter).report("demon", "counter_judged")

    assert (True, outcome, quality) == (fact["played"], fact["outcome"], fact["quality"])


def test_V24_the_owner_learns_that_it_was_sabotaged_and_not_by_whom() -> None:
    told = duel(243, 246)
    (fact,) = told.report("angel", "mission_played")

    assert "cancelled" == fact["outcome"]
    assert "demon0" not in str(told.report("angel"))


def test_V25_the_action_points_of_a_counter_or_support_are_lost_when_the_mission_is_not_played() -> None:
    told = duel(None, 246, supports=(331,))

    assert ["support", "counter"] == [event.kind for event in told.all(OrderLost)]
    assert [] == told.all(CounterRolled) + told.all(SupportRolled)
    assert [5, 5] == [told.servants[name].pp for name in ("demon0", "angel0")]


def test_V25_a_mission_whose_own_order_is_void_is_not_played() -> None:
    table = Table()
    table.servant("ariane", wounds=3)
    table.servant("celeste")
    mission = table.mission("ariane")
    table.order(Mission("ariane", mission))
    lost = table.order(Support("celeste", "ariane", mission))

    told = table.resolve()

    assert "wounds" == told.one(OrderVoid).reason
    assert lost == told.one(OrderLost).order


def test_V25_void_comes_before_lost_whatever_its_reason() -> None:
    table = Table()
    for name in ("ariane", "celeste", "denis"):
        table.servant(name)
    table.servant("bastien", pp=0)
    table.servant("eloi", wounds=3)
    table.servant("garance", "demon")
    sealed = table.mission("ariane", "south")
    table.zones["south"].sealed_through = 5
    idle = table.mission("garance")
    kept = table.mission("celeste")
    reasons = {
        table.order(Support("celeste", "ariane", sealed)): "sealed",
        table.order(Support("denis", "ariane", "never-there")): "mission_gone",
        table.order(Support("denis", "nobody", "never-there")): "mission_gone",
        table.order(Counter("ariane", "garance", idle)): "mission_unknown",
        table.order(Support("bastien", "celeste", kept, 1)): "power_points",
        table.order(Support("eloi", "celeste", kept)): "wounds",
    }

    told = table.resolve()

    assert reasons == {event.order: event.reason for event in told.all(OrderVoid)}
    assert [] == told.all(OrderLost)


def test_V22_V23_whose_mission_it_is_is_asked_again_when_the_order_is_carried_out() -> None:
    """Booked without intake's check, an enemy's support and an ally's counter find no mission of their kind."""
    table = Table()
    for name, camp in (("ariane", "angel"), ("celeste", "angel"), ("garance", "demon")):
        table.servant(name, camp)
    mission = table.mission("ariane", by_intel=True, exposed=True)
    table.order(Mission("ariane", mission), 121)
    reasons = {
        table.order(Support("garance", "ariane", mission, 1), 331): "mission_gone",
        table.order(Counter("celeste", "ariane", mission, 1), 116): "mission_unknown",
    }

    told = table.resolve()

    assert reasons == {event.order: event.reason for event in told.all(OrderVoid)}
    assert [] == told.all(SupportRolled) + told.all(CounterRolled) + told.all(CounterJudged)
    assert ("success", 1, 0) == tuple(
        getattr(told.one(MissionPlayed), name) for name in ("outcome", "quality", "supports")
    )
    assert [5, 5] == [told.servants[name].pp for name in ("garance", "celeste")]


def test_V25_a_bluff_costs_the_counter_its_action_points_and_no_power_points() -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon")
    mission = table.mission("ariane", by_intel=True)
    table.order(Influence("ariane", "south"))
    table.order(Counter("garance", "ariane", mission, 2))
    table.order(Recovery("garance"), 331)

    told = table.resolve()

    assert mission == told.one(OrderLost).mission
    assert mission == told.servants["ariane"].missions[0].id
    # 5, and 2 of the recovery: nothing was spent, and the other action point was free for it.
    assert 7 == told.servants["garance"].pp
