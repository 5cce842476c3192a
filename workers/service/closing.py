"""Closing a tick: by the operator's word, at its deadline, or when all camps are ready. One script does it, once."""

from workers.service.deadlines import next_deadline_ms
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.records import CloseReply, CloseTerms, Head, Trigger


class Closing:
    """Closes ticks of the campaigns in a store."""

    def __init__(self, store: Store, settings: ServerSettings) -> None:
        self._store = store
        self._settings = settings

    def close(self, head: Head, tick: int, trigger: Trigger) -> CloseReply:
        """Freeze the book of a tick; the next takes orders at once. Closing twice, from anywhere, closes once."""
        now_ms = self._store.heads.server_time_ms()
        deadline_ms = next_deadline_ms(head.schedule, max(now_ms, head.deadline_ms))
        terms = CloseTerms(
            trigger=trigger,
            next_deadline_ms=deadline_ms,
            orders_per_shard=self._settings.orders_per_shard,
            shards_min=self._settings.shards_min,
            archive_lag_max=self._settings.archive_lag_max,
        )
        self._store.hints.running(head.campaign, now_ms)
        reply = self._store.ticks.close(head.campaign, tick, terms)
        if reply.outcome == "closed":
            if deadline_ms:
                self._store.hints.due(head.campaign, deadline_ms)
            else:
                self._store.hints.not_due(head.campaign)
        elif reply.resolving is None:
            self._store.hints.not_running(head.campaign)
        return reply
