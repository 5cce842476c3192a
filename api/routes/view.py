"""The view: what a token's camp knows of the published state."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Response

from api.calls import Calling
from api.queries import DIGITS
from workers.kernel.digest import sha256_hex
from workers.service.campaigns import MissingBlob
from workers.service.problems import ATTEMPTS_MAX, busy
from workers.service.views import Known, known_to

router = APIRouter(tags=["view"])

Camp = Annotated[str, Query(description="as which camp; operators must say, others see as their own camp")]
After = Annotated[str, Query(max_length=256, description="the `next` of the page before")]
Limit = Annotated[int, DIGITS, Query(ge=1, le=1000, description="homes in a page, at most")]


@router.get("/campaigns/{campaign}/view", operation_id="view_campaign")
def view_campaign(call: Calling, campaign: str, camp: Camp = "", after: After = "", limit: Limit = 100) -> Response:
    """What the token's camp knows now, homes a page at a time; of the homes an actor sees those that it commands.

    The `ETag` changes with what is known, and `If-None-Match` spares sending it again.
    """
    body = msgspec.json.encode(_known(call, campaign, camp, after, limit))
    tag = f'"{sha256_hex(body)[:32]}"'
    if tag in [part.strip() for part in call.header("if-none-match").split(",")]:
        return Response(status_code=304, headers={"ETag": tag})
    return Response(body, 200, {"ETag": tag, "Cache-Control": "private, no-cache"}, "application/json")


def _known(call: Calling, campaign: str, camp: str, after: str, limit: int) -> Known:
    call.reader(campaign)
    for _ in range(ATTEMPTS_MAX):
        found = call.campaign(campaign)
        chosen, entities = call.perspective(found, camp)
        try:
            lens = call.face.views.open(found, chosen, found.head.open_tick)
            return known_to(lens, found.head.published, after, limit, entities)
        except MissingBlob:
            continue
    raise busy(campaign)
