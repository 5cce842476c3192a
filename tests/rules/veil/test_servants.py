"""Servants, Superiors and missions: V1, V2, V5, V7, V14 and V30."""

from typing import Any

import msgspec
import pytest

from tests.rules.veil.table import TICK, Table, Told, next_tick
from workers.rules.veil.entities import Servant, Weights
from workers.rules.veil.events import (
    ChainBroken,
    Decayed,
    MissionAssigned,
    MissionHeld,
    MissionLapsed,
    MissionPlayed,
    RecoveryRolled,
    Rolled,
)
from workers.rules.veil.orders import AnyOrder, Counter, Influence, Intel, Mission, Recovery, Support
from workers.rules.veil.phases.closing import approach_of
from workers.rules.veil.phases.decay import decayed
from workers.rules.veil.tables import APPROACHES, CHARACTERISTICS, KINDS, TALENTS

GOOD: dict[str, Any] = {"speech": 5, "smooth_talk": 5}


def test_V1_a_servant_has_four_characteristics_and_six_talents() -> None:
    assert ("body", "mind", "soul", "speech") == CHARACTERISTICS
    assert ("violence", "stealth", "smooth_talk", "occult", "machines", "investigation") == TALENTS
    assert {"camp", "superior", *CHARACTERISTICS, *TALENTS} <= set(Servant.__struct_fields__)


@pytest.mark.parametrize(
    ("before", "after"),
    [(0, 0), (1, 0), (5, 4), (6, 5), (7, 5), (12, 10), (13, 10), (100, 83)],
)
def test_V2_exposure_falls_by_a_sixth_rounded_up(before: int, after: int) -> None:
    table = Table()
    table.servant("ariane", exposure=before)

    assert after == table.resolve().servants["ariane"].exposure == decayed(before, 6)


@pytest.mark.parametrize(
    ("before", "after"), [(5, 4), (3, 2), (2, 2), (1, 1), (0, 0), (-1, -1), (-2, -2), (-3, -2), (-5, -4)]
)
def test_V2_an_idle_servants_rating_beyond_2_drifts_by_1_towards_0(before: int, after: int) -> None:
    table = Table()
    table.servant("ariane", rating=before)
    table.order(Influence("ariane", "north"))

    assert after == table.resolve().servants["ariane"].rating


def test_V2_the_rating_of_one_that_played_does_not_drift_even_when_it_was_cancelled() -> None:
    table = Table()
    table.servant("ariane", rating=4, **GOOD)
    table.servant("garance", "demon", body=5, stealth=5)
    mission = table.mission("ariane", by_intel=True)
    table.order(Mission("ariane", mission), 243)
    table.order(Counter("garance", "ariane", mission), 246)

    told = table.resolve()

    assert "cancelled" == told.one(MissionPlayed).outcome
    assert 4 == told.servants["ariane"].rating


def test_V2_the_rating_of_one_whose_mission_was_void_drifts() -> None:
    table = Table()
    table.servant("ariane", rating=4)
    table.zones["north"].sealed_through = TICK
    table.order(Mission("ariane", table.mission("ariane")))

    assert 3 == table.resolve().servants["ariane"].rating


def test_V2_the_decay_comes_before_a_lapse() -> None:
    """The rating drifts from −3 to −2, and falls to −3 by the lapse; the other way round it would end at −3 from −4."""
    table = Table()
    table.servant("ariane", rating=-3)
    table.mission("ariane", assigned=TICK - 3)

    told = table.resolve()

    assert (-2, -3) == (told.one(Decayed).rating, told.one(MissionLapsed).rating)
    assert -3 == told.servants["ariane"].rating


@pytest.mark.parametrize(("assigned", "lapses"), [(TICK - 1, False), (TICK - 2, False), (TICK - 3, True)])
def test_V5_a_mission_lapses_after_waiting_3_ticks_the_first_being_the_one_after_its_assignment(
    assigned: int, lapses: bool
) -> None:
    table = Table()
    table.servant("ariane", rating=1)
    mission = table.mission("ariane", assigned=assigned)

    told = table.resolve()

    assert lapses == bool(told.all(MissionLapsed, mission=mission))
    assert (0 if lapses else 1) == told.servants["ariane"].rating


