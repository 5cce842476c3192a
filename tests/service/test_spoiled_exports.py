"""An export that was changed is restored whole, or refused with its line before anything is written."""

import hashlib
import json
from pathlib import Path
from random import Random

import fakeredis
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.cli.mutation import broken, mutated
from tests.service.pond import ANNA, BERT, World, world
from workers.kernel.errors import InvalidInput, TocsinError
from workers.service.backup import Backup

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
        json.dumps([name, parts, [part for entry in entries for part in (entry, {"p": "x"})]]).encode() + b"\n"
    )
    pond = empty(tmp_path)

    with pytest.raises(InvalidInput, match=r"reports: .* is out of place in \['east'\]"):
        Backup(pond.services.store).restore("pond", lambda: signed(export), SEED)
    assert pond.services.store.client.keys("tocsin*{pond}*") == []
