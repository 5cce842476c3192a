"""How a batch of orders travels to the intake script, and how the book keeps what it brings.

Most batches are booked whole: their new orders take from meters and all fit. Such a batch sends one *element* a slice,
in which all of its orders for that slice lie, and the sum that it takes of each meter: the server's time is paid by the
argument and by the call, and nobody else is served meanwhile. Where orders are replaced or give back, or don't all fit,
the batch is decided item by item, and each order is an element of its own. Both shapes are told in lua/intake.lua.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Any, Final, NamedTuple

import msgspec

from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.keys import Keys
from workers.store.places import group_of, groups_of, slices_of
from workers.store.records import AMOUNT_MAX, Cost, Head, IntakeItem, IntakeRequest, Release
from workers.store.scripts import Argument

ID_LENGTH: Final = 26
_ID: Final = re.compile(f"[a-z2-7]{{{ID_LENGTH}}}")

INDEX_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz234567"
"""The letters of ids; the index is a list for each of them, of the ids that begin with it."""
_LETTERS: Final = INDEX_LETTERS.encode()
INDEX_PREFIX: Final = 5
INDEX_RECORD_BYTES: Final = INDEX_PREFIX + 1
"""A record of the index is the five letters after an id's first, and a byte, the slice."""
_records: Final = Struct(f"{INDEX_RECORD_BYTES}s").iter_unpack

SEVERAL: Final = b"\xc1"
"""What an element of several orders begins with: the one byte that MessagePack never uses, so no packed order begins
with it."""
_SEVERAL_MARK: Final = SEVERAL + b"\0"
"""What stands before the MessagePack array of them. Whoever takes the element for an order reads the second byte as the
number of its kind, and passes over kinds that it doesn't know: 0 is one, and so it stops instead."""
_ELEMENT: Final = msgspec.msgpack.Decoder(list[bytes])
_encode: Final = msgspec.msgpack.Encoder().encode

Call = tuple[list[str], list[Argument]]
"""KEYS and ARGV of the script."""


def check_id(order_id: str) -> str:
    """The same id. Raises InvalidRequest where it isn't 26 characters of lower-case base32."""
    if _ID.fullmatch(order_id) is None:
        raise InvalidRequest(f"id: {order_id!r}; accepted: {ID_LENGTH} characters of lower-case base32 (a-z, 2-7)")
    return order_id


def check_amount(field: str, amount: int) -> None:
    """Raises InvalidRequest for more than any meter takes or gives back."""
    if not -AMOUNT_MAX <= amount <= AMOUNT_MAX:
        raise InvalidRequest(f"{field}: an amount of {amount}; accepted: {-AMOUNT_MAX} to {AMOUNT_MAX}")


def element_of(orders: Sequence[bytes]) -> bytes:
    """Packed orders of one slice as one element of its book: one is itself, unless it could be taken for several."""
    if len(orders) == 1 and not orders[0].startswith(SEVERAL):
        return orders[0]
    return _SEVERAL_MARK + _encode(orders)


def orders_of(elements: Iterable[bytes]) -> list[bytes]:
    """The packed orders of a slice's book, in their order. Raises CorruptRecord for an element that isn't one."""
    orders: list[bytes] = []
    for element in elements:
        if not element.startswith(SEVERAL):
            orders.append(element)
            continue
        try:
            orders += _ELEMENT.decode(memoryview(element)[len(_SEVERAL_MARK) :])
        except msgspec.DecodeError as error:
            raise CorruptRecord(f"an element of a book: {error}") from error
    return orders


def whole_call(head: Head, request: IntakeRequest, items: Sequence[IntakeItem]) -> Call | None:
    """The call that books a batch whole or not at all; None for one that must be decided item by item.

    Raises InvalidRequest for what is no id.
    """
    if len(items) == 1:  # it's as cheap by itself, and told at once why it's refused
        return None
    ids = _ids_of(items)
    totals = _totals(items)
    if totals is None:
        return None
    # Columns of the batch, each made at once: what a loop does here, it does for each of a thousand orders.
    slices = slices_of([item.home for item in items], head.slices)
    books: list[list[bytes]] = [[] for _ in range(head.slices)]
    lists: dict[str, list[bytes]] = {letter: [] for letter in INDEX_LETTERS}
    records = _records(_index(ids, slices, 1))
    for item, slice_, letter, (record,) in zip(items, slices, ids[::ID_LENGTH], records, strict=True):
        books[slice_].append(item.packed)
        lists[letter].append(record)
    touched = [slice_ for slice_, orders in enumerate(books) if orders]
    letters = [letter for letter, those in lists.items() if those]
    groups = groups_of(totals.homes, head.groups)
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    taken: dict[str, list[Any]] = {
        "meters": list(totals.numbers),
        "amounts": [f"{amount}" for amount in totals.amounts],
        "limits": totals.limits,
        "groups": [numbers[group] for group in groups],
    }
    arguments: list[Argument] = [_plan(head, request, len(items), len(touched), letters, taken)]
    arguments += [b"".join(lists[letter]) for letter in letters]
    arguments += [element_of(books[slice_]) for slice_ in touched]
    return _names(head, request, touched, letters, numbers), arguments


class _Totals(NamedTuple):
    """What a batch takes of each meter in all, the least of its limits and its home, by the meter's number."""

    numbers: dict[str, int]
    amounts: list[int]
    limits: list[int]
    homes: list[str]


