"""Exact odds: fractions with their terms, never a sample and never a float (K3)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

import msgspec

Basis = Literal["full", "known"]


class Term(msgspec.Struct, frozen=True, gc=False):
    """One named term of a score, pool or chance (K2)."""

    name: str
    value: int


class Odds(msgspec.Struct, frozen=True):
    """The odds of an order.

    `success` and `outcomes` are fractions in lowest terms, written `a/b`; both are empty (None and no outcome) when a
    term is unknown, and `missing` then names it. `basis`: `full` when no term that the camp doesn't know enters,
    `known` when the odds are computed on what it knows. `effects` gives further exact values that depend on an
    outcome.
    """

    success: str | None
    outcomes: dict[str, str]
    terms: tuple[Term, ...]
    basis: Basis
    missing: str = ""
    effects: dict[str, dict[str, int]] = {}


def ratio(value: Fraction) -> str:
    """A fraction as `a/b` in lowest terms (`1/1` for certainty)."""
    return f"{value.numerator}/{value.denominator}"


def known_odds(
    success: Fraction,
    outcomes: Mapping[str, Fraction],
    terms: tuple[Term, ...],
    basis: Basis,
    effects: Mapping[str, dict[str, int]] | None = None,
) -> Odds:
    """Odds whose outcomes must sum to 1; raises ValueError when they don't."""
    total = sum(outcomes.values(), Fraction(0))
    if total != 1:
        raise ValueError(f"the outcomes of an order sum to 1, got {total}")
    written = {name: ratio(chance) for name, chance in outcomes.items()}
    return Odds(ratio(success), written, terms, basis, "", dict(effects or {}))


def unknown_odds(missing: str, terms: tuple[Term, ...] = ()) -> Odds:
    """No odds: the term named is one that the camp can't know."""
    return Odds(None, {}, terms, "known", missing)


def nearest(numerator: int, denominator: int) -> int:
    """Rounded to nearest, half away from zero (K4): 9/2 → 5, −9/2 → −5. The denominator is above 0."""
    if numerator < 0:
        return -nearest(-numerator, denominator)
    return (2 * numerator + denominator) // (2 * denominator)
