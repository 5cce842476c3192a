"""Orders after they were booked: read back, replaced, withdrawn, until their tick closes."""

import re
from typing import Final

import msgspec

from workers.kernel.errors import Refusal
from workers.kernel.orders import Booked, Booking, Order
from workers.service.access import Sender
from workers.service.batches import Look, item_of, raise_for, refusal_of, releases_of
from workers.service.book import SLICES_AT_ONCE, Book, Entry
from workers.service.campaigns import Campaign, MissingBlob
from workers.service.desk import Desk
from workers.service.orders import OrderView, Receipt, Refused, receipt_of
from workers.service.problems import ATTEMPTS_MAX, SHOWN_MAX, FieldProblem, Problem, busy, check_open
from workers.store import Store
from workers.store.errors import InvalidRequest
from workers.store.intake import sender_count
from workers.store.records import ItemRefusal

LIST_MAX: Final = 1_000
"""Orders in one answer, at most."""
_CURSOR: Final = re.compile(r"([0-9]{1,3})\.([0-9]{1,15})")
"""A slice and a place in its book: bounded, since reading a number takes more than its length in time."""


class OrderPage(msgspec.Struct, frozen=True):
    """Some of a sender's live orders of a tick; `next` asks for those after them (empty: there are none)."""

    tick: int
    orders: tuple[OrderView, ...]
    next: str = ""


class Replacement(msgspec.Struct, frozen=True):
    """What became of an order put in another's place: its receipt, or why it is refused; and whether the book
    changed."""

    result: Receipt | Refused
    changed: bool = False


class Changes:
    """Reads and changes booked orders, each for a sender that may command all that it commands."""

    def __init__(self, store: Store, desk: Desk) -> None:
        self._store = store
        self._desk = desk
        self._book = Book(store)

    def get(self, sender: Sender, name: str, order_id: str) -> OrderView:
        """An order of a tick that isn't published. Raises Problem (unknown_order)."""
        look = self._desk.look(name)
        return _view(look, self._find(look, sender, order_id))

    def listed(self, sender: Sender, name: str, after: str = "", limit: int = 100) -> OrderPage:
        """The sender's live orders of the tick that takes orders, by slice, in order of arrival.

        `after` is empty or the `next` of the page before. Raises Problem (invalid_request).
        """
        look = self._desk.look(name)
        slices = look.campaign.head.slices
        number, place = _cursor(after, slices)
        found: list[OrderView] = []

        def mine(order: Order) -> bool:
            return _commands(look.campaign, sender, order)

        at_once = 1  # it may fill the page; whoever has few orders waits for all slices, so it grows
        while number < slices:
            numbers = range(number, min(number + at_once, slices))
            for slice_number, where, booked in self._book.live_after(
                look.campaign, look.tick, numbers, place, sender.camp, mine
            ):
                if len(found) == min(limit, LIST_MAX):
                    return OrderPage(look.tick, tuple(found), f"{slice_number}.{where}")
                found.append(_view(look, Entry(booked, booked.revision, look.tick)))
            number, place, at_once = numbers.stop, 0, min(2 * at_once, SLICES_AT_ONCE)
        return OrderPage(look.tick, tuple(found))

    def replace(self, sender: Sender, name: str, order_id: str, raw: bytes, expected: int | None = None) -> Replacement:
        """Put a whole new order in an order's place: it keeps its id, its revision rises by 1; or nothing changes.

        `expected`: only if this is the present revision. Putting what is there already changes nothing, so a request
        sent again is safe. Raises Problem: unknown_order, order_withdrawn, tick_closed, revision_conflict.
        """
        for _ in range(ATTEMPTS_MAX):
            look = self._desk.look(name)
            check_open(look.campaign.head)
            order = self._desk.reader(look.campaign).read(raw)
            if isinstance(order, Refusal):
                return Replacement(Refused((order,)))
            entry = self._present(look, sender, order_id)
            try:
                answer = self._replace(Look(look.campaign, entry.tick), sender, entry, order, expected)
            except MissingBlob:
                continue
            if answer is not None:
                return answer
        raise busy(name)

    def _replace(
        self, look: Look, sender: Sender, entry: Entry, order: Order, expected: int | None
    ) -> Replacement | None:
        """Judge and book the new order in the tick of the old one; None where something changed meanwhile."""
        old = entry.booked
        judge = self._desk.judge(look, sender)
        (reads,) = judge.prepare([order])
        answer = judge.judge(order, reads, replaces=old.id)
        if not isinstance(answer, Booking):
            return Replacement(Refused(answer))
        owner = Sender(old.camp, old.actor)
        made = item_of(look.campaign, owner, old.id, order, answer, old.revision + 1)
        if isinstance(made, Refusal):
            return Replacement(Refused((made,)))
        item, booked = made
        published = look.campaign.head.published
        if _same(look.campaign, old, booked):
            kept = msgspec.structs.replace(booked, revision=old.revision)
            return Replacement(receipt_of(kept, order, look.tick, published))
        if expected is not None and expected != old.revision:
            raise _conflict(old.id, old.revision)
        item = msgspec.structs.replace(item, release=releases_of(old))
        request = self._desk.request(look.tick, owner, for_tick=True, change=True)
        reply = self._store.intake.book(look.campaign.head, request, [item])
        if reply.outcome in ("view_changed", "tick_closed"):
            return None
        raise_for(reply, look.campaign.name, look.tick)
        (result,) = reply.results
        if not isinstance(result, ItemRefusal):
            return Replacement(receipt_of(booked, order, reply.tick, reply.published), changed=True)
        if result.refused == "revision_conflict":
            return None
        return Replacement(Refused((refusal_of(result),)))

    def withdraw(self, sender: Sender, name: str, order_id: str, expected: int | None = None) -> bool:
        """Take an order out of the book; whether it was in it: again, it changes nothing.

        `expected`: only if this is the present revision. Raises Problem: unknown_order, tick_closed,
        revision_conflict, campaign_not_open.
        """
        for _ in range(ATTEMPTS_MAX):
            look = self._desk.look(name)
            check_open(look.campaign.head)
            entry = self._find(look, sender, order_id)
            if entry.withdrawn:
                return False
            if entry.tick < look.tick:
                raise _closed(entry)
            if expected is not None and expected != entry.revision:
                raise _conflict(order_id, entry.revision)
            reply = self._store.intake.withdraw(
                look.campaign.head,
                entry.tick,
                order_id,
                expect=entry.revision,
                release=releases_of(entry.booked),
                camp=sender.camp,
                by=sender_count(entry.booked.camp, entry.booked.actor),
            )
            if reply.outcome in ("withdrawn", "same"):
                return reply.outcome == "withdrawn"
        raise busy(name)

    def is_live(self, campaign: Campaign, tick: int, order_id: str) -> bool:
        """Whether a tick's book has the order, and it isn't withdrawn. Raises InvalidRequest for what is no id."""
        entry = self._book.find(campaign, tick, order_id)
        return entry is not None and not entry.withdrawn

    def _present(self, look: Look, sender: Sender, order_id: str) -> Entry:
        entry = self._find(look, sender, order_id)
        if entry.tick < look.tick:
            raise _closed(entry)
        if entry.withdrawn:
            raise Problem("order_withdrawn", f"Order {order_id} was withdrawn: send a new one.")
        return entry

    def _find(self, look: Look, sender: Sender, order_id: str) -> Entry:
        """The sender's order, wherever one that was acknowledged may be: in the open tick, in the next one (its
        deadline had passed, and was moved since), or in the one that is being resolved."""
        head = look.campaign.head
        places = (look.tick, head.open_tick, head.open_tick + 1, head.resolving)
        ticks = dict.fromkeys(tick for tick in places if tick is not None)
        try:
            for tick in ticks:
                entry = self._book.find(look.campaign, tick, order_id)
                if entry is not None and _owns(look.campaign, sender, entry.booked):
                    return entry
        except InvalidRequest:
            pass  # what is no id is the id of no order
        raise Problem("unknown_order", f"There is no order {order_id!r} of yours in a tick that isn't published.")


