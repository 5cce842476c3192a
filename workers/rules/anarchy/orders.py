"""The orders: what players and the GM send for a tick.

Every character has one Narration a tick (`narrate`); what answers other people's acts is sent ahead as a standing order
(`riposte`, `interpose`, `interrupt`, `intervene`, `risk`, `luck`; A4, A14). The rest is the GM's.
"""

from typing import Annotated, ClassVar, Literal

import msgspec

from workers.kernel.orders import Order
from workers.rules.anarchy.entities import Challenge, Places
from workers.rules.anarchy.reasons import OrderKind, StepKind
from workers.rules.anarchy.sheets import CharacterSpec
from workers.rules.anarchy.tables import Effect, Level, Pair

Text = Annotated[str, msgspec.Meta(max_length=2000)]
Name = Annotated[str, msgspec.Meta(max_length=64)]
Times = Annotated[int, msgspec.Meta(ge=1, le=100)]


Heals = Literal["armour", "physical", "stun"]


class Step(msgspec.Struct, frozen=True, gc=False, tag_field="step", forbid_unknown_fields=True, omit_defaults=True):
    """Base of what a Narration consists of."""

    called: ClassVar[StepKind]


class Move(Step, frozen=True, tag="move"):
    """To a neighbouring place of the row, counted from 0. The second move of a Narration is bought with *go!*, and
    names the adversary that it closes in on or gets away from (A13).
    """

    called: ClassVar[StepKind] = "move"
    to: Places
    go: Name = ""


class Attack(Step, frozen=True, tag="attack"):
    """An attack with a weapon (`hands`: bare hands).

    `luck` spends a luck point (A4); `well_disposed` names the trait that applies, `risk` adds a glitch die (A13);
    `special` is what an exploit shall do: `disarm`, or any words (A10).
    """

    called: ClassVar[StepKind] = "attack"
    target: Name
    weapon: Name
    luck: bool = False
    well_disposed: Name = ""
    risk: bool = False
    special: Name = ""


class Trial(Step, frozen=True, tag="test"):
    """A test against a challenge of the scene, which says what is rolled, or of the skill or pair `on` against an
    opponent's pair (A5).
    """

    called: ClassVar[StepKind] = "test"
    challenge: Name = ""
    on: Name = ""
    opponent: Name = ""
    against: Pair | Literal[""] = ""
    luck: bool = False
    well_disposed: Name = ""
    risk: bool = False
    special: Name = ""


class Breakdown(Step, frozen=True, tag="breakdown"):
    """*Breakdown*: a thing of a character in the scene stops working (A13)."""

    called: ClassVar[StepKind] = "breakdown"
    whose: Name
    thing: Name


class FirstAid(Step, frozen=True, tag="first_aid"):
    """*First aid*: heals one point of another character (A13)."""

    called: ClassVar[StepKind] = "first_aid"
    who: Name
    heals: Heals


class NewThreat(Step, frozen=True, tag="new_threat"):
    """*New threat*: brings in a GM's character of a level, at a place (A13, A15)."""

    called: ClassVar[StepKind] = "new_threat"
    name: Name
    level: Level
    place: Places


AnyStep = Move | Attack | Trial | Breakdown | FirstAid | NewThreat
Rolling = Attack | Trial
"""The steps that roll dice: at most one in a Narration."""


class SceneOrder(Order, frozen=True):
    """Base of the orders that a scene plays."""

    called: ClassVar[OrderKind]
    scene: Name


class ActingOrder(SceneOrder, frozen=True):
    """Base of the orders of a character."""

    character: Name


class Narrate(ActingOrder, frozen=True, tag="narrate"):
    """A character's Narration: its words and its steps, in order."""

    called: ClassVar[OrderKind] = "narrate"
    text: Text = ""
    steps: Annotated[tuple[AnyStep, ...], msgspec.Meta(max_length=12)] = ()


class StandingOrder(ActingOrder, frozen=True):
    """Base of what is sent ahead to answer other people's acts; `effect` is what it buys when it fires (A14)."""

    effect: ClassVar[Effect | None] = None


class Riposte(StandingOrder, frozen=True, tag="riposte"):
    """Standing: when attacked (by `by`, if named), attack back with the weapon (A13)."""

    called: ClassVar[OrderKind] = "riposte"
    effect: ClassVar[Effect | None] = "riposte"
    weapon: Name
    by: Name = ""
    special: Name = ""
    times: Times = 1


class Interpose(StandingOrder, frozen=True, tag="interpose"):
    """Standing: when `who` (empty: one of the own camp) is hit (by `by`, if named), defend in its stead (A13)."""

    called: ClassVar[OrderKind] = "interpose"
    effect: ClassVar[Effect | None] = "interpose"
    who: Name = ""
    by: Name = ""
    times: Times = 1


