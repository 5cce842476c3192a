"""The book of a tick: orders booked, replaced and withdrawn until the close, and read by slices afterwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from workers.store.batching import (
    INDEX_PREFIX,
    INDEX_RECORD_BYTES,
    Call,
    check_amount,
    check_id,
    each_call,
    orders_of,
    whole_call,
)
from workers.store.commands import Commands
from workers.store.errors import InvalidRequest
from workers.store.keys import Keys
from workers.store.places import group_of
from workers.store.records import (
    ITEMS_MAX,
    Counts,
    Head,
    IntakeItem,
    IntakeReply,
    IntakeRequest,
    ReadyReply,
    Release,
    WithdrawReply,
)
from workers.store.scripts import Argument, Command, Question, Scripts

PackedBook = tuple[list[list[bytes]], dict[str, int]]
"""The packed orders of some slices of a book, and order id → present revision of each order whose revision isn't 1."""

CHANGES_AN_ORDER: Final = 4
"""Replaced orders stay in the book: it takes this many changes an order at most, as the script has it."""

INDEX_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz234567"
"""The first letters of ids: the index is a list for each."""


def sender_count(camp: str, actor: str) -> str:
    """The field of a tick's counts that has an actor's live orders: `by` of a batch and of a withdrawal."""
    return f"by/{camp}/{actor}"


_REPLY: Final = msgspec.json.Decoder(IntakeReply)


