"""The book of a tick: orders booked, replaced and withdrawn until the close, and read by slices afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from workers.store.commands import Commands
from workers.store.errors import InvalidRequest
from workers.store.keys import Keys, group_of, slice_of
from workers.store.records import (
    AMOUNT_MAX,
    ITEMS_MAX,
    LIMIT_MAX,
    Cost,
    Counts,
    Head,
    IntakeItem,
    IntakeReply,
    IntakeRequest,
    ReadyReply,
    Release,
    WithdrawReply,
)
from workers.store.scripts import Argument, Scripts

CHANGES_AN_ORDER: Final = 4
"""Replaced orders stay in the book: it takes this many changes an order at most, as the script has it."""

ID_LENGTH: Final = 26
_ID: Final = re.compile(f"[a-z2-7]{{{ID_LENGTH}}}")

INDEX_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz234567"
"""The index is a list for each first letter of an id; a record is the next five letters and a byte, the slice."""
INDEX_PREFIX: Final = 5
INDEX_RECORD_BYTES: Final = INDEX_PREFIX + 1
_BYTES: Final = [bytes([value]) for value in range(256)]


def check_id(order_id: str) -> str:
    """The same id. Raises InvalidRequest where it isn't 26 characters of lower-case base32."""
    if _ID.fullmatch(order_id) is None:
        raise InvalidRequest(f"id: {order_id!r}; accepted: {ID_LENGTH} characters of lower-case base32 (a-z, 2-7)")
    return order_id


def sender_count(camp: str, actor: str) -> str:
    """The field of a tick's counts that has an actor's live orders: `by` of a batch and of a withdrawal."""
    return f"by/{camp}/{actor}"


