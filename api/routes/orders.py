"""Orders: sent, judged, read back, replaced, withdrawn; and a camp's word that it is ready."""

from collections import Counter
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Response

from api.calls import Call, Calling, Language, answer, decode_body
from api.direct import DirectRoute
from api.queries import DIGITS
from api.replies import TICK_MAX, Batch, batch_reply, check_reply, refused_batch, refused_order, result_of
from workers.service.access import Sender
from workers.service.orders import Answer, Refused, Submission
from workers.service.problems import FieldProblem, Problem

router = APIRouter(tags=["orders"], route_class=DirectRoute)

OrderId = Annotated[str, Path(description="an order's id")]


ForTick = Annotated[int | None, DIGITS, Query(ge=0, le=TICK_MAX, description="a single order's tick: this one or none")]
After = Annotated[str, Query(description="the `next` of the page before")]
Limit = Annotated[int, DIGITS, Query(ge=1, le=1000, description="entries in a page, at most")]


def submission_of(call: Call, for_tick: int | None) -> tuple[Submission, bool]:
    """The orders of a body, and whether it was a single one. Raises Problem."""
    top = decode_body(call.body, dict[str, msgspec.Raw])
    if "kind" in top or "orders" not in top:
        return Submission((msgspec.Raw(call.body),), for_tick), True
    if for_tick is not None:
        problem = FieldProblem("for_tick", "given in the query of a batch", "the body's field for_tick")
        raise Problem("invalid_request", "A batch says for_tick in its body.", (problem,))
    batch = call.decode(Batch)
    return Submission(batch.orders, batch.for_tick, batch.atomic), False


@router.post("/campaigns/{campaign}/orders", operation_id="send_orders")
def send_orders(call: Calling, campaign: str, for_tick: ForTick = None, lang: Language = "") -> Response:
    """Send an order, or a batch of up to 1,000 (`{"orders": […]}`).

    A single order is answered 201 with its receipt, or with a problem. A batch is answered 200 with a result an order:
    a bad one stops no other, unless the batch is `atomic`. With an `Idempotency-Key`, the same request gets the same
    answer again once any of it was booked.

    Give each field of an order once. JSON leaves open what a name given twice means (RFC 8259, section 4): here the
    last one counts, and only two different kinds are refused.
    """
    sender = call.sender(campaign)
    say = call.speaker(campaign, lang)
    submission, single = submission_of(call, for_tick)
    found = _submit(call, sender, campaign, submission)
    headers = {"Idempotency-Replayed": "true"} if found.replayed else {}
    first = found.results[0]
    if single:
        if isinstance(first, Refused):
            raise refused_order(first, say)
        headers["Location"] = f"/v1/campaigns/{campaign}/orders/{first.id}"
        return answer(result_of(first, say), 201, headers)
    if submission.atomic and all(isinstance(result, Refused) for result in found.results):
        raise refused_batch(found, say)
    return answer(batch_reply(found, say), 200, headers)


def _submit(call: Call, sender: Sender, campaign: str, submission: Submission) -> Answer:
    """Submit, and count what became of each order; an answer that was given before isn't counted again."""
    try:
        found = call.face.desk.submit(sender, campaign, submission, call.key)
    except Problem as problem:
        call.count_orders(problem.code, len(submission.orders))
        raise
    if not found.replayed:
        refused = [result for result in found.results if type(result) is Refused]
        counted = Counter(result.refusals[0].code for result in refused)
        counted["accepted"] = len(found.results) - counted.total()
        for code, times in (+counted).items():
            call.count_orders(code, times)
    return found


@router.post("/campaigns/{campaign}/orders:check", operation_id="check_orders")
def check_orders(call: Calling, campaign: str, for_tick: ForTick = None, lang: Language = "") -> Response:
    """Judge orders as if they were sent, with their costs and exact odds; nothing is booked.

    `for_tick` and `atomic` say the same as in sending: of a batch that is `atomic`, none would be booked where one is
    refused.
    """
    sender = call.sender(campaign)
    say = call.speaker(campaign, lang)
    submission, _ = submission_of(call, for_tick)
    return answer(check_reply(call.face.desk.check(sender, campaign, submission), say))


@router.get("/campaigns/{campaign}/orders", operation_id="list_orders")
def list_orders(call: Calling, campaign: str, after: After = "", limit: Limit = 100) -> Response:
    """The sender's own live orders of the tick that takes orders."""
    return answer(call.face.changes.listed(call.sender(campaign), campaign, after, limit))


@router.get("/campaigns/{campaign}/orders/{order_id}", operation_id="show_order")
def show_order(call: Calling, campaign: str, order_id: OrderId) -> Response:
    """One order of a tick that isn't published yet, with its revision as `ETag`.

    An order that came past a deadline belongs to the next tick, also where that deadline is moved afterwards: it is
    read, replaced and withdrawn by its id, and listed once its tick takes orders.
    """
    found = call.face.changes.get(call.sender(campaign), campaign, order_id)
    return answer(found, 200, {"ETag": f'"{found.revision}"'})


@router.put("/campaigns/{campaign}/orders/{order_id}", operation_id="replace_order")
def replace_order(call: Calling, campaign: str, order_id: OrderId, lang: Language = "") -> Response:
    """Put a whole new order in an order's place: it keeps its id. `If-Match: "2"`: only if it's at revision 2.

    Safe to send again: putting what is there already changes nothing.
    """
    sender = call.sender(campaign)
    say = call.speaker(campaign, lang)
    expected = call.expected_revision()
    decode_body(call.body, dict[str, msgspec.Raw])
    replacement = call.face.changes.replace(sender, campaign, order_id, call.body, expected)
    found = replacement.result
    if isinstance(found, Refused):
        call.count_orders(found.refusals[0].code)
        raise refused_order(found, say)
    if replacement.changed:
        call.count_orders("replaced")
    return answer(result_of(found, say), 200, {"ETag": f'"{found.revision}"'})


@router.delete("/campaigns/{campaign}/orders/{order_id}", status_code=204, operation_id="withdraw_order")
def withdraw_order(call: Calling, campaign: str, order_id: OrderId) -> Response:
    """Take an order back. Safe to send again."""
    if call.face.changes.withdraw(call.sender(campaign), campaign, order_id, call.expected_revision()):
        call.count_orders("withdrawn")
    return Response(status_code=204)
