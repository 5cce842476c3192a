"""Exact odds and the rounding of the rules: fractions and integers, never a float."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.kernel.odds import Odds, Term, known_odds, nearest, ratio, unknown_odds


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [
        (9, 2, 5),
        (-9, 2, -5),
        (7, 2, 4),
        (5, 2, 3),
        (1, 2, 1),
        (-1, 2, -1),
        (0, 3, 0),
        (4, 3, 1),
        (5, 3, 2),
        (-4, 3, -1),
    ],
)
def test_K4_rounded_to_nearest_means_half_away_from_zero(numerator: int, denominator: int, expected: int) -> None:
    assert expected == nearest(numerator, denominator)


@given(st.integers(-(10**15), 10**15), st.sampled_from([1, 2, 4, 5, 8, 10, 20, 100]))
def test_K4_rounding_is_that_of_decimal_half_up(numerator: int, denominator: int) -> None:
    exact = Decimal(numerator) / Decimal(denominator)

    assert int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP)) == nearest(numerator, denominator)


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**9))
def test_K4_a_rounded_number_is_never_more_than_a_half_away_and_never_nearer_to_zero_at_a_half(
    numerator: int, denominator: int
) -> None:
    rounded = nearest(numerator, denominator)
    error = rounded - Fraction(numerator, denominator)

    assert abs(error) <= Fraction(1, 2)
    if abs(error) == Fraction(1, 2):
        assert abs(rounded) > abs(Fraction(numerator, denominator))


def test_K3_odds_are_written_as_fractions_in_lowest_terms() -> None:
    terms = (Term("force", 3), Term("malus", -1))
    odds = known_odds(Fraction(90, 216), {"won": Fraction(90, 216), "lost": Fraction(126, 216)}, terms, "full")

    assert Odds("5/12", {"won": "5/12", "lost": "7/12"}, terms, "full") == odds
    assert ("1/1", "0/1") == (ratio(Fraction(1)), ratio(Fraction(0)))


def test_K3_outcomes_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(ValueError, match="sum to 1, got 5/6"):
        known_odds(Fraction(1, 2), {"won": Fraction(1, 2), "lost": Fraction(1, 3)}, (), "full")


def test_K3_unknown_odds_name_the_term_that_is_missing() -> None:
    odds = unknown_odds("guards", (Term("stealth", 2),))

    assert (None, {}, "guards", "known") == (odds.success, odds.outcomes, odds.missing, odds.basis)
