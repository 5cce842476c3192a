"""What is committed is finished: no note to come back, no stub."""

import re

import pytest

from tests.tidy.repository import files, name, text_lines

# Put together from pieces, so that this file doesn't find itself.
NOTES = ("TO" + "DO", "FIX" + "ME", "XX" + "X", "NotImplemented" + "Error", "for " + "now")
NOTE = re.compile(r"\b(?:" + "|".join(NOTES) + r")\b")


def test_no_file_holds_a_note_to_come_back() -> None:
    found = [f"{name(path)}:{number}" for path in files() for number, line in text_lines(path) if NOTE.search(line)]

    assert [] == found


@pytest.mark.parametrize("note", NOTES)
def test_a_note_is_found(note: str) -> None:
    assert NOTE.search(f"# {note}: mend this")