def _owns(campaign: Campaign, sender: Sender, booked: Booked[Order, object]) -> bool:
    return booked.camp == sender.camp and _commands(campaign, sender, booked.order)


def _commands(campaign: Campaign, sender: Sender, order: Order) -> bool:
    """Whether a sender commands all that an order of its camp commands."""
    return sender.entities is None or sender.entities.issuperset(campaign.rulebook.commands(order))


def _same(campaign: Campaign, old: Booked[Order, object], new: Booked[Order, object]) -> bool:
    pack = campaign.engine.packing.pack
    return pack(msgspec.structs.replace(new, revision=old.revision)) == pack(
        msgspec.structs.replace(old, order=campaign.engine.packing.plain(old.order))
    )


def _view(look: Look, entry: Entry) -> OrderView:
    status = "withdrawn" if entry.withdrawn else "booked" if entry.tick >= look.tick else "closed"
    booked = entry.booked
    plain = look.campaign.engine.packing.plain(booked.order)
    return OrderView(booked.id, entry.tick, entry.revision, status, booked.actor, plain)


def _cursor(after: str, slices: int) -> tuple[int, int]:
    if not after:
        return 0, 0
    found = _CURSOR.fullmatch(after)
    if found is None or int(found[1]) >= slices:
        shown = after if len(after) <= SHOWN_MAX else f"{after[:SHOWN_MAX]}…"
        problem = FieldProblem("after", f"{shown!r} is no place in the list", "the `next` of a page, or nothing")
        raise Problem("invalid_request", "after: no place in the list.", (problem,))
    return int(found[1]), int(found[2])


def _closed(entry: Entry) -> Problem:
    return Problem("tick_closed", f"Order {entry.booked.id} belongs to tick {entry.tick}, which is closed.")


def _conflict(order_id: str, revision: int) -> Problem:
    return Problem("revision_conflict", f"Order {order_id} stands at revision {revision}.")
