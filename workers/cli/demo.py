"""`tocsin demo`: a small campaign from end to end: real server, real workers, orders over HTTP, reports, replay."""

import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from workers.cli.errors import CheckFailed
from workers.cli.options import AsJson, Language
from workers.cli.output import console, logs_to_stderr, print_json, say, table
from workers.cli.rulebooks import check_language, installed
from workers.cli.wording import by_phase

if TYPE_CHECKING:
    from workers.bootstrap import Services
    from workers.cli.playing import Played

app = typer.Typer(add_completion=False)

CAMPAIGN: Final = "demo"
WORKERS: Final = 2
TICKS_MAX: Final = 1_000
ARCHIVE_LIMIT_S: Final = 60.0


@app.command()
def demo(
    rulebook: Annotated[str, typer.Option("--rulebook", help="The rulebook to play.")] = "veil",
    ticks: Annotated[int, typer.Option("--ticks", min=1, max=TICKS_MAX, help="Ticks to play.")] = 4,
    folder: Annotated[str, typer.Option("--folder", help="Where everything is kept (default: a new one).")] = "",
    language: Language = "en",
    as_json: AsJson = False,
) -> None:
    """Play a small campaign from end to end, then prove that nothing was made up.

    An embedded server, two worker processes, a sweeper and the API are started; two camps send orders over HTTP; every
    tick is replayed by another process from its record, and every roll checked against the seed committed to before.
    """
    check_language(language)
    logs_to_stderr()
    installed().get(rulebook)
    place = Path(folder) if folder else Path(tempfile.mkdtemp(prefix="tocsin-demo-"))
    shown = run_demo(rulebook, ticks, place, language, quiet=as_json)
    document = shown.document
    if as_json:
        print_json(document)
    else:
        _show(shown, place)
    failures = _problems(document)
    if failures:
        raise CheckFailed("; ".join(failures))
    if not as_json:
        print(f"\nreplay identical {document['replay']['digest']}")


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What was shown: the document that `--json` prints, what was played, and the seeds revealed, by tick."""

    document: dict[str, Any]
    played: "Played"
    seeds: dict[int, str]


def run_demo(rulebook: str, ticks: int, place: Path, language: str, *, quiet: bool) -> Demonstration:
    """Play and prove."""
    from workers import clock
    from workers.bootstrap import compose
    from workers.cli.client import Client
    from workers.cli.playing import Table
    from workers.cli.stack import Stack, StackPlan
    from workers.cli.watching import TickBar
    from workers.service.access import Access

    screen = console()
    screen.quiet = quiet
    plan = StackPlan(folder=place, workers=WORKERS, concurrency=1)
    with Stack(plan, lambda what: screen.print(f"· {what}")) as stack:
        services = compose(stack.settings)
        admin = Access(services.store, clock.entropy).create_admin("demo").secret
        with Client(stack.url, admin, language) as operator:
            game = Table(operator, services, CAMPAIGN, lambda secret: Client(stack.url, secret, language))
            with game, TickBar(screen) as bar:
                game.found(rulebook)
                for tick in range(1, ticks + 1):
                    game.play(tick, bar.show)
                seeds = game.end()
        screen.print("· archive")
        records = _archived(services, ticks)
        workers = _worker_names(services, ticks)
    screen.print("· replay in another process, rolls against commitments, bundles")
    document = _prove(rulebook, game.played, records, seeds, workers, place / "bundles")
    return Demonstration(document, game.played, seeds)


def _archived(services: "Services", ticks: int) -> list[Path]:
    """The records of all ticks, once the archive has them. Raises Unreachable past a limit."""
    from workers.cli.processes import wait_until

    archive = services.archive
    wanted = list(range(1, ticks + 1))
    wait_until(lambda: set(wanted) <= set(archive.ticks(CAMPAIGN)), "all ticks are archived", ARCHIVE_LIMIT_S)
    return [Path(archive.path(CAMPAIGN, tick)) for tick in wanted]


def _worker_names(services: "Services", ticks: int) -> set[str]:
    """The worker processes that wrote an output of a tick."""
    found: set[str] = set()
    for tick in range(1, ticks + 1):
        record = services.store.heads.record(CAMPAIGN, tick) or {}
        found.update(msgspec.json.decode(record["workers"], type=list[str]))
    return found


def _prove(
    rulebook: str,
    played: "Played",
    records: list[Path],
    seeds: dict[int, str],
    workers: set[str],
    folder: Path,
) -> dict[str, Any]:
    from workers.cli.proving import check_rolls, facts_of_record, replay_elsewhere, write_bundles
    from workers.cli.records import record_of

    replayed = replay_elsewhere(records)
    digests = [one["digest"] for one in replayed["records"]]
    read = [record_of(str(path)) for path in records]
    as_read = all(
        [fact["fact"] for fact in facts if fact["tick"] > 0]
        == [fact for record in read for fact in facts_of_record(record, camp)]
        for camp, facts in played.facts.items()
    )
    facts = ((fact["tick"], fact["fact"]) for facts in played.facts.values() for fact in facts)
    return {
        "rulebook": rulebook,
        "ticks": played.ticks,
        "reports": {camp: len(facts) for camp, facts in played.facts.items()},
        "orders_over_http": played.orders,
        "workers": len(workers),
        "replay": {
            "identical": replayed["identical"] and digests == [tick["digest"] for tick in played.ticks],
            "digest": digests[-1],
            "reports_identical": replayed["reports_identical"] and as_read,
            "ticks_compared": len(digests),
        },
        "roll_checks": check_rolls(facts, seeds, played.commitments),
        "bundles": [str(path) for path, _ in write_bundles(records, folder, installed())],
    }


def _problems(document: dict[str, Any]) -> list[str]:
    """What the demonstration should have shown and didn't, a sentence each."""
    replay = document["replay"]
    claims = {
        "the replay's digests are not those of the ticks": replay["identical"],
        "the replay's reports are not those that the camps read": replay["reports_identical"],
        "no order went over HTTP": document["orders_over_http"] > 0,
        "no camp read a roll that could be checked": document["roll_checks"] > 0,
        f"fewer than {WORKERS} worker processes took part": document["workers"] >= WORKERS,
    }
    return [sentence for sentence, holds in claims.items() if not holds]


