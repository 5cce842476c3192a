"""Tokens: what a secret may do, stored under the secret's digest."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Final

import msgspec

from workers.store.commands import Commands
from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.keys import ADMIN_TOKENS, Keys, token_key
from workers.store.records import Token
from workers.store.scripts import Scripts

SECRET_BYTES: Final = 32
PREFIX: Final = "tocsin_"
"""What a secret begins with, so that scanners of code and logs can find a leaked one."""


def digest_of(secret: str) -> str:
    """The SHA-256 of a secret, hex: enough, since a secret is 32 random bytes and not a word that people choose."""
    return sha256(secret.encode()).hexdigest()


class Tokens:
    """Makes, knows and revokes tokens. Secrets are never stored."""

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

    def get(self, secret: str) -> Token | None:
        """What the secret may do; None where it's unknown or revoked."""
        return self._read(digest_of(secret))

    def revoke(self, digest: str) -> bool:
        """Revoke the token of that digest (see `digest_of`); False where there was none."""
        record = self._read(digest)
        gone = bool(self._client.unlink(token_key(digest)))
        if record is not None:
            self._client.srem(_listing(record.campaign), digest)
        return gone

    def listed(self, campaign: str) -> dict[str, Token]:
        """Digest → record of a campaign's tokens, or, for "", of the tokens of no campaign; sorted by digest."""
        digests = sorted(digest.decode() for digest in self._client.smembers(_listing(campaign)))
        records = [(digest, self._read(digest)) for digest in digests]
        return {digest: record for digest, record in records if record is not None}

    def _read(self, digest: str) -> Token | None:
        key = token_key(digest)
        raw = self._client.get(key)
        if raw is None:
            return None
        try:
            return msgspec.json.decode(raw, type=Token)
        except msgspec.MsgspecError as error:
            raise CorruptRecord(f"{key}: {error}") from error


def _listing(campaign: str) -> str:
    return Keys(campaign).tokens if campaign else ADMIN_TOKENS
