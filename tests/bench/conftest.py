"""Fixtures of the measurements' tests."""

import pytest

from tests.cli.world import Cli


@pytest.fixture(scope="session")
def cli() -> Cli:
    """Runs a verb in this process."""
    return Cli()
