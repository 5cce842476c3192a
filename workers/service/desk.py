"""The order desk: orders are read, judged on what their camp knows, and booked, by one script a batch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from workers.kernel.digest import canonical, digest_of_parts
from workers.kernel.errors import Refusal
from workers.kernel.orders import Booked, Booking, Order
from workers.service.access import Sender
from workers.service.book import Book
from workers.service.campaigns import Campaign, Campaigns, MissingBlob, UnknownCampaign, WrongRulebook
from workers.service.judging import Judge
from workers.service.orders import (
    NOT_BOOKED,
    ORDER_EXISTS,
    OVER_BUDGET,
    TICK_FULL,
    Answer,
    Judgement,
    MeterState,
    OrderReader,
    Receipt,
    Refused,
    Submission,
    receipt_of,
    submission_digest,
    unreadable,
)
from workers.service.problems import FieldProblem, Problem, unknown_campaign
from workers.service.views import Views
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.records import Cost, Head, IntakeItem, IntakeReply, IntakeRequest, ItemRefusal, Release

ATTEMPTS_MAX: Final = 8
"""How often a request is judged again because a tick closed or was published under it."""
KEY_LENGTH_MAX: Final = 255
KEY_BYTES: Final = 16

_NOTE = msgspec.json.Decoder(dict[str, tuple[Refusal, ...]])


@dataclass(frozen=True, slots=True)
class Look:
    """A campaign at one moment: its state, and the tick that takes orders now."""

    campaign: Campaign
    tick: int


class Desk:
    """Books orders in the campaigns of a store. `entropy` gives keys to batches that bring none."""

    def __init__(
        self,
        store: Store,
        campaigns: Campaigns,
        views: Views,
        settings: ServerSettings,
        entropy: Callable[[int], bytes],
    ) -> None:
        self._store = store
        self._campaigns = campaigns
        self._views = views
        self._settings = settings
        self._entropy = entropy
        self._book = Book(store)
        self._readers: dict[str, OrderReader] = {}

    def look(self, name: str) -> Look:
        """The campaign as it is now. Raises Problem (unknown_campaign, wrong_rulebook)."""
        try:
            campaign = self._campaigns.load(name)
        except UnknownCampaign as error:
            raise unknown_campaign(name) from error
        except WrongRulebook as error:
            raise Problem("wrong_rulebook", str(error)) from error
        head = campaign.head
        late = head.deadline_ms > 0 and self._store.heads.server_time_ms() >= head.deadline_ms
        return Look(campaign, head.open_tick + late)

    def reader(self, campaign: Campaign) -> OrderReader:
        """The reader of a campaign's orders."""
        return self._readers.setdefault(campaign.rulebook.name, OrderReader(campaign.rulebook))

    def judge(self, look: Look, sender: Sender) -> Judge:
        """A judge of one sender's orders. Raises MissingBlob where the state was collected meanwhile."""
        lens = self._views.open(look.campaign, sender.camp, look.tick)
        return Judge(self._book, look.campaign, lens, sender)

    def submit(self, sender: Sender, name: str, submission: Submission, key: str = "") -> Answer:
        """Book orders: each gets its own result, unless the submission is atomic.

        With an idempotency key (1 to 255 printable characters) the same submission gets the same answer again, once
        any of it was booked. Raises Problem where nothing could be booked: batch_too_large, invalid_request,
        idempotency_conflict, campaign_not_open, tick_closed, unknown_campaign, busy.
        """
        self._check_bounds(submission, key)
        look = self.look(name)
        orders = self.reader(look.campaign).read_all(submission.orders)
        batch = _Batch(sender, submission, orders, key or self._entropy(KEY_BYTES).hex())
        if key:
            batch.idem = digest_of_parts(
                "tocsin/idempotency", {"campaign": name, "camp": sender.camp, "actor": sender.actor, "key": key}
            )
            batch.body = submission_digest(submission, orders)
            known = self._store.intake.answered(name, batch.idem, batch.body)
            if known is not None:
                return batch.answer(look.campaign, known)
        for _ in range(ATTEMPTS_MAX):
            answer = self._attempt(look, batch)
            if answer is not None:
                return answer
            look = self.look(name)
        raise busy(name)

    def _attempt(self, look: Look, batch: "_Batch") -> Answer | None:
        """Judge and book once; None where the tick or the view changed meanwhile."""
        head = look.campaign.head
        check_open(head)
        wanted = batch.submission.for_tick
        if wanted is not None and wanted != look.tick:
            raise tick_closed(wanted, look.tick)
        try:
            items, refused = batch.items(look, self.judge(look, batch.sender))
        except MissingBlob:
            return None
        if not items or (refused and batch.submission.atomic):
            return batch.unbooked(look, refused)
        request = IntakeRequest(
            tick=look.tick,
            idem=batch.idem,
            body=batch.body,
            note=canonical(refused).decode() if refused else "",
            camp=batch.sender.camp,
            for_tick=wanted is not None,
            atomic=batch.submission.atomic,
            orders_tick_max=self._settings.orders_tick_max,
        )
        reply = self._store.intake.book(head, request, items)
        if reply.outcome in ("other_tick", "view_changed"):
            return None
        return batch.answer(look.campaign, reply)

    def check(self, sender: Sender, name: str, submission: Submission) -> list[Judgement]:
        """Judge orders as `submit` would, beside those booked, and book nothing.

        Orders are judged in turn, each beside those before it that would be booked. Raises Problem as `submit` does.
        """
        self._check_bounds(submission, "")
        for _ in range(ATTEMPTS_MAX):
            look = self.look(name)
            orders = self.reader(look.campaign).read_all(submission.orders)
            try:
                return _DryRun(self._store, look, self.judge(look, sender), sender).judge_all(orders)
            except MissingBlob:
                continue
        raise busy(name)

    def _check_bounds(self, submission: Submission, key: str) -> None:
        count, most = len(submission.orders), self._settings.batch_orders_max
        if not count:
            raise Problem(
                "invalid_request", "No order was sent.", (FieldProblem("orders", "it is empty", f"1..{most}"),)
            )
        if count > most:
            problem = FieldProblem("orders", f"{count} orders", f"1..{most}")
            raise Problem("batch_too_large", f"A batch has at most {most} orders, this one {count}.", (problem,))
        if len(key) > KEY_LENGTH_MAX or not key.isprintable():
            accepted = f"1 to {KEY_LENGTH_MAX} printable characters"
            problem = FieldProblem("Idempotency-Key", "it is too long or has control characters", accepted)
            raise Problem("invalid_request", "The idempotency key can't be used.", (problem,))


