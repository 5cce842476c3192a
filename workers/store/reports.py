"""The camps' report streams: pages written once, read from any page on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from workers.store.blobs import blob_names
from workers.store.commands import Commands
from workers.store.compression import compressed, plain
from workers.store.keys import Keys
from workers.store.records import Page
from workers.store.scripts import Call

PAGES_A_CALL: Final = 200
"""Pages of one script call: bounds how long the server is busy with one of them."""

Position = tuple[int, int]
"""(tick, page): a page's id; (n, 0) stands before tick n's first page."""


def position_of(entry_id: bytes) -> Position:
    """(tick, page) of a stream entry's id, `tick-page`."""
    tick, _, page = entry_id.partition(b"-")
    return int(tick), int(page)


def page_of(entry_id: bytes, fields: Mapping[bytes, bytes]) -> Page:
    """A page from a stream's entry, as any client read it."""
    tick, page = position_of(entry_id)
    return Page(tick=tick, page=page, body=plain(fields[b"p"]), last=fields.get(b"last") == b"1")


def page_calls(
    campaign: str, camp: str, tick: int, epoch: int, manifest: str, pages: Iterable[bytes | str]
) -> Iterator[Call]:
    """What writes all pages, at least one, of a tick that is resolved in an epoch to the state `manifest` to a camp's
    stream, numbered from 1; pages that are there already are skipped.

    A page is given by its bytes, or by the digest of a stored blob: a blob and a stream's entry hold the same bytes of
    it, so the server copies them. The last of `pages` is marked as the tick's last.
    """
    keys = Keys(campaign)
    rest = iter(pages)
    chunk = list(islice(rest, PAGES_A_CALL))
    first = 1
    while chunk:
        following = list(islice(rest, PAGES_A_CALL))
        stored = blob_names(campaign, [page for page in chunk if isinstance(page, str)])
        bodies = ["" if isinstance(page, str) else compressed(page) for page in chunk]
        names = [keys.head, keys.reports(camp), *stored]
        yield "pages", names, [tick, epoch, manifest, first, int(not following), *bodies]
        first += len(chunk)
        chunk = following


def least_kept(last: Position, first_tick: int) -> str:
    """The least id that stays where the pages of ticks before `first_tick` are dropped from a stream that ends with
    `last`: never that one, for an emptied stream could take a page again that it had."""
    tick, page = min((first_tick, 0), last)
    return f"{tick}-{page}"


class Reports:
    """Reads the camps' streams."""

    def __init__(self, client: Commands) -> None:
        self._client = client

    def key(self, campaign: str, camp: str) -> str:
        """The stream's key, for a reader that blocks with a client of its own."""
        return Keys(campaign).reports(camp)

    def read(self, campaign: str, camp: str, *, after: Position = (0, 0), count: int = 100) -> list[Page]:
        """Up to `count` pages that follow `after`, in order."""
        low = f"({after[0]}-{after[1]}"
        entries = self._client.xrange(self.key(campaign, camp), min=low, count=count)
        return [page_of(entry_id, fields) for entry_id, fields in entries]

    def first_position(self, campaign: str, camp: str) -> Position | None:
        """The oldest page that is still in the stream; None for a stream without any."""
        entries = self._client.xrange(self.key(campaign, camp), count=1)
        return position_of(entries[0][0]) if entries else None

    def last_position(self, campaign: str, camp: str) -> Position | None:
        """The newest page of the stream; None for a stream without any."""
        entries = self._client.xrevrange(self.key(campaign, camp), count=1)
        return position_of(entries[0][0]) if entries else None
