"""`tocsin tick`: close, look at, watch and retry ticks, as an operator; say that a camp is ready, as that camp."""

from typing import Annotated, Any

import typer

from workers.cli.client import open_client
from workers.cli.options import AsJson, CampaignId, Secret, Url
from workers.cli.output import field_rows, print_json, table
from workers.kernel.errors import InvalidInput

app = typer.Typer(add_completion=False, help="Close, look at, watch and retry ticks; say that a camp is ready.")

TickName = Annotated[str, typer.Argument(metavar="TICK", help="The tick's number, or current: the one that is open.")]


@app.command("close")
def close(
    campaign: CampaignId, tick: TickName = "current", url: Url = "", token: Secret = "", as_json: AsJson = False
) -> None:
    """Close a tick: its book is frozen, and the next tick takes orders at once."""
    with open_client(url, token) as client:
        answer = client.post(f"/campaigns/{campaign}/ticks/{check_tick(tick)}:close")
    if as_json:
        print_json(answer)
        return
    print(f"closed; tick {answer['open_tick']} takes orders now")


@app.command("status")
def status(
    campaign: CampaignId, tick: TickName = "current", url: Url = "", token: Secret = "", as_json: AsJson = False
) -> None:
    """Say how a tick stands."""
    with open_client(url, token) as client:
        state = client.get(f"/campaigns/{campaign}/ticks/{check_tick(tick)}")
    if as_json:
        print_json(state)
        return
    _show(state)


@app.command("watch")
def watch(
    campaign: CampaignId,
    tick: TickName = "current",
    limit_s: Annotated[float, typer.Option("--limit-s", min=0, help="Give up after so many seconds.")] = 3_600.0,
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Wait until a tick is published, with a progress bar. Exit code 1 when it ends in quarantine."""
    from rich.console import Console

    from workers.cli.watching import TickBar, wait_published

    with open_client(url, token) as client:
        number = client.get(f"/campaigns/{campaign}/ticks/{check_tick(tick)}")["tick"]
        with TickBar(Console(stderr=True)) as bar:
            state = wait_published(client, campaign, number, bar.show, limit_s)
    if as_json:
        print_json(state)
        return
    _show(state)


@app.command("retry")
def retry(
    campaign: CampaignId,
    tick: Annotated[str, typer.Argument(metavar="TICK", help="The tick that stands in quarantine.")],
    drop: Annotated[
        list[str] | None, typer.Option("--drop", metavar="ORDER", help="Leave this order out; repeatable.")
    ] = None,
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Resolve a tick in quarantine again, from its beginning, after a mend or without the orders to blame."""
    with open_client(url, token) as client:
        answer = client.post(f"/campaigns/{campaign}/ticks/{check_tick(tick)}:retry", {"drop": drop or []})
    if as_json:
        print_json(answer)
        return
    print(f"tick {tick} starts again, epoch {answer['epoch']}")


@app.command("ready")
def ready(
    campaign: CampaignId,
    take_back: Annotated[bool, typer.Option("--take-back", help="The camp isn't ready after all.")] = False,
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Say that my camp is ready for the close of the tick that takes orders; its next order takes that back."""
    path = f"/campaigns/{campaign}/ready"
    with open_client(url, token) as client:
        answer = client.delete(path) if take_back else client.put(path)
    if as_json:
        print_json(answer)
    elif answer["closed"]:
        print(f"all camps are ready; tick {answer['tick']} is closed")
    else:
        print(f"{'ready' if answer['ready'] else 'not ready'} for the close of tick {answer['tick']}")


def check_tick(text: str) -> str:
    """The tick's number, or `current`. Raises InvalidInput."""
    if text == "current" or (text.isascii() and text.isdigit() and len(text) <= 15):
        return text
    raise InvalidInput("TICK", f"{text!r} is no tick", "a number, or current")


def _show(state: dict[str, Any]) -> None:
    table(f"tick {state['tick']}", ("field", "value"), field_rows(_flat(state)))
    phases = (state.get("record") or {}).get("phases") or ()
    if phases:
        rows = [(phase["name"], phase["shards"], phase["events"], phase["void"]) for phase in phases]
        table("\nphases", ("phase", "shards", "events", "void orders"), rows)


def _flat(state: dict[str, Any]) -> dict[str, Any]:
    """The state's own fields, and those of its progress or record, side by side; phases have a table of their own."""
    inner = {**(state.get("progress") or {}), **(state.get("record") or {})}
    own = {name: value for name, value in state.items() if not isinstance(value, dict)}
    return {name: value for name, value in {**own, **inner}.items() if name not in ("tick", "phases")}
