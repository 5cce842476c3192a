"""Records of ticks: an archive's files, read by their paths."""

from workers.cli.documents import existing_file
from workers.cli.setting import read_settings
from workers.kernel.errors import InvalidInput
from workers.service.recording import Record, read_record
from workers.store.archive import read_file
from workers.store.errors import ArchiveError


def record_of(name: str) -> Record:
    """The record in a file. Raises InvalidInput naming the file, and in it the line."""
    path = existing_file(name)
    try:
        return read_record(read_file(str(path), max_bytes=read_settings().archive_bytes_max))
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error.field}", error.problem, error.accepted) from error
    except (ArchiveError, OSError) as error:
        raise InvalidInput(name, f"it is no record ({error})", "a file of an archive") from error
