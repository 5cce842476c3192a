"""Ids and handles: one written form, no two tuples of parts with one id, nothing foreseeable without the key."""

import base64
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.kernel.ids import (
    ID_LENGTH,
    Ids,
    commitment,
    decode_id,
    encode_id,
    encode_ids,
    id_key,
    percent,
    salt,
    tick_seed,
)

KEY = bytes(range(32))
TRICKY = ("", "/", "%", "%2F", "a", "a/b", "é", "e\u0301", " ", "0", "a%2Fb", "日本")


@given(st.binary(min_size=16, max_size=16))
def test_an_id_is_lower_case_base32_without_padding_and_comes_back(raw: bytes) -> None:
    text = encode_id(raw)

    assert base64.b32encode(raw).decode().lower().rstrip("=") == text
    assert ID_LENGTH == len(text)
    assert raw == decode_id(text)


@given(st.lists(st.binary(min_size=16, max_size=16), max_size=150))
def test_many_ids_encoded_at_once_are_those_encoded_one_by_one(raws: list[bytes]) -> None:
    assert [encode_id(raw) for raw in raws] == encode_ids(raws)


@pytest.mark.parametrize("number", [1, 63, 64, 65, 128, 129])
@pytest.mark.parametrize("byte", [b"\0", b"\x84", b"\xff"])
def test_no_id_of_many_spills_into_another(number: int, byte: bytes) -> None:
    assert [encode_id(byte * 16)] * number == encode_ids([byte * 16] * number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a" * 25,
        "a" * 27,
        "A" * 26,
        "a" * 25 + "1",
        "a" * 25 + "b",
        "é" * 26,
        "\u0131" * 26,
        "a" * 25 + "=",
        " " + "a" * 25,
    ],
)
def test_a_text_that_is_no_id_in_its_one_written_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        decode_id(text)


@given(st.text(max_size=30))
def test_any_text_is_an_id_that_encodes_to_itself_or_is_refused(text: str) -> None:
    try:
        raw = decode_id(text)
    except ValueError:
        return
    assert text == encode_id(raw)


def test_percent_encoding_leaves_letters_digits_and_four_signs_and_encodes_the_rest() -> None:
    plain = "ABCXYZabcxyz0189_.-~"

    assert plain == percent(plain)
    assert "%2F%23%25%20%0A%C3%A9" == percent("/#% \né")
    assert "12" == percent(12)


@given(st.text(), st.text())
def test_no_two_texts_have_one_percent_encoding(first: str, second: str) -> None:
    assert (first == second) == (percent(first) == percent(second))


def test_no_two_requests_have_one_order_id() -> None:
    ids = Ids(KEY)
    requests = list(product((0, 1, 11), TRICKY, TRICKY, (0, 1, 11)))

    assert len(requests) == len({ids.order(*request) for request in requests})


def test_the_orders_of_a_request_have_the_ids_that_each_has_by_its_index() -> None:
    ids = Ids(KEY)
    together = encode_ids(ids.orders(7, "an/actor", "é", 12))

    assert [ids.order(7, "an/actor", "é", index) for index in range(12)] == together


def test_the_same_request_has_the_same_order_id_wherever_it_is_computed() -> None:
    assert Ids(KEY).order(3, "a1", "k", 0) == Ids(bytes(KEY)).order(3, "a1", "k", 0)


def test_things_of_other_kinds_ticks_and_parts_have_other_ids() -> None:
    ids = Ids(KEY)
    made = [
        ids.created(kind, tick, *parts)
        for kind, tick, parts in product(("mission", "levy"), (0, 1), (("a", "b"), ("a/b",), ("a", "b", ""), ("ab",)))
    ]

    assert len(made) == len(set(made))


def test_an_order_a_handle_and_a_created_thing_never_share_an_id() -> None:
    ids = Ids(KEY)

    assert 3 == len({ids.handle("1/a/k/0"), ids.created("levy", 1, "a", "k", "0"), ids.order(1, "a", "k", 0)})


def test_handles_stay_the_same_when_more_are_asked_for_than_are_remembered() -> None:
    ids = Ids(KEY)
    first = ids.handle("the first")
    for number in range(66_000):
        ids.handle(str(number))

    assert first == ids.handle("the first")


def test_without_the_key_nothing_can_be_told() -> None:
    ours, theirs = Ids(KEY), Ids(KEY[::-1])

    assert ours.handle("a1") != theirs.handle("a1")
    assert ours.order(1, "a1", "k", 0) != theirs.order(1, "a1", "k", 0)


def test_seeds_keys_and_salts_of_a_campaign_all_differ() -> None:
    found = [id_key(KEY), *(derive(KEY, tick) for derive in (tick_seed, salt) for tick in range(4))]

    assert 9 == len(set(found))
    assert {32} == {len(secret) for secret in found}


def test_a_commitment_is_the_sha256_of_the_seed() -> None:
    assert "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" == commitment(b"")
