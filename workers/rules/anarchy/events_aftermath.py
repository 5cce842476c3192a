"""What happens to a scene in the aftermath: it settles and ends, comes into being, lets go and takes in (A16–A18)."""

from typing import Annotated, Literal

from workers.kernel.events import PUBLIC, Event
from workers.rules.anarchy.entities import Character, Scene
from workers.rules.anarchy.readers import GM_ONLY, GmFact, SceneFact

EndReason = Literal["closed", "mission", "players_out", "gm_out"]
"""Why a scene ends (A17, A18)."""


class ClosingTold(Event, frozen=True, tag="closing_told"):
    """The scene has read that its mission starts: it will end in this tick's aftermath (A18). Nobody's to read."""

    scene: str


class Settled(Event, frozen=True, tag="settled"):
    """The scene has handed over its account: what belongs to the tick is cleared (A16). Nobody's to read."""

    scene: str


class SceneEnded(SceneFact, frozen=True, tag="scene_ended"):
    """The scene has ended: all players' or all the GM's characters are out, the GM closed it, or its mission starts
    (A17).
    """

    title: Annotated[str, PUBLIC]
    reason: Annotated[EndReason, PUBLIC]


class SceneFounded(Event, frozen=True, tag="scene_founded"):
    """A scene has come into being (the mission told of it). Nobody's to read."""

    key: str
    founded: Scene


class Left(Event, frozen=True, tag="left"):
    """A character, or (without one) a player's points, left the scene for another (the mission told of it)."""

    scene: str
    character: str
    player: str


class Arrived(SceneFact, frozen=True, tag="arrived"):
    """A character took its place in the scene (A18)."""

    character: Annotated[str, PUBLIC]
    place: Annotated[int, PUBLIC]
    record: Character


class Lurks(GmFact, frozen=True, tag="lurks"):
    """A hidden character took its place in the scene (A18, A19)."""

    character: Annotated[str, GM_ONLY]
    place: Annotated[int, GM_ONLY]
    record: Character


class PurseCame(Event, frozen=True, tag="purse_came"):
    """A player's points live in this scene from here on (A16). Nobody's to read: they are what they were."""

    scene: str
    player: str
    points: int
