"""The pond on a twin of the server in memory and on a real one."""

from collections.abc import Iterator
from pathlib import Path

import fakeredis
import pytest
import redis

from tests.servers import emptied, real_server
from tests.service.pond import World, world
from workers.store.connection import connect

__all__ = ["real_server"]


@pytest.fixture(params=["fakeredis", "real"])
def client(request: pytest.FixtureRequest) -> Iterator[redis.Redis]:
    """A client of an empty server."""
    if request.param == "fakeredis":
        yield fakeredis.FakeRedis(server=fakeredis.FakeServer())
        return
    server = request.getfixturevalue("real_server")
    with connect(server.url) as connected:
        yield emptied(connected)


@pytest.fixture
def pond(client: redis.Redis, tmp_path: Path) -> World:
    """The pond, open, tick 1 taking orders."""
    made = world(client, tmp_path.as_uri())
    made.found()
    return made


@pytest.fixture
def empty(client: redis.Redis, tmp_path: Path) -> World:
    """A store without any campaign."""
    return world(client, tmp_path.as_uri())
