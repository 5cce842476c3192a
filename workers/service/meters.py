"""Meters: what orders take from, counted in the store under names that are unique in their campaign.

The rulebook says what an order takes and up to which limit; intake's script adds and compares. Here they are read, for
a dry run and for orders that are judged by what else is booked.
"""

from collections.abc import Iterable

from workers.kernel.errors import Refusal
from workers.kernel.orders import Booking
from workers.service.orders import OVER_BUDGET, MeterState
from workers.store import Store
from workers.store.records import Cost, Head, IntakeItem


class Meters:
    """The meters of a tick as they stand, read when they are first asked for, and what a batch would add to them."""

    def __init__(self, store: Store, head: Head, tick: int) -> None:
        self._store = store
        self._head = head
        self._tick = tick
        self._used: dict[str, int] = {}

    def expect(self, bookings: Iterable[Booking]) -> None:
        """Read what these bookings take from, all at once: asked for one by one, each would be a round trip."""
        self._read(cost for booking in bookings for cost in costs_of(booking))

    def states(self, item: IntakeItem) -> tuple[MeterState, ...]:
        """The meters that an item takes from, before and after it: each once, with all that it takes of it, up to the
        least of the limits."""
        self._read(item.costs)
        amounts: dict[str, int] = {}
        limits: dict[str, int] = {}
        for cost in item.costs:
            amounts[cost.field] = amounts.get(cost.field, 0) + cost.amount
            limits[cost.field] = min(limits.get(cost.field, cost.limit), cost.limit)
        return tuple(
            MeterState(
                meter_name(field), amount, self._used[field], limits[field], limits[field] - self._used[field] - amount
            )
            for field, amount in amounts.items()
        )

    def take(self, item: IntakeItem) -> tuple[Refusal, ...]:
        """Add what an item takes, if it fits; for each meter of which it takes too much, why not.

        Costs are taken in turn, as intake does: a meter stands higher for an item's second cost on it.
        """
        self._read(item.costs)
        stands: dict[str, int] = {}
        over: dict[str, Refusal] = {}
        for cost in item.costs:
            before = stands.get(cost.field, self._used[cost.field])
            stands[cost.field] = before + cost.amount
            if cost.amount > 0 and stands[cost.field] > cost.limit:
                over.setdefault(cost.field, over_budget(meter_name(cost.field), before, cost.limit))
        if not over:
            self._used.update(stands)
        return tuple(over.values())

    def _read(self, costs: Iterable[Cost]) -> None:
        unknown = {cost.field: cost.home for cost in costs if cost.field not in self._used}
        if unknown:
            wanted = [(home, field) for field, home in unknown.items()]
            values = self._store.intake.used(self._head, self._tick, wanted)
            self._used.update(zip(unknown, values, strict=True))


def costs_of(booking: Booking) -> tuple[Cost, ...]:
    """What a booking takes, as intake counts it."""
    home = booking.home
    found = []
    for cost in booking.costs:
        place = cost.at or home
        # `Cost.place` and `meter_field`, written out: two calls for each cost of each order.
        found.append(Cost(place, f"{place}/{cost.meter}", cost.amount, cost.limit))
    return tuple(found)


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
