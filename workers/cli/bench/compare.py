"""`tocsin bench compare`: two measurements side by side, as ratios."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from workers.cli.bench.documents import rounded
from workers.cli.documents import existing_file
from workers.cli.options import AsJson
from workers.cli.output import print_json, table
from workers.kernel.errors import InvalidInput

LEFT_OUT = {"seeds", "sizes", "counts", "model", "goal"}
"""Figures that aren't measurements: what was asked for, and what is counted."""
ACCEPTED = "what a `tocsin bench … --json` printed"


def compare(
    before: Annotated[str, typer.Argument(metavar="A.json", help="A measurement, or those of `bench all --json`.")],
    after: Annotated[str, typer.Argument(metavar="B.json", help="Another one of the same.")],
    as_json: AsJson = False,
) -> None:
    """Two measurements side by side: every figure that both have, and B over A."""
    rows = list(_rows(_read(before), _read(after)))
    if not rows:
        raise InvalidInput(after, f"it measures nothing that {before} measures", "measurements of the same thing")
    if as_json:
        print_json(
            {
                "a": before,
                "b": after,
                "figures": [dict(zip(("bench", "figure", "a", "b", "ratio"), row, strict=True)) for row in rows],
            }
        )
        return
    table("", ("bench", "figure", before, after, "B / A"), rows)


def _read(name: str) -> dict[str, dict[str, Any]]:
    """The documents of a file, by what they measure. Raises InvalidInput."""
    path: Path = existing_file(name)
    try:
        found = msgspec.json.decode(path.read_bytes())
    except msgspec.DecodeError as error:
        raise InvalidInput(name, f"it is no JSON ({error})", ACCEPTED) from error
    documents = found.get("benches", [found]) if isinstance(found, dict) else found
    if not isinstance(documents, list) or not all(isinstance(one, dict) and "command" in one for one in documents):
        raise InvalidInput(name, "it is no measurement", ACCEPTED)
    return {_question(one["command"]): one for one in documents}


def _question(command: str) -> str:
    """What a command measures: its words before the first option, and the rulebook."""
    words = command.split()
    name = " ".join(words[2:3])
    rulebook = words[words.index("--rulebook") + 1] if "--rulebook" in words[:-1] else ""
    return f"{name} {rulebook}".strip()


def _rows(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> Iterator[tuple[str, str, float, float, float]]:
    for question, one in before.items():
        other = dict(_figures(after.get(question, {})))
        for figure, value in _figures(one):
            if figure in other:
                ratio = rounded(other[figure] / value) if value else 0.0
                yield question, figure, value, other[figure], ratio


def _figures(found: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a document by their places; goals and entries by size by their names."""
    if isinstance(found, bool) or found is None:
        return
    if isinstance(found, int | float):
        yield path, float(found)
    elif isinstance(found, dict):
        for name, value in found.items():
            if name not in LEFT_OUT and not name.endswith("runs"):
                yield from _figures(value, f"{path}.{name}" if path else name)
    elif isinstance(found, list):
        for value in found:
            if isinstance(value, dict):
                yield from _figures(value, f"{path}[{next(iter(value.values()), '')}]")
