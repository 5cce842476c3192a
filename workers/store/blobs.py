"""Immutable blobs by digest, and a cache of them within a bound in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Final, Generic, TypeVar

from workers.store.commands import Commands
from workers.store.compression import plain
from workers.store.keys import Keys
from workers.store.scripts import Call, Question

READ_CHUNK: Final = 64
"""Blobs a command: a reply of many large ones would hold the server's other clients."""

COLLECT_CHUNK: Final = 256

V = TypeVar("V")


class Blobs:
    """Reads blobs. Only the scripts that name blobs write them."""

    def __init__(self, client: Commands) -> None:
        self._client = client

    def get_many(self, campaign: str, digests: Sequence[str]) -> list[bytes | None]:
        """The blobs in the order of their digests; None for each that isn't there."""
        found: list[bytes | None] = []
        for start in range(0, len(digests), READ_CHUNK):
            found += _read(self._client.mget(blob_names(campaign, digests[start : start + READ_CHUNK])))
        return found

    def index(self, campaign: str) -> dict[str, int]:
        """Digest → the last tick that named the blob."""
        return read_index(self._client.hgetall(Keys(campaign).blobs))


def blobs_question(campaign: str, digests: Sequence[str]) -> Question[list[bytes | None]]:
    """What `Blobs.get_many` asks for up to `READ_CHUNK` blobs, for the round trip of another."""
    return Question([("MGET", *blob_names(campaign, digests))] if digests else [], lambda replies: _read(*replies))


def blob_names(campaign: str, digests: Iterable[str]) -> list[str]:
    """The keys of blobs, by their digests: what all of them begin with is put together once."""
    beginning = Keys(campaign).blob("")
    return [beginning + digest for digest in digests]


def _read(values: Iterable[bytes | None] = ()) -> list[bytes | None]:
    return [None if data is None else plain(data) for data in values]


def read_index(raw: Mapping[bytes, bytes]) -> dict[str, int]:
    """Digest → the last tick that named the blob, from the index as the server gives it."""
    return {name.decode(): int(value) for name, value in raw.items()}


def collect_calls(campaign: str, index: Mapping[str, int], before: int) -> Iterator[Call]:
    """What drops the blobs that were last named before tick `before`, by an index that was read before.

    The script reads each line of the index again: a blob that is named meanwhile stays.
    """
    keys = Keys(campaign)
    old = sorted(digest for digest, tick in index.items() if tick < before)
    for start in range(0, len(old), COLLECT_CHUNK):
        chunk = old[start : start + COLLECT_CHUNK]
        yield "collect", [keys.blobs, *blob_names(campaign, chunk)], [before, *chunk]


class BlobCache(Generic[V]):
    """Values by digest (blobs, or what was decoded from them), the least recently used leaving first.

    `bytes_max` bounds the sum of the sizes that `put` was told. Safe to share between threads.
    """

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._entries: OrderedDict[str, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, digest: str) -> V | None:
        """The value, now the most recently used; None where it isn't cached."""
        with self._lock:
            entry = self._entries.get(digest)
            if entry is None:
                return None
            self._entries.move_to_end(digest)
            return entry[0]

    def put(self, digest: str, value: V, size: int) -> None:
        """Keep a value of `size` bytes; one larger than the whole bound isn't kept."""
        with self._lock:
            self._drop(digest)
            if size > self._bytes_max:
                return
            self._entries[digest] = (value, size)
            self._bytes += size
            while self._bytes > self._bytes_max:
                self._bytes -= self._entries.popitem(last=False)[1][1]

    def take(self, digest: str) -> V | None:
        """The value, which leaves the cache: for whoever is going to change it."""
        with self._lock:
            return self._drop(digest)

    @property
    def size(self) -> int:
        """The sum of the sizes of what is cached, in bytes."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._entries)

    def _drop(self, digest: str) -> V | None:
        entry = self._entries.pop(digest, None)
        if entry is None:
            return None
        self._bytes -= entry[1]
        return entry[0]
