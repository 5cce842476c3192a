"""A fresh real server and a world on it, for each test of the pipeline."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.world import World, world
from workers.store.embedded import EmbeddedServer


@pytest.fixture
def tocsin(tmp_path: Path) -> Iterator[World]:
    """A world with no worker yet."""
    with EmbeddedServer(fsync="no") as server, world(server.url, tmp_path) as made:
        yield made
