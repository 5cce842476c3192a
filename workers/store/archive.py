"""The archive: one compressed file a tick, written once, read back before anybody relies on it.

A file is a Zstandard stream of lines. It lies wherever fsspec reaches; a local file is on disk when `write` returns.
"""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

import fsspec
import zstandard
from fsspec.implementations.local import LocalFileSystem

from workers.store.errors import ArchiveConflict, ArchiveError, ArchiveTooLarge, InvalidRequest
from workers.store.keys import check_campaign

LEVEL: Final = 3
READ_BYTES: Final = 512
"""Compressed bytes a step. A block of four bytes may unpack to 128 kB, so a step unpacks to 16 MB at most."""
WINDOW_BYTES_MAX: Final = 8 << 20
"""What a file may make its reader keep of what it unpacked: what every decoder should allow (RFC 8878), and four times
what we write."""
RATIO_MAX: Final = 1_000
"""Times its own size that a file may unpack to: records and exports unpack to 5 to 50 times theirs, a file that was
made to fill a reader's memory to 30,000 times. So what a reader can be made to hold is bounded by what it was sent."""
RATIO_FREE_BYTES: Final = 16 << 20
"""Unpacked bytes that are allowed whatever the size: a small file may well say the same again and again."""
LINE_BYTES_MAX: Final = 512 << 20
"""The server's own bound on a value: no line of ours is longer."""

UNFINISHED: Final = ".unfinished"
"""The folder, beside those of the campaigns, of files that are being written."""
ABANDONED_AFTER: Final = timedelta(days=1)
"""How long an unfinished file stays as it is before nobody can be writing it: no task runs for so long."""

HASH_BYTES: Final = 1 << 20
ARCHIVE_BYTES_MAX: Final = 8 << 30
TICK_MAX: Final = 10**10 - 1

_NAME: Final = re.compile(r"tick-(\d{10})\.zst")


class Archive:
    """The archive at a URL that fsspec knows; `file://` for a folder. Nothing is touched before the first call."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._fs, root = fsspec.url_to_fs(url)
        self._root = root.rstrip("/")

    def path(self, campaign: str, tick: int) -> str:
        """Where a tick's file lies in its file system. Raises InvalidName or InvalidRequest."""
        if not 0 <= tick <= TICK_MAX:
            raise InvalidRequest(f"tick: {tick}; accepted: 0 to {TICK_MAX}")
        return f"{self._folder(campaign)}/tick-{tick:010}.zst"

    def ticks(self, campaign: str) -> list[int]:
        """The archived ticks, ascending; none where the campaign has no folder."""
        folder = self._folder(campaign)
        if not self._fs.isdir(folder):
            return []
        names = (str(name).rpartition("/")[2] for name in self._fs.ls(folder, detail=False, refresh=True))
        return sorted(int(match[1]) for name in names if (match := _NAME.fullmatch(name)))

    def holds(self, campaign: str, tick: int) -> bool:
        """Whether a tick is archived."""
        return bool(self._fs.exists(self.path(campaign, tick)))

    def write(self, campaign: str, tick: int, lines: Iterable[bytes]) -> str:
        """Archive a tick; the SHA-256 of its file, hex. What killed processes left unfinished a day ago goes.

        Each line ends with a newline and holds no other. Writing the same lines again changes nothing. Raises
        ArchiveConflict where the tick is archived with others, ArchiveError where the file isn't read back as it was
        written, InvalidRequest for a line that isn't one.
        """
        final = self.path(campaign, tick)
        writer = f"{socket.gethostname()}-{os.getpid()}-{threading.get_ident()}"
        unfinished = f"{self._root}/{UNFINISHED}"
        temporary = f"{unfinished}/{campaign}-tick-{tick:010}.{writer}"
        for folder in (unfinished, self._folder(campaign)):
            self._fs.makedirs(folder, exist_ok=True)
        try:
            content, digest = self._write(temporary, lines)
            self._drop_abandoned(unfinished, temporary)
            if self._fs.exists(final):
                return self._same(campaign, tick, content)
            self._move(temporary, final)
        finally:
            if self._fs.exists(temporary):
                self._fs.rm_file(temporary)
        if (found := self._digest(final)) != digest:
            raise ArchiveError(f"{final}: read back with SHA-256 {found}, written with {digest}")
        return digest

    def read(self, campaign: str, tick: int, *, max_bytes: int = ARCHIVE_BYTES_MAX) -> Iterator[bytes]:
        """The lines of a tick, as they were written; at most `max_bytes` of them in all.

        Raises FileNotFoundError, ArchiveTooLarge past the bound, ArchiveError where the file is damaged or cut off.
        """
        return _lines(self._fs, self.path(campaign, tick), max_bytes)

    def write_bundle(self, campaign: str, tick: int, epoch: int, bundle: bytes) -> str:
        """Keep what reproduces a tick in quarantine, beside the archived ticks; where it lies in its file system."""
        final = self.path(campaign, tick).removesuffix(".zst") + f"-epoch-{epoch}.json"
        self._fs.makedirs(self._folder(campaign), exist_ok=True)
        self._fs.pipe_file(final, bundle)
        return final

    def digest(self, campaign: str, tick: int) -> str:
        """The SHA-256 of a tick's file, hex. Raises FileNotFoundError."""
        return self._digest(self.path(campaign, tick))

    def _folder(self, campaign: str) -> str:
        return f"{self._root}/{check_campaign(campaign)}"

    def _write(self, path: str, lines: Iterable[bytes]) -> tuple[str, str]:
        """Write a file and see it onto the disk; the SHA-256 of its lines and of its bytes."""
        content, packed = sha256(), sha256()
        with self._fs.open(path, "wb") as file:
            compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compressobj()
            for line in lines:
                if line.find(b"\n") != len(line) - 1 or not line:
                    raise InvalidRequest(f"lines: {line[:80]!r}; accepted: bytes with one newline, at their end")
                content.update(line)
                if data := compressor.compress(line):
                    packed.update(data)
                    file.write(data)
            data = compressor.flush()
            packed.update(data)
            file.write(data)
            file.flush()
            if isinstance(self._fs, LocalFileSystem):
                os.fsync(file.fileno())
        return content.hexdigest(), packed.hexdigest()

    def _drop_abandoned(self, folder: str, fresh: str) -> None:
        """Remove unfinished files that nobody has written to for long. The file system's clock is the one that counts:
        `fresh` was just written."""
        try:
            now = self._fs.modified(fresh)
        except RuntimeError:  # so fsspec says that a file system tells no times
            return
        for path in self._fs.ls(folder, detail=False, refresh=True):
            with suppress(FileNotFoundError):  # whoever wrote it has just moved it, or another process removed it
                if now - self._fs.modified(path) > ABANDONED_AFTER:
                    self._fs.rm_file(path)

    def _move(self, temporary: str, final: str) -> None:
        if not isinstance(self._fs, LocalFileSystem):
            self._fs.mv(temporary, final)
            return
        os.replace(temporary, final)
        _sync_folder(final)

    def _same(self, campaign: str, tick: int, content: str) -> str:
        archived = sha256()
        for line in self.read(campaign, tick):
            archived.update(line)
        if archived.hexdigest() != content:
            raise ArchiveConflict(f"{self.path(campaign, tick)}: archived with other content; it stays")
        return self.digest(campaign, tick)

    def _digest(self, path: str) -> str:
        digest = sha256()
        with self._fs.open(path, "rb") as file:
            while data := file.read(HASH_BYTES):
                digest.update(data)
        return digest.hexdigest()


