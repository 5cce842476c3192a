"""What happens in a scene while its Turn is played (A8–A16), each field with who may read it (A19)."""

from typing import Annotated, ClassVar, Literal

from workers.kernel.events import OWN, PUBLIC
from workers.kernel.odds import Term
from workers.rules.anarchy.entities import Defence, Sheet, Track
from workers.rules.anarchy.orders import Ground, Heals
from workers.rules.anarchy.pools import Roll
from workers.rules.anarchy.readers import ATTACKER, GM_ONLY, OPPOSED, SHEET, THING, GmFact, OwnFact, SceneFact
from workers.rules.anarchy.reasons import OrderKind, Reason, StepKind
from workers.rules.anarchy.tables import Degree, Effect, Level, Pair

# --- Orders that come to nothing --------------------------------------------------------------------------------------


class OrderVoid(OwnFact, frozen=True, tag="order_void"):
    """An order that could no longer be carried out: nothing was rolled or spent (K6)."""

    void: ClassVar[bool] = True
    order: Annotated[str, OWN]
    order_kind: Annotated[OrderKind, OWN]
    reason: Annotated[Reason, OWN]


class StepVoid(OwnFact, frozen=True, tag="step_void"):
    """A step of a Narration that had become impossible, or couldn't be paid: it alone is void (A13)."""

    order: Annotated[str, OWN]
    character: Annotated[str, OWN]
    step: Annotated[int, OWN]
    step_kind: Annotated[StepKind, OWN]
    reason: Annotated[Reason, OWN]


class EffectLeftOut(OwnFact, frozen=True, tag="effect_left_out"):
    """An effect, or luck, left out of a step that was carried out without it (A13)."""

    order: Annotated[str, OWN]
    character: Annotated[str, OWN]
    step: Annotated[int, OWN]
    effect: Annotated[Effect | Literal["luck"], OWN]
    reason: Annotated[Reason, OWN]


class Held(OwnFact, frozen=True, tag="held"):
    """A standing reaction, or luck declared ahead, whose trigger came and that didn't fire: told once a Turn for each
    reason (A4, A14).
    """

    order: Annotated[str, OWN]
    character: Annotated[str, OWN]
    effect: Annotated[Effect | Literal["luck"], OWN]
    reason: Annotated[Reason, OWN]


# --- Points -----------------------------------------------------------------------------------------------------------


class Granted(SceneFact, frozen=True, tag="granted"):
    """The GM granted a player a point (A12)."""

    player: Annotated[str, PUBLIC]
    ground: Annotated[Ground, PUBLIC]
    trait: Annotated[str, PUBLIC]
    points: Annotated[int, PUBLIC]


class Allotted(GmFact, frozen=True, tag="allotted"):
    """The points that the GM allotted to the scene have come in (A16)."""

    points: Annotated[int, GM_ONLY]


class PointSpent(SceneFact, frozen=True, tag="point_spent"):
    """A point was spent on an effect: a player's goes to the reserve, one of the GM's leaves the game (A11, A15).

    `left` is what the player holds now, or (the GM's alone) what is left of the scene's allotment. `character` is empty
    for the GM's threat without a character; `order` is the order that bought the effect.
    """

    payer: Annotated[str, PUBLIC]
    character: Annotated[str, PUBLIC]
    cause: Annotated[Effect, PUBLIC]
    order: Annotated[str, PUBLIC]
    left: Annotated[int, SHEET]


# --- The Turn ---------------------------------------------------------------------------------------------------------


class TurnBegan(SceneFact, frozen=True, tag="turn_began"):
    """The turn order is settled (A16). `order` is that of the known characters in the scene, `front` those whose
    interruption was paid; `whole` has the hidden ones too; `void` are the orders that fell.
    """

    turn: Annotated[int, PUBLIC]
    order: Annotated[tuple[str, ...], PUBLIC]
    front: Annotated[tuple[str, ...], PUBLIC]
    whole: Annotated[tuple[str, ...], GM_ONLY]
    void_orders: tuple[str, ...]


class Revealed(SceneFact, frozen=True, tag="revealed"):
    """A hidden character is known from here on (A19)."""

    character: Annotated[str, PUBLIC]
    name: Annotated[str, PUBLIC]
    place: Annotated[int, PUBLIC]
    weapons: Annotated[tuple[str, ...], PUBLIC]


class Narrated(SceneFact, frozen=True, tag="narrated"):
    """A character began its Narration; `cause` is `turn`, or `interruption` when it changed the order of the Turn."""

    character: Annotated[str, PUBLIC]
    order: Annotated[str, PUBLIC]
    cause: Annotated[Literal["turn", "interruption"], PUBLIC]
    text: Annotated[str, PUBLIC]


class Intervened(SceneFact, frozen=True, tag="intervened"):
    """A narrative intervention within another's Narration (A13)."""

    character: Annotated[str, PUBLIC]
    within: Annotated[str, PUBLIC]
    text: Annotated[str, PUBLIC]