class Intake:
    """Books orders under meters, and reads the book."""

    def __init__(self, client: Commands, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def book(self, head: Head, request: IntakeRequest, items: Sequence[IntakeItem]) -> IntakeReply:
        """Book a batch of 1 to 1,000 orders that were checked on `head.published`, for `request.tick`.

        One script does all of it: nothing is half booked, and with an idempotency digest the same batch gets the same
        answer again. Raises InvalidRequest for a batch or an amount out of bounds.
        """
        if not 1 <= len(items) <= ITEMS_MAX:
            raise InvalidRequest(f"items: {len(items)} in a batch; accepted: 1 to {ITEMS_MAX}")
        names, arguments = _book_call(head, request, items)
        text, replayed = self._scripts.run("intake", names, arguments)
        reply = msgspec.json.decode(text, type=IntakeReply)
        return msgspec.structs.replace(reply, replayed=True) if replayed else reply

    def answered(self, campaign: str, idem: str, body: str) -> IntakeReply | None:
        """The answer that a batch got before, by the digests of its idempotency key and body; None where that key
        is unknown. Whoever asks first needn't check the batch again."""
        known = self._client.get(Keys(campaign).idem(idem))
        if known is None:
            return None
        of_body, _, text = known.partition(b" ")
        if of_body.decode() != body:
            return IntakeReply(outcome="idempotency_conflict")
        return msgspec.structs.replace(msgspec.json.decode(text, type=IntakeReply), replayed=True)

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
            _check_amount(entry.field, entry.amount)
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
            return list(pipeline.execute())

    def revisions(self, campaign: str, tick: int) -> dict[str, int]:
        """Order id → present revision, of each order whose revision isn't 1; 0 is withdrawn.

        An entry of the book counts if its revision is the present one.
        """
        raw = self._client.hgetall(Keys(campaign).revisions(tick))
        return {name.decode(): int(value) for name, value in raw.items()}

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
        orders, version, theirs = self._client.hmget(Keys(campaign).counts(tick), ["orders", "version", by])
        return Counts(orders=int(orders or 0), version=int(version or 0), theirs=int(theirs or 0))

    def used(self, head: Head, tick: int, meters: Sequence[tuple[str, str]]) -> list[int]:
        """What each meter, a (home, field), stands at: for a dry run, which books nothing."""
        keys = Keys(head.campaign)
        with self._client.pipeline(transaction=False) as pipeline:
            for home, field in meters:
                pipeline.hget(keys.meters(tick, group_of(home, head.groups)), field)
            return [int(value or 0) for value in pipeline.execute()]


def _check_amount(field: str, amount: int) -> None:
    if not -AMOUNT_MAX <= amount <= AMOUNT_MAX:
        raise InvalidRequest(f"{field}: an amount of {amount}; accepted: {-AMOUNT_MAX} to {AMOUNT_MAX}")


class _Meters:
    """The meters that a batch touches: numbered from 1 as they come, and summed up by group."""

    def __init__(self, groups: int) -> None:
        self._groups = groups
        self._numbers: dict[str, int] = {}
        self._totals: list[list[int]] = []
        self._members: dict[int, list[str]] = {}
        self.positive = True
        """Whether only positive amounts were taken: then all fit if their sum does."""

    def take(self, cost: Cost) -> int:
        """Note a cost; its meter's number. Raises InvalidRequest where the amount is out of bounds."""
        amount = cost.amount
        if not 0 < amount <= AMOUNT_MAX:
            _check_amount(cost.field, amount)
            self.positive = False
        number = self.number(cost.home, cost.field)
        total = self._totals[number - 1]
        total[0] += amount
        total[1] = min(total[1], cost.limit)
        return number

    def number(self, home: str, field: str) -> int:
        """The meter's number."""
        number = self._numbers.get(field)
        if number is None:
            number = self._numbers[field] = len(self._totals) + 1
            self._totals.append([0, LIMIT_MAX])
            self._members.setdefault(group_of(home, self._groups), []).append(field)
        return number

    def groups(self) -> list[int]:
        """The groups, in the order of `totals`."""
        return list(self._members)

    def totals(self) -> list[list[str | int]]:
        """For each group, meter after meter: its name, the amount in all, the least limit."""
        found = []
        for fields in self._members.values():
            group: list[str | int] = []
            for field in fields:
                group.append(field)
                group += self._totals[self._numbers[field] - 1]
            found.append(group)
        return found

    def table(self, first_key: int) -> list[tuple[int, str]]:
        """For each meter, by number: the position of its group's key, the first of which is `first_key`; its name."""
        keys = {field: first_key + at for at, fields in enumerate(self._members.values()) for field in fields}
        return [(keys[field], field) for field in self._numbers]


def _book_call(head: Head, request: IntakeRequest, items: Sequence[IntakeItem]) -> tuple[list[str], list[Argument]]:
    """KEYS and ARGV of the intake script, in the shape that lua/intake.lua tells. The grouping is done here: Python's
    time is a caller's own, while the server does nothing else during a script."""
    keys, tick = Keys(head.campaign), request.tick
    books: dict[int, list[int]] = {}
    lists: dict[str, list[bytes]] = {}
    meters = _Meters(head.groups)
    records: list[bytes] = []
    costs: list[int] = []
    changes = []
    for item, order in enumerate(items):
        slice_ = slice_of(order.home, head.slices)
        books.setdefault(slice_, []).append(item)
        record = check_id(order.id)[: INDEX_PREFIX + 1].encode() + _BYTES[slice_]
        records.append(record)
        lists.setdefault(order.id[0], []).append(record[1:])
        costs.append(len(order.costs))
        for cost in order.costs:
            costs += (meters.take(cost), cost.amount, cost.limit)
        if order.expect:
            changes.append(_change(item + 1, order, meters))
    names = [keys.head, keys.counts(tick), keys.revisions(tick), keys.ready(tick), keys.idems(tick)]
    names.append(keys.idem(request.idem))
    names += [keys.book(tick, slice_) for slice_ in books]
    names += [keys.where(tick, letter) for letter in lists]
    first_group = len(names) + 1
    names += [keys.meters(tick, group) for group in meters.groups()]

    packed = [item for members in books.values() for item in members]
    places = [0] * len(packed)
    for place, item in enumerate(packed, 1):
        places[item] = place
    plan = {
        "request": request,
        "published": head.published,
        "books": [len(members) for members in books.values()],
        "letters": "".join(lists),
        "totals": meters.totals() if meters.positive and not changes else False,
    }
    each = {"meters": meters.table(first_group), "places": places, "costs": costs, "changes": changes}
    arguments: list[Argument] = [msgspec.json.encode(plan), msgspec.json.encode(each), b"".join(records)]
    arguments += [b"".join(entries) for entries in lists.values()]
    arguments += [items[item].packed for item in packed]
    return names, arguments


def _change(item: int, order: IntakeItem, meters: _Meters) -> dict[str, object]:
    release: list[int] = []
    for entry in order.release:
        _check_amount(entry.field, entry.amount)
        release += (meters.number(entry.home, entry.field), entry.amount)
    return {"item": item, "expect": order.expect, "id": order.id, "release": release}
