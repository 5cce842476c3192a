"""Scenes that end, missions, players who join, scenes that open, characters that are placed: A16 to A18."""

import pytest

from tests.rules.anarchy.table import M, S, Table
from workers.rules.anarchy.entities import Challenge, Player
from workers.rules.anarchy.events import Attacked, Hurt, Narrated, OrderVoid
from workers.rules.anarchy.events_aftermath import Arrived, Lurks, SceneEnded, SceneFounded
from workers.rules.anarchy.events_mission import MissionStarted, PlayerJoined, SceneOpened
from workers.rules.anarchy.orders import (
    Allot,
    Attack,
    Close,
    Grant,
    Interrupt,
    Join,
    Move,
    Narrate,
    Open,
    Place,
    Start,
)
from workers.rules.anarchy.sheets import CharacterSpec

HERO = CharacterSpec("hero", "A hero", luck=2, armour=3)


def two_scenes():
    table = Table({"s": 4, "t": 2})
    table.pc("ana.mia", physical=40, armour=2)
    table.pc("ben.rook", physical=40)
    table.pc("cleo.silk", scene="", physical=40, armour=1)
    table.npc("kane", level="extra", physical=1)
    table.npc("lee", scene="t", level="pro", physical=40)
    table.npc("lurker", scene="s", level="pro", hidden=True)
    return table


SHOOT_KANE = Narrate(S, "ana.mia", "", (Attack("m.kane", "pistol"),))


# --- A17 --------------------------------------------------------------------------------------------------------------


def test_A17_a_scene_ends_when_all_the_gms_known_characters_in_it_are_out():
    table = two_scenes()
    told = table.play(SHOOT_KANE, where=lambda told: told.has(Hurt))

    assert (S, "gm_out") == (told.one(SceneEnded).scene, told.one(SceneEnded).reason)
    assert S not in table.homes


def test_A17_hidden_ones_do_not_count_and_leave_with_it():
    table = two_scenes()
    table.play(SHOOT_KANE, where=lambda told: told.has(Hurt))

    assert table.mission().wings["m.lurker"].hidden
    assert {"ana.mia", "ben.rook", "cleo.silk", "m.kane", "m.lurker"} == table.mission().wings.keys()


def test_A17_a_scene_ends_when_all_the_players_characters_in_it_are_out():
    table = Table()
    table.pc("ana.mia", physical=1)
    table.npc("kane", level="pro")
    told = table.play(Narrate(S, "m.kane", "", (Attack("ana.mia", "gun"),)), where=lambda told: told.has(Hurt))

    assert "players_out" == told.one(SceneEnded).reason
    assert ["ana.mia"] == table.mission().out
    assert table.mission().wings["ana.mia"].out


def test_A17_a_side_with_nobody_there_ends_nothing():
    table = Table({"s": 2, "t": 2})
    table.pc("ana.mia")
    table.npc("lee", scene="t", level="pro")

    assert not table.play().has(SceneEnded)


def test_A17_the_rest_of_the_turn_is_played():
    table = two_scenes()
    told = table.play(
        SHOOT_KANE, Narrate(S, "ben.rook", "And that was that.", (Move(1),)), where=lambda told: told.has(Hurt)
    )

    assert ["ana.mia", "ben.rook"] == [fact.character for fact in told.of(Narrated)]
    assert told.has(SceneEnded)


def test_A17_the_gm_closes_a_scene_in_the_aftermath():
    table = two_scenes()
    told = table.play(Close(S), Narrate(S, "ben.rook"))

    assert ("closed", 1) == (told.one(SceneEnded).reason, len(told.of(Narrated)))
    assert {"ana": 3, "ben": 3} == {name: table.mission().players[name].points for name in ("ana", "ben")}
    assert ("gm_only", "") == two_scenes().refusal(Close(S), camp="players")


def test_A17_armour_is_restored_when_a_scene_ends_tracks_are_not():
    table = two_scenes()
    table.who("ana.mia").armour, table.who("ana.mia").physical = 0, 5
    table.who("ana.mia").worn = ["lamp"]
    table.play(Close(S))

    after = table.mission().wings["ana.mia"]
    assert (2, 5) == (after.armour, after.physical)
    assert [] == after.worn, "what broke down in a scene is forgotten with it (A13)"


def test_A13_what_broke_down_in_a_scene_may_break_down_again_in_the_next():
    table = two_scenes()
    table.who("ana.mia").worn = ["lamp"]
    table.play(Place(M, "ana.mia", "m.t"))

    assert [] == table.who("ana.mia", "m.t").worn


