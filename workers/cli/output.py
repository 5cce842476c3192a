"""What a verb prints: one JSON document for machines, or lines and tables for people."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from unicodedata import category

import msgspec
from rich.console import Console
from rich.table import Table

WIDTH_OF_A_PIPE = 240
"""Columns of a table that no terminal shows."""


def print_json(document: Any) -> None:
    """One JSON document on standard output: indented for a terminal, on one line for a machine."""
    data = msgspec.json.encode(document)
    if sys.stdout.isatty():
        data = msgspec.json.format(data, indent=2)
    print(data.decode())


def console() -> Console:
    """Standard output for people. Made at each use: tests and pipes exchange the stream."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH_OF_A_PIPE)


def shown(text: str) -> str:
    """A text as a terminal may get it: whatever isn't printed as itself, but a newline and the kinds of space, is
    spelled out. A name in a report must not move the cursor, change a title or turn the reading order round.
    """
    return "".join(map(_shown, text)) if not text.isprintable() else text


def _shown(character: str) -> str:
    if character.isprintable() or character == "\n" or category(character) == "Zs":
        return character
    return character.encode("unicode_escape").decode()


def say(text: str, *, flush: bool = False) -> None:
    """A line for people on standard output."""
    print(shown(text), flush=flush)


def note(text: str) -> None:
    """A line for people on standard error, where a document on standard output isn't disturbed."""
    print(shown(text), file=sys.stderr, flush=True)


def logs_to_stderr() -> None:
    """Send what the service logs to standard error: standard output is for what was asked."""
    import structlog

    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table on standard output; nothing of what it holds is read as markup."""
    from rich.text import Text

    made = Table(
        title=Text(shown(title)) if title else None,
        title_justify="left",
        show_edge=False,
        pad_edge=False,
        header_style="bold",
    )
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        made.add_row(*(Text(shown(plain(cell))) for cell in row))
    console().print(made)


def plain(value: Any) -> str:
    """A value as a cell of a table: a list by its items, a flag in a word, nothing as nothing."""
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(inner)}" for name, inner in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def field_rows(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The fields of a document as rows; milliseconds since 1970 as a time (UTC)."""
    for name, value in document.items():
        if name.endswith("_ms") and isinstance(value, int) and value > 0:
            moment = datetime.fromtimestamp(value // 1000, tz=UTC)
            yield name.removesuffix("_ms"), moment.isoformat(sep=" ").removesuffix("+00:00") + " UTC"
        elif not (name.endswith("_ms") and value == 0):
            yield name, plain(value)
