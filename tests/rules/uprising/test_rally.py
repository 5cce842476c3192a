"""Rallies: U17, and the budget of Authority: K6."""

from typing import Any

import pytest

from tests.rules.uprising.board import IDS, Board, Told, after, values
from workers.kernel.orders import Booking, Cost
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.events import AuthorityClaimed, AuthorityMoved, RallyTried
from workers.rules.uprising.orders import Arrest, Gamble, Raid, Rally


def outcome(wanted: str):
    return lambda told: told.one(RallyTried).outcome == wanted


def a_rally(units: int = 2, **prefect: Any) -> Board:
    board = Board()
    board.unit("prefect", "law", **{"force": 3, "named": True, **prefect})
    for number in range(units):
        board.unit(f"r{number:02}")
    board.order(Rally("north", tuple(f"r{number:02}" for number in range(units)), "prefect"))
    return board


@pytest.mark.parametrize(("units", "points"), [(1, 45), (2, 50), (11, 95), (12, 95)])
def test_U17_40_points_and_5_for_each_unit_at_its_side_at_most_95(units: int, points: int) -> None:
    tried = a_rally(units).resolve().one(RallyTried)

    assert tried.roll is not None
    assert {"card": 40, "units": 5 * units} == values(tried.roll.terms)
    assert points == tried.roll.threshold
    assert (points >= tried.roll.dice[0]) == (tried.outcome == "success")


def test_U17_a_card_may_say_otherwise() -> None:
    board = a_rally(1)
    board.card("friends", "rally", chance=70)

    assert "3/4" == board.odds(Rally("north", ("r00",), "prefect", "friends")).success


def test_U17_a_success_brings_the_enemy_over() -> None:
    board = a_rally()

    told = board.resolve(outcome("success"))
    lost = board.resolve(outcome("failure"))

    assert ("revolution", 3) == (told.unit("prefect").camp, told.unit("prefect").rallied)
    assert ("law", 0) == (lost.unit("prefect").camp, lost.unit("prefect").rallied)


def test_U17_orders_of_who_changed_side_are_void_from_then_on() -> None:
    board = a_rally()
    raid = board.order(Raid("north", ("prefect",), "r00"))
    more = board.order(Arrest("north", ("r01",), "prefect"))

    told = board.resolve(lambda told: told.one(RallyTried).outcome == "success")

    assert {raid: "target_building", more: "target_changed_side"}.keys() == told.reasons().keys()
    assert "target_changed_side" == told.reasons()[more]


@pytest.mark.parametrize(
    ("sheet", "reason", "refusal"),
    [
        ({"named": False}, "target_not_named", "target_not_named"),
        ({"never_rallies": True}, "target_never_rallies", "target_never_rallies"),
        ({"hidden": True}, "target_gone", "target_unknown"),
        ({"nature": "building"}, "target_building", "target_building"),
        ({"status": "fallen"}, "target_gone", "target_not_active"),
        ({"camp": "revolution"}, "target_changed_side", "target_yours"),
    ],
)
def test_U17_it_brings_over_a_named_revealed_enemy_who_may_rally(
    sheet: dict[str, object], reason: str, refusal: str
) -> None:
    board = a_rally()
    for name, value in sheet.items():
        setattr(board.homes["north"].units["prefect"], name, value)

    assert {"rally-0": reason} == board.resolve().reasons()
    assert refusal == board.refusal(Rally("north", ("r00",), "prefect"))


@pytest.mark.parametrize(("tick", "void"), [(11, True), (15, True), (16, False)])
def test_U17_who_changed_side_can_t_be_rallied_in_the_5_ticks_after(tick: int, void: bool) -> None:
    board = a_rally(rallied=10)
    board.tick = tick

    assert ({"rally-0": "target_rests"} if void else {}) == board.resolve().reasons()
    assert ("target_rests" if void else "") == board.refusal(Rally("north", ("r00",), "prefect"))


