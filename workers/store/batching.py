"""How a batch of orders travels to the intake script, and how the book keeps what it brings.

Most batches are booked whole: their new orders take from meters and all fit. Such a batch sends one *element* a slice,
in which all of its orders for that slice lie, and the sum that it takes of each meter: the server's time is paid by the
argument and by the call, and nobody else is served meanwhile. Where orders are replaced or give back, or don't all fit,
the batch is decided item by item, and each order is an element of its own. Both shapes are told in lua/intake.lua.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.keys import Keys
from workers.store.places import group_of, slice_of
from workers.store.records import AMOUNT_MAX, Cost, Head, IntakeItem, IntakeRequest, Release
from workers.store.scripts import Argument

ID_LENGTH: Final = 26
_ID: Final = re.compile(f"[a-z2-7]{{{ID_LENGTH}}}")
_IDS: Final = re.compile(f"{_ID.pattern}(?:\n{_ID.pattern})*")

INDEX_PREFIX: Final = 5
INDEX_RECORD_BYTES: Final = INDEX_PREFIX + 1
"""The index is a list for each first letter of an id; a record is the next five letters and a byte, the slice."""
_BYTES: Final = [chr(value) for value in range(256)]

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
    totals = _totals(items)
    if totals is None:
        return None
    _check_ids(items)
    books: defaultdict[int, list[bytes]] = defaultdict(list)
    records: defaultdict[str, list[str]] = defaultdict(list)
    slices = head.slices
    for item in items:
        order_id, slice_ = item.id, slice_of(item.home, slices)
        books[slice_].append(item.packed)
        records[order_id[0]].append(order_id[1 : INDEX_PREFIX + 1] + _BYTES[slice_])
    groups: dict[int, int] = {}
    taken = {
        "meters": list(totals),
        "amounts": [str(total[0]) for total in totals.values()],
        "limits": [total[1] for total in totals.values()],
        "groups": [groups.setdefault(group_of(total[2], head.groups), len(groups)) for total in totals.values()],
    }
    arguments: list[Argument] = [_plan(head, request, len(items), len(books), records, taken)]
    arguments += ["".join(those).encode("latin-1") for those in records.values()]
    arguments += [element_of(orders) for orders in books.values()]
    return _names(head, request, books, records, groups), arguments


def _totals(items: Sequence[IntakeItem]) -> dict[str, list[Any]] | None:
    """What new orders take of each meter in all, the least limit, and the meter's home: since every amount is positive,
    all of them fit if their sum does. None where an order is replaced, or an amount isn't positive or out of bounds.
    """
    totals: dict[str, list[Any]] = {}
    find = totals.get
    for item in items:
        if item.expect:
            return None
        for cost in item.costs:
            field, amount, limit = cost.field, cost.amount, cost.limit
            if amount <= 0:
                return None
            total = find(field)
            if total is None:
                totals[field] = [amount, limit, cost.home]
            else:
                total[0] += amount
                if limit < total[1]:  # noqa: PLR1730 a third of min()'s time, for each cost of each order
                    total[1] = limit
    return totals if all(total[0] <= AMOUNT_MAX for total in totals.values()) else None


def each_call(head: Head, request: IntakeRequest, items: Sequence[IntakeItem]) -> Call:
    """The call that decides a batch item by item. Raises InvalidRequest as `whole_call` does."""
    books: dict[int, int] = {}
    letters: dict[str, None] = {}
    meters = _Meters(head.groups)
    records: list[str] = []
    costs: list[int] = []
    changes = []
    for number, item in enumerate(items, 1):
        slice_ = slice_of(item.home, head.slices)
        books.setdefault(slice_, len(books) + 1)
        letters[item.id[:1]] = None
        records.append(item.id[: INDEX_PREFIX + 1] + _BYTES[slice_])
        costs.append(len(item.costs))
        for cost in item.costs:
            costs += (meters.take(cost), cost.amount, cost.limit)
        if item.expect:
            changes.append(_change(number, item, meters))
    _check_ids(items)
    names = _names(head, request, books, letters, meters.groups)
    each = {
        "meters": meters.table(len(names) - len(meters.groups) + 1),
        "costs": costs,
        "changes": changes,
        "books": [books[slice_of(item.home, head.slices)] for item in items],
    }
    arguments: list[Argument] = [_plan(head, request, len(items), len(books), letters, None)]
    arguments += [msgspec.json.encode(each), "".join(records).encode("latin-1")]
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


def _check_ids(items: Sequence[IntakeItem]) -> None:
    """Raises InvalidRequest for an item whose id is none: all are looked at in one pass."""
    if _IDS.fullmatch("\n".join([item.id for item in items])) is None:
        for item in items:
            check_id(item.id)


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
