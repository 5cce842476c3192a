"""Tokens: what a secret may do, stored under the secret's digest.

Nothing here compares a secret with another, so there is no comparison whose time could tell something: a secret is
hashed, and its record looked up by the whole digest. Who guesses digests would have to find a secret for one.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from contextlib import suppress
from hashlib import sha256
from typing import Final

import msgspec
from redis.exceptions import NoScriptError, OutOfMemoryError

from workers.store.commands import Commands, server_time_ms
from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.keys import ADMIN_TOKENS, Keys, requests_key, token_key
from workers.store.records import Admission, Replacement, Token
from workers.store.scripts import Scripts

SECRET_BYTES: Final = 32
PREFIX: Final = "tocsin_"
"""What a secret begins with, so that scanners of code and logs can find a leaked one."""
WINDOW_MS: Final = 1_000
"""Requests are counted in windows of this length; a token's begins with its first request."""


ALL_TAKEN: Final = ""
"""The field of a campaign's actors that says that no token is left whose name isn't there: no actor has this name."""


def digest_of(secret: str) -> str:
    """The SHA-256 of a secret, hex: enough, since a secret is 32 random bytes and not a word that people choose."""
    return sha256(secret.encode()).hexdigest()


class Tokens:
    """Makes, knows, replaces and revokes tokens. Secrets are never stored."""

    def __init__(self, client: Commands, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def create(self, record: Token, *, secret: bytes) -> str:
        """Store a token's record; the text that its holder shows. `secret` is 32 random bytes, from the caller.

        The listing is written first: a token that works is always listed. Raises InvalidRequest for another length.
        """
        if len(secret) != SECRET_BYTES:
            raise InvalidRequest(f"secret: {len(secret)} bytes; accepted: {SECRET_BYTES} random ones")
        text = PREFIX + urlsafe_b64encode(secret).decode().rstrip("=")
        digest = digest_of(text)
        self._client.sadd(_listing(record.campaign), digest)
        self._client.set(token_key(digest), msgspec.json.encode(record))
        return text

    def claim(self, campaign: str, actor: str, camp: str) -> str:
        """Take an actor's name for a camp, for as long as the campaign lives; the camp that has it: another one, if it
        was taken before.

        The first time, the names of all tokens are taken that there are: a release that took none may have made them.
        Whoever comes after needs no look at them, however many they are.
        """
        key = Keys(campaign).actors
        if self._client.hget(key, ALL_TAKEN) is None:
            self._claim_known(campaign)
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.hsetnx(key, actor, camp)
            pipeline.hget(key, actor)
            _, owner = pipeline.execute()
        return bytes(owner).decode()

    def _claim_known(self, campaign: str) -> None:
        key = Keys(campaign).actors
        known = sorted(self.listed(campaign).values(), key=lambda token: token.created_ms)
        with self._client.pipeline(transaction=False) as pipeline:
            for token in known:
                if token.actor:
                    pipeline.hsetnx(key, token.actor, token.camp)
            pipeline.hset(key, ALL_TAKEN, 1)
            pipeline.execute()

    def get(self, secret: str) -> Token | None:
        """What the secret may do; None where it's unknown, revoked or has ended."""
        return self.by_id(digest_of(secret))

    def by_id(self, digest: str) -> Token | None:
        """What the token of that digest may do; None where there is none."""
        return living(self._client, digest, self._client.get(token_key(digest)))

    def restore(self, digest: str, raw: bytes) -> None:
        """Store a token's record as it was read elsewhere, until it ends; one that has ended isn't stored.

        Raises CorruptRecord for what is no record.
        """
        record = living(self._client, digest, raw)
        if record is not None:
            self._client.set(token_key(digest), raw, pxat=record.ends_ms or None)

    def admit(self, secret: str) -> Admission:
        """What the secret may do, with its requests counted: one round trip, and the same two commands whether the
        secret is known or not."""
        digest = digest_of(secret)
        counter = [requests_key(digest)]
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.get(token_key(digest))
            self._scripts.queue(pipeline, "admit", counter, [WINDOW_MS])
            raw, counted = pipeline.execute(raise_on_error=False)
        if isinstance(counted, NoScriptError):
            counted = self._scripts.run("admit", counter, [WINDOW_MS])
        for reply in (raw, counted):
            if isinstance(reply, Exception):
                raise reply
        requests, left_ms = counted
        return Admission(living(self._client, digest, raw), digest, int(requests), int(left_ms))

    def revoke(self, digest: str) -> bool:
        """Revoke the token of that digest (see `digest_of`), and the one that it replaced, should that still work;
        False where there was none. An actor's name stays taken (see `claim`)."""
        record = self.by_id(digest)
        if record is not None and record.actor:
            with suppress(OutOfMemoryError):  # a full server revokes all the same
                self._client.hsetnx(Keys(record.campaign).actors, record.actor, record.camp)
        gone = bool(self._client.unlink(token_key(digest)))
        if record is not None:
            self._client.srem(_listing(record.campaign), digest)
            self._forget(record)
        return gone

    def replace(self, digest: str, *, secret: bytes, now_ms: int, overlap_ms: int) -> Replacement:
        """Put a new token in the place of one: the same record under a new secret. The old one ends at once, or
        `overlap_ms` after `now_ms` (the server's clock); one that it had replaced itself ends now.

        Of two that replace the same token, one does. Raises InvalidRequest as `create` does.
        """
        key = token_key(digest)
        raw = self._client.get(key)
        record = living(self._client, digest, raw)
        if raw is None or record is None:
            return Replacement("unknown")
        if record.ends_ms:
            return Replacement("ending", record)
        new = msgspec.structs.replace(
            record, created_ms=now_ms, replaces=digest, origin=record.origin or digest, ends_ms=0
        )
        text = self.create(new, secret=secret)
        ending = msgspec.structs.replace(record, ends_ms=now_ms + overlap_ms)
        last = msgspec.json.encode(ending) if overlap_ms else b""
        if not self._scripts.run("supersede", [key], [raw, last, overlap_ms]):
            self._client.unlink(token_key(digest_of(text)))
            self._client.srem(_listing(record.campaign), digest_of(text))
            present = self.by_id(digest)
            return Replacement("ending", present) if present else Replacement("unknown")
        if not overlap_ms:
            self._client.srem(_listing(record.campaign), digest)
        self._forget(record)
        return Replacement("replaced", new, text)

    def _forget(self, record: Token) -> None:
        """End what a token replaced, and take it off the list: it may have ended by itself."""
        if record.replaces:
            self._client.unlink(token_key(record.replaces))
            self._client.srem(_listing(record.campaign), record.replaces)

    def listed(self, campaign: str) -> dict[str, Token]:
        """Digest → record of a campaign's tokens, or, for "", of the tokens of no campaign; sorted by digest."""
        digests = sorted(digest.decode() for digest in self._client.smembers(_listing(campaign)))
        with self._client.pipeline(transaction=False) as pipeline:
            for digest in digests:
                pipeline.get(token_key(digest))
            replies = pipeline.execute()
        records = [living(self._client, digest, raw) for digest, raw in zip(digests, replies, strict=True)]
        return {digest: record for digest, record in zip(digests, records, strict=True) if record is not None}


def read_token(digest: str, raw: bytes) -> Token:
    """A token's record. Raises CorruptRecord for what is none."""
    try:
        return msgspec.json.decode(raw, type=Token)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CorruptRecord(f"{token_key(digest)}: {error}") from error


def living(client: Commands, digest: str, raw: bytes | None) -> Token | None:
    """The token of a record that was read; None where there was none, or it has ended.

    The server drops a record when its token ends. That isn't relied on: the clock is asked, for those alone that end.
    """
    record = None if raw is None else read_token(digest, raw)
    if record is not None and record.ends_ms and record.ends_ms <= server_time_ms(client):
        return None
    return record


def _listing(campaign: str) -> str:
    return Keys(campaign).tokens if campaign else ADMIN_TOKENS
