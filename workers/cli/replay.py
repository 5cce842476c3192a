"""`tocsin replay`: recorded ticks resolved again, in this process, and compared byte for byte."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from workers.bootstrap import collect_seldom
from workers.cli.errors import CheckFailed
from workers.cli.options import AsJson
from workers.cli.output import print_json, table
from workers.cli.records import record_of
from workers.cli.rulebooks import installed
from workers.kernel.engine import Engine
from workers.kernel.errors import InvalidInput, TocsinError
from workers.registry import Registry
from workers.service.recording import Record
from workers.service.replaying import Finding, Replay, Unresolvable
from workers.service.replaying import replay as replay_record

app = typer.Typer(add_completion=False)

VALUE_CHARACTERS = 300
"""Of a recorded or found value, so many characters are shown to people."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A record's file and what its replay found."""

    name: str
    record: Record
    replay: Replay


@app.command()
def replay(
    records: Annotated[list[str], typer.Argument(metavar="RECORD…", help="Files of an archive.")],
    as_json: AsJson = False,
) -> None:
    """Resolve recorded ticks again and say whether they are identical. Exit code 1 where one isn't."""
    found = list(replays(records))
    identical = all(one.replay.identical for one in found)
    reports = all(one.replay.reports_identical for one in found)
    if as_json:
        documents = [document(one) for one in found]
        print_json({"records": documents, "identical": identical, "reports_identical": reports})
    else:
        rows = [_row(one) for one in found]
        table("", ("campaign", "tick", "rulebook", "orders", "events", "reports", "digest"), rows)
    if not (identical and reports):
        first = next(one for one in found if one.replay.findings)
        raise CheckFailed(f"{first.name}: {describe(first.replay.findings[0])}")
    if not as_json:
        print(f"\nreplay identical {found[-1].replay.result.digest}")


def replays(names: list[str]) -> Iterator[Replayed]:
    """Each record replayed. Raises InvalidInput naming the file, and CheckFailed where its tick can't be resolved."""
    collect_seldom()
    registry = installed()
    engines: dict[str, Engine] = {}
    for name in names:
        record = record_of(name)
        yield Replayed(name, record, _replayed(name, record, registry, engines))


def _replayed(name: str, record: Record, registry: Registry, engines: dict[str, Engine]) -> Replay:
    try:
        rulebook = registry.get(record.header.rulebook)
        engine = engines.setdefault(rulebook.name, Engine(rulebook))
        return replay_record(record, rulebook, engine)
    except InvalidInput as error:
        raise _unreplayable(name, record, registry, error) from error
    except Unresolvable as error:
        found = f" ({describe(error.finding)})" if error.finding else ""
        raise CheckFailed(f"{name}: {error}{found}") from error


def _unreplayable(name: str, record: Record, registry: Registry, error: InvalidInput) -> TocsinError:
    """A record of a rulebook that isn't installed, in that version, is bad input; anything else is a broken record."""
    header = record.header
    if header.rulebook not in registry or header.rulebook_version != registry.get(header.rulebook).version:
        return InvalidInput(f"{name}: {error.field}", error.problem, error.accepted)
    return CheckFailed(f"{name}: {error}")


def document(one: Replayed) -> dict[str, Any]:
    """A replay as `--json` prints it."""
    header = one.record.header
    return {
        "record": one.name,
        "campaign": header.campaign,
        "tick": header.tick,
        "rulebook": header.rulebook,
        "rulebook_version": header.rulebook_version,
        "orders": len(one.record.orders),
        "identical": one.replay.identical,
        "reports_identical": one.replay.reports_identical,
        "digest": one.replay.result.digest,
        "findings": one.replay.findings,
    }


def describe(finding: Finding) -> str:
    """A finding in a sentence."""
    return f"{finding.place}: recorded {_short(finding.recorded)}, found {_short(finding.found)}"


def _short(text: str) -> str:
    return text if len(text) <= VALUE_CHARACTERS else f"{text[:VALUE_CHARACTERS]}…"


def _row(one: Replayed) -> tuple[Any, ...]:
    header = one.record.header
    return (
        header.campaign,
        header.tick,
        f"{header.rulebook} {header.rulebook_version}",
        len(one.record.orders),
        "identical" if one.replay.identical else "different",
        "identical" if one.replay.reports_identical else "different",
        one.replay.result.digest,
    )
