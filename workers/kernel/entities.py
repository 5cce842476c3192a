"""Entities at rest: homes, the shared blob, and what one camp knows of them.

Each entity has a *home*, a record with a field `id`; what is few and read by all is *shared*, one record. A slice is a
run of buckets of homes, stored as lines: a header (the keys of each bucket), then one line of canonical bytes a home.
Reading a slice decodes no home; a home that nobody touches keeps its bytes.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Generic, TypeVar

import msgspec

from workers.kernel.digest import BUCKETS, bucket_of, canonical, digest_of_items
from workers.kernel.errors import InvalidInput

SharedT = TypeVar("SharedT")
SeenSharedT = TypeVar("SeenSharedT")
SeenHomeT = TypeVar("SeenHomeT")
SettingsT = TypeVar("SettingsT")


class Reads(msgspec.Struct, frozen=True):
    """The keys that a check needs: homes whose seen state it reads, and homes whose booked orders of its own camp it
    reads.
    """

    homes: tuple[str, ...] = ()
    booked: tuple[str, ...] = ()


class View(msgspec.Struct, Generic[SeenSharedT, SeenHomeT, SettingsT], frozen=True):
    """What one camp knows: all that `check` and `odds` receive. It holds `see`'s output, never state.

    `homes` has what the camp knows of each home that it may know something of; `booked` its own camp's orders of the
    tick that takes orders, by home.
    """

    camp: str
    tick: int
    settings: SettingsT
    shared: SeenSharedT
    homes: Mapping[str, SeenHomeT]
    booked: Mapping[str, tuple[Any, ...]]


class State(msgspec.Struct, Generic[SharedT]):
    """The whole state of a campaign, as rulebooks found it and bundles hold it: homes by key."""

    shared: SharedT
    homes: dict[str, Any]


_HEADER: msgspec.json.Decoder[dict[str, list[str]]] = msgspec.json.Decoder(dict[str, list[str]])


class Slice:
    """The homes of a run of buckets: keys and lines by bucket, decoded only on demand."""

    __slots__ = ("keys", "lines")

    def __init__(self, keys: dict[int, list[str]], lines: dict[str, bytes]) -> None:
        self.keys = keys
        self.lines = lines

    @classmethod
    def parse(cls, data: bytes) -> "Slice":
        """The slice of stored bytes (empty bytes: no home)."""
        if not data:
            return cls({}, {})
        header, *lines = data.split(b"\n")
        keys = {int(bucket): names for bucket, names in _HEADER.decode(header).items()}
        names = list(chain.from_iterable([keys[bucket] for bucket in sorted(keys)]))
        if len(names) != len(lines):
            raise InvalidInput("slice", f"{len(names)} keys and {len(lines)} lines", "one line a key")
        return cls(keys, dict(zip(names, lines, strict=True)))

    @classmethod
    def of(cls, lines: Mapping[str, bytes]) -> "Slice":
        """The slice of homes given by key and canonical bytes."""
        keys: dict[int, list[str]] = {}
        for name in sorted(lines):
            keys.setdefault(bucket_of(name), []).append(name)
        return cls({bucket: keys[bucket] for bucket in sorted(keys)}, dict(lines))

    def copy(self) -> "Slice":
        """The same homes, whose lines may be changed without changing these."""
        return Slice(self.keys, dict(self.lines))

    def to_bytes(self) -> bytes:
        """The stored bytes: empty when there is no home."""
        if not self.lines:
            return b""
        header = canonical({f"{bucket:03d}": names for bucket, names in self.keys.items() if names})
        return b"\n".join([header, *map(self.lines.__getitem__, self)])

    def bucket_digests(self) -> dict[int, bytes]:
        """The digest of each bucket that has a home."""
        line = self.lines.__getitem__
        return {bucket: digest_of_items(map(line, names)) for bucket, names in self.keys.items() if names}

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.keys.values())


def slice_of_bucket(bucket: int, slices: int) -> int:
    """The slice in which a bucket lies, when the 256 buckets are cut into `slices` equal runs (a power of two)."""
    return bucket * slices // BUCKETS


def slice_of_key(key: str, slices: int) -> int:
    """The slice in which a home lies."""
    return slice_of_bucket(bucket_of(key), slices)


def cut(homes: Iterable[tuple[str, Any]], slices: int) -> list[Slice]:
    """All homes of a campaign as its slices, in order."""
    lines: list[dict[str, bytes]] = [{} for _ in range(slices)]
    for key, home in homes:
        lines[slice_of_key(key, slices)][key] = canonical(home)
    return [Slice.of(part) for part in lines]
