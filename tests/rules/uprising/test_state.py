"""What there is in the city: U1, U2, U3, and cards as data, U4."""

from typing import Any

import msgspec
import pytest

from tests.rules.uprising.board import IDS, Board, Told, values
from workers.kernel.dice import Dice
from workers.kernel.errors import InvalidInput
from workers.rules.contract import check_rulebook
from workers.rules.resources import convert_scenario, parse_scenario, scenario_text
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.entities import Bonus
from workers.rules.uprising.events import (
    AuthorityMoved,
    ContestTried,
    GroundAmended,
    GroundChanged,
    HeatMoved,
    InfluenceMoved,
    LoyaltyMoved,
    RaidTried,
)
from workers.rules.uprising.orders import (
    ORDERS,
    Arrest,
    Assassination,
    Assault,
    Contest,
    Gamble,
    Move,
    Raid,
    Rally,
    Search,
)
from workers.rules.uprising.scenario import DistrictStart, Scenario, UnitStart
from workers.rules.uprising.tables import ORDER_ASSET_POINTS, STANDARD_CARDS

SIDES: dict[str, dict[str, object]] = {"revolution": {}, "law": {}}
PLACE = {"id": "north"}


def founded(**plain: object) -> Any:
    scenario = convert_scenario(RULEBOOK, {"title": "t", "sides": SIDES, "districts": [PLACE], **plain})
    return RULEBOOK.found(scenario, IDS)


def test_the_record_keeps_the_contract() -> None:
    check_rulebook(RULEBOOK)


def test_U1_a_sheet_holds_what_a_unit_may_be() -> None:
    told = {*UnitStart.__struct_fields__}

    assert {
        "side",
        "district",
        "force",
        "stealth",
        "wounds",
        "hidden",
        "named",
        "bodyguards",
        "spy",
        "informer",
    } <= told
    assert {"refuses", "never_rallies", "search_chance", "search_neighbours", "bonus", "nature", "status"} <= told


@pytest.mark.parametrize("kind", [Arrest, Raid, Move, Assault])
def test_U1_a_building_serves_no_order_and_doesn_t_move_or_attack(kind: type) -> None:
    board = Board()
    board.unit("club", nature="building", force=5)
    board.unit("patrol", "law")
    board.unit("post", "law", nature="building")
    target = (
        {"target": "south" if kind is Move else "post" if kind is Raid else "patrol"} if kind is not Assault else {}
    )

    assert "unit_building" == board.refusal(kind(district="north", units=("club",), **target))


def test_U1_a_building_defends_and_counts_in_numbers_but_never_attacks() -> None:
    board = Board()
    board.unit("section", force=2)
    board.unit("club", nature="building", force=3)
    board.unit("patrol", "law", 2, bonus=Bonus(numbers=4))
    board.unit("post", "law", nature="building", force=1)
    board.order(Raid("north", ("section",), "post"))

    tried = board.resolve().one(RaidTried)

    assert ["section"] == [force.unit for force in tried.roll.forces]
    assert ["patrol", "post"] == [force.unit for force in tried.facing.forces]
    assert 2 == tried.roll.attack
    assert 4 == tried.roll.defence, "two against two: the patrol isn't in numbers"


def test_U1_ids_compare_as_UTF_8_bytes() -> None:
    ids = ["z", "é", "ﬀ", "😀", "a"]
    board = Board()
    for name in ids:
        board.unit(name)
    board.unit("post", "law", nature="building")
    board.order(Raid("north", ("a",), "post"))

    assert sorted(ids, key=str.encode) == [force.unit for force in board.resolve().one(RaidTried).roll.forces]


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


def test_U2_a_district_holds_what_the_rules_need_of_it() -> None:
    told = {*DistrictStart.__struct_fields__}

    assert {"neighbours", "influence", "barricades", "landmark", "garrison", "gas", "disease", "fire", "prison"} <= told


def test_U2_influence_is_held_within_0_and_100() -> None:
    board = Board()
    board.unit("louise")
    board.card("up", "gamble", chance=100, gains=Gains(influence=1000, enemy_influence=-1000))
    board.order(Gamble("north", ("louise",), "up"))

    moved = board.resolve().one(InfluenceMoved)

    assert (100, 0, 70, -30) == (moved.revolution, moved.law, moved.revolution_change, moved.law_change)


@pytest.mark.parametrize("side", ["revolution", "law"])
@pytest.mark.parametrize(("change", "bound"), [(1000, 100), (-1000, 0)])
def test_U2_the_influence_of_either_side_has_both_bounds(side: Any, change: int, bound: int) -> None:
    board = Board()
    board.unit("louise", side)
    board.card("turn", "gamble", chance=100, gains=Gains(influence=change, enemy_influence=-change))
    board.order(Gamble("north", ("louise",), "turn"))

    influence = board.resolve().district().influence

    assert (bound, 100 - bound) == (influence.of(side), influence.of("law" if side == "revolution" else "revolution"))


def test_U2_fire_has_no_upper_bound_and_changes_nothing_else() -> None:
    odds = set()
    for fire in (0, 1_000_000):
        board = Board()
        board.homes["north"].fire = fire
        board.unit("section", force=3)
        board.unit("patrol", "law", 2)
        odds.add(board.odds(Assault("north", ("section",))).success)
        board.order(Assault("north", ("section",)))
        assert fire + 1 == board.resolve().district().fire

    assert {"3/5"} == odds


