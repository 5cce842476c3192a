"""`tocsin verify`: each claim of recorded ticks held against what is true."""

from collections.abc import Sequence
from typing import Annotated

import typer

from workers.cli.errors import CheckFailed
from workers.cli.options import AsJson
from workers.cli.output import print_json, table
from workers.cli.replay import Replayed, describe, document, replays
from workers.service.replaying import Finding

app = typer.Typer(add_completion=False)


@app.command()
def verify(
    records: Annotated[list[str], typer.Argument(metavar="RECORD…", help="Files of an archive.")],
    as_json: AsJson = False,
) -> None:
    """Check recorded ticks: seed, start, book, events, state, reports, and that each follows from the one before.

    Exit code 1, naming the place of the first thing that doesn't hold.
    """
    found = list(replays(records))
    broken = chain_findings(found)
    findings = [(one.name, finding) for one in found for finding in one.replay.findings] + broken
    if as_json:
        gaps = [{"record": name, "finding": finding} for name, finding in broken]
        print_json({"records": [document(one) for one in found], "chain": gaps, "verified": not findings})
    if findings:
        name, first = findings[0]
        raise CheckFailed(f"{name}: {describe(first)}")
    if not as_json:
        rows = [(one.record.header.campaign, one.record.header.tick, one.replay.result.digest) for one in found]
        table("verified", ("campaign", "tick", "digest"), rows)


def chain_findings(found: Sequence[Replayed]) -> list[tuple[str, Finding]]:
    """Where, among the records given, a tick doesn't begin with the state in which the one before it ended."""
    known = {(one.record.header.campaign, one.record.header.tick): one for one in found}
    findings = []
    for (campaign, tick), one in sorted(known.items()):
        before = known.get((campaign, tick - 1))
        if before is None:
            continue
        ended, began = before.record.header.digests.state, one.record.header.digests.state_start
        if ended != began:
            place = f"state at the start of tick {tick} against that at the end of tick {tick - 1}"
            findings.append((one.name, Finding(place, began, ended)))
        if before.record.header.id_key != one.record.header.id_key:
            findings.append(
                (one.name, Finding(f"id key of tick {tick} against that of tick {tick - 1}", "another", ""))
            )
    return findings
