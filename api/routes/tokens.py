"""Tokens of a campaign: made, listed, revoked by its operators."""

from fastapi import APIRouter, Response

from api.calls import Calling, answer
from workers.service.access import TokenPlan

router = APIRouter(tags=["tokens"])


@router.post("/campaigns/{campaign}/tokens", status_code=201, operation_id="create_token")
def create_token(call: Calling, campaign: str) -> Response:
    """Make a token. Its secret is in this answer and nowhere else."""
    call.operator(campaign)
    made = call.face.access.create(campaign, call.decode(TokenPlan))
    return answer(made, 201, {"Cache-Control": "no-store"})


@router.get("/campaigns/{campaign}/tokens", operation_id="list_tokens")
def list_tokens(call: Calling, campaign: str) -> Response:
    """The campaign's tokens, without their secrets."""
    call.operator(campaign)
    return answer(call.face.access.listed(campaign))


@router.delete("/campaigns/{campaign}/tokens/{token_id}", status_code=204, operation_id="revoke_token")
def revoke_token(call: Calling, campaign: str, token_id: str) -> Response:
    """Revoke a token: from now on it is unknown."""
    call.operator(campaign)
    call.face.access.revoke(campaign, token_id)
    return Response(status_code=204)
