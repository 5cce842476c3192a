"""Links lead somewhere, and every page can be reached."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT, anchors, name, pages, prose

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def links(page: Path) -> list[str]:
    return [link for link in LINK.findall(prose(page)) if not link.startswith(("http://", "https://"))]


@pytest.mark.parametrize("page", pages(), ids=name)
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    lost = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or not target.is_relative_to(ROOT) or (anchor and anchor not in anchors(target)):
            lost.append(link)

    assert lost == []


def test_the_map_leads_to_every_page() -> None:
    reached = {(DOCS / link.partition("#")[0]).resolve() for link in links(DOCS / "README.md")}
    decisions = DOCS / "adr"

    assert {page for page in DOCS.rglob("*.md") if page.parent != decisions} - {DOCS / "README.md"} <= reached
    assert decisions / "README.md" in reached


def test_the_list_of_decisions_leads_to_each_of_them() -> None:
    decisions = DOCS / "adr"
    reached = {decisions / link for link in links(decisions / "README.md")}

    assert set(decisions.glob("[0-9]*.md")) <= reached


def test_how_a_tick_works_ends_with_the_files_to_read_and_they_exist() -> None:
    page = DOCS / "explanation" / "how-a-tick-works.md"
    text = page.read_text(encoding="utf-8")
    last = text[text.rindex("\n## ") :]
    named = re.findall(r"`([\w/.]+)`", last)

    assert text.index("```") < 40, "the picture comes first"
    assert len(named) >= 8
    assert [path for path in named if not (ROOT / path).exists()] == []
