"""The repository as the tidy tests see it: its files, and its Python read as syntax trees."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("workers", "api")


@cache
def files() -> tuple[Path, ...]:
    """Every file that is committed, or would be by adding all: absolute paths, sorted."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = (ROOT / name for name in listing.split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


def python_files(*folders: str) -> tuple[Path, ...]:
    """The Python files below the folders named (relative to the root)."""
    return tuple(path for path in files() if path.suffix == ".py" and within(path, *folders))


def within(path: Path, *folders: str) -> bool:
    return any(path.is_relative_to(ROOT / folder) for folder in folders)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=name(path))


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file, from 1; nothing for a file that is no text."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    yield from enumerate(text.splitlines(), start=1)
