"""How many more orders a tick takes, of a sender and in all: what intake decides by when it books, for a dry run."""

from workers.service.access import Sender
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.intake import CHANGES_AN_ORDER, sender_count
from workers.store.records import Counts, ItemRefusal


class Room:
    """A tick's room for a sender's orders. The book's counts are read once, when they are first asked for."""

    def __init__(self, store: Store, settings: ServerSettings, campaign: str, tick: int, sender: Sender) -> None:
        self._store = store
        self._settings = settings
        self._campaign = campaign
        self._tick = tick
        self._by = sender_count(sender.camp, sender.actor)
        self._counts: Counts | None = None
        self._taken = 0

    def refusal(self) -> ItemRefusal | None:
        """Why the tick takes no further order of the sender, as intake would say it; None where it does."""
        if self._counts is None:
            self._counts = self._store.intake.counts(self._campaign, self._tick, self._by)
        most, of_actor = self._settings.orders_tick_max, self._settings.orders_actor_tick_max
        if self._counts.orders + self._taken >= most:
            return ItemRefusal("tick_full", limit=most)
        if self._counts.theirs + self._taken >= of_actor:
            return ItemRefusal("actor_full", limit=of_actor)
        if self._counts.their_changes + self._taken >= of_actor * CHANGES_AN_ORDER:
            return ItemRefusal("changes_full", limit=of_actor * CHANGES_AN_ORDER)
        if self._counts.version + self._taken >= most * CHANGES_AN_ORDER:
            return ItemRefusal("tick_full", limit=most * CHANGES_AN_ORDER)
        return None

    def take(self) -> None:
        """Count an order that would be booked."""
        self._taken += 1
