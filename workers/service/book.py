"""Reading the book of a tick that takes orders, or of one that is being resolved."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

from workers.kernel.ids import decode_id
from workers.kernel.orders import Booked, Order
from workers.service.campaigns import Campaign
from workers.store import Store
from workers.store.places import slice_of


@dataclass(frozen=True, slots=True)
class Entry:
    """An order found in a book: its content as it was read, that content's revision (0: withdrawn since), its tick."""

    booked: Booked[Any, Any]
    revision: int
    tick: int

    @property
    def withdrawn(self) -> bool:
        """Whether its sender took it back."""
        return self.revision == 0


SLICES_AT_ONCE: Final = 32
"""Slices of the book that are read at once, at most: of a tick of a million orders, that is 8 MB."""
NOBODY: Final = "a" * 26
"""The form of an id, and none: asked for where there is nothing to ask for."""


class Book:
    """Reads booked orders by slice or by id.

    A camp's request may lead here by the name of something that isn't its own. So reading asks the server for the same
    where there is something as where there is nothing: a slice with nobody's orders, an id that stands for none.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def live_of(self, campaign: Campaign, tick: int, camp: str, homes: Collection[str]) -> list[Booked[Any, Any]]:
        """A camp's live orders of some homes, those of a home in order of arrival."""
        numbers = sorted({slice_of(home, campaign.head.slices) for home in homes})
        found: list[Booked[Any, Any]] = []
        for start in range(0, len(numbers), SLICES_AT_ONCE):
            part = numbers[start : start + SLICES_AT_ONCE]
            for packed in self._store.intake.read_slices(campaign.name, tick, part):
                found += campaign.engine.packing.unpack_of(packed, camp, lambda home, _: home in homes)
        return list(compress(found, self._present(campaign, tick, found)))

    def live_after(
        self,
        campaign: Campaign,
        tick: int,
        numbers: Sequence[int],
        first: int,
        camp: str,
        mine: Callable[[Order], bool],
    ) -> list[tuple[int, int, Booked[Any, Any]]]:
        """The live orders of slices that are a camp's and `mine`, each with its slice and its place in it; of the first
        slice those from the place `first` on.

        A place counts my entries alone: it is told, and must not tell how many others there are between them.
        """
        found = []
        for number, packed in zip(numbers, self._store.intake.read_slices(campaign.name, tick, numbers), strict=True):
            owned = campaign.engine.packing.unpack_of(packed, camp, lambda _, order: mine(order))
            found += [(number, place, booked) for place, booked in enumerate(owned)][first:]
            first = 0
        present = self._present(campaign, tick, [booked for _, _, booked in found])
        return list(compress(found, present))

    def _present(self, campaign: Campaign, tick: int, found: list[Booked[Any, Any]]) -> list[bool]:
        """Of each whether it stands at the revision that it was read with."""
        revisions = self._store.intake.revisions_of(campaign.name, tick, [*(booked.id for booked in found), NOBODY])
        return [booked.revision == revision for booked, revision in zip(found, revisions[:-1], strict=True)]

    def find(self, campaign: Campaign, tick: int, order_id: str) -> Entry | None:
        """An order by its id; None where the tick's book has none of it. Raises InvalidRequest for what is no id."""
        nowhere = sum(order_id.encode()) % campaign.head.slices
        places = self._store.intake.find(campaign.name, tick, order_id) or [nowhere]
        raw = _bytes_of(order_id)
        revisions: list[Booked[Any, Any]] = []
        for place in places:  # the latest first: of an order that was moved, the slices before it aren't read
            (packed,) = self._store.intake.read_slices(campaign.name, tick, [place])
            # Its id stands in it as it is: none of the others, of which there may be thousands, need be unpacked.
            unpacked = map(campaign.engine.packing.unpack, [data for data in packed if raw in data])
            revisions = [booked for booked in unpacked if booked.id == order_id]
            if revisions:
                break
        present = self._store.intake.revision(campaign.name, tick, order_id)
        if not revisions:
            return None
        latest = max(revisions, key=lambda booked: booked.revision)
        return Entry(latest, latest.revision if present else 0, tick)


def _bytes_of(order_id: str) -> bytes:
    """What a packed order of this id has in it; of a text that only looks like an id, the text, which finds nothing."""
    try:
        return decode_id(order_id)
    except ValueError:
        return order_id.encode()
