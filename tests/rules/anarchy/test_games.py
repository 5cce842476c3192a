"""The golden games: seven of several Turns, each Turn a bundle, with what must come of it stated by hand.

`record_games.py` wrote them. The dice below were read off the records and checked by hand against the clauses.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rules.anarchy.record_games import GAMES as RECORDED
from tests.rules.anarchy.table import M, S, Told, defence
from workers.kernel.digest import canonical
from workers.kernel.tick import resolve
from workers.rules.anarchy import RULEBOOK
from workers.rules.anarchy.entities import Character, Player
from workers.rules.anarchy.events import (
    Allotted,
    Attacked,
    BrokeDown,
    EffectLeftOut,
    Granted,
    Healed,
    Held,
    Hurt,
    Interposed,
    Intervened,
    Mended,
    Moved,
    Narrated,
    PointSpent,
    Revealed,
    StepVoid,
    ThreatCame,
    Tried,
    TurnBegan,
)
from workers.rules.anarchy.events_aftermath import Arrived, SceneEnded
from workers.rules.anarchy.events_mission import MissionStarted, PlayerJoined, ReserveSettled, SceneOpened
from workers.rules.bundle import Loaded, load_bundle

FOLDER = Path(__file__).parent / "games"
DIGESTS = json.loads(Path(__file__).with_name("digests.json").read_text(encoding="utf-8"))


def loaded(name: str) -> Loaded:
    return load_bundle((FOLDER / f"{name}.json").read_bytes(), lambda _: RULEBOOK)


def played(name: str) -> Told:
    bundle = loaded(name)
    return Told(resolve(bundle.engine, bundle.given), tuple(bundle.given.orders))


def spent(told: Told) -> list[tuple[str, str]]:
    return [(fact.payer, fact.cause) for fact in told.of(PointSpent)]


def reserve(told: Told) -> int:
    return told.mission().reserve


def character(told: Told, name: str) -> Character:
    return told.scene().characters[name]


def points(told: Told) -> dict[str, int]:
    return told.scene().points


def hits(told: Told) -> list[tuple[str, str, int, int]]:
    """Attacker, target, hits, and what they had to reach."""
    return [(fact.character, fact.target, fact.roll.hits, fact.nd) for fact in told.of(Attacked)]


def duel_1(told: Told) -> None:
    """A4, A8, A9, A10, A13, A14."""
    assert told.one(TurnBegan).order == ("m.kane", "ana.mia", "ben.rook")
    first, riposte, answer, shot = told.of(Attacked)
    # Kane's seven dice have no hit; Mia's defence was lucky against him: 6, 4 and 4 hit.
    assert (first.roll.dice, defence(first).dice) == ((2, 1, 2, 4, 1, 3, 4), (6, 1, 2, 4, 4, 3))
    assert (defence(first).luck, first.nd, first.margin, first.outcome) == (True, 3, -3, "failure")
    # She ripostes without luck against his ND 2 (7 dice of dodge / 3), he ripostes to her riposte.
    assert (riposte.cause, riposte.roll.hits, riposte.nd, riposte.roll.luck) == ("riposte", 1, 2, False)
    assert (answer.roll.hits, answer.nd, defence(answer).luck) == (2, 1, False)
    # 4 + margin 1: her armour of 2 takes 2, the track 3.
    # Then her own Narration: luck, and a glitch die of 6 that disarms instead of one more damage: 4 + margin 2.
    assert (shot.roll.dice, shot.roll.hits, shot.roll.exploits) == ((1, 4, 3, 5, 3, 5, 6), 4, 1)
    assert [(h.character, h.damage, h.armour, h.boxes) for h in told.of(Hurt)] == [
        ("ana.mia", 5, 2, 3),
        ("m.kane", 6, 1, 5),
    ]
    assert (told.one(BrokeDown).thing, told.one(BrokeDown).cause) == ("pistol", "disarm")
    assert spent(told) == [("ana", "riposte"), ("gm", "riposte"), ("ana", "risk")]
    assert (points(told)["ana"], character(told, "ana.mia").luck, reserve(told)) == (1, 0, 0 + 2)


def duel_2(told: Told) -> None:
    """A13: well-disposed, first aid, a broken weapon and bare hands; A16: the second Turn starts at the second seat."""
    assert told.one(TurnBegan).order == ("ana.mia", "ben.rook", "m.kane")
    assert [fact.roll.pool for fact in told.of(Attacked)] == [6 + 3, 7]
    assert (told.one(Healed).character, told.one(Healed).heals) == ("ana.mia", "physical")
    # With bare hands: 1 stun, margin 0.
    assert [(h.character, h.damage, h.track) for h in told.of(Hurt)] == [
        ("m.kane", 6, "physical"),
        ("ana.mia", 1, "stun"),
    ]
    assert told.one(Mended).things == ("pistol",)
    assert (character(told, "ana.mia").physical, character(told, "m.kane").physical) == (2, 11)
    assert (points(told), reserve(told)) == ({"ana": 0, "ben": 2}, 4)


def duel_3(told: Told) -> None:
    """A10: what the track can't hold is lost; A13: a step on one who is out is void alone; A17: the scene ends."""
    assert (told.one(Hurt).damage, told.one(Hurt).boxes, told.one(Hurt).out) == (5, 1, True)
    assert (told.one(StepVoid).character, told.one(StepVoid).reason) == ("ana.mia", "target_out")
    assert [fact.character for fact in told.of(Narrated)] == ["ben.rook", "ana.mia"]
    assert told.one(SceneEnded).reason == "gm_out"
    assert told.mission().wings["ana.mia"].armour == 2


