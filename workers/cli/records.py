"""Records of ticks: an archive's files, read by their paths.

What isn't a record at all is bad input; a record that is broken inside is a check that failed.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from workers.cli.documents import existing_file, read_start
from workers.cli.errors import CheckFailed
from workers.cli.setting import read_settings
from workers.kernel.errors import InvalidInput
from workers.service.recording import Record, read_record
from workers.store.archive import read_file
from workers.store.errors import ArchiveError

ZSTANDARD: Final = b"\x28\xb5\x2f\xfd"
"""The first bytes of a Zstandard frame (RFC 8878)."""


def record_of(name: str) -> Record:
    """The record in a file. Raises InvalidInput for what is no record, CheckFailed for one that is damaged."""
    path = existing_file(name)
    if read_start(path, len(ZSTANDARD)) != ZSTANDARD:
        raise InvalidInput(name, "it is no record", "a file of an archive, tick-….zst")
    lines = _lines(name, str(path))
    first = next(lines, b"")
    try:
        return read_record(chain([first], lines))
    except InvalidInput as error:
        if error.field.startswith("line 1.") or error.field == "line 1":
            raise InvalidInput(f"{name}: {error.field}", error.problem, error.accepted) from error
        raise CheckFailed(f"{name}: {error}") from error
    except RecursionError as error:
        raise CheckFailed(f"{name}: nested too deep") from error


def _lines(name: str, path: str) -> Iterator[bytes]:
    try:
        yield from read_file(path, max_bytes=read_settings().archive_bytes_max)
    except (ArchiveError, OSError) as error:
        raise CheckFailed(f"{name}: {str(error).removeprefix(f'{path}: ')}") from error
