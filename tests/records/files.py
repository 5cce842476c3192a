"""Where recorded ticks lie, and which tick is recorded."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "kept"
MUST_FAIL: Final = Path(__file__).parent / "must-fail"
TICK: Final = 3
"""The third tick: by then something has been built on what came before."""


def file_of(folder: Path, rulebook: str, version: str) -> Path:
    """The file of a version of a rulebook."""
    return folder / f"{rulebook}-{version}-tick-{TICK}.zst"
