"""Old records on new code: what was recorded is replayed to the byte, or refused for a version that isn't here."""

from pathlib import Path

import msgspec
import pytest

from tests.records.__main__ import recorded
from tests.records.files import FOLDER, MUST_FAIL, file_of
from workers.kernel.engine import Engine
from workers.kernel.errors import InvalidInput
from workers.registry import load_registry
from workers.service.recording import Record, RecordHeader, read_record
from workers.service.replaying import Replay, replay
from workers.store.archive import read_file

REGISTRY = load_registry()
KEPT = sorted(FOLDER.glob("*.zst"))


def record(path: Path, **header: object) -> Record:
    """A kept record, its header changed."""
    first, *rest = read_file(str(path))
    fields = msgspec.json.decode(first) | header
    return read_record([msgspec.json.encode(fields), *rest])


def replayed(found: Record) -> Replay:
    rulebook = REGISTRY.get(found.header.rulebook)
    return replay(found, rulebook, Engine(rulebook))


def is_present(header: RecordHeader) -> bool:
    return header.rulebook in REGISTRY and REGISTRY.get(header.rulebook).version == header.rulebook_version


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_recorded_tick_is_replayed_to_the_byte_or_refused_by_the_name_of_its_version(path: Path) -> None:
    found = record(path)
    assert len(found.orders) > 10
    assert len(found.events) > 10
    if is_present(found.header):
        assert [] == replayed(found).findings
    else:
        with pytest.raises(InvalidInput, match=f"{found.header.rulebook} {found.header.rulebook_version}"):
            replayed(found)


@pytest.mark.parametrize("name", list(REGISTRY))
def test_the_present_version_of_every_rulebook_has_a_record(name: str) -> None:
    """`python -m tests.records` makes it. One that isn't replayed any more says: give the rulebook a new version."""
    header = record(file_of(FOLDER, name, REGISTRY.get(name).version)).header

    assert (name, REGISTRY.get(name).fingerprint()) == (header.rulebook, header.fingerprint)


@pytest.mark.parametrize("path", sorted(MUST_FAIL.glob("*.zst")), ids=lambda path: path.stem)
def test_a_record_of_rules_that_changed_under_the_same_version_must_fail(path: Path) -> None:
    """Recorded with the Veil, but for one change that its author forgot: decay changes no servant."""
    found = record(path)
    assert REGISTRY.get(found.header.rulebook).fingerprint() == found.header.fingerprint
    places = [finding.place for finding in replayed(found).findings]

    assert "state" in places
    assert "seed" not in places


def test_a_record_of_another_version_of_a_rulebook_is_refused_by_both_versions() -> None:
    found = record(KEPT[0], rulebook_version="0", fingerprint="0" * 64)
    name = found.header.rulebook

    with pytest.raises(InvalidInput, match=f"{name} 0 .*{REGISTRY.get(name).version} ") as caught:
        replayed(found)
    assert "fingerprint" == caught.value.field


def test_a_record_of_a_later_format_is_refused_with_the_reason() -> None:
    with pytest.raises(InvalidInput, match="a later release wrote it"):
        record(KEPT[0], format_version=2)


@pytest.mark.parametrize("name", list(REGISTRY))
def test_the_recorder_makes_what_the_present_rules_replay(name: str, tmp_path: Path) -> None:
    """A first tick, recorded now: so the tool is fit when the next version needs it."""
    path = tmp_path / "now.zst"
    path.write_bytes(recorded(REGISTRY.get(name), count=1))

    assert [] == replayed(record(path)).findings