def test_U2_disease_is_set_by_the_scenario_and_by_amendments_alone() -> None:
    board = Board()
    board.homes["north"].disease = True
    board.amend(GroundAmended("south", disease=True))

    told = board.resolve()

    assert told.district("north").disease
    assert told.district("south").disease


@pytest.mark.parametrize(("change", "bound"), [(1000, 100), (-1000, 0)])
def test_U3_gauges_are_held_within_0_and_100(change: int, bound: int) -> None:
    board = Board(heat_units=1000)
    board.unit("louise")
    board.card("turn", "gamble", chance=100, gains=Gains(heat=change, authority=change, loyalty={"order": change}))
    board.order(Gamble("north", ("louise",), "turn"))

    told = board.resolve()

    assert (20, bound) == (told.all(HeatMoved)[0].before, told.all(HeatMoved)[0].after)
    assert bound == told.one(AuthorityMoved).after
    assert bound == told.one(LoyaltyMoved).after


def test_U3_assets_and_upgrades_give_force_and_points_by_kind() -> None:
    board = Board()
    board.unit("louise", force=2)
    board.unit("patrol", "law", 2)
    board.boon("revolution", "paving", force={"contest": 1, "raid": 5})
    board.boon("law", "sabres", force={"contest": 2})
    board.boon("revolution", "tocsin", points={"contest": 10, "arrest": 50})
    board.boon("law", "press", points={"contest": -50})

    odds = board.odds(Contest("north", ("louise",)))

    assert {"attack:louise": 3, "defence:patrol": 4, "one": 1, "tocsin": 10} == values(odds.terms)
    assert "19/40" == odds.success  # 3/8 and 10 points


def test_U3_U12_the_standard_asset_of_the_order_faction_gives_15_points() -> None:
    assert 15 == ORDER_ASSET_POINTS
    state = founded(sides={**SIDES, "law": {"assets": ["order_faction", {"id": "own", "force": {"raid": 1}}]}})

    assert ["order_faction", "own"] == [boon.id for boon in state.shared.boons["law"]]


def test_U4_the_default_card_of_each_kind_has_the_kind_s_name() -> None:
    assert [card.id for card in STANDARD_CARDS] == [card.kind for card in STANDARD_CARDS]
    for kind in ORDERS:
        (card,) = [field for field in msgspec.structs.fields(kind) if field.name == "card"]
        assert kind.kind == card.default
        assert kind.kind in {card.kind for card in STANDARD_CARDS}


def test_U4_gains_are_given_on_success_alone_whatever_the_kind() -> None:
    board = Board()
    board.unit("section", force=3)
    board.unit("patrol", "law", 2)
    board.card("speech", "contest", gains=Gains(influence=7, barricades=2, gas=True, heat=4))
    board.order(Contest("north", ("section",), "speech"))

    won = board.resolve(lambda told: told.one(ContestTried).outcome == "success")
    lost = board.resolve(lambda told: told.one(ContestTried).outcome == "failure")

    assert 7 == won.one(InfluenceMoved).revolution_change
    assert (2, True) == (won.all(GroundChanged)[0].barricades, won.all(GroundChanged)[0].gas)
    assert [] == [*lost.all(InfluenceMoved), *lost.all(GroundChanged)]
    assert 24 == won.all(HeatMoved)[0].after


@pytest.mark.parametrize("gives", [True, False])
@pytest.mark.parametrize(
    ("kind", "unit", "target"),
    [
        (Assassination, "mask", "prefect"),
        (Search, "louise", ""),
        (Rally, "louise", "prefect"),
        (Arrest, "louise", "prefect"),
        (Raid, "louise", "post"),
        (Contest, "louise", ""),
        (Gamble, "louise", ""),
        (Assault, "louise", ""),
    ],
)
def test_U4_each_kind_of_order_gives_what_its_card_says_on_success_and_nothing_on_failure(
    kind: Any, unit: str, target: str, gives: bool
) -> None:
    board = Board(heat_units=1000)
    board.unit("louise", force=3)
    board.unit("mask", hidden=True)
    board.unit("prefect", "law", force=2, nature="person", named=True)
    board.unit("post", "law", nature="building")
    board.unit("ghost", "law", hidden=True)
    board.card("gift", kind.kind, gains=Gains(barricades=2, authority=3, loyalty={"order": 4}))
    board.order(kind(district="north", units=(unit,), card="gift", **({"target": target} if target else {})))

    def given(told: Told) -> bool:
        return bool(told.all(GroundChanged, cause="card"))

    told = board.resolve(lambda told: given(told) == gives)

    assert {} == told.reasons()
    assert ((43, 54) if gives else (40, 50)) == (
        told.city.gauges["revolution"].authority,
        told.city.gauges["revolution"].factions[0].loyalty,
    )
    succeeded = {event.outcome for event in told.events if getattr(event, "camp", "") == "revolution" and _tried(event)}
    assert succeeded <= ({"success", "won", "arrested"} if gives else {"failure", "lost", "failed"})


def _tried(event: Any) -> bool:
    return hasattr(event, "orders") and hasattr(event, "outcome")


def test_U4_barricades_never_fall_below_zero() -> None:
    board = Board()
    board.homes["north"].barricades = 1
    board.unit("patrol", "law")
    board.card("works", "gamble", chance=100, gains=Gains(barricades=-5))
    board.order(Gamble("north", ("patrol",), "works"))

    assert 0 == board.resolve().one(GroundChanged).barricades


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
