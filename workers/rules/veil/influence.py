"""Influence: what a success gains, and what a counter-mission leaves of it (V16–V18, V20–V22, V24)."""

from functools import lru_cache
from typing import Literal

import msgspec

from workers.kernel.odds import nearest
from workers.rules.veil.tables import AFFINITY_QUARTERS, INFLUENCE_MAX, QUALITY_MAX, SUPPORTS_MAX, Relation

CounterEffect = Literal["none", "halved", "cancelled"]
"""What a counter-mission does to a mission that succeeded (V24)."""


class Gain(msgspec.Struct, frozen=True, gc=False):
    """A gain of influence with its terms (K2): base × (2 + quality)/4 × affinity × zone, rounded, at least 1.

    `points` is what is left of `rounded`: the same, its half, or 0; `counter` says which (`none`, `halved`,
    `cancelled`). A failed influence has quality 0 and 1 point.
    """

    base: int
    quality: int
    affinity: Relation
    dormitory: bool
    rounded: int
    counter: CounterEffect
    points: int


def exact_gain(base: int, quality: int, affinity: Relation, dormitory: bool) -> tuple[int, int]:
    """V16's product as a numerator and the denominator 32 (quarters × quarters × halves)."""
    return base * (2 + quality) * AFFINITY_QUARTERS[affinity] * (1 if dormitory else 2), 32


def rounded_gain(base: int, quality: int, affinity: Relation, dormitory: bool) -> int:
    """V18: the product rounded to nearest, at least 1."""
    return max(1, nearest(*exact_gain(base, quality, affinity, dormitory)))


def halved(points: int) -> int:
    """V24: a rounded gain, halved and rounded again, at least 1."""
    return max(1, nearest(points, 2))


def final_quality(quality: int, supports: int) -> int:
    """V22: a success's quality with its successful supports, of which two count."""
    return min(QUALITY_MAX, quality + min(supports, SUPPORTS_MAX))


@lru_cache(4096)  # there are few different ones, and one is asked for with most orders
def gain_of(base: int, quality: int, affinity: Relation, dormitory: bool, counter: CounterEffect = "none") -> Gain:
    """The gain of a success of this final quality, and what a counter leaves of it."""
    rounded = rounded_gain(base, quality, affinity, dormitory)
    points = rounded if counter == "none" else halved(rounded) if counter == "halved" else 0
    return Gain(base, quality, affinity, dormitory, rounded, counter, points)


def verdict_on(final: int, counter: int) -> CounterEffect:
    """V24: what the best successful counter (its quality, 0: none was) does to a success of this final quality."""
    if not counter:
        return "none"
    return "cancelled" if counter >= final else "halved"


def bounded(influence: int) -> int:
    """V21: influence stays within ±100."""
    return max(-INFLUENCE_MAX, min(INFLUENCE_MAX, influence))
