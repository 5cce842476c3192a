"""Ids, handles and the seeds that they come from: all keyed, none foreseeable, each recomputable with `openssl`.

Everything is HMAC-SHA256 (RFC 2104). Ids and handles are the first 16 bytes, in lower-case base32 (RFC 4648) without
padding; numbers are decimal; parts that a client chooses are percent-encoded (RFC 3986), so that no two tuples of parts
join to one text.
"""

import hashlib
import struct
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote

from workers.kernel.keyed import KeyedHash

ID_LENGTH = 26
"""Characters of an id or handle: 128 bits in base32 without padding."""


def mac(key: bytes, message: str) -> bytes:
    """HMAC-SHA256 of a text in UTF-8, 32 bytes. The key has at most 64; raises ValueError for a longer one."""
    return KeyedHash(key).digest(message.encode())


def tick_seed(campaign_seed: bytes, tick: int) -> bytes:
    """The seed of a tick's dice: 32 bytes, secret until its reveal."""
    return mac(campaign_seed, f"tocsin/tick/{tick}")


def commitment(seed: bytes) -> str:
    """What is public of a tick seed before its tick opens: SHA-256 in hexadecimal."""
    return hashlib.sha256(seed).hexdigest()


def id_key(campaign_seed: bytes) -> bytes:
    """The key of the campaign's ids and handles: 32 bytes. The public API holds this one and never the seed."""
    return mac(campaign_seed, "tocsin/ids")


def salt(campaign_seed: bytes, tick: int) -> bytes:
    """The salt under which a camp gets a tick's digest: 32 bytes."""
    return mac(campaign_seed, f"tocsin/salt/{tick}")


_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_PAIRS = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
"""Base32 of each number of 10 bits: an id is thirteen look-ups in a table that stays in the processor's nearest cache,
where the standard library takes three times as long."""
_halves = struct.Struct(">QQ").unpack_from


def encode_id(raw: bytes) -> str:
    """The first 16 bytes as the 26 characters of an id."""
    high, low = _halves(raw)
    middle = (high & 15) << 6 | low >> 58
    two = _PAIRS
    return (
        f"{two[high >> 54]}{two[high >> 44 & 1023]}{two[high >> 34 & 1023]}{two[high >> 24 & 1023]}"
        f"{two[high >> 14 & 1023]}{two[high >> 4 & 1023]}{two[middle]}{two[low >> 48 & 1023]}{two[low >> 38 & 1023]}"
        f"{two[low >> 28 & 1023]}{two[low >> 18 & 1023]}{two[low >> 8 & 1023]}{two[low << 2 & 1023]}"
    )


_AT_ONCE = 64
"""Ids that are encoded side by side: as many as a few hundred bytes short of two kilobytes hold."""
_BESIDE = bytes(ID_LENGTH - 16)
"""What fills a lane up from an id's bytes to its text's."""


def _spread() -> list[tuple[int, int, int]]:
    """The steps that draw the digits of every lane apart: what stays, what moves up, and by how many bits."""
    steps = []
    runs = [(0, ID_LENGTH)]
    """Digits that still lie side by side: the bit where they begin, and how many."""
    for half in (16, 8, 4, 2, 1):
        stays = moves = 0
        drawn = []
        for at, digits in runs:
            low, high = min(digits, half), max(0, digits - half)
            stays |= ((1 << 5 * low) - 1) << at
            moves |= ((1 << 5 * high) - 1) << at + 5 * half
            drawn += [(at, low), (at + 8 * half, high)]
        lanes = [int.from_bytes(mask.to_bytes(ID_LENGTH, "big") * _AT_ONCE, "big") for mask in (stays, moves)]
        steps.append((lanes[0], lanes[1], 3 * half))
        runs = drawn
    return steps


_SPREAD = _spread()
_LETTERS = bytes.maketrans(bytes(range(32)), _ALPHABET.encode())


def encode_ids(raws: Sequence[bytes]) -> list[str]:
    """`encode_id` of many at once, of 16 bytes each, in a quarter of the time.

    The numbers of up to `_AT_ONCE` ids stand side by side in one large number, each in a lane as wide as its text.
    Five steps draw the 26 digits of every lane apart, from 5 bits each to a byte each: halves first, then quarters, and
    so on; then a table makes them letters.
    """
    texts: list[str] = []
    for start in range(0, len(raws), _AT_ONCE):
        part = raws[start : start + _AT_ONCE]
        number = int.from_bytes(_BESIDE.join([b"", *part]), "big") << 2
        for stays, moves, bits in _SPREAD:
            number = number & stays | (number & moves) << bits
        text = number.to_bytes(len(part) * ID_LENGTH, "big").translate(_LETTERS).decode()
        texts += [text[at : at + ID_LENGTH] for at in range(0, len(text), ID_LENGTH)]
    return texts


_DIGITS = str.maketrans(
    {chr(code): "!" for code in range(128)} | dict(zip(_ALPHABET, "0123456789abcdefghijklmnopqrstuv", strict=True))
)
"""From base32 of RFC 4648 to Python's digits of base 32, whose integers are read several times as fast; other ASCII to
what is no digit."""


def decode_id(text: str) -> bytes:
    """The 16 bytes of an id. Raises ValueError when the text is not an id in its one written form."""
    if len(text) == ID_LENGTH and text.isascii():
        digits = text.translate(_DIGITS)
        if digits.isalnum():
            number = int(digits, 32)
            if not number & 3:
                return (number >> 2).to_bytes(16, "big")
    raise ValueError(f"an id has {ID_LENGTH} characters of lower-case base32 that encode 16 bytes, got {text!r}")


def percent(part: str | int) -> str:
    """A part of an id's text: letters, digits and `_.-~` as they are, every other byte of its UTF-8 as %XX."""
    text = str(part)
    return text if text.isalnum() and text.isascii() else _quoted(text)


@lru_cache(1024)
def _quoted(text: str) -> str:
    return quote(text, safe="")


class Ids:
    """The ids and handles of one campaign, from its id key."""

    __slots__ = ("_handles", "_keyed", "_mac", "key")

    def __init__(self, key: bytes) -> None:
        self.key = key
        self._keyed = KeyedHash(key)
        self._mac = self._keyed.digest
        self._handles: dict[str, str] = {}

    def handle(self, name: str) -> str:
        """The handle of an entity, or of an order's merge key: what stands for its name in the path of a roll."""
        known = self._handles.get(name)
        if known is None:
            if len(self._handles) >= 65_536:
                self._handles.clear()
            known = self._handles[name] = encode_id(self._mac(f"handle/{name}".encode()))
        return known

    def order(self, tick: int, actor: str, key: str, index: int) -> str:
        """The id of an order: the same for each retry of the same request."""
        return encode_id(self._mac(f"order/{tick}/{percent(actor)}/{percent(key)}/{index}".encode()))

    def orders(self, tick: int, actor: str, key: str, count: int) -> list[bytes]:
        """The ids of a request's orders, by index: 16 bytes each, which `encode_ids` makes what `order` gives."""
        beginning = f"order/{tick}/{percent(actor)}/{percent(key)}/"
        codes = self._keyed.digests(beginning.encode(), [b"%d" % index for index in range(count)])
        return [code[:16] for code in codes]

    def created(self, kind: str, tick: int, *parts: str) -> str:
        """The id of a thing created in play (a mission, a levy): one a kind, tick and parts."""
        text = "/".join([kind, str(tick), *map(percent, parts)])
        return encode_id(self._mac(text.encode()))
