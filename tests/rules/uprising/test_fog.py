"""What a side reads of what happened: U25, K2."""

from typing import Any

import msgspec
import pytest

from tests.rules.uprising.board import ENGINE, IDS, Board, Told
from workers.kernel.digest import canonical
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.entities import Landmark
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


def outcome(kind: Any, wanted: str):
    return lambda told: told.one(kind).outcome == wanted


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


# The verdict


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
