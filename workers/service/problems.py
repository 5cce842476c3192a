"""What the service refuses as a whole, by a stable code: one exception, which the HTTP face turns into a document.

A refused *order* of a batch is a value (`Refusal`), so that it stops no other; a `Problem` is the answer to a request.
"""

from typing import Final, Literal, get_args

import msgspec

from workers.kernel.errors import InvalidInput, TocsinError
from workers.store.records import Head

Code = Literal[
    "batch_refused",
    "batch_too_large",
    "body_too_large",
    "busy",
    "campaign_exists",
    "campaign_not_open",
    "forbidden_scope",
    "idempotency_conflict",
    "internal_error",
    "invalid_request",
    "lifecycle_refused",
    "malformed_json",
    "method_not_allowed",
    "not_committed",
    "not_found",
    "not_retryable",
    "not_revealed",
    "order_invalid",
    "order_refused",
    "order_withdrawn",
    "revision_conflict",
    "server_full",
    "server_unreachable",
    "tick_closed",
    "tick_not_closable",
    "token_ending",
    "too_many_campaigns",
    "too_many_requests",
    "too_many_streams",
    "unauthorized",
    "unknown_campaign",
    "unknown_order",
    "unknown_tick",
    "unknown_token",
    "wrong_rulebook",
]

CODES: Final[tuple[Code, ...]] = get_args(Code)

SHOWN_MAX: Final = 80
"""Of a text that can't be understood, so many characters are shown."""

ATTEMPTS_MAX: Final = 8
"""How often a request is judged again because a tick closed or was published under it."""


class FieldProblem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One field that is wrong: its path, what is wrong, what would be accepted, and, of a refused order, the rulebook's
    code and the values behind its sentence."""

    field: str
    problem: str
    accepted: str = ""
    code: str = ""
    values: dict[str, str | int] = {}


class Problem(TocsinError):
    """A request that isn't carried out: a stable code, what happened here, and the fields that are wrong."""

    def __init__(
        self, code: Code, detail: str, errors: tuple[FieldProblem, ...] = (), *, retry_after_s: int | None = None
    ) -> None:
        self.code: Final = code
        self.detail: Final = detail
        self.errors: Final = errors
        self.retry_after_s: Final = retry_after_s
        super().__init__(f"{code}: {detail}")


def invalid_request(error: InvalidInput) -> Problem:
    """The problem of input that can't be understood."""
    return Problem(
        "invalid_request",
        str(error),
        (FieldProblem(error.field, error.problem, error.accepted),),
    )


def unknown_campaign(name: str) -> Problem:
    """The one answer for a campaign that doesn't exist and for one that the caller's token doesn't open."""
    return Problem("unknown_campaign", f"There is no campaign {name!r} that this token opens.")


def check_takes(head: Head, tick: int, wanted: int | None) -> None:
    """Raise Problem unless the campaign takes orders (campaign_not_open), and for the tick that is wanted (tick_closed;
    None: whichever it is); `tick` is the one that takes them."""
    check_open(head)
    if wanted is not None and wanted != tick:
        raise tick_closed(wanted, tick)


def check_open(head: Head) -> None:
    """Raise Problem (campaign_not_open) unless the campaign takes orders."""
    if head.status != "open":
        raise not_open(head.campaign, head.status)


def not_open(name: str, status: str) -> Problem:
    """The problem of a campaign that takes no orders."""
    return Problem("campaign_not_open", f"Campaign {name!r} takes no orders: it is {status}.")


def tick_closed(wanted: int | None, present: int) -> Problem:
    """The problem of orders for a tick that doesn't take them."""
    problem = FieldProblem("for_tick", f"tick {wanted} doesn't take orders", str(present))
    return Problem("tick_closed", f"Tick {wanted} doesn't take orders; tick {present} does.", (problem,))


def busy(name: str) -> Problem:
    """The problem of a campaign whose ticks close faster than a request can be judged."""
    detail = f"Campaign {name!r} changed {ATTEMPTS_MAX} times while the orders were checked; send them again."
    return Problem("busy", detail, retry_after_s=1)
