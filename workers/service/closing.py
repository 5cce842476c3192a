"""Closing a tick: by the operator's word, at its deadline, or when all camps are ready. One script does it, once."""

import structlog

from workers.service.deadlines import next_deadline_ms
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.archive import Archive
from workers.store.records import CloseReply, CloseTerms, Head, Trigger

log = structlog.get_logger()


class Closing:
    """Closes ticks of the campaigns in a store. A tick that the archive holds already is closed by nobody: the server
    came back older than what it had published, and waits for `campaign restore`."""

    def __init__(self, store: Store, settings: ServerSettings, archive: Archive) -> None:
        self._store = store
        self._archive = archive
        self._settings = settings

    def close(self, head: Head, tick: int, trigger: Trigger) -> CloseReply:
        """Freeze the book of a tick; the next takes orders at once. Closing twice, from anywhere, closes once."""
        if self._archived(head.campaign, tick):
            present = self._store.heads.get(head.campaign)
            if present is not None and present.open_tick == tick:
                return CloseReply("archive_ahead", open_tick=tick, resolving=present.resolving)
        now_ms = self._store.heads.server_time_ms()
        deadline_ms = deadline_after_close(head, now_ms)
        terms = CloseTerms(
            trigger=trigger,
            next_deadline_ms=deadline_ms,
            orders_per_shard=self._settings.orders_per_shard,
            shards_min=self._settings.shards_min,
            archive_lag_max=self._settings.archive_lag_max,
        )
        reply = self._store.ticks.close(head.campaign, tick, terms, now_ms)
        if reply.outcome == "closed":
            if deadline_ms:
                self._store.hints.due(head.campaign, deadline_ms)
            elif head.deadline_ms:
                self._store.hints.not_due(head.campaign)
        elif reply.resolving is None:
            self._store.hints.not_running(head.campaign)
        return reply

    def _archived(self, campaign: str, tick: int) -> bool:
        """An archive that is away refuses no close: how many ticks may wait for it is bounded elsewhere."""
        try:
            return self._archive.holds(campaign, tick)
        except OSError as error:
            log.warning("archive away", campaign=campaign, error=str(error))
            return False


def due_ms(head: Head) -> int:
    """When the open tick closes by its deadline, in milliseconds since 1970: not before it was open for `min_open_s`.
    0: it has none."""
    return max(head.deadline_ms, _open_until_ms(head)) if head.deadline_ms else 0


def closable_ms(head: Head) -> int:
    """When the open tick may close by itself at the earliest: at any time where its camps' word is enough, but not
    before it was open for `min_open_s`; else as `due_ms`."""
    return _open_until_ms(head) if head.schedule.when_ready else due_ms(head)


def _open_until_ms(head: Head) -> int:
    """The script that closes a tick says the same: the time with a predecessor that isn't published doesn't count."""
    return max(head.opened_ms, head.published_ms) + head.min_open_s * 1000


def deadline_after_close(head: Head, now_ms: int) -> int:
    """The deadline of the tick that a close at `now_ms` opens, in milliseconds since 1970 (0: none).

    A cron expression gives the next moment that it names. An interval counts from the deadline that passed, however
    late it is closed, so ticks don't drift and missed deadlines collapse into one; from now, when it closes early.
    """
    step_ms = head.schedule.interval_s * 1000
    if step_ms and 0 < head.deadline_ms <= now_ms:
        missed = (now_ms - head.deadline_ms) // step_ms
        return head.deadline_ms + (missed + 1) * step_ms
    return next_deadline_ms(head.schedule, now_ms)
