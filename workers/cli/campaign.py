"""`tocsin campaign`: create, generate, show, move through its life, and hand out tokens; `backup` has what an operator
does on the server itself."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from workers.cli.backup import export, restore, upgrade
from workers.cli.client import open_client
from workers.cli.documents import read_document
from workers.cli.options import AsJson, CampaignId, Secret, Url, check_campaign
from workers.cli.output import field_rows, print_json, say, table
from workers.cli.rulebooks import installed
from workers.kernel.errors import InvalidInput

app = typer.Typer(
    add_completion=False, help="Create, generate, show, open, pause, resume, end, back up campaigns; make tokens."
)

for verb in (export, restore, upgrade):
    app.command(verb.__name__)(verb)

SCENARIO_BYTES_MAX = 16 << 20
_INTEGER_DIGITS_MAX = 18


@app.command("new")
def new(  # noqa: PLR0913, PLR0917 each parameter is an option of the command
    campaign: CampaignId,
    rulebook: Annotated[str, typer.Option("--rulebook", help="The rulebook that it plays.")] = "veil",
    scenario: Annotated[
        str, typer.Option("--scenario", help="A scenario that ships, or a file (TOML or JSON); empty: the first one.")
    ] = "",
    generate: Annotated[int, typer.Option("--generate", min=0, help="Make a scenario of about so many homes.")] = 0,
    generate_seed: Annotated[str, typer.Option("--generate-seed", help="What that is drawn from.")] = "tocsin",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the rulebook; repeatable.")
    ] = None,
    interval_s: Annotated[int, typer.Option("--interval-s", min=0, help="A tick closes every so many seconds.")] = 0,
    cron: Annotated[str, typer.Option("--cron", help="A tick closes at these times (five fields).")] = "",
    time_zone: Annotated[str, typer.Option("--time-zone", help="The zone of the cron expression.")] = "UTC",
    when_ready: Annotated[bool, typer.Option("--when-ready", help="A tick closes when all camps are ready.")] = False,
    reveal_after: Annotated[
        str, typer.Option("--reveal-after", help="Ticks until a seed is revealed, or end, or never.")
    ] = "3",
    slices: Annotated[int, typer.Option("--slices", help="Slices of its state (0: by its size).")] = 0,
    shards: Annotated[int, typer.Option("--shards", help="Shards of a tick (0: by its orders).")] = 0,
    fuse_below: Annotated[
        int, typer.Option("--fuse-below", help="A tick of fewer orders than this is one task.")
    ] = 2_000,
    min_open_s: Annotated[int, typer.Option("--min-open-s", help="Seconds that a tick is open, at least.")] = 0,
    retain_ticks: Annotated[int, typer.Option("--retain-ticks", help="Ticks that the reports keep.")] = 100,
    campaign_seed: Annotated[
        str, typer.Option("--campaign-seed", metavar="HEX", help="The campaign's seed (default: drawn).")
    ] = "",
    key: Annotated[str, typer.Option("--key", help="An idempotency key: the same creation happens once.")] = "",
    opened: Annotated[bool, typer.Option("--open", help="Open it at once.")] = False,
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Create a campaign. It is a draft until it is opened."""
    plan: dict[str, Any] = {
        "campaign": campaign,
        "rulebook": rulebook,
        "scenario": _scenario(rulebook, scenario, generate, generate_seed),
        "settings": dict(_setting(text) for text in settings or ()),
        "schedule": {"interval_s": interval_s, "cron": cron, "time_zone": time_zone, "when_ready": when_ready},
        "policy": {"reveal_after": _reveal_after(reveal_after)},
        "campaign_seed": campaign_seed,
        "slices": slices,
        "shards": shards,
        "fuse_below": fuse_below,
        "min_open_s": min_open_s,
        "retain_ticks": retain_ticks,
    }
    with open_client(url, token) as client:
        document = client.post("/campaigns", plan, key=key)
        if opened:
            client.post(f"/campaigns/{campaign}/lifecycle", {"verb": "open"})
            document = client.get(f"/campaigns/{campaign}")
    _tell(document, as_json)


@app.command("generate")
def generate(
    rulebook: Annotated[str, typer.Argument(metavar="RULEBOOK", help="The rulebook whose generator makes it.")],
    size: Annotated[int, typer.Option("--size", min=1, max=1_000_000, help="About so many homes.")] = 40,
    seed: Annotated[str, typer.Option("--seed", help="What it is drawn from: the same text, the same scenario.")] = (
        "tocsin"
    ),
) -> None:
    """Make a scenario of any size, seeded, as JSON on standard output: for an editor, and for `campaign new`."""
    import msgspec

    from workers.service.founding import generation_dice

    scenario = installed().get(rulebook).generate(size, generation_dice(seed))
    print(msgspec.json.format(msgspec.json.encode(scenario), indent=2).decode())


