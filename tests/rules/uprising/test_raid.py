"""Raids: U13."""

from tests.rules.uprising.board import IDS, Board, Told, names, values
from workers.rules.uprising.cards import Gains
from workers.rules.uprising.entities import Bonus
from workers.rules.uprising.events import BuildingDestroyed, RaidTried
from workers.rules.uprising.orders import Arrest, Assassination, Raid


def won(told: Told) -> bool:
    return bool(told.all(RaidTried)) and told.all(RaidTried)[0].outcome == "success"


def a_raid() -> Board:
    """The Law raids a press of the Revolution; one unit is named, all attack."""
    board = Board()
    board.unit("press", nature="building", force=1, bonus=Bonus(defence=1))
    board.unit("printer", force=2)
    board.unit("patrol", "law", 2)
    board.unit("company", "law", 4, hidden=True)
    board.unit("refuser", "law", 9, refuses=True)
    board.order(Raid("north", ("patrol",), "press"))
    return board


def test_U13_all_units_attack_with_the_card_s_bonus_against_the_target_all_others_and_1() -> None:
    board = a_raid()
    board.card("midnight", "raid", bonus=3)
    board.orders.clear()
    board.order(Raid("north", ("patrol",), "press", "midnight"))

    tried = board.resolve().one(RaidTried)

    assert {"company": 4, "patrol": 2} == {force.unit: force.force for force in tried.roll.forces}
    assert {"press": 2, "printer": 2} == {force.unit: force.force for force in tried.facing.forces}
    assert ({"bonus": 3}, {"one": 1}) == (values(tried.roll.terms), values(tried.roll.ground))
    assert (9, 5, "9/14") == (tried.roll.attack, tried.roll.defence, tried.roll.chance)


def test_U13_a_success_destroys_the_target_and_a_failure_doesn_t() -> None:
    board = a_raid()

    told = board.resolve(won)
    lost = board.resolve(lambda told: told.one(RaidTried).outcome == "failure")

    assert "destroyed" == told.unit("press").status
    assert ("revolution", "press") == (told.one(BuildingDestroyed).camp, told.one(BuildingDestroyed).unit)
    assert lost.unit("press").active
    assert [] == lost.all(BuildingDestroyed)


def test_U13_the_target_must_be_revealed() -> None:
    board = a_raid()
    board.homes["north"].units["press"].hidden = True

    assert {"raid-0": "target_gone"} == board.resolve().reasons()
    assert "target_unknown" == board.refusal(Raid("north", ("patrol",), "press"), "law")


def test_U13_the_default_card_is_for_buildings_others_needn_t_be() -> None:
    board = a_raid()
    board.card("round-up", "raid")
    assert "card_buildings_only" == board.refusal(Raid("north", ("patrol",), "printer"), "law")
    assert "" == board.refusal(Raid("north", ("patrol",), "printer", "round-up"), "law")
    board.orders.clear()
    default = board.order(Raid("north", ("patrol",), "printer"))
    board.order(Raid("north", ("company",), "printer", "round-up"))

    told = board.resolve(won)

    assert {default: "card_buildings_only"} == told.reasons()
    assert "destroyed" == told.unit("printer").status
    assert [] == told.all(BuildingDestroyed)


def test_U13_a_side_s_second_raid_in_a_district_is_void_whatever_its_target() -> None:
    board = a_raid()
    board.unit("club", nature="building")
    other = board.order(Raid("north", ("company",), "club"))
    board.unit("section", force=1)
    board.unit("post", "law", nature="building")
    theirs = board.order(Raid("north", ("section",), "post"))

    told = board.resolve()

    assert ["second_raid"] == list(told.reasons().values())
    assert {*told.reasons()} < {"raid-0", other}
    assert 1 == len(told.all(RaidTried, camp="revolution")), theirs
    assert 1 == len(told.all(RaidTried, camp="law"))


def test_U13_a_void_raid_doesn_t_count_as_one() -> None:
    """U13: whichever comes first, the raid on what isn't there is void and the other is carried out."""
    board = a_raid()
    gone = board.order(Raid("north", ("company",), "nothing"))
    keys = [f"law:raid:{name}" for name in ("press", "nothing")]

    for first in keys:

        def comes_first(told: Told, first: str = first) -> bool:
            return first == min(keys, key=lambda key: board.dice.initiative(IDS.handle(key)))

        told = board.resolve(comes_first)
        assert {gone: "target_gone"} == told.reasons()
        assert ["press"] == [tried.target for tried in told.all(RaidTried)]


def test_U13_nor_does_one_that_nobody_is_left_to_carry_out() -> None:
    board = a_raid()
    board.unit("club", nature="building")
    board.unit("dead", "law", status="fallen")
    nobody = board.order(Raid("north", ("dead",), "club"), side="law")

    def void_first(told: Told) -> bool:
        keys = [IDS.handle(f"law:raid:{name}") for name in ("club", "press")]
        return board.dice.initiative(keys[0]) < board.dice.initiative(keys[1])

    told = board.resolve(void_first)

    assert {nobody: "unit_fallen"} == told.reasons()
    assert "press" == told.one(RaidTried).target


def test_U13_an_order_of_a_unit_that_was_arrested_before_is_void_with_the_reason() -> None:
    """U13, K6: the arrests come before the raids; the camp's report says why the raid is void."""
    board = a_raid()
    board.prison("south", "revolution")
    board.unit("baker", force=50)
    board.order(Arrest("north", ("baker",), "patrol"))

    told = board.resolve(lambda told: told.place("patrol") == "south")

    assert {"raid-0": "unit_arrested"} == told.reasons()
    assert ["unit_arrested"] == [fact["reason"] for fact in told.report("law", "order_void")]
    assert [] == told.report("revolution", "order_void")
    assert [] == told.all(RaidTried)


def test_U13_who_fell_before_attacks_no_more() -> None:
    board = a_raid()
    board.homes["north"].units["company"].hidden = False
    board.homes["north"].units["company"].nature = "person"
    board.unit("mask", hidden=True)
    board.order(Assassination("north", ("mask",), "company"))

    told = board.resolve(lambda told: told.unit("company").status == "fallen")

    assert ["patrol"] == names(told.one(RaidTried).roll.forces)


def test_U25_the_raided_side_reads_all_attackers_that_are_not_hidden() -> None:
    board = a_raid()
    board.unit("agent", "law", 1)

    tried = board.resolve().one(RaidTried)

    assert ("agent", "patrol") == tried.shown
    assert ("company",) == tried.counted


def test_U25_who_lost_its_last_unit_to_a_raid_sees_the_influence_no_more() -> None:
    board = a_raid()
    del board.homes["north"].units["printer"]
    board.card("midnight", "raid", bonus=9, gains=Gains(influence=3))
    board.orders.clear()
    board.order(Raid("north", ("patrol",), "press", "midnight"))

    told = board.resolve(won)

    assert 1 == len(told.report("law", "influence"))
    assert [] == told.report("revolution", "influence")
