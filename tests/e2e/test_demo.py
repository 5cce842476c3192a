"""`tocsin demo`, as a newcomer runs it: every claim of its document is held against what lies on disk."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.servers import unavailable
from workers.registry import load_registry
from workers.store import Store
from workers.store.archive import read_file
from workers.store.embedded import EmbeddedServer, find_server

LIMIT_S = 280
RULEBOOKS = list(load_registry())


def tocsin(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workers.cli", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.fixture(scope="module", params=RULEBOOKS)
def demo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The document of a demonstration: four ticks of the Veil, two of every other rulebook."""
    if find_server() is None:
        unavailable("there is no program of a server")
    folder = tmp_path_factory.mktemp(f"demo-{request.param}")
    ticks = "4" if request.param == "veil" else "2"
    done = tocsin("demo", "--rulebook", request.param, "--ticks", ticks, "--folder", str(folder), "--json")
    assert 0 == done.returncode, done.stderr
    document = json.loads(done.stdout)
    assert 1 == len(done.stdout.splitlines())
    return {**document, "asked": int(ticks), "of": request.param, "folder": folder}


pytestmark = pytest.mark.xdist_group("demo")


def test_the_document_has_the_fields_that_are_promised(demo: dict[str, Any]) -> None:
    promised = {"rulebook", "ticks", "reports", "orders_over_http", "workers", "replay", "roll_checks", "bundles"}

    assert promised == set(demo) - {"asked", "of", "folder"}
    assert demo["of"] == demo["rulebook"]


def test_every_tick_asked_for_was_played_phase_by_phase(demo: dict[str, Any]) -> None:
    names = [phase.name for phase in load_registry().get(demo["of"]).phases]

    assert list(range(1, demo["asked"] + 1)) == [tick["tick"] for tick in demo["ticks"]]
    for tick in demo["ticks"]:
        assert {"tick", "digest", "orders", "phases"} == set(tick)
        assert names == [phase["name"] for phase in tick["phases"]]
        assert all({"name", "shards", "events", "void"} == set(phase) for phase in tick["phases"])
    assert len({tick["digest"] for tick in demo["ticks"]}) == demo["asked"]


def test_the_ticks_were_spread_over_shards_and_worker_processes(demo: dict[str, Any]) -> None:
    assert max(phase["shards"] for tick in demo["ticks"] for phase in tick["phases"]) >= 4
    assert demo["workers"] >= 2


def test_the_orders_went_over_http_and_both_camps_read_something(demo: dict[str, Any]) -> None:
    assert 0 < sum(tick["orders"] for tick in demo["ticks"]) == demo["orders_over_http"]
    assert set(load_registry().get(demo["of"]).camps) == set(demo["reports"])
    assert all(facts > 0 for facts in demo["reports"].values())


def test_another_process_replayed_every_tick_identically(demo: dict[str, Any]) -> None:
    assert {
        "identical": True,
        "digest": demo["ticks"][-1]["digest"],
        "reports_identical": True,
        "ticks_compared": demo["asked"],
    } == demo["replay"]
    records = sorted(map(str, (demo["folder"] / "archive" / "demo").glob("*.zst")))
    again = json.loads(tocsin("replay", *records, "--json", PYTHONHASHSEED="31337").stdout)
    assert [tick["digest"] for tick in demo["ticks"]] == [record["digest"] for record in again["records"]]
    assert 0 == tocsin("verify", *records).returncode


def test_rolls_were_checked_against_the_commitments(demo: dict[str, Any]) -> None:
    assert demo["roll_checks"] >= 1


def test_each_bundle_resolves_to_the_digest_of_its_tick(demo: dict[str, Any]) -> None:
    assert demo["asked"] == len(demo["bundles"])
    for tick, bundle in zip(demo["ticks"], demo["bundles"], strict=True):
        resolved = json.loads(tocsin("resolve", bundle, "--json").stdout)
        assert (tick["tick"], tick["digest"]) == (resolved["tick"], resolved["digest"])


def test_the_campaign_seed_lies_in_no_record_no_bundle_and_no_log(demo: dict[str, Any]) -> None:
    with EmbeddedServer(data_dir=demo["folder"] / "server") as server:
        seed = Store.at(server.url).heads.seed("demo")
    assert seed is not None
    kept = [path.read_bytes() for name in ("bundles", "logs") for path in (demo["folder"] / name).iterdir()]
    kept += [b"".join(read_file(str(path))) for path in (demo["folder"] / "archive" / "demo").glob("*.zst")]

    assert demo["asked"] * 2 < len(kept)
    assert not [data for data in kept if seed in data or seed.hex().encode() in data]


def test_people_see_both_reports_and_the_verdict_in_the_last_line(tmp_path: Path) -> None:
    if find_server() is None:
        unavailable("there is no program of a server")
    done = tocsin("demo", "--ticks", "1", "--lang", "fr", "--folder", str(tmp_path / "seen"))
    lines = done.stdout.splitlines()

    assert 0 == done.returncode, done.stderr
    assert lines[-1].startswith("replay identical ")
    assert 64 == len(lines[-1].split()[-1])
    for camp in load_registry().get("veil").camps:
        assert any(line.startswith(f"{camp}: ") for line in lines)
    assert any("Mission" in line for line in lines)


def test_a_rulebook_that_is_not_here_is_bad_input(tmp_path: Path) -> None:
    done = tocsin("demo", "--rulebook", "chess", "--folder", str(tmp_path / "none"))

    assert 2 == done.returncode
    assert "unknown rulebook 'chess'" in done.stderr
    assert not (tmp_path / "none").exists()
