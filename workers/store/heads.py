"""Campaigns as they stand: creation, lifecycle, and what is public of their ticks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from redis.exceptions import RedisError

from workers.store.blobs import blob_names
from workers.store.commands import Commands, server_time_ms, time_ms
from workers.store.compression import compressed
from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.keys import CAMPAIGNS, Keys
from workers.store.records import (
    SCHEMA,
    SEED_BYTES,
    Act,
    CreateReply,
    Failure,
    Head,
    LifecycleReply,
    NewCampaign,
    Policy,
    Schedule,
    Verb,
)
from workers.store.scripts import Argument, Scripts

_FAILURE: Final = msgspec.json.Decoder(Failure)
_SPECIAL: Final[dict[str, Callable[[bytes], Any]]] = {
    "camps": msgspec.json.Decoder(tuple[str, ...]).decode,
    "schedule": msgspec.json.Decoder(Schedule).decode,
    "policy": msgspec.json.Decoder(Policy).decode,
    "dropped": msgspec.json.Decoder(tuple[str, ...]).decode,
    "history": msgspec.json.Decoder(tuple[Act, ...]).decode,
    "resolving": lambda text: int(text) if text else None,
    "fused": lambda text: text == b"1",
    "failure": lambda text: _FAILURE.decode(text) if text else None,
}
# How each field of a head is read, once for all heads: each request of the API reads one.
_FIELDS: Final[tuple[tuple[str, bytes, Callable[[bytes], Any]], ...]] = tuple(
    (field.name, field.name.encode(), _SPECIAL.get(field.name) or (int if field.type is int else bytes.decode))
    for field in msgspec.structs.fields(Head)
)

_SCHEMA: Final = str(SCHEMA).encode()

_GIVEN: Final = (
    "campaign",
    "rulebook",
    "rulebook_version",
    "fingerprint",
    "settings",
    "slices",
    "groups",
    "shards",
    "fuse_below",
    "min_open_s",
    "retain_ticks",
    "id_key",
    "creation_key",
    "creation_digest",
    "steps",
    "staged_commitment",
    "manifest",
)
_ZEROS: Final = (
    "opened_ms",
    "deadline_ms",
    "published",
    "published_ms",
    "archived",
    "retired",
    "step",
    "epoch",
    "tick_shards",
    "fused",
    "orders",
    "book_version",
    "step_started_ms",
    "progress_ms",
    "closed_ms",
)


# What a head of each schema before the present one gets, to be read as one of the next.
_UPGRADES: Final[dict[int, Callable[[dict[bytes, bytes]], None]]] = {
    1: lambda fields: fields.update({b"history": b"[]"}),
}


def decode_head(key: str, raw: Mapping[bytes, bytes]) -> Head:
    """The head from its hash; one of an earlier schema is read as what it is in the present one.

    Raises CorruptRecord, naming the field, where one is missing or isn't what we write, or for a schema that is later
    than this release's.
    """
    raw = _upgraded(key, raw)
    values: dict[str, Any] = {}
    for name, stored, decode in _FIELDS:
        try:
            values[name] = decode(raw[stored])
        except (KeyError, ValueError, msgspec.MsgspecError) as error:
            raise CorruptRecord(f"{key}: field {name}: {error!r}") from error
    return Head(**values)


def _upgraded(key: str, raw: Mapping[bytes, bytes]) -> Mapping[bytes, bytes]:
    text = raw.get(b"schema", b"")
    if text == _SCHEMA:
        return raw
    schema = int(text) if text.isdigit() else 0
    if schema > SCHEMA:
        raise CorruptRecord(f"{key}: field schema: {schema} is of a later release; this one reads 1 to {SCHEMA}")
    if schema < 1:
        raise CorruptRecord(f"{key}: field schema: {text!r}; accepted: 1 to {SCHEMA}")
    fields = dict(raw)
    for step in range(schema, SCHEMA):
        _UPGRADES[step](fields)
    return fields


def _first_fields(new: NewCampaign) -> dict[str, str]:
    """The head's fields at creation; the script adds the time. Tick 0, the set-up, counts as published and archived
    (nobody may foresee a roll of it: it has none)."""
    json = msgspec.json.encode
    given = {
        "schedule": json(new.schedule).decode(),
        "policy": json(new.policy).decode(),
        "camps": json(new.camps).decode(),
    }
    return {
        "schema": str(SCHEMA),
        "status": "draft",
        "open_tick": "1",
        "start_manifest": new.manifest,
        "dropped": "[]",
        "history": "[]",
        **dict.fromkeys(_ZEROS, "0"),
        **dict.fromkeys(("resolving", "tick_status", "failure", "trigger"), ""),
        **{name: str(getattr(new, name)) for name in _GIVEN},
        **given,
    }


class Heads:
    """Creates campaigns, moves them through their lifecycle, and reads what is known of them."""

    def __init__(self, client: Commands, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def create(self, new: NewCampaign, *, seed: bytes) -> CreateReply:
        """Create a campaign whole, or not at all; sending the same creation again changes nothing.

        `seed` is the campaign seed, 32 bytes. It is written by a plain command in the script's transaction: an
        access list can then allow the API to write it and not to read it, which no script's keys can express.
        """
        if len(seed) != SEED_BYTES:
            raise InvalidRequest(f"seed: {len(seed)} bytes; accepted: {SEED_BYTES}")
        keys = Keys(new.campaign)
        names, arguments = _create_call(keys, new)
        self._client.sadd(CAMPAIGNS, new.campaign)
        with self._client.pipeline(transaction=True) as transaction:
            transaction.execute_command("EVAL", self._scripts.text("create"), len(names), *names, *arguments)
            transaction.set(keys.seed, seed, nx=True)
            created, wrote_seed = transaction.execute(raise_on_error=False)
        if wrote_seed is True and (isinstance(created, RedisError) or created[0] != b"created"):
            self._client.unlink(keys.seed)  # a seed without its campaign would spoil the next creation
        if isinstance(created, RedisError):
            raise created
        return CreateReply(outcome=created[0].decode())

    def lifecycle(self, campaign: str, verb: Verb, *, deadline_ms: int = 0) -> LifecycleReply:
        """Open, pause, resume or end a campaign: draft → open ⇄ paused → ended.

        `deadline_ms` is the open tick's deadline from now on (open and resume only; 0: none).
        """
        outcome, status = self._scripts.outcome("lifecycle", [Keys(campaign).head], [verb, deadline_ms])
        return LifecycleReply(outcome=outcome, status=status)

    def get(self, campaign: str) -> Head | None:
        """The campaign's head, or None where there is no such campaign."""
        key = Keys(campaign).head
        raw = self._client.hgetall(key)
        return decode_head(key, raw) if raw else None

    def get_at(self, campaign: str) -> tuple[Head | None, int]:
        """The same, with the server's clock when it was read, in one round trip."""
        key = Keys(campaign).head
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.hgetall(key)
            pipeline.time()
            raw, moment = pipeline.execute()
        return decode_head(key, raw) if raw else None, time_ms(moment)

    def campaigns(self) -> list[str]:
        """The ids of all campaigns, sorted; one may be listed a moment before it exists."""
        return sorted(name.decode() for name in self._client.smembers(CAMPAIGNS))

    def server_time_ms(self) -> int:
        """The server's clock, in milliseconds since 1970: the one clock that deadlines know."""
        return server_time_ms(self._client)

    def seed(self, campaign: str) -> bytes | None:
        """The campaign seed; None where there is none. The API's user may not read it."""
        return self._client.get(Keys(campaign).seed)

    def commitments(self, campaign: str) -> dict[int, str]:
        """Tick → SHA-256 of its tick seed, hex, of each tick whose commitment is public."""
        return _ticks_to_text(self._client.hgetall(Keys(campaign).commitments))

    def commitment(self, campaign: str, tick: int) -> str | None:
        """SHA-256 of a tick's seed, hex, where it is public; however many ticks there were, one field is read."""
        found = self._client.hget(Keys(campaign).commitments, str(tick))
        return None if found is None else found.decode()

    def seed_revealed(self, campaign: str, tick: int) -> str | None:
        """A tick's seed, hex, where it is revealed."""
        found = self._client.hget(Keys(campaign).seeds, str(tick))
        return None if found is None else found.decode()

    def seeds(self, campaign: str) -> dict[int, str]:
        """Tick → its tick seed, hex, of each tick whose seed is revealed."""
        return _ticks_to_text(self._client.hgetall(Keys(campaign).seeds))

    def record(self, campaign: str, tick: int) -> dict[str, str] | None:
        """A published tick's record, or None where the tick isn't published or its record was retired."""
        raw = self._client.hgetall(Keys(campaign).record(tick))
        return {name.decode(): value.decode() for name, value in raw.items()} or None

    def archived(self, campaign: str, tick: int) -> None:
        """Note that a tick and all before it are in the archive; a smaller tick than noted changes nothing."""
        self._scripts.run("mark", [Keys(campaign).head], ["archived", tick])

    def reveal(self, campaign: str, seeds: Mapping[int, str]) -> bool:
        """Publish tick seeds (hex) of an ended campaign; False where it hasn't ended, and nothing is written."""
        keys = Keys(campaign)
        pairs: list[Argument] = [part for tick in sorted(seeds) for part in (tick, seeds[tick])]
        return bool(self._scripts.outcome("reveal", [keys.head, keys.seeds], pairs)[0] == "revealed")


def _create_call(keys: Keys, new: NewCampaign) -> tuple[list[str], list[Argument]]:
    digests = sorted(new.blobs)
    camps = sorted(camp for camp, pages in new.pages.items() if pages)
    plan = {
        "creation_key": new.creation_key,
        "creation_digest": new.creation_digest,
        "head": _first_fields(new),
        "commitments": {str(tick): hexes for tick, hexes in enumerate(new.commitments)},
        "record": new.record,
        "blobs": digests,
        "pages": [len(new.pages[camp]) for camp in camps],
    }
    names = [keys.head, keys.commitments, keys.record(0), keys.blobs]
    names += blob_names(new.campaign, digests)
    names += [keys.reports(camp) for camp in camps]
    arguments: list[Argument] = [msgspec.json.encode(plan)]
    arguments += [compressed(new.blobs[digest]) for digest in digests]
    arguments += [compressed(page) for camp in camps for page in new.pages[camp]]
    return names, arguments


def _ticks_to_text(raw: Mapping[bytes, bytes]) -> dict[int, str]:
    return dict(sorted((int(name), value.decode()) for name, value in raw.items()))