class Interrupt(StandingOrder, frozen=True, tag="interrupt"):
    """Standing: narrate at the front of the Turn, or right after a Narration (of `by`, if named) (A13, A16)."""

    called: ClassVar[OrderKind] = "interrupt"
    effect: ClassVar[Effect | None] = "interruption"
    front: bool = False
    by: Name = ""


class Intervene(StandingOrder, frozen=True, tag="intervene"):
    """Standing: a short text when the Narration of `by` begins (A13)."""

    called: ClassVar[OrderKind] = "intervene"
    effect: ClassVar[Effect | None] = "intervention"
    by: Name
    text: Text
    times: Times = 1


class Risk(StandingOrder, frozen=True, tag="risk"):
    """Standing: a glitch die for a roll of `who` (empty: anyone of the own camp), against `by` if named; never for the
    own Narration's roll, whose step buys it (A13, A14).
    """

    called: ClassVar[OrderKind] = "risk"
    effect: ClassVar[Effect | None] = "risk"
    who: Name = ""
    by: Name = ""
    times: Times = 1


class Luck(StandingOrder, frozen=True, tag="luck"):
    """Standing: a luck point for each of up to `times` defence rolls, against the attackers named, if any (A4)."""

    called: ClassVar[OrderKind] = "luck"
    times: Times = 1
    by: Annotated[tuple[Name, ...], msgspec.Meta(max_length=32)] = ()


Reaction = Riposte | Interpose | Interrupt | Intervene | Risk | Luck
REACTIONS = (Riposte, Interpose, Interrupt, Intervene, Risk, Luck)

Ground = Literal["narration", "line", "choice", "asset", "ruling"]
"""A12: a fine narration, a well-placed line, a choice against oneself, an asset, an arbitrary ruling."""


class Grant(SceneOrder, frozen=True, tag="grant"):
    """The GM grants a player one Anarchy point, for a ground and (line, choice, asset) the trait concerned (A12)."""

    called: ClassVar[OrderKind] = "grant"
    player: Name
    ground: Ground
    trait: Name = ""


class Threat(SceneOrder, frozen=True, tag="threat"):
    """The GM brings in a new threat without a character, paid in the turn-order phase (A15)."""

    called: ClassVar[OrderKind] = "threat"
    name: Name
    level: Level
    place: Places


class Close(SceneOrder, frozen=True, tag="close"):
    """The GM closes the scene, in the aftermath (A17)."""

    called: ClassVar[OrderKind] = "close"


AnySceneOrder = ActingOrder | Grant | Threat | Close
"""What a scene plays."""


class MissionOrder(Order, frozen=True):
    """Base of the GM's orders on a mission."""

    called: ClassVar[OrderKind]
    mission: Name


class Allot(MissionOrder, frozen=True, tag="allot"):
    """The GM allots points of the reserve to a scene for this tick (A16)."""

    called: ClassVar[OrderKind] = "allot"
    scene: Name
    points: Annotated[int, msgspec.Meta(ge=1, le=10_000)]


class Start(MissionOrder, frozen=True, tag="start"):
    """The GM starts a mission: one that is there starts anew, one that isn't comes into being (A18)."""

    called: ClassVar[OrderKind] = "start"
    title: Text = ""


class Join(MissionOrder, frozen=True, tag="join"):
    """A player joins a mission, with its characters (A18). Played in the player's own home."""

    called: ClassVar[OrderKind] = "join"
    player: Name
    characters: Annotated[tuple[CharacterSpec, ...], msgspec.Meta(min_length=1, max_length=8)]


class Open(MissionOrder, frozen=True, tag="open"):
    """The GM opens a scene: its row of places, its challenges, its cast of new GM's characters (A18)."""

    called: ClassVar[OrderKind] = "open"
    name: Name
    title: Text
    places: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=64)]
    challenges: Annotated[tuple[Challenge, ...], msgspec.Meta(max_length=64)] = ()
    cast: Annotated[tuple[CharacterSpec, ...], msgspec.Meta(max_length=32)] = ()
    threats: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    threat_level: Level | None = None


class Place(MissionOrder, frozen=True, tag="place"):
    """The GM places a character in a scene, for the next Turn (A18)."""

    called: ClassVar[OrderKind] = "place"
    character: Name
    scene: Name
    place: Places = 0


ORDERS: tuple[type[Order], ...] = (
    Narrate,
    Riposte,
    Interpose,
    Interrupt,
    Intervene,
    Risk,
    Luck,
    Grant,
    Threat,
    Close,
    Allot,
    Start,
    Join,
    Open,
    Place,
)
"""Every kind of order."""
