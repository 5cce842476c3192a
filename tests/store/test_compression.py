"""Blobs and pages are compressed in the server, and plain everywhere else."""

from typing import Any

import pytest
import redis
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.store.campaigns import NAME, digest, new_campaign, opened, resolved, write_pages
from workers.store import Store
from workers.store.compression import MAGIC, PLAIN_BYTES_MAX, SMALL_BYTES, compressed, plain
from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.keys import Keys


@given(st.binary(max_size=2_000))
def test_what_was_compressed_comes_back(data: bytes) -> None:
    assert data == plain(compressed(data))


def test_what_is_small_stays_plain_unless_it_looks_compressed() -> None:
    for small in (b"", b"[]", b"0" * (SMALL_BYTES - 1)):
        assert small == compressed(small)
    assert compressed(b"0" * SMALL_BYTES).startswith(MAGIC)
    assert MAGIC + b"[]" == plain(compressed(MAGIC + b"[]"))


@given(st.binary(max_size=200).filter(lambda data: not data.startswith(MAGIC)))
def test_what_an_earlier_version_left_plain_is_read_as_it_is(data: bytes) -> None:
    assert data == plain(data)


def test_a_broken_frame_is_told_and_never_half_read() -> None:
    whole = compressed(b"[1,2,3]" * 100)

    for broken in (whole[:-1], whole[:6], whole[:4] + b"\xff" * 12):
        with pytest.raises(CorruptRecord, match=r"can't be read|at most"):
            plain(broken)


def test_a_frame_that_says_to_be_larger_than_any_value_is_refused_before_memory_is_taken_for_it() -> None:
    header = zstandard.ZstdCompressor().compress(b"")[:4] + b"\xe0" + (PLAIN_BYTES_MAX + 1).to_bytes(8, "little")

    with pytest.raises(CorruptRecord, match=f"at most {PLAIN_BYTES_MAX}"):
        plain(header + b"\x01\x00\x00")


def test_a_frame_that_does_not_tell_its_size_is_refused() -> None:
    stream = zstandard.ZstdCompressor().compressobj()

    with pytest.raises(CorruptRecord, match="doesn't tell its size"):
        plain(stream.compress(b"[]") + stream.flush())


def test_what_follows_a_frame_is_refused() -> None:
    with pytest.raises(CorruptRecord, match="can't be read"):
        plain(compressed(b"[1]" * 100) + compressed(b"[2]" * 100))


def test_a_reader_may_bound_what_it_takes() -> None:
    held = compressed(b"0" * 1_001)

    assert 1_001 == len(plain(held, 1_001))
    with pytest.raises(CorruptRecord, match="1001 plain bytes; at most 1000"):
        plain(held, 1_000)


def test_what_could_not_be_read_back_is_refused_before_it_is_written() -> None:
    with pytest.raises(InvalidRequest, match=f"at most {PLAIN_BYTES_MAX}"):
        compressed(bytes(PLAIN_BYTES_MAX + 1))


def test_a_campaigns_blobs_and_pages_are_compressed_in_the_server(store: Store, client: redis.Redis) -> None:
    lines, page = b'{"id":"a servant"}\n' * 200, b'{"phase":"intel","facts":[]}' * 100
    new = new_campaign()
    opened(store, blobs=new.blobs | {digest(lines): lines}, pages={"angels": [page], "demons": []})
    resolved(store)
    write_pages(store, "angels", 1, [page])

    entries: Any = client.xrange(Keys(NAME).reports("angels"))
    held = [client.get(Keys(NAME).blob(digest(lines))), *(fields[b"p"] for _, fields in entries)]
    assert [True] * 3 == [isinstance(value, bytes) and len(value) < 150 for value in held]
    assert [page, page] == [one.body for one in store.reports.read(NAME, "angels")]