def test_K6_an_order_on_a_scene_that_has_ended_is_void():
    table = two_scenes()
    table.play(Close(S))
    told = table.play(Narrate(S, "ana.mia"), Grant(S, "ana", "narration"), Close(S), unchecked=True)

    assert ["gone", "gone", "gone"] == [fact.reason for fact in told.of(OrderVoid)]
    assert ("unknown_scene", "scene") == table.refusal(Narrate(S, "ana.mia"))


@pytest.mark.parametrize(
    "order",
    [
        Narrate(M, "ana.mia"),
        Grant(M, "ana", "narration"),
        Grant("ana", "ana", "narration"),
        Close(M),
        Close("ana"),
        Allot(S, S, 1),
        Allot("ana", S, 1),
        Open(S, "u", "U", ("here",)),
        Open("ana", "u", "U", ("here",)),
        Place(S, "ana.mia", "m.t"),
        Allot("nowhere", S, 1),
        Place("nowhere", "ana.mia", S),
    ],
)
def test_K6_an_order_whose_home_is_something_else_is_void(order):
    table = two_scenes()
    told = table.play(order, unchecked=True)

    assert (told.booked[0].id, "gone") == (told.one(OrderVoid).order, told.one(OrderVoid).reason)


@pytest.mark.parametrize("mission", ["nowhere", "ana", S])
@pytest.mark.parametrize(
    "order",
    [
        lambda mission: Allot(mission, S, 1),
        lambda mission: Join(mission, "zoe", (HERO,)),
        lambda mission: Open(mission, "u", "U", ("here",)),
        lambda mission: Place(mission, "ana.mia", "m.t"),
    ],
)
def test_K7_what_is_no_mission_is_refused_with_the_words_for_none(order, mission):
    assert ("unknown_mission", "mission") == two_scenes().refusal(order(mission))


# --- A18: starts ------------------------------------------------------------------------------------------------------


def test_A18_starting_a_mission_closes_its_scenes_then_sets_points_tracks_armour_and_luck():
    table = two_scenes()
    mia = table.who("ana.mia")
    mia.physical, mia.stun, mia.armour, mia.luck = 7, 3, 0, 0
    table.scene().points["ana"] = 6
    table.mission().reserve = 20
    table.mission().wings["cleo.silk"].armour = 0
    told = table.play(Start(M), Narrate(S, "ben.rook"))
    after = table.mission().wings["ana.mia"]

    assert 1 == len(told.of(Narrated)), "the rest of the Turn is played"
    assert {("m.s", "mission"), ("m.t", "mission")} == {(fact.scene, fact.reason) for fact in told.of(SceneEnded)}
    assert (0, 0, 2, 2) == (after.physical, after.stun, after.armour, after.luck)
    assert 1 == table.mission().wings["cleo.silk"].armour
    assert {"ana": 3, "ben": 3, "cleo": 3} == {name: purse.points for name, purse in table.mission().players.items()}
    assert 1 == table.mission().reserve
    assert ({}, {}) == (table.mission().scenes, table.mission().where)


def test_A18_a_mission_that_starts_anew_keeps_its_title_or_gets_a_new_one():
    table = two_scenes()
    before = table.mission().title
    table.play(Start(M))
    assert before == table.mission().title == "m"
    table.play(Start(M, "The sequel"))
    assert "The sequel" == table.mission().title


def test_A10_a_mission_start_brings_back_who_was_out():
    table = two_scenes()
    table.play(SHOOT_KANE, where=lambda told: told.has(Hurt))
    assert ["m.kane"] == table.mission().out
    table.play(Start(M))

    assert ([], False) == (table.mission().out, table.mission().wings["m.kane"].out)


def test_A18_one_who_is_out_can_be_placed_in_the_aftermath_of_the_start():
    table = two_scenes()
    table.play(SHOOT_KANE, where=lambda told: told.has(Hurt))
    open_u, place = Open(M, "u", "Again", ("here",)), Place(M, "m.kane", "m.u")

    assert ("out", "character") == table.refusal(place, booked=table.book((open_u,)))
    table.play(Start(M), open_u, place)
    assert "m.kane" in table.scene("m.u").characters


def test_A18_a_start_may_bring_a_new_mission_into_being():
    table = two_scenes()
    told = table.play(Start("night", "Another night"))

    assert told.one(MissionStarted).created
    assert ("Another night", 1, {}) == (
        table.mission("night").title,
        table.mission("night").reserve,
        table.mission("night").players,
    )
    assert ("name_taken", "mission") == table.refusal(Start("ana"))
    assert ("malformed", "mission") == table.refusal(Start("a.b"))
    assert ("gm_only", "") == table.refusal(Start(M), camp="players")


