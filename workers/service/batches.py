"""A submission on its way into the book: from orders to items of intake, and from intake's reply to an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from workers.kernel.errors import Refusal
from workers.kernel.orders import Booked, Booking, Order
from workers.service.access import Sender
from workers.service.campaigns import Campaign
from workers.service.judging import Judge
from workers.service.meters import Meters, meter_field, meter_name, over_budget
from workers.service.orders import (
    ACTOR_FULL,
    NOT_BOOKED,
    ORDER_EXISTS,
    TICK_FULL,
    Answer,
    Judgement,
    Receipt,
    Refused,
    Submission,
    receipt_digest,
    unreadable,
)
from workers.service.problems import Problem, not_open, tick_closed
from workers.service.room import Room
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.records import Cost, IntakeItem, IntakeReply, ItemRefusal, Release

_NOTE = msgspec.json.Decoder(dict[str, tuple[Refusal, ...]])


@dataclass(frozen=True, slots=True)
class Look:
    """A campaign at one moment: its state, and the tick that takes orders now."""

    campaign: Campaign
    tick: int


class Batch:
    """One submission on its way into the book."""

    def __init__(self, sender: Sender, submission: Submission, orders: Sequence[Order | Refusal], key: str) -> None:
        self.sender = sender
        self.submission = submission
        self.idem = ""
        self.body = ""
        self._orders = orders
        self._key = key
        self._ids: dict[tuple[int, int], str] = {}

    def items(
        self, look: Look, judge: Judge, meters: Meters
    ) -> tuple[list[IntakeItem], dict[str, tuple[Refusal, ...]]]:
        """The items to book, and, by an order's index, why others aren't among them.

        Intake is the judge of budgets. Only where orders are judged by what else is booked are the meters asked
        before, so that none is judged beside one that intake then refuses.
        """
        judge.prepare(order for order in self._orders if not isinstance(order, Refusal))
        items: list[IntakeItem] = []
        refused: dict[str, tuple[Refusal, ...]] = {}
        for index, order in enumerate(self._orders):
            found = self._judged(look, judge, index, order, meters)
            if isinstance(found, IntakeItem):
                items.append(found)
            else:
                refused[str(index)] = found
        return items, refused

    def _judged(
        self, look: Look, judge: Judge, index: int, order: Order | Refusal, meters: Meters
    ) -> IntakeItem | tuple[Refusal, ...]:
        if isinstance(order, Refusal):
            return (order,)
        answer = judge.judge(order)
        if not isinstance(answer, Booking):
            return answer
        item = item_of(look.campaign, self.sender, self._order_id(look.campaign, look.tick, index), order, answer)
        if isinstance(item, Refusal):
            return (item,)
        if judge.reads_booked:
            over = meters.take(item[0])
            if over:
                return over
            judge.accept(item[1])
        return item[0]

    def _order_id(self, campaign: Campaign, tick: int, index: int) -> str:
        known = self._ids.get((tick, index))
        if known is None:
            known = self._ids[tick, index] = campaign.ids.order(tick, self.sender.actor, self._key, index)
        return known

    def unbooked(self, look: Look, refused: dict[str, tuple[Refusal, ...]]) -> Answer:
        """The answer where no order was booked, since none could be, or not all."""
        others = (Refusal(NOT_BOOKED),)
        results = tuple(Refused(refused.get(str(index), others)) for index in range(len(self._orders)))
        return Answer(look.tick, results)

    def answer(self, campaign: Campaign, reply: IntakeReply) -> Answer:
        """The answer to the client of what intake replied, now or when the same batch came first.

        Raises Problem where intake refused the batch as a whole.
        """
        raise_for(reply, campaign.name, self.submission.for_tick)
        refused = _NOTE.decode(reply.note) if reply.note else {}
        booked = iter(reply.results)
        results: list[Receipt | Refused] = []
        for index, order in enumerate(self._orders):
            known = refused.get(str(index))
            if known is not None or isinstance(order, Refusal):
                results.append(Refused(known or (Refusal(NOT_BOOKED),)))
                continue
            result = next(booked)
            if isinstance(result, ItemRefusal):
                results.append(Refused((refusal_of(result),)))
                continue
            order_id = self._order_id(campaign, reply.tick, index)
            digest = receipt_digest(order_id, result, self.sender, order)
            results.append(Receipt(order_id, result, reply.tick, digest, reply.published))
        return Answer(reply.tick, tuple(results), reply.replayed)


class DryRun:
    """Judges a submission beside what is booked, without booking it."""

    def __init__(self, store: Store, settings: ServerSettings, look: Look, judge: Judge, sender: Sender) -> None:
        self._look = look
        self._judge = judge
        self._sender = sender
        self._meters = Meters(store, look.campaign.head, look.tick)
        self._room = Room(store, settings, look.campaign.name, look.tick, sender)

    def judge_all(self, orders: Sequence[Order | Refusal]) -> list[Judgement]:
        """A judgement an order."""
        self._judge.prepare(order for order in orders if not isinstance(order, Refusal))
        return [self._one(index, order) for index, order in enumerate(orders)]

    def _one(self, index: int, order: Order | Refusal) -> Judgement:
        if isinstance(order, Refusal):
            return Judgement(False, (order,))
        answer = self._judge.judge(order)
        if not isinstance(answer, Booking):
            return Judgement(False, answer)
        campaign = self._look.campaign
        order_id = campaign.ids.order(self._look.tick, self._sender.actor, "", index)
        item = item_of(campaign, self._sender, order_id, order, answer)
        if isinstance(item, Refusal):
            return Judgement(False, (item,))
        states = self._meters.states(item[0])
        full = self._room.refusal()
        over = (refusal_of(full),) if full else self._meters.take(item[0])
        if not over:
            self._room.take()
            self._judge.accept(item[1])
        return Judgement(not over, over, states, self._judge.odds(order))


def all_or_none(judged: list[Judgement]) -> list[Judgement]:
    """The judgements of an atomic submission: where one order is refused, none of the others would be booked."""
    if all(one.would_book for one in judged):
        return judged
    others = (Refusal(NOT_BOOKED),)
    return [
        msgspec.structs.replace(one, would_book=False, refusals=others) if one.would_book else one for one in judged
    ]


def item_of(
    campaign: Campaign, sender: Sender, order_id: str, order: Order, booking: Booking, revision: int = 1
) -> tuple[IntakeItem, Booked[Any, Any]] | Refusal:
    """A judged order as an item of intake and as it stands in the book; a refusal where it can't be stored."""
    booked = Booked(order_id, booking.home, sender.camp, sender.actor, order, booking.facts, booking.costs, revision)
    try:
        packed = campaign.engine.packing.pack(booked)
    except OverflowError:
        return unreadable("", "a number is out of range", "numbers from -2**63 to 2**64 - 1")
    costs = []
    for cost in booking.costs:
        place = cost.place(booking.home)
        costs.append(Cost(place, meter_field(place, cost.meter), cost.amount, cost.limit))
    return IntakeItem(order_id, booking.home, packed, tuple(costs), expect=revision - 1), booked