def by_authority(authority: int, force: int = 3) -> Board:
    board = a_rally(2, force=force)
    board.city.gauges["revolution"].authority = authority
    board.card("proclamation", "rally", by_authority=True, gains=Gains(influence=1))
    board.orders.clear()
    return board


@pytest.mark.parametrize(("authority", "wanted"), [(29, "failure"), (30, "success")])
def test_U17_by_authority_no_dice_10_for_each_of_its_own_force(authority: int, wanted: str) -> None:
    board = by_authority(authority)
    board.boon("law", "strong", force={"arrest": 5, "contest": 5})
    board.homes["north"].units["prefect"].wounds = 2
    board.homes["north"].gas = True
    board.order(Rally("north", ("r00",), "prefect", "proclamation"))

    told = board.resolve()
    tried = told.one(RallyTried)

    assert tried.authority is not None
    assert (None, authority, 30, wanted) == (
        tried.roll,
        tried.authority.authority,
        tried.authority.threshold,
        tried.outcome,
    )
    moved = [(event.before, event.after) for event in told.all(AuthorityMoved)]
    assert ([(30, 20)] if wanted == "success" else []) == moved, "10 is taken on success, at the phase's end"


def test_U17_the_order_books_10_authority_at_intake() -> None:
    board = by_authority(25)

    booking = board.check(Rally("north", ("r00",), "prefect", "proclamation"))

    assert isinstance(booking, Booking)
    assert Cost("authority", 10, 25, "revolution") in booking.costs
    plain = board.check(Rally("north", ("r00",), "prefect"))
    assert "authority" not in {cost.meter for cost in plain.costs}


def test_K6_rallies_that_the_authority_no_longer_carries_are_void_in_ascending_initiative() -> None:
    """K6, U17: three rallies by authority in two districts were booked on 30; 29 are left: the two that come first
    in initiative are kept."""
    board = by_authority(29, force=1)
    for number, place in enumerate(("north", "south", "south")):
        board.unit(f"enemy{number}", "law", named=True, at=place)
        board.unit(f"friend{number}", at=place)
        board.order(Rally(place, (f"friend{number}",), f"enemy{number}", "proclamation"), name=str(number))

    told = board.resolve()
    keys = {str(n): IDS.handle(f"revolution:rally:enemy{n}") for n in range(3)}
    last = max(keys, key=lambda name: board.dice.initiative(keys[name]))

    assert {last: "no_authority"} == told.reasons()
    assert (29, 9) == (told.one(AuthorityMoved).before, told.one(AuthorityMoved).after)
    assert () == told.city.gauges["revolution"].overdrawn


def test_K6_a_void_rally_claims_no_authority() -> None:
    """K6: what is void spends nothing, so it takes nothing from a rally that stands, whatever their initiative."""
    for first in ("gone", "fallen", "card"):
        board = by_authority(10, force=1)
        board.card("theirs", "rally", by_authority=True, sides=("law",))
        board.unit("enemy", "law", named=True)
        board.unit("dead", status="fallen")
        board.unit("friend")
        target = "nobody" if first == "gone" else "enemy"
        unit = "dead" if first == "fallen" else "friend"
        void = board.order(Rally("north", (unit,), target, "theirs" if first == "card" else "proclamation"))
        stands = board.order(Rally("north", ("r00",), "prefect", "proclamation"))

        def void_first(told: Told, board: Board = board, target: str = target) -> bool:
            keys = [IDS.handle(f"revolution:rally:{name}") for name in (target, "prefect")]
            return board.dice.initiative(keys[0]) < board.dice.initiative(keys[1])

        told = board.resolve(void_first)

        assert {void} == set(told.reasons())
        assert (stands,) == told.one(RallyTried).orders


