"""The aftermath: U24."""

import pytest

from tests.rules.uprising.board import IDS, Board, Told, after
from tests.rules.uprising.scenes import a_fight
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.entities import Influence, Prison
from workers.rules.uprising.events import (
    ArrestTried,
    AssaultFought,
    GroundChanged,
    HeatMoved,
    HidingTested,
    PrisonAmended,
    PrisonersFreed,
    RaidTried,
    UnitRaised,
    UnitRevealed,
    UnitsHealed,
    UnitsRecovered,
)
from workers.rules.uprising.orders import Arrest, Assault, Gamble, Move, Raid, Search


def prisoners() -> Board:
    board = Board()
    board.prison("north", "law")
    board.unit("jailer", "law", 1)
    board.unit("company", force=9)
    for name, side in (("louise", "revolution"), ("thief", "law")):
        board.unit(name, side, status="imprisoned", wounds=1)
    board.order(Assault("north", ("company",)))
    return board


def test_U24_a_prison_with_another_holder_lets_its_prisoners_of_the_new_holder_s_side_go() -> None:
    told = prisoners().resolve(lambda told: told.one(AssaultFought).outcome == "won")
    lost = prisoners().resolve(lambda told: told.one(AssaultFought).outcome == "lost")

    assert ("louise",) == told.one(PrisonersFreed).units
    assert (True, False) == (told.unit("louise").active, told.unit("louise").hidden)
    assert ("imprisoned", "imprisoned") == (told.unit("thief").status, lost.unit("louise").status)
    assert 1 == told.unit("louise").wounds, "no healing where there was an assault"


def test_U24_K6_a_tick_starts_after_its_amendments() -> None:
    board = prisoners()
    board.orders.clear()
    board.amend(PrisonAmended("north", "revolution"))

    told = board.resolve()

    assert [] == told.all(PrisonersFreed)
    assert Prison("revolution", "revolution") == told.city.prisons["north"]


def test_U24_who_was_freed_heals_where_there_was_no_assault() -> None:
    """U24: the holder can change without an assault in the state that a tick starts from."""
    board = prisoners()
    board.orders.clear()
    board.city.prisons["north"] = Prison("revolution", "law")

    told = board.resolve()

    assert ("louise",) == told.one(PrisonersFreed).units == told.one(UnitsHealed).units
    assert 0 == told.unit("louise").wounds


def test_U24_shaken_units_recover() -> None:
    board = Board()
    board.unit("louise")
    board.order(Move("north", ("louise",), "south"))

    told = board.resolve()

    assert ("south", ("louise",)) == (told.one(UnitsRecovered).district, told.one(UnitsRecovered).units)
    assert not told.unit("louise").shaken


@pytest.mark.parametrize("what", ["rest", "order", "void", "open move", "assault", "counted", "fallen"])
def test_U24_a_unit_that_served_no_order_heals_one_wound_where_there_was_no_assault(what: str) -> None:
    board = Board()
    board.unit("louise", force=3, wounds=2, status="fallen" if what == "fallen" else "active")
    board.unit("friend", force=3)
    board.unit("patrol", "law", 3)
    board.unit("post", "law", nature="building")
    match what:
        case "order":
            board.order(Search("north", ("louise",)))
        case "void":
            board.order(Arrest("north", ("louise",), "nobody"))
        case "open move":
            board.order(Move("north", ("louise",), "south"))
        case "assault":
            board.order(Assault("north", ("friend",)))
        case "counted":
            board.order(Raid("north", ("friend",), "post"))

    told = board.resolve(lambda told: not told.all(AssaultFought) or told.one(AssaultFought).outcome == "won")

    heals = what in ("rest", "void", "open move", "counted")
    assert (1 if heals else 2) == told.unit("louise").wounds
    assert heals == bool(told.all(UnitsHealed))


def test_U24_tear_gas_clears_and_fire_falls_by_1_where_there_was_no_assault() -> None:
    board = Board()
    for place in ("north", "south"):
        board.homes[place].gas = True
        board.homes[place].fire = 4
    board.unit("section", force=9)
    board.unit("company", "law", 9)
    board.order(Assault("north", ("section",)))

    told = board.resolve()

    assert (False, 5) == (told.district("north").gas, told.district("north").fire)
    assert (False, 3) == (told.district("south").gas, told.district("south").fire)
    assert {"aftermath"} == {changed.cause for changed in told.all(GroundChanged)}


def test_U24_fire_stops_at_0() -> None:
    assert 0 == Board().resolve().district().fire


@pytest.mark.parametrize(
    ("tick", "influence", "raises"), [(5, 50, True), (10, 99, True), (6, 99, False), (5, 49, False)]
)
def test_U24_a_side_with_influence_of_50_raises_a_troop_in_ticks_divisible_by_levy(
    tick: int, influence: int, raises: bool
) -> None:
    board = Board(tick=tick)
    board.homes["north"].influence = Influence(influence, 10)

    told = board.resolve()

    assert raises == bool(told.all(UnitRaised))
    if raises:
        raised = told.one(UnitRaised)
        assert IDS.created("levy", tick, "north", "revolution") == raised.unit
        unit = told.unit(raised.unit)
        assert ("revolution", "troop", 1, 2, False, "active") == (
            unit.camp,
            unit.nature,
            unit.force,
            unit.stealth,
            unit.hidden,
            unit.status,
        )