class Moved(SceneFact, frozen=True, tag="moved"):
    """A character moved to a neighbouring place; `go` names the adversary of *go!*, if it was bought."""

    character: Annotated[str, PUBLIC]
    place: Annotated[int, PUBLIC]
    go: Annotated[str, PUBLIC] = ""


class RollFact(SceneFact, frozen=True):
    """Base: a roll of a character of `camp` against something of the camp `against` (empty: a challenge).

    `terms` are its own camp's; the other reads the pool as one total, in `roll` (K2).
    """

    against: Annotated[str, PUBLIC]
    character: Annotated[str, PUBLIC]
    roll: Annotated[Roll, PUBLIC]
    terms: Annotated[tuple[Term, ...], OWN]


class Tried(RollFact, frozen=True, tag="tested"):
    """A test against a challenge or an opponent (A5, A7). `nd_terms` make up an opponent's ND."""

    order: Annotated[str, PUBLIC]
    on: Annotated[str, PUBLIC]
    challenge: Annotated[str, PUBLIC]
    opponent: Annotated[str, PUBLIC]
    pair: Annotated[Pair | Literal[""], PUBLIC]
    nd: Annotated[int, PUBLIC]
    nd_terms: Annotated[tuple[Term, ...], OPPOSED]
    margin: Annotated[int, PUBLIC]
    outcome: Annotated[Degree, PUBLIC]
    special: Annotated[str, PUBLIC]


class Attacked(RollFact, frozen=True, tag="attacked"):
    """An attack and the defence that it met (A8): a rolled one (`defence`, whose hits stand for the ND), or an ND.

    `cause` is `narration` or `riposte`; `pair` is dodge or resist; `defence_terms` make up the defence's pool.
    """

    order: Annotated[str, PUBLIC]
    cause: Annotated[Literal["narration", "riposte"], PUBLIC]
    target: Annotated[str, PUBLIC]
    weapon: Annotated[str, PUBLIC]
    pair: Annotated[Defence, PUBLIC]
    nd: Annotated[int, PUBLIC]
    defence: Annotated[Roll | None, PUBLIC]
    defence_terms: Annotated[tuple[Term, ...], OPPOSED]
    margin: Annotated[int, PUBLIC]
    outcome: Annotated[Degree, PUBLIC]
    special: Annotated[str, PUBLIC]


class Interposed(SceneFact, frozen=True, tag="interposed"):
    """A character of `camp` interposed: the first defence is ignored, its own counts (A13)."""

    character: Annotated[str, PUBLIC]
    attacker: Annotated[str, PUBLIC]
    target: Annotated[str, PUBLIC]
    hits: Annotated[int, PUBLIC]
    pair: Annotated[Defence, PUBLIC]
    nd: Annotated[int, PUBLIC]
    defence: Annotated[Roll | None, PUBLIC]
    defence_terms: Annotated[tuple[Term, ...], OWN]
    margin: Annotated[int, PUBLIC]
    outcome: Annotated[Degree, PUBLIC]


class Hurt(SceneFact, frozen=True, tag="hurt"):
    """A character of `camp` was hit (A10): armour takes first, then the track; what the track can't hold is lost.

    `terms` (weapon damage, margin, exploits) are the attacker's camp's, `by_camp`.
    """

    by_camp: Annotated[str, PUBLIC]
    by: Annotated[str, PUBLIC]
    character: Annotated[str, PUBLIC]
    damage: Annotated[int, PUBLIC]
    track: Annotated[Track, PUBLIC]
    armour: Annotated[int, SHEET]
    boxes: Annotated[int, SHEET]
    out: Annotated[bool, PUBLIC]
    terms: Annotated[tuple[Term, ...], ATTACKER]


class BrokeDown(SceneFact, frozen=True, tag="broke_down"):
    """A thing of a character of `camp` stopped working (A13), by an effect or a disarming exploit (A10)."""

    character: Annotated[str, PUBLIC]
    by: Annotated[str, PUBLIC]
    cause: Annotated[Literal["breakdown", "disarm"], PUBLIC]
    weapon: Annotated[bool, PUBLIC]
    thing: Annotated[str, THING]


class Mended(SceneFact, frozen=True, tag="mended"):
    """Things of a character of `camp` work again, at the end of its Narration or pass (A13)."""

    character: Annotated[str, PUBLIC]
    things: Annotated[tuple[str, ...], SHEET]


class Healed(SceneFact, frozen=True, tag="healed"):
    """First aid to a character of `camp` healed one point (A13)."""

    character: Annotated[str, PUBLIC]
    by: Annotated[str, PUBLIC]
    heals: Annotated[Heals, PUBLIC]


class ThreatCame(SceneFact, frozen=True, tag="threat_came"):
    """A new threat came in (A13, A15): its level isn't told (A19)."""

    character: Annotated[str, PUBLIC]
    by: Annotated[str, PUBLIC]
    name: Annotated[str, PUBLIC]
    place: Annotated[int, PUBLIC]
    level: Annotated[Level, GM_ONLY]
    sheet: Annotated[Sheet, GM_ONLY]
