"""Tokens: shown once, known by their digest, gone when revoked."""

from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
import redis

from workers.store import Store
from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.keys import token_key
from workers.store.records import Replacement, Token
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


def replaced(store: Store, digest: str, *, byte: bytes = b"2", overlap_ms: int = 0) -> Replacement:
    now_ms = store.heads.server_time_ms()
    return store.tokens.replace(digest, secret=byte * 32, now_ms=now_ms, overlap_ms=overlap_ms)


def test_a_token_that_replaces_another_may_do_the_same_and_the_old_one_is_gone(store: Store) -> None:
    old = store.tokens.create(ACTOR, secret=b"1" * 32)
    made = replaced(store, digest_of(old))

    assert "replaced" == made.outcome
    record = store.tokens.get(made.secret)
    assert record is not None
    assert ("actor", "player-1", ACTOR.entities, ACTOR.label) == (
        record.scope,
        record.actor,
        record.entities,
        record.label,
    )
    assert (digest_of(old), digest_of(old)) == (record.replaces, record.origin)
    assert None is store.tokens.get(old)
    assert {digest_of(made.secret)} == set(store.tokens.listed("paris"))
    assert made.secret not in repr(made)


def test_all_that_replace_each_other_count_as_the_first_of_them(store: Store) -> None:
    first = store.tokens.create(ACTOR, secret=b"1" * 32)
    second = replaced(store, digest_of(first), byte=b"2").secret
    third = replaced(store, digest_of(second), byte=b"3", overlap_ms=600_000).secret

    assert [digest_of(first)] * 2 == [store.tokens.admit(secret).owner for secret in (second, third)]
    assert digest_of(first) == store.tokens.admit(first).owner


def test_with_an_overlap_both_work_until_the_server_s_clock_ends_the_old_one(store: Store, client: redis.Redis) -> None:
    old = store.tokens.create(ACTOR, secret=b"1" * 32)
    before_ms = store.heads.server_time_ms()
    made = replaced(store, digest_of(old), overlap_ms=600_000)

    both = store.tokens.listed("paris")
    assert {digest_of(old), digest_of(made.secret)} == set(both)
    assert before_ms + 600_000 <= both[digest_of(old)].ends_ms <= store.heads.server_time_ms() + 600_000
    assert 0 < client.pttl(token_key(digest_of(old))) <= 600_000
    assert -1 == client.pttl(token_key(digest_of(made.secret)))
    client.pexpire(token_key(digest_of(old)), 0)  # its time is over
    assert None is store.tokens.get(old)
    assert {digest_of(made.secret)} == set(store.tokens.listed("paris"))


def ended(store: Store) -> str:
    """The secret of a token that ended, and that the server still has."""
    secret = store.tokens.create(ACTOR, secret=b"1" * 32)
    over = msgspec.structs.replace(ACTOR, ends_ms=store.heads.server_time_ms())
    store.client.set(token_key(digest_of(secret)), msgspec.json.encode(over))
    return secret


def test_a_token_that_ended_opens_nothing_though_the_server_still_has_it(store: Store) -> None:
    secret = ended(store)
    digest = digest_of(secret)

    assert [None, None, None] == [
        store.tokens.get(secret),
        store.tokens.by_id(digest),
        store.tokens.admit(secret).token,
    ]
    assert {} == store.tokens.listed("paris")
    assert "unknown" == replaced(store, digest).outcome
    assert not store.limits.keep_stream(digest, digest, "a", for_ms=60_000, most=1)[0]


def test_a_record_that_is_stored_again_ends_when_its_token_does(store: Store, client: redis.Redis) -> None:
    now_ms = store.heads.server_time_ms()
    for number, ends_ms in enumerate((0, now_ms + 600_000, now_ms)):
        store.tokens.restore(str(number), msgspec.json.encode(msgspec.structs.replace(ACTOR, ends_ms=ends_ms)))

    assert [ACTOR, now_ms + 600_000] == [store.tokens.by_id("0"), getattr(store.tokens.by_id("1"), "ends_ms", None)]
    assert -1 == client.pttl(token_key("0"))
    assert 0 < client.pttl(token_key("1")) <= 600_000
    assert not client.exists(token_key("2"))


def test_a_token_is_replaced_once(store: Store) -> None:
    old = store.tokens.create(ACTOR, secret=b"1" * 32)
    replaced(store, digest_of(old), overlap_ms=600_000)
    again = replaced(store, digest_of(old), byte=b"3", overlap_ms=600_000)

    assert ("ending", "") == (again.outcome, again.secret)
    assert 2 == len(store.tokens.listed("paris"))
    assert "unknown" == replaced(store, "0" * 64, byte=b"4").outcome


