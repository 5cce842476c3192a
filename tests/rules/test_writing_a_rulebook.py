"""The page on writing a rulebook shows the sample plug-in as it is, and its conformance test runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sample_plugin.installation import SOURCE
from workers.rules.conformance import CHECKS

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "writing-a-rulebook.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
FILES = {
    suffix: [path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob(f"*{suffix}"))]
    for suffix in (".py", ".toml")
}


@pytest.mark.parametrize(("language", "block"), BLOCKS, ids=[block.splitlines()[0] for _, block in BLOCKS])
def test_each_block_of_the_page_stands_in_the_sample_plugin(language: str, block: str) -> None:
    suffix = {"python": ".py", "toml": ".toml"}[language]

    assert any(block in text for text in FILES[suffix])


def test_the_page_has_blocks_of_both_kinds() -> None:
    assert {"python", "toml"} == {language for language, _ in BLOCKS}


def test_the_page_names_every_check_in_the_order_in_which_they_run() -> None:
    assert [check.__name__ for check in CHECKS] == re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)


def test_the_plugins_own_conformance_test_passes_as_its_author_runs_it(site: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(Path(__file__).parents[2])])}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:valkey", "conformance.py"],
        cwd=site.parent / "source",
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )

    assert 0 == run.returncode, run.stdout
    assert f"{len(CHECKS)} passed" in run.stdout
