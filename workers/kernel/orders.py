"""Orders as they travel: sent by a client, booked at intake, played by a phase.

An order is declared once, as a tagged record: the same type is the HTTP schema, the stored form and what a phase
reads. In the store it is *packed*: a MessagePack array with the order's kind as a number and its id as 16 raw bytes.
The packed twin of each order type is a subclass of it, so what a phase reads still is that order.
"""

import functools
import operator
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from workers.kernel.digest import canonical
from workers.kernel.ids import decode_id, encode_id

OrderT = TypeVar("OrderT", bound="Order")
FactsT = TypeVar("FactsT")


def union_of(types: Sequence[type]) -> Any:
    """The union of tagged records given as a sequence (at least one)."""
    return functools.reduce(operator.or_, types)


class Order(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """Base of a rulebook's orders. Unknown fields are refused."""


class Cost(msgspec.Struct, frozen=True, array_like=True):
    """What an order takes of a meter. At intake: taken so far + `amount` ≤ `limit`, for an amount above 0.

    `meter` is an opaque name within the order's home; a negative amount gives back.
    """

    meter: str
    amount: int
    limit: int


class Booking(msgspec.Struct, frozen=True):
    """An order accepted by `check`: the home where it is played, its costs, and the immutable facts that the resolver
    needs from elsewhere (of the rulebook's `facts` type, or None).
    """

    home: str
    costs: tuple[Cost, ...] = ()
    facts: Any = None


class Booked(msgspec.Struct, Generic[OrderT, FactsT], frozen=True):
    """An order in the book of a tick."""

    id: str
    home: str
    camp: str
    actor: str
    order: OrderT
    facts: FactsT
    costs: tuple[Cost, ...] = ()
    revision: int = 1


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    id: bytes
    revision: int
    home: str
    camp: int
    actor: str
    costs: tuple[tuple[str, int], ...]
    order: Any
    facts: Any = None


class Packing:
    """Packs and unpacks the booked orders of one rulebook."""

    __slots__ = ("_camps", "_decoder", "_encode", "_kinds", "_numbers", "_twins")

    def __init__(self, orders: Sequence[type[Order]], facts: type[msgspec.Struct] | None, camps: Sequence[str]) -> None:
        self._camps = tuple(camps)
        self._kinds = tuple(orders)
        self._twins: dict[type[Order], Any] = {}
        for number, kind in enumerate(orders):
            self._twins[kind] = msgspec.defstruct(
                f"Packed{kind.__name__}", [], bases=(kind,), frozen=True, array_like=True, tag=number, module=__name__
            )
        packed = msgspec.defstruct(
            "Packed",
            [("order", union_of(tuple(self._twins.values()))), ("facts", facts | None if facts else None, None)],
            bases=(_Packed,),
            frozen=True,
            array_like=True,
        )
        self._decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(packed)
        self._encode = msgspec.msgpack.Encoder().encode
        self._numbers = {kind: number for number, kind in enumerate(self._kinds)}
        self._numbers.update({self._twins[kind]: number for number, kind in enumerate(self._kinds)})

    def pack(self, booked: Booked[Any, Any]) -> bytes:
        """The stored bytes of a booked order."""
        twin = self._twins[type(booked.order)]
        return self._encode(
            _Packed(
                decode_id(booked.id),
                booked.revision,
                booked.home,
                self._camps.index(booked.camp),
                booked.actor,
                tuple((cost.meter, cost.amount) for cost in booked.costs),
                twin(*msgspec.structs.astuple(booked.order)),
                booked.facts,
            )
        )

    def unpack(self, data: bytes) -> Booked[Any, Any]:
        """The booked order of stored bytes (limits of its costs are intake's and aren't stored: 0).

        Raises msgspec.ValidationError when the bytes are not this rulebook's.
        """
        packed = self._decoder.decode(data)
        return Booked(
            encode_id(packed.id),
            packed.home,
            self._camps[packed.camp],
            packed.actor,
            packed.order,
            packed.facts,
            tuple(Cost(meter, amount, 0) for meter, amount in packed.costs),
            packed.revision,
        )

    def plain(self, order: Order) -> Order:
        """An order as its declared type (one read from the store is of that type's packed twin)."""
        kind = self._kinds[self._numbers[type(order)]]
        return order if type(order) is kind else kind(*msgspec.structs.astuple(order))

    def line(self, booked: Booked[Any, Any]) -> bytes:
        """The canonical bytes of a booked order, for the digest of its book: the same packed or not."""
        order = booked.order
        kind = self._kinds[self._numbers[type(order)]].__struct_config__.tag
        fields = msgspec.structs.astuple(order)
        return canonical([booked.id, booked.home, booked.camp, booked.actor, kind, fields, booked.facts])
