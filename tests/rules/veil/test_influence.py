"""Influence: V4 and V16–V21."""

from typing import Any

import pytest

from tests.rules.veil.table import Table
from workers.rules.veil.events import InfluencePlayed, Intervention, MissionPlayed, ZoneMoved
from workers.rules.veil.influence import rounded_gain
from workers.rules.veil.orders import Influence, Intel, Mission

STRONG: dict[str, Any] = {"speech": 5, "smooth_talk": 5}


def played_in(affinity: Any, roll: int, camp: str = "angel", dormitory: bool = False, **fields: Any) -> Any:
    """One mission of base 12 and one influence, both with this roll, in zones of this affinity."""
    table = Table()
    for zone in table.zones.values():
        zone.affinity, zone.dormitory = affinity, dormitory
    table.servant("x", camp, **{**STRONG, **fields})
    table.order(Mission("x", table.mission("x", "north")), roll)
    table.order(Influence("x", "south"), roll)
    return table.resolve()


def test_V16_the_base_of_a_mission_is_its_own_and_that_of_an_influence_3() -> None:
    table = Table()
    table.servant("ariane", **STRONG)
    table.order(Mission("ariane", table.mission("ariane", base=14)), 244)
    table.order(Influence("ariane", "south"), 244)

    told = table.resolve()

    assert 21 == told.influence("north")
    assert 5 == told.influence("south")


@pytest.mark.parametrize(
    ("affinity", "dormitory", "mission", "influence", "exposure"),
    [
        ("angel", False, 27, 7, 0),
        ("neutral", False, 18, 5, 0),
        ("demon", False, 14, 3, 1),
        ("angel", True, 14, 3, 0),
        ("neutral", True, 9, 2, 0),
        ("demon", True, 7, 2, 1),
    ],
)
def test_V17_V18_affinity_dormitory_and_rounding_of_a_gain_of_quality_4(
    affinity: str, dormitory: bool, mission: int, influence: int, exposure: int
) -> None:
    told = played_in(affinity, 244, dormitory=dormitory)

    assert (mission, influence) == (told.influence("north"), told.influence("south"))
    assert 1 + exposure == told.one(MissionPlayed).exposure
    assert exposure == told.one(InfluencePlayed).exposure


@pytest.mark.parametrize("roll", [244, 665, 111, 666])
def test_V17_acting_in_a_place_of_the_other_camp_exposes_by_1_whatever_the_outcome(roll: int) -> None:
    for camp, theirs in (("angel", "demon"), ("demon", "angel")):
        told = played_in(theirs, roll, camp)
        succeeded = told.one(MissionPlayed).quality > 0
        assert 1 == told.one(InfluencePlayed).exposure
        assert (2 if succeeded else 3) == told.one(MissionPlayed).exposure


def test_V17_intel_in_a_place_of_the_other_camp_does_not_expose() -> None:
    table = Table()
    table.zones["north"].affinity = "demon"
    table.servant("ariane")
    table.order(Intel("ariane", "north"), 665)

    assert 0 == table.resolve().servants["ariane"].exposure


def test_V18_demons_move_influence_the_other_way_and_K4_rounds_half_away_from_zero() -> None:
    assert -5 == played_in("neutral", 244, "demon").influence("south")
    assert 5 == played_in("neutral", 244).influence("south")


def test_V18_a_success_gains_at_least_1() -> None:
    assert 1 == rounded_gain(1, 1, "opposed", True)
    table = Table()
    table.zones["north"].affinity, table.zones["north"].dormitory = "demon", True
    table.servant("ariane", **STRONG)
    table.order(Mission("ariane", table.mission("ariane", base=1)), 241)

    assert 1 == table.resolve().influence()


@pytest.mark.parametrize("camp", ["angel", "demon"])
@pytest.mark.parametrize("affinity", ["angel", "neutral", "demon"])
def test_V20_a_failed_influence_gives_1_point_net_and_a_failed_mission_nothing(camp: str, affinity: str) -> None:
    told = played_in(affinity, 665, camp, dormitory=True)

    assert 0 == told.influence("north")
    assert (1 if camp == "angel" else -1) == told.influence("south")
    assert None is told.one(MissionPlayed).gain


