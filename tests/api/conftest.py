"""The HTTP face over a twin of the server in memory and over a real one."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import fakeredis
import pytest

from tests.api.web import Web, serve
from tests.servers import emptied, real_server
from workers.registry import load_registry
from workers.store.connection import connect, connect_async

__all__ = ["real_server"]


@pytest.fixture(params=["fakeredis", "real"])
def serving(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Web]]:
    """Makes the application with the toy rulebook and no campaign, under the settings that it is told."""
    with ExitStack() as stack:

        def make(**settings: Any) -> Web:
            if request.param == "fakeredis":
                twin = fakeredis.FakeServer()
                fake = partial(fakeredis.FakeAsyncRedis, server=twin)
                return stack.enter_context(serve(fakeredis.FakeRedis(server=twin), fake, tmp_path, **settings))
            url = request.getfixturevalue("real_server").url
            client = emptied(stack.enter_context(connect(url)))
            waiting = partial(connect_async, url, block_s=15)
            return stack.enter_context(serve(client, waiting, tmp_path, **settings))

        yield make


@pytest.fixture
def bare(serving: Callable[..., Web]) -> Web:
    """The application with the toy rulebook and no campaign."""
    return serving()


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
