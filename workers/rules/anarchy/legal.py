"""Whether an order on a scene is legal, judged on what its camp knows of the scene.

The same judgement is passed twice: at intake, and when the turn-order phase begins (A13, K6). It never sees more than
`see` gave, so what a camp doesn't know is refused with the words for what isn't there (K7).
"""

from collections.abc import Iterator

from workers.kernel.errors import Refusal
from workers.rules.anarchy.entities import GM
from workers.rules.anarchy.legal_narration import narration_faults, threat_faults
from workers.rules.anarchy.legal_standing import standing_faults
from workers.rules.anarchy.orders import ActingOrder, AnySceneOrder, Close, Grant, Narrate, StandingOrder, Threat
from workers.rules.anarchy.refusals import illegal, own_names, unknown_character
from workers.rules.anarchy.see import SeenScene
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.tables import PLAYER_MOST

GROUND_KINDS = {"line": ("line",), "choice": ("behaviour", "line", "flaw"), "asset": ("asset",)}
"""A12: the kinds of trait that a ground names; the other grounds name none."""


def faults(order: AnySceneOrder, scene: SeenScene, camp: str, settings: Settings) -> Iterator[Refusal]:
    """Why the order is illegal: nothing when it is legal."""
    match order:  # most orders are a character's
        case ActingOrder():
            return _acting(order, scene, camp, settings)
        case Grant():
            return _grant(order, scene, camp)
        case Threat():
            return _threat(order, scene, camp, settings)
        case Close():
            return _gm_only(order, camp)


def _gm_only(order: AnySceneOrder, camp: str) -> Iterator[Refusal]:
    if camp != GM:
        yield illegal("gm_only", "", "the camp gm", order=order.called)


def _acting(order: ActingOrder, scene: SeenScene, camp: str, settings: Settings) -> Iterator[Refusal]:
    """An order of one of the camp's own characters."""
    name = order.character
    character = scene.characters.get(name)
    if character is None:
        yield unknown_character(scene, "character", name)
    elif character.camp != camp:
        yield illegal("not_yours", "character", own_names(scene, camp), name=name)
    elif character.out:
        yield illegal("out", "character", own_names(scene, camp), name=name)
    elif isinstance(order, Narrate):
        yield from narration_faults(order, character, scene, settings)
    elif isinstance(order, StandingOrder):
        yield from standing_faults(order, character, scene, settings)


def _threat(order: Threat, scene: SeenScene, camp: str, settings: Settings) -> Iterator[Refusal]:
    yield from _gm_only(order, camp)
    if camp == GM:
        if "new_threat" not in settings.effects:
            yield illegal("effect_not_allowed", "", ", ".join(settings.effects), effect="new_threat")
        yield from threat_faults(order, scene, "")


def _grant(order: Grant, scene: SeenScene, camp: str) -> Iterator[Refusal]:
    yield from _gm_only(order, camp)
    if camp != GM:
        return
    if order.player not in scene.points:
        yield illegal("unknown_player", "player", ", ".join(sorted(scene.points)), name=order.player)
        return
    if scene.points[order.player] >= PLAYER_MOST:
        yield illegal(
            "at_most", "player", f"a player with fewer than {PLAYER_MOST}", name=order.player, most=PLAYER_MOST
        )
    kinds = GROUND_KINDS.get(order.ground)
    if kinds is None:
        if order.trait:
            yield illegal("ground_without_trait", "trait", "none", ground=order.ground)
        return
    fit = [
        trait.name
        for character in scene.characters.values()
        if character.player == order.player and not character.out and character.sheet is not None
        for trait in character.sheet.traits
        if trait.kind in kinds
    ]
    if order.trait not in fit:
        yield illegal("ground_trait", "trait", ", ".join(fit), ground=order.ground, trait=order.trait)