def test_V20_a_success_exposes_by_1_and_raises_the_rating() -> None:
    told = played_in("neutral", 244)

    assert (1, 1, 0) == (told.one(MissionPlayed).exposure, told.one(MissionPlayed).rating, told.servants["x"].wounds)


def test_V20_a_failure_exposes_by_2_and_lowers_the_rating() -> None:
    told = played_in("neutral", 665)

    assert (2, -1, 0) == (told.one(MissionPlayed).exposure, told.one(MissionPlayed).rating, told.servants["x"].wounds)


@pytest.mark.parametrize(("approach", "wounds"), [("violent", 2), ("stealthy", 1), ("occult", 1)])
def test_V20_only_a_failed_violent_mission_wounds(approach: str, wounds: int) -> None:
    table = Table()
    table.servant("ariane", wounds=1)
    table.order(Mission("ariane", table.mission("ariane", approach=approach)), 665)

    assert wounds == table.resolve().servants["ariane"].wounds


@pytest.mark.parametrize(("rating", "roll", "after"), [(5, 244, 5), (-5, 665, -5), (4, 244, 5), (0, 665, -1)])
def test_V2_V20_a_rating_stays_within_5_and_minus_5(rating: int, roll: int, after: int) -> None:
    assert after == played_in("neutral", roll, rating=rating).one(MissionPlayed).rating


def test_V21_all_changes_of_a_phase_are_summed_then_bounded_once() -> None:
    """At 95, the angels' 15 and the demons' 19 leave 91; bounded one by one they would leave 81."""
    table = Table()
    table.zones["north"].influence = 95
    for name, camp, base in (("ariane", "angel", 12), ("garance", "demon", 15)):
        table.servant(name, camp, **STRONG)
        table.order(Mission(name, table.mission(name, base=base)), 243)

    told = table.resolve()

    assert (15, 19) == (told.one(ZoneMoved).angel, told.one(ZoneMoved).demon)
    assert 91 == told.influence()


def test_V21_V15_an_intervention_is_summed_with_the_other_changes_of_its_phase() -> None:
    """95 + 15 − 25 is 85; bounded one by one, 95 + 15 would be 100 and the rest 75."""
    table = Table()
    table.zones["north"].influence = 95
    table.servant("ariane", **STRONG)
    table.servant("garance", "demon")
    table.order(Mission("ariane", table.mission("ariane")), 243)
    table.order(Influence("garance", "north"), 666)

    told = table.resolve()

    assert (15, 0, 0, 1) == tuple(
        getattr(told.one(ZoneMoved), name) for name in ("angel", "demon", "divine", "satanic")
    )
    assert 85 == told.influence()


def test_V21_each_phase_is_bounded_by_itself() -> None:
    """An intervention in the intel phase fills the zone; what the mission phase takes is taken from the bound."""
    table = Table()
    table.zones["north"].influence = 90
    table.servant("ariane")
    table.servant("garance", "demon", **STRONG)
    table.order(Intel("ariane", "north"), 111)
    table.order(Influence("garance", "north"), 244)

    told = table.resolve()

    assert [100, 95] == [event.influence for event in told.all(ZoneMoved)]
    assert ["intel", "mission"] == told.phase_of(ZoneMoved)
    assert ["veil_decay"] == told.phase_of(Intervention)


@pytest.mark.parametrize(("before", "camp", "after"), [(95, "angel", 100), (-95, "demon", -100), (0, "angel", 24)])
def test_V4_V21_influence_stays_within_100_and_minus_100(before: int, camp: str, after: int) -> None:
    table = Table()
    table.zones["north"].influence = before
    table.servant("x", camp, **STRONG)
    table.order(Mission("x", table.mission("x")), 246)

    assert after == table.resolve().influence()


def test_V4_the_affinity_of_a_zone_does_not_follow_its_influence() -> None:
    table = Table()
    table.zones["north"].influence = -80
    table.zones["south"].affinity, table.zones["south"].influence = "angel", -80
    table.servant("ariane", **STRONG)
    table.order(Influence("ariane", "north"), 244)
    table.order(Influence("ariane", "south"), 244)

    told = table.resolve()

    assert (-75, -73) == (told.influence("north"), told.influence("south"))
    assert ["neutral", "angel"] == [zone.affinity for zone in told.city.zones.values()]
