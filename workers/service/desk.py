"""The order desk: orders are read, judged on what their camp knows, and booked, by one script a batch."""

from collections.abc import Callable
from typing import Any, Final

from workers.kernel.digest import canonical, digest_of_parts
from workers.service.access import Sender
from workers.service.batches import Batch, DryRun, Look, all_or_none
from workers.service.book import Book
from workers.service.campaigns import Campaign, Campaigns, MissingBlob, UnknownCampaign, WrongRulebook
from workers.service.judging import Judge
from workers.service.meters import Meters
from workers.service.orders import Answer, Judgement, OrderReader, Submission, submission_digest
from workers.service.problems import (
    ATTEMPTS_MAX,
    FieldProblem,
    Problem,
    busy,
    check_takes,
    unknown_campaign,
)
from workers.service.views import Views
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.intake import sender_count
from workers.store.records import IntakeRequest

KEY_LENGTH_MAX: Final = 255
KEY_BYTES: Final = 16


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
            campaign, now_ms = self._campaigns.load_at(name)
        except UnknownCampaign as error:
            raise unknown_campaign(name) from error
        except WrongRulebook as error:
            raise Problem("wrong_rulebook", str(error)) from error
        head = campaign.head
        late = 0 < head.deadline_ms <= now_ms
        return Look(campaign, head.open_tick + late)

    def reader(self, campaign: Campaign) -> OrderReader:
        """The reader of a campaign's orders."""
        reader = self._readers.get(campaign.rulebook.name)
        if reader is None:
            reader = self._readers[campaign.rulebook.name] = OrderReader(campaign.rulebook)
        return reader

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
        batch = Batch(sender, submission, orders, key or self._entropy(KEY_BYTES).hex())
        if key:
            batch.idem = digest_of_parts(
                "tocsin/idempotency", {"campaign": name, "camp": sender.camp, "actor": sender.actor, "key": key}
            )
            batch.body = submission_digest(submission, orders)
        try:
            return self._book_in_turn(look, batch)
        except Problem:
            # Intake's script looks for the answer that a key got before; what can't be sent to it now may have one too.
            known = self._answered(look, batch)
            if known is None:
                raise
            return known

    def _book_in_turn(self, look: Look, batch: Batch) -> Answer:
        """Judge and book, again where the tick or the view changed meanwhile. Raises Problem."""
        name = look.campaign.name
        for _ in range(ATTEMPTS_MAX):
            answer = self._attempt(look, batch)
            if answer is not None:
                return answer
            look = self.look(name)
        raise busy(name)

    def _attempt(self, look: Look, batch: Batch) -> Answer | None:
        """Judge and book once; None where the tick or the view changed meanwhile."""
        head = look.campaign.head
        wanted = batch.submission.for_tick
        check_takes(head, look.tick, wanted)
        try:
            items, refused = batch.items(
                look, self.judge(look, batch.sender), Meters(self._store, look.campaign.head, look.tick)
            )
        except MissingBlob:
            return None
        if not items or (refused and batch.submission.atomic):
            # Judged beside what is booked, a copy of a request may be refused for the sake of the first one's orders.
            return self._answered(look, batch) or batch.unbooked(look, refused)
        request = self.request(
            look.tick,
            batch.sender,
            idem=batch.idem,
            body=batch.body,
            note=canonical(refused).decode() if refused else "",
            for_tick=wanted is not None,
            atomic=batch.submission.atomic,
        )
        reply = self._store.intake.book(head, request, items)
        if reply.outcome in ("other_tick", "view_changed"):
            return None
        return batch.answer(look.campaign, reply)

    def request(self, tick: int, sender: Sender, **more: Any) -> IntakeRequest:
        """What is said of orders that are booked for a tick: whose they are, how many changes of its book are let in,
        and `more`, the other fields of the record."""
        return IntakeRequest(
            tick,
            camp=sender.camp,
            by=sender_count(sender.camp, sender.actor),
            orders_tick_max=self._settings.orders_tick_max,
            orders_actor_tick_max=self._settings.orders_actor_tick_max,
            **more,
        )

    def _answered(self, look: Look, batch: Batch) -> Answer | None:
        """The answer that the same request got before, if any of it was booked."""
        known = self._store.intake.answered(look.campaign.name, batch.idem, batch.body) if batch.idem else None
        return None if known is None else batch.answer(look.campaign, known)

    def check(self, sender: Sender, name: str, submission: Submission) -> list[Judgement]:
        """Judge orders as `submit` would, beside those booked, and book nothing.

        Orders are judged in turn, each beside those before it that would be booked; of an atomic submission with one
        that is refused, none would be. Raises Problem as `submit` does.
        """
        self._check_bounds(submission, "")
        for _ in range(ATTEMPTS_MAX):
            look = self.look(name)
            check_takes(look.campaign.head, look.tick, submission.for_tick)
            orders = self.reader(look.campaign).read_all(submission.orders)
            try:
                judged = DryRun(self._store, self._settings, look, self.judge(look, sender), sender).judge_all(orders)
            except MissingBlob:
                continue
            return all_or_none(judged) if submission.atomic else judged
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
