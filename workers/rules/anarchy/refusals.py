"""Refusals that several orders of a scene share: who isn't there, who is out, what a character hasn't got."""

from workers.kernel.errors import Refusal
from workers.rules.anarchy.reasons import RefusalCode
from workers.rules.anarchy.see import SeenCharacter, SeenScene


def illegal(code: RefusalCode, field: str, accepted: str = "", **values: str | int) -> Refusal:
    """A refusal of an order that is understood and not allowed."""
    return Refusal(code, field, "illegal", accepted, values)


def own_names(scene: SeenScene, camp: str) -> str:
    """The camp's characters in the scene, as what would be accepted."""
    return ", ".join(name for name, one in sorted(scene.characters.items()) if one.camp == camp and not one.out)


def other_names(scene: SeenScene, character: SeenCharacter) -> str:
    """The other characters in the scene that the camp knows, as what would be accepted."""
    return ", ".join(name for name, one in sorted(scene.characters.items()) if not one.out and name != character.id)


def unknown_character(scene: SeenScene, field: str, name: str) -> Refusal:
    """No such character in the scene, as far as the camp knows (K7)."""
    return illegal("unknown_character", field, ", ".join(sorted(scene.characters)), name=name)


def target_fault(name: str, character: SeenCharacter, scene: SeenScene, field: str) -> Refusal | None:
    """Why this isn't another character that is in the scene; None when it is."""
    other = scene.characters.get(name)
    if other is None:
        return unknown_character(scene, field, name)
    if name == character.id:
        return illegal("oneself", field, other_names(scene, character), name=name)
    return illegal("target_out", field, other_names(scene, character), name=name) if other.out else None


def weapon_fault(name: str, character: SeenCharacter, field: str) -> Refusal | None:
    """Why the character can't use a weapon of this name; None when it has it."""
    if name in character.weapons:
        return None
    return illegal("unknown_weapon", field, ", ".join(character.weapons), weapon=name)
