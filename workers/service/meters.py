"""Meters: what orders take from, counted in the store under names that are unique in their campaign.

The rulebook says what an order takes and up to which limit; intake's script adds and compares. Here they are read, for
a dry run and for orders that are judged by what else is booked.
"""

from workers.kernel.errors import Refusal
from workers.service.orders import OVER_BUDGET, MeterState
from workers.store import Store
from workers.store.records import Head, IntakeItem


class Meters:
    """The meters of a tick as they stand, read when they are first asked for, and what a batch would add to them."""

    def __init__(self, store: Store, head: Head, tick: int) -> None:
        self._store = store
        self._head = head
        self._tick = tick
        self._used: dict[str, int] = {}

    def states(self, item: IntakeItem) -> tuple[MeterState, ...]:
        """The meters that an item takes from, before and after it."""
        unknown = [(cost.home, cost.field) for cost in item.costs if cost.field not in self._used]
        if unknown:
            values = self._store.intake.used(self._head, self._tick, unknown)
            self._used.update({field: value for (_, field), value in zip(unknown, values, strict=True)})
        return tuple(
            MeterState(
                meter_name(cost.field),
                cost.amount,
                self._used[cost.field],
                cost.limit,
                cost.limit - self._used[cost.field] - cost.amount,
            )
            for cost in item.costs
        )

    def take(self, item: IntakeItem) -> tuple[Refusal, ...]:
        """Add what an item takes, if it fits; why not, where it doesn't."""
        over = tuple(
            over_budget(state.meter, state.used, state.limit)
            for state in self.states(item)
            if state.amount > 0 and state.left < 0
        )
        if not over:
            for cost in item.costs:
                self._used[cost.field] += cost.amount
        return over


def meter_field(home: str, meter: str) -> str:
    """A meter's name in the store, unique in its campaign."""
    return f"{home}/{meter}"


def meter_name(field: str) -> str:
    """The rulebook's name of a meter, from its name in the store."""
    return field.partition("/")[2]


def over_budget(meter: str, used: int, limit: int) -> Refusal:
    """The refusal of an order that takes more of a meter than is left."""
    left = max(limit - used, 0)
    values: dict[str, str | int] = {"meter": meter, "used": used, "limit": limit, "left": left}
    return Refusal(OVER_BUDGET, accepted=f"at most {left}", values=values)
