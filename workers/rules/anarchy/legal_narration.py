"""Whether a Narration is legal: its steps and the effects that they buy (A1, A5, A13)."""

from collections.abc import Iterator

from workers.kernel.errors import Refusal
from workers.rules.anarchy.orders import (
    AnyStep,
    Attack,
    Breakdown,
    FirstAid,
    Move,
    Narrate,
    NewThreat,
    Threat,
    Trial,
)
from workers.rules.anarchy.refusals import illegal, target_fault, unknown_character, weapon_fault
from workers.rules.anarchy.see import SeenCharacter, SeenScene
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import weapon_of
from workers.rules.anarchy.tables import HANDS, LEVEL_ORDER, PAIRS, Effect

APPLICABLE = ("behaviour", "line", "advantage", "asset")
"""A13: the kinds of trait that *well-disposed* may name."""


def effects_of(order: Narrate) -> list[tuple[int, Effect]]:
    """The effects that a Narration buys, each with the index of its step (A13)."""
    found: list[tuple[int, Effect]] = []
    for i, step in enumerate(order.steps):
        match step:
            case Move(go=go) if go:
                found.append((i, "go"))
            case Attack() | Trial():
                if step.well_disposed:
                    found.append((i, "well_disposed"))
                if step.risk:
                    found.append((i, "risk"))
            case Breakdown():
                found.append((i, "breakdown"))
            case FirstAid():
                found.append((i, "first_aid"))
            case NewThreat():
                found.append((i, "new_threat"))
            case _:
                pass
    return found


def narration_faults(
    order: Narrate, character: SeenCharacter, scene: SeenScene, settings: Settings
) -> Iterator[Refusal]:
    """Why a Narration is illegal: at most one attack or test, each effect once, every step possible as things stand."""
    bought: list[Effect] = []
    for i, effect in effects_of(order):
        if effect in bought:
            yield illegal("effect_twice", f"steps[{i}]", "each effect once in a Narration", effect=effect)
        elif effect not in settings.effects:
            yield illegal("effect_not_allowed", f"steps[{i}]", ", ".join(settings.effects), effect=effect)
        bought.append(effect)
    rolls = moves = 0
    place = character.place
    for i, step in enumerate(order.steps):
        where = f"steps[{i}]"
        if isinstance(step, Move):
            moves += 1
            yield from _move(step, moves, place, character, scene, where)
            place = step.to
        elif isinstance(step, Attack | Trial):
            rolls += 1
            if rolls > 1:
                yield illegal("two_rolls", where, "at most one attack or test")
            yield from _rolling(step, character, where)
        yield from _step(step, character, place, scene, settings, where)


def _move(
    step: Move, moves: int, place: int, character: SeenCharacter, scene: SeenScene, where: str
) -> Iterator[Refusal]:
    if not 0 <= step.to < len(scene.places) or abs(step.to - place) != 1:
        near = [str(to) for to in (place - 1, place + 1) if 0 <= to < len(scene.places)]
        yield illegal("not_adjacent", f"{where}.to", " or ".join(near), to=step.to)
    if moves > 2:
        yield illegal("too_many_moves", where, "one move, or two with go")
    elif moves == 2 and not step.go:
        yield illegal("go_needed", f"{where}.go", "the adversary to close in on or get away from")
    elif moves == 1 and step.go:
        yield illegal("go_not_needed", f"{where}.go", "no adversary: the first move is free")
    elif step.go:
        fault = target_fault(step.go, character, scene, f"{where}.go")
        if fault is not None:
            yield fault


def _rolling(step: Attack | Trial, character: SeenCharacter, where: str) -> Iterator[Refusal]:
    if step.luck and character.luck < 1:
        yield illegal("no_luck", f"{where}.luck", "false", name=character.id)
    if not step.well_disposed or character.sheet is None:
        return
    trait = character.sheet.trait(step.well_disposed)
    fit = ", ".join(one.name for one in character.sheet.traits if one.kind in APPLICABLE)
    if trait is None:
        yield illegal("no_such_trait", f"{where}.well_disposed", fit, trait=step.well_disposed)
    elif trait.kind not in APPLICABLE:
        yield illegal("trait_kind", f"{where}.well_disposed", fit, trait=trait.name, trait_kind=trait.kind)
    elif trait.name in character.broken:
        yield illegal("trait_broken", f"{where}.well_disposed", fit, trait=trait.name)


