"""What a verb prints: one JSON document for machines, or lines and tables for people."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table


def print_json(document: Any) -> None:
    """One JSON document on standard output: indented for a terminal, on one line for a machine."""
    data = msgspec.json.encode(document)
    if sys.stdout.isatty():
        data = msgspec.json.format(data, indent=2)
    print(data.decode())


def console() -> Console:
    """Standard output for people. Made at each use: tests and pipes exchange the stream."""
    return Console(highlight=False, soft_wrap=True)


def note(text: str) -> None:
    """A line for people on standard error, where a document on standard output isn't disturbed."""
    print(text, file=sys.stderr, flush=True)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table on standard output; nothing of what it holds is read as markup."""
    from rich.text import Text

    made = Table(title=title or None, title_justify="left", show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column)
    for row in rows:
        made.add_row(*(Text(str(cell)) for cell in row))
    console().print(made)
