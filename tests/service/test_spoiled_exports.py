"""An export that was changed is restored whole, or refused with its line before anything is written."""

import base64
import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import fakeredis
import pytest
import zstandard
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.cli.mutation import broken, mutated
from tests.service.pond import ANNA, BERT, World, world
from workers.kernel.engine import PAGE_FACTS
from workers.kernel.errors import InvalidInput, TocsinError
from workers.service.backup import Backup
from workers.service.exporting import PAGE_BYTES_MAX
from workers.service.records import EMPTY_PAGE
from workers.store.compression import SMALL_BYTES, compressed
from workers.store.keys import Keys

SEED = bytes.fromhex("2a" * 32)


def empty(folder: Path) -> World:
    return world(fakeredis.FakeRedis(server=fakeredis.FakeServer()), folder.as_uri())


@pytest.fixture
def export(tmp_path: Path) -> list[bytes]:
    pond = empty(tmp_path)
    pond.found("pond", campaign_seed=SEED.hex())
    pond.send(ANNA, key="once")
    pond.play()
    pond.send(BERT)
    return list(Backup(pond.services.store).export("pond"))


def signed(lines: list[bytes]) -> list[bytes]:
    """The lines with an end that fits them."""
    kept = [line for line in lines if not line.startswith(b'["end"')]
    return [*kept, json.dumps(["end", len(kept), hashlib.sha256(b"".join(kept)).hexdigest()]).encode() + b"\n"]


def spoiled(lines: list[bytes], random: Random) -> list[bytes]:
    number = random.randrange(len(lines) - 1)
    match random.randrange(4):
        case 0:
            lines[number] = mutated(lines[number], random) + b"\n"
        case 1:
            lines[number] = broken(lines[number], random).replace(b"\n", b"") + b"\n"
        case 2:
            del lines[number]
        case _:
            lines.insert(number, random.choice(lines))
    return signed(lines) if random.random() < 0.8 else lines


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_spoiled_export_is_restored_whole_or_refused_with_nothing_written(
    export: list[bytes], tmp_path: Path, number: int
) -> None:
    @seed(number)
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(random=st.randoms(use_true_random=False))
    def check(random: Random) -> None:
        pond = empty(tmp_path)
        lines = spoiled(list(export), random)
        try:
            Backup(pond.services.store).restore("pond", lambda: lines, SEED)
        except TocsinError:
            assert pond.services.store.client.keys("tocsin*{pond}*") == []

    check()


@pytest.mark.parametrize(
    "entries",
    [["0-1", "0-1"], ["2-1", "1-9"], ["0-0"], ["1"], ["x-1"], ["1-" + "9" * 5_000], [f"1-{1 << 64}"]],
    ids=["twice", "descending", "zero", "no page", "no number", "too long", "too large"],
)
def test_a_streams_entries_come_in_order_or_the_export_is_refused(
    export: list[bytes], tmp_path: Path, entries: list[str]
) -> None:
    """A server would refuse the entry in the middle of the transaction, and take back nothing of it."""
    number = next(n for n, line in enumerate(export) if line.startswith(b'["reports",["east"]'))
    name, parts, _ = json.loads(export[number])
    export[number] = (
        json.dumps([name, parts, [part for entry in entries for part in (entry, {"p": EMPTY_PAGE.decode()})]]).encode()
        + b"\n"
    )
    pond = empty(tmp_path)

    with pytest.raises(InvalidInput, match=r"reports: .* is out of place in \['east'\]"):
        Backup(pond.services.store).restore("pond", lambda: signed(export), SEED)
    assert pond.services.store.client.keys("tocsin*{pond}*") == []


def with_page(lines: list[bytes], fields: dict[str, object]) -> list[bytes]:
    """The export with one entry in the east's report."""
    number = next(n for n, line in enumerate(lines) if line.startswith(b'["reports",["east"]'))
    lines[number] = json.dumps(["reports", ["east"], ["0-1", fields]]).encode() + b"\n"
    return signed(lines)


def in_base64(data: bytes) -> list[str]:
    return [base64.b64encode(data).decode()]


FACTS = {"phase": "", "facts": [[None, {"event": "x"}]] * (PAGE_FACTS + 1)}


@pytest.mark.parametrize(
    "fields",
    [
        {"p": in_base64(zstandard.compress(b'{"phase":"","facts":[],"x":"%b"}' % (b"x" * (150 << 20))))},
        {"p": in_base64(zstandard.compress(EMPTY_PAGE))},
        {"p": in_base64(zstandard.FRAME_HEADER + b"garbage")},
        {"p": "x"},
        {"p": "[]"},
        {"p": '{"phase":"","facts":[[7,{}]]}'},
        {"p": '{"phase":"","facts":[[null,{}]' + "[" * 100_000},
        {"p": json.dumps(FACTS)},
        {"p": json.dumps({"phase": "x" * PAGE_BYTES_MAX, "facts": []})},
        {"last": "1"},
        {"p": {"phase": ""}},
        {"p": EMPTY_PAGE.decode(), "last": "2"},
        {"p": EMPTY_PAGE.decode(), "more": "1"},
    ],
    ids=[
        "a bomb",
        "a frame",
        "a broken frame",
        "no JSON",
        "a list",
        "about a number",
        "deep",
        "too many facts",
        "too large",
        "no page",
        "no text",
        "last of what",
        "another field",
    ],
)
def test_what_is_no_page_is_refused_with_its_place_and_nothing_written(
    export: list[bytes], tmp_path: Path, fields: dict[str, object]
) -> None:
    """A frame would be unpacked by whoever reads the report; garbage would fail there."""
    pond = empty(tmp_path)
    lines = with_page(export, fields)

    with pytest.raises(InvalidInput, match=r"^line \d+: the page 0-1 of \['east'\]: "):
        Backup(pond.services.store).restore("pond", lambda: lines, SEED)
    assert pond.services.store.client.keys("tocsin*{pond}*") == []


def test_pages_are_plain_in_an_export_and_compressed_in_the_server(tmp_path: Path) -> None:
    before = empty(tmp_path)
    before.found("pond", campaign_seed=SEED.hex())
    before.send(ANNA, ANNA, key="twice")
    before.play()
    export = list(Backup(before.services.store).export("pond"))
    pages = [fields["p"] for line in export if line.startswith(b'["reports"') for fields in json.loads(line)[2][1::2]]
    pond = empty(tmp_path)
    Backup(pond.services.store).restore("pond", lambda: export, SEED)
    stored: Any = pond.services.store.client.xrange(Keys("pond").reports("east"))

    assert pages
    assert all(isinstance(page, str) and "facts" in json.loads(page) for page in pages)
    assert max(map(len, pages)) >= SMALL_BYTES, pages
    assert [fields[b"p"] for _, fields in stored] == [compressed(page.encode()) for page in pages[: len(stored)]]


@pytest.mark.parametrize(
    "record",
    [b'{"scope":"admin"}', b'{"scope":"operator","campaign":"creek"}', b'{"scope":"god"}', b"{", b"\xff"],
    ids=["an admin's", "of another campaign", "of no scope", "no JSON", "no text"],
)
def test_a_token_that_would_open_more_than_the_campaign_is_refused_and_nothing_written(
    export: list[bytes], tmp_path: Path, record: bytes
) -> None:
    pond = empty(tmp_path)
    line = json.dumps(["token", ["0" * 64], [in_base64(record)]]).encode() + b"\n"

    with pytest.raises(InvalidInput, match=r"^token: "):
        Backup(pond.services.store).restore("pond", lambda: signed([*export, line]), SEED)
    assert pond.services.store.client.keys("tocsin*") == []
