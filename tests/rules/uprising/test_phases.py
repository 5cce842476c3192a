"""The tick's order and the ends of phases: U21 and U23; K8 and K9."""

from tests.rules.uprising.board import Board, Told
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.entities import Garrison, Landmark
from workers.rules.uprising.events import (
    ArrestTried,
    AssassinationTried,
    AssaultFought,
    AuthorityMoved,
    ContestTried,
    GambleTried,
    HeatMoved,
    InfluenceMoved,
    RaidTried,
    RallyTried,
    SearchMade,
    UnitMoved,
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


def test_U21_the_phases_are_always_in_this_order() -> None:
    assert [
        "assassination",
        "search",
        "rally",
        "arrest",
        "raid",
        "move",
        "contest",
        "assault",
        "aftermath",
    ] == [phase.name for phase in RULEBOOK.phases]


def test_U21_every_kind_of_order_is_carried_out_in_its_phase() -> None:
    board = Board()
    for name in ("one", "two", "three", "four", "five", "six", "seven", "eight"):
        board.unit(name, force=3)
    board.unit("mask", hidden=True)
    board.unit("patrol", "law", 4)
    board.unit("baker", "law", 0)
    board.unit("prefect", "law", nature="person", named=True)
    board.unit("orator", "law", nature="person", named=True)
    board.unit("post", "law", nature="building")
    board.order(Assault("north", ("one",)))
    board.order(Gamble("north", ("two",)))
    board.order(Contest("north", ("three",)))
    board.order(Move("north", ("four",), "south"))
    board.order(Raid("north", ("five",), "post"))
    board.order(Arrest("north", ("six",), "baker"))
    board.order(Rally("north", ("seven",), "orator"))
    board.order(Search("north", ("eight",)))
    board.order(Assassination("north", ("mask",), "prefect"))

    told = board.resolve()

    kinds = (
        AssassinationTried,
        SearchMade,
        RallyTried,
        ArrestTried,
        RaidTried,
        UnitMoved,
        (ContestTried, GambleTried),
        AssaultFought,
    )
    places = [[i for i, event in enumerate(told.events) if isinstance(event, kind)] for kind in kinds]
    assert all(len(found) == (2 if isinstance(kind, tuple) else 1) for found, kind in zip(places, kinds, strict=True))
    assert sorted(place for found in places for place in found) == [place for found in places for place in found]


def test_U23_influence_of_a_district_changes_at_once_and_is_bounded_each_time() -> None:
    """U23: +80 and −70 on 30 are 30, or 80 the other way round: never the sum, bounded once."""
    board = Board()
    board.unit("louise")
    board.unit("jean")
    board.card("up", "gamble", chance=100, gains=Gains(influence=80))
    board.card("down", "gamble", chance=100, gains=Gains(influence=-70))
    board.order(Gamble("north", ("louise",), "up"))
    board.order(Gamble("north", ("jean",), "down"))

    def up_first(told: Told) -> bool:
        return told.all(GambleTried)[0].card == "up"

    assert [100, 30] == [moved.revolution for moved in board.resolve(up_first).all(InfluenceMoved)]
    assert [0, 80] == [moved.revolution for moved in board.resolve(lambda t: not up_first(t)).all(InfluenceMoved)]


def test_U23_what_changes_elsewhere_is_summed_over_all_districts_then_bounded() -> None:
    """U23: Heat 90, +80 in one district and −70 in another: 100, and not 30 or 100 − 70."""
    board = Board(heat_units=1000)
    board.city.heat = 90
    board.card("up", "gamble", chance=100, gains=Gains(heat=80, authority=80))
    board.card("down", "gamble", chance=100, gains=Gains(heat=-70, authority=-70))
    for place, card in (("north", "up"), ("south", "down")):
        board.unit(f"u-{place}", at=place)
        board.order(Gamble(place, (f"u-{place}",), card))

    told = board.resolve()

    assert (90, 100) == (told.all(HeatMoved)[0].before, told.all(HeatMoved)[0].after)
    assert (40, 50) == (told.one(AuthorityMoved).before, told.one(AuthorityMoved).after)


def test_U23_each_phase_bounds_its_own_sum() -> None:
    """U23: the contests' +80 stop at 100 before the assault's −30 are taken from there."""
    board = Board(heat_units=1000)
    board.city.heat = 90
    board.unit("louise")
    board.unit("section", force=20)
    board.unit("patrol", "law", 1)
    board.card("up", "gamble", chance=100, gains=Gains(heat=80))
    board.card("calm", "assault", gains=Gains(heat=-30))
    board.order(Gamble("north", ("louise",), "up"))
    board.order(Assault("north", ("section",), "calm"))

    told = board.resolve(lambda told: told.one(AssaultFought).outcome == "won")

    assert [(90, 100), (100, 70), (70, 69)] == [(moved.before, moved.after) for moved in told.all(HeatMoved)]


def test_U23_K9_a_prison_taken_is_another_s_from_the_phase_s_end_on() -> None:
    """U23: in the same phase, an assault elsewhere that only a prison makes worth while isn't changed by it."""
    board = Board()
    board.prison("north", "law")
    board.homes["north"].garrison = Garrison(1, ("revolution",))
    board.homes["north"].landmark = Landmark("the tower", 0, "law")
    board.unit("section", force=20)
    board.order(Assault("north", ("section",)))

    told = board.resolve(lambda told: told.one(AssaultFought).outcome == "won")

    assert "revolution" == told.city.prisons["north"].holder == told.city.prisons["north"].held


def test_K9_a_phase_reads_what_its_predecessors_in_the_district_left() -> None:
    """K9, U22: who was arrested first in a district doesn't arrest any more."""
    board = Board()
    board.prison("south", "law")
    board.unit("patrol", "law", 50)
    board.unit("louise", force=50)
    board.order(Arrest("north", ("patrol",), "louise"))
    board.order(Arrest("north", ("louise",), "patrol"))

    told = board.resolve(lambda told: len(told.all(ArrestTried)) == 1)

    assert "unit_arrested" in told.reasons().values()


def test_K8_the_server_draws_ids_and_no_order_says_what_it_rolls() -> None:
    assert {"district", "units", "target", "card", "coming_from"} == {
        field for kind in ORDERS for field in kind.__struct_fields__
    }


def test_K1_K8_the_same_orders_roll_otherwise_under_another_seed() -> None:
    board = Board()
    board.unit("louise")
    board.order(Gamble("north", ("louise",)))
    drawn = set()
    for dice in range(1, 30):

        def fresh(told: Told, dice: int = dice) -> bool:
            return told.one(GambleTried).roll.dice not in drawn

        drawn.add(board.resolve(fresh).one(GambleTried).roll.dice)

    assert 29 == len(drawn)
