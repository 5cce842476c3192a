"""How a shard reads ahead, and which slices are whose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.service.shards import READ_BYTES, READ_FIRST, READ_MOST, next_count, shard_of_slice, slices_of_shard


@pytest.mark.parametrize(
    ("count", "largest", "next_one"),
    [
        (READ_FIRST, 1, 2 * READ_FIRST),
        (READ_MOST, 1, READ_MOST),
        (32, READ_BYTES // 32, 32),
        (32, READ_BYTES // 2, 2),
        (32, READ_BYTES, 1),
        (32, 40 * READ_BYTES, 1),
    ],
)
def test_a_shard_asks_for_as_many_slices_as_fit(count: int, largest: int, next_one: int) -> None:
    assert next_one == next_count(count, largest)


@given(st.lists(st.integers(1, 4 * READ_BYTES), min_size=1, max_size=256))
def test_slices_that_grow_are_never_read_in_more_than_doubling_parts(sizes: list[int]) -> None:
    """The most that is held at once: a part of slices like those before, or twice as many of those that follow."""
    start, count, read = 0, READ_FIRST, []
    while start < len(sizes):
        part = sizes[start : start + count]
        read += part
        following = next_count(len(part), max(part))
        assert 1 <= following <= max(1, min(2 * len(part), READ_MOST, READ_BYTES // max(part)))
        start, count = start + len(part), following

    assert sizes == read


@given(st.integers(0, 8).map(lambda power: 1 << power), st.data())
def test_every_slice_is_in_the_one_shard_that_is_told(slices: int, data: st.DataObject) -> None:
    shards = data.draw(st.integers(1, slices))
    found = [shard_of_slice(index, shards, slices) for index in range(slices)]

    assert found == [shard for shard in range(shards) for _ in slices_of_shard(shard, shards, slices)]
