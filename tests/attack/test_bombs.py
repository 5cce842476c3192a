"""A small file that unpacks to very much is refused, in little memory and little time."""

import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from workers.service.exporting import Export
from workers.store.archive import RATIO_FREE_BYTES, RATIO_MAX, read_file, write_file
from workers.store.errors import ArchiveTooLarge

PLAIN_BYTES = 1 << 29
MEMORY_BYTES = 1_000_000_000
"""Address space that a verb gets here: what the interpreter and its libraries map, and little more."""
LIMITED = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2); "
    "sys.argv = ['tocsin', *sys.argv[2:]]; from workers.cli import main; main()"
)

SORTS = {
    "one line": b"a" * (1 << 20),
    "lines": b'["home",{"id":"a"}]\n' * 50_000,
    "empty lines": b"\n" * (1 << 20),
    "zeros": bytes(1 << 20),
}


def bomb(path: Path, unit: bytes, start: bytes = b"") -> Path:
    """A file of some kilobytes that unpacks to half a gigabyte."""
    compressor = zstandard.ZstdCompressor(level=3).compressobj()
    with path.open("wb") as file:
        file.write(compressor.compress(start))
        for _ in range(PLAIN_BYTES // len(unit)):
            file.write(compressor.compress(unit))
        file.write(compressor.flush())
    assert path.stat().st_size < 500_000
    return path


@pytest.fixture(scope="module", params=list(SORTS))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bomb(tmp_path_factory.mktemp("bomb") / "tick-0000000001.zst", SORTS[request.param])


def test_a_bomb_is_refused_after_what_its_size_is_worth(made: Path) -> None:
    read: list[int] = []
    with pytest.raises(ArchiveTooLarge, match=f"it unpacks to more than {RATIO_MAX} times its size"):
        read.extend(map(len, read_file(str(made))))
    assert sum(read) <= RATIO_FREE_BYTES + RATIO_MAX * made.stat().st_size


def test_an_export_that_is_a_bomb_is_refused(tmp_path: Path) -> None:
    start = b'{"campaign":"town","format":"tocsin-export","format_version":1}\n'
    path = bomb(tmp_path / "town.zst", b'["tokens",[],["%b"]]\n' % (b"0" * 64) * 10_000, start)

    with pytest.raises(ArchiveTooLarge):
        Export(lambda: read_file(str(path)))


@pytest.mark.parametrize("verb", ["verify", "replay"])
def test_a_verb_says_so_in_little_memory(made: Path, verb: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(MEMORY_BYTES), verb, str(made)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (True, "") == (done.returncode in (1, 2), done.stdout), done.stderr
    assert done.stderr.startswith(f"tocsin: {made}: ")
    assert "Traceback" not in done.stderr


def test_a_frame_that_asks_for_a_large_window_is_refused(tmp_path: Path) -> None:
    """A window is what a reader must keep of what it unpacked; the frame says how large."""
    parameters = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    path = tmp_path / "wide.zst"
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    path.write_bytes(compressor.compress(b"a\n" * 100) + compressor.flush())

    with pytest.raises(Exception, match="damaged"):
        list(read_file(str(path)))


def test_what_repeats_itself_honestly_is_read(tmp_path: Path) -> None:
    """A thousand times its size is more than we ever write; the free bytes are for small files that say little."""
    path = tmp_path / "same.zst"
    lines = [b'["event",0,{"event":"quiet","home":"a"}]\n'] * 300_000
    write_file(str(path), lines)

    assert lines == list(read_file(str(path)))
