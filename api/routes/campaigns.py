"""Campaigns: found, shown, opened, paused, ended."""

from functools import partial

from fastapi import APIRouter, Response

from api.calls import Calling, FoundingCall, answer
from api.replies import CampaignList, LifecycleBody
from workers.service.founding import CampaignPlan

router = APIRouter(tags=["campaigns"])


@router.post("/campaigns", status_code=201, operation_id="create_campaign")
def create_campaign(call: FoundingCall) -> Response:
    """Found a campaign, as a draft. With an `Idempotency-Key`, the same request founds it once."""
    token = call.admin()
    plan = call.decode(CampaignPlan)
    found = partial(call.face.founding.found, plan, call.key)
    founded = call.face.limits.found(call.owner, plan.campaign, found)
    view = call.face.overview.campaign(call.campaign(plan.campaign), token)
    headers = {"Location": f"/v1/campaigns/{founded.campaign}"}
    if not founded.created:
        headers["Idempotency-Replayed"] = "true"
    return answer(view, 201, headers)


@router.get("/campaigns", operation_id="list_campaigns")
def list_campaigns(call: Calling) -> Response:
    """The ids of all campaigns, for admins."""
    call.admin()
    return answer(CampaignList(tuple(call.face.store.heads.campaigns())))


@router.get("/campaigns/{campaign}", operation_id="show_campaign")
def show_campaign(call: Calling, campaign: str) -> Response:
    """A campaign, as the token's scope sees it."""
    token = call.reader(campaign)
    return answer(call.face.overview.campaign(call.campaign(campaign), token))


@router.post("/campaigns/{campaign}/lifecycle", operation_id="move_campaign")
def move_campaign(call: Calling, campaign: str) -> Response:
    """Open, pause, resume or end a campaign. Doing so again changes nothing.

    An ended campaign takes no orders and closes no tick: one that is being resolved is published, and the orders of the
    open one, acknowledged, are in no tick and can't be withdrawn. Close it first to play them.
    """
    token = call.operator(campaign)
    verb = call.decode(LifecycleBody).verb
    call.face.lifecycle.move(campaign, verb)
    if verb == "end":
        call.gate.wake(campaign)
    return answer(call.face.overview.campaign(call.campaign(campaign), token))
