"""Orders that can't be carried out, told to their camp (K6)."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from workers.kernel.errors import Refusal
from workers.kernel.orders import Booked
from workers.rules.anarchy.check import commands
from workers.rules.anarchy.events import OrderVoid
from workers.rules.anarchy.reasons import Reason, RefusalCode


def void(booked: Booked[Any, Any], reason: Reason) -> OrderVoid:
    """The fact that an order is void."""
    order = booked.order
    return OrderVoid(booked.camp, commands(order)[0], booked.home, booked.id, order.called, reason)


def all_void(orders: Iterable[Booked[Any, Any]], reason: Reason) -> Iterator[OrderVoid]:
    """The fact for each of these orders: their home isn't there any more."""
    for booked in orders:
        yield void(booked, reason)


def first_fault(faults: Iterable[Refusal]) -> Reason | None:
    """The code of the first refusal; None when there is none."""
    fault = next(iter(faults), None)
    return cast(RefusalCode, fault.code) if fault is not None else None
