"""What pages tell to type is typed: the lines of `dice.md` and the whole tutorial."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT, fences
from workers.cli.processes import Child, wait_until
from workers.store.embedded import EmbeddedServer

# One `tocsin up` and one reading of the tutorial serve all tests here: they stay on one test process.
pytestmark = pytest.mark.xdist_group("docs-runs")

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


def test_the_roll_that_the_readme_shows_is_the_one_that_its_command_draws(tmp_path) -> None:
    shown = next(text for _, text in fences(ROOT / "README.md", "") if "replay identical" in text)
    dice = re.search(r"dice ((?:\d, )*\d), each one more", shown)
    command = re.search(r"tocsin roll .+", shown)
    assert dice is not None
    assert command is not None
    drawn = json.loads(run(f"{command[0]} --json", tmp_path))["values"]

    assert [int(face) - 1 for face in dice[1].split(", ")] == drawn


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """`tocsin up` in a folder of its own, on a free port; the folder."""
    folder = tmp_path_factory.mktemp("up")
    (folder / "workers").symlink_to(ROOT / "workers")
    command = [sys.executable, "-m", "workers.cli", "up", "--port", "0", "--folder", str(folder / ".tocsin")]
    child = Child("up", command, folder / "up.log", WITH_TOCSIN).start()
    try:
        wait_until((folder / ".tocsin" / "url").exists, "tocsin up has started everything", LIMIT_S, [child])
        yield folder
    finally:
        child.stop()


def typed(page: Path, folder: Path, first: int = 0) -> str:
    """What the shell blocks of a page say, from the given one on, typed in their order."""
    said = []
    for _, text in list(fences(page, "sh"))[first:]:
        for record in re.findall(r"[\w./-]+\.zst", text):
            wait_until((folder / record).exists, f"{record} is in the archive", LIMIT_S)
        said.append(run(text, folder))
    return "\n".join(said)


@pytest.fixture(scope="module")
def played(up: Path) -> str:
    """What the tutorial says when it is typed from its beginning to its end."""
    blocks = [text for _, text in fences(TUTORIAL, "sh")]
    assert set(blocks[0].split("\n")) - {""} == DONE_BEFORE
    assert blocks[1] == "tocsin up\n"
    return typed(TUTORIAL, up, first=2)


@pytest.mark.parametrize("words", ["Your camp has no servant horace.", "ariane", "replay identical", "verified"])
def test_the_tutorial_is_typed_and_says_what_its_reader_is_promised(played: str, words: str) -> None:
    assert words in played


@pytest.mark.parametrize("name", ["replay-a-tick", "write-a-scenario"])
def test_a_how_to_is_typed_after_the_tutorial(up: Path, played: str, name: str) -> None:
    """Whoever reads it has played the tutorial's campaign, whose records it replays."""
    assert "replay identical" in played
    assert typed(DOCS / "how-to" / f"{name}.md", up)


def test_a_campaign_is_backed_up_and_restored_with_what_up_leaves(up: Path, played: str, tmp_path: Path) -> None:
    """The page's lines in their order, those of an empty server on one."""
    assert "replay identical" in played
    blocks = [text for _, text in fences(DOCS / "how-to" / "back-up-and-restore.md", "sh")]
    entered, monday, tuesday, restored, caught_up, upgraded = blocks
    made = run(entered + monday + tuesday + caught_up + upgraded, up)
    with EmbeddedServer(data_dir=tmp_path / "empty", fsync="no") as server:
        again = run(f"{entered}export TOCSIN_REDIS_URL={server.url}\n{restored}{upgraded}", up)

    assert "quays-tuesday.zst" in made
    assert "restored_at" in again
    assert 0o600 == (up / ".tocsin" / "env").stat().st_mode & 0o777
