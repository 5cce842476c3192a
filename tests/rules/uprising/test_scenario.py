"""Scenarios: what a campaign may start from (U1, U2, U3, U4), those that ship, and the generator."""

import pytest

from tests.rules.uprising.board import IDS
from tests.rules.uprising.scenes import PLACE, SIDES, founded
from workers.kernel.dice import Dice
from workers.kernel.errors import InvalidInput
from workers.rules.resources import parse_scenario, scenario_text
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.scenario import Scenario


def test_U1_no_two_units_have_one_id_and_no_id_breaks_a_path() -> None:
    unit = {"id": "louise", "side": "law", "district": "north", "nature": "person", "force": 1}
    with pytest.raises(InvalidInput, match="taken"):
        founded(units=[unit, unit])
    for name in ("", "a/b", "a#b", "a:b", "a\nb", "x" * 65, "e\u0301"):
        with pytest.raises(InvalidInput, match=r"units\[0\].id"):
            founded(units=[{**unit, "id": name}])


@pytest.mark.parametrize(
    ("plain", "field"),
    [
        ({"districts": []}, "districts"),
        ({"districts": [{**PLACE, "neighbours": ["south"]}]}, "districts[0].neighbours[0]"),
        ({"districts": [{**PLACE, "neighbours": ["north"]}]}, "districts[0].neighbours[0]"),
        ({"districts": [{**PLACE, "neighbours": ["south"]}, {"id": "south"}]}, "districts[0].neighbours[0]"),
        ({"districts": [PLACE, PLACE]}, "districts[1].id"),
        (
            {"districts": [{**PLACE, "neighbours": ["south", "south"]}, {"id": "south", "neighbours": ["north"]}]},
            "districts[0].neighbours[1]",
        ),
        ({"districts": [{**PLACE, "influence": {"law": 101}}]}, "districts[0].influence"),
        ({"heat": 101}, "heat"),
        ({"sides": {"law": {}}}, "sides"),
        ({"sides": {**SIDES, "law": {"authority": 101}}}, "sides.law.authority"),
        ({"sides": {**SIDES, "law": {"assets": ["nothing"]}}}, "sides.law.assets[0]"),
        ({"sides": {**SIDES, "law": {"factions": [{"id": "a", "loyalty": 101}]}}}, "sides.law.factions[0].loyalty"),
        (
            {"sides": {**SIDES, "law": {"factions": [{"id": "a", "order": True}, {"id": "b", "order": True}]}}},
            "sides.law.factions",
        ),
        (
            {"units": [{"id": "a", "side": "law", "district": "x", "nature": "person", "force": 1}]},
            "units[0].district",
        ),
        (
            {
                "units": [
                    {
                        "id": "a",
                        "side": "law",
                        "district": "north",
                        "nature": "person",
                        "force": 1,
                        "status": "imprisoned",
                    }
                ]
            },
            "units[0].status",
        ),
        (
            {"units": [{"id": "a", "side": "law", "district": "north", "nature": "person", "force": 1, "wounds": 3}]},
            "units[0].wounds",
        ),
        ({"cards": [{"id": "arrest", "kind": "arrest"}]}, "cards[0].id"),
        ({"cards": [{"id": "x", "kind": "gamble", "modifier": 1}]}, "cards[0].modifier"),
        ({"cards": [{"id": "x", "kind": "arrest", "chance": 10}]}, "cards[0].chance"),
        ({"cards": [{"id": "x", "kind": "arrest", "bonus": 1}]}, "cards[0].bonus"),
        ({"cards": [{"id": "x", "kind": "raid", "neighbours": True}]}, "cards[0].neighbours"),
        ({"cards": [{"id": "x", "kind": "raid", "defence": 3}]}, "cards[0].defence"),
        ({"cards": [{"id": "x", "kind": "arrest", "by_authority": True}]}, "cards[0].by_authority"),
        ({"cards": [{"id": "x", "kind": "arrest", "covered": True}]}, "cards[0].covered"),
        ({"cards": [{"id": "x", "kind": "arrest", "buildings_only": True}]}, "cards[0].buildings_only"),
        ({"cards": [{"id": "x", "kind": "rally", "by_authority": True, "chance": 3}]}, "cards[0].chance"),
        ({"cards": [{"id": "x", "kind": "move", "gains": {"heat": 1}}]}, "cards[0].gains"),
        ({"cards": [{"id": "x", "kind": "gamble", "gains": {"loyalty": {"a": 1}}}]}, "cards[0].gains.loyalty"),
    ],
)
def test_U2_U3_U4_a_scenario_that_can_t_be_is_refused_with_its_field(plain: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        founded(**plain)

    assert field == refused.value.field
    assert refused.value.accepted


@pytest.mark.parametrize("name", RULEBOOK.scenarios)
def test_the_scenarios_that_ship_are_founded(name: str) -> None:
    scenario = parse_scenario(RULEBOOK, scenario_text(RULEBOOK, name))

    state = RULEBOOK.found(scenario, IDS)

    assert isinstance(scenario, Scenario)
    assert {district.id for district in scenario.districts} == set(state.homes)


def test_the_small_scenario_has_two_sides_about_6_districts_and_16_units() -> None:
    scenario = parse_scenario(RULEBOOK, scenario_text(RULEBOOK, "small"))

    assert isinstance(scenario, Scenario)
    assert (6, 16) == (len(scenario.districts), len(scenario.units))
    assert any(district.landmark for district in scenario.districts)
    assert any(district.prison for district in scenario.districts)
    assert any(district.barricades for district in scenario.districts)


PARIS = {
    1: {2, 3, 4, 6, 7, 8, 9},
    2: {1, 3, 9, 10},
    3: {1, 2, 4, 10, 11},
    4: {1, 3, 5, 11, 12},
    5: {4, 6, 12, 13, 14},
    6: {1, 5, 7, 14, 15},
    7: {1, 6, 8, 15, 16},
    8: {1, 7, 9, 16, 17},
    9: {1, 2, 8, 10, 17, 18},
    10: {2, 3, 9, 11, 18, 19},
    11: {3, 4, 10, 12, 20},
    12: {4, 5, 11, 13, 20},
    13: {5, 12, 14},
    14: {5, 6, 13, 15},
    15: {6, 7, 14, 16},
    16: {7, 8, 15, 17},
    17: {8, 9, 16, 18},
    18: {9, 10, 17, 19},
    19: {10, 18, 20},
    20: {11, 12, 19},
}
"""The arrondissements and those with which they share a piece of boundary."""


def test_the_city_is_paris_with_its_20_arrondissements_and_their_neighbours() -> None:
    scenario = parse_scenario(RULEBOOK, scenario_text(RULEBOOK, "city"))

    assert isinstance(scenario, Scenario)
    around = {int(place.id[:2]): {int(name[:2]) for name in place.neighbours} for place in scenario.districts}
    assert PARIS == around
    assert len(scenario.units) >= 200


@pytest.mark.parametrize("size", [1, 7, 60])
def test_the_generator_makes_a_campaign_of_any_size(size: int) -> None:
    scenario = RULEBOOK.generate(size, Dice(bytes(32)))
    state = RULEBOOK.found(scenario, IDS)

    assert size == len(state.homes)
    assert all(len(home.units) == 10 for home in state.homes.values())
    assert scenario != RULEBOOK.generate(size, Dice(b"x" * 32))
