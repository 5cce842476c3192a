"""The HTTP face on a twin of the server in memory, and the command line, for attackers."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import fakeredis
import pytest

from tests.api.web import Web, serve
from tests.cli.world import Cli
from workers.registry import load_registry


@pytest.fixture(scope="session")
def cli() -> Cli:
    """Runs a verb in this process."""
    return Cli()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    """The application with the toy rulebook and the pond, open."""
    twin = fakeredis.FakeServer()
    fake = partial(fakeredis.FakeAsyncRedis, server=twin)
    with serve(fakeredis.FakeRedis(server=twin), fake, tmp_path) as served:
        served.found("pond")
        yield served


@pytest.fixture
def operator(web: Web) -> str:
    return web.token("pond", "operator")


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Web]:
    """The application with the rulebooks that are installed, and no campaign."""
    twin = fakeredis.FakeServer()
    fake = partial(fakeredis.FakeAsyncRedis, server=twin)
    with serve(fakeredis.FakeRedis(server=twin), fake, tmp_path, rulebooks=load_registry()) as served:
        yield served
