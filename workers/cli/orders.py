"""`tocsin orders`: send, check, list, replace and withdraw orders, with a camp's or an actor's token."""

import os
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from workers.cli.client import Client, Problem, open_client
from workers.cli.documents import read_document
from workers.cli.errors import CheckFailed
from workers.cli.options import AsJson, CampaignId, Language, Secret, Url
from workers.cli.output import note, print_json, say, table
from workers.cli.rulebooks import check_language
from workers.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from workers.cli.papers import KeptReceipt

app = typer.Typer(add_completion=False, help="Send, check, list, replace and withdraw orders.")

ORDERS_BYTES_MAX = 64 << 20
KEY_BYTES = 16
REFUSED = ("order_invalid", "order_refused")
"""The problems of one order that isn't booked."""

OrdersFile = Annotated[
    str,
    typer.Argument(metavar="FILE", help="JSON: an order, a list of orders, or {orders: […]}; - for standard input."),
]


@app.command("send")
def send(  # noqa: PLR0913, PLR0917 each parameter is an option of the command
    campaign: CampaignId,
    file: OrdersFile,
    key: Annotated[str, typer.Option("--key", help="An idempotency key (default: drawn).")] = "",
    for_tick: Annotated[int | None, typer.Option("--for-tick", help="Book for this tick or not at all.")] = None,
    atomic: Annotated[bool, typer.Option("--atomic", help="Book all of them or none.")] = False,
    receipts: Annotated[
        str, typer.Option("--receipts", metavar="FILE", help="Add the receipts to this file, for `tocsin verify`.")
    ] = "",
    language: Language = "en",
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Send orders; each gets its own result. Exit code 1 where one is refused."""
    from workers import clock

    body: dict[str, Any] = {"orders": read_orders(file), "atomic": atomic}
    if for_tick is not None:
        body["for_tick"] = for_tick
    with open_client(url, token, check_language(language)) as client:
        if receipts:
            _check_writable(receipts)
        answer = client.post(f"/campaigns/{campaign}/orders", body, key=key or clock.entropy(KEY_BYTES).hex())
        # Told before anything else can go wrong: the orders are booked.
        if as_json:
            print_json(answer)
        else:
            table(f"tick {answer['tick']}", ("order", "revision", "result"), map(_sent_row, answer["results"]))
        if receipts:
            _keep(client, campaign, answer["results"], receipts)
    _fail_where_refused(answer["results"])


@app.command("check")
def check(
    campaign: CampaignId,
    file: OrdersFile,
    language: Language = "en",
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Ask what would become of orders, and their odds; nothing is booked. Exit code 1 where one would be refused."""
    with open_client(url, token, check_language(language)) as client:
        answer = client.post(f"/campaigns/{campaign}/orders:check", {"orders": read_orders(file)})
    if as_json:
        print_json(answer)
    else:
        rows = (_check_row(number, result) for number, result in enumerate(answer["results"], start=1))
        table("", ("order", "would be", "success", "costs"), rows)
    _fail_where_refused(answer["results"])


@app.command("list")
def list_(
    campaign: CampaignId,
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """List my orders of the tick that takes orders."""
    found: list[dict[str, Any]] = []
    with open_client(url, token) as client:
        page = client.get(f"/campaigns/{campaign}/orders")
        found += page["orders"]
        while page.get("next"):
            page = client.get(f"/campaigns/{campaign}/orders", after=page["next"])
            found += page["orders"]
    if as_json:
        print_json({"tick": page["tick"], "orders": found})
        return
    rows = [(one["id"], one["revision"], one["actor"], _plain(one["order"])) for one in found]
    table(f"tick {page['tick']}", ("order", "revision", "actor", "what"), rows)


@app.command("replace")
def replace(
    campaign: CampaignId,
    order: Annotated[str, typer.Argument(metavar="ORDER", help="The id of the order that is replaced.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON: the new order, whole; - for standard input.")],
    revision: Annotated[
        int | None, typer.Option("--revision", min=1, help="Only if the order stands at this revision.")
    ] = None,
    language: Language = "en",
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Put a new order in an order's place, which keeps its id. Exit code 1 where it is refused: the old one stands."""
    given = read_orders(file)
    if len(given) != 1:
        raise InvalidInput(file, f"it holds {len(given)} orders", "one order")
    with open_client(url, token, check_language(language)) as client:
        try:
            answer = client.put(f"/campaigns/{campaign}/orders/{quote(order, safe='')}", given[0], revision=revision)
        except Problem as problem:
            if problem.code in REFUSED:
                raise CheckFailed(str(problem)) from problem
            raise
    if as_json:
        print_json(answer)
        return
    say(f"{answer['id']} replaced, at revision {answer['revision']}")


@app.command("withdraw")
def withdraw(
    campaign: CampaignId,
    orders: Annotated[list[str], typer.Argument(metavar="ORDER…", help="The orders' ids.")],
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Withdraw orders: as often as you like, until their tick closes."""
    with open_client(url, token) as client:
        for order in orders:
            client.delete(f"/campaigns/{campaign}/orders/{quote(order, safe='')}")
    if as_json:
        print_json({"orders": [{"id": order} for order in orders]})
        return
    for order in orders:
        say(f"{order} withdrawn")


def read_orders(file: str) -> list[Any]:
    """The orders of a file: one, a list, or a mapping with a list. Raises InvalidInput naming the file."""
    from workers.rules.bundle import read_part

    document = read_part(read_document(file, ORDERS_BYTES_MAX), Any, file)
    if isinstance(document, dict) and "orders" in document:
        document = document["orders"]
    if isinstance(document, dict):
        document = [document]
    if not isinstance(document, list) or not document:
        raise InvalidInput(file, "it holds no orders", "an order, a list of orders, or {orders: […]}")
    return document


def _check_writable(file: str) -> None:
    """Raises InvalidInput where a file can't be added to. One that isn't there is made, for its owner alone."""
    try:
        with open(file, "ab", opener=_private):
            pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(file, f"can't be written ({reason}); nothing was sent", "a file to write to") from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _keep(client: Client, campaign: str, results: list[dict[str, Any]], file: str) -> None:
    """Add the receipts of booked orders to a file, each with the order as the server has it. What goes wrong with that
    is raised, after a word that the orders are booked all the same."""
    from workers.cli.papers import lines_of

    try:
        lines = lines_of(_receipts(client, campaign, results))
        with open(file, "a", encoding="utf-8", opener=_private) as target:
            target.writelines(lines)
    except OSError as error:
        problem = f"can't be written ({error.strerror}); the orders are booked, their receipts are not kept"
        raise InvalidInput(file, problem, "a file to write to") from error
    except Exception:
        note("the orders are booked, their receipts are not kept")
        raise


def _receipts(client: Client, campaign: str, results: list[dict[str, Any]]) -> "list[KeptReceipt]":
    from workers.cli.papers import KeptReceipt

    known = client.get(f"/campaigns/{campaign}")
    camp = client.get(f"/campaigns/{campaign}/reports", pages=1)["camp"]
    kept = []
    for result in results:
        if "id" in result:
            order = client.get(f"/campaigns/{campaign}/orders/{result['id']}")
            own = {name: order[name] for name in ("actor", "order")}
            told = {name: result[name] for name in ("tick", "id", "revision", "digest")}
            kept.append(KeptReceipt(campaign=campaign, rulebook=known["rulebook"], camp=camp, **told, **own))
    return kept


def _sent_row(result: dict[str, Any]) -> tuple[Any, ...]:
    if "refusals" in result:
        return "refused", "", _sentences(result)
    return result["id"], result["revision"], "booked"


def _check_row(number: int, result: dict[str, Any]) -> tuple[Any, ...]:
    odds = result.get("odds") or {}
    success = odds.get("success") or (f"unknown: {odds.get('missing', '')}" if odds else "")
    costs = ", ".join(f"{cost['meter']} {cost['amount']} of {cost['limit']}" for cost in result.get("costs", ()))
    return number, _sentences(result) if result.get("refusals") else "booked", success, costs


def _sentences(result: dict[str, Any]) -> str:
    return "; ".join(refusal.get("text") or refusal["code"] for refusal in result["refusals"])


def _fail_where_refused(results: list[dict[str, Any]]) -> None:
    refused = sum(1 for result in results if result.get("refusals"))
    if refused:
        raise CheckFailed(f"{refused} of {len(results)} orders refused")


def _plain(order: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in order.items())
