"""What a side reads and sees: U25, K2, K7; and the verdict: U26."""

from typing import Any

import msgspec
import pytest

from tests.rules.uprising.board import ENGINE, IDS, Board, Told
from workers.kernel.digest import canonical
from workers.rules.contract import Verdict
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.entities import Census, Influence, Landmark
from workers.rules.uprising.events import (
    ArrestTried,
    AssassinationTried,
    AssaultFought,
    RallyTried,
    SearchRolled,
    UnitRevealed,
    UnitStruck,
)
from workers.rules.uprising.orders import (
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
from workers.rules.uprising.tables import SIDES


def seen(board: Board, camp: str, place: str = "north") -> Any:
    return RULEBOOK.see(board.homes[place], board.city, camp)


def outcome(kind: Any, wanted: str):
    return lambda told: told.one(kind).outcome == wanted


# The view


def test_U25_a_side_knows_its_own_units_everywhere_and_the_revealed_ones_where_it_has_an_active_unit() -> None:
    board = Board()
    for place in ("north", "south"):
        board.unit(f"section-{place}", at=place)
        board.unit(f"ghost-{place}", at=place, hidden=True)
    board.unit("patrol", "law")
    board.unit("inmate", "law", at="south", status="imprisoned")

    assert {"section-north", "patrol"} == set(seen(board, "law").units)
    assert {"inmate"} == set(seen(board, "law", "south").units)
    assert {"section-south", "ghost-south", "inmate"} == set(seen(board, "revolution", "south").units)


def test_U25_U1_a_building_watches() -> None:
    board = Board()
    board.unit("post", "law", nature="building")
    board.unit("louise")

    assert {"post", "louise"} == set(seen(board, "law").units)


def test_U25_sheets_are_whole() -> None:
    board = Board()
    louise = board.unit("louise", bodyguards=2, never_rallies=True, wounds=1, spy=True)
    board.unit("patrol", "law")

    assert louise == seen(board, "law").units["louise"]


def test_U25_both_influences_where_it_has_an_active_unit() -> None:
    board = Board()
    board.unit("patrol", "law")

    assert Influence(30, 30) == seen(board, "law").influence
    assert None is seen(board, "law", "south").influence
    assert None is seen(board, "revolution").influence


def test_U25_its_own_gauges_and_what_is_public() -> None:
    board = Board()
    board.boon("revolution", "paving", force={"raid": 1})
    board.homes["north"].barricades = 3
    board.homes["north"].landmark = Landmark("the guns", 2)
    board.prison("north", "law")
    board.city.gauges["revolution"].authority = 77

    city = RULEBOOK.see_shared(board.city, "law")

    assert (40, 20) == (city.authority, city.heat)
    assert ["order"] == [faction.id for faction in city.factions]
    assert board.city.boons == city.boons
    assert board.city.cards == city.cards
    assert board.city.ground == city.ground
    assert board.city.prisons == city.prisons
    assert (3, "the guns") == (seen(board, "law").barricades, seen(board, "law").landmark.name)
    assert b"77" not in canonical(city)


# Orders


def test_U25_K2_its_own_orders_whole_and_the_other_side_s_terms_as_one_total() -> None:
    board = Board()
    board.unit("louise", force=3, wounds=1)
    board.unit("ghost", "law", 2, hidden=True)
    board.unit("patrol", "law", 1)
    board.order(Arrest("north", ("ghost", "patrol"), "louise"))

    told = board.resolve(outcome(ArrestTried, "failed"))
    (own,) = told.report("law", "arrest")
    (other,) = told.report("revolution", "arrest")

    assert {"ghost", "patrol"} == {force["unit"] for force in own["roll"]["forces"]}
    assert (3, 3, "1/2") == (own["roll"]["attack"], own["roll"]["defence"], own["roll"]["chance"])
    assert "louise" not in canonical(own["roll"]).decode()
    assert {"path", "dice", "forces", "attack", "defence", "chance", "threshold", "below", "outcome", "ground"} == set(
        own["roll"]
    )
    assert [
        {"unit": "louise", "force": 2, "terms": [{"name": "own", "value": 3}, {"name": "wounds", "value": -1}]}
    ] == (other["facing"]["forces"])
    assert 3 == other["facing"]["attack"]
    assert ["patrol"] == other["shown"], "and not who is hidden"
    assert {"units", "orders", "card", "roll", "counted"}.isdisjoint(other)
    assert "ghost" not in canonical(other).decode()


def test_U25_K2_each_copy_of_a_roll_can_be_checked_by_hand() -> None:
    board = Board()
    board.unit("louise", force=3)
    board.unit("patrol", "law", 4)
    board.order(Arrest("north", ("patrol",), "louise"))

    told = board.resolve()
    for fact in (*told.report("law", "arrest"), *told.report("revolution", "arrest")):
        roll = fact.get("roll") or fact["facing"]
        assert board.dice.stream(roll["path"]).below(roll["below"]) == roll["dice"][0]
        assert (roll["dice"][0] < roll["threshold"]) == (roll["outcome"] == "success")


@pytest.mark.parametrize("wanted", ["success", "failure"])
def test_U25_an_assassination_is_told_to_the_target_s_side_with_the_attackers_that_are_not_hidden(wanted: str) -> None:
    board = Board()
    board.unit("prefect", "law", nature="person")
    board.unit("mask", hidden=True)
    board.order(Assassination("north", ("mask",), "prefect"))

    told = board.resolve(outcome(AssassinationTried, wanted))
    (fact,) = told.report("law", "assassination")

    assert (["mask"] if wanted == "failure" else None) == fact["shown"]
    assert ("mask" in canonical(fact).decode()) == (wanted == "failure")
    assert [["prefect"]] == [about for about, line in told.lines("law") if line["event"] == "assassination"]
    assert [["mask"]] == [about for about, line in told.lines("revolution") if line["event"] == "assassination"]


def test_U25_a_rally_is_told_to_the_other_side_only_if_it_succeeded() -> None:
    board = Board()
    board.unit("prefect", "law", named=True)
    board.unit("louise")
    board.unit("shade", hidden=True)
    board.order(Rally("north", ("louise", "shade"), "prefect"))

    won = board.resolve(outcome(RallyTried, "success"))
    lost = board.resolve(outcome(RallyTried, "failure"))

    (fact,) = won.report("law", "rally")
    assert ("prefect", ["louise"]) == (fact["target"], fact["shown"])
    assert [] == lost.report("law", "rally")
    assert 1 == len(lost.report("revolution", "rally"))


def test_U25_contests_and_gambles_are_their_own_side_s_alone() -> None:
    board = Board()
    board.unit("louise")
    board.unit("jean")
    board.unit("patrol", "law")
    board.order(Contest("north", ("louise",)))
    board.order(Gamble("north", ("jean",)))

    told = board.resolve()

    assert [] == [*told.report("law", "contest"), *told.report("law", "gamble")]
    assert 2 == len([*told.report("revolution", "contest"), *told.report("revolution", "gamble")])


def test_U25_of_a_search_only_what_was_found() -> None:
    board = Board()
    board.unit("agent", "law")
    board.unit("ghost", hidden=True)
    board.unit("shade", hidden=True)
    board.order(Search("north", ("agent",)))

    def one_of_two(told: Told) -> bool:
        return [event.unit for event in told.all(UnitRevealed)] == ["ghost"]

    told = board.resolve(one_of_two)

    assert 2 == len(told.all(SearchRolled))
    assert ["ghost"] == [fact["unit"] for fact in told.report("law", "search_roll")]
    assert "shade" not in str(told.report("law"))
    assert [] == told.report("revolution", "search_roll")
    assert [] == told.report("revolution", "search")


def test_U25_its_side_reads_that_a_unit_was_revealed_not_by_whom() -> None:
    board = Board("north middle south")
    board.unit("ear", "law", at="middle", spy=True, search_neighbours=True, search_chance=95)
    board.unit("ghost", hidden=True, stealth=0)

    told = board.resolve(lambda told: bool(told.all(UnitRevealed)))

    assert [{"event": "unit_revealed", "camp": "revolution", "district": "north", "unit": "ghost"}] == told.report(
        "revolution", "unit_revealed"
    )
    assert "ear" not in str(told.report("revolution"))
    assert [] == told.report("law", "unit_revealed"), "nobody of the Law stands there"
    assert ["ghost"] == [fact["unit"] for fact in told.report("law", "search_roll")]


def test_U25_an_assault_is_public_its_roll_to_those_who_were_in_it() -> None:
    board = Board()
    board.unit("section", force=3)
    board.unit("company", "law", 3)
    board.order(Assault("north", ("company",)))

    told = board.resolve(outcome(AssaultFought, "won"))

    for camp in RULEBOOK.camps:
        ((about, fact),) = [line for line in told.lines(camp) if line[1]["event"] == "assault"]
        assert None is about
        assert ("law", "north", "won", 1) == tuple(fact[name] for name in ("camp", "district", "outcome", "fire"))
    assert [["company"]] == [about for about, line in told.lines("law") if line["event"] == "assault_roll"]
    assert [["section"]] == [about for about, line in told.lines("revolution") if line["event"] == "assault_roll"]


@pytest.mark.parametrize("wanted", ["won", "lost"])
def test_U25_a_side_that_wasn_t_in_an_assault_reads_of_it_what_is_public_alone(wanted: str) -> None:
    """U25: a landmark is stormed where the other side has nobody who defends, and so knows no unit."""
    board = Board()
    board.homes["north"].landmark = Landmark("the guns", 3)
    board.unit("company", "law", 3)
    board.order(Assault("north", ("company",)))

    told = board.resolve(outcome(AssaultFought, wanted))

    assert {"assault"} == {
        fact["event"] for fact in told.report("revolution") if fact["event"] not in ("heat", "ground")
    }
    assert "company" not in str(told.report("revolution"))
    assert 1 == len(told.report("law", "assault_roll"))
    assert ([] if wanted == "won" else ["company"]) == [fact["unit"] for fact in told.report("law", "unit_struck")]


def test_U25_who_defended_reads_which_attacker_a_lost_assault_struck() -> None:
    board = Board()
    board.unit("section", force=3)
    board.unit("company", "law", 3)
    board.order(Assault("north", ("company",)))

    told = board.resolve(outcome(AssaultFought, "lost"))

    assert ["company"] == [fact["unit"] for fact in told.report("revolution", "unit_struck")]


def test_K2_an_escape_s_terms_are_named_to_the_escaped_one_s_side_alone() -> None:
    board = Board()
    board.unit("louise")
    board.unit("patrol", "law", 9)
    board.boon("revolution", "back-doors", escape_chance=60)
    board.order(Arrest("north", ("patrol",), "louise"))

    told = board.resolve(outcome(ArrestTried, "escaped"))
    (own,) = told.report("law", "arrest")
    (theirs,) = told.report("revolution", "arrest")

    assert ([], 60, 60) == tuple(own["escape_facing"][name] for name in ("terms", "other", "threshold"))
    assert [{"name": "back-doors", "value": 60}] == theirs["escape"]["terms"]
    assert ("escape" in own, "escape_facing" in theirs) == (False, False)
    assert own["escape_facing"]["dice"] == theirs["escape"]["dice"]


def test_U25_what_befell_a_hidden_unit_and_its_roll_is_told_to_its_own_side_alone() -> None:
    board = Board(reveal_chance=0, reveal_highest=0)
    board.unit("section", force=3)
    board.unit("ghost", hidden=True)
    board.unit("company", "law", 3)
    board.order(Assault("north", ("company",)))

    told = board.resolve(outcome(AssaultFought, "won"))

    assert {"ghost", "section"} == {struck.unit for struck in told.all(UnitStruck)}
    assert {"ghost", "section"} == {fact["unit"] for fact in told.report("revolution", "unit_struck")}
    assert ["section"] == [fact["unit"] for fact in told.report("law", "unit_struck")]
    assert "ghost" not in str(told.report("law"))
    assert IDS.handle("ghost") not in str(told.report("law"))


def test_U25_destroyed_buildings_and_fires_are_public_a_raid_isn_t() -> None:
    board = Board()
    board.unit("press", nature="building", force=0)
    board.unit("patrol", "law", 20)
    board.order(Raid("north", ("patrol",), "press"))
    board.homes["south"].fire = 2

    told = board.resolve(lambda told: told.unit("press").status == "destroyed")

    for camp in RULEBOOK.camps:
        (destroyed,) = [about for about, line in told.lines(camp) if line["event"] == "building_destroyed"]
        (fire,) = [about for about, line in told.lines(camp) if line["event"] == "ground"]
        assert (None, None) == (destroyed, fire)
    assert [["press"]] == [about for about, line in told.lines("revolution") if line["event"] == "raid"]


def test_U25_moves_are_told_to_their_own_side() -> None:
    board = Board()
    board.unit("louise")
    board.unit("patrol", "law")
    board.order(Move("north", ("louise",), "south"))

    told = board.resolve()

    assert 1 == len(told.report("revolution", "move"))
    assert [] == [fact for fact in told.report("law") if "louise" in str(fact)]


def test_U25_influence_is_told_to_those_who_have_an_active_unit_there() -> None:
    board = Board()
    board.unit("louise")
    board.unit("patrol", "law", at="south")
    board.card("speech", "gamble", chance=100, gains=Gains(influence=5, authority=1))
    board.order(Gamble("north", ("louise",), "speech"))

    told = board.resolve()

    assert 1 == len(told.report("revolution", "influence"))
    assert [] == told.report("law", "influence")
    assert [] == [*told.report("law", "authority"), *told.report("law", "gauges_gained")]


def test_U25_heat_is_public() -> None:
    board = Board()
    board.unit("louise")

    told = board.resolve()

    for camp in RULEBOOK.camps:
        assert [(None, {"event": "heat", "before": 20, "after": 19})] == [
            line for line in told.lines(camp) if line[1]["event"] == "heat"
        ]


# What can't be told apart (K7)


@pytest.mark.parametrize("target", ["ghost", "elsewhere", "nobody"])
def test_K7_a_target_that_isn_t_known_reads_like_one_that_isn_t_there(target: str) -> None:
    board = Board()
    board.unit("patrol", "law")
    board.unit("ghost", nature="person", named=True, hidden=True)
    board.unit("elsewhere", nature="person", named=True, at="south")
    board.card("plot", "assassination", sides=("law",))
    board.unit("agent", "law", hidden=True)
    answers = [
        board.check(Arrest("north", ("patrol",), target), "law"),
        board.check(Raid("north", ("patrol",), target), "law"),
        board.check(Rally("north", ("patrol",), target), "law"),
        board.check(Assassination("north", ("agent",), target, "plot"), "law"),
    ]

    for answer in answers:
        (refusal,) = answer
        assert ("target_unknown", "target", "illegal", "") == (
            refusal.code,
            refusal.field,
            refusal.family,
            refusal.accepted,
        )
        assert {"name": target, "district": "north"} == refusal.values


@pytest.mark.parametrize("name", ["ghost", "louise", "elsewhere", "nobody"])
def test_K7_a_unit_that_isn_t_one_s_own_reads_like_one_that_isn_t_there(name: str) -> None:
    board = Board()
    board.unit("patrol", "law")
    board.unit("ghost", hidden=True)
    board.unit("louise")
    board.unit("elsewhere", at="south")

    (refusal,) = board.check(Search("north", (name,)), "law")

    assert ("unit_not_here", "units[0]", "illegal") == (refusal.code, refusal.field, refusal.family)


def test_K7_a_void_order_doesn_t_tell_a_hidden_target_from_one_that_is_gone() -> None:
    reasons: set[str] = set()
    for change in ("hide", "leave", "fall"):
        board = Board()
        board.unit("patrol", "law")
        louise = board.unit("louise")
        match change:
            case "hide":
                louise.hidden = True
            case "leave":
                del board.homes["north"].units["louise"]
            case "fall":
                louise.status = "fallen"
        board.order(Arrest("north", ("patrol",), "louise"))
        reasons.update(board.resolve().reasons().values())

    assert {"target_gone"} == reasons


def test_K7_hidden_units_that_take_part_in_nothing_shown_change_nothing_that_a_side_reads() -> None:
    reports = set()
    for stealth, force, wounds in ((2, 1, 0), (9, 7, 2)):
        board = Board()
        board.unit("patrol", "law")
        board.unit("louise", force=3)
        board.unit("ghost", hidden=True, stealth=stealth, force=force, wounds=wounds, bodyguards=wounds)
        board.order(Arrest("north", ("patrol",), "louise"))
        told = board.resolve()
        view = RULEBOOK.see(told.district(), told.city, "law")
        reports.add(canonical([told.report("law"), view]))

    assert 1 == len(reports)


# The verdict


@pytest.mark.parametrize(
    ("people", "districts", "winner"),
    [
        ((1, 1), (0, 0), None),
        ((0, 1), (1, 0), None),
        ((0, 1), (0, 0), Verdict("law", "revolution_beaten")),
        ((3, 0), (0, 0), Verdict("revolution", "law_beaten")),
        ((0, 0), (0, 0), Verdict("", "draw")),
        ((0, 0), (0, 2), Verdict("law", "revolution_beaten")),
    ],
)
def test_U26_a_side_with_nobody_and_no_district_has_lost(
    people: tuple[int, int], districts: tuple[int, int], winner: Verdict | None
) -> None:
    board = Board()
    board.city.census = {side: Census(people[i], districts[i]) for i, side in enumerate(SIDES)}

    assert winner == RULEBOOK.verdict(board.city, board.settings, 7)


def test_U26_the_census_is_that_of_the_tick_s_end() -> None:
    """U26: buildings, prisoners and the fallen don't count; hidden units do; 50 of influence hold a district."""
    board = Board("north middle south")
    board.homes["north"].influence = Influence(50, 49)
    board.homes["south"].influence = Influence(0, 100)
    board.unit("club", nature="building")
    board.unit("ghost", hidden=True)
    board.unit("inmate", status="imprisoned")
    board.unit("patrol", "law", at="south")
    board.unit("dead", "law", at="south", status="fallen")

    told = board.resolve()

    assert {"revolution": Census(1, 1), "law": Census(1, 1)} == told.city.census
    assert None is RULEBOOK.verdict(told.city, board.settings, 3)


def test_U26_the_first_census_is_taken_when_the_campaign_is_set_up() -> None:
    board = Board(tick=0)
    board.unit("louise")

    told = board.resolve()

    assert {"revolution": Census(1, 0), "law": Census(0, 0)} == told.city.census
    assert [{"event": "opened", "heat": 20}] == told.report("law")


def test_K2_the_server_s_record_of_a_roll_is_whole() -> None:
    board = Board()
    board.unit("louise", force=3)
    board.unit("patrol", "law", 4)
    board.order(Arrest("north", ("patrol",), "louise"))

    tried = board.resolve().one(ArrestTried)
    brought = sum(force.force for force in (*tried.roll.forces, *tried.facing.forces))

    assert brought + 1 == tried.roll.attack + tried.roll.defence
    assert msgspec.structs.asdict(tried.roll)["path"] == tried.facing.path
    assert ENGINE.projector.project(tried, "law") != tried