def test_U24_both_sides_may_raise_a_troop() -> None:
    board = Board(tick=5)
    board.homes["north"].influence = Influence(50, 50)

    assert ["revolution", "law"] == [raised.camp for raised in board.resolve().all(UnitRaised)]


@pytest.mark.parametrize(("units", "falls"), [(0, 0), (1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_U24_heat_falls_by_1_for_each_4_active_revolution_units_rounded_up(units: int, falls: int) -> None:
    board = Board()
    for number in range(units):
        board.unit(f"r{number}", at=("north", "south")[number % 2], nature=("troop", "building")[number % 3 == 0])
        board.unit(f"l{number}", "law")
        board.unit(f"f{number}", status="fallen")

    assert 20 - falls == board.resolve().city.heat


def test_U24_the_freed_and_the_new_count_too() -> None:
    board = Board(tick=5)
    board.prison("north", "law")
    board.city.prisons["north"] = Prison("revolution", "law")
    board.homes["north"].influence = Influence(60, 0)
    for number in range(3):
        board.unit(f"r{number}", status="imprisoned" if number == 0 else "active")
    assert 20 - 1 == board.resolve().city.heat, "a freed one, two others, a new troop"

    board.unit("r4")
    assert 20 - 2 == board.resolve().city.heat


def test_U24_the_fall_is_summed_with_this_phase_s_reveals_then_bounded() -> None:
    board = Board()
    board.city.heat = 0
    for name in ("ghost", "shade", "mist"):
        board.unit(name, hidden=True, stealth=0)
    board.unit("company", "law", 9)
    board.unit("section", force=1)
    board.order(Assault("north", ("company",)))

    def all_revealed(told: Told) -> bool:
        return len(told.all(UnitRevealed)) == 3

    told = board.resolve(all_revealed)
    active = sum(unit.active and unit.camp == "revolution" for unit in told.district().units.values())

    assert 6 - -(-active // 4) == told.city.heat == told.one(HeatMoved).after


def test_U24_in_this_order_reveals_freedom_recovery_healing_gas_troops() -> None:
    board = Board(tick=5)
    board.prison("south", "law")
    board.city.prisons["south"] = Prison("revolution", "law")
    board.homes["south"].influence = Influence(60, 0)
    board.homes["south"].gas = True
    board.unit("louise", at="south", status="imprisoned", wounds=1)
    board.unit("runner")
    board.unit("patrol", "law", 5, at="south", hidden=True)
    board.unit("target", at="south")
    board.order(Move("north", ("runner",), "south"))
    board.order(Arrest("south", ("patrol",), "target"))

    told = board.resolve(lambda told: bool(told.all(UnitRevealed)))

    wanted = (HidingTested, UnitRevealed, PrisonersFreed, UnitsRecovered, UnitsHealed, GroundChanged, UnitRaised)
    found = [type(event) for event in told.events if isinstance(event, wanted)]
    assert list(wanted) == found


def test_U24_nothing_of_a_tick_is_left_over_for_the_next() -> None:
    board = a_fight(Assault)
    board.order(Raid("north", ("section",), "nothing"))
    board.card("gas", "gamble", chance=100, gains=Gains(gas=True))
    board.unit("runner")
    board.order(Gamble("north", ("runner",), "gas"))

    coming = after(board.resolve(), board)

    for home in coming.homes.values():
        assert ({}, (), False, False) == (home.absent, home.left, home.assaulted, home.gas)
        assert not any(unit.served or unit.counted or unit.shaken for unit in home.units.values())


def test_U24_arrested_and_freed_in_one_tick() -> None:
    """U24: arrested, taken to a prison, which its side then takes: free again, the same tick."""
    board = Board()
    board.prison("south", "law")
    board.unit("louise")
    board.unit("gendarme", "law", 50)
    board.unit("column", force=50, at="south")
    board.order(Arrest("north", ("gendarme",), "louise"))
    board.order(Assault("south", ("column",)))

    def both(told: Told) -> bool:
        return told.one(ArrestTried).outcome == "arrested" and told.one(AssaultFought).outcome == "won"

    told = board.resolve(both)

    assert ("south", "active") == (told.place("louise"), told.unit("louise").status)
    assert not told.all(RaidTried)


def test_U24_who_is_freed_is_revealed() -> None:
    board = prisoners()
    board.orders.clear()
    board.homes["north"].units["louise"].hidden = True
    board.city.prisons["north"] = Prison("revolution", "law")

    assert not board.resolve().unit("louise").hidden


def test_U24_the_fallen_do_not_recover() -> None:
    board = Board()
    board.unit("column", force=2, at="south")
    board.unit("company", "law", 9)
    board.order(Move("south", ("column",), "north"))
    board.order(Assault("north", ("company",)))

    told = board.resolve(lambda told: told.unit("column").status == "fallen")

    assert [] == told.all(UnitsRecovered)
    assert not told.unit("column").shaken


def test_U24_no_unit_has_less_than_no_wound() -> None:
    board = Board(healing=5)
    board.unit("louise", wounds=2)

    assert 0 == board.resolve().unit("louise").wounds


def test_U25_a_side_reads_of_the_troop_that_it_raises_where_it_has_nobody() -> None:
    board = Board(tick=5)
    board.homes["north"].influence = Influence(50, 10)

    told = board.resolve()

    assert 1 == len(told.report("revolution", "unit_raised"))
    assert [] == told.report("law", "unit_raised")
