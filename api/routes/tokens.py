"""Tokens: those of a campaign are made, listed, replaced and revoked by its operators; admins' by admins."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from api.calls import Call, Calling, answer
from workers.service.access import NewToken, RotationPlan, TokenPlan

router = APIRouter(tags=["tokens"])

TokenId = Annotated[str, Path(description="a token's id: SHA-256 of its secret, as listings have it")]
NO_STORE = {"Cache-Control": "no-store"}


@router.post("/campaigns/{campaign}/tokens", status_code=201, operation_id="create_token")
def create_token(call: Calling, campaign: str) -> Response:
    """Make a token. Its secret is in this answer and nowhere else.

    An actor's name stays with the camp that it was first used in, also when its tokens are revoked.
    """
    call.operator(campaign)
    return _shown_once(call.face.access.create(campaign, call.decode(TokenPlan)))


@router.get("/campaigns/{campaign}/tokens", operation_id="list_tokens")
def list_tokens(call: Calling, campaign: str) -> Response:
    """The campaign's tokens, without their secrets."""
    call.operator(campaign)
    return answer(call.face.access.listed(campaign))


@router.post("/campaigns/{campaign}/tokens/{token_id}:rotate", status_code=201, operation_id="rotate_token")
def rotate_token(call: Calling, campaign: str, token_id: TokenId) -> Response:
    """Replace a token by one that may do the same. The old secret ends at once, or after `overlap_s` seconds; the new
    one is in this answer and nowhere else."""
    call.operator(campaign)
    return _shown_once(call.face.access.rotate(campaign, token_id, _plan(call)))


@router.delete("/campaigns/{campaign}/tokens/{token_id}", status_code=204, operation_id="revoke_token")
def revoke_token(call: Calling, campaign: str, token_id: TokenId) -> Response:
    """Revoke a token, and the one that it replaced: from now on they are unknown, and their streams end."""
    call.operator(campaign)
    call.face.access.revoke(campaign, token_id)
    return Response(status_code=204)


@router.get("/tokens", operation_id="list_admin_tokens")
def list_admin_tokens(call: Calling) -> Response:
    """The admins' tokens, without their secrets."""
    call.admin()
    return answer(call.face.access.listed(""))


@router.post("/tokens/{token_id}:rotate", status_code=201, operation_id="rotate_admin_token")
def rotate_admin_token(call: Calling, token_id: TokenId) -> Response:
    """Replace an admin's token, one's own for example, by another one; as for a campaign's."""
    call.admin()
    return _shown_once(call.face.access.rotate("", token_id, _plan(call)))


@router.delete("/tokens/{token_id}", status_code=204, operation_id="revoke_admin_token")
def revoke_admin_token(call: Calling, token_id: TokenId) -> Response:
    """Revoke an admin's token, and the one that it replaced."""
    call.admin()
    call.face.access.revoke("", token_id)
    return Response(status_code=204)


def _plan(call: Call) -> RotationPlan:
    return call.decode(RotationPlan) if call.body else RotationPlan()


def _shown_once(made: NewToken) -> Response:
    return answer(made, 201, NO_STORE)
