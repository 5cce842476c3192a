"""A submission on its way into the book: from orders to items of intake, and from intake's reply to an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from workers.kernel.entities import Reads
from workers.kernel.errors import Refusal
from workers.kernel.ids import encode_ids
from workers.kernel.orders import Booked, Booking, Order
from workers.service.access import Sender
from workers.service.campaigns import Campaign
from workers.service.judging import Judge
from workers.service.meters import Meters, costs_of, meter_field, meter_name, over_budget
from workers.service.orders import (
    ACTOR_FULL,
    CHANGES_FULL,
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
from workers.store.records import IntakeItem, IntakeReply, ItemRefusal, Release

UNSTORABLE: Final = unreadable("", "a number is out of range", "numbers from -2**63 to 2**64 - 1")
"""The refusal of an order that was understood and can't be stored."""

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
        self._orders: Sequence[Any] = orders
        # Told by the type itself: `isinstance` of a record that it isn't takes half as long as reading the order did.
        self._unread = {index: order for index, order in enumerate(orders) if type(order) is Refusal}
        self._key = key
        self._ids: dict[int, tuple[list[bytes], list[str]]] = {}

    def items(
        self, look: Look, judge: Judge, meters: Meters
    ) -> tuple[list[IntakeItem], dict[str, tuple[Refusal, ...]]]:
        """The items to book, and, by an order's index, why others aren't among them.

        Intake is the judge of budgets. Only where orders are judged by what else is booked are the meters asked
        before, so that none is judged beside one that intake then refuses.
        """
        unread, camp, actor = self._unread, self.sender.camp, self.sender.actor
        refused: dict[str, tuple[Refusal, ...]] = {str(index): (refusal,) for index, refusal in unread.items()}
        understood = [(index, order) for index, order in enumerate(self._orders) if index not in unread]
        read = judge.prepare([order for _, order in understood])
        raw_ids, ids = self._ids_of(look.campaign, look.tick)
        pack = look.campaign.engine.packing.packer(camp, actor)
        beside_others = judge.reads_booked
        if beside_others:
            meters.expect(judge.foreseen([order for _, order in understood], read))
        items: list[IntakeItem] = []
        for (index, order), reads in zip(understood, read, strict=True):
            answer = judge.judge(order, reads)
            if not isinstance(answer, Booking):
                refused[str(index)] = answer
                continue
            try:
                packed = pack(raw_ids[index], 1, order, answer)
            except OverflowError:
                refused[str(index)] = (UNSTORABLE,)
                continue
            item = IntakeItem(ids[index], answer.home, packed, costs_of(answer))
            if beside_others:
                over = meters.take(item)
                if over:
                    refused[str(index)] = over
                    continue
                judge.accept(Booked(item.id, item.home, camp, actor, order, answer.facts, answer.costs))
            items.append(item)
        return items, refused

    def _ids_of(self, campaign: Campaign, tick: int) -> tuple[list[bytes], list[str]]:
        """The ids of all orders in a tick, by their index: as bytes, and as they are written."""
        known = self._ids.get(tick)
        if known is None:
            raw = campaign.ids.orders(tick, self.sender.actor, self._key, len(self._orders))
            known = self._ids[tick] = (raw, encode_ids(raw))
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
        unread, booked = self._unread, iter(reply.results)
        _, ids = self._ids_of(campaign, reply.tick)
        tick, published, sender = reply.tick, reply.published, self.sender
        results: list[Receipt | Refused] = []
        for index, (order_id, order) in enumerate(zip(ids, self._orders, strict=True)):
            known = refused.get(str(index)) if refused else None
            if known is not None or index in unread:
                results.append(Refused(known or (Refusal(NOT_BOOKED),)))
                continue
            result = next(booked)
            if isinstance(result, int):
                digest = receipt_digest(order_id, result, sender, order)
                results.append(Receipt(order_id, result, tick, digest, published))
            else:
                results.append(Refused((refusal_of(result),)))
        return Answer(tick, tuple(results), reply.replayed)


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
        understood = [order for order in orders if not isinstance(order, Refusal)]
        reads = self._judge.prepare(understood)
        self._meters.expect(self._judge.foreseen(understood, reads))
        read = iter(reads)
        return [
            Judgement(False, (order,)) if isinstance(order, Refusal) else self._one(index, order, next(read))
            for index, order in enumerate(orders)
        ]

    def _one(self, index: int, order: Order, reads: Reads) -> Judgement:
        answer = self._judge.judge(order, reads)
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
        return Judgement(not over, over, states, self._judge.odds(order, reads))


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
        return UNSTORABLE
    return IntakeItem(order_id, booking.home, packed, costs_of(booking), expect=revision - 1), booked


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
    if result.refused == "changes_full":
        return Refusal(CHANGES_FULL, values={"limit": result.limit})
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
