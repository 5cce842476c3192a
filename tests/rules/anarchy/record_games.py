"""Records the golden games: `python -m tests.rules.anarchy.record_games` writes games/*.json and their digests anew.

A game is a table, a campaign seed, and the orders of each Turn; each Turn becomes a bundle. What must come of it is
stated by hand in test_games.py: a change of the rules that changes a game changes those statements, never the other way
round.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from tests.rules.anarchy.table import ENGINE, M, S, Table, Told
from workers.kernel.digest import canonical
from workers.kernel.entities import cut
from workers.kernel.ids import Ids, id_key, tick_seed
from workers.kernel.orders import Booked, Booking, Order
from workers.kernel.tick import TickInput, resolve
from workers.rules.anarchy import RULEBOOK
from workers.rules.anarchy.check import commands
from workers.rules.anarchy.entities import Attributes, Challenge
from workers.rules.anarchy.events import ThreatCame
from workers.rules.anarchy.orders import (
    Allot,
    Attack,
    Breakdown,
    Close,
    FirstAid,
    Grant,
    Interpose,
    Interrupt,
    Intervene,
    Join,
    Luck,
    Move,
    Narrate,
    NewThreat,
    Open,
    Place,
    Riposte,
    Risk,
    Start,
    Threat,
    Trial,
)
from workers.rules.anarchy.sheets import CharacterSpec

FOLDER = Path(__file__).parent / "games"
DIGESTS = Path(__file__).parent / "digests.json"


class Recorder:
    """Plays the Turns of one game, and keeps each as a bundle."""

    def __init__(self, table: Table, name: str, seed: int) -> None:
        self.table = table
        self.name = name
        self.seed = hashlib.sha256(f"anarchy {name} {seed}".encode()).digest()
        self.bundles: list[tuple[str, bytes, str]] = []
        self.told: list[Told] = []

    def turn(self, *orders: Order) -> Told:
        """Book the orders as intake does, play the Turn, keep its bundle."""
        table, tick = self.table, self.table.tick
        ids = Ids(id_key(self.seed))
        slices = [piece.to_bytes() for piece in cut(table.homes.items(), 1)]
        shared = canonical(table._shared())
        booked: tuple[Booked[Any, Any], ...] = ()
        written = []
        for index, order in enumerate(orders):
            camp, actor = table.camp(order), commands(order)[0]
            answer = table.check(order, camp, booked)
            assert isinstance(answer, Booking), (order, answer)
            entry = Booked(ids.order(tick, actor, self.name, index), answer.home, camp, actor, order, None)
            booked = (*booked, entry)
            written.append({"id": entry.id, "camp": camp, "actor": actor, "order": order})
        document = {
            "rulebook": RULEBOOK.name,
            "rulebook_version": RULEBOOK.version,
            "settings": table.settings,
            "tick": tick,
            "campaign_seed": self.seed.hex(),
            "state": {"shared": table._shared(), "homes": table.homes},
            "orders": written,
        }
        text = msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=1)
        seeds = tick_seed(self.seed, tick), ids.key
        result = resolve(ENGINE, TickInput(tick, *seeds, table.settings, shared, slices, booked))
        told = Told(result, booked)
        table._homes = told.homes()
        table.tick += 1
        self.bundles.append((f"{self.name}-{tick}", text + b"\n", result.digest))
        self.told.append(told)
        return told


def narrate(name: str, text: str, *steps: Any, scene: str = S) -> Narrate:
    return Narrate(scene, name, text, steps)


def duel(seed: int) -> Recorder:
    """Mia and Kane shoot it out: luck, ripostes to ripostes, a disarming exploit, first aid, a full track."""
    table = Table()
    table.pc("ana.mia", armour=2)
    table.pc("ben.rook", place=1)
    table.npc("kane", attributes={"agility": 4, "logic": 3, "strength": 3, "willpower": 3}, physical=12, armour=1)
    game = Recorder(table, "duel", seed)
    game.turn(
        Allot(M, S, 1),
        narrate("m.kane", "Kane draws first.", Attack("ana.mia", "pistol")),
        narrate("ana.mia", "Mia aims at his hand.", Attack("m.kane", "pistol", luck=True, risk=True, special="disarm")),
        Riposte(S, "ana.mia", "pistol"),
        Riposte(S, "m.kane", "pistol"),
        Luck(S, "ana.mia", by=("m.kane",)),
    )
    game.turn(
        narrate("ana.mia", "Again.", Attack("m.kane", "pistol", well_disposed="bold")),
        narrate("ben.rook", "Rook patches her up.", Move(0), FirstAid("ana.mia", "physical")),
        narrate("m.kane", "With bare hands.", Attack("ana.mia", "hands")),
    )
    game.turn(
        narrate("ana.mia", "Down.", Attack("m.kane", "knife")),
        narrate("ben.rook", "Down, I said.", Attack("m.kane", "pistol", luck=True)),
    )
    return game


def bodyguard(seed: int) -> Recorder:
    """Two stand before a third; the GM's stand before each other; glitch dice on other people's rolls."""
    table = Table({"s": 3})
    for name in ("ana.mia", "ben.rook", "cleo.silk"):
        table.pc(name, physical=12)
    table.npc("kane", level="pro", place=1)
    table.npc("lee", level="minion", place=1)
    table.mission().reserve = 6
    game = Recorder(table, "bodyguard", seed)
    game.turn(
        Allot(M, S, 2),
        narrate("m.kane", "The boss first.", Attack("ana.mia", "gun")),
        narrate("ben.rook", "Over here!", Attack("m.kane", "pistol")),
        Interpose(S, "ben.rook", who="ana.mia"),
        Interpose(S, "cleo.silk"),
        Interpose(S, "m.lee", by="ben.rook"),
        Risk(S, "cleo.silk", who="ben.rook", times=2),
        Risk(S, "m.lee", who="m.kane"),
        Intervene(S, "cleo.silk", "ben.rook", "She loads his gun."),
    )
    game.turn(
        Allot(M, S, 1),
        narrate("m.lee", "At her!", Attack("cleo.silk", "gun")),
        narrate("m.kane", "And again.", Attack("cleo.silk", "gun")),
        Interpose(S, "ana.mia", by="m.lee"),
        Riposte(S, "cleo.silk", "pistol", times=2),
        Riposte(S, "ana.mia", "knife"),
    )
    return game


def heist(seed: int) -> Recorder:
    """Tests: challenges, opposed pairs, traits, complication dice, a broken asset, levels."""
    table = Table({"s": 4})
    tools = {"kind": "asset", "name": "tools", "dice": 2, "on": ["electronics"]}
    nerves = {"kind": "flaw", "name": "nerves", "dice": -1, "on": ["intentions"], "complication": ["electronics"]}
    line = {"kind": "line", "name": "Watch this."}
    electronics = {"electronics": {"attribute": "logic", "rating": 4}}
    table.pc("ana.mia", skills=electronics, weapons=[], traits=[tools, nerves, line])
    table.pc("ben.rook")
    table.npc("warden", level="antagonist", place=2, gear=["keys"])
    table.of_scene(
        challenges=[
            {"name": "the lock", "on": "electronics", "difficulty": "hard", "modifier": -1},
            {"name": "the code", "on": "recall", "difficulty": "trivial"},
        ]
    )
    game = Recorder(table, "heist", seed)
    game.turn(
        narrate("ana.mia", "Ten seconds.", Trial("the lock", well_disposed="Watch this.", risk=True)),
        narrate("ben.rook", "He reads the warden.", Trial(on="intentions", opponent="m.warden", against="perception")),
        narrate("m.warden", "Who's there?", Trial(on="perception", opponent="ana.mia", against="dodge")),
    )
    game.turn(
        narrate("ben.rook", "The code!", Trial("the code"), Move(1)),
        narrate("ana.mia", "Once more.", Trial("the lock")),
    )
    game.turn(
        Allot(M, S, 2),
        narrate("m.warden", "No tools here.", Breakdown("ana.mia", "tools")),
        narrate("ana.mia", "By hand, then.", Trial("the lock", luck=True)),
    )
    return game


def relay(seed: int) -> Recorder:
    """Who comes when: seats in rotation, interruptions before and after, one who has acted, newcomers, passes."""
    table = Table({"s": 4, "t": 2})
    for name in ("ana.mia", "ben.rook"):
        table.pc(name, physical=12)
    table.pc("cleo.silk", scene="t")
    table.pc("dov.patch", scene="")
    table.npc("kane", level="minion", place=1, physical=12)
    table.mission().reserve = 4
    game = Recorder(table, "relay", seed)
    game.turn(
        narrate("m.kane", "Kane opens."),
        narrate("ana.mia", "Mia waits.", Move(1)),
        narrate("ben.rook", "Rook doesn't.", Attack("m.kane", "pistol")),
        Interrupt(S, "ben.rook", front=True),
        Interrupt(S, "ana.mia", by="m.kane"),
        Interrupt(S, "ben.rook", by="ana.mia"),
        Place(M, "cleo.silk", S),
        Place(M, "dov.patch", S, 3),
    )
    game.turn(
        narrate("dov.patch", "Patch runs.", Move(2), Move(1, go="m.kane")),
        narrate("cleo.silk", "Silk follows.", Attack("m.kane", "pistol")),
        narrate("ana.mia", "Mia ends it.", Attack("m.kane", "pistol")),
        Interrupt(S, "dov.patch", by="ana.mia"),
    )
    game.turn(narrate("m.kane", "Kane is still there."), narrate("ben.rook", "So is Rook."))
    return game


def purse(seed: int) -> Recorder:
    """Points: grants up to six, allotments and leftovers, a threat, what can't be paid."""
    table = Table({"s": 4, "t": 2})
    table.pc("ana.mia", physical=12)
    table.pc("ben.rook", physical=12)
    table.pc("cleo.silk", scene="t", physical=12)
    table.npc("kane", level="extra", physical=12)
    table.npc("lee", scene="t", level="extra", physical=12)
    table.scene().points["ana"] = 5
    table.scene().points["ben"] = 0
    table.mission().reserve = 5
    game = Recorder(table, "purse", seed)
    told = game.turn(
        Allot(M, S, 3),
        Allot(M, "m.t", 2),
        Grant(S, "ana", "line", "Hello."),
        Grant(S, "ben", "choice", "greedy"),
        Grant("m.t", "cleo", "ruling"),
        Threat(S, "a patrol", "extra", 3),
        narrate("m.kane", "Charge!", Move(1), Move(2, go="ana.mia")),
        narrate("ben.rook", "One point, one effect.", Trial(on="lift", opponent="m.kane", against="lift", risk=True)),
        narrate("cleo.silk", "Quietly.", NewThreat("a stranger", "extra", 1), scene="m.t"),
        Riposte(S, "ben.rook", "pistol"),
    )
    patrol = next(fact.character for fact in told.of(ThreatCame) if fact.scene == S)
    game.turn(
        Allot(M, S, 4),
        narrate(patrol, "Halt!", Attack("ben.rook", "gun")),
        Riposte(S, "ben.rook", "pistol"),
        Interpose(S, "ana.mia"),
        Grant(S, "ben", "asset", "charm"),
    )
    return game


