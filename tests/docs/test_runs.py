"""What pages tell to type is typed: the lines of `dice.md` and the whole tutorial."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, fences
from workers.cli.processes import Child, wait_until

DICE = DOCS / "explanation" / "dice.md"
TUTORIAL = DOCS / "tutorial" / "first-campaign.md"
WITH_TOCSIN = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
LIMIT_S = 60.0
# What the suite runs in is what these two lines of the tutorial make.
DONE_BEFORE = {"make setup", ". .venv/bin/activate"}


def run(script: str, folder: Path) -> str:
    """The output of a script of bash, which must succeed to its last line."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=WITH_TOCSIN,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_a_roll_is_checked_by_hand_with_the_very_lines_of_the_page(tmp_path) -> None:
    before, shown = "", 0
    blocks = list(fences(DICE, "bash", "text"))
    for number, (language, text) in enumerate(blocks):
        if language == "text":
            continue
        following = blocks[number + 1] if number + 1 < len(blocks) else ("", "")
        if following[0] == "text":
            marker = "--- from here on ---\n"
            output = run(f"{before}printf -- '{marker}'\n{text}", tmp_path)
            assert output.partition(marker)[2] == following[1]
            shown += 1
        else:
            before += text

    assert shown == 4


@pytest.fixture
def up(tmp_path: Path):
    """`tocsin up` in the tutorial's folder, on a free port."""
    command = [sys.executable, "-m", "workers.cli", "up", "--port", "0", "--folder", str(tmp_path / ".tocsin")]
    child = Child("up", command, tmp_path / "up.log", WITH_TOCSIN).start()
    try:
        wait_until((tmp_path / ".tocsin" / "url").exists, "tocsin up has started everything", LIMIT_S, [child])
        yield tmp_path
    finally:
        child.stop()


def test_the_tutorial_is_typed_from_its_beginning_to_its_end(up: Path) -> None:
    blocks = [text for _, text in fences(TUTORIAL, "sh")]
    assert set(blocks[0].split("\n")) - {""} == DONE_BEFORE
    assert blocks[1] == "tocsin up\n"
    said = []
    for text in blocks[2:]:
        for record in re.findall(r"\S+\.zst", text):
            wait_until((up / record).exists, f"{record} is in the archive", LIMIT_S)
        said.append(run(text, up))

    told = "\n".join(said)
    assert "Your camp has no servant horace." in told
    assert "ariane" in told
    assert "replay identical" in told
    assert "verified" in told
