"""HMAC-SHA256 under one key (RFC 2104), many times over: the states of its two pads are computed once and copied.

A dice block, a handle or an order's id is one short message under a key that stays: this way it costs less than half.
"""

import hashlib
from collections.abc import Iterable

_BLOCK_BYTES = 64
_INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))


class KeyedHash:
    """HMAC-SHA256 with a key of at most 64 bytes. Raises ValueError for a longer one (nobody here has one)."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        if len(key) > _BLOCK_BYTES:
            raise ValueError(f"a key has at most {_BLOCK_BYTES} bytes, got {len(key)}")
        padded = key.ljust(_BLOCK_BYTES, b"\0")
        self._inner = hashlib.sha256(padded.translate(_INNER_PAD))
        self._outer = hashlib.sha256(padded.translate(_OUTER_PAD))

    def digest(self, message: bytes) -> bytes:
        """The code of a message: 32 bytes."""
        inner = self._inner.copy()
        inner.update(message)
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.digest()

    def digests(self, beginning: bytes, endings: Iterable[bytes]) -> list[bytes]:
        """The codes of messages that begin alike: what they share is hashed once."""
        begun = self._inner.copy()
        begun.update(beginning)
        found = []
        for ending in endings:
            inner = begun.copy()
            inner.update(ending)
            outer = self._outer.copy()
            outer.update(inner.digest())
            found.append(outer.digest())
        return found