class _Batch:
    """One submission on its way into the book."""

    def __init__(self, sender: Sender, submission: Submission, orders: Sequence[Order | Refusal], key: str) -> None:
        self.sender = sender
        self.submission = submission
        self.idem = ""
        self.body = ""
        self._orders = orders
        self._key = key
        self._ids: dict[tuple[int, int], str] = {}

    def items(self, look: Look, judge: Judge) -> tuple[list[IntakeItem], dict[str, tuple[Refusal, ...]]]:
        """The items to book, and, by an order's index, why others aren't among them."""
        judge.prepare(order for order in self._orders if not isinstance(order, Refusal))
        items: list[IntakeItem] = []
        refused: dict[str, tuple[Refusal, ...]] = {}
        for index, order in enumerate(self._orders):
            found = self._judged(look, judge, index, order)
            if isinstance(found, IntakeItem):
                items.append(found)
            else:
                refused[str(index)] = found
        return items, refused

    def _judged(self, look: Look, judge: Judge, index: int, order: Order | Refusal) -> IntakeItem | tuple[Refusal, ...]:
        if isinstance(order, Refusal):
            return (order,)
        answer = judge.judge(order)
        if not isinstance(answer, Booking):
            return answer
        item = item_of(look.campaign, self.sender, self._order_id(look.campaign, look.tick, index), order, answer)
        if isinstance(item, Refusal):
            return (item,)
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
            entry = Booked(order_id, "", self.sender.camp, self.sender.actor, order, None, (), result)
            results.append(receipt_of(entry, order, reply.tick, reply.published))
        return Answer(reply.tick, tuple(results), reply.replayed)


