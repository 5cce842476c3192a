"""Over TLS: one URL for the store, Celery's transport and its result backend; another certificate is refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu.exceptions import OperationalError

from tests.pipeline.terminator import Terminator, certificate
from tests.pipeline.world import World, world
from workers.app import make_app
from workers.settings import ServerSettings
from workers.store.connection import NO_SERVER, connect
from workers.store.embedded import HOST, EmbeddedServer


@pytest.fixture
def ended(tmp_path: Path) -> Iterator[tuple[Terminator, Path]]:
    """TLS before a real server, and the certificate that it shows."""
    made, key = certificate(tmp_path)
    with EmbeddedServer(fsync="no") as server:
        port = int(server.url.rpartition(":")[2].partition("/")[0])
        with Terminator(port, made, key) as terminator:
            yield terminator, made


def url_of(terminator: Terminator, trusted: Path) -> str:
    return f"rediss://{HOST}:{terminator.port}/0?ssl_cert_reqs=required&ssl_ca_certs={trusted}"


def test_a_tick_is_played_over_tls(ended: tuple[Terminator, Path], tmp_path: Path) -> None:
    terminator, made = ended
    with world(url_of(terminator, made), tmp_path) as tocsin:
        tocsin.start_worker()
        tocsin.found("town")
        record = tocsin.play("town")
        assert [] == World.replay(tocsin, "town", 1).findings

    assert record["digest"]
    assert terminator.carried > 3


def test_a_server_that_shows_another_certificate_is_not_spoken_to(
    ended: tuple[Terminator, Path], tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other, _ = certificate(tmp_path / "other")
    url = url_of(ended[0], other)

    with connect(url) as client, pytest.raises(NO_SERVER, match=r"(?i)certificate"):
        client.ping()
    app = make_app(ServerSettings(redis_url=url))
    with app, app.connection_for_write() as connection, pytest.raises(OperationalError):
        connection.ensure_connection(max_retries=1, interval_start=0, interval_step=0)
    assert 0 == ended[0].carried