class Intake:
    """Books orders under meters, and reads the book."""

    def __init__(self, client: Commands, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def book(self, head: Head, request: IntakeRequest, items: Sequence[IntakeItem]) -> IntakeReply:
        """Book a batch of 1 to 1,000 orders that were checked on `head.published`, for `request.tick`.

        One script does all of it: nothing is half booked, and with an idempotency digest the same batch gets the same
        answer again. A batch that can't be booked whole is sent once more, to be decided item by item: the first time
        nothing was changed. Raises InvalidRequest for a batch or an amount out of bounds.
        """
        if not 1 <= len(items) <= ITEMS_MAX:
            raise InvalidRequest(f"items: {len(items)} in a batch; accepted: 1 to {ITEMS_MAX}")
        whole = whole_call(head, request, items)
        reply = self._run(whole or each_call(head, request, items))
        return self._run(each_call(head, request, items)) if reply.outcome == "apart" else reply

    def _run(self, call: Call) -> IntakeReply:
        text, replayed = self._scripts.run("intake", *call)
        reply = _REPLY.decode(text)
        return msgspec.structs.replace(reply, replayed=True) if replayed else reply

    def answered(self, campaign: str, idem: str, body: str) -> IntakeReply | None:
        """The answer that a batch got before, by the digests of its idempotency key and body; None where that key
        is unknown: for a batch that isn't sent to `book`, which looks for it first."""
        known = self._client.get(Keys(campaign).idem(idem))
        if known is None:
            return None
        of_body, _, text = known.partition(b" ")
        if of_body.decode() != body:
            return IntakeReply(outcome="idempotency_conflict")
        return msgspec.structs.replace(_REPLY.decode(text), replayed=True)

    def withdraw(
        self,
        head: Head,
        tick: int,
        order_id: str,
        *,
        expect: int,
        release: Sequence[Release],
        camp: str = "",
        by: str = "",
    ) -> WithdrawReply:
        """Withdraw an order of an open tick: its revision becomes 0, and what it took is given back.

        `expect` is the revision that is withdrawn, `release` what it took; `camp`'s ready mark is cleared; `by` is the
        count of its sender's live orders that it leaves (see `sender_count`).
        """
        keys = Keys(head.campaign)
        names = [keys.head, keys.counts(tick), keys.revisions(tick), keys.ready(tick)]
        first = len(names) + 1
        groups = sorted({group_of(entry.home, head.groups) for entry in release})
        names += [keys.meters(tick, group) for group in groups]
        arguments: list[Argument] = [tick, check_id(order_id), expect, camp, by]
        for entry in release:
            check_amount(entry.field, entry.amount)
            arguments += (first + groups.index(group_of(entry.home, head.groups)), entry.field, entry.amount)
        return msgspec.json.decode(self._scripts.run("withdraw", names, arguments), type=WithdrawReply)

    def ready(self, campaign: str, tick: int, camp: str, *, on: bool) -> ReadyReply:
        """Set or clear a camp's ready mark for the tick that takes orders; cleared at its close and by the camp's
        next order."""
        keys = Keys(campaign)
        text = self._scripts.run("ready", [keys.head, keys.ready(tick)], [tick, camp, int(on)])
        return msgspec.json.decode(text, type=ReadyReply)

    def ready_camps(self, campaign: str, tick: int) -> list[str]:
        """The camps that are ready for the tick's close, sorted."""
        return sorted(camp.decode() for camp in self._client.smembers(Keys(campaign).ready(tick)))

    def read_slices(self, campaign: str, tick: int, slices: Iterable[int]) -> list[list[bytes]]:
        """The packed orders of each slice, every revision, in order of arrival."""
        keys = Keys(campaign)
        with self._client.pipeline(transaction=False) as pipeline:
            for number in slices:
                pipeline.lrange(keys.book(tick, number), 0, -1)
            return list(map(orders_of, pipeline.execute()))

    def read_book(self, campaign: str, tick: int, slices: Iterable[int]) -> PackedBook:
        """The packed orders of some slices and the revisions of the whole tick, as `read_slices` and `revisions` give
        them, in one round trip: for a book that is closed."""
        question = book_question(campaign, tick, slices)
        with self._client.pipeline(transaction=False) as pipeline:
            for command in question.commands:
                pipeline.execute_command(*command)
            return question.read(pipeline.execute())

    def revisions(self, campaign: str, tick: int) -> dict[str, int]:
        """Order id → present revision, of each order whose revision isn't 1; 0 is withdrawn.

        An entry of the book counts if its revision is the present one.
        """
        return _read_revisions(self._client.hgetall(Keys(campaign).revisions(tick)))

    def revisions_of(self, campaign: str, tick: int, order_ids: Sequence[str]) -> list[int]:
        """The present revisions of some booked orders; 0 is withdrawn."""
        if not order_ids:
            return []
        values = self._client.hmget(Keys(campaign).revisions(tick), order_ids)
        return [1 if value is None else int(value) for value in values]

    def revision(self, campaign: str, tick: int, order_id: str) -> int:
        """A booked order's present revision; 0 is withdrawn."""
        value = self._client.hget(Keys(campaign).revisions(tick), order_id)
        return 1 if value is None else int(value)

    def find(self, campaign: str, tick: int, order_id: str) -> list[int]:
        """The slices in which to look for an order, the most recently booked first; none: it isn't booked in that tick.

        A replaced order may have changed its slice, and the index knows only the first letters of an id: at worst a
        slice is named in vain.
        """
        key = Keys(campaign).where(tick, check_id(order_id)[0])
        records = b"".join(self._client.lrange(key, 0, -1))
        wanted = order_id[1 : INDEX_PREFIX + 1].encode()
        found = []
        at = records.find(wanted)
        while at >= 0:
            if at % INDEX_RECORD_BYTES == 0:
                found.append(records[at + INDEX_PREFIX])
            at = records.find(wanted, at + 1)
        return list(dict.fromkeys(reversed(found)))

    def counts(self, campaign: str, tick: int, by: str = "") -> Counts:
        """The tick's book in numbers; `by` names the sender whose orders are counted too (see `sender_count`)."""
        fields = ["orders", "version", by, f"changes{by.removeprefix('by')}"]
        return Counts(*(int(value or 0) for value in self._client.hmget(Keys(campaign).counts(tick), fields)))

    def used(self, head: Head, tick: int, meters: Sequence[tuple[str, str]]) -> list[int]:
        """What each meter, a (home, field), stands at: before anything is booked. One command a group of homes."""
        keys, groups = Keys(head.campaign), defaultdict[int, list[str]](list)
        for home, field in meters:
            groups[group_of(home, head.groups)].append(field)
        with self._client.pipeline(transaction=False) as pipeline:
            for group, fields in groups.items():
                pipeline.hmget(keys.meters(tick, group), fields)
            replies = pipeline.execute()
        found = {
            field: int(value or 0)
            for fields, values in zip(groups.values(), replies, strict=True)
            for field, value in zip(fields, values, strict=True)
        }
        return [found[field] for _, field in meters]


def book_question(campaign: str, tick: int, slices: Iterable[int]) -> Question[PackedBook]:
    """What `Intake.read_book` asks, for the round trip of another."""
    keys = Keys(campaign)
    commands: list[Command] = [("LRANGE", keys.book(tick, number), 0, -1) for number in slices]
    commands.append(("HGETALL", keys.revisions(tick)))

    def read(replies: Sequence[Any]) -> PackedBook:
        *books, revisions = replies
        return list(map(orders_of, books)), _read_revisions(revisions)

    return Question(commands, read)


def _read_revisions(raw: Mapping[bytes, bytes]) -> dict[str, int]:
    return {name.decode(): int(value) for name, value in raw.items()}
