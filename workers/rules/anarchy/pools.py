"""Dice pools: what a roll consists of, its ND, and the throw itself (A2–A6, A9)."""

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.odds import Term, nearest
from workers.rules.anarchy.entities import ALL_ROLLS, Sheet
from workers.rules.anarchy.tables import BRAWL, BRAWL_PAIR, LEVELS, PAIRS


class Roll(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A throw, as everybody who may read it reads it: enough to check it by hand (K2).

    `dice` are the faces in the order of the stream: `pool` dice, then `glitch` dice, then `complication` dice (A9).
    """

    path: str
    pool: int
    dice: tuple[int, ...]
    hits: int
    glitch: int = 0
    complication: int = 0
    luck: bool = False
    exploits: int = 0
    complications: int = 0


def base_terms(sheet: Sheet, on: str) -> tuple[Term, ...]:
    """Skill and attribute, or the two attributes of a pair (A2, A3); a level's dice in place of either (A6).

    Bare hands without the skill roll strength and agility (A13). Raises KeyError for a skill that the sheet lacks.
    """
    if sheet.level is not None:
        return (Term("level", LEVELS[sheet.level].dice),)
    if on in PAIRS:
        first, second = PAIRS[on]
    elif on == BRAWL and BRAWL not in sheet.skills:
        first, second = BRAWL_PAIR
    else:
        skill = sheet.skills[on]
        return (Term(on, skill.rating), Term(skill.attribute, sheet.attributes.of(skill.attribute)))
    return (Term(first, sheet.attributes.of(first)), Term(second, sheet.attributes.of(second)))


def terms_of(sheet: Sheet, broken: list[str] | tuple[str, ...], on: str) -> tuple[Term, ...]:
    """The terms of a pool: its base, then the assets that work and the flaws that apply (A1, A2)."""
    terms = base_terms(sheet, on)
    for trait in sheet.traits:
        if trait.dice and on in trait.on and trait.name not in broken:
            terms = (*terms, Term(trait.name, trait.dice))
    return terms


def pool_of(terms: tuple[Term, ...]) -> int:
    """The dice of a pool: the sum of its terms, at least 0 (A2)."""
    return max(0, sum([term.value for term in terms]))


def complication_dice(sheet: Sheet, broken: list[str] | tuple[str, ...], on: str) -> int:
    """The complication dice that traits impose on this skill or pair; a broken asset imposes none (A1, A13)."""
    imposing = [
        trait
        for trait in sheet.traits
        if (on in trait.complication or ALL_ROLLS in trait.complication) and trait.name not in broken
    ]
    return len(imposing)


def nd_of_pool(pool: int) -> int:
    """A5: a third of the opposing pool, rounded to nearest."""
    return nearest(pool, 3)


def defence_nd(sheet: Sheet, terms: tuple[Term, ...]) -> int:
    """The ND against which an attack on a GM's character is rolled: its level's, or that of its pool (A8)."""
    return nd_of_pool(pool_of(terms)) if sheet.level is None else LEVELS[sheet.level].nd


def throw(dice: Dice, path: str, pool: int, glitch: int, complication: int, luck: bool) -> Roll:
    """Throw a pool with its glitch and complication dice (A4, A9)."""
    count = pool + glitch + complication
    faces = dice.d6(path, count) if count else ()
    least = 4 if luck else 5
    told_apart = faces[pool : pool + glitch]
    return Roll(
        path=path,
        pool=pool,
        dice=faces,
        hits=len([face for face in faces[: pool + glitch] if face >= least]),
        glitch=glitch,
        complication=complication,
        luck=luck,
        exploits=len([face for face in told_apart if face >= 5]),
        complications=faces[pool:].count(1),
    )
