"""`tocsin reports`: what a camp reads, once or as it comes; and its papers, by which it checks its dice."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import typer

from workers.cli.client import Client, Problem, ServerEvent, open_client
from workers.cli.errors import Unreachable
from workers.cli.options import AsJson, CampaignId, Language, Secret, Url
from workers.cli.output import note, print_json, say
from workers.cli.rulebooks import check_language
from workers.cli.wording import by_phase
from workers.kernel.errors import InvalidInput

app = typer.Typer(add_completion=False, help="Read a camp's report, once or as it comes.")

PAUSE_S = 0.5
"""Between the end of a stream and the next try."""
AWAY_LIMIT_S = 60.0
"""A server that was heard may be away for so long."""

Camp = Annotated[str, typer.Option("--camp", help="The camp (a camp's or an actor's token has its own).")]
After = Annotated[str, typer.Option("--after", help="Go on after this fact: an id, tick-page.index.")]


@app.command("read")
def read(
    campaign: CampaignId,
    camp: Camp = "",
    after: After = "",
    wait_s: Annotated[float, typer.Option("--wait-s", min=0, help="Wait so long for something new.")] = 0,
    language: Language = "en",
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Read a report from the beginning, or from a fact on, to its end."""
    query = {"camp": camp, "lang": check_language(language)}
    with open_client(url, token, language) as client:
        page = _read_all(client, campaign, query, after, wait_s)
    if as_json:
        print_json(page)
        return
    facts = page["facts"]
    tick = None
    for fact in facts:
        if fact["tick"] != tick:
            tick = fact["tick"]
            print(f"tick {tick}")
            mine = [(one["phase"], one["text"]) for one in facts if one["tick"] == tick]
            say("\n".join(by_phase(mine)))


@app.command("save")
def save(
    campaign: CampaignId,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The new file.")],
    camp: Camp = "",
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Save a camp's papers to a new file: all facts of its report, the commitments, and the seeds that are revealed.
    `tocsin verify --reports` checks them without a server."""
    from pathlib import Path

    from workers.cli.client import private_file

    if Path(file).exists():
        raise InvalidInput(file, "it is there already", "the name of a new file")
    with open_client(url, token) as client:
        known = client.get(f"/campaigns/{campaign}")
        page = _read_all(client, campaign, {"camp": camp, "lang": "en"}, "", 0)
        commitments, seeds = _promises(client, campaign, int(known["open_tick"]))
    papers = {"campaign": campaign, "rulebook": known["rulebook"], "camp": page["camp"], "facts": page["facts"]}
    try:
        private_file(Path(file), msgspec.json.encode({**papers, "commitments": commitments, "seeds": seeds}).decode())
    except OSError as error:
        raise InvalidInput(file, f"can't be written ({error.strerror})", "a new file") from error
    found = {"file": file, "facts": len(page["facts"]), "commitments": len(commitments), "seeds": len(seeds)}
    if as_json:
        print_json(found)
    else:
        say(f"{file}: {found['facts']} facts, {found['commitments']} commitments, {found['seeds']} seeds")


@app.command("tail")
def tail(
    campaign: CampaignId,
    camp: Camp = "",
    after: After = "",
    count: Annotated[int, typer.Option("--count", min=0, help="Stop after so many facts (0: never).")] = 0,
    language: Language = "en",
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Read a report as it comes, a line a fact (with --json: a document a line), until Ctrl-C."""
    seen = 0
    with open_client(url, token, check_language(language)) as client:
        for event in _follow(client, campaign, {"camp": camp, "lang": language}, after):
            if event.name == "trimmed":
                note("facts after the place asked for are no longer kept")
            if event.name != "fact":
                continue
            if as_json:
                print(msgspec.json.encode(event.data).decode(), flush=True)
            else:
                say(_line(event.data), flush=True)
            seen += 1
            if count and seen >= count:
                return


def _read_all(client: Client, campaign: str, query: dict[str, str], after: str, wait_s: float) -> dict[str, Any]:
    """A report to its end: the last page, with all facts."""
    page = client.get(f"/campaigns/{campaign}/reports", after=after, wait_s=wait_s or None, **query)
    facts = list(page["facts"])
    while page["more"]:
        page = client.get(f"/campaigns/{campaign}/reports", after=page["next"], **query)
        facts += page["facts"]
    return {**page, "facts": facts}


def _promises(client: Client, campaign: str, open_tick: int) -> tuple[dict[str, str], dict[str, str]]:
    """By tick the commitments up to the open tick's, and the seeds that are revealed of them."""
    commitments, seeds = {}, {}
    for tick in range(open_tick + 1):
        at = f"/campaigns/{campaign}/ticks/{tick}"
        commitments[str(tick)] = client.get(f"{at}/commitment")["commitment"]
        try:
            seeds[str(tick)] = client.get(f"{at}/seed")["seed"]
        except Problem as problem:
            if problem.code != "not_revealed":
                raise
    return commitments, seeds


def _follow(client: Client, campaign: str, query: dict[str, str], after: str) -> Iterator[ServerEvent]:
    """The events of a report's stream, for ever: one that ends or breaks is taken up again after the last fact.

    Raises httpx2.TransportError where there is no connection for `AWAY_LIMIT_S`, or none at first.
    """
    import httpx2

    from workers import clock

    place, last_heard_s = after, -float("inf")
    while True:
        try:
            for event in client.stream(f"/campaigns/{campaign}/reports:stream", last_event_id=place, **query):
                place, last_heard_s = event.id or place, clock.monotonic_s()
                yield event
        except (httpx2.ConnectError, httpx2.ConnectTimeout, Unreachable):
            if clock.monotonic_s() - last_heard_s > AWAY_LIMIT_S:
                raise
        except httpx2.TransportError:
            last_heard_s = clock.monotonic_s()
        clock.sleep_s(PAUSE_S)


def _line(fact: dict[str, Any]) -> str:
    return f"{fact['id']:>10}  {fact['phase']}: {fact['text']}"
