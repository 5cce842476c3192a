"""Waiting for new pages of a report on the event loop, with a client of its own: waiting holds no thread."""

from collections.abc import Callable
from typing import Any

from workers.store.connection import AsyncClient
from workers.store.records import Page
from workers.store.reports import page_of

PAGES_A_READ = 10


class Streams:
    """Waits on report streams. `connect` makes the client, once the event loop runs."""

    def __init__(self, connect: Callable[[], AsyncClient]) -> None:
        self._connect = connect
        self._client: AsyncClient | None = None

    async def pages_after(self, key: str, entry: tuple[int, int], wait_s: float) -> list[Page]:
        """The next pages of a stream after an entry, waiting for the first up to `wait_s` seconds.

        Raises redis-py's errors when the server is gone.
        """
        if self._client is None:
            self._client = self._connect()
        found: Any = await self._client.xread(
            {key: f"{entry[0]}-{entry[1]}"}, count=PAGES_A_READ, block=max(1, int(wait_s * 1000))
        )
        return [page_of(entry_id, fields) for _, entries in found or () for entry_id, fields in entries]

    async def close(self) -> None:
        """Close the client, if there is one."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None
