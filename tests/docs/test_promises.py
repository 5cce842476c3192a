"""Each promise names a test that is there."""

import re

from tests.docs.pages import DOCS, ROOT, spans, tables

PAGE = DOCS / "explanation" / "what-tocsin-promises.md"


def test_every_row_of_a_promise_names_tests_and_they_exist() -> None:
    rows = [row for table in tables(PAGE) for row in table[1:]]
    named = [re.findall(r"`(tests/[\w/]+\.py)`", row[-1]) for row in rows]

    assert len(rows) >= 15
    assert [] == [row for row, tests in zip(rows, named, strict=True) if not tests]
    assert [] == sorted({path for tests in named for path in tests if not (ROOT / path).is_file()})


def test_every_test_that_the_page_names_exists() -> None:
    assert [] == [span for span in spans(PAGE) if span.startswith("tests/") and not (ROOT / span).is_file()]


def test_the_page_says_what_is_not_promised() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert "## What is not promised" in text
    for word in ("everysec", "always", "WAIT", "asynchronous", "clock", "archive"):
        assert word in text.partition("## What is not promised")[2]
