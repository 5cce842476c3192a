"""Reading the book of a tick that takes orders, or of one that is being resolved."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from workers.kernel.orders import Booked
from workers.service.campaigns import Campaign
from workers.store import Store


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


NOBODY: Final = "a" * 26
"""The form of an id, and none: asked for where there is nothing to ask for."""


class Book:
    """Reads booked orders by slice or by id.

    A camp's request may lead here by the name of something that isn't its own. So reading asks the server for the same
    where there is something as where there is nothing: a slice with nobody's orders, an id that stands for none.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def live(self, campaign: Campaign, tick: int, number: int) -> list[Booked[Any, Any]]:
        """The live orders of a slice: of each its present revision, in order of arrival."""
        return [booked for _, booked in self.live_after(campaign, tick, number, 0, lambda _: True)]

    def live_after(
        self, campaign: Campaign, tick: int, number: int, first: int, mine: Callable[[Booked[Any, Any]], bool]
    ) -> list[tuple[int, Booked[Any, Any]]]:
        """The live orders of a slice that are `mine`, from the `first` of my entries on, each with its place.

        A place counts my entries alone: it is told, and must not tell how many others there are between them.
        """
        (packed,) = self._store.intake.read_slices(campaign.name, tick, [number])
        owned = [booked for booked in map(campaign.engine.packing.unpack, packed) if mine(booked)]
        found = list(enumerate(owned))[first:]
        ids = [booked.id for _, booked in found]
        revisions = self._store.intake.revisions_of(campaign.name, tick, [*ids, NOBODY])
        return [one for one, revision in zip(found, revisions, strict=False) if revision == one[1].revision]

    def find(self, campaign: Campaign, tick: int, order_id: str) -> Entry | None:
        """An order by its id; None where the tick's book has none of it. Raises InvalidRequest for what is no id."""
        nowhere = sum(order_id.encode()) % campaign.head.slices
        places = self._store.intake.find(campaign.name, tick, order_id) or [nowhere]
        revisions: list[Booked[Any, Any]] = []
        for place in places:  # the latest first: of an order that was moved, the slices before it aren't read
            (packed,) = self._store.intake.read_slices(campaign.name, tick, [place])
            unpacked = map(campaign.engine.packing.unpack, packed)
            revisions = [booked for booked in unpacked if booked.id == order_id]
            if revisions:
                break
        present = self._store.intake.revision(campaign.name, tick, order_id)
        if not revisions:
            return None
        latest = max(revisions, key=lambda booked: booked.revision)
        return Entry(latest, latest.revision if present else 0, tick)
