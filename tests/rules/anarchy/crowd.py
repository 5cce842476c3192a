"""Two tables that several tests sit down at, and short ways to write what is said there."""

from typing import Any

from tests.rules.anarchy.table import M, S, Table, Told
from workers.rules.anarchy.events import PointSpent
from workers.rules.anarchy.orders import Allot, AnyStep, Attack, Narrate, Trial


def docks(*more: str, **settings: Any) -> Table:
    """Mia, Rook and Silk of three players, Kane and Lee of the GM's, all at place 0 and hard to take out."""
    table = Table(**settings)
    for name in ("ana.mia", "ben.rook", "cleo.silk", *more):
        table.pc(name, physical=40)
    for name in ("kane", "lee"):
        table.npc(name, level="minion", physical=40)
    table.mission().reserve = 9
    return table


def table_of_two(**fields: Any) -> Table:
    """Mia and Rook of two players, and Kane, an extra who is hard to take out."""
    table = Table()
    table.pc("ana.mia", physical=40)
    table.pc("ben.rook", physical=40)
    kane_is: dict[str, Any] = {"level": "extra", "physical": 40, **fields}
    table.npc("kane", **kane_is)
    return table


def narrate(name: str, *steps: AnyStep) -> Narrate:
    """A Narration in the only scene."""
    return Narrate(S, name, "", steps)


def mia(*steps: AnyStep) -> Narrate:
    """Mia's."""
    return narrate("ana.mia", *steps)


def rook(*steps: AnyStep) -> Narrate:
    """Rook's."""
    return narrate("ben.rook", *steps)


def kane(*steps: AnyStep) -> Narrate:
    """Kane's."""
    return narrate("m.kane", *steps)


def lift(**more: Any) -> Trial:
    """A test of strength against Kane's."""
    return Trial(on="lift", opponent="m.kane", against="lift", **more)


KANE_SHOOTS_MIA = kane(Attack("ana.mia", "gun"))
MIA_SHOOTS_KANE = mia(Attack("m.kane", "pistol"))
ALLOT = Allot(M, S, 9)


def bought(told: Told) -> list[tuple[str, str]]:
    """What was bought, in order: who paid, and the effect."""
    return [(fact.payer, fact.cause) for fact in told.of(PointSpent)]
