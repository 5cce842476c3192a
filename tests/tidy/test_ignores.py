"""A rule may be set aside for a reason, and the reason stands beside it."""

import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.tidy.repository import files, name

IGNORE = re.compile(r"#\s*(?:noqa|type:\s*ignore)[^#]*")
COMPLETE = re.compile(
    r"#\s*(?:noqa:\s*[A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*|type:\s*ignore\[[\w\s,-]+\])"
    r"(?P<reason>.*)"
)


def unexplained(source: str) -> Iterator[tuple[int, str]]:
    """Each comment that sets a rule aside without naming the rule, or without three words of reason behind it."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or not IGNORE.match(token.string):
            continue
        rest, complete = token.string, True
        while IGNORE.match(rest):
            match = COMPLETE.match(rest)
            complete = complete and match is not None
            rest = match["reason"].lstrip() if match else ""
        if not complete or len(re.findall(r"\w+", rest)) < 3:
            yield token.start[0], token.string


def test_every_ignore_names_its_rule_and_its_reason() -> None:
    found = {
        f"{name(path)}:{line}": comment
        for path in files()
        if path.suffix in {".py", ".pyi"}
        for line, comment in unexplained(path.read_text(encoding="utf-8"))
    }

    assert {} == found


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# noqa: E501",
        "# noqa: E501 too long",
        "# type: ignore",
        "# type: ignore  # celery ships no types",
        "# type: ignore[misc]",
        "# type: ignore[misc]  # noqa: E501",
    ],
)
def test_an_ignore_without_rule_or_reason_is_found(comment: str) -> None:
    assert [(1, comment)] == list(unexplained(f"x = 1  {comment}\n"))


@pytest.mark.parametrize(
    "comment",
    [
        "# a comment like any other",
        "# noqa: E501 the table reads better whole",
        "# noqa: E501, W291 - the table reads better whole",
        "# type: ignore[misc]  # celery ships no types",
        "# type: ignore[misc, arg-type]  # noqa: E501  # celery ships no types",
    ],
)
def test_an_ignore_with_rule_and_reason_is_left_alone(comment: str) -> None:
    assert [] == list(unexplained(f"x = 1  {comment}\n"))
