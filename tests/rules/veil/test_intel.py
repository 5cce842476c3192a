"""Intel, coverage and detection: V2's exposure, V6, V23 and V26–V28."""

from typing import Any

import pytest

from tests.rules.veil.table import TICK, Table, Told, next_tick
from workers.rules.veil import RULEBOOK
from workers.rules.veil.events import (
    CounterJudged,
    IntelGot,
    IntelRolled,
    MissionAssigned,
    MissionForgotten,
    MissionPlayed,
    MissionSeen,
    OrderVoid,
    ZoneReport,
)
from workers.rules.veil.orders import Counter, Influence, Intel, Mission

MIND: dict[str, Any] = {"mind": 5, "investigation": 5}


def spied(roll: int, superior: str = "michel", **fields: Any) -> Told:
    """Ariane rolls intel on `north`, where Garance prepares a mission."""
    table = Table()
    table.servant("ariane", superior=superior, **MIND)
    table.servant("garance", "demon")
    table.mission("garance", "north", **fields)
    table.order(Intel("ariane", "north"), roll)
    return table.resolve()


def test_V6_intel_got_in_a_tick_is_fresh_through_two_more() -> None:
    told = spied(241)
    held = told.city.intel_of("angel", "north")

    assert held is not None
    assert TICK + 2 == held.through
    assert [True, False] == [held.fresh(TICK + 2), held.fresh(TICK + 3)]


@pytest.mark.parametrize(("through", "stale"), [(TICK, True), (TICK + 1, False), (TICK - 1, False)])
def test_V6_a_camp_reads_when_its_intel_goes_stale_and_its_coverage_ends_with_it(through: int, stale: bool) -> None:
    table = Table()
    table.servant("ariane")
    table.intel("angel", "north", through, coverage=True, covered=1)

    told = table.resolve()

    assert [{"event": "intel_stale", "camp": "angel", "zone": "north"}] * stale == told.report("angel", "intel_stale")
    assert [] == told.report("demon")
    assert stale != RULEBOOK.see_shared(told.city, "angel").zones["north"].coverage


def test_V6_intel_is_held_by_the_whole_camp_and_by_no_other() -> None:
    told = spied(241)

    assert None is told.city.intel_of("demon", "north")
    assert ["angel"] == [event.camp for event in told.all(ZoneReport)]
    assert None is told.one(ZoneReport).about("angel")


@pytest.mark.parametrize(("through", "alive"), [(TICK, True), (TICK - 1, False)])
def test_V6_a_new_success_renews_the_freshness_and_a_coverage_that_is_alive_goes_on(through: int, alive: bool) -> None:
    table = Table()
    table.servant("ariane", **MIND)
    table.intel("angel", "north", through, coverage=True, covered=1)
    table.order(Intel("ariane", "north"), 241)

    got = table.resolve().one(IntelGot)

    assert (TICK + 2, alive) == (got.through, got.coverage)


@pytest.mark.parametrize(
    ("superior", "roll", "coverage"),
    [("michel", 243, False), ("michel", 244, True), ("michel", 111, True), ("yves", 241, True), ("yves", 665, False)],
)
def test_V26_quality_4_sets_a_coverage_and_V7_any_success_of_a_servant_of_yves(
    superior: str, roll: int, coverage: bool
) -> None:
    told = spied(roll, superior)

    assert coverage == told.one(IntelRolled).coverage
    assert coverage == bool(told.all(MissionSeen, cause="revealed"))


def test_V26_a_coverage_reveals_id_zone_approach_and_servant() -> None:
    (fact,) = spied(244, approach="occult").report("angel", "mission_seen")

    assert {
        "event": "mission_seen",
        "camp": "angel",
        "cause": "revealed",
        "mission": "m-garance-0",
        "zone": "north",
        "approach": "occult",
        "servant": "garance",
    } == fact


@pytest.mark.parametrize(("flags", "told"), [({}, 1), ({"by_intel": True}, 0), ({"exposed": True}, 1)])
def test_V26_a_new_coverage_reveals_what_the_camps_intel_has_not_told_yet(flags: dict[str, Any], told: int) -> None:
    """What an exposed servant betrays is known for a tick only, so intel tells it still."""
    assert told == len(spied(244, **flags).all(MissionSeen, cause="revealed"))


def test_V26_only_missions_of_the_zone_and_of_the_enemy_are_revealed() -> None:
    table = Table()
    table.servant("ariane", **MIND)
    table.mission("ariane", "north")
    table.servant("garance", "demon")
    table.mission("garance", "south")
    table.order(Intel("ariane", "north"), 244)

    assert [] == table.resolve().all(MissionSeen, cause="revealed")