def test_A18_a_campaign_may_hold_several_missions_each_with_its_own_reserve_and_players():
    table = two_scenes()
    table.play(Start("night"))
    table.mission().reserve = 8
    table.play(Join("night", "zoe", (HERO,)), Open("night", "bar", "The bar", ("door", "counter")))
    table.play(Place("night", "zoe.hero", "night.bar", 1))

    assert (8, 1) == (table.mission().reserve, table.mission("night").reserve)
    assert "zoe" not in table.mission().players
    assert ("unknown_character", "character") == table.refusal(Place(M, "zoe.hero", "m.t"))
    assert ("unknown_scene", "scene") == table.refusal(Place("night", "zoe.hero", "m.t"))


def test_A18_one_start_a_tick():
    table = two_scenes()
    told = table.play(Start(M), Start(M), Start("night"), Start("night"), Start("ana"), unchecked=True)

    assert ["name_taken", "started_twice", "started_twice"] == sorted(fact.reason for fact in told.of(OrderVoid))
    assert {"started": (1, 1)} == table.costs(Start(M))


# --- A18: joins -------------------------------------------------------------------------------------------------------


def test_A18_a_player_who_joins_late_starts_with_3_its_characters_in_the_wings():
    table = two_scenes()
    told = table.play(Join(M, "zoe", (HERO,)))

    assert ("zoe", ("zoe.hero",), 3) == (
        told.one(PlayerJoined).player,
        told.one(PlayerJoined).characters,
        told.one(PlayerJoined).points,
    )
    assert 3 == table.mission().players["zoe"].points
    assert (2, 3) == (table.mission().wings["zoe.hero"].luck, table.mission().wings["zoe.hero"].armour)
    assert Player(M) == table.homes["zoe"].player
    table.play(Place(M, "zoe.hero", S))
    assert 3 == table.scene().points["zoe"]


def test_A18_who_already_belongs_to_a_mission_is_refused():
    table = two_scenes()
    table.play(Start("night"))

    assert ("already_belongs", "player") == table.refusal(Join("night", "ana", (HERO,)))
    assert ("already_belongs", "player") == table.refusal(Join(M, "ana", (HERO,)))
    told = table.play(Join("night", "zoe", (HERO,)), Join(M, "zoe", (HERO,)), unchecked=True)
    assert "already_belongs" == told.one(OrderVoid).reason
    assert 1 == len(told.of(PlayerJoined))


@pytest.mark.parametrize(
    ("order", "refused"),
    [
        (Join("nowhere", "zoe", (HERO,)), ("unknown_mission", "mission")),
        (Join(M, "m", (HERO,)), ("name_taken", "player")),
        (Join(M, "z.e", (HERO,)), ("malformed", "player")),
        (Join(M, "zoe", (HERO, HERO)), ("malformed", "characters[1].id")),
        (Join(M, "zoe", (CharacterSpec("x", level="pro"),)), ("malformed", "characters[0].level")),
        (Join(M, "zoe", (CharacterSpec("x", hidden=True),)), ("malformed", "characters[0].hidden")),
        (Join(M, "zoe", (CharacterSpec("x/y"),)), ("malformed", "characters[0].id")),
    ],
)
def test_A18_a_join_that_cannot_be_is_refused(order, refused):
    assert refused == two_scenes().refusal(order)


def test_A18_a_join_and_a_start_in_one_aftermath():
    table = two_scenes()
    table.play(Join(M, "zoe", (HERO,)), Start(M))

    assert 3 == table.mission().players["zoe"].points


# --- A18: openings ----------------------------------------------------------------------------------------------------


def test_A18_the_gm_opens_a_scene_with_places_challenges_and_cast_for_the_next_turn():
    table = two_scenes()
    order = Open(
        M,
        "u",
        "The cellar",
        ("stairs", "barrels"),
        challenges=(Challenge("the cork", "lift", "easy"),),
        cast=(CharacterSpec("rat", level="extra", place=1), CharacterSpec("ghost", level="terror", hidden=True)),
        threats=2,
        threat_level="minion",
    )
    told = table.play(order)
    scene = table.scene("m.u")

    assert (("m.rat",), ("m.ghost", "m.rat")) == (told.one(SceneOpened).cast, told.one(SceneOpened).whole)
    assert told.has(SceneFounded)
    assert ("The cellar", ("stairs", "barrels"), 2, "minion") == (
        scene.title,
        scene.places,
        scene.threats,
        scene.threat_level,
    )
    assert {"m.rat": 1, "m.ghost": 0} == {name: one.place for name, one in scene.characters.items()}
    assert ("lift", "easy") == (scene.challenges["the cork"].on, scene.challenges["the cork"].difficulty)
    assert "m.u" == table.mission().where["m.ghost"]


