"""Servers for tests: a twin in memory, a real one, and a real one that runs as a Cluster of one node.

A suite that needs them says `from tests.servers import …` in its conftest. Servers live as long as the test session;
each test finds its server empty.
"""

import os
from collections.abc import Iterator
from typing import Literal, NoReturn, cast

import fakeredis
import pytest
import redis

from workers.store import Store
from workers.store.connection import connect
from workers.store.embedded import EmbeddedServer
from workers.store.errors import ServerStartError

Backend = Literal["fakeredis", "real", "cluster"]
BACKENDS: tuple[Backend, ...] = ("fakeredis", "real", "cluster")


def unavailable(why: str) -> NoReturn:
    """Skip the test on a laptop; fail it in CI, where nothing may go untested unseen."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def _served(server: EmbeddedServer) -> Iterator[EmbeddedServer]:
    try:
        server.start()
    except ServerStartError as error:
        unavailable(str(error))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def real_server() -> Iterator[EmbeddedServer]:
    """A real server; its file isn't synced, since no test stops the machine."""
    yield from _served(EmbeddedServer(fsync="no"))


@pytest.fixture(scope="session")
def cluster_server() -> Iterator[EmbeddedServer]:
    """A real server that runs as a Cluster of one node: it refuses scripts whose keys lie in several slots."""
    yield from _served(EmbeddedServer(fsync="no", cluster=True))


def emptied(client: redis.Redis) -> redis.Redis:
    """The same client, of a server without any key or script."""
    client.flushall()
    client.script_flush()
    return client


@pytest.fixture
def real_client(real_server: EmbeddedServer) -> Iterator[redis.Redis]:
    """A client of the emptied real server."""
    with connect(real_server.url) as client:
        yield emptied(client)


@pytest.fixture
def real_store(real_client: redis.Redis) -> Store:
    """The store on the emptied real server."""
    return Store.over(real_client)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each of the servers in turn."""
    return cast(Backend, request.param)


@pytest.fixture
def client(backend: Backend, request: pytest.FixtureRequest) -> Iterator[redis.Redis]:
    """A client of the backend, which is empty."""
    if backend == "fakeredis":
        yield fakeredis.FakeRedis(server=fakeredis.FakeServer(), decode_responses=False)
        return
    server: EmbeddedServer = request.getfixturevalue(f"{backend}_server")
    with connect(server.url) as connected:
        yield emptied(connected)


@pytest.fixture
def store(client: redis.Redis) -> Store:
    """The store on the backend, which is empty."""
    return Store.over(client)
