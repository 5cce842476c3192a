"""Contests and gambles: U18."""

from fractions import Fraction

import pytest

from tests.rules.uprising.board import Board, values
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.events import (
    AssaultRolled,
    AuthorityMoved,
    ContestTried,
    GambleTried,
    GroundChanged,
    HeatMoved,
    InfluenceMoved,
    LoyaltyMoved,
)
from workers.rules.uprising.orders import Assault, Contest, Gamble


def test_U18_a_contest_faces_the_other_side_s_units_in_the_district_and_1() -> None:
    board = Board()
    board.unit("louise", force=3)
    board.unit("friend", force=9)
    board.unit("patrol", "law", 2)
    board.unit("ghost", "law", 1, hidden=True)
    board.unit("post", "law", 1, nature="building")
    board.order(Contest("north", ("louise",)))

    tried = board.resolve().one(ContestTried)

    assert {"louise": 3} == {force.unit: force.force for force in tried.roll.forces}
    assert {"one": 1} == values(tried.roll.ground)
    assert (3, 5, "3/8") == (tried.roll.attack, tried.roll.defence, tried.roll.chance)


def test_U18_a_named_defence_is_a_number_with_no_1() -> None:
    board = Board()
    board.unit("louise", force=3)
    board.unit("patrol", "law", 9)
    board.card("speech", "contest", defence=3)
    board.order(Contest("north", ("louise",), "speech"))

    tried = board.resolve().one(ContestTried)

    assert ({"named": 3}, "1/2") == (values(tried.roll.ground), tried.roll.chance)
    assert () == tried.facing.forces


@pytest.mark.parametrize(("chance", "points"), [(None, 50), (0, 0), (100, 100), (37, 37)])
def test_U18_U6_a_gamble_is_its_card_s_0_to_100_points_or_50(chance: int | None, points: int) -> None:
    board = Board()
    board.unit("louise")
    board.card("bet", "gamble", chance=chance)
    board.order(Gamble("north", ("louise",), "bet"))

    tried = board.resolve().one(GambleTried)

    assert points == tried.roll.threshold
    assert (tried.roll.dice[0] <= points) == (tried.outcome == "success")
    assert Fraction(points, 100) == Fraction(board.odds(Gamble("north", ("louise",), "bet")).success or "")


def test_U18_their_effects_are_the_card_s_gains() -> None:
    board = Board(heat_units=1000)
    board.unit("patrol", "law")
    gains = Gains(4, -6, 3, 2, {"order": 5}, 1, True)
    board.card("all", "gamble", chance=100, gains=gains)
    board.order(Gamble("north", ("patrol",), "all"))

    told = board.resolve()

    assert (34, 24) == (told.one(InfluenceMoved).law, told.one(InfluenceMoved).revolution)
    assert (1, True) == (told.all(GroundChanged)[0].barricades, told.all(GroundChanged)[0].gas)
    assert 23 == told.all(HeatMoved)[0].after
    assert ("law", 42) == (told.one(AuthorityMoved).camp, told.one(AuthorityMoved).after)
    assert ("law", 55) == (told.one(LoyaltyMoved).camp, told.one(LoyaltyMoved).after)


def test_U18_a_failed_gamble_gives_nothing() -> None:
    board = Board(heat_units=1000)
    board.unit("patrol", "law")
    board.card("all", "gamble", chance=0, gains=Gains(4, -6, 3, 2, {"order": 5}, 1, True))
    board.order(Gamble("north", ("patrol",), "all"))

    told = board.resolve()

    assert [] == [*told.all(InfluenceMoved), *told.all(GroundChanged), *told.all(AuthorityMoved)]


def test_U23_U10_tear_gas_of_a_gamble_is_there_at_once() -> None:
    """U23: whoever comes after it in the same phase, and every assault of the tick, fights under it."""
    board = Board()
    board.unit("patrol", "law")
    board.unit("company", "law", 5)
    board.unit("louise", force=5)
    board.card("gas", "gamble", chance=100, gains=Gains(gas=True))
    board.order(Gamble("north", ("patrol",), "gas"))
    board.order(Contest("north", ("louise",)))
    board.order(Assault("north", ("company",)))

    def gas_first(told: object) -> bool:
        return [type(event) for event in told.events if isinstance(event, ContestTried | GambleTried)] == [  # type: ignore[attr-defined]  # what was told
            GambleTried,
            ContestTried,
        ]

    told = board.resolve(gas_first)

    assert {"own": 5, "tear_gas": -2} == values(told.one(ContestTried).roll.forces[0].terms)
    assert {"own": 5, "tear_gas": -2} == values(told.one(AssaultRolled).roll.forces[0].terms)
    assert not told.district().gas, "it clears in the aftermath"
