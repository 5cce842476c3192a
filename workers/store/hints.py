"""The sweeper's index: when campaigns are to be looked at, for a close or for a lack of progress. Hints only: the heads
are the truth.

A look that comes too early is in vain and harms nothing. So whoever makes a close possible, or is about to set a tick
running, notes it; what is missing or too late is mended by walking all campaigns.
"""

from __future__ import annotations

from collections.abc import Sequence

from workers.store.commands import Commands
from workers.store.keys import DUE, RUNNING
from workers.store.scripts import Command


def closing_hint(campaign: str, at_ms: int) -> Command:
    """A note that a tick of the campaign may be closed at `at_ms`. One that resolves already keeps its place: attempts
    to close the next, again and again, would else make a stalled tick look as if it had just made progress."""
    return ("ZADD", RUNNING, "NX", at_ms, campaign)


class Hints:
    """Campaigns by the time at which they need a look, in the server's milliseconds."""

    def __init__(self, client: Commands) -> None:
        self._client = client

    def due(self, campaign: str, at_ms: int) -> None:
        """Whether the campaign's open tick closes is to be looked at from `at_ms` on: at its deadline, or when a tick
        may close whose camps are all ready."""
        self._client.zadd(DUE, {campaign: at_ms})

    def due_at_latest(self, campaign: str, at_ms: int) -> None:
        """As `due`, for one that isn't noted, or noted with a later time; an earlier one stays."""
        self._client.zadd(DUE, {campaign: at_ms}, lt=True)

    def put_off(self, campaigns: Sequence[str], until_ms: int) -> None:
        """Look at campaigns that are due at `until_ms` and not before, unless somebody notes another time from now on;
        one that isn't due any more stays so."""
        if campaigns:
            self._client.zadd(DUE, dict.fromkeys(campaigns, until_ms), xx=True)

    def running(self, campaign: str, at_ms: int) -> None:
        """A tick of the campaign resolves, and made progress at `at_ms`."""
        self._client.zadd(RUNNING, {campaign: at_ms})

    def running_at_latest(self, campaign: str, at_ms: int) -> None:
        """As `running`, for one that isn't noted, or noted with a later time; an earlier one stays."""
        self._client.zadd(RUNNING, {campaign: at_ms}, lt=True)

    def not_due(self, campaign: str) -> None:
        """Nothing is to be looked at: the campaign has no deadline, or isn't open."""
        self._client.zrem(DUE, campaign)

    def not_running(self, campaign: str) -> None:
        """No tick of the campaign resolves."""
        self._client.zrem(RUNNING, campaign)

    def due_until(self, at_ms: int, limit: int) -> list[str]:
        """Up to `limit` campaigns due at or before `at_ms`, those first that have waited for their look for longest."""
        return self._until(DUE, at_ms, limit)

    def running_until(self, at_ms: int, limit: int) -> list[str]:
        """Up to `limit` running campaigns without progress since `at_ms`, the longest first."""
        return self._until(RUNNING, at_ms, limit)

    def _until(self, key: str, at_ms: int, limit: int) -> list[str]:
        names = self._client.zrangebyscore(key, "-inf", at_ms, start=0, num=limit)
        return [name.decode() for name in names]
