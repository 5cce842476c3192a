"""What each camp knows: the players their scenes and sheets, the GM everything (A19).

The GM's sheets are the GM's alone; a hidden character isn't there for the players; of a known one they know the
weapons' names and the NDs that they once rolled against.
"""

import msgspec

from workers.rules.anarchy.entities import (
    GM,
    PLAYERS,
    Campaign,
    Challenge,
    Character,
    Home,
    Mission,
    Scene,
    Sheet,
)
from workers.rules.anarchy.names import owner_of
from workers.rules.anarchy.tables import HANDS, Level


class SeenCharacter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A character in a scene. `sheet` and its condition are there for who reads the sheet; `met_nds` has the NDs that
    the players know, by pair.
    """

    id: str
    name: str
    player: str = ""
    place: int = 0
    out: bool = False
    hidden: bool = False
    weapons: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    worn: tuple[str, ...] = ()
    met_nds: dict[str, int] = {}
    sheet: Sheet | None = None
    luck: int = 0
    armour: int = 0
    physical: int = 0
    stun: int = 0

    @property
    def camp(self) -> str:
        """The camp that it plays for."""
        return PLAYERS if self.player else GM


class SeenScene(msgspec.Struct, frozen=True, omit_defaults=True):
    """A scene as a camp knows it."""

    title: str
    places: tuple[str, ...]
    since: int
    challenges: dict[str, Challenge]
    characters: dict[str, SeenCharacter]
    seats: tuple[str, ...]
    points: dict[str, int]
    threats: int
    threat_level: Level


class SeenPurse(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player on the roster: the scene where its points are (and seen), or its points."""

    scene: str = ""
    points: int = 0


class SeenMission(msgspec.Struct, frozen=True, omit_defaults=True):
    """A mission as a camp knows it: the reserve is public, the GM's characters in the wings are the GM's."""

    title: str
    reserve: int
    scenes: dict[str, int]
    players: dict[str, SeenPurse]
    where: dict[str, str]
    out: tuple[str, ...]
    wings: dict[str, Sheet]


class SeenPlayer(msgspec.Struct, frozen=True):
    """A player's entry in the register."""

    mission: str


class Seen(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a camp knows of a home: exactly one of its three parts is there."""

    id: str
    scene: SeenScene | None = None
    mission: SeenMission | None = None
    player: SeenPlayer | None = None


class SeenCampaign(msgspec.Struct, frozen=True):
    """What all know."""

    title: str


def see_shared(shared: Campaign, camp: str) -> SeenCampaign:
    """What a camp knows of the shared record."""
    return SeenCampaign(shared.title)


def see(home: Home, shared: Campaign | None, camp: str) -> Seen | None:
    """What a camp knows of a home."""
    if home.scene is not None:
        return Seen(home.id, scene=see_scene(home.scene, camp))
    if home.mission is not None:
        return Seen(home.id, mission=see_mission(home.mission, camp))
    if home.player is not None:
        return Seen(home.id, player=SeenPlayer(home.player.mission))
    return None


def see_scene(scene: Scene, camp: str) -> SeenScene:
    """What a camp knows of a scene."""
    known = camp == GM
    return SeenScene(
        title=scene.title,
        places=scene.places,
        since=scene.since,
        challenges=scene.challenges,
        characters={
            name: see_character(character, camp)
            for name, character in sorted(scene.characters.items())
            if known or not character.hidden
        },
        seats=tuple(scene.seats),
        points=dict(scene.points),
        threats=scene.threats,
        threat_level=scene.threat_level,
    )


def see_character(character: Character, camp: str) -> SeenCharacter:
    """What a camp knows of a character that it knows."""
    weapons = (*[weapon.name for weapon in character.sheet.weapons], HANDS)
    if camp == GM or character.player:
        return SeenCharacter(
            id=character.id,
            name=character.sheet.name,
            player=character.player,
            place=character.place,
            out=character.out,
            hidden=character.hidden,
            weapons=weapons,
            broken=tuple(character.broken),
            worn=tuple(character.worn),
            met_nds=dict(character.met_nds),
            sheet=character.sheet,
            luck=character.luck,
            armour=character.armour,
            physical=character.physical,
            stun=character.stun,
        )
    return SeenCharacter(
        id=character.id,
        name=character.sheet.name,
        place=character.place,
        out=character.out,
        weapons=weapons,
        broken=tuple(name for name in character.broken if name in weapons),
        worn=tuple(name for name in character.worn if name in weapons),
        met_nds=dict(character.met_nds),
    )


def see_mission(mission: Mission, camp: str) -> SeenMission:
    """What a camp knows of a mission."""

    def known(name: str) -> bool:
        return camp == GM or owner_of(name) in mission.players

    return SeenMission(
        title=mission.title,
        reserve=mission.reserve,
        scenes=dict(mission.scenes),
        players={player: SeenPurse(purse.scene, purse.points) for player, purse in sorted(mission.players.items())},
        where={name: scene for name, scene in sorted(mission.where.items()) if known(name)},
        out=tuple(name for name in mission.out if known(name)),
        wings={name: character.sheet for name, character in sorted(mission.wings.items()) if known(name)},
    )
