"""What the pages have people make beside the code, and nobody else should have, is never added to the repository."""

import subprocess

import pytest

from tests.tidy.repository import ROOT


def ignored(name: str) -> bool:
    """Whether adding all would leave out a file of that name."""
    done = subprocess.run(["git", "check-ignore", "--quiet", "--no-index", name], cwd=ROOT, check=False)
    assert done.returncode in (0, 1)
    return done.returncode == 0


@pytest.mark.parametrize(
    "name",
    [".env", "angel.token", "quays.seed", "quays-monday.zst", ".tocsin/admin-token", ".tocsin/env", "docs/quays.seed"],
)
def test_secrets_are_ignored(name: str) -> None:
    assert ignored(name)


@pytest.mark.parametrize("name", ["tests/records/kept/veil-1-tick-3.zst", "tests/records/kept/veil-2-tick-1.zst"])
def test_the_records_of_the_tests_are_not(name: str) -> None:
    assert not ignored(name)
