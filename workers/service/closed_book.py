"""The book of a tick that is being resolved: its live orders, slice by slice."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from workers.kernel.orders import Booked, Order
from workers.service.campaigns import Campaign
from workers.store import Store

ALL_KINDS: Final = (Order,)


class Portion(NamedTuple):
    """The live orders of a slice, and how many bytes the book has of it."""

    stored_bytes: int
    orders: list[Booked[Any, Any]]


NO_ORDERS: Final = Portion(0, [])


class ClosedBook:
    """Reads a closed book: of each order its present revision, none withdrawn, without costs."""

    def __init__(self, store: Store, campaign: Campaign, tick: int) -> None:
        self._store = store
        self._campaign = campaign
        self._tick = tick
        self._revisions: dict[str, int] | None = None

    def portions(self, slices: Sequence[int], kinds: tuple[type[Order], ...] = ALL_KINDS) -> list[Portion]:
        """The orders of some slices, of these kinds at least, read at once."""
        intake, name, tick = self._store.intake, self._campaign.name, self._tick
        if self._revisions is None:
            read, self._revisions = intake.read_book(name, tick, slices)
        else:
            read = intake.read_slices(name, tick, slices)
        unpack, revisions = self._campaign.engine.packing.unpack_played, self._revisions
        found = []
        for packed in read:
            live = [order for order in unpack(packed, kinds) if revisions.get(order.id, 1) == order.revision]
            found.append(Portion(sum(map(len, packed)), live) if packed else NO_ORDERS)
        return found


class KeptBook(ClosedBook):
    """A closed book that reads and unpacks each slice once: for one process that plays a small tick, and for as long as
    it does. No name of a campaign, tick and version tells a book from one that a server which lost its last seconds
    takes in its place."""

    def __init__(self, store: Store, campaign: Campaign, tick: int) -> None:
        super().__init__(store, campaign, tick)
        self._known: dict[int, Portion] = {}

    def portions(
        self,
        slices: Sequence[int],
        kinds: tuple[type[Order], ...] = ALL_KINDS,  # noqa: ARG002 all kinds are these at least
    ) -> list[Portion]:
        """The orders of some slices, of all kinds, read where they weren't yet."""
        wanted = [index for index in slices if index not in self._known]
        if wanted:
            self._known.update(zip(wanted, super().portions(wanted), strict=True))
        return [self._known[index] for index in slices]
