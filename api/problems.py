"""Errors as documents: `application/problem+json` (RFC 9457), each with a stable code from one catalogue."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from fastapi import Response
from fastapi.exceptions import RequestValidationError
from redis.exceptions import OutOfMemoryError
from starlette.exceptions import HTTPException

from workers.kernel.errors import InvalidInput
from workers.service.campaigns import MissingBlob, UnknownCampaign, WrongRulebook
from workers.service.problems import Code, FieldProblem, Problem, invalid_request
from workers.store.connection import NO_SERVER

MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER_S: Final = 2
"""How long a client is asked to wait for a server that is gone or full, in seconds."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A code's line in the catalogue: its HTTP status, its title, and what it means to a client."""

    status: int
    title: str
    meaning: str


CATALOGUE: Final[dict[Code, Entry]] = {
    "batch_refused": Entry(
        422, "Batch refused", "An all-or-nothing batch has an order that is refused; none is booked."
    ),
    "batch_too_large": Entry(422, "Batch too large", "A batch has more orders than the limit; send several batches."),
    "body_too_large": Entry(413, "Body too large", "The request's body has more bytes than the limit; it wasn't read."),
    "busy": Entry(503, "Busy", "The campaign changed again and again while the request was checked; send it again."),
    "campaign_exists": Entry(409, "Campaign exists", "Another campaign has this id; choose another."),
    "campaign_not_open": Entry(409, "Campaign not open", "The campaign takes no orders: a draft, paused or ended."),
    "forbidden_scope": Entry(
        403, "Not in the token's scope", "The token is known here, but its scope doesn't allow this."
    ),
    "idempotency_conflict": Entry(422, "Key used before", "The idempotency key was used with another body."),
    "internal_error": Entry(500, "Internal error", "A fault of ours; the operator's log says more."),
    "invalid_request": Entry(422, "Invalid request", "A field can't be understood; `errors` names it."),
    "lifecycle_refused": Entry(
        409, "Not from this status", "The campaign's status doesn't allow this step of its life."
    ),
    "malformed_json": Entry(400, "Malformed JSON", "The body isn't JSON in UTF-8 (NaN and Infinity aren't JSON)."),
    "method_not_allowed": Entry(405, "Method not allowed", "The address exists, the method on it doesn't."),
    "not_committed": Entry(404, "Not committed yet", "The tick's commitment is published when tick n − 2 closes."),
    "not_found": Entry(404, "Not found", "There is nothing at this address."),
    "not_retryable": Entry(409, "Nothing to retry", "The tick isn't in quarantine."),
    "not_revealed": Entry(
        404, "Not revealed yet", "The tick's seed isn't public yet; the detail says when it will be."
    ),
    "order_invalid": Entry(422, "Order not understood", "The order can't be understood; `errors` names the field."),
    "order_refused": Entry(422, "Order refused", "The order is understood and not allowed; `errors` says why."),
    "order_withdrawn": Entry(409, "Order withdrawn", "A withdrawn order can't be replaced; send a new one."),
    "revision_conflict": Entry(412, "Other revision", "The order isn't at the revision that the request expects."),
    "server_full": Entry(503, "Server full", "The server's memory is full; nothing was booked. Send it again later."),
    "server_unreachable": Entry(
        503, "Server unreachable", "The server that holds the truth doesn't answer; send it again with the same key."
    ),
    "tick_closed": Entry(409, "Tick closed", "The tick that the request names doesn't take orders."),
    "tick_not_closable": Entry(409, "Tick can't close", "The tick can't close now; the detail says what it waits for."),
    "token_ending": Entry(
        409,
        "Token replaced already",
        "Another token replaced this one, which ends by itself; replace that other one.",
    ),
    "too_many_campaigns": Entry(
        409, "Too many campaigns", "The token founded as many campaigns that haven't ended as it may; end one of them."
    ),
    "too_many_requests": Entry(
        429, "Too many requests", "The token made as many requests as it may within a second; come again after that."
    ),
    "too_many_streams": Entry(
        429, "Too many streams", "The token has as many open streams of reports as it may; close one of them."
    ),
    "unauthorized": Entry(401, "No valid token", "The request needs a token and brings none that is known."),
    "unknown_campaign": Entry(404, "Unknown campaign", "No campaign of this id is open to the token."),
    "unknown_order": Entry(404, "Unknown order", "The token's camp or actor has no such order in an unpublished tick."),
    "unknown_tick": Entry(404, "Unknown tick", "The campaign has no such tick yet."),
    "unknown_token": Entry(404, "Unknown token", "The campaign has no token of this id."),
    "wrong_rulebook": Entry(503, "Other rulebook", "This process has another version of the campaign's rulebook."),
}


class Document(msgspec.Struct, frozen=True, omit_defaults=True):
    """A problem document. `type` is an address relative to the API's; `errors` names the fields that are wrong."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: tuple[FieldProblem, ...] = ()


def document_of(problem: Problem) -> Document:
    """The document of a problem."""
    entry = CATALOGUE[problem.code]
    return Document(
        f"/problems/{problem.code}", entry.title, entry.status, problem.detail, problem.code, problem.errors
    )


def respond(problem: Problem, more_headers: Mapping[str, str] | None = None) -> Response:
    """The response of a problem, with the headers that its status asks for."""
    document = document_of(problem)
    headers = dict(more_headers or {})
    if document.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if problem.retry_after_s is not None:
        headers["Retry-After"] = str(problem.retry_after_s)
    return Response(msgspec.json.encode(document), document.status, headers, MEDIA_TYPE)


def problem_of(error: Exception) -> Problem:
    """The problem that an exception means to a client; of an unforeseen one, nothing but that it is ours."""
    for kind, make in _MEANINGS:
        if isinstance(error, kind):
            return make(error)
    return Problem("internal_error", "The request failed through a fault of ours; it is in the operator's log.")


def _of_http(error: HTTPException) -> Problem:
    if error.status_code == 405:
        return Problem("method_not_allowed", "This address has other methods.")
    if error.status_code == 404:
        return Problem("not_found", "There is nothing at this address.")
    return Problem("invalid_request", str(error.detail))


def _unreachable(_: Any) -> Problem:
    detail = "The server that holds the truth doesn't answer. Whether a write was done is unknown: send it again."
    return Problem("server_unreachable", detail, retry_after_s=RETRY_AFTER_S)


_MEANINGS: Final[tuple[tuple[type[Exception], Callable[[Any], Problem]], ...]] = (
    (Problem, lambda error: error),
    (InvalidInput, invalid_request),
    (UnknownCampaign, lambda error: Problem("unknown_campaign", "There is no such campaign that this token opens.")),
    (WrongRulebook, lambda error: Problem("wrong_rulebook", str(error), retry_after_s=RETRY_AFTER_S)),
    (MissingBlob, lambda error: Problem("busy", "The state was replaced while it was read.", retry_after_s=1)),
    (OutOfMemoryError, lambda error: Problem("server_full", "Nothing was written.", retry_after_s=RETRY_AFTER_S)),
    *((kind, _unreachable) for kind in NO_SERVER),
    (HTTPException, _of_http),
)

HANDLED: Final[tuple[type[Exception], ...]] = (RequestValidationError, *(kind for kind, _ in _MEANINGS), Exception)
"""The exceptions that become documents."""
