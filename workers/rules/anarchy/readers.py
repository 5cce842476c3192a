"""Who may read what (A19): the readers of fields, and the bases of facts.

Players read all Narrations, rolls and points of their scenes; what is on a GM's character's sheet is the GM's alone. An
actor is a player (all facts of its scene are about it) or a mission (the GM of that table).
"""

from typing import Annotated, Any

from workers.kernel.events import OWN, PUBLIC, Event, Reader
from workers.rules.anarchy.entities import GM, PLAYERS
from workers.rules.anarchy.names import owner_of


def _is_gm(event: Event, camp: str) -> bool:
    return camp == GM


def _is_players(event: Event, camp: str) -> bool:
    return camp == PLAYERS


def _reads_sheet(event: Any, camp: str) -> bool:
    return camp in (GM, event.camp)


def _is_opposed(event: Any, camp: str) -> bool:
    return bool(camp == event.against)


def _attacks(event: Any, camp: str) -> bool:
    return bool(camp == event.by_camp)


def _reads_thing(event: Any, camp: str) -> bool:
    return bool(event.weapon) or camp in (GM, event.camp)


GM_ONLY = Reader("gm", _is_gm)
"""The GM."""
PLAYERS_ONLY = Reader("players", _is_players)
"""The players."""
SHEET = Reader("sheet", _reads_sheet)
"""Who reads the sheet concerned: the GM, and the camp named in the event's field `camp`."""
OPPOSED = Reader("opposed", _is_opposed)
"""The camp named in the event's field `against`."""
ATTACKER = Reader("attacker", _attacks)
"""The camp named in the event's field `by_camp`."""
THING = Reader("thing", _reads_thing)
"""Everybody for a weapon; for gear and assets who reads the sheet."""


class SceneFact(Event, frozen=True):
    """Base: a fact of a scene, of a character of `camp`. `witnesses` are the players who have a character there."""

    camp: Annotated[str, PUBLIC]
    scene: Annotated[str, PUBLIC]
    witnesses: Annotated[tuple[str, ...], PLAYERS_ONLY]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The players of the scene; for the GM the mission."""
        return self.witnesses if camp == PLAYERS else (owner_of(self.scene),)


class OwnFact(Event, frozen=True):
    """Base: a fact that is told to one camp alone, about the player or the mission that it concerns."""

    camp: Annotated[str, OWN]
    owner: Annotated[str, OWN]
    home: Annotated[str, OWN]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The player or the mission concerned."""
        return (self.owner,)


class GmFact(Event, frozen=True):
    """Base: a fact of a scene that the GM alone reads."""

    scene: Annotated[str, GM_ONLY]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The mission."""
        return (owner_of(self.scene),)
