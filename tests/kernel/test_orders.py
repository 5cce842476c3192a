"""Orders packed for the store: back as they were, and the same in a book's digest."""

from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.toy import Close, Earn, Facts, Give
from workers.kernel.digest import canonical
from workers.kernel.ids import encode_id
from workers.kernel.orders import KINDS_MAX, Booked, Cost, Order, Packing

KINDS = (Earn, Give, Close)
PACKING = Packing(KINDS, Facts, ("a", "b"))
ORDERS = st.one_of(
    st.builds(Earn, st.text(), st.integers(-(2**63), 2**63 - 1)),
    st.builds(Give, st.text(), st.text()),
    st.builds(Close, st.text()),
)
COSTS = st.lists(st.builds(Cost, st.text(), st.integers(-(2**31), 2**31), st.just(0), st.text()), max_size=4).map(tuple)
BOOKED = st.builds(
    Booked,
    id=st.binary(min_size=16, max_size=16).map(encode_id),
    home=st.text(),
    camp=st.sampled_from(["a", "b"]),
    actor=st.text(),
    order=ORDERS,
    facts=st.none() | st.builds(Facts, st.text(), st.lists(st.text(), max_size=3).map(tuple)),
    costs=COSTS,
    revision=st.integers(1, 2**31),
)


@given(BOOKED)
def test_a_booked_order_comes_back_from_its_stored_bytes(booked: Booked[Any, Any]) -> None:
    found = PACKING.unpack(PACKING.pack(booked))

    assert booked == msgspec.structs.replace(found, order=PACKING.plain(found.order))
    assert type(booked.order) is type(PACKING.plain(found.order))


@given(BOOKED)
def test_what_a_phase_reads_is_still_an_order_of_its_kind(booked: Booked[Any, Any]) -> None:
    found = PACKING.unpack(PACKING.pack(booked)).order

    assert isinstance(found, type(booked.order))
    assert msgspec.structs.astuple(booked.order) == msgspec.structs.astuple(found)


@given(BOOKED)
def test_packed_and_plain_orders_have_the_same_line_and_pack_to_the_same_bytes(booked: Booked[Any, Any]) -> None:
    stored = PACKING.pack(booked)
    found = PACKING.unpack(stored)

    assert PACKING.line(booked) == PACKING.line(found)
    assert stored == PACKING.pack(found)


def test_a_meter_of_the_orders_own_home_is_stored_without_its_place() -> None:
    """A booked order's bytes are most of what a tick's book takes in the server's memory."""
    home, camp = (
        Booked(encode_id(bytes(16)), "p", "a", "p", Earn("p"), None, (Cost("oars", 1, 1, place),))
        for place in ("", "a")
    )

    assert 1 + len("a") == len(PACKING.pack(camp)) - len(PACKING.pack(home))


@pytest.mark.parametrize(("at", "place"), [("", "p"), ("q", "q")])
def test_a_cost_without_a_place_is_kept_with_the_orders_home(at: str, place: str) -> None:
    assert place == Cost("oars", 1, 1, at).place("p")


def test_the_line_of_an_order_names_all_that_counts_in_its_book() -> None:
    booked = Booked("01", "p1", "a", "someone", Give("p1", "p2"), Facts("x"), (Cost("ap", 1, 3),), 4)

    assert ["01", "p1", "a", "someone", "give", ["p1", "p2"], ["x", []]] == msgspec.json.decode(PACKING.line(booked))


@given(st.lists(BOOKED, max_size=12), st.sets(st.sampled_from(KINDS)).map(tuple))
def test_a_phase_unpacks_the_kinds_that_it_plays_and_no_other(
    book: list[Booked[Any, Any]], kinds: tuple[type[Order], ...]
) -> None:
    found = PACKING.unpack_played(map(PACKING.pack, book), kinds)

    assert [booked.id for booked in book if isinstance(booked.order, kinds)] == [booked.id for booked in found]
    assert all(() == booked.costs for booked in found)


NAMES = st.sampled_from(["p", "q", "pq"])
NEIGHBOURS = st.builds(
    lambda booked, home, order: msgspec.structs.replace(booked, home=home, order=order),
    BOOKED,
    NAMES,
    st.one_of(st.builds(Give, NAMES, NAMES), st.builds(Close, NAMES)),
)


