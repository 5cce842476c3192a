"""A camp's word that it is ready; and the close that follows when all camps have said so."""

from workers.service.closing import Closing
from workers.service.desk import Desk
from workers.service.problems import ATTEMPTS_MAX, busy, not_open
from workers.store import Store


class Readiness:
    """Sets and clears the ready marks of camps."""

    def __init__(self, store: Store, desk: Desk, closing: Closing) -> None:
        self._store = store
        self._desk = desk
        self._closing = closing

    def mark(self, name: str, camp: str, *, on: bool) -> tuple[int, bool]:
        """Set or clear a camp's mark for the tick that takes orders: that tick, and whether it closed by it.

        It closes when all camps are ready and the campaign's schedule says that this is enough. Raises Problem
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
                closed = closes and self._closing.close(head, look.tick, "ready").outcome == "closed"
                return look.tick, closed
        raise busy(name)