def releases_of(booked: Booked[Any, Any]) -> tuple[Release, ...]:
    """What a booked order gives back when it leaves the book."""
    places = [cost.place(booked.home) for cost in booked.costs]
    return tuple(
        Release(place, meter_field(place, cost.meter), cost.amount)
        for place, cost in zip(places, booked.costs, strict=True)
    )


def refusal_of(result: ItemRefusal) -> Refusal:
    """What intake says of an item, as a refusal."""
    if result.refused == "over":
        return over_budget(meter_name(result.field), result.used, result.limit)
    if result.refused == "tick_full":
        return Refusal(TICK_FULL, values={"limit": result.limit})
    if result.refused == "actor_full":
        return Refusal(ACTOR_FULL, accepted=f"at most {result.limit} live orders", values={"limit": result.limit})
    if result.refused == "not_booked":
        return Refusal(NOT_BOOKED)
    return Refusal(ORDER_EXISTS)


def raise_for(reply: IntakeReply, name: str, for_tick: int | None) -> None:
    """Raise the Problem of a batch that intake refused as a whole; nothing where it answered."""
    if reply.outcome == "idempotency_conflict":
        raise Problem("idempotency_conflict", "The idempotency key was used with another body.")
    if reply.outcome == "closed_campaign":
        raise not_open(name, reply.status)
    if reply.outcome == "tick_closed":
        raise tick_closed(for_tick, reply.tick)
