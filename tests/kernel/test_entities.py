"""Slices: homes as lines, in the order of buckets and keys, touched only where they are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.toy import Purse, purses
from workers.kernel.digest import BUCKETS, bucket_of, canonical, digest_of_items
from workers.kernel.entities import Slice, cut, slice_of_bucket, slice_of_key
from workers.kernel.errors import InvalidInput

POWERS = st.sampled_from([1, 2, 4, 8, 16, 32, 64, 128, 256])
LINES = st.dictionaries(st.text(min_size=1, max_size=8), st.integers(0, 99).map(canonical), max_size=40)


@given(LINES)
def test_a_slice_comes_back_from_its_stored_bytes(lines: dict[str, bytes]) -> None:
    piece = Slice.of(lines)
    again = Slice.parse(piece.to_bytes())

    assert (lines, piece.keys) == (again.lines, again.keys)
    assert piece.to_bytes() == again.to_bytes()
    assert piece.bucket_digests() == again.bucket_digests()


@given(LINES)
def test_homes_stand_in_the_order_of_their_buckets_and_then_of_their_keys(lines: dict[str, bytes]) -> None:
    assert sorted(lines, key=lambda name: (bucket_of(name), name)) == list(Slice.of(lines))


def test_a_slice_without_homes_has_no_bytes() -> None:
    assert b"" == Slice.of({}).to_bytes()
    assert {} == Slice.parse(b"").lines


def test_stored_bytes_begin_with_the_keys_of_each_bucket() -> None:
    piece = Slice.of({"a": b'{"n":1}'})

    assert b'{"%03d":["a"]}\n{"n":1}' % bucket_of("a") == piece.to_bytes()


@pytest.mark.parametrize("data", [b'{"001":["a","b"]}\n{}', b'{"001":["a"]}\n{}\n{}', b'{"001":["a"]}'])
def test_stored_bytes_with_more_or_fewer_lines_than_keys_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="accepted: one line a key"):
        Slice.parse(data)


@given(LINES)
def test_the_digest_of_a_bucket_is_over_its_lines_in_the_order_of_keys(lines: dict[str, bytes]) -> None:
    expected: dict[int, list[bytes]] = {}
    for name in sorted(lines):
        expected.setdefault(bucket_of(name), []).append(lines[name])

    assert {bucket: digest_of_items(items) for bucket, items in expected.items()} == Slice.of(lines).bucket_digests()


@pytest.mark.parametrize("slices", [1, 2, 4, 8, 16, 32, 64, 128, 256])
def test_slices_are_equal_runs_of_buckets(slices: int) -> None:
    places = [slice_of_bucket(bucket, slices) for bucket in range(BUCKETS)]

    assert sorted(places) == places
    assert {BUCKETS // slices} == {places.count(place) for place in range(slices)}


@given(st.integers(0, 60), POWERS)
def test_every_home_lies_in_one_slice_with_the_same_digest_however_it_is_cut(number: int, slices: int) -> None:
    homes = purses(number)
    pieces = cut(homes.items(), slices)
    lines = {name: line for piece in pieces for name, line in piece.lines.items()}
    digests = {bucket: digest for piece in pieces for bucket, digest in piece.bucket_digests().items()}

    assert slices == len(pieces)
    assert {name: canonical(home) for name, home in homes.items()} == lines
    assert Slice.of(lines).bucket_digests() == digests
    assert all(slice_of_key(name, slices) == place for place, piece in enumerate(pieces) for name in piece)


def test_reading_a_slice_decodes_no_home() -> None:
    line = b'{"this is": no JSON at all}'

    assert line == Slice.parse(Slice.of({"a": line, "b": canonical(Purse("b", "a"))}).to_bytes()).lines["a"]
