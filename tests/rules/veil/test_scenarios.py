"""Scenarios, the generator and amendments: V1, V2, V4, V7, V35, and how players join and leave."""

from typing import Any

import msgspec
import pytest

from tests.rules.veil.table import IDS, TICK, Table, next_tick
from workers.kernel.dice import Dice
from workers.kernel.digest import canonical
from workers.kernel.errors import InvalidInput
from workers.rules.contract import check_rulebook
from workers.rules.resources import convert_scenario, parse_scenario, scenario_text
from workers.rules.veil import RULEBOOK
from workers.rules.veil.amendments import ServantJoined, ServantLeft, ZoneCorrected
from workers.rules.veil.entities import Superior, Weights
from workers.rules.veil.events import (
    CorrectionTold,
    MissionAssigned,
    OrderVoid,
    ServantCounted,
    ServantDeparted,
    ServantRefused,
    VeilDecayed,
)
from workers.rules.veil.orders import Influence, Mission, Support
from workers.rules.veil.settings import Settings
from workers.rules.veil.tables import APPROACHES


def shipped(name: str) -> Any:
    return parse_scenario(RULEBOOK, scenario_text(RULEBOOK, name))


def plain(name: str = "small") -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(shipped(name))
    for part in ("zones", "superiors", "servants"):
        made[part] = [dict(item) for item in made[part]]
    return made


def refused(made: dict[str, Any]) -> InvalidInput:
    """The error of a scenario that can't be founded."""
    with pytest.raises(InvalidInput) as caught:
        RULEBOOK.found(convert_scenario(RULEBOOK, made), IDS)
    return caught.value


def test_the_rulebook_keeps_the_contract() -> None:
    check_rulebook(RULEBOOK)


@pytest.mark.parametrize(("name", "servants", "zones"), [("small", 8, 6), ("city", 40, 20)])
def test_V35_two_thirds_of_a_shipped_scenarios_zones_are_neutral_with_at_most_2_servants_a_zone(
    name: str, servants: int, zones: int
) -> None:
    made = shipped(name)
    neutral = sum(zone.affinity == "neutral" for zone in made.zones)

    assert (servants, zones) == (len(made.servants), len(made.zones))
    assert 2 * zones <= 3 * neutral < 2 * zones + 3
    assert servants <= 2 * zones
    assert 0 == made.settings.last_tick


@pytest.mark.parametrize("name", ["small", "city"])
def test_V35_both_camps_of_a_shipped_scenario_are_as_many(name: str) -> None:
    camps = [servant.camp for servant in shipped(name).servants]

    assert camps.count("angel") == camps.count("demon")
    assert 0 == sum(zone.influence for zone in shipped(name).zones)


@pytest.mark.parametrize("name", ["small", "city"])
def test_V7_the_shipped_superiors_have_yves_georges_and_two_demons(name: str) -> None:
    superiors = {superior.id: superior for superior in shipped(name).superiors}

    assert superiors["yves"].covers_on_any_success
    assert superiors["georges"].routine
    assert 2 <= sum(superior.camp == "demon" for superior in superiors.values())
    assert all(12 <= superior.mission_base <= 15 for superior in superiors.values())


def test_V7_weights_stand_in_the_order_of_the_approaches() -> None:
    assert tuple(APPROACHES) == Weights.__struct_fields__


def test_V7_the_superiors_are_weights_and_a_base_from_12_on() -> None:
    assert 12 == Superior("x", "X", "angel", Weights(social=1)).mission_base
    made = plain()
    made["superiors"][0] |= {"weights": {}}
    assert "superiors[0].weights" == refused(made).field


def test_V2_a_servant_starts_with_5_power_points_no_wounds_no_exposure_and_rating_0() -> None:
    state = RULEBOOK.found(shipped("small"), IDS)

    assert {(5, 0, 0, 0)} == {(home.pp, home.wounds, home.exposure, home.rating) for home in state.homes.values()}
    assert 8 == state.shared.servants
    assert [] == [mission for home in state.homes.values() for mission in home.missions]


@pytest.mark.parametrize(
    ("part", "change", "field"),
    [
        ("servants", {"body": 6}, "servants[0].body"),
        ("servants", {"superior": "nobody"}, "servants[0].superior"),
        ("servants", {"superior": "orvaline"}, "servants[0].superior"),
        ("servants", {"id": "a/b"}, "servants[0].id"),
        ("servants", {"id": "a#b"}, "servants[0].id"),
        ("servants", {"id": "a\nb"}, "servants[0].id"),
        ("servants", {"id": "e\u0301"}, "servants[0].id"),
        ("servants", {"id": "falco"}, "servants[5].id"),
        ("servants", {"pp": 11}, "servants[0].pp"),
        ("servants", {"wounds": 4}, "servants[0].wounds"),
        ("servants", {"rating": 6}, "servants[0].rating"),
        ("zones", {"id": "caves"}, "zones[1].id"),
        ("zones", {"id": "x/y"}, "zones[0].id"),
        ("superiors", {"id": "georges"}, "superiors[1].id"),
    ],
)
def test_V1_V2_V4_a_scenario_with_a_mistake_is_refused_naming_the_field(
    part: str, change: dict[str, Any], field: str
) -> None:
    made = plain()
    made[part][0] |= change

    assert field == refused(made).field


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"strain": 101}, "strain"),
        ({"settings": {"pp_start": 20}}, "settings.pp_start"),
        ({"settings": {"rating_max": 2}}, "settings.promoted_at"),
        ({"settings": {"wounded_from": 4}}, "settings.wounded_from"),
    ],
)
def test_settings_that_contradict_each_other_are_refused_naming_the_field(change: dict[str, Any], field: str) -> None:
    assert field == refused(plain() | change).field


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"zones": []}, "scenario.zones"),
        ({"settings": {"mission_patience": 0}}, "scenario.settings.mission_patience"),
        ({"settings": {"no_such_number": 1}}, "scenario.settings.no_such_number"),
    ],
)
def test_what_is_no_scenario_is_refused_naming_the_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        convert_scenario(RULEBOOK, plain() | change)
    assert field == caught.value.field


