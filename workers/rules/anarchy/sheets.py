"""A character as a game designer writes it, checked, and made into a sheet (A1, A6)."""

from typing import Annotated

import msgspec

from workers.rules.anarchy.entities import (
    ALL_ROLLS,
    Attributes,
    Places,
    Rating,
    Sheet,
    Skill,
    Trait,
    Weapon,
)
from workers.rules.anarchy.names import ACCEPTED, problem_of
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.tables import BRAWL, GUN, GUN_SKILL, HANDS, PAIRS, Level

Boxes = Annotated[int, msgspec.Meta(ge=1, le=40)]
LONGEST_NAME = 64


class Fault(msgspec.Struct, frozen=True):
    """What is wrong with something that a person wrote: the field, the problem, what would be accepted."""

    field: str
    problem: str
    accepted: str


class CharacterSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A character as it is written: `id` is the last part of its name, `name` what people read.

    With a `level` (the GM's alone) it has neither attributes, skills, luck, armour nor weapons of its own: A6 gives
    them.
    """

    id: str
    name: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)] = ""
    level: Level | None = None
    attributes: Attributes = Attributes()
    skills: Annotated[dict[str, Skill], msgspec.Meta(max_length=64)] = {}
    traits: Annotated[tuple[Trait, ...], msgspec.Meta(max_length=32)] = ()
    luck: Rating = 0
    armour: Rating = 0
    physical: Boxes | None = None
    stun: Boxes | None = None
    weapons: Annotated[tuple[Weapon, ...], msgspec.Meta(max_length=16)] = ()
    gear: Annotated[tuple[str, ...], msgspec.Meta(max_length=32)] = ()
    place: Places = 0
    hidden: bool = False


def fault_of(spec: CharacterSpec, gms: bool, row: int | None = None) -> Fault | None:
    """What is wrong with a character of the GM's or of a player's, placed in a row of so many places, if anything."""
    problem = problem_of(spec.id)
    if problem:
        return Fault("id", problem, ACCEPTED)
    if row is not None and spec.place >= row:
        return Fault("place", f"{spec.place} is beyond the row", f"0..{row - 1}")
    if not gms and spec.hidden:
        return Fault("hidden", "a player's character hides", "false")
    if spec.level is not None:
        return _level_fault(spec, gms)
    return _skills_fault(spec) or _things_fault(spec) or _traits_fault(spec)


def _level_fault(spec: CharacterSpec, gms: bool) -> Fault | None:
    if not gms:
        return Fault("level", "a player's character has a level", "none: levels are the GM's characters'")
    plain = CharacterSpec(spec.id)
    for field in ("attributes", "skills", "luck", "armour", "weapons"):
        if getattr(spec, field) != getattr(plain, field):
            return Fault(field, "given beside a level, which stands for it", "none")
    return _things_fault(spec) or _traits_fault(spec)


def _skills_fault(spec: CharacterSpec) -> Fault | None:
    for name in sorted(spec.skills):
        if name in PAIRS or name == ALL_ROLLS or not _readable(name):
            return Fault(
                f"skills.{name}", "not a name for a skill", f"other words than {', '.join(PAIRS)}, {ALL_ROLLS}"
            )
    for i, weapon in enumerate(spec.weapons):
        if weapon.skill not in spec.skills and weapon.skill != BRAWL:
            known = ", ".join(sorted({*spec.skills, BRAWL}))
            return Fault(f"weapons[{i}].skill", f"{weapon.skill!r} is no skill of the sheet", known)
    return None


def _things_fault(spec: CharacterSpec) -> Fault | None:
    taken = [HANDS, *([GUN] if spec.level else [])]
    named = [(f"weapons[{i}].name", weapon.name) for i, weapon in enumerate(spec.weapons)]
    named += [(f"gear[{i}]", name) for i, name in enumerate(spec.gear)]
    named += [(f"traits[{i}].name", trait.name) for i, trait in enumerate(spec.traits)]
    for field, name in named:
        if not _readable(name):
            return Fault(field, f"{name!r} is not a name", f"1..{LONGEST_NAME} characters")
        if name in taken:
            return Fault(field, f"{name!r} is taken", "names that differ within a sheet")
        taken.append(name)
    return None


def _traits_fault(spec: CharacterSpec) -> Fault | None:
    rolls = {*spec.skills, *PAIRS, BRAWL}
    for i, trait in enumerate(spec.traits):
        where = f"traits[{i}]"
        wrong_sign = trait.dice < 0 if trait.kind == "asset" else trait.dice > 0
        if wrong_sign or (trait.dice and trait.kind not in ("asset", "flaw")):
            return Fault(f"{where}.dice", f"{trait.dice} dice of a {trait.kind}", "an asset's ≥ 0, a flaw's ≤ 0")
        if bool(trait.dice) != bool(trait.on):
            return Fault(f"{where}.on", "dice and the rolls that they are for go together", "both or neither")
        for field, names in (
            ("on", set(trait.on) - rolls),
            ("complication", {*trait.complication} - rolls - {ALL_ROLLS}),
        ):
            if names and spec.level is None:
                return Fault(f"{where}.{field}", f"{min(names)!r} is no roll of the sheet", ", ".join(sorted(rolls)))
    return None


def _readable(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable()


def sheet_of(spec: CharacterSpec, settings: Settings) -> Sheet:
    """The sheet of a character without fault: a level's armour and gun, and boxes where the sheet says nothing."""
    physical = spec.physical or settings.track_boxes
    stun = spec.stun or settings.track_boxes
    name = spec.name or spec.id
    if spec.level is not None:
        armour = getattr(settings.armour, spec.level)
        weapons = (_gun(spec.level, settings),)
        return Sheet(name, spec.level, Attributes(), {}, spec.traits, 0, armour, physical, stun, weapons, spec.gear)
    return Sheet(
        name=name,
        attributes=spec.attributes,
        skills=spec.skills,
        traits=spec.traits,
        luck=spec.luck,
        armour=spec.armour,
        physical=physical,
        stun=stun,
        weapons=spec.weapons,
        gear=spec.gear,
    )


def _gun(level: Level, settings: Settings) -> Weapon:
    return Weapon(GUN, GUN_SKILL, getattr(settings.damage, level), "physical", settings.gun_range, "dodge")


def threat_sheet(name: str, level: Level, settings: Settings) -> Sheet:
    """The sheet of a new threat (A13)."""
    return sheet_of(CharacterSpec("threat", name, level), settings)


def hands(settings: Settings) -> Weapon:
    """Everybody's bare hands (A13)."""
    return Weapon(HANDS, BRAWL, settings.hands_damage, "stun", settings.hands_range, "dodge")


def weapon_of(sheet: Sheet, name: str, settings: Settings) -> Weapon | None:
    """The weapon of this name that the character has, bare hands included."""
    return hands(settings) if name == HANDS else sheet.weapon(name)