def _step(
    step: AnyStep, character: SeenCharacter, place: int, scene: SeenScene, settings: Settings, where: str
) -> Iterator[Refusal]:
    match step:
        case Attack():
            yield from _attack(step, character, place, scene, settings, where)
        case Trial():
            yield from _trial(step, character, scene, where)
        case Breakdown():
            yield from _breakdown(step, scene, where)
        case FirstAid():
            fault = target_fault(step.who, character, scene, f"{where}.who")
            if fault is not None:
                yield fault
        case NewThreat():
            yield from threat_faults(step, scene, where)


def _attack(
    step: Attack, character: SeenCharacter, place: int, scene: SeenScene, settings: Settings, where: str
) -> Iterator[Refusal]:
    fault = target_fault(step.target, character, scene, f"{where}.target")
    lacking = weapon_fault(step.weapon, character, f"{where}.weapon")
    yield from (one for one in (fault, lacking) if one is not None)
    if fault is not None or lacking is not None or character.sheet is None:
        return
    weapon = weapon_of(character.sheet, step.weapon, settings)
    if weapon is None:
        return
    if weapon.name in character.broken:
        yield illegal("weapon_broken", f"{where}.weapon", "a weapon that works", weapon=weapon.name)
    distance = abs(place - scene.characters[step.target].place)
    if distance > weapon.range:
        yield illegal(
            "out_of_range", f"{where}.target", f"a distance of 0..{weapon.range}", distance=distance, reach=weapon.range
        )


def _trial(step: Trial, character: SeenCharacter, scene: SeenScene, where: str) -> Iterator[Refusal]:
    if bool(step.challenge) == bool(step.opponent):
        yield illegal("challenge_or_opponent", where, "a challenge, or an opponent")
        return
    if step.challenge:
        challenge = scene.challenges.get(step.challenge)
        if challenge is None:
            known = ", ".join(sorted(scene.challenges))
            yield illegal("unknown_challenge", f"{where}.challenge", known, name=step.challenge)
        elif step.on or step.against:
            yield illegal("challenge_says", where, "neither on nor against: the challenge says what is rolled")
        else:
            yield from _skill(challenge.on, character, f"{where}.challenge")
        return
    fault = target_fault(step.opponent, character, scene, f"{where}.opponent")
    if fault is not None:
        yield fault
    if not step.against:
        yield illegal("pair_needed", f"{where}.against", ", ".join(PAIRS))
    yield from _skill(step.on, character, f"{where}.on")


def _skill(on: str, character: SeenCharacter, field: str) -> Iterator[Refusal]:
    """A5: a test on a skill that the sheet lacks is refused, not for a level."""
    sheet = character.sheet
    if sheet is not None and (not on or (on not in PAIRS and on not in sheet.skills and sheet.level is None)):
        yield illegal("skill_lacking", field, ", ".join((*sorted(sheet.skills), *PAIRS)), skill=on)


def _breakdown(step: Breakdown, scene: SeenScene, where: str) -> Iterator[Refusal]:
    owner = scene.characters.get(step.whose)
    if owner is None:
        yield unknown_character(scene, f"{where}.whose", step.whose)
        return
    if owner.out:
        yield illegal("target_out", f"{where}.whose", "a character in the scene", name=step.whose)
    known = owner.sheet.things() if owner.sheet is not None else tuple(w for w in owner.weapons if w != HANDS)
    if step.thing == HANDS:
        yield illegal("hands_never", f"{where}.thing", ", ".join(known))
    elif step.thing not in known:
        yield illegal("unknown_thing", f"{where}.thing", ", ".join(known), thing=step.thing)
    elif step.thing in owner.worn or step.thing in owner.broken:
        yield illegal(
            "worn", f"{where}.thing", "a thing that works and hasn't broken down in this scene", thing=step.thing
        )


def threat_faults(step: NewThreat | Threat, scene: SeenScene, where: str) -> Iterator[Refusal]:
    """A15: so many new threats a scene, up to a level, in a place of the row."""
    prefix = f"{where}." if where else ""
    if scene.threats < 1:
        yield illegal("no_more_threats", where)
    if LEVEL_ORDER.index(step.level) > LEVEL_ORDER.index(scene.threat_level):
        weaker = LEVEL_ORDER[: LEVEL_ORDER.index(scene.threat_level) + 1]
        yield illegal("threat_level", f"{prefix}level", ", ".join(weaker), level=step.level)
    if step.place >= len(scene.places):
        yield illegal("no_such_place", f"{prefix}place", f"0..{len(scene.places) - 1}", place=step.place)
    if not step.name.strip() or not step.name.isprintable():
        yield illegal("no_name", f"{prefix}name", "a name of 1..64 characters")
