"""The order of a tick, and what is void: V9, V19, V29, V36, K1, K2, K6, K8 and K9."""

import pytest

from tests.rules.veil.table import IDS, TICK, Table, next_tick
from workers.kernel.orders import Booking
from workers.rules.veil import RULEBOOK
from workers.rules.veil.events import (
    CounterRolled,
    InfluencePlayed,
    InquestDrawn,
    IntelRolled,
    MissionAssigned,
    MissionPlayed,
    OrderVoid,
    RecoveryRolled,
    SupportRolled,
    ZoneMoved,
)
from workers.rules.veil.orders import ORDERS, AnyOrder, Counter, Influence, Intel, Mission, Recovery, Support


def test_V29_the_phases_are_always_in_this_order() -> None:
    assert ["intel", "support", "counter", "mission", "recovery", "veil_decay", "locks", "events"] == [
        phase.name for phase in RULEBOOK.phases
    ]


def test_V29_K8_the_paths_of_dice_name_orders_by_id_and_entities_by_handle() -> None:
    table = Table()
    table.servant("ariane", "angel", "yves")
    order = table.order(Influence("ariane", "north"))

    told = table.resolve()
    assigned = told.one(MissionAssigned)
    handle = IDS.handle("ariane")

    assert f"influence/{order}/roll" == told.one(InfluencePlayed).roll.path
    assert f"events/{IDS.handle('inquest')}/draw" == told.one(InquestDrawn).draw.path
    assert [(f"events/{handle}/zone", 2), (f"events/{handle}/approach", 1)] == [
        (draw.path, draw.below) for draw in assigned.draws
    ]
    zones = ["north", "south"]
    assert zones[table.dice.stream(f"events/{handle}/zone").below(2)] == assigned.zone
    assert IDS.created("mission", TICK, "ariane") == assigned.mission


def test_K1_no_order_has_a_field_for_a_roll() -> None:
    assert {"servant", "mission", "zone", "target", "pp"} == {
        field for kind in ORDERS for field in kind.__struct_fields__
    }


def test_K2_a_camp_reads_everything_of_its_own_roll_to_check_it_by_hand() -> None:
    table = Table()
    table.servant("ariane", wounds=1)
    order = table.order(Influence("ariane", "north", 1), 241)
    (fact,) = table.resolve().report("angel", "influence_played")

    assert {
        "path": f"influence/{order}/roll",
        "dice": [2, 4, 1],
        "terms": [
            {"name": "speech", "value": 2},
            {"name": "smooth_talk", "value": 1},
            {"name": "difficulty", "value": 0},
            {"name": "power_points", "value": 1},
            {"name": "wounded", "value": -1},
        ],
        "score": 3,
        "threshold": 356,
        "outcome": "success",
        "quality": 1,
    } == fact["roll"]
    assert {
        "base": 3,
        "quality": 1,
        "affinity": "neutral",
        "dormitory": False,
        "rounded": 2,
        "counter": "none",
        "points": 2,
    } == fact["gain"]


def test_V9_costs_are_meters_of_the_servant() -> None:
    table = Table()
    table.servant("ariane", pp=4)
    mission = table.mission("ariane")

    costs = {
        order.KIND.name: [(cost.meter, cost.amount, cost.limit) for cost in table.check(order).costs]
        for order in (Mission("ariane", mission, 2), Influence("ariane", "north"), Recovery("ariane", 1))
    }

    assert {
        "mission": [("ap", 2, 3), ("pp", 2, 4)],
        "influence": [("ap", 1, 3)],
        "recovery": [("ap", 1, 3), ("pp", 1, 4), ("recovery", 1, 1)],
    } == costs


def fitting(table: Table, *orders: str) -> None:
    """The table's only voids are those of its orders that don't fit beside the earlier ones by initiative."""
    expected = {}
    ap, spent, recoveries = 0, 0, 0
    by_id = {booked.id: booked.order for booked in table.orders}
    for order_id in sorted(orders, key=table.dice.initiative):
        order = by_id[order_id]
        recovery = isinstance(order, Recovery)
        if ap + order.KIND.ap > 3:
            expected[order_id] = "action_points"
        elif spent + order.pp > 3:
            expected[order_id] = "power_points"
        elif recovery and recoveries:
            expected[order_id] = "one_recovery"
        else:
            ap, spent, recoveries = ap + order.KIND.ap, spent + order.pp, recoveries + recovery
    assert expected
    assert expected == {event.order: event.reason for event in table.resolve().all(OrderVoid)}


@pytest.mark.parametrize("again", range(6))
def test_V9_K6_orders_that_no_longer_fit_together_are_kept_in_ascending_initiative(again: int) -> None:
    table = Table(tick=TICK + again)
    table.servant("ariane", pp=3)
    mission = table.mission("ariane")
    fitting(
        table,
        table.order(Mission("ariane", mission, 2)),
        table.order(Influence("ariane", "north", 1)),
        table.order(Intel("ariane", "north", 2)),
        table.order(Recovery("ariane")),
        table.order(Recovery("ariane", 1)),
    )


