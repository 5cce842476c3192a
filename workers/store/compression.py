"""Blobs and pages of reports as the server holds them: compressed, a sixth to an eighth of their size.

Zstandard (RFC 8878) at its fastest standard level: what it saves on the way to the server, in its memory and in its
append-only file costs less than sending the bytes as they are. Digests are always of the plain bytes, so nothing that
is agreed on depends on the version of a library.
"""

from __future__ import annotations

from functools import partial
from threading import local
from typing import Final

import zstandard

from workers.store.errors import CorruptRecord, InvalidRequest

LEVEL: Final = 1
MAGIC: Final = zstandard.FRAME_HEADER
"""The first bytes of what is compressed. Plain blobs and pages are JSON, which never begins with them."""
SMALL_BYTES: Final = 200
"""What is smaller stays plain: a frame of it is hardly smaller, and takes its time to make and to read."""
PLAIN_BYTES_MAX: Final = 512 * 1024 * 1024
"""The server's own bound on a value; what says to be larger once it is plain was not written by Tocsin."""


class _Tools(local):
    """A compressor and a decompressor for each thread: neither may be shared."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=LEVEL).compress
        self.decompress = partial(zstandard.ZstdDecompressor().decompress, allow_extra_data=False)


_TOOLS = _Tools()


def compressed(data: bytes) -> bytes:
    """Plain bytes as the server holds them. Raises InvalidRequest for more than could be read back."""
    if len(data) < SMALL_BYTES and not data.startswith(MAGIC):
        return data
    if len(data) > PLAIN_BYTES_MAX:
        raise InvalidRequest(f"a value of {len(data)} bytes; at most {PLAIN_BYTES_MAX} are accepted")
    return _TOOLS.compress(data)


def plain(data: bytes, bytes_max: int = PLAIN_BYTES_MAX) -> bytes:
    """The plain bytes of what the server holds; what isn't compressed is plain already.

    Raises CorruptRecord for a frame that is broken, that is followed by something, or whose plain size is beyond
    `bytes_max` or not told.
    """
    if not data.startswith(MAGIC):
        return data
    try:
        size = zstandard.get_frame_parameters(data).content_size
        if size == zstandard.CONTENTSIZE_UNKNOWN:
            raise CorruptRecord("a compressed value that doesn't tell its size; one that does is accepted")
        if size > bytes_max:
            raise CorruptRecord(f"a compressed value of {size} plain bytes; at most {bytes_max} are accepted")
        return _TOOLS.decompress(data)
    except zstandard.ZstdError as error:
        raise CorruptRecord(f"a compressed value that can't be read: {error}") from error
