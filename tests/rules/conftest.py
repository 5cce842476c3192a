"""The sample rulebook, installed once and visible to the modules that ask for it."""

from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.sample_plugin.installation import install_lantern, visible
from workers.registry import GROUP, load_registry
from workers.rules.contract import Rulebook


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_lantern(tmp_path_factory.mktemp("plugin"))


@pytest.fixture(scope="module")
def site(installed: Path) -> Iterator[Path]:
    with visible(installed):
        yield installed


@pytest.fixture(scope="module")
def lantern(site: Path) -> Rulebook:
    return load_registry(entry_points(group=GROUP, name="lantern")).get("lantern")
