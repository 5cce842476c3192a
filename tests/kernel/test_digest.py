"""Canonical bytes, and digests that depend on what is there and on nothing else."""

import hashlib
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from workers.kernel.digest import (
    BUCKETS,
    EMPTY,
    bucket_of,
    canonical,
    digest_of_buckets,
    digest_of_items,
    digest_of_parts,
    sha256_hex,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_canonical_bytes_come_back_as_the_value_and_are_the_same_again(value: Any) -> None:
    written = canonical(value)
    found = msgspec.json.decode(written)

    assert value == found
    assert written == canonical(found)


@given(st.dictionaries(st.text(), st.integers(0, 9), min_size=2), st.randoms())
def test_a_mapping_has_one_text_however_it_was_filled(mapping: dict[str, int], shuffle: Any) -> None:
    keys = list(mapping)
    shuffle.shuffle(keys)

    assert canonical(mapping) == canonical({key: mapping[key] for key in keys})


def test_canonical_bytes_are_compact_sorted_and_in_utf_8() -> None:
    assert '{"a":[1,true,null],"é":"x/\\"y"}'.encode() == canonical({"é": 'x/"y', "a": [1, True, None]})


@given(st.text())
def test_a_bucket_is_the_first_byte_of_the_sha_256_of_a_key(key: str) -> None:
    assert hashlib.sha256(key.encode()).digest()[0] == bucket_of(key)


def test_every_bucket_has_homes_in_a_large_campaign() -> None:
    assert set(range(BUCKETS)) == {bucket_of(str(number)) for number in range(5_000)}


def test_the_digest_of_items_is_over_one_a_line() -> None:
    assert hashlib.sha256(b"a\nb").digest() == digest_of_items([b"a", b"b"])
    assert EMPTY == digest_of_items([])
    assert digest_of_items([b"b", b"a"]) != digest_of_items([b"a", b"b"])


def test_a_bucket_that_is_absent_counts_as_empty() -> None:
    full = {3: digest_of_items([b"x"])}

    assert digest_of_buckets("label", {**full, 9: EMPTY}) == digest_of_buckets("label", full)


@given(st.dictionaries(st.integers(0, 255), st.binary(min_size=32, max_size=32), max_size=8))
def test_the_whole_is_sha_256_over_the_label_and_all_256_bucket_digests(buckets: dict[int, bytes]) -> None:
    every = b"".join(buckets.get(bucket, EMPTY) for bucket in range(256))

    assert hashlib.sha256(b"label" + every + b"rest").hexdigest() == digest_of_buckets("label", buckets, [b"rest"])


def test_the_same_items_in_another_bucket_or_under_another_label_have_another_digest() -> None:
    digest = digest_of_items([b"x"])

    assert 3 == len(
        {
            digest_of_buckets("label", {1: digest}),
            digest_of_buckets("label", {2: digest}),
            digest_of_buckets("other", {1: digest}),
        }
    )


def test_named_parts_have_one_digest_in_any_order_and_another_for_any_change() -> None:
    digest = digest_of_parts("label", {"a": 1, "b": [2]})

    assert digest == digest_of_parts("label", {"b": [2], "a": 1})
    assert digest not in {digest_of_parts("label", {"a": 1, "b": [3]}), digest_of_parts("other", {"a": 1, "b": [2]})}


def test_a_blob_is_named_by_its_sha_256() -> None:
    assert hashlib.sha256(b"blob").hexdigest() == sha256_hex(b"blob")
