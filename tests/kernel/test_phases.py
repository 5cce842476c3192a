"""Phases as a table, and sums that don't depend on who adds them up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.toy import PHASES
from workers.kernel.phases import Context, Homes, Phase, Shared, Sums, everybody, nobody, supersteps

ADDITIONS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(["a", "b", "zone/1", "zone/2"]), st.integers(-99, 99)), max_size=30
)


def home_step(*given: object) -> list[object]:
    return []


def shared_step(*given: object) -> list[object]:
    return []


HOMES = Homes(home_step)  # type: ignore[arg-type]  # a step that decides nothing
SHARED = Shared(shared_step)  # type: ignore[arg-type]  # a step that decides nothing


def test_each_homes_step_is_a_superstep_with_the_shared_steps_behind_it() -> None:
    table = (
        Phase("cast", (HOMES, SHARED, SHARED)),
        Phase("count", (SHARED,)),
        Phase("find", (HOMES, HOMES, SHARED)),
    )

    found = [(step.index, step.phase, [phase for phase, _ in step.shared]) for step in supersteps(table)]

    assert [(0, "cast", ["cast", "cast", "count"]), (1, "find", []), (2, "find", ["find"])] == found


def test_the_toys_table_has_three_supersteps() -> None:
    assert ["work", "work", "tax"] == [step.phase for step in supersteps(PHASES)]


def test_a_table_that_starts_with_a_shared_step_is_refused() -> None:
    with pytest.raises(ValueError, match="phase 'count' starts the table with a shared step"):
        supersteps((Phase("count", (SHARED, HOMES)),))


def test_an_empty_table_has_no_superstep() -> None:
    assert () == supersteps(())


def test_a_homes_step_visits_nobody_without_orders_unless_it_says_so(context: Context[None, None]) -> None:
    assert not HOMES.every(context)
    assert (False, True) == (nobody(context), everybody(context))


@pytest.fixture
def context() -> Context[None, None]:
    from workers.kernel.dice import Dice
    from workers.kernel.ids import Ids

    return Context(1, None, None, Dice(bytes(32)), Ids(bytes(32)))


def added(additions: list[tuple[bool, str, int]]) -> Sums:
    sums = Sums()
    for maximum, name, amount in additions:
        if maximum:
            sums.maximum(name, amount)
        else:
            sums.add(name, amount)
    return sums


@given(ADDITIONS, st.data())
def test_sums_are_the_same_in_any_order_and_from_any_number_of_shards(
    additions: list[tuple[bool, str, int]], data: st.DataObject
) -> None:
    expected = added(additions)
    mixed = data.draw(st.permutations(additions))
    edge = data.draw(st.integers(0, len(mixed)))
    found = added(mixed[:edge])
    found.merge(added(mixed[edge:]))

    assert expected == found


def test_a_maximum_below_zero_is_kept() -> None:
    sums = Sums()
    sums.maximum("noise", -3)
    sums.maximum("noise", -5)

    assert {"noise": -3} == sums.highest


def test_sums_of_a_prefix_are_read_in_the_order_of_their_names() -> None:
    sums = Sums()
    for name in ("zone/b", "gauge", "zone/a", "zone/"):
        sums.add(name, len(name))

    assert [("", 5), ("a", 6), ("b", 6)] == sums.of("zone/")


def test_two_sums_share_nothing() -> None:
    first, second = Sums(), Sums()
    first.add("x", 1)

    assert {} == second.added
