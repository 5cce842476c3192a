"""`tocsin doctor` and `tocsin sweep`: what an operator runs beside the API."""

from pathlib import Path

import pytest

from tests.cli.world import Cli, Town, tocsin

pytestmark = pytest.mark.xdist_group("town")

NOWHERE = "redis://127.0.0.1:9/0"


def operated(place: Town, folder: Path, **more: str) -> Cli:
    return Cli(TOCSIN_REDIS_URL=place.stack.server.url, TOCSIN_ARCHIVE_URL=folder.as_uri(), **more)


def test_the_doctor_looks_at_everything(place: Town, tmp_path: Path) -> None:
    result = operated(place, tmp_path / "archive")("doctor", "--json")
    import json

    document = json.loads(result.stdout)
    found = {check["name"] for check in document["checks"]}

    assert {"settings", "server", "scripts", "campaigns", "archive", "rulebook"} == found
    assert any("fingerprint" in check["found"] for check in document["checks"])
    assert not (tmp_path / "archive").exists()


def test_the_doctor_names_what_is_not_fit(place: Town, tmp_path: Path) -> None:
    # The tests' server doesn't sync its file: an operator must be told.
    result = operated(place, tmp_path / "archive")("doctor")

    assert 1 == result.exit_code
    assert "tocsin: not fit: server\n" == result.stderr
    assert "appendfsync is 'no'" in result.stdout


def test_the_doctor_tells_of_an_archive_that_can_not_be_written(place: Town, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    result = operated(place, tmp_path / "file")("doctor")

    assert 1 == result.exit_code
    assert "archive" in result.stderr


def test_the_doctor_says_where_no_server_answers_and_looks_at_the_rest(tmp_path: Path) -> None:
    result = Cli(TOCSIN_REDIS_URL=NOWHERE, TOCSIN_ARCHIVE_URL=(tmp_path / "archive").as_uri())("doctor")

    assert 3 == result.exit_code
    assert "UNFIT" in result.stdout
    assert "fingerprint" in result.stdout


def test_the_doctor_shows_no_password(tmp_path: Path) -> None:
    archive = (tmp_path / "archive").as_uri()
    result = Cli(TOCSIN_REDIS_URL="redis://user:hush@127.0.0.1:9/0", TOCSIN_ARCHIVE_URL=archive)("doctor")

    assert "hush" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("TOCSIN_CACHE_BYTES", "many", "TOCSIN_CACHE_BYTES: 'many': "),
        ("TOCSIN_SHARDS_MIN", "0", "TOCSIN_SHARDS_MIN: '0': "),
        ("TOCSIN_REDIS_URL", "http://127.0.0.1", "TOCSIN_REDIS_URL: "),
    ],
)
def test_a_bad_setting_is_named(variable: str, value: str, named: str) -> None:
    result = Cli(**{variable: value})("doctor")

    assert 2 == result.exit_code
    assert named in result.stderr


def test_a_sweep_of_some_rounds_ends_by_itself(place: Town) -> None:
    done = tocsin("sweep", "--rounds", "1", TOCSIN_REDIS_URL=place.stack.server.url)

    assert 0 == done.returncode, done.stderr
    assert "" == done.stdout
