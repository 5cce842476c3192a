"""`tocsin view`: what a camp knows of the published state, with its token, an actor's, or an operator's."""

from typing import Annotated, Any

import typer

from workers.cli.client import Client, open_client
from workers.cli.errors import Unreachable
from workers.cli.options import AsJson, CampaignId, Secret, Url
from workers.cli.output import field_rows, plain, print_json, table

app = typer.Typer(add_completion=False)

HOMES_A_PAGE = 1_000
TRIES_MAX = 8
"""Times that reading begins anew because a tick was published between two pages."""


@app.command()
def view(
    campaign: CampaignId,
    camp: Annotated[str, typer.Option("--camp", help="Whose (an operator must say; others see their own).")] = "",
    url: Url = "",
    token: Secret = "",
    as_json: AsJson = False,
) -> None:
    """Show what a camp knows now; of the homes an actor sees those that it commands."""
    with open_client(url, token) as client:
        known = read_view(client, campaign, camp)
    if as_json:
        print_json(known)
        return
    title = f"what {known['camp']} knows after tick {known['published']}"
    table(title, ("field", "value"), field_rows(known["shared"]))
    table("\nhomes", ("home", "what is known of it"), ((one["key"], plain(one["home"])) for one in known["homes"]))


def read_view(client: Client, campaign: str, camp: str) -> dict[str, Any]:
    """All pages of a view as one, of one published tick. Raises Unreachable where ticks are published faster than that
    is read."""
    path = f"/campaigns/{campaign}/view"
    for _ in range(TRIES_MAX):
        known = page = client.get(path, camp=camp, limit=HOMES_A_PAGE)
        homes = list(page["homes"])
        while page["next"] and page["published"] == known["published"]:
            page = client.get(path, camp=camp, limit=HOMES_A_PAGE, after=page["next"])
            homes += page["homes"]
        if page["published"] == known["published"]:
            return {name: value for name, value in known.items() if name != "next"} | {"homes": homes}
    raise Unreachable(f"campaign {campaign}: {TRIES_MAX} ticks were published while its view was read; try again")
