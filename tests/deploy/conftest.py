"""One guarded server for all tests of a file; each uses names of its own."""

from collections.abc import Iterator

import pytest

from tests.deploy.guarded import GuardedServer


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedServer]:
    """A server that runs as deploy/ says."""
    with GuardedServer(tmp_path_factory.mktemp("guarded")) as server:
        yield server
