"""What a campaign consists of: sheets and characters, scenes, missions, players (A1, A16, A18).

A home is one of three: a scene with its characters, a mission with its reserve and its roster, or a player's entry in
the register (which says to what mission the player belongs). Nothing is shared by all tables but the campaign's title:
each reserve belongs to a mission, so a convention of any size has a shared record of one line.
"""

from typing import Annotated, Literal

import msgspec

from workers.rules.anarchy.tables import Attribute, Difficulty, Level

PLAYERS = "players"
GM = "gm"
CAMPS = (PLAYERS, GM)

Track = Literal["physical", "stun"]
TRACKS: tuple[Track, ...] = ("physical", "stun")
Defence = Literal["dodge", "resist"]
TraitKind = Literal["behaviour", "line", "advantage", "asset", "flaw"]
Rating = Annotated[int, msgspec.Meta(ge=0, le=20)]
Dice = Annotated[int, msgspec.Meta(ge=-10, le=10)]
Places = Annotated[int, msgspec.Meta(ge=0, le=63)]

Rolls = Annotated[tuple[str, ...], msgspec.Meta(max_length=16)]
Label = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]

ALL_ROLLS = "all"
"""In a trait's `complication`: every roll of the character."""


class Attributes(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """The five attributes (A1)."""

    strength: Rating = 0
    agility: Rating = 0
    willpower: Rating = 0
    logic: Rating = 0
    charisma: Rating = 0

    def of(self, attribute: Attribute) -> int:
        """The value of an attribute."""
        value: int = getattr(self, attribute)
        return value


class Skill(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A skill: the attribute that it goes with, and its rating."""

    attribute: Attribute
    rating: Rating


class Trait(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """A behaviour, line, advantage, asset or flaw (A1).

    `dice` on the skills or pairs named in `on`: an asset's are above 0, a flaw's below. `complication` names the skills
    or pairs (or `all`) whose rolls take a complication die.
    """

    kind: TraitKind
    name: str
    dice: Dice = 0
    on: Rolls = ()
    complication: Rolls = ()


class Weapon(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """A weapon: the skill that wields it, its damage and track, its range in places, how it is defended against."""

    name: str
    skill: str
    damage: Annotated[int, msgspec.Meta(ge=1, le=20)]
    track: Track = "physical"
    range: Places = 0
    defence: Defence = "dodge"


class Sheet(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a character is, whatever happens to it. With a `level`, the level's dice stand for attributes and skills
    (A6).
    """

    name: str
    level: Level | None = None
    attributes: Attributes = Attributes()
    skills: dict[str, Skill] = {}
    traits: tuple[Trait, ...] = ()
    luck: int = 0
    armour: int = 0
    physical: int = 8
    stun: int = 8
    weapons: tuple[Weapon, ...] = ()
    gear: tuple[str, ...] = ()

    def boxes(self, track: Track) -> int:
        """The boxes of a track."""
        return self.physical if track == "physical" else self.stun

    def trait(self, name: str) -> Trait | None:
        """The trait of this name."""
        return next((trait for trait in self.traits if trait.name == name), None)

    def weapon(self, name: str) -> Weapon | None:
        """The weapon of this name (bare hands are on no sheet)."""
        for weapon in self.weapons:
            if weapon.name == name:
                return weapon
        return None

    def things(self) -> tuple[str, ...]:
        """What can break down: weapons, gear and assets (A13)."""
        assets = tuple(trait.name for trait in self.traits if trait.kind == "asset")
        return (*(weapon.name for weapon in self.weapons), *self.gear, *assets)


class Character(msgspec.Struct, gc=False, omit_defaults=True):
    """A sheet and its condition.

    `physical` and `stun` count filled boxes. `broken` are the things that don't work, `worn` those that broke down in
    this scene. `met_nds` are the NDs that the players have met, by pair (A19). `since` is the tick in which it took its
    place.
    """

    id: str
    sheet: Sheet
    player: str = ""
    place: int = 0
    luck: int = 0
    armour: int = 0
    physical: int = 0
    stun: int = 0
    hidden: bool = False
    out: bool = False
    broken: list[str] = []
    worn: list[str] = []
    met_nds: dict[str, int] = {}
    since: int = 0

    @property
    def camp(self) -> str:
        """The camp that it plays for."""
        return PLAYERS if self.player else GM

    def filled(self, track: Track) -> int:
        """The filled boxes of a track."""
        return self.physical if track == "physical" else self.stun


def fresh(character_id: str, sheet: Sheet, player: str = "", place: int = 0, hidden: bool = False) -> Character:
    """A character in full health, as a mission's start leaves it."""
    return Character(character_id, sheet, player, place, sheet.luck, sheet.armour, hidden=hidden)


class Challenge(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """What a scene offers to test against: the skill or pair that it asks for, its difficulty, its modifier (A5)."""

    name: Label
    on: Label
    difficulty: Difficulty
    modifier: Dice = 0


class Scene(msgspec.Struct, gc=False, omit_defaults=True):
    """A scene: a row of places and who is in it.

    `seats` are the players' characters after the GM's seat, in their order (A16); `points` the players whose Anarchy
    points live here. `since` is the tick in whose aftermath it opened, so that its Turn 0 is the tick after. `threats`
    new ones may still come, of level `threat_level` at most. The rest is of one tick: the GM's `allotment` left, what
    is `due` to the reserve, who is in `front` of the turn order, which orders are `void`, who has `fallen` out, which
    threats `appeared`, and whether the scene is `closing`.
    """

    title: str
    places: tuple[str, ...]
    since: int = 0
    challenges: dict[str, Challenge] = {}
    characters: dict[str, Character] = {}
    seats: list[str] = []
    points: dict[str, int] = {}
    threats: int = 0
    threat_level: Level = "extra"
    allotment: int = 0
    due: int = 0
    front: list[str] = []
    void: list[str] = []
    fallen: list[str] = []
    appeared: list[str] = []
    closing: bool = False

    def present(self, name: str) -> Character | None:
        """The character of this id, if it is in the scene: one who is out isn't (A10)."""
        character = self.characters.get(name)
        return None if character is None or character.out else character


class Purse(msgspec.Struct, gc=False, omit_defaults=True):
    """A player on a mission's roster: the scene where its points are, or (none) its points."""

    scene: str = ""
    points: int = 0


class Mission(msgspec.Struct, gc=False, omit_defaults=True):
    """A mission: its reserve, its open scenes (by key, with their number of places), its players, its characters.

    `where` is the scene of each character that is in one, `out` those that can't be placed, `wings` the characters that
    are in no scene.
    """

    title: str
    reserve: int = 0
    scenes: dict[str, int] = {}
    players: dict[str, Purse] = {}
    where: dict[str, str] = {}
    out: list[str] = []
    wings: dict[str, Character] = {}


class Player(msgspec.Struct, gc=False):
    """A player's entry in the register: the mission to which it belongs (A18)."""

    mission: str


class Home(msgspec.Struct, gc=False, omit_defaults=True):
    """A home: exactly one of its three parts is there."""

    id: str
    scene: Scene | None = None
    mission: Mission | None = None
    player: Player | None = None


class Campaign(msgspec.Struct):
    """What all tables share."""

    title: str
