"""The options that several measurements share."""

from typing import Annotated, Final

import typer

from workers.cli.bench.profiles import check_profile
from workers.kernel.errors import InvalidInput

ORDERS_MAX: Final = 10_000_000
WORKERS_MAX: Final = 64
RUNS_MAX: Final = 200


def numbers(text: str, option: str, most: int) -> tuple[int, ...]:
    """Ascending numbers of a list such as `10000,100000`. Raises InvalidInput naming the option."""
    parts = [part.strip() for part in text.split(",")]
    found = tuple(int(part) for part in parts if part.isdecimal())
    if len(found) != len(parts) or list(found) != sorted(set(found)) or not 1 <= found[0] <= found[-1] <= most:
        raise InvalidInput(option, f"{text!r} is no list of ascending numbers", f"numbers from 1 to {most}: 1000,10000")
    return found


Workers = Annotated[int, typer.Option("--workers", min=1, max=WORKERS_MAX, help="Worker processes.")]
Rulebook = Annotated[str, typer.Option("--rulebook", help="The rulebook.")]
Runs = Annotated[int, typer.Option("--runs", min=1, max=RUNS_MAX, help="Runs, of which the median is told.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="What the campaign and its orders are drawn from.")]
ProfileFile = Annotated[
    str,
    typer.Option(
        "--profile",
        callback=check_profile,
        help="One more run, not counted, is watched: its flame graph (.svg, .json for speedscope, .txt for stacks).",
    ),
]