def test_K6_a_rally_of_who_was_just_found_claims_its_authority() -> None:
    """K6, U19: reveals happen at the end of the searches, before the rallies are weighed."""
    board = by_authority(10, force=1)
    board.unit("ear", spy=True, search_chance=95)
    board.homes["north"].units["prefect"].hidden = True
    board.order(Rally("north", ("r00",), "prefect", "proclamation"))

    told = board.resolve(lambda told: not told.unit("prefect").hidden)

    assert "success" == told.one(RallyTried).outcome
    assert 1 == len(told.all(AuthorityClaimed))


def test_K6_the_authority_is_that_of_the_phase_s_start() -> None:
    """K6, K9: what a search gives just before counts, what a gamble gives later doesn't."""
    board = by_authority(5, force=0)
    board.card("speech", "gamble", chance=100, gains=Gains(authority=50))
    board.order(Rally("north", ("r00",), "prefect", "proclamation"))
    board.order(Gamble("north", ("r01",), "speech"))

    told = board.resolve()

    assert {"rally-0": "no_authority"} == told.reasons()
    assert 55 == told.one(AuthorityMoved).after


def test_U22_of_merged_rallies_the_best_chance_counts_an_authority_card_s_being_0_or_1() -> None:
    for authority, card in ((30, "proclamation"), (29, "rally")):
        board = by_authority(authority)
        board.order(Rally("north", ("r00",), "prefect"))
        board.order(Rally("north", ("r01",), "prefect", "proclamation"))

        told = board.resolve()
        tried = told.one(RallyTried)

        assert card == tried.card
        assert ("r00", "r01") == tried.units
        assert (10 if card == "proclamation" else 0) == tried.paid


def test_U17_who_was_rallied_plays_for_its_new_side_in_the_tick_after() -> None:
    board = a_rally()
    board.unit("patrol", "law")

    coming = after(board.resolve(outcome("success")), board)

    assert "" == coming.refusal(Arrest("north", ("prefect",), "patrol"))
    assert "unit_not_here" == coming.refusal(Gamble("north", ("prefect",)), "law")


def test_U17_U4_gains_of_a_rally_are_its_new_side_s() -> None:
    board = by_authority(30)
    board.order(Rally("north", ("r00",), "prefect", "proclamation"))

    assert 31 == board.resolve().district().influence.revolution


def test_U17_a_rally_of_what_a_failed_one_missed_may_come_again_next_tick() -> None:
    board = a_rally()

    def failed(told: Told) -> bool:
        return told.one(RallyTried).outcome == "failure"

    assert "" == after(board.resolve(failed), board).refusal(Rally("north", ("r00",), "prefect"))


def test_K6_rallies_by_dice_lay_no_claim_to_authority() -> None:
    board = by_authority(10, force=1)
    for number in range(4):
        board.unit(f"enemy{number}", "law", named=True)
        board.unit(f"friend{number}")
        board.order(Rally("north", (f"friend{number}",), f"enemy{number}", "rally" if number else "proclamation"))

    assert {} == board.resolve().reasons()


def test_U25_who_lost_its_last_unit_to_a_rally_sees_the_influence_no_more() -> None:
    board = by_authority(30)
    board.order(Rally("north", ("r00",), "prefect", "proclamation"))

    told = board.resolve()

    assert 1 == len(told.report("revolution", "influence"))
    assert [] == told.report("law", "influence")


def test_K6_a_rally_by_dice_stands_where_one_by_authority_on_the_same_target_is_void() -> None:
    board = by_authority(9)
    dice = board.order(Rally("north", ("r00",), "prefect"))
    void = board.order(Rally("north", ("r01",), "prefect", "proclamation"))

    told = board.resolve()

    assert {void: "no_authority"} == told.reasons()
    assert (dice,) == told.one(RallyTried).orders


def test_U17_a_rally_by_authority_may_cost_nothing_in_a_campaign() -> None:
    board = by_authority(0, force=0)
    board.settings = type(board.settings)(rally_authority=0)
    board.order(Rally("north", ("r00",), "prefect", "proclamation"))

    assert "success" == board.resolve().one(RallyTried).outcome