def test_V9_K6_of_two_recoveries_one_is_void() -> None:
    table = Table()
    table.servant("ariane")
    orders = [table.order(Recovery("ariane")) for _ in range(2)]

    told = table.resolve()

    first, second = sorted(orders, key=table.dice.initiative)
    assert (second, "one_recovery") == (told.one(OrderVoid).order, told.one(OrderVoid).reason)
    assert first == told.one(RecoveryRolled).order


def test_V9_every_other_reason_comes_after_the_fit_and_gives_nothing_back() -> None:
    """The mission is gone, but its 2 action points were counted: of the influences only one fits beside it."""
    table = Table()
    table.servant("ariane")
    gone = table.order(Mission("ariane", "gone"), 331)
    first = table.dice.initiative(gone)
    late = [
        table.order(Influence("ariane", "north"), 331, lambda name: table.dice.initiative(name) > first)
        for _ in range(2)
    ]

    told = table.resolve()

    _, last = sorted(late, key=table.dice.initiative)
    assert {gone: "mission_gone", last: "action_points"} == {event.order: event.reason for event in told.all(OrderVoid)}


def test_V9_the_power_points_of_the_fit_are_those_of_the_ticks_start() -> None:
    """A recovery's points come after the tick's spending: they pay for nothing in it."""
    table = Table()
    table.servant("ariane", pp=1, soul=5)
    table.order(Recovery("ariane"), 331)
    spending = table.order(Influence("ariane", "north", 2))

    told = table.resolve()

    assert (spending, "power_points") == (told.one(OrderVoid).order, told.one(OrderVoid).reason)
    assert 6 == told.servants["ariane"].pp


def test_K6_an_order_of_a_servant_that_is_not_there_is_void() -> None:
    table = Table()
    order = table.order(Influence("nobody", "north"))

    told = table.resolve()

    assert (order, "servant_gone", "nobody") == (
        told.one(OrderVoid).order,
        told.one(OrderVoid).reason,
        told.one(OrderVoid).servant,
    )
    assert ["servant_gone"] == [fact["reason"] for fact in told.report("angel", "order_void")]
    assert [] == told.report("demon")


def test_K6_a_void_order_rolls_and_spends_nothing() -> None:
    table = Table()
    table.servant("ariane")
    table.zones["north"].sealed_through = TICK
    table.order(Influence("ariane", "north", 2))

    told = table.resolve()

    assert [] == told.all(InfluencePlayed)
    assert 5 == told.servants["ariane"].pp
    assert [] == told.servants["ariane"].void


def test_V2_K6_at_three_wounds_only_a_recovery_is_accepted_or_played() -> None:
    table = Table()
    table.servant("ariane", wounds=3)
    table.servant("celeste")
    table.servant("garance", "demon")
    own, allied = table.mission("ariane"), table.mission("celeste")
    enemy = table.mission("garance", by_intel=True)
    table.intel("angel", "north", TICK)
    orders: list[AnyOrder] = [
        Mission("ariane", own),
        Influence("ariane", "north"),
        Intel("ariane", "north"),
        Support("ariane", "celeste", allied),
        Counter("ariane", "garance", enemy),
    ]

    assert {("too_wounded", "")} == {table.refusal(order) for order in orders}
    assert isinstance(table.check(Recovery("ariane")), Booking)
    for order in orders[1:3]:
        table.order(order)
    table.order(Recovery("ariane"))
    told = table.resolve()
    assert ["wounds", "wounds"] == [event.reason for event in told.all(OrderVoid)]
    assert "ariane" == told.one(RecoveryRolled).servant


@pytest.mark.parametrize("through", [TICK, TICK + 3])
def test_V19_no_order_can_act_in_a_sealed_zone(through: int) -> None:
    table = Table()
    table.servant("ariane")
    table.servant("bastien")
    table.servant("garance", "demon")
    table.zones["north"].sealed_through = through
    mission = table.mission("ariane")
    enemy = table.mission("garance", by_intel=True)
    table.intel("angel", "north", TICK)
    orders: list[AnyOrder] = [
        Mission("ariane", mission),
        Influence("ariane", "north"),
        Intel("bastien", "north"),
        Counter("bastien", "garance", enemy),
    ]
    table.servant("celeste")
    orders.append(Support("celeste", "ariane", mission))

    assert {("", "")} == {table.refusal(order) for order in orders}
    for order in orders:
        table.order(order)
    told = table.resolve()
    assert ["sealed"] * 5 == [event.reason for event in told.all(OrderVoid)]


def test_V19_a_seal_that_ended_hinders_nothing() -> None:
    table = Table()
    table.servant("ariane")
    table.zones["north"].sealed_through = TICK - 1
    table.order(Influence("ariane", "north"))

    assert [] == table.resolve().all(OrderVoid)


