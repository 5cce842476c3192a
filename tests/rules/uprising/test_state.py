"""What there is in the city: U1, U2, U3, and cards as data, U4."""

from typing import Any

import msgspec
import pytest

from tests.rules.uprising.board import Board, Told, values
from tests.rules.uprising.scenes import SIDES, founded
from workers.rules.contract import check_rulebook
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
from workers.rules.uprising.scenario import DistrictStart, UnitStart
from workers.rules.uprising.tables import ORDER_ASSET_POINTS, STANDARD_CARDS


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
