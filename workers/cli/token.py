"""`tocsin token`: list, replace and revoke tokens, a campaign's or admins'; `campaign token` makes one."""

from typing import Annotated

import typer

from workers.cli.client import open_client
from workers.cli.options import AsJson, Secret, Url, check_campaign
from workers.cli.output import note, print_json, table
from workers.kernel.errors import InvalidInput

app = typer.Typer(add_completion=False, help="List, replace and revoke tokens, a campaign's or admins'.")

ID_LENGTH = 64

Campaign = Annotated[
    str,
    typer.Option("--campaign", help="The campaign whose tokens they are (default: admins').", callback=check_campaign),
]


def check_id(token_id: str) -> str:
    """The same id. Raises InvalidInput where it is none: a secret, above all, must not end in a path."""
    if len(token_id) != ID_LENGTH or set(token_id) - set("0123456789abcdef"):
        raise InvalidInput(
            "TOKEN_ID", "it is no token's id", f"{ID_LENGTH} hexadecimal digits, as `token list` has them"
        )
    return token_id


TokenId = Annotated[str, typer.Argument(metavar="TOKEN_ID", help="The token's id, never its secret.")]


@app.command("list")
def list_(campaign: Campaign = "", url: Url = "", token: Secret = "", as_json: AsJson = False) -> None:
    """List tokens, without their secrets."""
    with open_client(url, token) as client:
        found = client.get(_path(campaign))
    if as_json:
        print_json(found)
        return
    columns = ("id", "scope", "camp", "actor", "label", "ends_ms")
    table("", columns, [tuple(str(one[column] or "") for column in columns) for one in found["tokens"]])


@app.command("rotate")
def rotate(
    token_id: TokenId,
    campaign: Campaign = "",
    overlap_s: Annotated[
        int, typer.Option("--overlap-s", min=0, help="Seconds that the old secret works on (0: it ends at once).")
    ] = 0,
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Replace a token by one that may do the same, and print its secret, this once."""
    path = f"{_path(campaign)}/{check_id(token_id)}:rotate"
    with open_client(url, token) as client:
        made = client.post(path, {"overlap_s": overlap_s})
    if as_json:
        print_json(made)
    else:
        print(made["secret"])


@app.command("revoke")
def revoke(
    token_id: TokenId, campaign: Campaign = "", url: Url = "", token: Secret = "", as_json: AsJson = False
) -> None:
    """Revoke a token, and the one that it replaced, should that still work."""
    path = f"{_path(campaign)}/{check_id(token_id)}"
    with open_client(url, token) as client:
        client.delete(path)
    if as_json:
        print_json({"revoked": token_id})
    else:
        note(f"revoked {token_id}")


def _path(campaign: str) -> str:
    return f"/campaigns/{campaign}/tokens" if campaign else "/tokens"
