"""`tocsin resolve`: a bundle's tick, resolved in this process: pure and offline."""

import sys
import traceback
from typing import Annotated

import typer

from workers.cli.dangling import dangling
from workers.cli.documents import read_document
from workers.cli.errors import CheckFailed
from workers.cli.options import AsJson, Language
from workers.cli.output import print_json, say, table
from workers.cli.rulebooks import check_language, installed
from workers.cli.wording import by_phase, lines_of, read_page
from workers.kernel.errors import InvalidInput
from workers.kernel.tick import TickResult
from workers.kernel.tick import resolve as resolve_tick
from workers.rules.bundle import Loaded, bundle_of, load_bundle, result_document
from workers.rules.conformance.games import self_played
from workers.rules.contract import Rulebook
from workers.rules.resources import load_words

app = typer.Typer(add_completion=False)

SLICES_ACCEPTED = tuple(1 << power for power in range(9))


@app.command()
def resolve(
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help="A bundle's file, or - for standard input.")] = "",
    example: Annotated[
        str, typer.Option("--example", metavar="RULEBOOK", help="Print a valid bundle of this rulebook instead.")
    ] = "",
    slices: Annotated[int, typer.Option("--slices", help="Cut the homes into so many slices.")] = 1,
    trace: Annotated[bool, typer.Option("--trace", help="Show where in the rulebook a failing tick fails.")] = False,
    language: Language = "en",
    as_json: AsJson = False,
) -> None:
    """Resolve a bundle's tick, or print an example of a bundle."""
    if bool(bundle) == bool(example):
        raise InvalidInput("BUNDLE", "a bundle and --example are both or neither given", "one of them")
    if example:
        print(example_bundle(installed().get(example)).decode())
        return
    check_language(language)
    loaded = load(bundle, slices)
    result = run(loaded, bundle, trace=trace)
    if as_json:
        print_json(result_document(result))
        return
    _show(loaded.rulebook, result, language)


def load(name: str, slices: int = 1) -> Loaded:
    """The bundle of a file, ready to resolve. Raises InvalidInput naming the file's field."""
    if slices not in SLICES_ACCEPTED:
        raise InvalidInput("--slices", f"{slices} is no power of two", ", ".join(map(str, SLICES_ACCEPTED)))
    text, registry = read_document(name), installed()
    try:
        return load_bundle(text, registry.get, slices)
    except InvalidInput as error:
        where = f"{name}: {error.field}" if error.field else name
        raise InvalidInput(where, error.problem, error.accepted) from error


def run(loaded: Loaded, name: str, *, trace: bool = False) -> TickResult:
    """Resolve a bundle.

    Raises InvalidInput where it names what it doesn't have, and CheckFailed where the rulebook raises anything else:
    that's what a quarantined bundle shows.
    """
    try:
        return resolve_tick(loaded.engine, loaded.given)
    except Exception as error:
        if trace:
            traceback.print_exc(file=sys.stderr)
        if (unfit := dangling(loaded, error)) is not None:
            raise InvalidInput(f"{name}: {unfit.field}", unfit.problem, unfit.accepted) from error
        raise CheckFailed(
            f"{name}: the tick can't be resolved: {type(error).__name__}: {error} (--trace shows where)"
        ) from error


def example_bundle(rulebook: Rulebook) -> bytes:
    """Tick 1 of the rulebook's first scenario, with orders of its own making, as a bundle."""
    _, first = self_played(rulebook, rulebook.scenarios[0], 1)
    return bundle_of(rulebook, first.given)


def _show(rulebook: Rulebook, result: TickResult, language: str) -> None:
    words = load_words(rulebook, language)
    totals: dict[str, list[int]] = {}
    for step in result.steps:
        for phase, count in step.counts.items():
            total = totals.setdefault(phase, [0, 0])
            total[0] += count.events
            total[1] += count.void
    rows = [(words.phases.get(phase, phase), events, void) for phase, (events, void) in totals.items()]
    table(f"{words.title}, tick {result.tick}", ("phase", "events", "void orders"), rows)
    for camp, pages in result.pages.items():
        say(f"\n{words.term(camp)}")
        for line in by_phase(lines_of(words, map(read_page, pages))):
            say(line)
    print(f"\ndigest {result.digest}")