def bodyguard_1(told: Told) -> None:
    """A13, A14: one interposer a hit, in turn order; glitch dice on others' rolls; a GM's interposer sets its ND."""
    assert hits(told) == [("m.kane", "ana.mia", 2, 1), ("ben.rook", "m.kane", 3, 3)]
    rook, lee = told.of(Interposed)
    # Rook comes before Silk from Kane's seat on. 6, 3, 3, 1, 1, 3 and Silk's glitch die 6: 2 hits against 2.
    assert (rook.character, defence(rook).dice, rook.margin) == ("ben.rook", (6, 3, 3, 1, 1, 3, 6), 0)
    assert (lee.character, lee.nd, lee.defence, lee.margin) == ("m.lee", 2, None, 1)
    # 5 + 0 for Rook; 4 + 1 and Rook's exploit on the glitch die that Silk paid for Lee.
    assert [(h.character, h.damage) for h in told.of(Hurt)] == [("ben.rook", 5), ("m.lee", 6)]
    assert told.one(Intervened).text == "She loads his gun."
    assert spent(told) == [
        ("gm", "risk"),
        ("ben", "interpose"),
        ("cleo", "risk"),
        ("cleo", "intervention"),
        ("cleo", "risk"),
        ("gm", "interpose"),
    ]
    assert (points(told), reserve(told)) == ({"ana": 3, "ben": 2, "cleo": 0}, 6 - 2 + 4)


def bodyguard_2(told: Told) -> None:
    """A14: a riposte that can't be paid doesn't fire, and its camp is told; the rest of the allotment returns (A16)."""
    assert told.one(TurnBegan).order[0] == "ana.mia"
    assert hits(told) == [("m.kane", "cleo.silk", 3, 1), ("m.lee", "cleo.silk", 2, 2)]
    assert (told.one(Held).character, told.one(Held).effect, told.one(Held).reason) == (
        "cleo.silk",
        "riposte",
        "points",
    )
    assert told.one(Interposed).character == "ana.mia"
    assert (points(told)["ana"], reserve(told)) == (2, 8 - 1 + 1 + 1)