def test_V26_V28_missions_played_in_this_tick_are_revealed_before_they_are_played() -> None:
    table = Table()
    table.servant("ariane", **MIND)
    table.servant("garance", "demon")
    mission = table.mission("garance", "north")
    table.order(Intel("ariane", "north"), 244)
    table.order(Mission("garance", mission), 665)

    told = table.resolve()

    assert mission == told.one(MissionSeen, cause="revealed").mission
    assert told.events.index(told.one(MissionSeen, cause="revealed")) < told.events.index(told.one(MissionPlayed))
    assert ["intel"] == told.phase_of(MissionSeen)[:1]


def test_V28_this_ticks_report_shows_the_zone_as_at_the_ticks_end() -> None:
    table = Table()
    table.servant("ariane", speech=5, smooth_talk=5, **MIND)
    table.servant("garance", "demon", speech=5, smooth_talk=5)
    table.order(Intel("ariane", "north"), 241)
    table.order(Influence("ariane", "north"), 244)
    table.order(Influence("garance", "north"), 242)

    told = table.resolve()
    (fact,) = told.report("angel", "zone_report")

    assert (2, 5, 3, 0, 0) == (fact["influence"], fact["own"], fact["other"], fact["divine"], fact["satanic"])
    held = told.city.intel_of("angel", "north")
    assert held is not None
    assert (2, TICK) == (held.influence, held.known)


def test_V28_this_ticks_new_assignments_are_intercepted() -> None:
    table = Table(zones="north")
    table.servant("ariane", **MIND)
    table.servant("garance", "demon")
    table.order(Intel("ariane", "north"), 244)

    told = table.resolve()

    assert told.one(MissionAssigned, servant="garance").mission == told.one(MissionSeen).mission
    assert ("intercepted", "garance") == (told.one(MissionSeen).cause, told.one(MissionSeen).servant)


@pytest.mark.parametrize(("coverage", "through", "seen"), [(True, TICK, 1), (False, TICK, 0), (True, TICK - 1, 0)])
def test_V27_new_missions_are_intercepted_while_the_zone_is_covered_and_fresh(
    coverage: bool, through: int, seen: int
) -> None:
    table = Table(zones="north")
    table.servant("garance", "demon")
    table.intel("angel", "north", through, coverage, covered=1)

    assert seen == len(table.resolve().report("angel", "mission_seen"))


def test_V27_V14_a_chained_mission_is_intercepted_too() -> None:
    table = Table()
    table.servant("garance", "demon", speech=5, smooth_talk=5)
    table.intel("angel", "north", TICK + 1, coverage=True, covered=1)
    table.order(Mission("garance", table.mission("garance", "north")), 246)

    told = table.resolve()

    assert told.one(MissionAssigned).mission == told.one(MissionSeen).mission
    assert told.servants["garance"].missions[0].by_intel


def countered(**fields: Any) -> str:
    """What becomes of Ariane's counter on Garance's mission in `north`, with these flags of detection."""
    table = Table()
    table.servant("ariane", body=5, stealth=5)
    table.servant("garance", "demon")
    mission = table.mission("garance", "north", **fields)
    table.order(Mission("garance", mission))
    table.order(Counter("ariane", "garance", mission))
    told = table.resolve()
    return str(told.all(OrderVoid)[0].reason) if told.all(OrderVoid) else "rolled"


def test_V23_a_counter_needs_a_detection_at_the_ticks_start() -> None:
    assert "rolled" == countered(by_intel=True)
    assert "rolled" == countered(exposed=True)
    assert "mission_unknown" == countered()


def test_V23_V28_counters_use_only_what_earlier_ticks_detected() -> None:
    table = Table()
    table.servant("ariane", **MIND)
    table.servant("celeste", body=5, stealth=5)
    table.servant("garance", "demon")
    mission = table.mission("garance", "north")
    counter = Counter("celeste", "garance", mission)
    assert ("undetected_mission", "mission") == table.refusal(counter)
    table.order(Intel("ariane", "north"), 246)
    table.order(counter, 246)
    table.order(Mission("garance", mission))

    told = table.resolve()

    assert ["mission_unknown"] == [event.reason for event in told.all(OrderVoid)]
    assert [mission] == [event.mission for event in told.all(MissionSeen, cause="revealed")]


