"""Ticks: their state, their close and retry, their commitments and seeds; and a camp's word that it is ready."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from api.calls import Call, Calling, answer
from api.replies import CloseReply, CommitmentReply, ReadyReply, RetryBody, RetryReply, SeedReply
from workers.service.campaigns import Campaign
from workers.service.overview import unknown_tick
from workers.service.problems import FieldProblem, Problem
from workers.store.errors import InvalidRequest

router = APIRouter(tags=["ticks"])

TickName = Annotated[str, Path(description="a tick's number, or `current`: the one that takes orders")]
DIGITS_MAX = 15


def tick_of(campaign: Campaign, name: str) -> int:
    """The tick of a name. Raises Problem (unknown_tick)."""
    if name == "current":
        return campaign.head.open_tick
    if not (name.isascii() and name.isdecimal()) or len(name) > DIGITS_MAX:
        raise Problem("unknown_tick", f"There is no tick {name!r}; accepted: a number from 0, or `current`.")
    return int(name)


@router.get("/campaigns/{campaign}/ticks/{tick}", operation_id="show_tick")
def show_tick(call: Calling, campaign: str, tick: TickName) -> Response:
    """A tick: status and phase for every token, progress and record for operators."""
    token = call.reader(campaign)
    found = call.campaign(campaign)
    return answer(call.face.overview.tick(found, tick_of(found, tick), token))


@router.get("/campaigns/{campaign}/ticks/{tick}/commitment", operation_id="show_commitment")
def show_commitment(call: Calling, campaign: str, tick: TickName) -> Response:
    """SHA-256 of the tick's seed: public before the tick opens."""
    call.reader(campaign)
    found = call.campaign(campaign)
    number = tick_of(found, tick)
    return answer(CommitmentReply(number, call.face.overview.commitment(found.head, number)))


@router.get("/campaigns/{campaign}/ticks/{tick}/seed", operation_id="show_seed")
def show_seed(call: Calling, campaign: str, tick: TickName) -> Response:
    """The tick's seed, once the campaign's policy reveals it: every roll can be computed again from it."""
    call.reader(campaign)
    found = call.campaign(campaign)
    number = tick_of(found, tick)
    seed = call.face.overview.seed(found.head, number)
    return answer(SeedReply(number, seed, call.face.overview.commitment(found.head, number)))


@router.post("/campaigns/{campaign}/ticks/{tick}:close", operation_id="close_tick")
def close_tick(call: Calling, campaign: str, tick: TickName) -> Response:
    """Close a tick by the operator's word. Closing again changes nothing."""
    call.operator(campaign)
    found = call.campaign(campaign)
    number = tick_of(found, tick)
    reply = call.face.closing.close(found.head, number, "operator")
    if reply.outcome == "closed":
        call.gate.wake(campaign)
    elif reply.outcome != "other_tick" or number >= reply.open_tick:
        raise _not_closed(campaign, number, reply.outcome, reply.until_ms, reply.open_tick)
    return answer(CloseReply(number, reply.outcome == "closed", reply.open_tick))


def _not_closed(campaign: str, tick: int, outcome: str, until_ms: int, open_tick: int) -> Problem:
    if outcome == "not_open_campaign":
        return Problem("campaign_not_open", f"Campaign {campaign!r} isn't open: none of its ticks closes.")
    reasons = {
        "other_tick": f"tick {open_tick} is the one that takes orders",
        "still_resolving": "the tick before it is still being resolved",
        "min_open": f"it must stay open until {until_ms} ms since 1970",
        "archive_behind": "too many published ticks wait for the archive",
        "archive_ahead": "the archive holds it already, so the server is older than what it had published",
    }
    retry_after_s = 1 if outcome in ("still_resolving", "min_open") else None
    detail = f"Tick {tick} can't close: {reasons.get(outcome, outcome)}."
    return Problem("tick_not_closable", detail, retry_after_s=retry_after_s)


@router.post("/campaigns/{campaign}/ticks/{tick}:retry", operation_id="retry_tick")
def retry_tick(call: Calling, campaign: str, tick: TickName) -> Response:
    """Start a tick in quarantine again, from its beginning; `drop` leaves orders out, and every camp reads that."""
    call.operator(campaign)
    found = call.campaign(campaign)
    number = tick_of(found, tick)
    drop = call.decode(RetryBody).drop if call.body else ()
    if number > found.head.open_tick:
        raise unknown_tick(campaign, number)
    if number != found.head.resolving or found.head.tick_status not in ("failed", "lost"):
        raise _not_retryable(number)
    _check_drops(call, found, number, drop)
    reply = call.face.store.ticks.retry(campaign, number, found.head.epoch, drop=drop)
    if reply.outcome != "retried":
        raise _not_retryable(number)
    call.gate.wake(campaign)
    return answer(RetryReply(number, reply.epoch))


def _not_retryable(tick: int) -> Problem:
    return Problem("not_retryable", f"Tick {tick} isn't in quarantine.")


def _check_drops(call: Call, campaign: Campaign, tick: int, drop: tuple[str, ...]) -> None:
    for index, order_id in enumerate(drop):
        try:
            known = call.face.changes.is_live(campaign, tick, order_id)
        except InvalidRequest:
            known = False
        if not known:
            problem = FieldProblem(f"drop[{index}]", f"{order_id!r} is no live order of the tick", "ids of its orders")
            raise Problem("invalid_request", "An order to leave out isn't among the tick's.", (problem,))


@router.put("/campaigns/{campaign}/ready", operation_id="set_ready")
def set_ready(call: Calling, campaign: str) -> Response:
    """Say that the camp is ready for the close; its next order takes that back. Where the schedule says so, the tick
    closes when all camps are ready: at once, or as soon as it was open for `min_open_s` and the tick before is
    published."""
    return _mark(call, campaign, on=True)


@router.delete("/campaigns/{campaign}/ready", operation_id="clear_ready")
def clear_ready(call: Calling, campaign: str) -> Response:
    """Take back that the camp is ready."""
    return _mark(call, campaign, on=False)


def _mark(call: Call, campaign: str, *, on: bool) -> Response:
    sender = call.sender(campaign)
    if sender.entities is not None:
        raise Problem("forbidden_scope", "This needs a camp's token; the token's scope is 'actor'.")
    tick, closed = call.face.readiness.mark(campaign, sender.camp, on=on)
    if closed:
        call.gate.wake(campaign)
    return answer(ReadyReply(tick, on, closed))
