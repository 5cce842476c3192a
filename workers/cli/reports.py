"""`tocsin reports`: what a camp reads, once or as it comes."""

from typing import Annotated, Any

import typer

from workers.cli.client import open_client
from workers.cli.options import AsJson, CampaignId, Language, Secret, Url
from workers.cli.output import note, print_json
from workers.cli.rulebooks import check_language
from workers.cli.wording import by_phase

app = typer.Typer(help="Read a camp's report, once or as it comes.")

PAUSE_S = 0.5
"""Between the end of a stream and the next try."""

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
        page = client.get(f"/campaigns/{campaign}/reports", after=after, wait_s=wait_s or None, **query)
        facts = list(page["facts"])
        while page["more"]:
            page = client.get(f"/campaigns/{campaign}/reports", after=page["next"], **query)
            facts += page["facts"]
    if as_json:
        print_json({**page, "facts": facts})
        return
    tick = None
    for fact in facts:
        if fact["tick"] != tick:
            tick = fact["tick"]
            print(f"tick {tick}")
            mine = [(one["phase"], one["text"]) for one in facts if one["tick"] == tick]
            print("\n".join(by_phase(mine)))


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
    import msgspec

    from workers import clock

    seen = 0
    with open_client(url, token, check_language(language)) as client:
        place = after
        while True:
            path = f"/campaigns/{campaign}/reports:stream"
            for event in client.stream(path, last_event_id=place, camp=camp, lang=language):
                place = event.id or place
                if event.name == "trimmed":
                    note("facts after the place asked for are no longer kept")
                if event.name != "fact":
                    continue
                print(msgspec.json.encode(event.data).decode() if as_json else _line(event.data), flush=True)
                seen += 1
                if count and seen >= count:
                    return
            clock.sleep_s(PAUSE_S)


def _line(fact: dict[str, Any]) -> str:
    return f"{fact['id']:>10}  {fact['phase']}: {fact['text']}"
