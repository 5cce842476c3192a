"""Exact chances of dice pools, in closed form: fractions, never a sample (K3).

A pool's hits are binomial; glitch and complication dice are added by convolution, each die one factor.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import comb

from workers.rules.anarchy.tables import Degree, degree_of

Joint = Mapping[tuple[int, int, int], Fraction]
"""The chance of each (hits, exploits, complications)."""

_SIXTH = Fraction(1, 6)
_GLITCH: dict[bool, dict[tuple[int, int, int], Fraction]] = {
    False: {(0, 0, 1): _SIXTH, (0, 0, 0): 3 * _SIXTH, (1, 1, 0): 2 * _SIXTH},
    True: {(0, 0, 1): _SIXTH, (0, 0, 0): 2 * _SIXTH, (1, 0, 0): _SIXTH, (1, 1, 0): 2 * _SIXTH},
}
_COMPLICATION: dict[tuple[int, int, int], Fraction] = {(0, 0, 1): _SIXTH, (0, 0, 0): 5 * _SIXTH}


@cache
def hits(pool: int, luck: bool = False) -> tuple[Fraction, ...]:
    """The chance of 0, 1, … `pool` hits (A4)."""
    hit = Fraction(1, 2) if luck else Fraction(1, 3)
    return tuple(comb(pool, n) * hit**n * (1 - hit) ** (pool - n) for n in range(pool + 1))


def mean(distribution: tuple[Fraction, ...]) -> Fraction:
    """The expected number of hits."""
    return sum((n * chance for n, chance in enumerate(distribution)), Fraction(0))


def variance(distribution: tuple[Fraction, ...]) -> Fraction:
    """The variance of the number of hits."""
    return sum((n * n * chance for n, chance in enumerate(distribution)), Fraction(0)) - mean(distribution) ** 2


@cache
def joint(pool: int, luck: bool = False, glitch: int = 0, complication: int = 0) -> Joint:
    """The chance of each (hits, exploits, complications) of a pool with its glitch and complication dice (A9)."""
    found: dict[tuple[int, int, int], Fraction] = {(n, 0, 0): chance for n, chance in enumerate(hits(pool, luck))}
    for die in [_GLITCH[luck]] * glitch + [_COMPLICATION] * complication:
        added: dict[tuple[int, int, int], Fraction] = {}
        for (n, exploits, complications), chance in found.items():
            for (hit, exploit, worse), weight in die.items():
                key = (n + hit, exploits + exploit, complications + worse)
                added[key] = added.get(key, Fraction(0)) + chance * weight
        found = added
    return found


def thresholds(nd: int) -> dict[int, Fraction]:
    """A fixed ND as a distribution of what the attack must reach."""
    return {nd: Fraction(1)}


def rolled(pool: int, luck: bool = False, glitch: int = 0) -> dict[int, Fraction]:
    """A rolled defence as a distribution of what the attack must reach: its hits stand for the ND (A8)."""
    found: dict[int, Fraction] = {}
    for (n, _, _), chance in joint(pool, luck, glitch).items():
        found[n] = found.get(n, Fraction(0)) + chance
    return found


def margins(roll: Joint, against: Mapping[int, Fraction]) -> dict[tuple[int, int, int], Fraction]:
    """The chance of each (margin, exploits, complications) of a roll against a threshold (A7)."""
    found: dict[tuple[int, int, int], Fraction] = {}
    for (n, exploits, complications), chance in roll.items():
        for threshold, weight in against.items():
            key = (n - threshold, exploits, complications)
            found[key] = found.get(key, Fraction(0)) + chance * weight
    return found


def degrees(distribution: Mapping[tuple[int, int, int], Fraction]) -> dict[Degree, Fraction]:
    """The chance of each degree (A7), those that can't be left out."""
    found: dict[Degree, Fraction] = {}
    for (margin, _, _), chance in sorted(distribution.items()):
        degree = degree_of(margin)
        found[degree] = found.get(degree, Fraction(0)) + chance
    return found


def reached(distribution: Mapping[tuple[int, int, int], Fraction]) -> Fraction:
    """The chance of a margin of 0 or more: equal is enough (A5)."""
    return sum((chance for (margin, _, _), chance in distribution.items() if margin >= 0), Fraction(0))


def expected_damage(distribution: Mapping[tuple[int, int, int], Fraction], weapon: int) -> Fraction:
    """The damage of an attack to be expected, before armour: weapon damage + margin, and one an exploit (A10)."""
    return sum(
        (
            (weapon + margin + exploits) * chance
            for (margin, exploits, _), chance in distribution.items()
            if margin >= 0
        ),
        Fraction(0),
    )


def interposed(attack: Joint, target: Mapping[int, Fraction], interposer: Mapping[int, Fraction]) -> Fraction:
    """The chance that somebody is hit when one stands ready to interpose: the attack's one roll reaches the target's
    defence and then the interposer's own (A13).
    """
    total = Fraction(0)
    for (n, _, _), chance in attack.items():
        first = sum((weight for threshold, weight in target.items() if n >= threshold), Fraction(0))
        second = sum((weight for threshold, weight in interposer.items() if n >= threshold), Fraction(0))
        total += chance * first * second
    return total
