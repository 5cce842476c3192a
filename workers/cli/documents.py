"""Files that a verb reads: named on the command line, bounded, `-` for standard input."""

import sys
from pathlib import Path
from typing import BinaryIO

from workers.kernel.errors import InvalidInput

DOCUMENT_BYTES_MAX = 1 << 30
"""Bytes of a document, at most."""


def read_document(name: str, bytes_max: int = DOCUMENT_BYTES_MAX) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises InvalidInput naming the file."""
    if name == "-":
        return _bounded(sys.stdin.buffer, "standard input", bytes_max)
    path = existing_file(name)
    try:
        with path.open("rb") as source:
            return _bounded(source, name, bytes_max)
    except OSError as error:
        raise InvalidInput(name, f"can't be read ({error.strerror})", "a readable file") from error


def read_start(path: Path, count: int) -> bytes:
    """The first bytes of a file. Raises InvalidInput naming it."""
    try:
        with path.open("rb") as source:
            return source.read(count)
    except OSError as error:
        raise InvalidInput(str(path), f"can't be read ({error.strerror})", "a readable file") from error


def existing_file(name: str) -> Path:
    """The path of a file that exists. Raises InvalidInput naming it."""
    path = Path(name)
    try:
        found = path.exists()
        folder = path.is_dir()
    except (OSError, ValueError) as error:
        raise InvalidInput(repr(name[:80]), f"is no name of a file ({error})", "the path of a file, or -") from error
    if not found:
        raise InvalidInput(
            name if name.isprintable() else repr(name), "there is no such file", "the path of a file, or -"
        )
    if folder:
        raise InvalidInput(name, "it is a folder", "the path of a file, or -")
    return path


def _bounded(source: BinaryIO, name: str, bytes_max: int) -> bytes:
    data = source.read(bytes_max + 1)
    if len(data) > bytes_max:
        raise InvalidInput(name, f"longer than {bytes_max} bytes", f"at most {bytes_max} bytes")
    return data
