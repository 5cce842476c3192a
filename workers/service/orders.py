"""Orders as a request brings them and as an answer tells of them."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec

from workers.kernel.digest import canonical, sha256_hex
from workers.kernel.errors import InvalidInput, Refusal, invalid_from
from workers.kernel.odds import Odds
from workers.kernel.orders import Booked, Order, union_of
from workers.rules.contract import Rulebook
from workers.service.accepted import accepted_by
from workers.service.access import Sender

INVALID_ORDER: Final = "invalid_order"
OVER_BUDGET: Final = "over_budget"
UNKNOWN_ENTITY: Final = "unknown_entity"
ORDER_EXISTS: Final = "order_exists"
TICK_FULL: Final = "tick_full"
ACTOR_FULL: Final = "actor_full"
CHANGES_FULL: Final = "changes_full"
NOT_BOOKED: Final = "not_booked"

SERVICE_REFUSALS: Final = (
    INVALID_ORDER,
    OVER_BUDGET,
    UNKNOWN_ENTITY,
    ORDER_EXISTS,
    TICK_FULL,
    ACTOR_FULL,
    CHANGES_FULL,
    NOT_BOOKED,
)
"""The codes of refusals that no rulebook gives: what intake says of an order."""


class Submission(msgspec.Struct, frozen=True):
    """Orders sent together, each still unread. `for_tick`: book them for this tick or not at all; `atomic`: all or
    none."""

    orders: tuple[msgspec.Raw, ...]
    for_tick: int | None = None
    atomic: bool = False


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """An order booked. `digest` is SHA-256 over the canonical bytes of [id, revision, camp, actor, order], in
    hexadecimal; `checked_on` the published tick on whose state the order was checked. Nothing here depends on anybody
    else's orders."""

    id: str
    revision: int
    tick: int
    digest: str
    checked_on: int


class Refused(msgspec.Struct, frozen=True):
    """An order not booked, and why: at least one refusal."""

    refusals: tuple[Refusal, ...]


class Answer(msgspec.Struct, frozen=True):
    """The answer to a submission, an item an order, in their order; `replayed` where it was given before."""

    tick: int
    results: tuple[Receipt | Refused, ...]
    replayed: bool = False


class MeterState(msgspec.Struct, frozen=True):
    """A meter that an order takes from: its `amount`, what is `used` before it, the `limit`, and what would be
    `left` after it (below 0: over budget)."""

    meter: str
    amount: int
    used: int
    limit: int
    left: int


class Judgement(msgspec.Struct, frozen=True):
    """What a dry run says of one order: whether it would be booked, or why not; what it costs; its odds."""

    would_book: bool
    refusals: tuple[Refusal, ...] = ()
    costs: tuple[MeterState, ...] = ()
    odds: Odds | None = None


class OrderView(msgspec.Struct, frozen=True):
    """A booked order as its own camp reads it. `status` is `booked`, or `withdrawn`, or `closed` once its tick is."""

    id: str
    tick: int
    revision: int
    status: str
    actor: str
    order: Any


class _Kind(msgspec.Struct):
    kind: str


_decode_kind = msgspec.json.Decoder(_Kind).decode


class OrderReader:
    """Reads orders of one rulebook; what can't be understood becomes a refusal that says what would be."""

    def __init__(self, rulebook: Rulebook) -> None:
        order: Any = union_of(rulebook.orders)
        self._decode = msgspec.json.Decoder(order).decode
        self._decode_all = msgspec.json.Decoder(list[order]).decode
        self._orders = {str(kind.__struct_config__.tag): kind for kind in rulebook.orders}
        self._kinds = " or ".join(self._orders)

    def read(self, raw: msgspec.Raw | bytes) -> Order | Refusal:
        """The order of one JSON object, or why it isn't one."""
        try:
            order: Order = self._decode(raw)
        except msgspec.DecodeError as error:  # ValidationError is one
            return self._explained(raw, invalid_from(error))
        except RecursionError:
            return unreadable("", "nested too deep", "an order as the schema describes it")
        return order

    def _explained(self, raw: msgspec.Raw | bytes, found: InvalidInput) -> Refusal:
        if found.field == "kind":
            twice = any(found.problem == f"Invalid value {kind!r}" for kind in self._orders)
            problem = "it is given twice, and not the same" if twice else found.problem
            return unreadable(found.field, problem, f"{self._kinds}{', once' if twice else ''}")
        accepted = found.accepted
        try:
            if found.field:
                accepted = accepted_by(self._orders[_decode_kind(raw).kind], found)
        except (msgspec.DecodeError, RecursionError, KeyError):
            pass  # it can't be read to its end
        return unreadable(found.field, found.problem, accepted or "an order as the schema describes it")

    def read_all(self, raws: Sequence[msgspec.Raw]) -> list[Order | Refusal]:
        """All orders of a submission: together, or one by one where one of them can't be understood."""
        try:
            return self._decode_all(b"[%b]" % b",".join(raws))
        except (msgspec.DecodeError, RecursionError):
            return [self.read(raw) for raw in raws]


def unreadable(field: str, problem: str, accepted: str) -> Refusal:
    """The refusal of an order that can't be understood."""
    return Refusal(INVALID_ORDER, field, "invalid", accepted, {"problem": problem})


def receipt_digest(order_id: str, revision: int, sender: Sender, order: Order) -> str:
    """The digest of a receipt: whoever sent the order can compute it."""
    return sha256(canonical([order_id, revision, sender.camp, sender.actor, order])).hexdigest()


def receipt_of(booked: Booked[Any, Any], order: Order, tick: int, checked_on: int) -> Receipt:
    """The receipt of a booked order; `order` in its declared type."""
    digest = receipt_digest(booked.id, booked.revision, Sender(booked.camp, booked.actor), order)
    return Receipt(booked.id, booked.revision, tick, digest, checked_on)


def submission_digest(submission: Submission, orders: Sequence[Order | Refusal]) -> str:
    """The digest of what was asked, so that a key used for something else is told apart: by meaning, not by spaces."""
    parts = [
        bytes(raw).hex() if type(order) is Refusal else order
        for raw, order in zip(submission.orders, orders, strict=True)
    ]
    return sha256_hex(canonical([parts, submission.for_tick, submission.atomic]))
