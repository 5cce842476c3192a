"""Searches: U19."""

import pytest

from tests.rules.uprising.board import IDS, Board, Told, values
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.events import (
    AuthorityMoved,
    HeatMoved,
    InfluenceMoved,
    LoyaltyMoved,
    SearchMade,
    SearchRolled,
    UnitRevealed,
)
from workers.rules.uprising.orders import Assassination, Search


def a_search(side: str = "law", **settings: int) -> Board:
    board = Board("north middle south", heat_units=1000, **settings)
    board.unit("agent", side, search_chance=70)
    board.unit("ghost", "revolution" if side == "law" else "law", hidden=True, stealth=4)
    board.order(Search("north", ("agent",)))
    return board


def test_U19_each_hidden_unit_is_rolled_for_with_the_searcher_s_chance_and_its_stealth() -> None:
    board = a_search()
    board.unit("loud", hidden=True, stealth=0)
    board.unit("seen")
    board.unit("dead", hidden=True, status="fallen")
    board.unit("own", "law", hidden=True)

    rolls = board.resolve().all(SearchRolled)

    assert {"ghost": 54, "loud": 86} == {rolled.unit: rolled.roll.threshold for rolled in rolls}
    assert [({"searcher": 70}, -16), ({"searcher": 70}, 16)] == [
        (values(rolled.roll.terms), rolled.roll.other) for rolled in rolls
    ]
    key = IDS.handle("law:search:north")
    assert [f"search/{key}/{IDS.handle(name)}" for name in ("ghost", "loud")] == [rolled.roll.path for rolled in rolls]
    for rolled in rolls:
        assert (board.dice.stream(rolled.roll.path).percent(),) == rolled.roll.dice


@pytest.mark.parametrize(("stealth", "chance", "points"), [(0, 95, 95), (2, 95, 95), (20, 10, 0)])
def test_U19_at_most_95_and_at_least_0(stealth: int, chance: int, points: int) -> None:
    board = a_search()
    board.homes["north"].units["agent"].search_chance = chance
    board.homes["north"].units["ghost"].stealth = stealth

    assert points == board.resolve().one(SearchRolled).roll.threshold


@pytest.mark.parametrize(
    ("side", "heat", "points"), [("law", 49, 54), ("law", 50, 69), ("revolution", 50, 54), ("law", 100, 69)]
)
def test_U19_with_a_heat_of_50_the_law_searches_15_points_better(side: str, heat: int, points: int) -> None:
    board = a_search(side)
    board.city.heat = heat

    assert points == board.resolve().one(SearchRolled).roll.threshold


def test_U19_K9_the_heat_is_that_of_the_phase_s_start() -> None:
    """U19: a failed assassination just before raises it over 50."""
    board = a_search()
    board.city.heat = 44
    board.unit("prefect", "law", nature="person")
    board.unit("mask", hidden=True)
    board.order(Assassination("north", ("mask",), "prefect"))

    told = board.resolve(lambda told: told.all(HeatMoved)[0].after == 51)

    assert {"searcher": 70, "heat": 15} == values(told.one(SearchRolled, unit="ghost").roll.terms)


def test_U19_the_card_s_chance_else_the_best_of_the_named_units_each_without_one_50() -> None:
    board = a_search()
    board.unit("clerk", "law")
    board.card("sweep", "search", chance=33)

    assert {"searcher": 70} == values(board.odds(Search("north", ("agent", "clerk")), "law").terms)
    assert {"searcher": 50} == values(board.odds(Search("north", ("clerk",)), "law").terms)
    assert {"searcher": 33} == values(board.odds(Search("north", ("agent",), "sweep"), "law").terms)
    board.homes["north"].units["clerk"].search_chance = 0
    assert {"searcher": 0} == values(board.odds(Search("north", ("clerk",)), "law").terms), "0 is a chance of its own"


@pytest.mark.parametrize("flag", ["spy", "informer"])
@pytest.mark.parametrize("neighbours", [False, True])
def test_U19_spies_and_informers_search_each_tick_unasked(flag: str, neighbours: bool) -> None:
    board = Board("north middle south")
    board.unit("ear", "law", at="middle", search_neighbours=neighbours, **{flag: True})
    for place in ("north", "middle", "south"):
        board.unit(f"ghost-{place}", hidden=True, at=place)

    told = board.resolve()

    reached = {"ghost-north", "ghost-middle", "ghost-south"} if neighbours else {"ghost-middle"}
    assert reached == {rolled.unit for rolled in told.all(SearchRolled)}
    assert {f"search/{IDS.handle('ear')}/{IDS.handle(name)}" for name in reached} == {
        rolled.roll.path for rolled in told.all(SearchRolled)
    }
    assert not told.all(SearchMade)


def test_U19_U4_who_searches_unasked_may_serve_an_order_beside() -> None:
    board = a_search()
    board.homes["north"].units["agent"].spy = True

    assert 2 == len(board.resolve().all(SearchRolled, unit="ghost"))


@pytest.mark.parametrize(("card", "found"), [("search", {"ghost"}), ("sweep", {"ghost", "far"})])
def test_U19_a_card_may_reach_the_neighbours(card: str, found: set[str]) -> None:
    board = a_search()
    board.unit("far", hidden=True, at="middle")
    board.unit("farther", hidden=True, at="south")
    board.card("sweep", "search", neighbours=True)
    board.orders.clear()
    board.order(Search("north", ("agent",), card))

    assert found == {rolled.unit for rolled in board.resolve().all(SearchRolled)}


