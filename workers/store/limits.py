"""What a token has taken of what is bounded: streams that are open, campaigns that it founded.

Each is counted under the token's owner: the first of a row of tokens that replaced each other (see `Token.origin`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from redis.exceptions import NoScriptError

from workers.store.commands import Commands
from workers.store.keys import OPEN_STREAMS, Keys, founded_key, streams_key, token_key
from workers.store.records import Hold
from workers.store.scripts import Argument, Scripts
from workers.store.tokens import living

UNBOUNDED: Final = 1 << 53
"""How many streams all tokens have open, at most: each has its own bound."""


class Limits:
    """Counts across all processes. A process that is killed gives its streams back when their leases run out."""

    def __init__(self, client: Commands, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def open_stream(self, owner: str, stream: str, *, for_ms: int, most: int) -> Hold:
        """Hold one of at most `most` places for streams, for `for_ms` from now."""
        return _hold(self._scripts.run("hold", [streams_key(owner)], [stream, for_ms, most]))

    def keep_stream(self, token: str, owner: str, stream: str, *, for_ms: int, most: int) -> tuple[bool, Hold]:
        """Hold a place longer, noting it among the streams of all tokens; one round trip. Says also whether the token
        (its id) is still known."""
        calls: tuple[tuple[str, list[Argument]], ...] = (
            (streams_key(owner), [stream, for_ms, most]),
            (OPEN_STREAMS, [stream, for_ms, UNBOUNDED]),
        )
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.get(token_key(token))
            for key, arguments in calls:
                self._scripts.queue(pipeline, "hold", [key], arguments)
            record, *replies = pipeline.execute(raise_on_error=False)
        for at, (key, arguments) in enumerate(calls):
            if isinstance(replies[at], NoScriptError):
                replies[at] = self._scripts.run("hold", [key], arguments)
        for reply in (record, *replies):
            if isinstance(reply, Exception):
                raise reply
        return living(self._client, token, record) is not None, _hold(replies[0])

    def close_stream(self, owner: str, stream: str) -> None:
        """Give a place back."""
        with self._client.pipeline(transaction=False) as pipeline:
            for key in (streams_key(owner), OPEN_STREAMS):
                pipeline.zrem(key, stream)
            pipeline.execute()

    def streams(self, now_ms: int) -> int:
        """How many streams are open, of all tokens and in all processes; `now_ms` by the server's clock."""
        return self._client.zcount(OPEN_STREAMS, f"({now_ms}", "+inf")

    def reserve_campaign(self, owner: str, campaign: str, most: int) -> tuple[str, int]:
        """Reserve a place for a campaign that is about to be founded: `had` (it has that place), `reserved` or `full`,
        and how many places are taken."""
        outcome, count = self._scripts.outcome("reserve", [founded_key(owner)], [campaign, most])
        return str(outcome), int(count)

    def give_back(self, owner: str, campaigns: Sequence[str]) -> None:
        """Give places of campaigns back: they ended, or were never founded."""
        if campaigns:
            self._client.zrem(founded_key(owner), *campaigns)

    def ended(self, owner: str, unfounded_before_ms: int) -> list[str]:
        """The campaigns of an owner that have ended, and those whose place was reserved before that time (by the
        server's clock) and that aren't there: whoever was founding them was killed."""
        places = self._client.zrange(founded_key(owner), 0, -1, withscores=True)
        with self._client.pipeline(transaction=False) as pipeline:
            for name, _ in places:
                pipeline.hget(Keys(name.decode()).head, "status")
            statuses: list[bytes | None] = pipeline.execute()
        return [
            name.decode()
            for (name, reserved_ms), status in zip(places, statuses, strict=True)
            if status == b"ended" or (status is None and reserved_ms < unfounded_before_ms)
        ]


def _hold(reply: Any) -> Hold:
    held, count, first_ms = reply
    return Hold(bool(held), int(count), int(first_ms))
