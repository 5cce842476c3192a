"""The changelog has a place for the change at hand."""

import re

from tests.tidy.repository import ROOT

SECTIONS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_changelog_begins_with_what_is_unreleased() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)

    assert "[Unreleased]" == headings[0]
    assert [] == [
        heading for heading in headings[1:] if not re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading)
    ]


def test_the_changelog_sorts_changes_under_the_usual_headings() -> None:
    headings = re.findall(r"^### (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)

    assert set(headings) <= SECTIONS
    assert headings
