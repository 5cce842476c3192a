"""The sweeper: closes what is due, and sends again what makes no progress. One process at a time holds its lease.

What it does under the lease is safe to do twice, so a sweeper that stalls past its lease harms nothing. The sorted sets
that it reads are hints; a slow walk over all campaigns mends them.
"""

from dataclasses import dataclass

import structlog
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from workers import clock
from workers.bootstrap import Services, worker_name
from workers.dispatch import Dispatcher
from workers.kernel.errors import TocsinError
from workers.service.closing import closable_ms, due_ms
from workers.store.errors import StoreError
from workers.store.records import Head, Trigger

ROUND_LIMIT = 1_000
"""Campaigns that one round looks at, of each kind."""

BACKOFF_DOUBLINGS_MAX = 4
"""A tick without progress gets its work sent again after 1, 2, 4, 8, 16, 16, … stall times."""

log = structlog.get_logger()


@dataclass(slots=True)
class _Stall:
    """A tick that stands still: where it does so (see `_standstill`), and how often its work was sent again there."""

    place: tuple[int | None, int, int]
    nudges: int = 0


class Sweeper:
    """Sweeps all campaigns of a server."""

    def __init__(self, services: Services, dispatcher: Dispatcher, holder: str = "") -> None:
        self._services = services
        self._dispatcher = dispatcher
        self._holder = holder or worker_name()
        self._walked_s = -float("inf")
        self._stalls: dict[str, _Stall] = {}

    def run(self, rounds: int | None = None) -> None:
        """Sweep for ever, or for a number of rounds. A server that is away is waited for."""
        done = 0
        while rounds is None or done < rounds:
            try:
                self.round()
            except (RedisError, OperationalError) as error:  # the second is the transport's, for the same
                log.warning("server away", error=str(error))
                self._walked_s = -float("inf")  # the round may have put off campaigns that it didn't come to
            done += 1
            if rounds is None or done < rounds:
                clock.sleep_s(self._services.settings.sweep_interval_s)

    def round(self) -> bool:
        """One round, if this process holds the lease or can take it; says whether it did."""
        settings = self._services.settings
        if not self._services.store.lease.take(self._holder, int(settings.sweep_lease_s * 1000)):
            return False
        now_ms = self._services.store.heads.server_time_ms()
        self._close_due(now_ms)
        self._nudge_stalled(now_ms)
        now_s = clock.monotonic_s()
        if now_s - self._walked_s >= settings.sweep_walk_interval_s:
            self._walked_s = now_s
            self._walk(now_ms)
        return True

    def _close_due(self, now_ms: int) -> None:
        """Close what is due. Small ticks are sent as soon as there are enough for a task: the workers needn't wait
        until the last of thousands is closed.

        What can't close, or be read, waits behind all others for its next look. All are put off before any is looked
        at: whoever makes a close possible meanwhile asks for another look, and that stands.
        """
        fused: list[str] = []
        names = self._services.store.hints.due_until(now_ms, ROUND_LIMIT)
        self._services.store.hints.put_off(names, now_ms + self._walk_interval_ms())
        for name in names:
            try:
                small = self._close(name, now_ms)
            except StoreError as error:
                log.error("campaign unreadable", campaign=name, error=str(error))
                continue
            if small:
                fused = self._gathered(fused, name)
        if fused:
            self._dispatcher.resolve(fused)

    def _gathered(self, fused: list[str], name: str) -> list[str]:
        """The small campaigns that wait to be sent, with one more; none are left once they make a task."""
        fused.append(name)
        if len(fused) < self._services.settings.batch_campaigns:
            return fused
        self._dispatcher.resolve(fused)
        return []

    def _close(self, name: str, now_ms: int) -> bool:
        """Close a campaign's open tick, if it is due or all camps are ready, and send its work; True where it is small
        and yet to be sent."""
        head = self._services.store.heads.get(name)
        if head is None or head.status != "open":
            self._services.store.hints.not_due(name)
            return False
        trigger: Trigger = "deadline" if 0 < head.deadline_ms <= now_ms else "ready"
        if trigger == "ready":
            # What is noted while the close is tried is later than this, and stays: a word, the publication before it.
            self._rest(head)
            if not head.schedule.when_ready:
                return False
        reply = self._services.closing.close(head, head.open_tick, trigger)
        if reply.outcome == "closed" and not reply.fused:
            self._wake(name)
        elif reply.outcome in ("not_due", "min_open"):
            self._services.store.hints.due(name, reply.until_ms)
        elif reply.outcome == "archive_behind":
            log.error("close refused: the archive is behind", campaign=name, archived=head.archived)
        elif reply.outcome == "archive_ahead":
            log.error("close refused: the archive is ahead", campaign=name, published=head.published)
        return reply.outcome == "closed" and reply.fused

    def _rest(self, head: Head) -> None:
        """Look at the campaign's open tick again at its deadline, if it has one, and not before."""
        if head.deadline_ms:
            self._services.store.hints.due(head.campaign, due_ms(head))
        else:
            self._services.store.hints.not_due(head.campaign)

    def _nudge_stalled(self, now_ms: int) -> None:
        before_ms = now_ms - int(self._services.settings.stall_s * 1000)
        fused: list[str] = []
        for name in self._services.store.hints.running_until(before_ms, ROUND_LIMIT):
            try:
                head = self._services.store.heads.get(name)
            except StoreError as error:
                log.error("campaign unreadable", campaign=name, error=str(error))
                self._services.store.hints.running(name, now_ms + self._walk_interval_ms())
                continue
            if head is None or not _unfinished(head):
                self._services.store.hints.not_running(name)
            elif self._progressed(head, before_ms):
                self._services.store.hints.running(name, head.progress_ms)
            else:
                self._services.store.hints.running(name, now_ms + self._backoff_ms(self._nudged(head)))
                if head.fused and head.tick_status == "resolving":
                    fused = self._gathered(fused, name)
                else:
                    self._nudge(name)
        if fused:
            self._dispatcher.resolve(fused)

    def _progressed(self, head: Head, before_ms: int) -> bool:
        """Whether a tick made progress since `before_ms`, as far as its head tells. Progress in the future was noted
        before the server's clock was set back, and none since: the hint counts then, which a walk makes the present.
        """
        return before_ms < head.progress_ms <= self._services.store.heads.server_time_ms()

    def _walk_interval_ms(self) -> int:
        """How long a campaign is left alone that nothing can be done for: until then a walk comes by anyhow."""
        return int(self._services.settings.sweep_walk_interval_s * 1000)

    def _nudged(self, head: Head) -> int:
        """How often the campaign's tick was nudged before, without any progress since; it counts once more from now."""
        stall = self._stalls.get(head.campaign)
        if stall is None or stall.place != _standstill(head):
            stall = self._stalls[head.campaign] = _Stall(_standstill(head))
        stall.nudges += 1
        return stall.nudges - 1

    def _backoff_ms(self, nudged: int) -> int:
        """How much longer than the stall time to wait before the next nudge of a tick that was nudged so often before:
        twice as long each time.

        A queue that is merely long would otherwise be filled with work that is already in it.
        """
        return int(self._services.settings.stall_s * 1000) * ((1 << min(nudged, BACKOFF_DOUBLINGS_MAX)) - 1)

    def _walk(self, now_ms: int) -> None:
        for name in self._services.store.heads.campaigns():
            try:
                head = self._services.store.heads.get(name)
            except StoreError as error:
                log.error("campaign unreadable", campaign=name, error=str(error))
                continue
            if head is None:
                continue
            if head.status == "open":
                self._note_due(head, now_ms)
            if _unfinished(head):
                self._services.store.hints.running_at_latest(name, self._look_ms(head, now_ms))
            elif min(head.archived, head.retired) < head.published or self._services.publication.unrevealed(head):
                self._wake(name)

    def _note_due(self, head: Head, now_ms: int) -> None:
        """Note when an open campaign's tick is to be looked at: at its deadline, and as soon as it may close where all
        camps are ready. One that is late already waits behind those that are noted."""
        if head.deadline_ms:
            self._services.store.hints.due_at_latest(head.campaign, max(due_ms(head), now_ms))
        if head.schedule.when_ready:
            ready = self._services.store.intake.ready_camps(head.campaign, head.open_tick)
            if len(ready) == len(head.camps):
                self._services.store.hints.due_at_latest(head.campaign, max(closable_ms(head), now_ms))

    def _look_ms(self, head: Head, now_ms: int) -> int:
        """When an unfinished tick is to be looked at, at the latest: one that was nudged where it stands, after its
        backoff. Later times were noted before the server's clock was set back."""
        stall = self._stalls.get(head.campaign)
        if stall is None or stall.place != _standstill(head):
            return min(head.progress_ms, now_ms)
        return now_ms + self._backoff_ms(stall.nudges - 1)

    def _wake(self, name: str) -> None:
        try:
            self._dispatcher.wake(name)
        except (TocsinError, StoreError) as error:
            log.error("campaign can't be woken", campaign=name, error=str(error))

    def _nudge(self, name: str) -> None:
        try:
            self._dispatcher.nudge(name)
        except (TocsinError, StoreError) as error:
            log.error("campaign can't be nudged", campaign=name, error=str(error))


def _unfinished(head: Head) -> bool:
    return head.tick_status in ("resolving", "resolved")


def _standstill(head: Head) -> tuple[int | None, int, int]:
    """Where a tick stands as long as it makes no progress: any, and any other tick, is another place."""
    return head.resolving, head.epoch, head.progress_ms
