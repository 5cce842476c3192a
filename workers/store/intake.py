"""The book of a tick: orders booked, replaced and withdrawn until the close, and read by slices afterwards."""

from __future__ import annotations

from base64 import b32decode
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from workers.store.commands import Commands
from workers.store.errors import InvalidRequest
from workers.store.keys import Keys, group_of, index_group_of, slice_of
from workers.store.records import (
    AMOUNT_MAX,
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
from workers.store.scripts import Argument, Scripts

ID_LENGTH: Final = 26
INDEX_BYTES: Final = 8
"""The index knows an order by this many first bytes of its raw id."""


def index_field(order_id: str) -> bytes:
    """The first 8 raw bytes of an order's id. Raises InvalidRequest where it isn't 26 of lower-case base32."""
    try:
        if len(order_id) != ID_LENGTH or not order_id.islower():
            raise ValueError("wrong length or case")
        return b32decode(order_id[:16].upper())[:INDEX_BYTES]
    except ValueError as error:
        raise InvalidRequest(f"id: {order_id!r} ({error}); accepted: 26 characters of lower-case base32") from error


class _KeyList:
    """The keys of one call: each named once, by its position from 1, as Lua counts."""

    def __init__(self, first: Sequence[str]) -> None:
        self.names = list(first)
        self._positions: dict[tuple[str, int], int] = {}

    def position(self, kind: str, number: int, name: str) -> int:
        self.names.append(name)
        self._positions[kind, number] = len(self.names)
        return len(self.names)

    def known(self, kind: str, number: int) -> int | None:
        return self._positions.get((kind, number))


class Intake:
    """Books orders under meters, and reads the book."""

    def __init__(self, client: Commands, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def book(self, head: Head, request: IntakeRequest, items: Sequence[IntakeItem]) -> IntakeReply:
        """Book a batch of 1 to 1,000 orders that were checked on ``head.published``, for ``request.tick``.

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
        self, head: Head, tick: int, order_id: str, *, expect: int, release: Sequence[Release], camp: str = ""
    ) -> WithdrawReply:
        """Withdraw an order of an open tick: its revision becomes 0, and what it took is given back.

        ``expect`` is the revision that is withdrawn, ``release`` what it took; ``camp``'s ready mark is cleared.
        """
        keys = Keys(head.campaign)
        field = index_field(order_id)
        names = [
            keys.head,
            keys.counts(tick),
            keys.revisions(tick),
            keys.ready(tick),
            keys.where(tick, index_group_of(field, head.groups)),
        ]
        first = len(names) + 1
        groups = sorted({group_of(entry.home, head.groups) for entry in release})
        names += [keys.meters(tick, group) for group in groups]
        arguments: list[Argument] = [tick, order_id, field, expect, camp]
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

    def find(self, head: Head, tick: int, order_id: str) -> int | None:
        """The slice in which the order's present revision is booked; None where it isn't booked in that tick."""
        field = index_field(order_id)
        key = Keys(head.campaign).where(tick, index_group_of(field, head.groups))
        value = self._client.hget(key, field)
        return None if value is None else int(value)

    def counts(self, campaign: str, tick: int) -> Counts:
        """The tick's book in numbers."""
        orders, version = self._client.hmget(Keys(campaign).counts(tick), ["orders", "version"])
        return Counts(orders=int(orders or 0), version=int(version or 0))

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


def _book_call(head: Head, request: IntakeRequest, items: Sequence[IntakeItem]) -> tuple[list[str], list[Argument]]:
    """KEYS and ARGV of the intake script: see lua/intake.lua for their shape."""
    keys, tick = Keys(head.campaign), request.tick
    listed = _KeyList(
        [
            keys.head,
            keys.counts(tick),
            keys.revisions(tick),
            keys.ready(tick),
            keys.idems(tick),
            keys.idem(request.idem or "none"),
        ]
    )
    rows = []
    fields = []
    for item in items:
        field = index_field(item.id)
        fields.append(field)
        number = slice_of(item.home, head.slices)
        group = index_group_of(field, head.groups)
        costs = []
        for cost in item.costs:
            _check_amount(cost.field, cost.amount)
            costs.append(
                (_meters(listed, keys, tick, group_of(cost.home, head.groups)), cost.field, cost.amount, cost.limit)
            )
        release = []
        for entry in item.release:
            _check_amount(entry.field, entry.amount)
            release.append((_meters(listed, keys, tick, group_of(entry.home, head.groups)), entry.field, entry.amount))
        rows.append(
            (
                listed.known("book", number) or listed.position("book", number, keys.book(tick, number)),
                number,
                listed.known("where", group) or listed.position("where", group, keys.where(tick, group)),
                item.expect,
                costs,
                release,
                item.id if item.expect else "",
            )
        )
    plan = msgspec.json.encode((msgspec.structs.asdict(request), head.published, rows))
    return listed.names, [plan, b"".join(fields), *(item.packed for item in items)]


def _meters(listed: _KeyList, keys: Keys, tick: int, group: int) -> int:
    return listed.known("meters", group) or listed.position("meters", group, keys.meters(tick, group))