def curtain(seed: int) -> Recorder:
    """A scene ends with its last enemy, another by the GM's word; a start, a late player, a new scene, everybody
    placed.
    """
    table = Table({"s": 4, "t": 2})
    table.pc("ana.mia", armour=3, physical=12)
    table.pc("ben.rook", scene="t", physical=12)
    table.npc("kane", level="extra", physical=1)
    table.npc("ghost", level="terror", hidden=True, place=3)
    table.npc("lee", scene="t", level="pro", physical=12)
    game = Recorder(table, "curtain", seed)
    game.turn(
        narrate("m.kane", "One shot.", Attack("ana.mia", "gun")),
        narrate("ana.mia", "One more.", Attack("m.kane", "pistol", luck=True, well_disposed="tall")),
    )
    game.turn(
        Close("m.t"),
        narrate("ben.rook", "Time to go.", Move(1), scene="m.t"),
        Join(M, "zoe", (CharacterSpec("fox", "Fox", attributes=Attributes(strength=4), luck=1, armour=1),)),
    )
    game.turn(Start(M, "The second night"), Start("elsewhere", "Another table"))
    cast = (CharacterSpec("rat", level="minion", place=1), CharacterSpec("owl", level="pro", hidden=True))
    lock = Challenge("the trapdoor", "lift", "easy")
    game.turn(
        Open(M, "cellar", "The cellar", ("stairs", "barrels"), (lock,), cast, 2, "minion"),
        *(Place(M, name, "m.cellar") for name in ("ana.mia", "ben.rook", "zoe.fox", "m.kane")),
    )
    game.turn(narrate("zoe.fox", "New here.", Trial("the trapdoor"), scene="m.cellar"))
    return game


