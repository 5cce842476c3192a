"""Amendments: what an operator may set right between Turns."""

import pytest

from tests.rules.anarchy.table import M, S, Table
from workers.kernel.events import Event
from workers.kernel.tick import Amendment
from workers.rules.anarchy import RULEBOOK
from workers.rules.anarchy.events_mission import ConditionAmended, PointsAmended, ReserveAmended


def amended(event: Event):
    table = Table()
    table.pc("ana.mia", armour=2)
    table.pc("ben.rook")
    table.npc("kane", level="pro")
    table.npc("lee", level="pro")
    assert table.homes
    table.amendments = [Amendment(RULEBOOK.amendments[type(event)](event), event)]
    return table, table.play()


def test_the_operator_sets_a_players_points():
    table, told = amended(PointsAmended(S, "ana", 5))

    assert 5 == table.scene().points["ana"]
    assert [["ana"]] == [about for about, fact in told.reads("players") if fact["event"] == "points_amended"]
    assert [["m"]] == [about for about, fact in told.reads("gm") if fact["event"] == "points_amended"]


def test_the_operator_sets_a_reserve_which_is_public_A19():
    table, told = amended(ReserveAmended(M, 12))

    assert 12 == table.mission().reserve
    assert 12 == told.facts("players", "reserve_amended")[0]["reserve"]


@pytest.mark.parametrize(("camp", "name", "read"), [("players", "ana.mia", True), ("gm", "m.kane", False)])
def test_the_operator_sets_a_condition_within_the_sheet_read_by_who_reads_the_sheet_A19(camp, name, read):
    table, told = amended(ConditionAmended(camp, S, name, physical=3, stun=40, armour=40, luck=40))
    one = table.who(name)

    assert (3, one.sheet.stun, one.sheet.armour, one.sheet.luck) == (one.physical, one.stun, one.armour, one.luck)
    assert (one.out, [name]) == (True, table.mission().out), "a full track takes the character out (A10)"
    assert (read, True) == tuple(bool(told.facts(reader, "condition_amended")) for reader in ("players", "gm"))


def test_an_amended_condition_that_fills_no_track_takes_nobody_out():
    table, _ = amended(ConditionAmended("players", S, "ana.mia", physical=7, stun=7, armour=0, luck=0))

    assert (False, []) == (table.who("ana.mia").out, table.mission().out)
    assert (7, 7) == (table.who("ana.mia").physical, table.who("ana.mia").stun)


def test_an_amendment_of_what_is_not_there_changes_nothing():
    table, _ = amended(PointsAmended(S, "nobody", 5))

    assert {"ana": 3, "ben": 3} == table.scene().points
    table, _ = amended(ConditionAmended("gm", S, "m.nobody", 1, 1, 1, 1))
    assert ["ana.mia", "ben.rook", "m.kane", "m.lee"] == sorted(table.scene().characters)
