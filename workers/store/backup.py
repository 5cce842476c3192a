"""A campaign's keys out of a server and into another, whole: what an export reads and a restore writes.

Blobs never change, so they go by themselves; all that can change is read, and written, in one transaction. The campaign
seed is never read here: it comes from elsewhere, and is written with the head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, cast

import msgspec
from redis.exceptions import WatchError

from workers.store import Store
from workers.store.compression import compressed
from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.heads import decode_head
from workers.store.intake import INDEX_LETTERS
from workers.store.keys import CAMPAIGNS, SPECS, Keys, key_of
from workers.store.records import Head

READS_MAX: Final = 100
"""Times that a transaction is sent again because the head moved on to keys that it didn't ask for."""
SCAN_COUNT: Final = 1_000
CHUNK: Final = 500
LIFE_MS_MAX: Final = 7 * 24 * 60 * 60 * 1_000


class Item(msgspec.Struct, frozen=True):
    """A key by its name in the catalogue and its parts (the campaign aside), with what it holds: for a hash field,
    value, field, value …; for a list or set its members; for a stream id, fields, id, fields …; for a string itself.
    `life_ms` is how long it has to live, 0 for ever.
    """

    name: str
    parts: tuple[str, ...]
    content: list[Any]
    life_ms: int = 0


class Snapshot(msgspec.Struct, frozen=True):
    """Everything of a campaign at one moment but its blobs, its idempotency records and its seed."""

    head: Head
    items: tuple[Item, ...]

    def index(self) -> list[str]:
        """The digests of the blobs that the campaign had then, sorted."""
        return sorted(_members(self.items, "blobs", 2))

    def idems(self) -> set[str]:
        """The digests of the idempotency records of the ticks that aren't retired."""
        return _members(self.items, "idems", 1)

    def tokens(self) -> list[str]:
        """The digests of the campaign's tokens, sorted."""
        return sorted(_members(self.items, "tokens", 1))


def snapshot(store: Store, campaign: str) -> Snapshot | None:
    """The campaign at one moment; None where there is none. Raises CorruptRecord where its head moves on too fast."""
    for _ in range(READS_MAX):
        head = store.heads.get(campaign)
        if head is None:
            return None
        places = list(_places(store, head))
        with store.client.pipeline(transaction=True) as transaction:
            for name, parts in places:
                _ask(transaction, SPECS[name].kind, key_of(name, campaign, *parts))
            replies = transaction.execute()
        if not replies[0]:
            return None
        seen = decode_head(Keys(campaign).head, replies[0])
        if _extent(seen) == _extent(head):
            items = [
                Item(name, parts, _flat(SPECS[name].kind, reply))
                for (name, parts), reply in zip(places, replies, strict=True)
                if reply
            ]
            return Snapshot(seen, tuple(items))
    raise CorruptRecord(f"{Keys(campaign).head}: moved on {READS_MAX} times while it was read")


def all_idems(store: Store, campaign: str) -> set[str]:
    """The digests of all idempotency records there are, by a walk over the server's keys: those of retired ticks live
    on for a while, and nothing lists them."""
    prefix = key_of("idem", campaign, "0").removesuffix("0")
    found = cast(Iterator[bytes], store.client.scan_iter(match=f"{prefix}*", count=SCAN_COUNT))
    return {name.decode().removeprefix(prefix) for name in found}


def read_idems(store: Store, campaign: str, digests: Iterable[str]) -> Iterator[Item]:
    """Idempotency records with the time that they have to live; those that have gone meanwhile are left out."""
    keys = Keys(campaign)
    for chunk in _chunks(sorted(digests)):
        with store.client.pipeline(transaction=False) as pipeline:
            for digest in chunk:
                pipeline.get(keys.idem(digest))
                pipeline.pttl(keys.idem(digest))
            replies = pipeline.execute()
        for digest, value, life_ms in zip(chunk, replies[::2], replies[1::2], strict=True):
            if value is not None:
                yield Item("idem", (digest,), [value], max(life_ms, 0))


def read_tokens(store: Store, digests: Iterable[str]) -> Iterator[Item]:
    """The records of tokens, by the digests of their secrets."""
    for digest in digests:
        record = store.client.get(key_of("token", digest))
        if record is not None:
            yield Item("token", (digest,), [record])


def write_blobs(store: Store, campaign: str, blobs: Iterable[tuple[str, bytes]]) -> None:
    """Store blobs by digest: harmless to do again, and without a head and an index that name them they say nothing."""
    keys = Keys(campaign)
    for digest, data in blobs:
        store.client.set(keys.blob(digest), compressed(data))


def put(store: Store, campaign: str, items: Iterable[Item], tokens: Iterable[Item], seed: bytes) -> bool:
    """Write a campaign whole; False where there is one of that name, or another seed, and nothing was written.

    Its blobs are stored before. What lies outside the campaign's own slot is written first: the listing and its tokens
    say nothing while the campaign doesn't exist.
    """
    keys = Keys(campaign)

    def may(client: Any) -> bool:
        return not client.exists(keys.head) and client.get(keys.seed) in (None, seed)

    def write(transaction: Any) -> None:
        cleared: set[str] = set()
        for item in items:
            key = key_of(item.name, campaign, *item.parts)
            if key not in cleared:
                cleared.add(key)
                transaction.unlink(key)
            fill(transaction, key, item)
        transaction.set(keys.seed, seed)

    store.client.sadd(CAMPAIGNS, campaign)
    for token in tokens:
        store.tokens.restore(token.parts[0], token.content[0])
    return compare_and_write(store, (keys.head, keys.seed), may, write)