def heist_1(told: Told) -> None:
    """A2, A3, A5, A6, A7, A9: pools of named terms, an ND of a pool, a level's ND, a complication die."""
    warden, mia, rook = told.of(Tried)
    assert (warden.roll.pool, warden.nd, warden.outcome) == (8, 2, "success")
    assert [(term.name, term.value) for term in mia.terms] == [
        ("electronics", 4),
        ("logic", 3),
        ("tools", 2),
        ("the lock", -1),
        ("Watch this.", 3),
    ]
    # Eleven dice, the glitch die 2, the complication die 4.
    assert (mia.roll.dice, mia.roll.hits) == ((5, 4, 3, 4, 4, 4, 3, 5, 5, 1, 6, 2, 4), 4)
    assert (mia.roll.glitch, mia.roll.complication, mia.roll.complications) == (1, 1, 0)
    assert (mia.nd, mia.margin) == (3, 1)
    assert (rook.pair, rook.nd, rook.margin, rook.outcome) == ("perception", 3, -1, "bare_failure")
    assert reserve(told) == 1 + 2


def heist_2(told: Told) -> None:
    """A5: difficulties 3 and 1; A7: a test changes no state; A1: a move does, of one place."""
    assert [(fact.challenge, fact.nd, fact.roll.hits) for fact in told.of(Tried)] == [
        ("the lock", 3, 4),
        ("the code", 1, 2),
    ]
    assert (told.one(Moved).character, told.one(Moved).place) == ("ben.rook", 1)


def heist_3(told: Told) -> None:
    """A13: a broken asset gives no dice; it works again at the end of its owner's Narration. A4: luck makes 4 a hit."""
    assert (told.one(BrokeDown).thing, told.one(Mended).things) == ("tools", ("tools",))
    roll = told.one(Tried).roll
    assert (roll.dice, roll.pool, roll.luck, roll.hits) == ((4, 1, 1, 6, 2, 6, 6), 6, True, 3)
    # The last die is the complication die: its 6 is no hit.
    assert (roll.complication, told.one(Tried).outcome) == (1, "bare_success")
    assert (reserve(told), character(told, "ana.mia").worn) == (2, ["tools"])


def relay_1(told: Told) -> None:
    """A16: Rook takes the front, Mia comes right after Kane; Rook's second interruption has no Narration left."""
    assert [(fact.character, fact.cause) for fact in told.of(Narrated)] == [
        ("ben.rook", "interruption"),
        ("m.kane", "turn"),
        ("ana.mia", "interruption"),
    ]
    assert (told.one(Held).character, told.one(Held).reason) == ("ben.rook", "no_narration")
    # Newcomers sit last, by id, whichever way they came; Silk's points came with her.
    assert told.scene().seats == ["ana.mia", "ben.rook", "cleo.silk", "dov.patch"]
    assert {fact.character for fact in told.of(Arrived)} == {"cleo.silk", "dov.patch"}
    assert points(told) == {"ana": 2, "ben": 2, "cleo": 3, "dov": 3}


def relay_2(told: Told) -> None:
    """A16: Turn 1 starts at Mia's seat; Patch interrupts after her, and buys go!."""
    assert [fact.character for fact in told.of(Narrated)] == ["ana.mia", "dov.patch", "cleo.silk"]
    assert [(fact.character, fact.place, fact.go) for fact in told.of(Moved)] == [
        ("dov.patch", 2, ""),
        ("dov.patch", 1, "m.kane"),
    ]
    assert spent(told) == [("dov", "interruption"), ("dov", "go")]


def relay_3(told: Told) -> None:
    """A16: Turn 2 starts at Rook's seat, the GM's seat comes after the players'; the others pass."""
    assert told.one(TurnBegan).order == ("ben.rook", "cleo.silk", "dov.patch", "m.kane", "ana.mia")
    assert [fact.character for fact in told.of(Narrated)] == ["ben.rook", "m.kane"]