def read_file(path: str, *, max_bytes: int = ARCHIVE_BYTES_MAX) -> Iterator[bytes]:
    """The lines of a local file of an archive, whatever its name and place by now; as `Archive.read` gives them."""
    return _lines(LocalFileSystem(), path, max_bytes)


def write_file(path: str, lines: Iterable[bytes]) -> str:
    """Write lines to a new local file of the archive's kind, for its owner alone; the SHA-256 of its bytes, hex.

    The file is there whole, and on disk, or not at all. Raises FileExistsError: nothing is written over.
    """
    partial = f"{path}.{socket.gethostname()}-{os.getpid()}-{threading.get_ident()}"
    digest = sha256()
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for data in _packed(lines):
                digest.update(data)
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(partial, path)
    finally:
        if os.path.exists(partial):
            os.unlink(partial)
    _sync_folder(path)
    return digest.hexdigest()


def _packed(lines: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compressobj()
    for line in lines:
        if data := compressor.compress(line):
            yield data
    yield compressor.flush()


def _sync_folder(path: str) -> None:
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _lines(files: Any, path: str, max_bytes: int) -> Iterator[bytes]:
    total = length = 0
    begun: list[bytes] = []
    for data in _unpacked(files, path):
        total += len(data)
        if total > max_bytes:
            raise ArchiveTooLarge(f"{path}: more than {max_bytes} bytes unpacked; read it with a larger max_bytes")
        first, *others = data.split(b"\n")
        begun.append(first)
        length += len(first)
        if length > LINE_BYTES_MAX:
            raise ArchiveTooLarge(f"{path}: a line of more than {LINE_BYTES_MAX} bytes")
        for other in others:
            yield b"".join(begun) + b"\n"
            begun, length = [other], len(other)
    if any(begun):
        raise ArchiveError(f"{path}: its last line has no end")


def _unpacked(files: Any, path: str) -> Iterator[bytes]:
    """What a file unpacks to, a bounded piece at a time. Raises ArchiveError, and ArchiveTooLarge for one that unpacks
    to more than its size can be worth."""
    total, most = 0, RATIO_FREE_BYTES + RATIO_MAX * int(files.size(path))
    unpacker = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES_MAX).decompressobj()
    with files.open(path, "rb") as file:
        while packed := file.read(READ_BYTES):
            try:
                data = unpacker.decompress(packed)
            except zstandard.ZstdError as error:
                raise ArchiveError(f"{path}: damaged ({error})") from error
            total += len(data)
            if total > most:
                raise ArchiveTooLarge(f"{path}: it unpacks to more than {RATIO_MAX} times its size")
            yield data
    if unpacker.unused_data:
        raise ArchiveError(f"{path}: bytes follow its end")
    if not unpacker.eof:
        raise ArchiveError(f"{path}: cut off before its end")