def compare_and_write(
    store: Store, watched: Iterable[str], may: Callable[[Any], bool], write: Callable[[Any], None]
) -> bool:
    """What `write` queues, as one transaction, if `may` says so of the keys that are watched; else nothing.

    Where one of them changes before the transaction runs, `may` is asked again.
    """
    pipeline: Any = store.client.pipeline(transaction=True)
    with pipeline as transaction:
        while True:
            try:
                transaction.watch(*watched)
                if not may(transaction):
                    return False
                transaction.multi()
                write(transaction)
                transaction.execute()
                return True
            except WatchError:
                continue


def fill(transaction: Any, key: str, item: Item) -> None:
    """Add what an item holds to its key."""
    kind, content = SPECS[item.name].kind, item.content
    if kind == "string":
        transaction.set(key, content[0])
    elif kind == "stream":
        for entry_id, fields in zip(content[::2], content[1::2], strict=True):
            transaction.execute_command("XADD", key, entry_id, *fields)
    else:
        command = {"hash": "HSET", "list": "RPUSH", "set": "SADD"}[kind]
        for chunk in _chunks(content):
            transaction.execute_command(command, key, *chunk)
    if item.life_ms:
        transaction.pexpire(key, item.life_ms)


def check_item(item: Item) -> None:
    """Raises InvalidRequest or InvalidName for an item that no export holds."""
    spec = SPECS.get(item.name)
    if spec is None or item.name == "seed" or ("<campaign>" not in spec.pattern and item.name != "token"):
        raise InvalidRequest(f"{item.name!r}: no key of a campaign that an export holds")
    key_of(item.name, *([] if item.name == "token" else ["campaign"]), *item.parts)
    content, good = item.content, all(isinstance(value, bytes) for value in item.content)
    if spec.kind == "stream":
        ids, fields = content[::2], content[1::2]
        good = all(isinstance(entry, bytes) for entry in ids) and len(ids) == len(fields)
        good = good and all(isinstance(one, list) and one and not len(one) % 2 for one in fields)
    elif spec.kind == "string":
        good = good and len(content) == 1
    elif spec.kind == "hash":
        good = good and not len(content) % 2
    if not 0 <= item.life_ms <= LIFE_MS_MAX:
        raise InvalidRequest(
            f"{item.name} {list(item.parts)}: it lives {item.life_ms} ms; accepted: 0 to {LIFE_MS_MAX}"
        )
    if not content or not good:
        raise InvalidRequest(f"{item.name} {list(item.parts)}: its content is no {spec.kind}'s")


def _places(store: Store, head: Head) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The keys that a campaign may have, the head's first; blobs and idempotency records aside."""
    for name in ("head", "commitments", "seeds", "blobs", "tokens", "actors"):
        yield name, ()
    for camp in head.camps:
        yield "reports", (camp,)
    for tick in range(max(head.retired - head.retain_ticks, 0), head.published + 1):
        yield "record", (str(tick),)
    for tick in range(head.retired + 1, head.open_tick + 2):
        number = str(tick)
        for slice_ in range(head.slices):
            yield "book", (number, str(slice_))
        for group in range(head.groups):
            yield "meters", (number, str(group))
        for letter in INDEX_LETTERS:
            yield "where", (number, letter)
        for name in ("revisions", "counts", "ready", "idems", "workers"):
            yield name, (number,)
        epochs, steps = _resolution(store, head, tick)
        for epoch in range(1, epochs + 1):
            yield "attempts", (number, str(epoch))
            yield "steps", (number, str(epoch))
            for step in range(steps):
                yield "outputs", (number, str(epoch), str(step))


def _resolution(store: Store, head: Head, tick: int) -> tuple[int, int]:
    """The epochs and supersteps that a tick's resolution may have left keys of."""
    if tick == head.resolving:
        return head.epoch, head.steps
    record = store.heads.record(head.campaign, tick) if tick <= head.published else None
    return (int(record.get("epoch", 0)), int(record.get("steps", 0))) if record else (0, 0)


def _extent(head: Head) -> tuple[object, ...]:
    """What the names of a campaign's keys depend on."""
    return head.created_ms, head.open_tick, head.published, head.retired, head.resolving, head.epoch, head.steps


def _ask(transaction: Any, kind: str, key: str) -> None:
    if kind == "hash":
        transaction.hgetall(key)
    elif kind == "list":
        transaction.lrange(key, 0, -1)
    elif kind == "set":
        transaction.smembers(key)
    else:
        transaction.xrange(key)


def _flat(kind: str, reply: Any) -> list[Any]:
    if kind == "hash":
        return [part for name in sorted(reply) for part in (name, reply[name])]
    if kind == "stream":
        return [
            part
            for entry_id, fields in reply
            for part in (entry_id, [piece for name, value in fields.items() for piece in (name, value)])
        ]
    return sorted(reply) if kind == "set" else list(reply)


def _members(items: Iterable[Item], name: str, step: int) -> set[str]:
    return {member.decode() for item in items if item.name == name for member in item.content[::step]}


def _chunks(values: list[Any]) -> Iterator[list[Any]]:
    """Runs of an even number of values: a hash's fields stay with their values."""
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]