def test_there_are_never_more_than_two_secrets_for_one(store: Store, client: redis.Redis) -> None:
    first = store.tokens.create(ACTOR, secret=b"1" * 32)
    second = replaced(store, digest_of(first), byte=b"2", overlap_ms=600_000).secret
    third = replaced(store, digest_of(second), byte=b"3", overlap_ms=600_000).secret

    assert [False, True, True] == [store.tokens.get(secret) is not None for secret in (first, second, third)]
    assert 2 == client.scard("tocsin:{paris}:tokens")


def test_revoking_a_token_ends_the_one_that_it_replaced(store: Store, client: redis.Redis) -> None:
    old = store.tokens.create(ACTOR, secret=b"1" * 32)
    new = replaced(store, digest_of(old), overlap_ms=600_000).secret

    assert store.tokens.revoke(digest_of(new))
    assert [None, None] == [store.tokens.get(secret) for secret in (old, new)]
    assert 0 == client.exists("tocsin:{paris}:tokens")


def test_a_token_that_ended_by_itself_leaves_the_list_with_its_successor(store: Store, client: redis.Redis) -> None:
    old = store.tokens.create(ACTOR, secret=b"1" * 32)
    new = replaced(store, digest_of(old), overlap_ms=600_000).secret
    client.pexpire(token_key(digest_of(old)), 0)
    newest = replaced(store, digest_of(new), byte=b"3").secret

    assert {digest_of(newest).encode()} == client.smembers("tocsin:{paris}:tokens")


@pytest.mark.parametrize("overlap_ms", [0, 600_000])
def test_of_many_that_replace_one_token_at_once_one_does(store: Store, overlap_ms: int) -> None:
    old = digest_of(store.tokens.create(ACTOR, secret=b"1" * 32))
    with ThreadPoolExecutor(8) as pool:
        made = list(
            pool.map(lambda byte: replaced(store, old, byte=bytes([byte]), overlap_ms=overlap_ms), range(2, 10))
        )

    (winner,) = [one for one in made if one.outcome == "replaced"]
    working = [one.secret for one in made if one.secret and store.tokens.get(one.secret)]
    assert [winner.secret] == working
    assert ({old} if overlap_ms else set()) | {digest_of(winner.secret)} == set(store.tokens.listed("paris"))


def test_an_actor_s_name_belongs_to_the_camp_that_took_it_first(store: Store) -> None:
    assert "angels" == store.tokens.claim("paris", "ada", "angels")
    assert ["angels", "angels"] == [store.tokens.claim("paris", "ada", camp) for camp in ("demons", "angels")]
    assert ["demons", "demons"] == [
        store.tokens.claim(*one) for one in (("paris", "bob", "demons"), ("lyon", "ada", "demons"))
    ]


def test_of_camps_that_ask_for_one_name_at_once_all_hear_the_same(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        heard = set(pool.map(lambda number: store.tokens.claim("paris", "ada", f"camp-{number}"), range(8)))

    assert 1 == len(heard)


def test_names_of_tokens_that_were_made_without_taking_one_are_taken_as_they_are_found(store: Store) -> None:
    """By a release that kept no names. Of two camps that share one, the older token's has it."""
    late = Token("actor", "paris", "demons", "player-1", ("servant-3",), ACTOR.created_ms + 1)
    for number, token in enumerate((late, ACTOR, Token("camp", "paris", "demons"))):
        store.tokens.create(token, secret=bytes([number]) * 32)

    assert "demons" == store.tokens.claim("paris", "player-2", "demons")
    assert "angels" == store.tokens.claim("paris", "player-1", "demons")


def test_taking_a_name_costs_the_same_however_many_tokens_there_are(
    real_store: Store, real_client: redis.Redis
) -> None:
    """A hundred thousand players get theirs one after another."""
    costs = []
    for number in range(3):
        before = real_client.info("stats")["total_commands_processed"]
        assert "angels" == real_store.tokens.claim("paris", f"player-{number}", "angels")
        costs.append(real_client.info("stats")["total_commands_processed"] - before)
        for other in range(10 * number, 10 * number + 10):
            real_store.tokens.create(ACTOR, secret=bytes([other]) * 32)

    assert costs[1] == costs[2] <= 4


def test_a_token_that_is_revoked_leaves_its_name_with_its_camp(store: Store) -> None:
    secret = store.tokens.create(ACTOR, secret=b"1" * 32)
    assert store.tokens.revoke(digest_of(secret))

    assert "angels" == store.tokens.claim("paris", "player-1", "demons")


def test_a_full_server_revokes_all_the_same(real_store: Store, real_client: redis.Redis) -> None:
    secret = real_store.tokens.create(ACTOR, secret=b"1" * 32)
    real_client.config_set("maxmemory", 1)
    try:
        assert real_store.tokens.revoke(digest_of(secret))
    finally:
        real_client.config_set("maxmemory", 0)
    assert None is real_store.tokens.get(secret)
