"""The HTTP face over a twin of the server in memory and over a real one."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import fakeredis
import pytest

from tests.api.web import Web, serve
from tests.servers import emptied, real_server
from workers.registry import load_registry
from workers.store.connection import connect, connect_async

__all__ = ["real_server"]


@pytest.fixture(params=["fakeredis", "real"])
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Web]:
    """The application with the toy rulebook and no campaign."""
    if request.param == "fakeredis":
        twin = fakeredis.FakeServer()
        fake = partial(fakeredis.FakeAsyncRedis, server=twin)
        with serve(fakeredis.FakeRedis(server=twin), fake, tmp_path) as web:
            yield web
        return
    url = request.getfixturevalue("real_server").url
    with connect(url) as client, serve(emptied(client), partial(connect_async, url, block_s=15), tmp_path) as web:
        yield web


@pytest.fixture
def web(bare: Web) -> Web:
    """The application with the pond, open."""
    bare.found("pond")
    return bare


@pytest.fixture
def operator(web: Web) -> str:
    return web.token("pond", "operator")


@pytest.fixture
def east(web: Web) -> str:
    return web.token("pond", "camp", camp="east")


@pytest.fixture
def west(web: Web) -> str:
    return web.token("pond", "camp", camp="west")


@pytest.fixture
def pat(web: Web) -> str:
    """The token of an actor of the east who commands the boat bert."""
    return web.token("pond", "actor", camp="east", actor="pat", entities=["bert"])


@pytest.fixture
def veil(tmp_path: Path) -> Iterator[Web]:
    """The application with the rulebooks that are installed, on the twin in memory."""
    twin = fakeredis.FakeServer()
    fake = partial(fakeredis.FakeAsyncRedis, server=twin)
    with serve(fakeredis.FakeRedis(server=twin), fake, tmp_path, rulebooks=load_registry()) as web:
        yield web