def test_every_number_that_is_ours_is_a_setting_with_bounds_and_its_clause() -> None:
    for name, kind in ((field.name, field.type) for field in msgspec.structs.fields(Settings)):
        info = msgspec.inspect.type_info(kind)
        assert isinstance(info, msgspec.inspect.Metadata), name
        assert (info.extra_json_schema or {})["description"].startswith("V"), name
        assert isinstance(info.type, msgspec.inspect.IntType), name
        assert None not in (info.type.ge, info.type.le), name


@pytest.mark.parametrize("size", [1, 8, 3000, 3500])
def test_the_generator_makes_a_city_of_any_size_the_same_from_the_same_dice(size: int) -> None:
    made = RULEBOOK.generate(size, Dice(b"g" * 32))

    assert size == len(made.servants)
    assert max(6, -(-size // 500)) == len(made.zones)
    assert canonical(made) == canonical(RULEBOOK.generate(size, Dice(b"g" * 32)))
    assert canonical(made) != canonical(RULEBOOK.generate(size, Dice(b"h" * 32)))
    assert 2 * len(made.zones) <= 3 * sum(zone.affinity == "neutral" for zone in made.zones)


def joining(**fields: Any) -> ServantJoined:
    return ServantJoined(**{"servant": "noemie", "camp": "angel", "superior": "michel", "mind": 4, **fields})


def test_a_servant_that_joins_is_counted_in_its_tick_draws_a_mission_and_acts_in_the_next() -> None:
    table = Table()
    table.servant("ariane")
    table.amend(joining())
    table.order(Influence("noemie", "north"))

    told = table.resolve()
    after = next_tick(told, table)

    assert "servant_gone" == told.one(OrderVoid).reason
    assert 2 == told.one(VeilDecayed).servants == told.city.servants
    assert "noemie" == told.one(ServantCounted).servant
    assert (5, 4, False) == tuple(getattr(told.servants["noemie"], name) for name in ("pp", "mind", "joined"))
    assert {"ariane", "noemie"} == {event.servant for event in told.all(MissionAssigned)}
    assert ("", "") == after.refusal(Influence("noemie", "north"))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"superior": "nobody"}, "superior"),
        ({"superior": "orvaline"}, "superior"),
        ({"body": 6}, "stats"),
        ({"servant": "a/b"}, "name"),
    ],
)
def test_a_servant_that_cannot_be_one_is_refused_and_not_counted(fields: dict[str, Any], reason: str) -> None:
    table = Table()
    table.servant("ariane")
    table.amend(joining(**fields))

    told = table.resolve()

    assert reason == told.one(ServantRefused).reason
    assert {"ariane"} == told.servants.keys()
    assert 1 == told.city.servants


def test_a_servant_that_is_there_already_is_not_changed_by_joining() -> None:
    table = Table()
    table.servant("ariane", mind=1)
    table.amend(joining(servant="ariane"))

    told = table.resolve()

    assert (1, 1) == (told.servants["ariane"].mind, told.city.servants)
    assert [] == told.all(ServantCounted)


def test_a_servant_that_leaves_acts_no_more_and_takes_its_missions_along() -> None:
    table = Table()
    for name in ("ariane", "celeste"):
        table.servant(name)
    mission = table.mission("ariane")
    table.order(Mission("ariane", mission))
    table.order(Support("celeste", "ariane", mission))
    table.amend(ServantLeft("ariane"))

    told = table.resolve()

    assert ["servant_gone", "mission_gone"] == [event.reason for event in told.all(OrderVoid)]
    assert {"celeste"} == told.servants.keys()
    assert 1 == told.one(VeilDecayed).servants == told.city.servants
    assert "ariane" == told.one(ServantDeparted).servant
    assert [] == told.report("demon")


def test_a_servant_that_leaves_before_it_has_joined_is_not_counted() -> None:
    table = Table()
    table.servant("ariane")
    table.amend(joining())
    table.amend(ServantLeft("noemie"))
    table.amend(ServantLeft("nobody"))

    told = table.resolve()

    assert "left" == told.one(ServantRefused).reason
    assert ({"ariane"}, 1) == (set(told.servants), told.city.servants)


def test_a_correction_of_a_zone_that_is_not_there_changes_nothing_and_is_told_to_nobody() -> None:
    table = Table()
    table.servant("ariane")
    before = table.resolve()
    table.amend(ZoneCorrected("atlantis", 1))

    told = table.resolve()

    assert before.result.shared == told.result.shared
    for camp in ("angel", "demon"):
        assert before.pages(camp) == told.pages(camp)


def test_V34_that_a_zones_influence_was_corrected_is_public_and_to_what_only_fresh_intel_shows() -> None:
    table = Table()
    table.servant("ariane")
    table.intel("angel", "north", TICK)
    table.amend(ZoneCorrected("north", -33))
    table.amend(ZoneCorrected("atlantis", 1))

    told = table.resolve()

    assert -33 == told.influence()
    corrected = [{"event": "correction_told", "zone": "north"}]
    assert corrected == told.report("demon") == told.report("angel", "correction_told")
    assert [] == next_tick(told, table).resolve().all(CorrectionTold)
    assert [-33] == [fact["influence"] for fact in told.report("angel", "zone_report")]