def _totals(items: Sequence[IntakeItem]) -> _Totals | None:
    """What new orders take: since every amount is positive, all of them fit if their sum does. None where an order is
    replaced, or an amount isn't positive or out of bounds.
    """
    found = _Totals({}, [], [], [])
    numbers, amounts, limits, homes = found
    for item in items:
        if item.expect:
            return None
        for cost in item.costs:
            field, amount, limit = cost.field, cost.amount, cost.limit
            if amount <= 0:
                return None
            if field in numbers:
                number = numbers[field]
                amounts[number] += amount
                if limit < limits[number]:  # noqa: PLR1730 a third of min()'s time, for each cost of each order
                    limits[number] = limit
            else:
                numbers[field] = len(amounts)
                amounts.append(amount)
                limits.append(limit)
                homes.append(cost.home)
    return found if max(amounts, default=0) <= AMOUNT_MAX else None


def _index(ids: str, slices: bytes, first: int) -> bytes:
    """The records of ids in the index, one after another, each with the letters from `first` on: laid out a column at a
    time, since a batch has far more records than a record has bytes."""
    written = ids.encode()
    width = INDEX_RECORD_BYTES + 1 - first
    table = bytearray(len(slices) * width)
    for column in range(width - 1):
        table[column::width] = written[first + column :: ID_LENGTH]
    table[width - 1 :: width] = slices
    return bytes(table)


def each_call(head: Head, request: IntakeRequest, items: Sequence[IntakeItem]) -> Call:
    """The call that decides a batch item by item. Raises InvalidRequest as `whole_call` does."""
    ids = _ids_of(items)
    letters = dict.fromkeys(ids[::ID_LENGTH])
    slices = slices_of([item.home for item in items], head.slices)
    books = {slice_: number for number, slice_ in enumerate(dict.fromkeys(slices), 1)}
    meters = _Meters(head.groups)
    costs: list[int] = []
    changes = []
    for number, item in enumerate(items, 1):
        costs.append(len(item.costs))
        for cost in item.costs:
            costs += (meters.take(cost), cost.amount, cost.limit)
        if item.expect:
            changes.append(_change(number, item, meters))
    names = _names(head, request, books, letters, meters.groups)
    each = {
        "meters": meters.table(len(names) - len(meters.groups) + 1),
        "costs": costs,
        "changes": changes,
        "books": [books[slice_] for slice_ in slices],
    }
    arguments: list[Argument] = [_plan(head, request, len(items), len(books), letters, None)]
    arguments += [msgspec.json.encode(each), _index(ids, slices, 0)]
    arguments += [element_of([item.packed]) for item in items]
    return names, arguments


class _Meters:
    """The meters that a batch touches: numbered from 1 as they come, each in its group."""

    def __init__(self, groups: int) -> None:
        self._groups_max = groups
        self._numbers: dict[str, tuple[int, int]] = {}
        self.groups: dict[int, int] = {}
        """Group → its place among those touched, from 0."""

    def take(self, cost: Cost | Release) -> int:
        """The number of a cost's meter. Raises InvalidRequest where the amount is out of bounds."""
        check_amount(cost.field, cost.amount)
        known = self._numbers.get(cost.field)
        if known is None:
            place = self.groups.setdefault(group_of(cost.home, self._groups_max), len(self.groups))
            known = self._numbers[cost.field] = (len(self._numbers) + 1, place)
        return known[0]

    def table(self, first_key: int) -> list[tuple[int, str]]:
        """For each meter, by number: the position of its group's key, the first of which is `first_key`; its name."""
        return [(first_key + place, field) for field, (_, place) in self._numbers.items()]


def _change(number: int, item: IntakeItem, meters: _Meters) -> dict[str, object]:
    release: list[int] = []
    for entry in item.release:
        release += (meters.take(entry), entry.amount)
    return {"item": number, "expect": item.expect, "id": item.id, "release": release}


def _ids_of(items: Sequence[IntakeItem]) -> str:
    """The ids of items, one after another. Raises InvalidRequest for one that is none: all are looked at at once."""
    ids = [item.id for item in items]
    text = "".join(ids)
    if not text.isascii() or text.encode().translate(None, _LETTERS) or set(map(len, ids)) != {ID_LENGTH}:
        for order_id in ids:
            check_id(order_id)
    return text


def _names(
    head: Head, request: IntakeRequest, books: Iterable[int], letters: Iterable[str], groups: Iterable[int]
) -> list[str]:
    keys, tick = Keys(head.campaign), request.tick
    return [
        keys.head,
        keys.counts(tick),
        keys.revisions(tick),
        keys.ready(tick),
        keys.idems(tick),
        keys.idem(request.idem),
        *(keys.book(tick, slice_) for slice_ in books),
        *(keys.where(tick, letter) for letter in letters),
        *(keys.meters(tick, group) for group in groups),
    ]


def _plan(
    head: Head,
    request: IntakeRequest,
    count: int,
    books: int,
    letters: Iterable[str],
    taken: dict[str, list[Any]] | None,
) -> bytes:
    return msgspec.json.encode(
        {
            "request": request,
            "published": head.published,
            "count": count,
            "books": books,
            "letters": "".join(letters),
            "taken": taken,
        }
    )
