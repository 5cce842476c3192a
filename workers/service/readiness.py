"""A camp's word that it is ready; and the close that follows when all camps have said so.

Where the tick can't close yet it closes as soon as it may, though nobody says a word again: the sweeper is told when a
tick has been open for long enough, and after each publication whether the next tick may close is looked at anyhow.
"""

from workers.service.closing import Closing
from workers.service.desk import Desk
from workers.service.problems import ATTEMPTS_MAX, busy, not_open
from workers.store import Store
from workers.store.records import Head


class Readiness:
    """Sets and clears the ready marks of camps."""

    def __init__(self, store: Store, desk: Desk, closing: Closing) -> None:
        self._store = store
        self._desk = desk
        self._closing = closing

    def mark(self, name: str, camp: str, *, on: bool) -> tuple[int, bool]:
        """Set or clear a camp's mark for the tick that takes orders: that tick, and whether it closed by it.

        It closes when all camps are ready and the campaign's schedule says that this is enough; later, where it must
        stay open for a while or the tick before is still being resolved. Raises Problem
        (unknown_campaign, campaign_not_open, busy).
        """
        for _ in range(ATTEMPTS_MAX):
            look = self._desk.look(name)
            head = look.campaign.head
            reply = self._store.intake.ready(name, look.tick, camp, on=on)
            if reply.outcome == "closed_campaign":
                raise not_open(name, reply.status)
            if reply.outcome == "marked":
                closes = on and reply.ready >= reply.camps and head.schedule.when_ready and look.tick == head.open_tick
                return look.tick, closes and self._close(head, look.tick)
        raise busy(name)

    def _close(self, head: Head, tick: int) -> bool:
        """Close a tick whose camps are all ready, now or when it may; whether it closed now."""
        reply = self._closing.close(head, tick, "ready")
        if reply.outcome == "min_open":
            self._store.hints.due_at_latest(head.campaign, reply.until_ms)
        return reply.outcome == "closed"
