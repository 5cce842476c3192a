"""What a record's last line alone covers, as docs/reference/record.md lists it."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest

from tests.records.files import FOLDER
from workers.kernel.engine import Engine
from workers.registry import load_registry
from workers.service.recording import read_record
from workers.service.replaying import OWN_DIGEST, replay
from workers.store.archive import read_file

Lines = list[Any]


def changed(lines: Iterable[bytes], change: Callable[[Lines], Lines]) -> list[bytes]:
    """A record's lines after a change of all but the last, which stays."""
    plain = [msgspec.json.decode(line) for line in lines]
    return [*(msgspec.json.encode(line) for line in change(plain[:-1])), msgspec.json.encode(plain[-1])]


def header(**fields: Any) -> Callable[[Lines], Lines]:
    return lambda lines: [{**lines[0], **fields}, *lines[1:]]


def shards(lines: Lines) -> Lines:
    phases = [{**phase, "shards": phase["shards"] + 1} for phase in lines[0]["phases"]]
    return header(phases=phases)(lines)


def backwards(kind: str) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        those = iter([line for line in reversed(lines[1:]) if line[0] == kind])
        return [lines[0], *(next(those) if line[0] == kind else line for line in lines[1:])]

    return change


@pytest.mark.parametrize(
    "change",
    [header(campaign="another"), header(epoch=9), header(salt="0" * 64), shards, backwards("order"), backwards("home")],
    ids=["campaign", "epoch", "salt", "shards", "orders", "homes"],
)
def test_only_the_records_own_digest_tells_of_it(change: Callable[[Lines], Lines]):
    rulebook = load_registry().get("veil")
    path = min(FOLDER.glob(f"veil*{rulebook.version}*"))
    lines = list(read_file(str(path)))
    other = changed(lines, change)
    assert other != changed(lines, list)
    checked = replay(read_record(other), rulebook, Engine(rulebook))
    assert [OWN_DIGEST] == [finding.place for finding in checked.findings]