@pytest.mark.parametrize(
    ("order", "refused"),
    [
        (Open(M, "s", "Again", ("here",)), ("scene_is_open", "name")),
        (Open(M, "a.b", "Dot", ("here",)), ("malformed", "name")),
        (Open(M, "u", "Twice", ("here", "here")), ("malformed", "places[1]")),
        (Open(M, "u", "Kane", ("here",), cast=(CharacterSpec("kane"),)), ("character_exists", "cast[0].id")),
        (Open(M, "u", "Far", ("here",), cast=(CharacterSpec("x", place=1),)), ("malformed", "cast[0].place")),
        (Open("nowhere", "u", "U", ("here",)), ("unknown_mission", "mission")),
    ],
)
def test_A18_an_opening_that_cannot_be_is_refused(order, refused):
    assert refused == two_scenes().refusal(order)


def test_A18_the_cast_of_a_scene_is_new_nobody_waits_in_the_wings_under_its_name():
    table = Table()
    table.pc("ana.mia")
    table.npc("owl", scene="", level="extra")

    assert ("character_exists", "cast[0].id") == table.refusal(Open(M, "u", "U", ("a",), cast=(CharacterSpec("owl"),)))


def test_A18_of_two_openings_under_one_name_one_is_void_K6():
    table = two_scenes()
    told = table.play(Open(M, "u", "One", ("a",)), Open(M, "u", "Two", ("b",)), unchecked=True)

    assert "scene_is_open" == told.one(OrderVoid).reason
    assert 1 == len(told.of(SceneOpened))
    assert {"opened:u": (1, 1)} == two_scenes().costs(Open(M, "u", "One", ("a",)))


# --- A18, A16: placements ---------------------------------------------------------------------------------------------


def test_A18_a_character_is_placed_from_the_wings_or_from_another_scene_for_the_next_turn():
    table = two_scenes()
    told = table.play(Place(M, "cleo.silk", "m.t", 1), Place(M, "ana.mia", "m.t"), Narrate(S, "ana.mia"))

    assert S == told.one(Narrated).scene, "it still narrates where it is"
    assert {("cleo.silk", 1), ("ana.mia", 0)} == {(fact.character, fact.place) for fact in told.of(Arrived)}
    assert {"cleo.silk", "ana.mia", "m.lee"} == table.scene("m.t").characters.keys()
    assert {"ana": 3, "cleo": 3} == table.scene("m.t").points
    assert "ana.mia" not in table.scene().characters


def test_A18_opening_a_scene_and_placing_characters_in_it_in_one_aftermath():
    table = two_scenes()
    told = table.play(Open(M, "u", "The cellar", ("stairs",)), Place(M, "cleo.silk", "m.u"), Place(M, "ana.mia", "m.u"))

    assert ["ana.mia", "cleo.silk"] == table.scene("m.u").seats
    assert [("cleo",), ("ana", "cleo")] == [fact.witnesses for fact in told.of(Arrived)], "who comes reads of it (A19)"
    assert ("unknown_scene", "scene") == two_scenes().refusal(Place(M, "ana.mia", "m.u"))
    assert {"ana": 3, "cleo": 3} == table.scene("m.u").points
    assert told.result.tick == table.scene("m.u").since


def test_A16_a_players_characters_are_in_one_scene_judged_after_all_placements():
    table = Table({"s": 2, "t": 2})
    table.pc("ana.mia")
    table.pc("ana.nix")
    table.pc("ana.oz", scene="")
    told = table.play(Place(M, "ana.mia", "m.t"))
    assert ("split", {"ana.mia", "ana.nix"}) == (told.one(OrderVoid).reason, set(table.scene().characters))

    told = table.play(Place(M, "ana.mia", "m.t"), Place(M, "ana.nix", "m.t"), Place(M, "ana.oz", S))
    assert ["split", "split", "split"] == [fact.reason for fact in told.of(OrderVoid)]

    table.play(Place(M, "ana.mia", "m.t"), Place(M, "ana.nix", "m.t"), Place(M, "ana.oz", "m.t"))
    assert {"ana.mia", "ana.nix", "ana.oz"} == set(table.scene("m.t").characters)
    assert ({}, {"ana": 3}) == (table.scene().points, table.scene("m.t").points)