def purse_1(told: Told) -> None:
    """A11, A12, A15, A16: grants to six, two allotments, the GM's threat and go!, a player's threat; leftovers."""
    assert {(fact.player, fact.points) for fact in told.of(Granted)} == {("ana", 6), ("ben", 1), ("cleo", 4)}
    assert {(fact.scene, fact.points) for fact in told.of(Allotted)} == {(S, 3), ("m.t", 2)}
    assert {(fact.name, fact.level) for fact in told.of(ThreatCame)} == {("a patrol", "extra"), ("a stranger", "extra")}
    # The GM spends two of three in the scene and none of two in the other; the players spend two.
    assert reserve(told) == 5 - 5 + (3 - 2) + 2 + 2
    assert points(told) == {"ana": 6, "ben": 0}
    assert told.scene("m.t").points == {"cleo": 3}


def purse_2(told: Told) -> None:
    """A13: the new threat narrates now; who interposes takes it; A1: a riposte out of range doesn't fire."""
    threat = told.of(Narrated)[0].character
    assert (hits(told), threat.startswith("m.")) == ([(threat, "ben.rook", 3, 1)], True)
    assert told.one(Held).reason == "out_of_range"
    assert (told.one(Interposed).character, told.one(Hurt).character, told.one(Hurt).damage) == (
        "ana.mia",
        "ana.mia",
        5,
    )
    assert (points(told), reserve(told)) == ({"ana": 5, "ben": 1}, 5 - 4 + 4 + 1)


def curtain_1(told: Told) -> None:
    """A10, A17: the last one that the players know is out; the hidden ghost doesn't count and leaves with the scene."""
    assert [(h.character, h.damage, h.armour, h.out) for h in told.of(Hurt)] == [
        ("ana.mia", 5, 3, False),
        ("m.kane", 7, 0, True),
    ]
    mission = told.mission()
    assert (told.one(SceneEnded).reason, mission.out) == ("gm_out", ["m.kane"])
    assert {"ana.mia", "m.kane", "m.ghost"} == mission.wings.keys()
    assert (mission.wings["ana.mia"].armour, mission.wings["ana.mia"].physical) == (3, 2)
    assert mission.players["ana"].points == 2


def curtain_2(told: Told) -> None:
    """A17: the GM closes the other scene after its Turn. A18: a player joins late with 3."""
    assert (told.one(Narrated).character, told.one(SceneEnded).reason) == ("ben.rook", "closed")
    assert (told.one(PlayerJoined).player, told.one(PlayerJoined).points) == ("zoe", 3)
    assert told.homes()["zoe"].player == Player(M)


def curtain_3(told: Told) -> None:
    """A18, A11: a start sets 3 and 1, empties tracks, brings back who is out; another mission comes into being."""
    mission = told.mission()
    assert {fact.created for fact in told.of(MissionStarted)} == {True, False}
    assert ({purse.points for purse in mission.players.values()}, mission.reserve, mission.out) == ({3}, 1, [])
    assert (mission.wings["ana.mia"].physical, mission.wings["m.kane"].out) == (0, False)
    assert told.mission("elsewhere").reserve == 1


def curtain_4(told: Told) -> None:
    """A18: a scene opens and everybody is placed in one aftermath; the players don't read of the hidden owl."""
    assert (told.one(SceneOpened).cast, told.one(SceneOpened).whole) == (("m.rat",), ("m.owl", "m.rat"))
    scene = told.scene("m.cellar")
    assert (scene.seats, scene.points) == (["ana.mia", "ben.rook", "zoe.fox"], {"ana": 3, "ben": 3, "zoe": 3})
    assert (scene.threats, scene.threat_level) == (2, "minion")
    assert not any("owl" in str(fact) for _, fact in told.reads("players"))


def curtain_5(told: Told) -> None:
    """A3, A16: the new scene's Turn 0: strength twice against an easy challenge."""
    assert (told.one(TurnBegan).turn, told.one(TurnBegan).whole[:3]) == (0, ("m.kane", "m.owl", "m.rat"))
    assert (told.one(Tried).roll.dice, told.one(Tried).nd, told.one(Tried).outcome) == (
        (4, 3, 1, 1, 4, 4, 2, 6),
        2,
        "bare_failure",
    )


