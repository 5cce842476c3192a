"""The keyed hash is HMAC-SHA256, whoever computes it."""

import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.kernel.keyed import KeyedHash


@given(st.binary(max_size=64), st.lists(st.binary(max_size=200), min_size=1, max_size=4))
def test_each_message_has_the_code_that_the_standard_library_gives(key: bytes, messages: list[bytes]) -> None:
    digest = KeyedHash(key).digest

    assert [hmac.digest(key, message, "sha256") for message in messages] == [digest(message) for message in messages]


@given(st.binary(max_size=64), st.binary(max_size=200), st.lists(st.binary(max_size=70), max_size=4))
def test_messages_that_begin_alike_have_the_codes_that_each_has_alone(
    key: bytes, beginning: bytes, endings: list[bytes]
) -> None:
    keyed = KeyedHash(key)

    assert [keyed.digest(beginning + ending) for ending in endings] == keyed.digests(beginning, endings)


def test_a_key_of_more_than_a_block_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 64 bytes, got 65"):
        KeyedHash(bytes(65))
