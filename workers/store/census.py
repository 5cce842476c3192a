"""All campaigns at a glance: the few fields of each head that whoever watches an installation sums up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from workers.store.commands import Commands
from workers.store.keys import Keys

CHUNK: Final = 500
"""Heads that are read in one round trip: other requests get their turn in between."""
_FIELDS: Final = ("status", "tick_status", "published", "archived", "deadline_ms")


class Summary(msgspec.Struct, frozen=True):
    """Of a head: the campaign's status, that of its closed tick ("": none), ticks published and archived, and the open
    tick's deadline in the server's milliseconds (0: none)."""

    status: str
    tick_status: str
    published: int
    archived: int
    deadline_ms: int


class Census:
    """Reads what is summed up."""

    def __init__(self, client: Commands) -> None:
        self._client = client

    def summaries(self, campaigns: Sequence[str]) -> Iterator[Summary]:
        """Of each campaign that is there, in their order."""
        for start in range(0, len(campaigns), CHUNK):
            with self._client.pipeline(transaction=False) as pipeline:
                for name in campaigns[start : start + CHUNK]:
                    pipeline.hmget(Keys(name).head, _FIELDS)
                found: list[list[bytes | None]] = pipeline.execute()
            for values in found:
                status, tick_status, published, archived, deadline_ms = (value or b"" for value in values)
                if status:
                    yield Summary(
                        status.decode(),
                        tick_status.decode(),
                        int(published or 0),
                        int(archived or 0),
                        int(deadline_ms or 0),
                    )

    def queue_lengths(self, queues: Sequence[str]) -> dict[str, int]:
        """Messages that wait in each of the broker's queues: this client may be of another server than the heads'."""
        with self._client.pipeline(transaction=False) as pipeline:
            for queue in queues:
                pipeline.llen(queue)
            return dict(zip(queues, (int(count) for count in pipeline.execute()), strict=True))