@given(st.lists(NEIGHBOURS, max_size=12), st.sampled_from(["a", "b"]), st.sets(NAMES), st.sampled_from([Close, Order]))
def test_the_orders_of_a_camp_that_are_wanted_are_unpacked_as_if_all_were(
    book: list[Booked[Any, Any]], camp: str, homes: set[str], kind: type[Order]
) -> None:
    stored = list(map(PACKING.pack, book))

    found = PACKING.unpack_of(stored, camp, lambda home, order: home in homes and isinstance(order, kind))

    every = map(PACKING.unpack, stored)
    assert found == [one for one in every if one.camp == camp and one.home in homes and isinstance(one.order, kind)]


def test_all_orders_are_of_the_kind_order() -> None:
    book = [Booked(encode_id(bytes(16)), "p", "a", "p", order, None) for order in (Earn("p"), Close("p"))]

    assert 2 == len(PACKING.unpack_played(map(PACKING.pack, book), (Order,)))


@pytest.mark.parametrize("data", [b"", b"\x99", b"\x99\x03", b"\x99\x7f", b"\xff\xff\xff", b"\x99\x00\xc0"])
def test_bytes_that_are_no_order_of_the_rulebook_are_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        PACKING.unpack(data)


@pytest.mark.parametrize("size", [0, 15, 17, 32])
def test_a_stored_id_that_is_none_is_refused_alone_and_among_others(size: int) -> None:
    stored = PACKING.pack(Booked(encode_id(bytes(16)), "p", "a", "p", Close("p"), None))
    broken = stored.replace(b"\xc4\x10" + bytes(16), bytes([0xC4, size]) + bytes(size))

    assert stored != broken
    with pytest.raises(msgspec.ValidationError):
        PACKING.unpack(broken)
    with pytest.raises(msgspec.ValidationError):
        PACKING.unpack_played([stored, broken, stored], KINDS)


def test_an_order_of_another_rulebook_is_refused() -> None:
    class Dance(Order, frozen=True, tag="dance"):
        who: str

    with pytest.raises(KeyError):
        PACKING.pack(Booked(encode_id(bytes(16)), "p", "a", "p", Dance("p"), None))


def test_orders_without_facts_pack_and_unpack() -> None:
    packing = Packing((Close,), None, ("a",))
    booked = Booked(encode_id(bytes(16)), "p", "a", "p", Close("p"), None)

    assert booked == msgspec.structs.replace(packing.unpack(packing.pack(booked)), order=Close("p"))


def test_a_rulebook_may_have_as_many_kinds_of_order_as_one_byte_can_tell() -> None:
    kinds: list[Any] = [
        msgspec.defstruct(f"K{i}", [], bases=(Order,), frozen=True, tag=f"k{i}") for i in range(KINDS_MAX + 1)
    ]
    packing = Packing(kinds[:KINDS_MAX], None, ("a",))
    last: Booked[Any, Any] = Booked(encode_id(bytes(16)), "p", "a", "p", kinds[KINDS_MAX - 1](), None)

    assert type(last.order) is type(packing.plain(packing.unpack(packing.pack(last)).order))
    with pytest.raises(ValueError, match="at most 128"):
        Packing(kinds, None, ("a",))


def test_an_order_with_an_unknown_field_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `bribe`"):
        msgspec.json.decode(b'{"kind":"close","who":"p","bribe":3}', type=Close)


def test_an_order_keeps_its_bounds_where_it_is_declared() -> None:
    class Bet(Order, frozen=True, tag="bet"):
        stake: Annotated[int, msgspec.Meta(ge=1, le=6)]

    assert Bet(3) == msgspec.json.decode(canonical(Bet(3)), type=Bet)
    with pytest.raises(msgspec.ValidationError, match="Expected `int` <= 6"):
        msgspec.json.decode(b'{"kind":"bet","stake":7}', type=Bet)


@given(st.lists(BOOKED, max_size=3))
def test_the_lines_of_orders_are_the_line_of_each(booked: list[Booked[Any, Any]]) -> None:
    assert b"\n".join(map(PACKING.line, booked)) == PACKING.lines(booked)
