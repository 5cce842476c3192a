"""Where a home's orders and meters lie: its bucket, its slice, its group, all from one place."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

PLACES_KEPT: Final = 1 << 16


class _Places(dict[str, int]):
    """Home → its place, worked out when it is first asked for. An order asks for three: a dictionary that begins anew
    when it's full finds them faster than a cache that notes which was used last."""

    def __missing__(self, home: str) -> int:
        if len(self) >= PLACES_KEPT:
            self.clear()
        digest = sha256(home.encode()).digest()
        place = self[home] = digest[0] << 8 | digest[1]
        return place


_PLACES: Final = _Places()


def place_of(home: str) -> int:
    """The first two bytes of SHA-256 of a home's key, big-endian: 0..65535. Bucket, slice and group derive from it."""
    return _PLACES[home]


def bucket_of(home: str) -> int:
    """The home's bucket, 0..255."""
    return _PLACES[home] >> 8


def slice_of(home: str, slices: int) -> int:
    """The home's slice, 0..slices-1; a slice is a run of 256/slices buckets."""
    return _PLACES[home] * slices >> 16


def group_of(home: str, groups: int) -> int:
    """The group of a home's meters, 0..groups-1."""
    return _PLACES[home] * groups >> 16
