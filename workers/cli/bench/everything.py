"""`tocsin bench all`: every measurement, one after another, and one table."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from workers import clock
from workers.cli.bench import growth, intake, many, memory, replaying, reports, small, tick
from workers.cli.bench.choices import Seed, Workers
from workers.cli.options import AsJson
from workers.cli.output import note, print_json

COLUMNS = ("what", "figure", "measured", "goal", "met")


Question = tuple[str, Callable[[], Mapping[str, Any]]]
"""What is asked, and what measures it."""


def short_questions(workers: int, seed: int) -> list[Question]:
    """Every measurement at sizes that together take less than ten minutes on two cores."""
    return [
        ("one large tick", partial(tick.measure, tick.Plan(orders=100_000, runs=2, workers=workers, seed=seed))),
        ("growth", partial(growth.measure, growth.Plan(sizes=(10_000, 50_000), runs=2, workers=workers, seed=seed))),
        ("a small tick", partial(small.measure, small.Plan(runs=20, workers=workers, seed=seed))),
        ("many campaigns", partial(many.measure, many.Plan(campaigns=200, runs=2, workers=workers, seed=seed))),
        ("intake", partial(intake.measure, intake.Plan(orders=20_000, singles=500, runs=3, seed=seed))),
        ("reports", partial(reports.measure, reports.Plan(runs=3, seed=seed))),
        ("replay", partial(replaying.measure, replaying.Plan(orders=20_000, runs=3, seed=seed))),
        ("memory", partial(memory.measure, memory.Plan(sizes=(10_000, 50_000), workers=workers, seed=seed))),
    ]


def whole_questions(workers: int, seed: int) -> list[Question]:
    """Every measurement at the sizes of its goals."""
    others = [
        (
            f"one tick of {name}",
            partial(tick.measure, tick.Plan(orders=200_000, rulebook=name, workers=workers, seed=seed)),
        )
        for name in ("uprising", "anarchy")
    ]
    return [
        ("one large tick", partial(tick.measure, tick.Plan(orders=1_000_000, workers=workers, seed=seed))),
        *others,
        ("growth", partial(growth.measure, growth.Plan(workers=workers, seed=seed))),
        ("a small tick", partial(small.measure, small.Plan(workers=workers, seed=seed))),
        ("many campaigns", partial(many.measure, many.Plan(workers=workers, seed=seed))),
        ("intake", partial(intake.measure, intake.Plan(seed=seed))),
        ("reports", partial(reports.measure, reports.Plan(seed=seed))),
        ("replay", partial(replaying.measure, replaying.Plan(seed=seed))),
        ("memory", partial(memory.measure, memory.Plan(workers=workers, seed=seed))),
    ]


def everything(
    short: Annotated[bool, typer.Option("--short", help="Smaller sizes: ten minutes at most on two cores.")] = False,
    workers: Workers = 2,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Every measurement, one after another; a table in Markdown of what was measured against what should be."""
    found: list[Mapping[str, Any]] = []
    rows: list[tuple[str, ...]] = []
    for name, measure in short_questions(workers, seed) if short else whole_questions(workers, seed):
        note(f"bench: {name} …")
        started_s = clock.monotonic_s()
        one = measure()
        note(f"bench: {name}: {clock.monotonic_s() - started_s:.0f} s")
        found.append(one)
        rows += rows_of(name, one)
    if as_json:
        print_json({"benches": found})
        return
    print(markdown(COLUMNS, rows))


def rows_of(name: str, one: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A measurement's figures as rows: what, figure, value, goal, whether it is met."""
    rows: list[tuple[str, ...]] = []
    for goal in one["goals"]:
        wanted = goal["goal"]
        told = f"{wanted['op'].replace('<=', '≤').replace('>=', '≥')} {wanted['value']:g}" if wanted else ""
        met = "" if goal["met"] is None else "yes" if goal["met"] else "no"
        rows.append((name, goal["name"], f"{goal['value']:g}", told, met))
        name = ""
    return rows


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, its columns aligned for those who read it as it is."""
    lines = [columns, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    told = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    ruler = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([told[0], ruler, *told[1:]])