def test_V36_a_mission_order_names_a_mission_of_its_own_servant() -> None:
    table = Table()
    for name in ("ariane", "celeste"):
        table.servant(name)
    table.servant("garance", "demon")
    allied, enemy = table.mission("celeste"), table.mission("garance")

    assert ("unknown_mission", "mission") == table.refusal(Mission("ariane", allied))
    assert ("unknown_mission", "mission") == table.refusal(Mission("ariane", enemy))
    assert ("unknown_mission", "mission") == table.refusal(Mission("ariane", "never-there"))
    table.order(Mission("ariane", allied))
    assert "mission_gone" == table.resolve().one(OrderVoid).reason


def test_V36_ids_compare_as_strings_by_code_point() -> None:
    """Of two equally noisy zones the inquest takes the lowest id: `Z` before `a`, `a` before `é`."""
    table = Table(zones="é a Z")
    table.servant("ariane")
    table.city.strain = 100
    for zone in table.zones.values():
        zone.noise = 3

    drawn = [draw.zone for tick in range(30) for draw in Repeated(table, tick).draws()]

    assert {"Z", None} == set(drawn)


class Repeated:
    """The same table in another tick."""

    def __init__(self, table: Table, tick: int) -> None:
        self._table = Table(tick=tick + 1)
        self._table.city, self._table.servants = table.city, table.servants

    def draws(self) -> list[InquestDrawn]:
        return self._table.resolve().all(InquestDrawn)


def test_V29_K9_a_missions_wound_and_rating_weigh_on_this_ticks_recovery_not_on_its_influence() -> None:
    table = Table()
    table.servant("ariane", rating=-2, soul=4)
    table.servant("celeste", rating=-2, soul=4)
    lost = table.mission("ariane", approach="violent")
    table.order(Mission("ariane", lost), 665)
    table.order(Influence("ariane", "north"))
    same = table.mission("celeste", approach="violent")
    table.order(Mission("celeste", same), 665)
    table.order(Recovery("celeste"))

    told = table.resolve()

    assert ["speech", "smooth_talk", "difficulty"] == [term.name for term in told.one(InfluencePlayed).roll.terms]
    assert ["soul", "difficulty", "wounded", "disgrace"] == [term.name for term in told.one(RecoveryRolled).roll.terms]


def test_V29_a_rolls_own_effects_happen_in_its_phase() -> None:
    """Power points of an intel are spent, and its intervention moves the zone, in the intel phase."""
    table = Table()
    table.servant("ariane")
    table.order(Intel("ariane", "north", 2), 111)
    table.order(Influence("ariane", "north", 2))

    told = table.resolve()

    assert ["intel"] == told.phase_of(IntelRolled)
    assert 1 == told.servants["ariane"].pp


def test_V29_the_own_effects_of_a_support_and_a_counter_happen_in_their_phases() -> None:
    """90 and 25 are bounded to 100 in the support phase, the counter takes 25 in its own, the mission finds 75."""
    table = Table()
    table.zones["north"].influence = 90
    table.servant("ariane")
    table.servant("bastien", superior="georges")
    table.servant("garance", "demon")
    mission = table.mission("ariane", by_intel=True)
    table.order(Mission("ariane", mission), 665)
    table.order(Support("bastien", "ariane", mission, 2), 111)
    table.order(Counter("garance", "ariane", mission, 1), 666)

    told = table.resolve()

    assert ["support", "counter", "mission"] == told.phase_of(ZoneMoved)
    assert [100, 75, 75] == [event.influence for event in told.all(ZoneMoved)]
    assert (["support"], ["counter"]) == (told.phase_of(SupportRolled), told.phase_of(CounterRolled))
    assert (3, 4) == (told.servants["bastien"].pp, told.servants["garance"].pp)
    assert ("support",) == told.servants["bastien"].succeeded


@pytest.mark.parametrize("slices", [1, 16])
def test_V9_V3_action_points_do_not_carry_over(slices: int) -> None:
    """After three idle ticks, orders for 3 action points are carried out, and not one more."""
    table = Table()
    table.servant("ariane")
    for _ in range(3):
        table = next_tick(table.resolve(slices), table)
    assert (3,) == tuple(cost.limit for cost in table.check(Influence("ariane", "north")).costs)
    orders = [table.order(Influence("ariane", "north")) for _ in range(4)]

    told = table.resolve(slices)

    assert 3 == len(told.all(InfluencePlayed))
    assert (max(orders, key=table.dice.initiative), "action_points") == (
        told.one(OrderVoid).order,
        told.one(OrderVoid).reason,
    )


def test_V20_a_played_mission_is_gone_and_a_new_one_is_drawn() -> None:
    table = Table()
    table.servant("ariane")
    mission = table.mission("ariane")
    table.order(Mission("ariane", mission), 665)

    told = table.resolve()

    assert mission == told.one(MissionPlayed).mission
    assert [told.one(MissionAssigned).mission] == [held.id for held in told.servants["ariane"].missions]
