"""The roll, the venerable d666: score, threshold, outcome, quality (V11–V15)."""

from typing import Any, Literal

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.odds import Term
from workers.rules.veil.settings import Settings
from workers.rules.veil.tables import POWER, QUALITY_MAX, SCORE_MAX, THRESHOLDS, Kind

Outcome = Literal["success", "failure", "own_intervention", "enemy_intervention"]


class Roll(msgspec.Struct, frozen=True, gc=False):
    """A roll as it is recorded (K2): enough to check it by hand. The quality is 0 where it failed."""

    path: str
    dice: tuple[int, ...]
    terms: tuple[Term, ...]
    score: int
    threshold: int
    outcome: Outcome
    quality: int

    @property
    def succeeded(self) -> bool:
        """Whether the order succeeded."""
        return self.quality > 0

    @property
    def power(self) -> str:
        """The camp whose power intervened (V15); empty where none did."""
        if self.outcome in ("success", "failure"):
            return ""
        first, second, third = self.dice
        return POWER.get(100 * first + 10 * second + third, "")


def terms_of(
    servant: Any, kind: Kind, pair: tuple[str, str], pp: int, routine: bool, settings: Settings
) -> tuple[Term, ...]:
    """The terms of a score (V12): `servant` is a servant, or what its own camp sees of it.

    `routine`: whether its Superior rewards routine (V7). The characteristic, the talent and the difficulty are always
    there; each modifier only where it isn't 0.
    """
    characteristic, talent = pair
    terms = [Term(characteristic, getattr(servant, characteristic))]
    if talent:
        terms.append(Term(talent, getattr(servant, talent)))
    terms.append(Term("difficulty", kind.difficulty))
    if pp:
        terms.append(Term("power_points", pp))
    if servant.wounds >= settings.wounded_from:
        terms.append(Term("wounded", -1))
    if servant.rating <= settings.disgrace_at:
        terms.append(Term("disgrace", -1))
    elif servant.rating >= settings.promoted_at:
        terms.append(Term("promotion", settings.promotion_bonus))
    if routine and kind.name in servant.succeeded:
        terms.append(Term("routine", settings.routine_bonus))
    return tuple(terms)


def score_of(terms: tuple[Term, ...]) -> int:
    """The effective score: the sum of the terms, clamped once to 0..10 (V12)."""
    total = 0
    for term in terms:
        total += term.value
    if total < 0:
        return 0
    if total > SCORE_MAX:
        return SCORE_MAX
    return total


def read_roll(number: int, score: int, camp: str) -> tuple[Outcome, int]:
    """The outcome and quality of a roll 111..666 (V13–V15)."""
    power = POWER.get(number)
    if power is not None:
        return ("own_intervention", QUALITY_MAX) if power == camp else ("enemy_intervention", 0)
    if number <= THRESHOLDS[score]:
        return "success", number % 10
    return "failure", 0


def throw(dice: Dice, path: str, terms: tuple[Term, ...], camp: str) -> Roll:
    """Throw three d6, read as hundreds, tens and units (V11), for a servant of a camp."""
    score = score_of(terms)
    faces = dice.d6(path, 3)
    outcome, quality = read_roll(100 * faces[0] + 10 * faces[1] + faces[2], score, camp)
    return Roll(path, faces, terms, score, THRESHOLDS[score], outcome, quality)
