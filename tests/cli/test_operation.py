"""`tocsin doctor` and `tocsin sweep`: what an operator runs beside the API."""

from pathlib import Path

import pytest

from tests.cli.world import Cli, Town, tocsin
from workers.settings import ServerSettings
from workers.store.connection import connect

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


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("TOCSIN_REDIS_URL", "", "redis://"),
        ("TOCSIN_REDIS_URL", "redis://127.0.0.1:9/0?bogus=1", "'bogus'"),
        ("TOCSIN_REDIS_URL", "redis://127.0.0.1:9/0?decode_responses=true", "'decode_responses'"),
        ("TOCSIN_REDIS_URL", "rediss://127.0.0.1:9/0?ssl_ca_cert=/x", "ssl_ca_certs"),
        ("TOCSIN_REDIS_URL", "redis://127.0.0.1:9/0?ssl_ca_certs=/x", "'ssl_ca_certs'"),
        ("TOCSIN_REDIS_URL", "rediss://127.0.0.1:9/0?ssl_cert_reqs=perhaps", "required"),
        ("TOCSIN_REDIS_URL", "redis://127.0.0.1:9/zero", "database"),
        ("TOCSIN_REDIS_URL", "redis://127.0.0.1:9/0?db=zero", "database"),
        ("TOCSIN_REDIS_URL", "redis://hush:hush/hush@127.0.0.1:9/0", "no URL"),
        ("TOCSIN_REDIS_URL", "redis://hush:hush?hush=hush@127.0.0.1:9/0", "accepted"),
        ("TOCSIN_REDIS_URL", "sentinel://:hush@127.0.0.1:9/0?bogus=1", "sentinel://"),
        ("TOCSIN_REDIS_URL", "unix://", "redis://"),
        ("TOCSIN_BROKER_URL", "redis://:hush@127.0.0.1:9/0?bogus=1", "'bogus'"),
        ("TOCSIN_BROKER_URL", "sentinel://127.0.0.1:9/0", "sentinel://"),
        ("TOCSIN_ARCHIVE_URL", "", "file:///"),
        ("TOCSIN_ARCHIVE_URL", "nosuch://x", "nosuch"),
        ("TOCSIN_ARCHIVE_URL", "s3://bucket/x", "s3fs"),
    ],
)
@pytest.mark.parametrize("verb", [("doctor",), ("campaign", "upgrade", "quays")])
def test_an_address_that_can_not_be_used_is_told_before_it_is(
    variable: str, value: str, said: str, verb: tuple[str, ...]
) -> None:
    result = Cli(**{variable: value})(*verb)

    assert 2 == result.exit_code
    assert result.stderr.startswith(f"tocsin: {variable}: "), result.stderr
    assert said in result.stderr
    assert "(accepted: " in result.stderr
    assert "hush" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    "url",
    [
        "redis://user:p%40ss@127.0.0.1/3?client_name=x&health_check_interval=5",
        "rediss://127.0.0.1:9?ssl_cert_reqs=required&ssl_ca_certs=/a&ssl_certfile=/b&ssl_keyfile=/c",
        "unix:///run/server.sock?db=1&password=x",
        "sentinel://10.0.0.1:26379,10.0.0.2/0?master=tocsin",
    ],
)
def test_an_address_that_can_be_used_is_taken(url: str) -> None:
    settings = ServerSettings(redis_url=url)

    assert connect(settings.redis_url).connection_pool.make_connection() is not None


def test_a_sweep_of_some_rounds_ends_by_itself(place: Town) -> None:
    done = tocsin("sweep", "--rounds", "1", TOCSIN_REDIS_URL=place.stack.server.url)

    assert 0 == done.returncode, done.stderr
    assert "" == done.stdout