def _show(shown: Demonstration, place: Path) -> None:
    document, played = shown.document, shown.played
    for camp, odds in played.odds:
        told = odds["success"] or f"unknown, for want of {odds['missing']}"
        say(f"{camp} asked for the odds of its first order: {told}")
    if played.refused:
        say(f"{len(played.refused)} orders refused, the first so: {played.refused[0]}")
    print()
    table("", ("tick", "orders", "shards", "events", "void orders", "digest"), map(_tick_row, document["ticks"]))
    last = len(document["ticks"])
    for camp, facts in played.facts.items():
        print(f"\n{camp}: {len(facts)} facts read; those of tick {last}:")
        for line in by_phase((fact["phase"], fact["text"]) for fact in facts if fact["tick"] == last):
            say(line)
    print(f"\n{document['orders_over_http']} orders over HTTP, {document['workers']} worker processes,")
    print(f"{document['roll_checks']} rolls checked against the commitments made before their ticks opened.")
    for line in _roll_to_check(shown):
        print(line)
    print(f"Records, bundles and logs lie in {place}")


def _tick_row(tick: dict[str, Any]) -> tuple[Any, ...]:
    phases = tick["phases"]
    shards = max(phase["shards"] for phase in phases)
    events, void = sum(phase["events"] for phase in phases), sum(phase["void"] for phase in phases)
    return tick["tick"], tick["orders"], shards, events, void, tick["digest"]


def _roll_to_check(shown: Demonstration) -> Iterator[str]:
    """The first roll that some camp read, with the command by which anybody draws its dice again."""
    from workers.cli.proving import draw_of, rolls_in
    from workers.kernel.dice import Dice

    for facts in shown.played.facts.values():
        for fact in facts:
            seed = shown.seeds.get(fact["tick"], "")
            for roll in rolls_in(fact["fact"]) if seed else ():
                draw = draw_of(Dice(bytes.fromhex(seed)), roll)
                if draw is not None:
                    dice, bounds = ", ".join(map(str, roll["dice"])), " ".join(map(str, draw.bounds))
                    path = shlex.quote(roll["path"])
                    yield f"Check one yourself: dice {dice}" + (", each one more than what this draws" * draw.added)
                    yield f"  tocsin roll --tick-seed {seed} --path {path} --below {bounds}"
                    return
