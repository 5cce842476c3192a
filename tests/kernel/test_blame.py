"""The culprit is found by halving: few questions, and nobody blamed who isn't to blame."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from workers.kernel.blame import find_culprits


@given(st.integers(1, 300), st.data())
def test_one_culprit_is_found_with_few_questions(number: int, data: st.DataObject) -> None:
    culprit = data.draw(st.integers(0, number - 1))
    asked = 0

    def fails(items: Sequence[int]) -> bool:
        nonlocal asked
        asked += 1
        return culprit in items

    assert [culprit] == find_culprits(fails, range(number))
    assert asked <= 2 * number.bit_length() + 1


def test_nobody_is_to_blame_when_it_fails_anyway() -> None:
    assert [] == find_culprits(lambda items: True, [1, 2, 3])


@given(st.sets(st.integers(0, 63), min_size=2, max_size=4))
def test_several_that_fail_only_together_are_all_among_those_named(together: set[int]) -> None:
    found = find_culprits(lambda items: together <= set(items), range(64))

    assert together <= set(found)