@app.command("show")
def show(
    campaign: Annotated[
        str, typer.Argument(metavar="CAMPAIGN", help="The campaign; without it: all.", callback=check_campaign)
    ] = "",
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Show a campaign, or list the ids of all (with an admin's token)."""
    with open_client(url, token) as client:
        if campaign:
            _tell(client.get(f"/campaigns/{campaign}"), as_json)
            return
        names = client.get("/campaigns")["campaigns"]
    if as_json:
        print_json({"campaigns": names})
        return
    for name in names:
        say(name)


@app.command("token")
def token_new(  # noqa: PLR0913, PLR0917 each parameter is an option of the command
    campaign: CampaignId,
    scope: Annotated[Literal["operator", "camp", "actor"], typer.Option("--scope", help="What it may do.")] = "camp",
    camp: Annotated[str, typer.Option("--camp", help="The camp, for the scopes camp and actor.")] = "",
    actor: Annotated[
        str, typer.Option("--actor", help="The player's name, for the scope actor; it stays with its camp.")
    ] = "",
    entities: Annotated[
        list[str] | None, typer.Option("--entity", help="An entity that the actor commands; repeatable.")
    ] = None,
    label: Annotated[str, typer.Option("--label", help="A note for whoever lists tokens.")] = "",
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Make a token of a campaign. Its secret is shown this once."""
    plan: dict[str, Any] = {"scope": scope, "camp": camp, "actor": actor, "entities": entities or [], "label": label}
    with open_client(url, token) as client:
        made = client.post(f"/campaigns/{campaign}/tokens", plan)
    if as_json:
        print_json(made)
    else:
        print(made["secret"])


@app.command("open")
def open_(campaign: CampaignId, url: Url = "", token: Secret = "", as_json: AsJson = False) -> None:
    """Open a campaign: its first tick takes orders."""
    _move(campaign, "open", url, token, as_json)


@app.command("pause")
def pause(campaign: CampaignId, url: Url = "", token: Secret = "", as_json: AsJson = False) -> None:
    """Pause a campaign: it takes no orders and closes no tick."""
    _move(campaign, "pause", url, token, as_json)


@app.command("resume")
def resume(campaign: CampaignId, url: Url = "", token: Secret = "", as_json: AsJson = False) -> None:
    """Go on with a paused campaign."""
    _move(campaign, "resume", url, token, as_json)


@app.command("end")
def end(campaign: CampaignId, url: Url = "", token: Secret = "", as_json: AsJson = False) -> None:
    """End a campaign for good: a tick that is being resolved is published, the open one is never played, whatever
    orders it has."""
    _move(campaign, "end", url, token, as_json)


def _move(campaign: str, verb: str, url: str, token: str, as_json: bool) -> None:
    with open_client(url, token) as client:
        client.post(f"/campaigns/{campaign}/lifecycle", {"verb": verb})
        _tell(client.get(f"/campaigns/{campaign}"), as_json)


def _tell(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    whole = {name: value for name, value in document.items() if not isinstance(value, dict)}
    table("", ("field", "value"), field_rows(whole))
    for name in sorted(document.keys() - whole.keys(), key=lambda name: (name == "settings", name)):
        table(f"\n{name}", ("field", "value"), field_rows(document[name]))


def _scenario(rulebook: str, scenario: str, size: int, seed: str) -> Any:
    if size:
        if scenario:
            raise InvalidInput("--scenario", "given beside --generate", "one of them")
        return {"generate": {"size": size, "seed": seed}}
    if Path(scenario).suffix not in (".toml", ".json"):
        return scenario
    import msgspec

    from workers.rules.bundle import read_part
    from workers.rules.resources import convert_scenario, parse_scenario

    book = installed().get(rulebook)
    data = read_document(scenario, SCENARIO_BYTES_MAX)
    if scenario.endswith(".json"):
        made = convert_scenario(book, read_part(data, Any, "scenario"))
    else:
        try:
            made = parse_scenario(book, data.decode())
        except UnicodeDecodeError as error:
            raise InvalidInput(scenario, "it is no text", "TOML in UTF-8") from error
    return msgspec.to_builtins(made)


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InvalidInput("--set", f"{text!r} is no setting", "NAME=VALUE")
    if value in ("true", "false"):
        return name, value == "true"
    digits = value.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= _INTEGER_DIGITS_MAX:
        return name, int(value)
    return name, value


def _reveal_after(text: str) -> int | str | None:
    if text == "never":
        return None
    if text == "end":
        return text
    if text.isascii() and text.isdigit() and len(text) <= _INTEGER_DIGITS_MAX:
        return int(text)
    raise InvalidInput("--reveal-after", f"{text!r} is no number of ticks", "a number from 0 to 1000000, end or never")