def shadows(seed: int) -> Recorder:
    """What is hidden and how it comes to be known: a lurker that reacts, NDs met with a pair, gear that nobody knew."""
    table = Table({"s": 4})
    table.pc("ana.mia", physical=12)
    table.pc("ben.rook", physical=12)
    quick = {"kind": "asset", "name": "quick", "dice": 2, "on": ["dodge"]}
    table.npc("kane", attributes={"agility": 4, "logic": 3}, traits=[quick], physical=12, gear=["radio"])
    table.npc("lurker", level="terror", place=1, hidden=True)
    table.mission().reserve = 4
    game = Recorder(table, "shadows", seed)
    game.turn(
        Allot(M, S, 3),
        narrate("m.kane", "Kane stumbles.", Breakdown("m.kane", "quick")),
        narrate("ana.mia", "Mia fires.", Attack("m.kane", "pistol")),
        narrate("ben.rook", "Rook reads his face.", Trial(on="intentions", opponent="m.kane", against="intentions")),
        Interpose(S, "m.lurker"),
        Risk(S, "m.lurker", times=3),
    )
    game.turn(
        Allot(M, S, 1),
        narrate("ana.mia", "There!", Attack("m.lurker", "pistol", risk=True)),
        narrate("m.kane", "Kane is on his feet.", Breakdown("m.kane", "radio")),
        narrate("m.lurker", "The lurker fires back.", Attack("ben.rook", "gun")),
    )
    game.turn(narrate("ben.rook", "Now, while he's down!", Attack("m.kane", "pistol")))
    return game


GAMES: dict[Callable[[int], Recorder], int] = {
    duel: 8,
    bodyguard: 0,
    heist: 3,
    relay: 2,
    purse: 0,
    curtain: 3,
    shadows: 9,
}
"""Each game with the number of its seed."""


def record() -> None:
    """Write every bundle, and the digest of each."""
    digests = {}
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for game, seed in GAMES.items():
        for name, text, digest in game(seed).bundles:
            (FOLDER / f"{name}.json").write_bytes(text)
            digests[name] = digest
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
