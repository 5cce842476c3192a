"""The options that several verbs share."""

from typing import Annotated

import typer

from workers.kernel.errors import InvalidInput

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, nothing else.")]
Language = Annotated[str, typer.Option("--lang", help="The language of the words: en or fr.")]
Url = Annotated[str, typer.Option("--url", envvar="TOCSIN_URL", help="The API (default: what `tocsin up` serves).")]
Secret = Annotated[
    str,
    typer.Option("--token", envvar="TOCSIN_TOKEN", help="The token (default: the one that `tocsin up` made)."),
]


def check_campaign(campaign: str) -> str:
    """The campaign's id, fit to stand in a path. Raises InvalidInput. Empty stands for none."""
    from workers.store.errors import InvalidName
    from workers.store.keys import CAMPAIGN_PATTERN
    from workers.store.keys import check_campaign as check

    if campaign:
        try:
            check(campaign)
        except InvalidName as error:
            raise InvalidInput("campaign", f"{campaign!r} is no campaign id", CAMPAIGN_PATTERN) from error
    return campaign


CampaignId = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="The campaign's id.", callback=check_campaign)]