class _DryRun:
    """Judges a submission beside what is booked, without booking it."""

    def __init__(self, store: Store, look: Look, judge: Judge, sender: Sender) -> None:
        self._store = store
        self._look = look
        self._judge = judge
        self._sender = sender
        self._used: dict[str, int] = {}

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
        meters = self._meters(item[0])
        over = tuple(
            _over_budget(state.meter, state.used, state.limit)
            for state in meters
            if state.amount > 0 and state.left < 0
        )
        if not over:
            self._judge.accept(item[1])
            for cost in item[0].costs:
                self._used[cost.field] += cost.amount
        return Judgement(not over, over, meters, self._judge.odds(order))

    def _meters(self, item: IntakeItem) -> tuple[MeterState, ...]:
        unknown = [(cost.home, cost.field) for cost in item.costs if cost.field not in self._used]
        head, tick = self._look.campaign.head, self._look.tick
        values = self._store.intake.used(head, tick, unknown) if unknown else []
        for (_, field), value in zip(unknown, values, strict=True):
            self._used[field] = value
        states = []
        for cost in item.costs:
            used = self._used[cost.field]
            states.append(
                MeterState(meter_name(cost.field), cost.amount, used, cost.limit, cost.limit - used - cost.amount)
            )
        return tuple(states)


def item_of(
    campaign: Campaign, sender: Sender, order_id: str, order: Order, booking: Booking, revision: int = 1
) -> tuple[IntakeItem, Booked[Any, Any]] | Refusal:
    """A judged order as an item of intake and as it stands in the book; a refusal where it can't be stored."""
    booked = Booked(order_id, booking.home, sender.camp, sender.actor, order, booking.facts, booking.costs, revision)
    try:
        packed = campaign.engine.packing.pack(booked)
    except OverflowError:
        return unreadable("", "a number is out of range", "numbers from -2**63 to 2**64 - 1")
    costs = tuple(
        Cost(booking.home, meter_field(booking.home, cost.meter), cost.amount, cost.limit) for cost in booking.costs
    )
    return IntakeItem(order_id, booking.home, packed, costs, expect=revision - 1), booked


def releases_of(booked: Booked[Any, Any]) -> tuple[Release, ...]:
    """What a booked order gives back when it leaves the book."""
    return tuple(Release(booked.home, meter_field(booked.home, cost.meter), cost.amount) for cost in booked.costs)


def meter_field(home: str, meter: str) -> str:
    """A meter's name in the store, unique in its campaign."""
    return f"{home}/{meter}"


def meter_name(field: str) -> str:
    """The rulebook's name of a meter, from its name in the store."""
    return field.partition("/")[2]


def refusal_of(result: ItemRefusal) -> Refusal:
    """What intake says of an item, as a refusal."""
    if result.refused == "over":
        return _over_budget(meter_name(result.field), result.used, result.limit)
    if result.refused == "tick_full":
        return Refusal(TICK_FULL, values={"limit": result.limit})
    if result.refused == "not_booked":
        return Refusal(NOT_BOOKED)
    return Refusal(ORDER_EXISTS)


def _over_budget(meter: str, used: int, limit: int) -> Refusal:
    left = max(limit - used, 0)
    values: dict[str, str | int] = {"meter": meter, "used": used, "limit": limit, "left": left}
    return Refusal(OVER_BUDGET, accepted=f"at most {left}", values=values)


def raise_for(reply: IntakeReply, name: str, for_tick: int | None) -> None:
    """Raise the Problem of a batch that intake refused as a whole; nothing where it answered."""
    if reply.outcome == "idempotency_conflict":
        raise Problem("idempotency_conflict", "The idempotency key was used with another body.")
    if reply.outcome == "closed_campaign":
        raise not_open(name, reply.status)
    if reply.outcome == "tick_closed":
        raise tick_closed(for_tick, reply.tick)


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