def test_V2_V5_a_lapse_takes_no_rating_below_minus_5() -> None:
    table = Table(drift_step=0)
    table.servant("ariane", rating=-5)
    table.mission("ariane", assigned=TICK - 3)

    assert -5 == table.resolve().one(MissionLapsed).rating


def test_V5_the_servant_of_a_lapsed_mission_draws_again_in_the_same_phase() -> None:
    table = Table()
    table.servant("ariane")
    table.mission("ariane", assigned=TICK - 3)

    told = table.resolve()

    assert ["events"] == told.phase_of(MissionLapsed) == told.phase_of(MissionAssigned)
    assert told.events.index(told.one(MissionLapsed)) < told.events.index(told.one(MissionAssigned))
    assert ("drawn", TICK) == (told.one(MissionAssigned).cause, told.servants["ariane"].missions[0].assigned)


@pytest.mark.parametrize("ordered", [True, False])
def test_V5_a_tick_in_which_the_missions_zone_was_sealed_does_not_count(ordered: bool) -> None:
    table = Table()
    table.servant("ariane")
    mission = table.mission("ariane", "north", assigned=TICK - 3)
    table.zones["north"].sealed_through = TICK
    if ordered:
        table.order(Mission("ariane", mission))

    told = table.resolve()
    after = next_tick(told, table).resolve()

    assert mission == told.one(MissionHeld).mission
    assert [] == told.all(MissionLapsed)
    assert mission == after.one(MissionLapsed).mission


def test_V5_any_other_void_mission_order_counts_as_waiting() -> None:
    table = Table()
    table.servant("ariane", pp=1)
    mission = table.mission("ariane", assigned=TICK - 3)
    table.order(Mission("ariane", mission, 2))

    assert mission == table.resolve().one(MissionLapsed).mission


def test_V5_no_mission_is_drawn_in_a_zone_that_is_sealed_in_the_next_tick() -> None:
    zones = set()
    for tick in range(1, 20):
        table = Table(tick=tick, zones="east north south west")
        for name, through in (("north", tick + 1), ("south", tick + 1), ("west", tick)):
            table.zones[name].sealed_through = through
        for i in range(5):
            table.servant(f"angel{i}")
        zones |= {event.zone for event in table.resolve().all(MissionAssigned)}

    assert {"east", "west"} == zones


def test_V5_the_drawing_runs_once_before_tick_1_with_the_dice_of_tick_0() -> None:
    table = Table(tick=0)
    table.servant("ariane")
    table.servant("garance", "demon")

    told = table.resolve()

    assert {"ariane", "garance"} == {event.servant for event in told.all(MissionAssigned)}
    assert [0, 0] == [event.tick for event in told.all(MissionAssigned)]
    assert len(told.events) == 2


def test_V5_a_mission_drawn_at_the_opening_lapses_in_tick_3() -> None:
    table = Table(tick=0)
    table.servant("ariane")
    lapsed = []
    for tick in range(4):
        told = table.resolve()
        lapsed += [tick for _ in told.all(MissionLapsed)]
        table = next_tick(told, table)

    assert [3] == lapsed


@pytest.mark.parametrize(("success", "after"), [(True, ("influence",)), (False, ())])
def test_V7_routine_remembers_the_kinds_that_succeeded_in_the_tick_before(
    success: bool, after: tuple[str, ...]
) -> None:
    table = Table()
    table.servant("bastien", superior="georges", **GOOD)
    table.order(Influence("bastien", "north"), 241 if success else 665)

    told = table.resolve()

    assert after == told.servants["bastien"].succeeded
    assert () == next_tick(told, table).resolve().servants["bastien"].succeeded


