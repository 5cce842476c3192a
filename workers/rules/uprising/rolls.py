"""Rolls, as events record them: enough to check each by hand (K2), drawn from the tick's dice (K5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.odds import Term, ratio
from workers.rules.uprising.cards import Card
from workers.rules.uprising.force import HUNDRED, UnitForce, contest_chance, strength, total

Outcome = Literal["success", "failure"]


class PointsRoll(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A roll on a chance in points: success when the die, 1..100, is at most `threshold`.

    `terms` are those of who reads this copy, `other` is the sum of the other side's; `total` is the sum of both,
    `threshold` that sum within its bounds.
    """

    path: str
    dice: tuple[int, ...]
    terms: tuple[Term, ...]
    total: int
    threshold: int
    outcome: Outcome
    other: int = 0

    @property
    def success(self) -> bool:
        """Whether it succeeded."""
        return self.outcome == "success"

    def facing(self, terms: tuple[Term, ...]) -> "PointsRoll":
        """The other side's copy: its own terms named, these as one sum."""
        return PointsRoll(self.path, self.dice, terms, self.total, self.threshold, self.outcome, total(self.terms))


class ContestRoll(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A roll of Force against Force: success when the draw, 0..`below`-1, is below `threshold`; `chance` is
    `threshold`/`below` in lowest terms.

    `forces` and `terms` are those of who reads this copy: units, then what else adds to its Force (a card's bonus) or
    to its chance (points). `ground` is on the defence's side, and everybody's to read: the + 1, a named defence, a
    garrison, a landmark, barricades. `attack` and `defence` are whole sums, `points` all that was added to the chance.
    """

    path: str
    dice: tuple[int, ...]
    forces: tuple[UnitForce, ...]
    attack: int
    defence: int
    chance: str
    threshold: int
    below: int
    outcome: Outcome
    terms: tuple[Term, ...] = ()
    ground: tuple[Term, ...] = ()
    points: int = 0

    @property
    def success(self) -> bool:
        """Whether it succeeded."""
        return self.outcome == "success"


class Draw(msgspec.Struct, frozen=True, gc=False):
    """A uniform draw among `below` things in ascending id: the number of the one drawn, from 0."""

    path: str
    dice: tuple[int, ...]
    below: int


@dataclass(frozen=True, slots=True)
class Clash:
    """A contest before its dice: who attacks, who defends, and everything that is added."""

    attackers: tuple[UnitForce, ...]
    defenders: tuple[UnitForce, ...]
    bonus: tuple[Term, ...]
    ground: tuple[Term, ...]
    points: tuple[Term, ...]

    @property
    def attack(self) -> int:
        """The whole attack."""
        return strength(self.attackers) + total(self.bonus)

    @property
    def defence(self) -> int:
        """The whole defence."""
        return strength(self.defenders) + total(self.ground)

    def chance(self) -> Fraction:
        """The chance of a success (U5–U8)."""
        return contest_chance(self.attack, self.defence, total(self.points))


def best_card(cards: Sequence[Card], clash_of: Callable[[Card], Clash]) -> tuple[Card, Clash]:
    """The card that counts among those of merged orders, with its contest: the highest chance, then the lowest id
    (U22). Cards come in ascending id.
    """
    clashes = [(card, clash_of(card)) for card in cards]
    return clashes[0] if len(clashes) == 1 else max(clashes, key=lambda pair: pair[1].chance())


def outcome_of(success: bool) -> Outcome:
    """A success as an outcome."""
    return "success" if success else "failure"


def roll_points(
    dice: Dice, path: str, terms: tuple[Term, ...], threshold: int, facing: tuple[Term, ...] = ()
) -> PointsRoll:
    """Roll on a chance of `threshold` points (K5)."""
    drawn = dice.below(path, HUNDRED) + 1
    other = total(facing)
    return PointsRoll(path, (drawn,), terms, total(terms) + other, threshold, outcome_of(drawn <= threshold), other)


def roll_contest(dice: Dice, path: str, clash: Clash) -> tuple[ContestRoll, ContestRoll]:
    """Roll a contest on its exact chance (U5, K5): the attacker's copy of the record, and the defender's."""
    attack, defence, points = clash.attack, clash.defence, total(clash.points)
    chance = contest_chance(attack, defence, points)
    threshold, below = chance.numerator, chance.denominator
    drawn = dice.below(path, below)
    told = attack, defence, ratio(chance), threshold, below, outcome_of(drawn < threshold)
    attackers = ContestRoll(path, (drawn,), clash.attackers, *told, (*clash.bonus, *clash.points), clash.ground, points)
    return attackers, ContestRoll(path, (drawn,), clash.defenders, *told, (), clash.ground, points)


def draw(dice: Dice, path: str, count: int) -> Draw:
    """Draw one of `count` things."""
    return Draw(path, (dice.below(path, count),), count)
