"""Answers as the HTTP face writes them: results of orders with their sentences, and the bodies that routes read."""

from collections.abc import Callable
from typing import Annotated, Final

import msgspec

from workers.kernel.errors import Refusal
from workers.kernel.odds import Odds
from workers.service.orders import Answer, Judgement, MeterState, Receipt, Refused
from workers.service.problems import FieldProblem, Problem
from workers.store.records import Verb

TICK_MAX: Final = 1 << 53
"""No campaign gets there, and every reader of JSON holds it."""

Say = Callable[[Refusal], str]
"""A refusal in the language of the answer."""


class Batch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Orders sent together. `for_tick`: for this tick or not at all; `atomic`: all of them or none."""

    orders: tuple[msgspec.Raw, ...]
    for_tick: Annotated[int, msgspec.Meta(ge=0, le=TICK_MAX)] | None = None
    atomic: bool = False


class LifecycleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step of a campaign's life."""

    verb: Verb


class RetryBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A retry of a tick in quarantine: the ids of orders to leave out, told to every camp."""

    drop: tuple[str, ...] = ()


class SpokenRefusal(msgspec.Struct, frozen=True):
    """A refusal with its sentence. `family`: `invalid` (not understood) or `illegal` (understood, not allowed)."""

    code: str
    field: str
    family: str
    text: str
    accepted: str
    values: dict[str, str | int]


class BookedResult(msgspec.Struct, frozen=True, gc=False, tag_field="status", tag="booked"):
    """An order booked: its receipt."""

    id: str
    revision: int
    tick: int
    digest: str
    checked_on: int


class RefusedResult(msgspec.Struct, frozen=True, tag_field="status", tag="refused"):
    """An order not booked, and why."""

    refusals: tuple[SpokenRefusal, ...]


class BatchReply(msgspec.Struct, frozen=True):
    """The answer to a batch: a result an order, in their order."""

    tick: int
    results: tuple[BookedResult | RefusedResult, ...]


class SpokenJudgement(msgspec.Struct, frozen=True):
    """What a dry run says of an order: whether it would be booked, or why not; its costs; its odds."""

    would_book: bool
    refusals: tuple[SpokenRefusal, ...]
    costs: tuple[MeterState, ...]
    odds: Odds | None


class CheckReply(msgspec.Struct, frozen=True):
    """The answer to a dry run: a judgement an order, in their order. Nothing was booked."""

    results: tuple[SpokenJudgement, ...]


class CampaignList(msgspec.Struct, frozen=True):
    """The ids of all campaigns."""

    campaigns: tuple[str, ...]


class ReadyReply(msgspec.Struct, frozen=True):
    """A camp's ready mark for a tick; `closed`: all camps were ready, and the tick closed by it."""

    tick: int
    ready: bool
    closed: bool


class CloseReply(msgspec.Struct, frozen=True):
    """A tick is closed: by this request (`now`), or it was before. Its orders are being resolved or were."""

    tick: int
    now: bool
    open_tick: int


class RetryReply(msgspec.Struct, frozen=True):
    """A tick in quarantine starts again, in a new epoch."""

    tick: int
    epoch: int


class CommitmentReply(msgspec.Struct, frozen=True):
    """SHA-256 of a tick's seed, in hexadecimal: public before the tick opens."""

    tick: int
    commitment: str


class SeedReply(msgspec.Struct, frozen=True):
    """A tick's seed, in hexadecimal, and the commitment that it must hash to."""

    tick: int
    seed: str
    commitment: str


def spoken(refusals: tuple[Refusal, ...], say: Say) -> tuple[SpokenRefusal, ...]:
    """Refusals with their sentences."""
    return tuple(SpokenRefusal(one.code, one.field, one.family, say(one), one.accepted, one.values) for one in refusals)


def result_of(result: Receipt | Refused, say: Say) -> BookedResult | RefusedResult:
    """An order's result."""
    if isinstance(result, Receipt):
        return BookedResult(result.id, result.revision, result.tick, result.digest, result.checked_on)
    return RefusedResult(spoken(result.refusals, say))


def batch_reply(given: Answer, say: Say) -> BatchReply:
    """The answer to a batch."""
    return BatchReply(given.tick, tuple([result_of(result, say) for result in given.results]))


def check_reply(judged: list[Judgement], say: Say) -> CheckReply:
    """The answer to a dry run."""
    return CheckReply(
        tuple(SpokenJudgement(one.would_book, spoken(one.refusals, say), one.costs, one.odds) for one in judged)
    )


def refused_order(refused: Refused, say: Say) -> Problem:
    """The problem of a single order that was refused."""
    invalid = all(one.family == "invalid" for one in refused.refusals)
    errors = _errors(refused, say, "")
    return Problem("order_invalid" if invalid else "order_refused", errors[0].problem, errors)


def refused_batch(given: Answer, say: Say) -> Problem:
    """The problem of an all-or-nothing batch of which nothing was booked."""
    errors: list[FieldProblem] = []
    for index, result in enumerate(given.results):
        if isinstance(result, Refused):
            errors.extend(_errors(result, say, f"orders[{index}]"))
    return Problem("batch_refused", "No order of the batch was booked, since not all could be.", tuple(errors))


def _errors(refused: Refused, say: Say, where: str) -> tuple[FieldProblem, ...]:
    found = []
    for one in refused.refusals:
        field = f"{where}.{one.field}" if where and one.field else where or one.field
        found.append(FieldProblem(field, say(one), one.accepted, one.code, one.values))
    return tuple(found)
