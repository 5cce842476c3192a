"""Turns: seats, starts, passes, newcomers: A16."""

from tests.rules.anarchy.table import M, S, Table
from workers.rules.anarchy.events import Attacked, Narrated, TurnBegan
from workers.rules.anarchy.events_aftermath import Arrived
from workers.rules.anarchy.orders import Attack, Grant, Narrate, Open, Place


def docks():
    table = Table({"s": 2, "t": 2})
    for name in ("ben.rook", "ana.mia"):
        table.pc(name, physical=40)
    for name in ("lee", "kane"):
        table.npc(name, level="extra", physical=40)
    return table


def everybody(table, scene=S):
    return [Narrate(scene, name) for name in sorted(table.scene(scene).characters)]


def narrators(told):
    return [fact.character for fact in told.of(Narrated)]


def test_A16_turn_t_starts_at_seat_t_modulo_their_number_the_gms_seat_first():
    table = docks()
    orders = [narrators(table.play(*everybody(table))) for _ in range(4)]

    assert ["m.kane", "m.lee", "ana.mia", "ben.rook"] == orders[0]
    assert ["ana.mia", "ben.rook", "m.kane", "m.lee"] == orders[1]
    assert ["ben.rook", "m.kane", "m.lee", "ana.mia"] == orders[2]
    assert orders[0] == orders[3]


def test_A16_a_turn_is_a_tick_whether_or_not_anybody_has_an_order():
    table = docks()
    table.play()
    assert "ana.mia" == narrators(table.play(*everybody(table)))[0]
    assert 2 == table.play(Narrate(S, "ana.mia")).one(TurnBegan).turn


def test_A16_the_gms_seat_stands_even_empty():
    table = Table({"s": 2})
    for name in ("ana.mia", "ben.rook"):
        table.pc(name)
    orders = [narrators(table.play(*everybody(table)))[0] for _ in range(3)]

    assert ["ana.mia", "ana.mia", "ben.rook"] == orders


def test_A16_ids_compare_in_bytes():
    table = Table()
    for name in ("ana.é", "ana.z", "ana.Z"):
        table.pc(name)

    assert ["ana.Z", "ana.z", "ana.é"] == narrators(table.play(*everybody(table)))


def test_A16_a_character_with_no_order_passes():
    table = docks()

    assert ["ana.mia"] == narrators(table.play(Narrate(S, "ana.mia")))


def test_A16_who_is_out_keeps_its_seat():
    table = docks()
    table.who("ana.mia").out = True
    orders = [narrators(table.play(Narrate(S, "m.kane"), Narrate(S, "ben.rook"))) for _ in range(3)]

    assert [["m.kane", "ben.rook"], ["ben.rook", "m.kane"], ["ben.rook", "m.kane"]] == orders
    assert ["ana.mia", "ben.rook"] == table.scene().seats


def test_A16_who_leaves_gives_its_seat_up_and_newcomers_sit_last_several_at_once_by_id():
    table = Table({"s": 2, "t": 2})
    for name in ("ben.rook", "ana.mia"):
        table.pc(name)
    table.pc("zed.z", scene="t")
    table.pc("cleo.c", scene="t")
    table.pc("dov.d", scene="")
    table.play(Place(M, "zed.z", S), Place(M, "cleo.c", S), Place(M, "dov.d", S))

    assert ["ana.mia", "ben.rook", "cleo.c", "dov.d", "zed.z"] == table.scene().seats
    assert [] == table.scene("m.t").seats
    table.play(Place(M, "ben.rook", "m.t"))
    assert ["ana.mia", "cleo.c", "dov.d", "zed.z"] == table.scene().seats
    table.play(Place(M, "ben.rook", S))
    assert ["ana.mia", "cleo.c", "dov.d", "zed.z", "ben.rook"] == table.scene().seats


def test_A16_a_gms_newcomer_sits_at_the_gms_seat():
    table = docks()
    told = table.play(Open(M, "u", "Elsewhere", ("here",)), Place(M, "m.kane", "m.t", 1))

    assert "m.kane" == told.one(Arrived).character
    assert [] == table.scene("m.t").seats
    assert ["m.kane"] == narrators(table.play(Narrate("m.t", "m.kane")))


def test_A16_the_turns_of_a_scene_count_from_its_opening():
    table = docks()
    table.play()
    table.play(Open(M, "u", "Elsewhere", ("here",)), Place(M, "ana.mia", "m.u"))

    assert 0 == table.play(Narrate("m.u", "ana.mia")).one(TurnBegan).turn
    assert 1 == table.play(Narrate("m.u", "ana.mia")).one(TurnBegan).turn


def test_A16_grants_come_before_the_turn_order_and_this_before_the_narrations():
    told = docks().play(
        Grant(S, "ana", "narration"),
        Narrate(S, "ana.mia", "", (Attack("m.kane", "pistol"),)),
    )

    phases = list(dict.fromkeys(step.phase for step in told.result.steps))
    assert ["grants", "turn order", "narrations", "aftermath"] == phases
    kinds = [type(event).__name__ for event in told.events]
    assert kinds.index("Granted") < kinds.index("TurnBegan") < kinds.index("Narrated") < kinds.index("Attacked")


def test_K9_a_scene_is_played_in_sequence_each_reading_what_those_before_it_left():
    table = docks()
    shots = [Narrate(S, name, "", (Attack("m.kane", "pistol"),)) for name in ("ana.mia", "ben.rook")]
    told = table.play(*shots, where=lambda told: all(fact.margin >= 0 for fact in told.of(Attacked)))
    first, second = told.of(Attacked)

    assert table.who("m.kane").physical == sum(4 + fact.margin for fact in (first, second))


def test_A16_the_order_of_the_turn_is_told():
    told = docks().play(Narrate(S, "ana.mia"))

    assert ["m.kane", "m.lee", "ana.mia", "ben.rook"] == told.facts("players", "turn_began")[0]["order"]
