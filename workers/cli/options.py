"""The options that several verbs share."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, nothing else.")]
Language = Annotated[str, typer.Option("--lang", help="The language of the words: en or fr.")]
Url = Annotated[str, typer.Option("--url", envvar="TOCSIN_URL", help="The API (default: what `tocsin up` serves).")]
Secret = Annotated[
    str,
    typer.Option("--token", envvar="TOCSIN_TOKEN", help="The token (default: the one that `tocsin up` made)."),
]
CampaignId = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="The campaign's id.")]
