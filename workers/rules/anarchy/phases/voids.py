"""Orders that no longer fit or can't be carried out (K6): in what order they are kept, and how their camp is told."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from workers.kernel.dice import Dice
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


def by_initiative(orders: Iterable[Booked[Any, Any]], dice: Dice) -> list[Booked[Any, Any]]:
    """Orders in ascending initiative: the order in which they are kept where they no longer fit together (K6)."""
    return sorted(orders, key=lambda booked: dice.initiative(booked.id))


def first_fault(faults: Iterable[Refusal]) -> Reason | None:
    """The code of the first refusal; None when there is none."""
    fault = next(iter(faults), None)
    return cast(RefusalCode, fault.code) if fault is not None else None
