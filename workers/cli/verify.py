"""`tocsin verify`: each claim of recorded ticks held against what is true; for a camp, its own rolls and receipts."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from workers.cli.errors import CheckFailed
from workers.cli.options import AsJson
from workers.cli.output import print_json, say, table
from workers.cli.papers import check_receipts, check_rolls, noted, read_papers, read_receipts
from workers.cli.replay import Replayed, describe, document, replays
from workers.kernel.errors import InvalidInput
from workers.service.replaying import Finding

app = typer.Typer(add_completion=False)


@app.command()
def verify(
    records: Annotated[list[str] | None, typer.Argument(metavar="[RECORD…]", help="Files of an archive.")] = None,
    reports: Annotated[
        str, typer.Option("--reports", metavar="FILE", help="A camp's papers, from `tocsin reports save`.")
    ] = "",
    receipts: Annotated[
        str, typer.Option("--receipts", metavar="FILE", help="A camp's receipts, from `tocsin orders send --receipts`.")
    ] = "",
    commitment: Annotated[
        list[str] | None,
        typer.Option("--commitment", metavar="TICK=HEX", help="A commitment as it was written down; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check recorded ticks: seed, start, book, events, state, reports, and that each follows from the one before. Or
    check what a camp keeps: the rolls of its report and the receipts of its orders.

    Exit code 1, naming the place of the first thing that doesn't hold.
    """
    if commitment and not reports:
        raise InvalidInput("--commitment", "it goes with --reports", "both of them")
    if not (records or reports or receipts):
        raise InvalidInput("RECORD", "nothing is given", "records, --reports or --receipts")
    told: dict[str, Any] = {}
    if reports:
        told["rolls"] = check_rolls(reports, read_papers(reports), noted(commitment or []))
    if receipts:
        told["receipts"] = check_receipts(receipts, read_receipts(receipts))
    found = list(replays(records or []))
    broken = chain_findings(found)
    findings = [(one.name, finding) for one in found for finding in one.replay.findings] + broken
    if as_json:
        chain = [{"record": name, "finding": finding} for name, finding in broken]
        listed = {"records": [document(one) for one in found], "chain": chain, "gaps": gaps(found)} if records else {}
        print_json({**listed, **told, "verified": not findings})
    if findings:
        name, first = findings[0]
        raise CheckFailed(f"{name}: {describe(first)}")
    if not as_json:
        _show(found, told)


def _show(found: Sequence[Replayed], told: dict[str, Any]) -> None:
    if found:
        rows = [(one.record.header.campaign, one.record.header.tick, one.replay.result.digest) for one in found]
        table("verified", ("campaign", "tick", "digest"), rows)
    for gap in gaps(found):
        before, after = gap["after"], gap["before"]
        say(f"{gap['campaign']}: no record between ticks {before} and {after}: nothing is known of what lies there")
    if "rolls" in told:
        print(f"{told['rolls'].checked} rolls are what their seeds draw; {told['rolls'].waiting} wait for their seed")
    if "receipts" in told:
        print(f"{told['receipts']} receipts are of their orders")


def gaps(found: Sequence[Replayed]) -> list[dict[str, Any]]:
    """Where, among the records given, ticks of a campaign are missing in between: the last one `after` which and the
    first one `before` which there is none."""
    ticks: dict[str, list[int]] = {}
    for one in found:
        ticks.setdefault(one.record.header.campaign, []).append(one.record.header.tick)
    return [
        {"campaign": campaign, "after": earlier, "before": later}
        for campaign, numbers in sorted(ticks.items())
        for earlier, later in zip(sorted(numbers), sorted(numbers)[1:], strict=False)
        if later > earlier + 1
    ]


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
