"""The pages of the documentation, as the tests read them."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")


@cache
def pages() -> tuple[Path, ...]:
    """Every page of ours: at the root, in docs/ and in deploy/."""
    return (*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "deploy").rglob("*.md")))


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def fences(page: Path, *languages: str) -> Iterator[tuple[str, str]]:
    """The fenced blocks of a page in these languages: the language and the text, without its indentation."""
    for indent, language, text in _FENCE.findall(page.read_text(encoding="utf-8")):
        if language in languages:
            yield language, "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def spans(page: Path) -> list[str]:
    """What stands between single backticks."""
    return _SPAN.findall(prose(page))


def tables(page: Path) -> list[list[list[str]]]:
    """The tables of a page: rows of cells, the heading first, the ruler left out."""
    found: list[list[list[str]]] = []
    inside = False
    for line in prose(page).splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        if not inside:
            found.append([])
        inside = True
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not set("".join(cells)) <= {"-", ":", " "}:
            found[-1].append(cells)
    return found


def anchors(page: Path) -> set[str]:
    """What the page's headings are called in links."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