def routine(kind: str, roll: int, succeeded: tuple[str, ...]) -> Told:
    """An order of each kind by Bastien, of Georges, who had these successes in the tick before."""
    table = Table()
    table.servant("bastien", superior="georges", succeeded=succeeded)
    table.servant("celeste")
    table.servant("garance", "demon")
    own, allied, enemy = table.mission("bastien"), table.mission("celeste"), table.mission("garance", by_intel=True)
    table.order(Mission("celeste", allied), 665)
    table.order(Mission("garance", enemy), 665)
    orders: tuple[AnyOrder, ...] = (
        Mission("bastien", own),
        Influence("bastien", "north"),
        Intel("bastien", "north"),
        Support("bastien", "celeste", allied),
        Counter("bastien", "garance", enemy),
        Recovery("bastien"),
    )
    (order,) = (order for order in orders if order.KIND.name == kind)
    table.order(order, roll)
    return table.resolve()


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_V7_routine_rewards_the_repetition_of_every_kind_of_order(kind: str) -> None:
    first, failed = routine(kind, 121, ()), routine(kind, 665, ())
    other = tuple(other.name for other in KINDS if other.name != kind)

    assert ((kind,), ()) == (first.servants["bastien"].succeeded, failed.servants["bastien"].succeeded)
    for before, bonus in (((kind,), [1]), (other, []), ((), [])):
        rolled = routine(kind, 121, before).one(Rolled, servant="bastien")
        assert bonus == [term.value for term in rolled.roll.terms if term.name == "routine"]


def test_V7_one_success_among_several_rolls_of_a_kind_is_enough() -> None:
    table = Table()
    table.servant("bastien", superior="georges", **GOOD)
    table.order(Influence("bastien", "north"), 665)
    table.order(Influence("bastien", "north"), 241)

    assert ("influence",) == table.resolve().servants["bastien"].succeeded


@pytest.mark.parametrize(("counter", "after"), [(None, ("mission",)), (241, ("mission",)), (246, ())])
def test_V7_V24_a_halved_mission_is_a_success_for_routine_and_a_cancelled_one_is_not(
    counter: int | None, after: tuple[str, ...]
) -> None:
    table = Table()
    table.servant("bastien", superior="georges", **GOOD)
    table.servant("garance", "demon", body=5, stealth=5)
    mission = table.mission("bastien", by_intel=True)
    table.order(Mission("bastien", mission), 243)
    if counter is not None:
        table.order(Counter("garance", "bastien", mission), counter)

    assert after == table.resolve().servants["bastien"].succeeded


def test_V7_the_weights_colour_the_approaches() -> None:
    weights = Weights(violent=2, social=3, slow_infiltration=1)

    assert ["violent", "violent", "social", "social", "social", "slow_infiltration"] == [
        approach_of(weights, value) for value in range(weights.total())
    ]


def test_V7_V33_an_approach_is_drawn_below_the_weights_sum_in_the_order_of_V10() -> None:
    table = Table()
    for i in range(30):
        table.servant(f"angel{i}")
    for event in table.resolve().all(MissionAssigned):
        zone, approach = event.draws
        assert (2, 6) == (zone.below, approach.below)
        assert list(APPROACHES)[approach.value] == event.approach


def test_V7_V16_the_base_of_a_drawn_mission_is_its_superiors() -> None:
    table = Table()
    table.servant("ariane")
    table.city.superiors = {
        **table.city.superiors,
        "michel": msgspec.structs.replace(table.city.superiors["michel"], mission_base=15),
    }

    assert 15 == table.resolve().one(MissionAssigned).base


def chained(roll: int, **fields: Any) -> Any:
    """What follows a social mission with this roll in `north`."""
    table = Table()
    table.servant("ariane", **GOOD)
    table.order(Mission("ariane", table.mission("ariane", "north", **fields)), roll)
    return table.resolve()


@pytest.mark.parametrize(("roll", "cause"), [(246, "chained"), (245, "chained"), (244, "drawn"), (665, "drawn")])
def test_V14_a_mission_of_final_quality_5_or_more_chains(roll: int, cause: str) -> None:
    assert cause == chained(roll).one(MissionAssigned).cause


