"""Orders as they travel: sent by a client, booked at intake, played by a phase.

An order is declared once, as a tagged record: the same type is the HTTP schema, the stored form and what a phase
reads. In the store it is *packed*: a MessagePack array with the order's kind as a number and its id as 16 raw bytes.
The packed twin of each order type is a subclass of it, so what a phase reads still is that order.
"""

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

import msgspec
from msgspec.structs import astuple

from workers.kernel.digest import canonical, canonical_lines
from workers.kernel.ids import decode_id, encode_id, encode_ids

OrderT = TypeVar("OrderT", bound="Order")
FactsT = TypeVar("FactsT")


def union_of(types: Sequence[type]) -> Any:
    """The union of tagged records given as a sequence (at least one)."""
    return functools.reduce(operator.or_, types)


class Order(msgspec.Struct, frozen=True, gc=False, tag_field="kind", forbid_unknown_fields=True):
    """Base of a rulebook's orders. Unknown fields are refused."""


class Cost(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What an order takes of a meter. At intake: taken so far + `amount` ≤ `limit`, for an amount above 0.

    `meter` is an opaque name within `at`: a key of a home, or a camp for what it has in all homes together; empty for
    the order's own home. A negative amount gives back.
    """

    meter: str
    amount: int
    limit: int
    at: str = ""

    def place(self, home: str) -> str:
        """Where the meter of an order in `home` is kept."""
        return self.at or home


class _Taken(msgspec.Struct, frozen=True, array_like=True):
    """A cost as it is stored: without its limit, which was intake's; `at` is left out where it is the order's home."""

    meter: str
    amount: int
    at: str = ""


class Booking(msgspec.Struct, frozen=True, gc=False):
    """An order accepted by `check`: the home where it is played, its costs, and the immutable facts that the resolver
    needs from elsewhere (of the rulebook's `facts` type, or None).
    """

    home: str
    costs: tuple[Cost, ...] = ()
    facts: Any = None


class Booked(msgspec.Struct, Generic[OrderT, FactsT], frozen=True, gc=False):
    """An order in the book of a tick."""

    id: str
    home: str
    camp: str
    actor: str
    order: OrderT
    facts: FactsT
    costs: tuple[Cost, ...] = ()
    revision: int = 1


_RawId: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=16, max_length=16)]


class _Packed(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The stored form; each kind of order has a subclass, whose tag is the kind's number. It stands first, so that a
    reader can tell it from the second byte alone.

    Most orders name their home in a field and are sent by its own actor: `home` is then the number of that field, and
    `actor` is None.
    """

    id: _RawId
    revision: int
    home: int | str
    camp: int
    actor: str | None
    order: Any
    facts: Any
    costs: msgspec.Raw


_COSTS = msgspec.msgpack.Decoder(tuple[_Taken, ...])
_ARRAY = b"\xdd"
"""MessagePack's mark of an array; its length follows in four bytes."""
KINDS_MAX = 128
"""Kinds of order in a rulebook, at most: the number of a kind is one byte."""


Packer: TypeAlias = Callable[[bytes, int, Order, Booking | Booked[Any, Any]], bytes]
"""Packs an order of one sender: the 16 bytes of its id, its revision, the order, and its home, costs and facts."""


class Packing:
    """Packs and unpacks the booked orders of one rulebook. Raises ValueError for more than `KINDS_MAX` kinds."""

    __slots__ = (
        "_camps",
        "_decode",
        "_decode_list",
        "_encode",
        "_entries",
        "_getters",
        "_kinds",
        "_numbers",
        "_tags",
    )

    def __init__(self, orders: Sequence[type[Order]], facts: type[msgspec.Struct] | None, camps: Sequence[str]) -> None:
        if len(orders) > KINDS_MAX:
            raise ValueError(f"{len(orders)} kinds of order, at most {KINDS_MAX} are accepted")
        self._camps = tuple(camps)
        self._kinds = tuple(orders)
        self._tags = tuple(kind.__struct_config__.tag for kind in self._kinds)
        self._encode = msgspec.msgpack.Encoder().encode
        self._entries: list[Any] = []
        self._getters: dict[type, tuple[attrgetter[Any], ...]] = {}
        for number, kind in enumerate(orders):
            name = f"Packed{kind.__name__}"
            twin = msgspec.defstruct(
                name, [], bases=(kind,), frozen=True, array_like=True, tag=False, tag_field=None, module=__name__
            )
            entry = msgspec.defstruct(
                f"{name}Entry",
                [("order", twin), ("facts", facts | None if facts else None)],
                bases=(_Packed,),
                frozen=True,
                array_like=True,
                tag=number,
                module=__name__,
            )
            self._entries.append(entry)
            self._getters[entry] = tuple(map(attrgetter, kind.__struct_fields__))
        entry_of_any_kind: Any = union_of(self._entries)
        self._decode = msgspec.msgpack.Decoder(entry_of_any_kind).decode
        self._decode_list = msgspec.msgpack.Decoder(tuple[entry_of_any_kind, ...]).decode
        self._numbers: dict[type, int] = {}

    def pack(self, booked: Booked[Any, Any]) -> bytes:
        """The stored bytes of a booked order (its costs without their limits, which were intake's)."""
        pack = self.packer(booked.camp, booked.actor)
        return pack(decode_id(booked.id), booked.revision, booked.order, booked)

    def packer(self, camp: str, actor: str) -> Packer:
        """What packs the orders of one sender. Raises ValueError for a camp that isn't the rulebook's."""
        camp_number, numbers, encode = self._camps.index(camp), self._numbers, self._encode

        def pack(raw_id: bytes, revision: int, order: Order, booking: Booking | Booked[Any, Any]) -> bytes:
            fields = astuple(order)
            home = booking.home
            number = numbers.get(type(order))
            costs: list[tuple[str | int, ...]] = []
            for cost in booking.costs:  # one or two: a comprehension would take longer to begin than to run
                at = cost.at
                costs.append((cost.meter, cost.amount, at) if at else (cost.meter, cost.amount))
            # As `_Packed` has it, its tag first: an object of it would be made only to be written out.
            return encode(
                (
                    self._number(order) if number is None else number,
                    raw_id,
                    revision,
                    fields.index(home) if home in fields else home,
                    camp_number,
                    None if actor == home else actor,
                    fields,
                    booking.facts,
                    costs,
                )
            )

        return pack

    def unpack(self, data: bytes) -> Booked[Any, Any]:
        """The booked order of stored bytes, its costs included (their limits as 0).

        Raises msgspec.ValidationError when the bytes are not this rulebook's.
        """
        packed = self._decode(data)
        costs = tuple(Cost(taken.meter, taken.amount, 0, taken.at) for taken in _COSTS.decode(packed.costs))
        (booked,) = self._booked([packed], [encode_id(packed.id)], costs)
        return booked

    def unpack_of(
        self, stored: Sequence[bytes], camp: str, wanted: Callable[[str, Order], bool]
    ) -> list[Booked[Any, Any]]:
        """The booked orders of a camp among stored ones that are wanted, told by their home and what was ordered: the
        others are only looked at, which takes a fifth of the time.

        Raises msgspec.ValidationError when some bytes are not this rulebook's.
        """
        number = self._camps.index(camp)
        return [
            self.unpack(data)
            for data, packed in zip(stored, self._entries_of(stored), strict=True)
            if packed.camp == number and wanted(self._home_of(packed), packed.order)
        ]

    def unpack_played(self, stored: Iterable[bytes], kinds: tuple[type[Order], ...]) -> list[Booked[Any, Any]]:
        """The booked orders of these kinds among stored ones, without their costs: what a phase plays.

        Raises msgspec.ValidationError when some bytes are not this rulebook's.
        """
        wanted = {number for number, kind in enumerate(self._kinds) if issubclass(kind, kinds)}
        chosen = [data for data in stored if data[1] in wanted]
        entries = self._entries_of(chosen)
        return self._booked(entries, encode_ids([packed.id for packed in entries]), ())

    def _entries_of(self, stored: Sequence[bytes]) -> Sequence[Any]:
        """What stored orders say, packed as they are: one array of them all costs one call of the decoder."""
        entries: Sequence[Any] = self._decode_list(b"".join([_ARRAY, len(stored).to_bytes(4, "big"), *stored]))
        return entries

    def _home_of(self, packed: Any) -> str:
        home = packed.home
        return home if isinstance(home, str) else str(self._getters[type(packed)][home](packed.order))

    def _booked(self, entries: Sequence[Any], ids: list[str], costs: tuple[Cost, ...]) -> list[Booked[Any, Any]]:
        """What packed orders say, each with its id and all with these costs."""
        camps, getters = self._camps, self._getters
        found = []
        for packed, order_id in zip(entries, ids, strict=True):
            order, home, actor = packed.order, packed.home, packed.actor
            if type(home) is int:
                home = getters[type(packed)][home](order)
            if actor is None:
                actor = home
            found.append(Booked(order_id, home, camps[packed.camp], actor, order, packed.facts, costs, packed.revision))
        return found

    def _number(self, order: Order) -> int:
        """The number of an order's kind, whether it is plain or the packed twin of this packing or of another.

        Raises KeyError for an order of none of the rulebook's kinds.
        """
        found = type(order)
        number = self._numbers.get(found)
        if number is None:
            matching = [number for number, kind in enumerate(self._kinds) if isinstance(order, kind)]
            if not matching:
                raise KeyError(found)
            number = self._numbers[found] = matching[0]
        return number

    def plain(self, order: Order) -> Order:
        """An order as its declared type (one read from the store is of that type's packed twin)."""
        kind = self._kinds[self._number(order)]
        return order if type(order) is kind else kind(*astuple(order))

    def line(self, booked: Booked[Any, Any]) -> bytes:
        """The canonical bytes of a booked order, for the digest of its book: the same packed or not."""
        return canonical(self._told(booked))

    def lines(self, orders: Iterable[Booked[Any, Any]]) -> bytes:
        """The canonical bytes of booked orders as one text, a line each."""
        return canonical_lines([self._told(booked) for booked in orders])

    def _told(self, booked: Booked[Any, Any]) -> tuple[Any, ...]:
        order = booked.order
        tag = self._tags[self._number(order)]
        fields = astuple(order)
        return booked.id, booked.home, booked.camp, booked.actor, tag, fields, booked.facts
