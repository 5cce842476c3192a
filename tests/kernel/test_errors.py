"""Bad news says where, what and what else would do."""

from typing import Annotated

import msgspec
import pytest

from workers.kernel.errors import InvalidInput, Refusal, RulebookError, TocsinError, invalid_from


class Inner(msgspec.Struct):
    number: Annotated[int, msgspec.Meta(ge=1, le=6)]


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    items: list[Inner]


def error_of(text: bytes) -> msgspec.ValidationError | msgspec.DecodeError:
    with pytest.raises(msgspec.DecodeError) as found:
        msgspec.json.decode(text, type=Outer)
    return found.value


@pytest.mark.parametrize(
    ("text", "prefix", "field", "accepted"),
    [
        (b'{"items":[{"number":7}]}', "", "items[0].number", "int <= 6"),
        (b'{"items":[{"number":7}]}', "order", "order.items[0].number", "int <= 6"),
        (b'{"items":3}', "order", "order.items", "array"),
        (b'{"items":[],"x":1}', "order", "order.x", ""),
        (b"[]", "order", "order", "object"),
        (b"[]", "", "", "object"),
        (b"{", "order", "order", ""),
    ],
)
def test_an_error_of_decoding_names_the_field_and_what_would_be_accepted(
    text: bytes, prefix: str, field: str, accepted: str
) -> None:
    found = invalid_from(error_of(text), prefix)

    assert (field, accepted) == (found.field, found.accepted)
    assert found.problem


def test_an_item_at_the_top_keeps_its_index_behind_the_prefix() -> None:
    with pytest.raises(msgspec.ValidationError) as found:
        msgspec.json.decode(b'["x"]', type=list[int])

    assert "orders[0]" == invalid_from(found.value, "orders").field


def test_an_invalid_input_tells_its_parts_in_one_sentence() -> None:
    assert "tick: -1 is not a tick (accepted: 0..9)" == str(InvalidInput("tick", "-1 is not a tick", "0..9"))
    assert "not JSON" == str(InvalidInput("", "not JSON"))


def test_a_broken_rulebook_is_named() -> None:
    error = RulebookError("toy", "no phases")

    assert "rulebook 'toy': no phases" == str(error)
    assert isinstance(error, TocsinError)


def test_a_refusal_is_illegal_unless_it_says_that_it_is_invalid() -> None:
    assert "illegal" == Refusal("sealed").family
    assert b'{"code":"sealed"}' == msgspec.json.encode(Refusal("sealed"))
