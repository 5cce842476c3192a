"""Blobs and pages of reports as the server holds them: compressed, a sixth to an eighth of their size.

Zstandard (RFC 8878) at its fastest standard level: what it saves on the way to the server, in its memory and in its
append-only file costs less than sending the bytes as they are. Digests are always of the plain bytes, so nothing that
is agreed on depends on the version of a library.
"""

from __future__ import annotations

from threading import local
from typing import Final

import zstandard

from workers.store.errors import CorruptRecord

LEVEL: Final = 1
MAGIC: Final = zstandard.FRAME_HEADER
"""The first bytes of what is compressed. Plain blobs and pages are JSON, which never begins with them."""
PLAIN_BYTES_MAX: Final = 512 * 1024 * 1024
"""The server's own bound on a value; what says to be larger once it is plain was not written by Tocsin."""


class _Tools(local):
    """A compressor and a decompressor for each thread: neither may be shared."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=LEVEL).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_TOOLS = _Tools()


def compressed(data: bytes) -> bytes:
    """Plain bytes as the server holds them."""
    return _TOOLS.compress(data)


def plain(data: bytes) -> bytes:
    """The plain bytes of what the server holds; what isn't compressed is plain already.

    Raises CorruptRecord for a frame that is broken, or whose plain size is beyond `PLAIN_BYTES_MAX` or not told.
    """
    if not data.startswith(MAGIC):
        return data
    try:
        size = zstandard.get_frame_parameters(data).content_size
        if size > PLAIN_BYTES_MAX:
            raise CorruptRecord(f"a compressed value of {size} plain bytes; at most {PLAIN_BYTES_MAX} are accepted")
        return _TOOLS.decompress(data)
    except zstandard.ZstdError as error:
        raise CorruptRecord(f"a compressed value that can't be read: {error}") from error
