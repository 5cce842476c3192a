"""`tocsin replay` and `tocsin verify`: a record replays identically, and a changed one is found out, with the place."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.cli.world import Cli, Town, tocsin

pytestmark = pytest.mark.xdist_group("town")

Change = Callable[[list[bytes]], None]


def lines_of(record: Path) -> list[bytes]:
    data = zstandard.ZstdDecompressor().decompressobj().decompress(record.read_bytes())
    return data.splitlines()


def write(path: Path, lines: list[bytes]) -> Path:
    data = b"".join(line + b"\n" for line in lines)
    path.write_bytes(zstandard.ZstdCompressor(write_checksum=True).compress(data))
    return path


def in_header(lines: list[bytes], **fields: Any) -> None:
    lines[0] = json.dumps({**json.loads(lines[0]), **fields}).encode()


def in_line(kind: str, old: bytes, new: bytes) -> Change:
    """Change the first line of a kind in which the old bytes occur."""

    def change(lines: list[bytes]) -> None:
        start = f'["{kind}"'.encode()
        index = next(i for i, line in enumerate(lines) if line.startswith(start) and old in line)
        lines[index] = lines[index].replace(old, new, 1)

    return change


def drop(kind: str) -> Change:
    def change(lines: list[bytes]) -> None:
        index = next(i for i, line in enumerate(lines) if line.startswith(f'["{kind}"'.encode()))
        del lines[index]

    return change


def test_a_record_replays_identically(place: Town, cli: Cli) -> None:
    document = cli.json("replay", str(place.record))
    state = place.operator.json("tick", "status", "town", "1")

    assert (True, True) == (document["identical"], document["reports_identical"])
    (one,) = document["records"]
    assert state["record"]["digest"] == one["digest"]
    assert ("town", 1, "veil", []) == (one["campaign"], one["tick"], one["rulebook"], one["findings"])
    assert state["record"]["orders"] == one["orders"]


def test_people_read_replay_identical_with_the_digest_in_the_last_line(place: Town, cli: Cli) -> None:
    digest = cli.json("replay", str(place.record))["records"][0]["digest"]

    assert f"replay identical {digest}" == cli("replay", str(place.record)).stdout.splitlines()[-1]


def test_another_process_with_another_hash_seed_replays_the_same(place: Town) -> None:
    done = [tocsin("replay", str(place.record), "--json", PYTHONHASHSEED=seed).stdout for seed in ("0", "77")]

    assert done[0] == done[1]
    assert json.loads(done[0])["identical"]


def test_a_record_under_another_name_still_is_one(place: Town, cli: Cli, tmp_path: Path) -> None:
    copy = shutil.copy(place.record, tmp_path / "kept for later")

    assert cli.json("verify", str(copy))["verified"]


CHANGES: dict[str, tuple[Change, str]] = {
    "the seed": (lambda lines: in_header(lines, tick_seed="0" * 64), "seed: "),
    "the commitment": (lambda lines: in_header(lines, commitment="0" * 64), "seed: "),
    "a home": (in_line("home", b'"mind":', b'"mind":1,"mind":'), "state at the start: "),
    "the shared record": (in_line("shared", b"{", b"{ "), "state at the start: "),
    "an order's actor": (in_line("order", b'"actor":"', b'"actor":"x'), "orders: "),
    "an order's unknown field": (in_line("order", b'"facts"', b'"fact"'), "unknown field `fact`"),
    "an order less": (drop("order"), "orders: "),
    "a home less": (drop("home"), "state at the start: "),
    "an event": (in_line("event", b'"dice":[', b'"dice":[7,'), "event of superstep"),
    "an event less": (drop("event"), "event of superstep"),
    "a page": (in_line("page", b'"facts":[[', b'"facts":[[],['), "report of angel, page 1: "),
    "a page less": (drop("page"), "report of angel"),
    "how many orders": (lambda lines: in_header(lines, orders=999), "orders, how many: recorded 999, found "),
    "the phases": (lambda lines: in_header(lines, phases=[]), "phases: name, events, void orders: recorded [], found"),
    "the dropped": (lambda lines: in_header(lines, dropped=["x"]), "orders: "),
    "the slices": (lambda lines: in_header(lines, slices=1 << 40), "slices: "),
    "the fingerprint": (lambda lines: in_header(lines, fingerprint="0" * 64), "fingerprint: "),
    "a line that is no JSON": (in_line("home", b"{", b"["), "line 3: JSON is malformed"),
    "a line of no kind": (in_line("home", b'"home"', b'"hime"'), "line 3: unknown kind of line 'hime'"),
    "a home twice": (lambda lines: lines.insert(3, lines[3]), "has another home line"),
}


@pytest.mark.parametrize("what", list(CHANGES))
def test_a_changed_record_is_found_out_and_the_place_is_named(place: Town, cli: Cli, tmp_path: Path, what: str) -> None:
    change, named = CHANGES[what]
    lines = lines_of(place.record)
    change(lines)
    changed = write(tmp_path / "changed.zst", lines)
    result = cli("verify", str(changed))

    assert 1 == result.exit_code, result.stderr
    assert result.stderr.startswith(f"tocsin: {changed}: ")
    assert named in result.stderr


def test_the_findings_are_told_to_machines_too(place: Town, cli: Cli, tmp_path: Path) -> None:
    lines = lines_of(place.record)
    CHANGES["an event"][0](lines)
    result = cli("verify", str(write(tmp_path / "changed.zst", lines)), "--json")
    document = json.loads(result.stdout)

    assert 1 == result.exit_code
    assert not document["verified"]
    assert document["records"][0]["findings"][0]["place"].startswith("event of superstep")
    assert not document["records"][0]["identical"]
    assert document["records"][0]["reports_identical"]


def test_a_record_damaged_on_disk_is_a_failed_check(place: Town, cli: Cli, tmp_path: Path) -> None:
    data = bytearray(place.record.read_bytes())
    data[len(data) // 2] ^= 0xFF
    damaged, cut = tmp_path / "damaged.zst", tmp_path / "cut.zst"
    damaged.write_bytes(data)
    cut.write_bytes(place.record.read_bytes()[:-20])

    for path in (damaged, cut):
        result = cli("verify", str(path))
        assert (1, "") == (result.exit_code, result.stdout)
        assert result.stderr.startswith(f"tocsin: {path}: ")


@pytest.mark.parametrize("verb", ["replay", "verify"])
@pytest.mark.parametrize("data", [b"", b"hello", b"{}", bytes(range(256))])
def test_what_is_no_record_is_bad_input(cli: Cli, tmp_path: Path, verb: str, data: bytes) -> None:
    path = tmp_path / "no.zst"
    path.write_bytes(data)
    result = cli(verb, str(path))

    assert 2 == result.exit_code
    assert f"tocsin: {path}: it is no record (accepted: a file of an archive, tick-….zst)\n" == result.stderr


@pytest.mark.parametrize(
    ("header", "named"),
    [
        (b"[]", "line 1: Expected `object`"),
        (b'{"format":"soup"}', "Object missing required field"),
        (b"{", "line 1: "),
    ],
)
def test_a_file_that_holds_something_else_is_bad_input(cli: Cli, tmp_path: Path, header: bytes, named: str) -> None:
    result = cli("verify", str(write(tmp_path / "other.zst", [header])))

    assert 2 == result.exit_code
    assert named in result.stderr


def test_a_record_of_a_rulebook_that_is_not_here_is_bad_input(place: Town, cli: Cli, tmp_path: Path) -> None:
    lines = lines_of(place.record)
    in_header(lines, rulebook="chess")
    result = cli("replay", str(write(tmp_path / "chess.zst", lines)))

    assert 2 == result.exit_code
    assert "unknown rulebook 'chess'" in result.stderr


def test_ticks_that_follow_each_other_are_held_against_each_other(place: Town, cli: Cli, tmp_path: Path) -> None:
    lines = lines_of(place.record)
    header = json.loads(lines[0])
    after = {**header["digests"], "state_start": "0" * 64}
    in_header(lines, tick=2, digests=after)
    second = write(tmp_path / "second.zst", lines)
    document = json.loads(cli("verify", str(place.record), str(second), "--json").stdout)

    assert ["state at the start of tick 2 against that at the end of tick 1"] == [
        gap["finding"]["place"] for gap in document["chain"]
    ]


def test_a_gap_between_ticks_is_said(place: Town, cli: Cli, tmp_path: Path) -> None:
    lines = lines_of(place.record)
    later = []
    for tick in (2, 5):
        in_header(lines, tick=tick)
        later.append(str(write(tmp_path / f"{tick}.zst", lines)))
    document = json.loads(cli("verify", str(place.record), *later, "--json").stdout)

    assert [{"campaign": "town", "after": 2, "before": 5}] == document["gaps"]
    assert [] == json.loads(cli("verify", str(place.record), "--json").stdout)["gaps"]
