"""Whether a standing order is legal: what answers other people's acts (A4, A13, A14)."""

from collections.abc import Iterator
from typing import Any

from workers.kernel.errors import Refusal
from workers.rules.anarchy.orders import Interpose, Interrupt, Intervene, Luck, Riposte, Risk, StandingOrder
from workers.rules.anarchy.refusals import illegal, other_names, own_names, unknown_character, weapon_fault
from workers.rules.anarchy.see import SeenCharacter, SeenScene
from workers.rules.anarchy.settings import Settings


def standing_faults(
    order: StandingOrder, character: SeenCharacter, scene: SeenScene, settings: Settings
) -> Iterator[Refusal]:
    """Why a standing order is illegal: its effect isn't allowed, or its trigger names somebody who can't be meant."""
    if order.effect is not None and order.effect not in settings.effects:
        yield illegal("effect_not_allowed", "", ", ".join(settings.effects), effect=order.effect)
    yield from _particular(order, character, scene, settings)
    for field, name in _others_named(order):
        if name not in scene.characters:
            yield unknown_character(scene, field, name)
        elif name == character.id:
            yield illegal("oneself", field, other_names(scene, character), name=name)


def _others_named(order: Any) -> list[tuple[str, str]]:
    """The fields that name whose act is answered, where they name anybody: each standing order has `by`, of one name or
    (luck) of several.
    """
    by: str | tuple[str, ...] = order.by
    if isinstance(by, str):
        return [("by", by)] if by else []
    return [(f"by[{i}]", name) for i, name in enumerate(by)]


def _particular(
    order: StandingOrder, character: SeenCharacter, scene: SeenScene, settings: Settings
) -> Iterator[Refusal]:
    match order:
        case Riposte():
            fault = weapon_fault(order.weapon, character, "weapon")
            if fault is not None:
                yield fault
        case Interpose() | Risk():
            yield from _whose(order, character, scene)
        case Interrupt():
            if order.front and order.by:
                yield illegal("front_or_by", "by", "nobody: the front of the Turn is nobody's Narration")
        case Intervene():
            yield from _intervention(order, settings)
        case Luck():
            if character.luck < 1:
                yield illegal("no_luck", "", name=character.id)


def _whose(order: Interpose | Risk, character: SeenCharacter, scene: SeenScene) -> Iterator[Refusal]:
    """A13: risk is for rolls of one's own camp; nobody interposes for oneself."""
    who = scene.characters.get(order.who)
    if order.who and who is None:
        yield unknown_character(scene, "who", order.who)
    elif isinstance(order, Interpose) and order.who == character.id:
        yield illegal("oneself", "who", other_names(scene, character), name=order.who)
    elif isinstance(order, Risk) and who is not None and who.camp != character.camp:
        yield illegal("own_camp_only", "who", own_names(scene, character.camp), name=order.who)


def _intervention(order: Intervene, settings: Settings) -> Iterator[Refusal]:
    if not order.by:
        yield illegal("by_needed", "by", "the character whose Narration it is")
    if not 0 < len(order.text) <= settings.intervention_length:
        accepted = f"1..{settings.intervention_length} characters"
        yield illegal("text_length", "text", accepted, length=len(order.text), most=settings.intervention_length)