def shadows_1(told: Told) -> None:
    """A19: the lurker is known once it reacts, NDs once rolled against. A15: the GM's points leave the game."""
    assert hits(told) == [("ana.mia", "m.kane", 2, 2)]
    assert (told.one(Revealed).character, told.one(Interposed).nd, told.one(Interposed).margin) == ("m.lurker", 4, -2)
    assert not told.has(Hurt)
    assert "thing" not in told.facts("players", "broke_down")[0]
    # Kane's dodge without his broken asset: 7 dice; intentions: charisma twice, 0.
    assert character(told, "m.kane").met_nds == {"dodge": 2, "intentions": 0}
    assert character(told, "m.lurker").met_nds == {"dodge": 4}
    assert (reserve(told), spent(told)) == (4 - 2, [("gm", "breakdown"), ("gm", "interpose")])


def shadows_2(told: Told) -> None:
    """A9: a complication is due to the reserve; A10: armour takes all four; A13: the asset works again."""
    shot = told.of(Attacked)[0]
    assert (shot.roll.dice, shot.roll.complications) == ((6, 3, 5, 4, 6, 5, 1), 1)
    assert [(h.character, h.damage, h.armour, h.boxes) for h in told.of(Hurt)] == [
        ("m.lurker", 4, 4, 0),
        ("ben.rook", 6, 0, 6),
    ]
    assert (told.one(Mended).things, character(told, "m.kane").broken) == (("quick",), ["radio"])
    assert reserve(told) == 2 - 1 + 1 + 1


def shadows_3(told: Told) -> None:
    """A19: the ND that the players knew was that of then: 2; now the asset works, and it is 3."""
    assert hits(told) == [("ben.rook", "m.kane", 4, 3)]
    assert character(told, "m.kane").met_nds["dodge"] == 3
    assert told.one(Mended).things == ("radio",)
    assert not told.has(ReserveSettled)
    assert not told.has(EffectLeftOut)


STATEMENTS: dict[str, Callable[[Told], None]] = {
    statement.__name__.replace("_", "-"): statement
    for statement in (
        duel_1,
        duel_2,
        duel_3,
        bodyguard_1,
        bodyguard_2,
        heist_1,
        heist_2,
        heist_3,
        relay_1,
        relay_2,
        relay_3,
        purse_1,
        purse_2,
        curtain_1,
        curtain_2,
        curtain_3,
        curtain_4,
        curtain_5,
        shadows_1,
        shadows_2,
        shadows_3,
    )
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_turn_of_a_golden_game_of_A1_to_A19_comes_out_as_stated(name):
    STATEMENTS[name](played(name))


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_turn_of_a_golden_game_has_its_recorded_digest_with_any_number_of_slices(name):
    bundle = (FOLDER / f"{name}.json").read_bytes()

    for slices in (1, 16):
        ready = load_bundle(bundle, lambda _: RULEBOOK, slices)
        assert DIGESTS[name] == resolve(ready.engine, ready.given).digest


@pytest.mark.parametrize("name", [name for name in STATEMENTS if not name.endswith("-1")])
def test_each_turn_of_a_game_starts_where_the_one_before_it_ended(name):
    game, _, turn = name.rpartition("-")
    before = played(f"{game}-{int(turn) - 1}").homes()

    assert canonical(before) == canonical(loaded(name).state.homes)


def test_the_games_together_touch_each_clause():
    cited = {clause for one in STATEMENTS.values() for clause in re.findall(r"A\d+", one.__doc__ or "")}

    assert {f"A{number}" for number in range(1, 20)} == cited


def test_every_recorded_turn_is_stated_and_every_game_has_several():
    assert {path.stem for path in FOLDER.glob("*.json")} == STATEMENTS.keys() == DIGESTS.keys()
    assert {game.__name__ for game in RECORDED} == {name.rpartition("-")[0] for name in STATEMENTS}
    assert len(RECORDED) >= 6
    assert all(f"{game.__name__}-2" in STATEMENTS for game in RECORDED)
