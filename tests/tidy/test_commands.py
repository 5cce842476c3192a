"""The commands that a newcomer types, and the check that a clone goes through."""

import os
import subprocess

import pytest

from tests.tidy.repository import ROOT

TARGETS = ("setup", "demo", "test", "lint", "format", "bench", "chaos", "soak", "pins", "clean", "help")


def make(*arguments: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, check=True, capture_output=True, text=True, env=environment
    ).stdout


def test_make_alone_lists_every_target_with_what_it_does() -> None:
    described = dict(line.removeprefix("make ").split(maxsplit=1) for line in make().splitlines())

    assert set(TARGETS) == set(described)


@pytest.mark.parametrize("target", TARGETS)
def test_make_knows_how_to_make_each_target(target: str) -> None:
    assert make("--dry-run", target).strip()


def test_the_check_of_a_clone_lints_and_tests() -> None:
    script = ROOT / ".ci" / "run"
    lines = [line.split() for line in script.read_text(encoding="utf-8").splitlines()]

    assert os.access(script, os.X_OK)
    assert [["make", "setup"], ["make", "lint"], ["make", "test"]] == [
        line[:2] for line in lines if line[:1] == ["make"]
    ]


def test_the_search_for_python_says_what_is_missing(tmp_path) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (tmp_path / "python3").chmod(0o755)
    search = subprocess.run(
        ["/bin/sh", "requirements/find_python.sh"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
    )

    assert 1 == search.returncode
    assert "Python 3.11 or newer" in search.stderr
    assert "" == search.stdout