def test_U19_all_searches_are_cast_from_the_phase_s_start_and_roll_for_what_others_found_already() -> None:
    board = a_search()
    for name in ("ear", "eye"):
        board.unit(name, "law", informer=True, search_chance=95)
    board.homes["north"].units["ghost"].stealth = 0

    def all_find(told: Told) -> bool:
        return [rolled.outcome for rolled in told.all(SearchRolled)] == ["success"] * 3

    told = board.resolve(all_find)

    assert 1 == len(told.all(UnitRevealed))
    assert (20, 22) == (told.all(HeatMoved)[0].before, told.all(HeatMoved)[0].after)


def test_U19_who_was_revealed_just_before_isn_t_searched_for() -> None:
    """U19: reveals of the assassinations came before the phase's start."""
    board = a_search()
    board.unit("prefect", "law", nature="person")
    board.order(Assassination("north", ("ghost",), "prefect"))

    told = board.resolve(lambda told: bool(told.all(UnitRevealed)) and told.unit("prefect").active)

    assert [] == told.all(SearchRolled)


@pytest.mark.parametrize(("side", "heats"), [("law", 2), ("revolution", 0)])
def test_U19_a_revealed_revolution_unit_adds_2_heat_one_of_the_law_none(side: str, heats: int) -> None:
    told = a_search(side).resolve(lambda told: bool(told.all(UnitRevealed)))

    assert heats == told.one(UnitRevealed).heat
    assert not told.unit("ghost").hidden
    assert 20 + heats == (told.all(HeatMoved)[0].after if heats else told.all(HeatMoved)[0].before)


def test_U19_U4_a_search_succeeds_when_it_finds_something_and_once_however_much_it_finds() -> None:
    board = a_search()
    gains = Gains(influence=5, authority=3)
    board.card("sweep", "search", chance=50, neighbours=True, gains=gains)
    board.unit("far", hidden=True, at="middle", stealth=0)
    board.unit("near", hidden=True, stealth=0)
    board.orders.clear()
    board.order(Search("north", ("agent",), "sweep"))

    told = board.resolve(lambda told: len(told.all(UnitRevealed)) == 3)
    nothing = board.resolve(lambda told: not told.all(UnitRevealed))
    elsewhere = board.resolve(lambda told: [event.unit for event in told.all(UnitRevealed)] == ["far"])

    for found in (told, elsewhere):
        assert ("north", 35) == (found.one(InfluenceMoved).district, found.one(InfluenceMoved).law)
        assert (40, 43) == (found.one(AuthorityMoved).before, found.one(AuthorityMoved).after)
    assert [] == [*nothing.all(InfluenceMoved), *nothing.all(AuthorityMoved)]


def test_U19_searches_of_the_same_district_are_merged_others_aren_t() -> None:
    board = a_search()
    board.unit("clerk", "law", search_chance=10)
    board.order(Search("north", ("clerk",)))

    told = board.resolve()

    assert ("agent", "clerk") == told.one(SearchMade).units
    assert {"searcher": 70} == values(told.one(SearchMade).terms), "the best of the named units"
    assert 1 == len(told.all(SearchRolled))


def test_U19_the_chance_that_is_cast_is_the_card_s_if_it_has_one() -> None:
    board = a_search()
    board.card("sweep", "search", chance=33)
    board.orders.clear()
    board.order(Search("north", ("agent",), "sweep"))

    told = board.resolve()

    assert {"searcher": 33} == values(told.one(SearchMade).terms)
    assert 17 == told.one(SearchRolled).roll.threshold


@pytest.mark.parametrize("status", ["imprisoned", "fallen", "out"])
def test_U19_who_is_not_active_searches_no_more(status: str) -> None:
    board = a_search()
    board.orders.clear()
    board.unit("ear", "law", informer=True, status=status)

    assert [] == board.resolve().all(SearchRolled)


def test_U4_a_search_gives_all_the_gauges_of_its_card() -> None:
    board = a_search()
    board.card("sweep", "search", chance=95, gains=Gains(heat=7, loyalty={"order": 4}))
    board.orders.clear()
    board.order(Search("north", ("agent",), "sweep"))

    told = board.resolve(lambda told: bool(told.all(UnitRevealed)))

    assert (20, 29) == (told.all(HeatMoved)[0].before, told.all(HeatMoved)[0].after), "7, and 2 for the reveal"
    assert ("law", "order", 54) == tuple(getattr(told.one(LoyaltyMoved), name) for name in ("camp", "faction", "after"))


@pytest.mark.parametrize("first", ["law", "revolution"])
def test_U22_U23_what_searches_give_to_their_district_is_bounded_one_after_the_other_by_initiative(first: str) -> None:
    board = a_search()
    board.unit("friend")
    board.unit("mole", "law", hidden=True)
    board.card("sweep", "search", chance=95, gains=Gains(enemy_influence=-60))
    board.card("watch", "search", chance=95, gains=Gains(influence=90))
    board.orders.clear()
    board.order(Search("north", ("agent",), "sweep"))
    board.order(Search("north", ("friend",), "watch"))

    def both(told: Told) -> bool:
        keys = {side: IDS.handle(f"{side}:search:north") for side in ("law", "revolution")}
        other = "revolution" if first == "law" else "law"
        in_turn = board.dice.initiative(keys[first]) < board.dice.initiative(keys[other])
        return in_turn and 2 == len(told.all(UnitRevealed))

    assert (90 if first == "law" else 40) == board.resolve(both).district().influence.revolution