def test_V23_a_mission_detected_in_one_tick_is_countered_in_the_next() -> None:
    table = Table()
    table.servant("ariane", **MIND)
    table.servant("celeste", body=5, stealth=5)
    table.servant("garance", "demon")
    mission = table.mission("garance", "north")
    table.order(Intel("ariane", "north"), 246)

    after = next_tick(table.resolve(), table)
    counter = Counter("celeste", "garance", mission)
    assert ("", "") == after.refusal(counter)
    after.order(counter, 246)
    after.order(Mission("garance", mission), 441)

    assert "failure" == after.resolve().one(CounterJudged).outcome


@pytest.mark.parametrize(("through", "forgotten"), [(TICK, True), (TICK + 1, False)])
def test_V23_a_detection_by_intel_is_forgotten_when_the_intel_goes_stale(through: int, forgotten: bool) -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon")
    mission = table.mission("garance", "north", by_intel=True)
    table.intel("angel", "north", through, coverage=True, covered=1)

    told = table.resolve()
    after = next_tick(told, table)

    assert forgotten == bool(told.all(MissionForgotten, mission=mission, by_intel=True))
    expected = ("undetected_mission", "mission") if forgotten else ("", "")
    assert expected == after.refusal(Counter("ariane", "garance", mission))


def test_V23_a_forgotten_detection_does_not_come_back_with_new_intel() -> None:
    table = Table()
    table.servant("ariane", **MIND)
    table.servant("garance", "demon")
    mission = table.mission("garance", "north", by_intel=True)
    table.intel("angel", "north", TICK, coverage=True, covered=1)

    after = next_tick(table.resolve(), table)
    after.order(Intel("ariane", "north"), 241)
    last = next_tick(after.resolve(), after)

    assert last.city.intel_of("angel", "north") is not None
    assert ("undetected_mission", "mission") == last.refusal(Counter("ariane", "garance", mission))


def test_V23_intel_renewed_in_its_last_fresh_tick_keeps_the_detection() -> None:
    table = Table()
    table.servant("ariane", **MIND)
    table.servant("garance", "demon")
    mission = table.mission("garance", "north", by_intel=True)
    table.intel("angel", "north", TICK, coverage=True, covered=1)
    table.order(Intel("ariane", "north"), 241)

    assert ("", "") == next_tick(table.resolve(), table).refusal(Counter("ariane", "garance", mission))


def test_V23_intake_knows_when_intel_will_be_stale_in_the_tick_that_takes_orders() -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon")
    mission = table.mission("garance", "north", by_intel=True)
    table.intel("angel", "north", TICK)
    assert ("", "") == table.refusal(Counter("ariane", "garance", mission))

    table.tick += 1

    assert ("undetected_mission", "mission") == table.refusal(Counter("ariane", "garance", mission))


@pytest.mark.parametrize(("exposure", "seen"), [(7, True), (6, False)])
def test_V2_missions_of_a_servant_with_exposure_6_at_a_ticks_start_are_told_in_the_report_before(
    exposure: int, seen: bool
) -> None:
    """7 falls by 2 to 5, 6 by 1 to 5; 8 falls by 2 to 6: what counts is the exposure after the decay."""
    table = Table()
    table.servant("garance", "demon", exposure=exposure + seen)
    mission = table.mission("garance", "north", approach="stealthy")

    told = table.resolve()

    expected = {
        "event": "mission_seen",
        "camp": "angel",
        "cause": "exposed",
        "mission": mission,
        "zone": "north",
        "approach": "stealthy",
        "servant": "garance",
    }
    assert ([expected] if seen else []) == told.report("angel", "mission_seen")
    assert seen == told.servants["garance"].missions[0].exposed


def test_V2_a_detection_by_exposure_is_told_each_tick_anew_and_ends_with_the_exposure() -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon", exposure=10)
    mission = table.mission("garance", assigned=TICK)
    counter = Counter("ariane", "garance", mission)
    exposures, seen, refused = [], [], []

    for _ in range(3):
        told = table.resolve()
        exposures.append(told.servants["garance"].exposure)
        seen.append(len(told.report("angel", "mission_seen")))
        table = next_tick(told, table)
        refused.append(table.refusal(counter)[0])

    assert [8, 6, 5] == exposures
    assert [1, 1, 0] == seen
    assert ["", "", "undetected_mission"] == refused


def test_V2_a_detection_by_exposure_needs_no_fresh_intel() -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon", exposure=9)
    mission = table.mission("garance", exposed=True)
    counter = Counter("ariane", "garance", mission)

    assert None is table.city.intel_of("angel", "north")
    assert ("", "") == table.refusal(counter)
