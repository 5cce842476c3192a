"""Tokens: shown once, known by their digest, gone when revoked."""

import pytest
import redis

from workers.store import Store
from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.keys import token_key
from workers.store.records import Token
from workers.store.tokens import digest_of

ACTOR = Token("actor", "paris", "angels", "player-1", ("servant-1", "servant-2"), 1_700_000_000_000, "Ada's phone")


def test_a_token_s_holder_is_known_by_the_secret_alone(store: Store) -> None:
    secret = store.tokens.create(ACTOR, secret=b"1" * 32)

    assert ACTOR == store.tokens.get(secret)
    assert [None] * 4 == [store.tokens.get(wrong) for wrong in ("", secret[:-1], secret + "x", digest_of(secret))]


def test_a_secret_can_be_told_from_other_texts_and_carries_all_its_bytes(store: Store) -> None:
    secrets = {store.tokens.create(ACTOR, secret=bytes([value]) * 32) for value in (0, 1, 255)}

    assert 3 == len(secrets)
    assert {7 + 43} == {len(secret) for secret in secrets}
    assert all(secret.startswith("tocsin_") and secret.isascii() and "=" not in secret for secret in secrets)


def test_no_secret_is_stored(store: Store, client: redis.Redis) -> None:
    secret = store.tokens.create(ACTOR, secret=b"1" * 32)
    digest = digest_of(secret)

    values = [client.get(token_key(digest)), *client.smembers("tocsin:{paris}:tokens"), *client.scan_iter()]
    assert all(value is not None and secret.encode() not in bytes(value) for value in values)
    assert all(value is not None and b"1" * 32 not in bytes(value) for value in values)


def test_tokens_are_listed_by_campaign(store: Store) -> None:
    operator = Token("operator", "lyon")
    admin = Token("admin")
    digests = {
        token.campaign: digest_of(store.tokens.create(token, secret=bytes([number]) * 32))
        for number, token in enumerate((ACTOR, operator, admin))
    }

    assert {digests["paris"]: ACTOR} == store.tokens.listed("paris")
    assert {digests["lyon"]: operator} == store.tokens.listed("lyon")
    assert {digests[""]: admin} == store.tokens.listed("")
    assert {} == store.tokens.listed("nowhere")


def test_a_revoked_token_opens_nothing(store: Store) -> None:
    secret = store.tokens.create(ACTOR, secret=b"1" * 32)
    digest = digest_of(secret)

    assert store.tokens.revoke(digest)
    assert (None, {}) == (store.tokens.get(secret), store.tokens.listed("paris"))
    assert not store.tokens.revoke(digest)


def test_a_listed_token_that_was_never_written_or_half_revoked_is_not_listed(store: Store, client: redis.Redis) -> None:
    client.sadd("tocsin:{paris}:tokens", "0" * 64)

    assert {} == store.tokens.listed("paris")


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_secret_has_32_bytes(store: Store, length: int) -> None:
    with pytest.raises(InvalidRequest, match=f"secret: {length} bytes"):
        store.tokens.create(ACTOR, secret=bytes(length))


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"scope": "admin", "campaign": "paris"}, "campaign"),
        ({"scope": "operator"}, "campaign"),
        ({"scope": "operator", "campaign": "paris", "camp": "angels"}, "camp"),
        ({"scope": "camp", "campaign": "paris"}, "camp"),
        ({"scope": "camp", "campaign": "paris", "camp": "angels", "actor": "ada"}, "actor"),
        ({"scope": "actor", "campaign": "paris", "camp": "angels"}, "actor"),
    ],
)
def test_a_token_has_what_its_scope_needs_and_nothing_else(fields: dict[str, str], named: str) -> None:
    with pytest.raises(InvalidRequest, match=f"^{named}: "):
        Token(**fields)  # type: ignore[arg-type] # parametrize knows texts only


def test_a_token_s_record_that_we_did_not_write_is_refused(store: Store, client: redis.Redis) -> None:
    secret = store.tokens.create(ACTOR, secret=b"1" * 32)
    client.set(token_key(digest_of(secret)), b'{"scope":"god"}')

    with pytest.raises(CorruptRecord, match=digest_of(secret)):
        store.tokens.get(secret)
