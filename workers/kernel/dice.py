"""Keyed, counter-based dice: a roll depends on *which* roll it is, never on when or where it is computed.

A stream of dice has a path `phase/subject/label`. Its block i is `HMAC-SHA256(tick_seed, path + "#" + i)`; draws take
bytes of the blocks in order, by rejection, so they are exactly uniform. One more draw shifts no other stream.
"""

import re
import unicodedata

from workers.kernel.keyed import KeyedHash

_LARGEST = 1 << 64
_FACES = bytes(byte % 6 + 1 if byte < 252 else 0 for byte in range(256))
"""A byte as a d6; 0: it is rejected, 252 being the largest multiple of 6."""
_REJECTED = bytes(range(252, 256))
_PART = '[ -"$-.0-~]+'
_plain = re.compile("/".join([_PART] * 3)).fullmatch
"""A path of printable ASCII, as nearly all are, told by one look."""


def check_path(path: str) -> None:
    """Raise ValueError unless the path is three parts, UTF-8 NFC, without `#` and control characters."""
    if _plain(path):
        return
    parts = path.split("/")
    if len(parts) != 3 or "#" in path:
        raise ValueError(f"a path of dice is phase/subject/label without '#', got {path!r}")
    if unicodedata.normalize("NFC", path) != path:
        raise ValueError(f"a path of dice is in Unicode form NFC, got {path!r}")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in path):
        raise ValueError(f"a path of dice has no control characters, got {path!r}")
    if not all(parts):
        raise ValueError(f"no part of a path of dice is empty, got {path!r}")


class Dice:
    """The dice of one tick, from its 32-byte seed."""

    __slots__ = ("_mac",)

    def __init__(self, tick_seed: bytes) -> None:
        if len(tick_seed) != 32:
            raise ValueError(f"a tick seed has 32 bytes, got {len(tick_seed)}")
        self._mac = KeyedHash(tick_seed).digest

    def block(self, path: str, index: int) -> bytes:
        """Block `index` of a stream: 32 bytes."""
        return self._mac(f"{path}#{index}".encode())

    def initiative(self, order_id: str) -> bytes:
        """The 32 bytes by which orders are sorted, ascending."""
        return self._mac(f"initiative/{order_id}".encode())

    def stream(self, path: str) -> "Stream":
        """The stream of a path. Raises ValueError on a malformed path."""
        check_path(path)
        return Stream(self, path)

    def below(self, path: str, bound: int) -> int:
        """The first draw below a bound of a path, as `Stream.below` would give it (here mostly without building a
        stream). Raises ValueError on a malformed path or a bound outside 1..2⁶⁴.
        """
        check_path(path)
        if 0 < bound <= 256:
            accepted = 256 - 256 % bound
            for drawn in self._mac(f"{path}#0".encode()):
                if drawn < accepted:
                    return drawn % bound
        return Stream(self, path).below(bound)

    def d6(self, path: str, count: int) -> tuple[int, ...]:
        """The first `count` d6 of a path, as `Stream.d6` would draw them (here without building a stream)."""
        check_path(path)
        block = self._mac(f"{path}#0".encode())
        faces = block[:count].translate(_FACES)
        if 0 in faces:  # of three dice one time in twenty
            faces = block.translate(_FACES, _REJECTED)[:count]
        if len(faces) < count:  # some are in later blocks
            stream = Stream(self, path)
            return tuple([stream.d6() for _ in range(count)])
        return tuple(faces)


class Stream:
    """Draws of one path, in order. Not shared: each reader of a path makes its own."""

    __slots__ = ("_block", "_dice", "_index", "_offset", "path")

    def __init__(self, dice: Dice, path: str) -> None:
        self.path = path
        self._dice = dice
        self._block = b""
        self._index = 0
        self._offset = 0

    def below(self, bound: int) -> int:
        """A uniform integer 0..bound-1, for 1 ≤ bound ≤ 2⁶⁴. Raises ValueError outside."""
        if not 1 <= bound <= _LARGEST:
            raise ValueError(f"a draw is below 1..2**64, got {bound}")
        width, size = (1, 256) if bound <= 256 else (8, _LARGEST)
        accepted = size - size % bound
        while True:
            start, end = self._offset, self._offset + width
            if end > len(self._block):
                self._block = self._dice.block(self.path, self._index)
                self._index += 1
                start, end = 0, width
            self._offset = end
            drawn = int.from_bytes(self._block[start:end], "big")
            if drawn < accepted:
                return drawn % bound

    def d6(self) -> int:
        """One die, 1..6."""
        return self.below(6) + 1

    def percent(self) -> int:
        """A uniform integer 1..100 (K5)."""
        return self.below(100) + 1
