"""The book of a tick that is being resolved: its live orders, slice by slice."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from workers.kernel.orders import Booked, Order
from workers.service.campaigns import Campaign
from workers.store import Store
from workers.store.intake import PackedBook, book_question
from workers.store.scripts import Question

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
        if self._revisions is None:
            read, self._revisions = self._begin(slices)
        else:
            read = self._store.intake.read_slices(self._campaign.name, self._tick, slices)
        unpack, revisions = self._campaign.engine.packing.unpack_played, self._revisions
        found = []
        for packed in read:
            live = [order for order in unpack(packed, kinds) if revisions.get(order.id, 1) == order.revision]
            found.append(Portion(sum(map(len, packed)), live) if packed else NO_ORDERS)
        return found

    def _begin(self, slices: Sequence[int]) -> PackedBook:
        """The first slices that are read, and the revisions of all."""
        return self._store.intake.read_book(self._campaign.name, self._tick, slices)


class KeptBook(ClosedBook):
    """A closed book that reads and unpacks each slice once: for one process that plays a small tick, and for as long as
    it does. No name of a campaign, tick and version tells a book from one that a server which lost its last seconds
    takes in its place."""

    def __init__(self, store: Store, campaign: Campaign, tick: int) -> None:
        super().__init__(store, campaign, tick)
        self._known: dict[int, Portion] = {}
        self._told: tuple[list[int], Callable[[], PackedBook]] | None = None

    def question(self, slices: Sequence[int]) -> Question[PackedBook] | None:
        """What reads the first slices in the round trip of another; None where some were read."""
        return None if self._known else book_question(self._campaign.name, self._tick, slices)

    def told(self, slices: Sequence[int], read: Callable[[], PackedBook]) -> None:
        """What that question was told: read once these slices are asked for first."""
        self._told = list(slices), read

    def _begin(self, slices: Sequence[int]) -> PackedBook:
        if self._told is not None and self._told[0] == list(slices):
            return self._told[1]()
        return super()._begin(slices)

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
