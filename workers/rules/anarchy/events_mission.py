"""What happens to a mission and to a player's entry, what the tables' homes write to each other, and amendments."""

from typing import Annotated

import msgspec

from workers.kernel.events import PUBLIC, Event, Mail
from workers.rules.anarchy.entities import PLAYERS, Character, Scene
from workers.rules.anarchy.names import owner_of
from workers.rules.anarchy.readers import GM_ONLY, PLAYERS_ONLY, SHEET


class MissionFact(Event, frozen=True):
    """Base: a fact that the players of a mission and its GM read."""

    mission: Annotated[str, PUBLIC]
    witnesses: Annotated[tuple[str, ...], PLAYERS_ONLY]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The players on the roster; for the GM the mission."""
        return self.witnesses if camp == PLAYERS else (self.mission,)


class AllotmentMade(Event, frozen=True, tag="allotment_made"):
    """The GM took points out of the reserve for a scene: the GM's alone (A16, A19)."""

    mission: Annotated[str, GM_ONLY]
    scene: Annotated[str, GM_ONLY]
    points: Annotated[int, GM_ONLY]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The mission."""
        return (self.mission,)


class Accounted(Event, frozen=True, tag="accounted"):
    """A scene's account is in: what joins the reserve, who fell, which threats appeared; for a scene that ended also
    its characters and purses. Nobody's to read: the reserve is told once, when all is in.
    """

    mission: str
    scene: str
    points: int
    fallen: tuple[str, ...]
    appeared: tuple[str, ...]
    ended: bool
    characters: tuple[Character, ...]
    purses: dict[str, int]


class ReserveSettled(MissionFact, frozen=True, tag="reserve_settled"):
    """The GM's reserve at the tick's end (A16, A19)."""

    reserve: Annotated[int, PUBLIC]


class PlayerRegistered(Event, frozen=True, tag="player_registered"):
    """The register says to which mission a player belongs (A18). Nobody's to read: the mission tells of it."""

    player: str
    mission: str


class PlayerJoined(MissionFact, frozen=True, tag="player_joined"):
    """A player joined late, with its characters in the wings (A18)."""

    player: Annotated[str, PUBLIC]
    characters: Annotated[tuple[str, ...], PUBLIC]
    points: Annotated[int, PUBLIC]
    records: tuple[Character, ...]


class MissionStarted(MissionFact, frozen=True, tag="mission_started"):
    """A mission started: points are set, tracks emptied, armour and luck restored; `created` when it is a new one
    (A18).
    """

    title: Annotated[str, PUBLIC]
    reserve: Annotated[int, PUBLIC]
    points: Annotated[int, PUBLIC]
    created: Annotated[bool, PUBLIC]


class SceneOpened(MissionFact, frozen=True, tag="scene_opened"):
    """A scene opens for the next Turn (A18). `cast` are the GM's characters that don't hide."""

    scene: Annotated[str, PUBLIC]
    title: Annotated[str, PUBLIC]
    places: Annotated[tuple[str, ...], PUBLIC]
    cast: Annotated[tuple[str, ...], PUBLIC]
    whole: Annotated[tuple[str, ...], GM_ONLY]


class Placed(Event, frozen=True, tag="placed"):
    """The mission has sent a character to a scene, with its player's points when `purse`. Nobody's to read: the scene
    tells of the arrival.
    """

    mission: str
    character: str
    scene: str
    player: str
    purse: bool


# --- Mail -------------------------------------------------------------------------------------------------------------


class Allotment(Mail, frozen=True, tag="allotment"):
    """A mission to a scene: the points allotted to it."""

    points: int


class Closing(Mail, frozen=True, tag="closing"):
    """A mission to each of its scenes: it starts in this tick's aftermath."""


class Account(Mail, frozen=True, tag="account"):
    """A scene to its mission: see `Accounted`."""

    scene: str
    points: int = 0
    fallen: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()
    ended: bool = False
    characters: tuple[Character, ...] = ()
    purses: dict[str, int] = msgspec.field(default_factory=dict)


class Joining(Mail, frozen=True, tag="joining"):
    """A player's entry to the mission that it joined."""

    player: str
    characters: tuple[Character, ...]


class Founding(Mail, frozen=True, tag="founding"):
    """A mission to the scene that it opens."""

    founded: Scene


class Departure(Mail, frozen=True, tag="departure"):
    """A mission to a scene: send this character, or (without one) this player's points, to another scene."""

    target: str
    character: str = ""
    place: int = 0
    player: str = ""


class Arrival(Mail, frozen=True, tag="arrival"):
    """To a scene: a character that takes its place there."""

    character: Character


class PurseSent(Mail, frozen=True, tag="purse_sent"):
    """To a scene: a player's points."""

    player: str
    points: int


# --- Amendments -------------------------------------------------------------------------------------------------------

Points = Annotated[int, msgspec.Meta(ge=0, le=6)]
Boxes = Annotated[int, msgspec.Meta(ge=0, le=40)]


class PointsAmended(Event, frozen=True, tag="points_amended"):
    """The operator set what a player holds in a scene."""

    scene: Annotated[str, PUBLIC]
    player: Annotated[str, PUBLIC]
    points: Annotated[Points, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The player; for the GM the mission."""
        return (self.player,) if camp == PLAYERS else (owner_of(self.scene),)


class ReserveAmended(Event, frozen=True, tag="reserve_amended"):
    """The operator set a mission's reserve."""

    mission: Annotated[str, PUBLIC]
    reserve: Annotated[int, msgspec.Meta(ge=0, le=1_000_000), PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The mission for its GM; for the players a fact of the camp."""
        return () if camp == PLAYERS else (self.mission,)


class ConditionAmended(Event, frozen=True, tag="condition_amended"):
    """The operator set the condition of a character of `camp`: filled boxes, armour and luck, each at most what its
    sheet has. Who reads the sheet reads it.
    """

    camp: Annotated[str, SHEET]
    scene: Annotated[str, SHEET]
    character: Annotated[str, SHEET]
    physical: Annotated[Boxes, SHEET]
    stun: Annotated[Boxes, SHEET]
    armour: Annotated[Boxes, SHEET]
    luck: Annotated[Boxes, SHEET]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The player; for the GM the mission."""
        return (owner_of(self.character if camp == PLAYERS else self.scene),)
