"""Fixtures of the command line's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.world import Cli, Town, town
from tests.servers import unavailable
from workers.store.embedded import find_server


@pytest.fixture(scope="session")
def cli() -> Cli:
    """Runs a verb in this process."""
    return Cli()


@pytest.fixture(scope="session")
def bundle(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Veil's example, as `tocsin resolve --example` prints it."""
    path = tmp_path_factory.mktemp("bundle") / "veil.json"
    path.write_text(cli("resolve", "--example", "veil").stdout, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A stack of real processes with a campaign at play."""
    if find_server() is None:
        unavailable("there is no program of a server")
    with town(tmp_path_factory.mktemp("town")) as made:
        yield made