def test_A16_a_character_in_the_wings_is_in_no_scene_and_splits_nothing():
    table = Table({"s": 2, "t": 2})
    table.pc("ana.mia")
    table.pc("ana.nix", scene="")
    told = table.play(Place(M, "ana.mia", "m.t"))

    assert not told.has(OrderVoid)
    assert {"ana.mia"} == set(table.scene("m.t").characters)


def test_A16_who_is_out_stays_behind_and_splits_nothing():
    table = Table({"s": 2, "t": 2})
    table.pc("ana.mia", physical=1)
    table.pc("ana.nix")
    table.pc("ben.rook")
    table.npc("kane", level="pro")
    shot = Narrate(S, "m.kane", "", (Attack("ana.mia", "gun"),))
    told = table.play(shot, Place(M, "ana.nix", "m.t"), where=lambda told: told.has(Hurt))

    assert not told.has(OrderVoid)
    assert ["ana.mia", "ben.rook"] == table.scene().seats
    assert {"ana": 3} == table.scene("m.t").points


def test_A16_points_left_with_one_who_is_out_follow_a_character_from_the_wings():
    table = Table({"s": 2, "t": 2})
    table.pc("ana.mia", physical=1)
    table.pc("ana.nix", scene="")
    table.pc("ben.rook")
    table.npc("kane", level="pro")
    shot = Narrate(S, "m.kane", "", (Attack("ana.mia", "gun"),))
    table.play(shot, where=lambda told: told.has(Hurt))
    assert 3 == table.scene().points["ana"]
    table.play(Place(M, "ana.nix", "m.t"))

    assert ({"ben": 3}, {"ana": 3}) == (table.scene().points, table.scene("m.t").points)


def test_A18_a_gms_character_belongs_to_the_mission_where_it_is_or_was_last():
    table = two_scenes()
    table.play(Start("night"))
    table.play(Open("night", "bar", "The bar", ("door",)))

    assert ("unknown_character", "character") == table.refusal(Place("night", "m.lee", "night.bar"))
    table.play(Close("m.t"))
    assert ("", "") == table.refusal(Place(M, "m.lee", S))


@pytest.mark.parametrize(
    ("order", "refused"),
    [
        (Place(M, "ana.mia", S), ("already_there", "scene")),
        (Place(M, "ana.mia", "m.t", 2), ("no_such_place", "place")),
        (Place(M, "nobody.x", "m.t"), ("unknown_character", "character")),
        (Place(M, "ana.mia", "m.nowhere"), ("unknown_scene", "scene")),
    ],
)
def test_A18_a_placement_that_cannot_be_is_refused(order, refused):
    table = two_scenes()

    assert refused == table.refusal(order)
    assert ("gm_only", "") == table.refusal(order, camp="players")
    assert refused[0] == table.play(order, unchecked=True).one(OrderVoid).reason


def test_A18_a_character_is_placed_once_a_tick():
    table = two_scenes()
    told = table.play(Place(M, "cleo.silk", "m.t"), Place(M, "cleo.silk", S), unchecked=True)

    assert "placed_twice" == told.one(OrderVoid).reason
    assert {"placed:cleo.silk": (1, 1)} == two_scenes().costs(Place(M, "cleo.silk", "m.t"))


def test_A18_a_placement_into_a_scene_that_ends_is_void_and_the_character_is_in_the_wings():
    table = two_scenes()
    told = table.play(Place(M, "ana.mia", "m.t"), Close("m.t"), Close(S))

    assert "unknown_scene" == told.one(OrderVoid).reason
    assert "ana.mia" in table.mission().wings


def test_A18_a_hidden_character_arrives_unseen():
    table = two_scenes()
    told = table.play(Place(M, "m.lurker", "m.t"))

    assert "m.lurker" == told.one(Lurks).character
    assert [] == told.facts("players", "lurks") + told.facts("players", "arrived")
    assert table.who("m.lurker", "m.t").hidden


def test_A18_a_place_in_one_turn_and_a_narration_in_the_next():
    table = two_scenes()
    table.play(Place(M, "cleo.silk", "m.t"))
    told = table.play(
        Narrate("m.t", "cleo.silk", "Good evening.", (Attack("m.lee", "pistol"),)),
        Narrate("m.t", "m.lee"),
        Interrupt("m.t", "cleo.silk", front=True),
    )

    assert ["cleo.silk", "m.lee"] == [fact.character for fact in told.of(Narrated)]
    assert "m.lee" == told.one(Attacked).target
