"""The archive: written once, read back as written, damage told from a good file."""

import os
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.store.campaigns import digest
from workers.store.archive import ABANDONED_AFTER, TICK_MAX, Archive
from workers.store.errors import ArchiveConflict, ArchiveError, ArchiveTooLarge, InvalidName, InvalidRequest

LINES = [b'{"tick":1}\n', b"\n", b"x" * 300_000 + b"\n", bytes(value for value in range(256) if value != 10) + b"\n"]


@pytest.fixture(params=["file", "memory"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    return Archive(f"file://{tmp_path}/archive" if request.param == "file" else f"memory://{tmp_path}")


def test_a_tick_is_read_back_line_by_line(archive: Archive) -> None:
    archive.write("paris", 1, iter(LINES))

    assert LINES == list(archive.read("paris", 1))


def test_the_digest_is_the_file_s(tmp_path: Path) -> None:
    archive = Archive(f"file://{tmp_path}")
    written = archive.write("paris", 1, LINES)

    assert written == archive.digest("paris", 1) == digest((tmp_path / "paris" / "tick-0000000001.zst").read_bytes())


def test_the_same_lines_make_the_same_file(tmp_path: Path) -> None:
    first, second = (Archive(f"file://{tmp_path}/{name}") for name in ("one", "two"))

    assert first.write("paris", 1, LINES) == second.write("paris", 1, LINES)


def test_a_file_is_a_zstandard_stream_that_any_tool_reads(tmp_path: Path) -> None:
    Archive(f"file://{tmp_path}").write("paris", 1, LINES)
    packed = (tmp_path / "paris" / "tick-0000000001.zst").read_bytes()

    assert b"".join(LINES) == zstandard.ZstdDecompressor().decompressobj().decompress(packed)


def test_archived_ticks_are_listed_by_campaign(archive: Archive) -> None:
    for campaign, tick in (("paris", 10), ("paris", 9), ("lyon", 1)):
        archive.write(campaign, tick, LINES)

    assert ([9, 10], [1], []) == (archive.ticks("paris"), archive.ticks("lyon"), archive.ticks("nice"))


def test_writing_the_same_again_changes_nothing(archive: Archive) -> None:
    first = archive.write("paris", 1, LINES)

    assert first == archive.write("paris", 1, LINES)
    assert [1] == archive.ticks("paris")


def test_an_archived_tick_is_never_rewritten(archive: Archive) -> None:
    archive.write("paris", 1, LINES)

    with pytest.raises(ArchiveConflict, match="paris"):
        archive.write("paris", 1, LINES[:-1])
    assert LINES == list(archive.read("paris", 1))


def test_nothing_stays_of_a_write_that_failed(tmp_path: Path) -> None:
    archive = Archive(f"file://{tmp_path}")

    def lines_that_break():
        yield LINES[0]
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        archive.write("paris", 1, lines_that_break())
    assert [] == [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [] == archive.ticks("paris")


def test_what_a_killed_writer_left_goes_when_nobody_can_be_writing_it_any_more(tmp_path: Path) -> None:
    archive = Archive(f"file://{tmp_path}")
    archive.write("paris", 1, LINES)
    unfinished = tmp_path / ".unfinished"
    for name, age_s in (("abandoned", ABANDONED_AFTER.total_seconds() + 60), ("at work", 60)):
        (unfinished / name).write_bytes(b"half of a rec")
        when_s = (tmp_path / "paris" / "tick-0000000001.zst").stat().st_mtime - age_s
        os.utime(unfinished / name, (when_s, when_s))
    archive.write("lyon", 1, LINES)

    assert ["at work"] == [path.name for path in unfinished.iterdir()]
    assert ([1], [1]) == (archive.ticks("paris"), archive.ticks("lyon"))


@pytest.mark.parametrize("line", [b"", b"no end", b"two\nlines\n"])
def test_a_line_ends_with_its_only_newline(archive: Archive, line: bytes) -> None:
    with pytest.raises(InvalidRequest, match=r"lines: .*accepted"):
        archive.write("paris", 1, [LINES[0], line])
    assert [] == archive.ticks("paris")


def test_reading_stops_at_its_bound(archive: Archive) -> None:
    archive.write("paris", 1, LINES)
    size = sum(map(len, LINES))

    assert LINES == list(archive.read("paris", 1, max_bytes=size))
    with pytest.raises(ArchiveTooLarge, match=f"more than {size - 1} bytes"):
        list(archive.read("paris", 1, max_bytes=size - 1))


def test_a_file_that_unpacks_to_far_more_than_its_size_is_stopped_early(tmp_path: Path) -> None:
    (tmp_path / "paris").mkdir()
    packed = zstandard.ZstdCompressor().compress(b"\0" * (64 << 20))
    (tmp_path / "paris" / "tick-0000000001.zst").write_bytes(packed)

    with pytest.raises(ArchiveTooLarge):
        list(Archive(f"file://{tmp_path}").read("paris", 1, max_bytes=1 << 20))


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "endless line"])
def test_a_damaged_file_is_told_from_a_good_one(tmp_path: Path, damage: str) -> None:
    archive = Archive(f"file://{tmp_path}")
    archive.write("paris", 1, LINES)
    path = tmp_path / "paris" / "tick-0000000001.zst"
    good = path.read_bytes()
    path.write_bytes(
        {
            "cut": good[:-5],
            "flipped": good[:-40] + bytes([good[-40] ^ 1]) + good[-39:],
            "empty": b"",
            "endless line": zstandard.ZstdCompressor().compress(b"one\ntwo"),
        }[damage]
    )

    with pytest.raises(ArchiveError):
        list(archive.read("paris", 1))


def test_what_isn_t_archived_can_t_be_read(archive: Archive) -> None:
    with pytest.raises(FileNotFoundError):
        list(archive.read("paris", 1))
    with pytest.raises(FileNotFoundError):
        archive.digest("paris", 1)


@pytest.mark.parametrize("name", ["..", "../paris", "a/b", "", "/etc", ".hidden"])
def test_no_name_leads_out_of_the_archive(archive: Archive, name: str) -> None:
    for call in (lambda: archive.path(name, 1), lambda: archive.ticks(name), lambda: archive.write(name, 1, LINES)):
        with pytest.raises(InvalidName):
            call()


@pytest.mark.parametrize("tick", [-1, TICK_MAX + 1])
def test_a_tick_has_its_bounds(archive: Archive, tick: int) -> None:
    with pytest.raises(InvalidRequest, match=f"tick: {tick}; accepted"):
        archive.path("paris", tick)


def test_an_archive_touches_nothing_before_its_first_call(tmp_path: Path) -> None:
    Archive(f"file://{tmp_path}/not/yet")

    assert not (tmp_path / "not").exists()


@given(st.lists(st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b"") + b"\n"), max_size=20))
def test_any_lines_come_back(lines: list[bytes]) -> None:
    archive = Archive("memory://any-lines")
    for tick in archive.ticks("paris"):
        archive._fs.rm_file(archive.path("paris", tick))
    archive.write("paris", 1, lines)

    assert lines == list(archive.read("paris", 1))