def test_V14_a_chained_mission_has_the_same_zone_and_approach_and_base_plus_1() -> None:
    told = chained(246, base=13)
    (mission,) = told.servants["ariane"].missions

    assert ("north", "social", 14, 1, TICK) == (
        mission.zone,
        mission.approach,
        mission.base,
        mission.chain,
        mission.assigned,
    )


def test_V14_the_base_of_a_chain_is_at_most_15() -> None:
    assert 15 == chained(246, base=15).one(MissionAssigned).base


@pytest.mark.parametrize(("chain", "cause"), [(2, "chained"), (3, "drawn")])
def test_V14_at_most_3_chained_missions_follow_the_drawn_one(chain: int, cause: str) -> None:
    assert cause == chained(246, chain=chain).one(MissionAssigned).cause


def test_V14_none_chains_in_a_zone_that_is_sealed_in_the_next_tick() -> None:
    table = Table()
    table.servant("ariane", **GOOD)
    table.zones["north"].noise = 200
    table.order(Mission("ariane", table.mission("ariane", "north")), 246)

    told = table.resolve()

    assert "north" == told.one(ChainBroken).zone
    assert ("drawn", "south") == (told.one(MissionAssigned).cause, told.one(MissionAssigned).zone)
    assert None is told.servants["ariane"].chain


def test_V14_supports_count_for_the_chain() -> None:
    table = Table()
    for name in ("ariane", "celeste"):
        table.servant(name, **GOOD)
    mission = table.mission("ariane")
    table.order(Mission("ariane", mission), 244)
    table.order(Support("celeste", "ariane", mission), 331)

    assert "chained" == table.resolve().one(MissionAssigned, servant="ariane").cause


@pytest.mark.parametrize(
    ("roll", "soul", "gained", "wounds"),
    [(161, 3, 3, 1), (665, 3, 2, 2), (161, 0, 0, 1), (665, 1, 1, 2), (665, 4, 2, 2)],
)
def test_V30_a_recovery_gives_the_soul_and_heals_a_wound_or_half_of_it_and_heals_none(
    roll: int, soul: int, gained: int, wounds: int
) -> None:
    table = Table()
    table.servant("ariane", soul=soul, wounds=2, pp=0)
    table.order(Recovery("ariane"), roll)

    told = table.resolve()

    assert gained == told.one(RecoveryRolled).gained == told.servants["ariane"].pp
    assert wounds == told.servants["ariane"].wounds


@pytest.mark.parametrize(("pp", "spent", "after"), [(10, 2, 10), (5, 2, 6), (9, 0, 10), (2, 2, 3)])
def test_V30_power_points_are_spent_then_gained_then_bounded(pp: int, spent: int, after: int) -> None:
    """10 − 2 + 3 = 11, bounded to 10."""
    table = Table()
    table.servant("ariane", soul=3, pp=pp)
    table.order(Recovery("ariane", spent), 161)

    assert after == table.resolve().servants["ariane"].pp


def test_V30_wounds_do_not_fall_below_0() -> None:
    table = Table()
    table.servant("ariane", soul=5)
    table.order(Recovery("ariane"), 331)

    assert 0 == table.resolve().servants["ariane"].wounds


def test_V2_a_servant_starts_with_5_power_points_and_V30_holds_at_most_10() -> None:
    table = Table()

    assert (5, 10) == (table.settings.pp_start, table.settings.pp_max)


def test_V2_V5_settings_change_the_numbers_that_are_ours() -> None:
    """Exposure halves instead of losing a sixth; missions lapse after one tick."""
    table = Table(exposure_decay_share=2, mission_patience=1)
    table.servant("ariane", exposure=7)
    table.mission("ariane")

    told = table.resolve()

    assert 3 == told.servants["ariane"].exposure
    assert 1 == len(told.all(MissionLapsed))
