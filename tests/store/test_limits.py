"""What a token takes of what is bounded, counted on the server: the last one allowed passes, the next one doesn't."""

from typing import Literal, cast

import pytest
import redis
from redis.exceptions import OutOfMemoryError

from tests.store.campaigns import NAME, SEED, book, new_campaign, opened, order
from workers.store import Store
from workers.store.commands import Commands
from workers.store.intake import sender_count
from workers.store.keys import OPEN_STREAMS, TALLIES, Keys, founded_key, requests_key, streams_key
from workers.store.records import Admission, Counts, Hold, ItemRefusal, Release, Token
from workers.store.tallies import tally_field
from workers.store.tokens import WINDOW_MS, digest_of

OWNER = "0" * 64
LONG_MS = 600_000
EAST = sender_count("east", "pat")


def test_requests_are_counted_by_the_secret_that_was_sent_known_or_not(store: Store, client: redis.Redis) -> None:
    secret = store.tokens.create(Token("admin"), secret=b"1" * 32)
    for sent in (secret, "tocsin_unknown"):
        client.set(requests_key(digest_of(sent)), 0, px=LONG_MS)

    counts = [store.tokens.admit(sent).requests for sent in (secret, secret, "tocsin_unknown", secret)]
    assert [1, 2, 1, 3] == counts
    known, unknown = store.tokens.admit(secret), store.tokens.admit("tocsin_unknown")
    assert (Token("admin"), digest_of(secret)) == (known.token, known.id)
    assert (None, digest_of("tocsin_unknown")) == (unknown.token, unknown.id)
    assert 0 < known.left_ms <= LONG_MS


def test_a_window_begins_with_its_first_request_and_its_end_takes_the_count_away(
    store: Store, client: redis.Redis
) -> None:
    first = store.tokens.admit("tocsin_unknown")
    assert (1, WINDOW_MS) == (first.requests, first.left_ms)
    assert -1 != client.pttl(requests_key(first.id)) <= WINDOW_MS  # it ends by itself, if it hasn't ended already
    client.delete(requests_key(first.id))
    assert 1 == store.tokens.admit("tocsin_unknown").requests


def test_a_server_that_forgot_the_scripts_counts_all_the_same(store: Store, client: redis.Redis) -> None:
    client.script_flush()
    assert 1 == store.tokens.admit("tocsin_unknown").requests
    client.script_flush()
    store.limits.open_stream(OWNER, "a", for_ms=LONG_MS, most=1)
    client.script_flush()
    assert (False, Hold(True, 1, LONG_MS)) == store.limits.keep_stream(OWNER, OWNER, "a", for_ms=LONG_MS, most=1)


def test_a_count_that_is_no_number_is_an_error_and_not_a_way_around_the_limit(
    store: Store, client: redis.Redis
) -> None:
    client.set(requests_key(digest_of("tocsin_unknown")), "many", px=LONG_MS)
    with pytest.raises(redis.ResponseError):
        store.tokens.admit("tocsin_unknown")


def test_on_a_full_server_nothing_is_counted_and_what_is_open_stays_open(real_store: Store) -> None:
    """Reading and withdrawing must work then, or the server would stay full."""
    client = real_store.client
    secret = real_store.tokens.create(Token("admin"), secret=b"1" * 32)
    client.config_set("maxmemory", 1)
    try:
        with pytest.raises(OutOfMemoryError):
            client.set("tocsin:tallies:full", 1)
        assert Admission(Token("admin"), digest_of(secret), 0, 0) == real_store.tokens.admit(secret)
        assert real_store.limits.open_stream(OWNER, "a", for_ms=LONG_MS, most=1).held
        assert (True, True) == (
            (kept := real_store.limits.keep_stream(digest_of(secret), OWNER, "a", for_ms=LONG_MS, most=1))[0],
            kept[1].held,
        )
    finally:
        client.config_set("maxmemory", 0)


def test_counting_a_request_writes_nothing_to_the_server_s_file(real_store: Store) -> None:
    """So a read doesn't wait for the disk because it is counted."""
    client = real_store.client
    before = client.info("persistence")["aof_current_size"], client.info("replication")["master_repl_offset"]
    for _ in range(50):
        real_store.tokens.admit("tocsin_unknown")
        real_store.limits.open_stream(OWNER, "a", for_ms=LONG_MS, most=1)
    after = client.info("persistence")["aof_current_size"], client.info("replication")["master_repl_offset"]
    # At most the end of a window or two is told, by the server's own hand.
    assert after[0] - before[0] < 50 * len("INCR") * 4


def test_a_token_is_looked_up_and_counted_in_one_round_trip(real_store: Store) -> None:
    """By the server's own count of what it read from its connections."""
    client = real_store.client
    client.set(requests_key(digest_of("tocsin_unknown")), 0, px=LONG_MS)
    real_store.tokens.admit("tocsin_unknown")

    def reads() -> int:
        return int(client.info("stats")["total_reads_processed"])

    before = reads()
    real_store.tokens.get("tocsin_unknown")
    one = reads() - before
    before = reads()
    real_store.tokens.admit("tocsin_unknown")
    assert one == reads() - before


def test_the_last_stream_allowed_is_held_and_the_next_one_is_not(store: Store) -> None:
    held = [store.limits.open_stream(OWNER, name, for_ms=LONG_MS, most=2) for name in ("a", "b")]
    assert [Hold(True, 1, LONG_MS), Hold(True, 2, LONG_MS)] == held
    refused = store.limits.open_stream(OWNER, "c", for_ms=LONG_MS, most=2)
    assert (False, 2) == (refused.held, refused.count)
    assert 0 < refused.first_ms <= LONG_MS
    assert store.limits.open_stream(OWNER, "a", for_ms=LONG_MS, most=2).held
    assert store.limits.open_stream("1" * 64, "c", for_ms=LONG_MS, most=2).held
    store.limits.close_stream(OWNER, "a")
    assert store.limits.open_stream(OWNER, "c", for_ms=LONG_MS, most=2).held


def test_a_killed_process_gives_its_streams_back_when_their_leases_run_out(store: Store, client: redis.Redis) -> None:
    store.limits.open_stream(OWNER, "killed", for_ms=LONG_MS, most=1)
    assert not store.limits.open_stream(OWNER, "next", for_ms=LONG_MS, most=1).held
    client.zadd(streams_key(OWNER), {"killed": store.heads.server_time_ms()})  # its lease runs out now
    assert store.limits.open_stream(OWNER, "next", for_ms=LONG_MS, most=1).held


def test_leases_live_no_longer_than_the_longest_of_them(store: Store, client: redis.Redis) -> None:
    store.limits.open_stream(OWNER, "a", for_ms=LONG_MS, most=2)
    store.limits.open_stream(OWNER, "b", for_ms=LONG_MS // 2, most=2)
    assert LONG_MS // 2 < client.pttl(streams_key(OWNER)) <= LONG_MS


def test_streams_of_all_tokens_are_counted_by_their_leases(store: Store, client: redis.Redis) -> None:
    token = digest_of(store.tokens.create(Token("admin"), secret=b"1" * 32))
    for owner, name in ((OWNER, "a"), (OWNER, "b"), ("1" * 64, "c")):
        store.limits.open_stream(owner, name, for_ms=LONG_MS, most=9)
        assert (True, True) == (
            (kept := store.limits.keep_stream(token, owner, name, for_ms=LONG_MS, most=9))[0],
            kept[1].held,
        )
    now_ms = store.heads.server_time_ms()
    assert 3 == store.limits.streams(now_ms)
    store.limits.close_stream(OWNER, "a")
    client.zadd(OPEN_STREAMS, {"b": now_ms})
    assert 1 == store.limits.streams(now_ms)


def test_a_stream_that_is_kept_learns_that_its_token_is_gone_or_its_place_lost(
    store: Store, client: redis.Redis
) -> None:
    token = digest_of(store.tokens.create(Token("admin"), secret=b"1" * 32))
    store.limits.open_stream(OWNER, "a", for_ms=LONG_MS, most=1)
    assert store.limits.keep_stream(token, OWNER, "a", for_ms=LONG_MS, most=1)[0]
    store.tokens.revoke(token)
    assert not store.limits.keep_stream(token, OWNER, "a", for_ms=LONG_MS, most=1)[0]
    client.delete(streams_key(OWNER))
    store.limits.open_stream(OWNER, "b", for_ms=LONG_MS, most=1)
    assert not store.limits.keep_stream(token, OWNER, "a", for_ms=LONG_MS, most=1)[1].held


def test_the_last_campaign_allowed_has_its_place_reserved_and_the_next_one_has_not(store: Store) -> None:
    asked = [store.limits.reserve_campaign(OWNER, name, 2) for name in ("a", "b", "c", "a")]
    assert [("reserved", 1), ("reserved", 2), ("full", 2), ("had", 2)] == asked
    assert ("reserved", 1) == store.limits.reserve_campaign("1" * 64, "c", 2)
    store.limits.give_back(OWNER, ["a"])
    assert ("reserved", 2) == store.limits.reserve_campaign(OWNER, "c", 2)


def test_places_of_ended_campaigns_and_of_those_never_founded_can_be_given_back(
    store: Store, client: redis.Redis
) -> None:
    store.heads.create(new_campaign(campaign="ended"), seed=SEED)
    store.heads.lifecycle("ended", "end")
    store.heads.create(new_campaign(), seed=SEED)
    for name in (NAME, "ended", "killed", "founding"):
        store.limits.reserve_campaign(OWNER, name, 9)
    now_ms = store.heads.server_time_ms()
    client.zadd(founded_key(OWNER), {"killed": now_ms - 2_000, "founding": now_ms})

    assert {"ended", "killed"} == set(store.limits.ended(OWNER, now_ms - 1_000))


def test_a_sender_s_last_order_allowed_in_a_tick_is_booked_and_the_next_one_is_not(store: Store) -> None:
    head = opened(store)
    terms = {"by": EAST, "orders_actor_tick_max": 2}
    full = ItemRefusal("actor_full", limit=2)
    assert (1, 1, full) == book(store, head, order(1), order(2), order(3), **terms).results
    assert (full,) == book(store, head, order(3), **terms).results
    assert (1,) == book(store, head, order(4), by=sender_count("east", "kim"), orders_actor_tick_max=2).results
    assert (1,) == book(store, head, order(5, amount=0), orders_actor_tick_max=1).results


def test_a_sender_s_batch_that_fits_exactly_is_booked_at_once(store: Store) -> None:
    head = opened(store)
    assert (1, 1) == book(store, head, order(1), order(2), by=EAST, orders_actor_tick_max=2).results
    assert 2 == store.intake.counts(NAME, 1).orders


def test_replacing_takes_no_more_of_a_sender_s_orders_and_withdrawing_gives_one_back(
    store: Store, client: redis.Redis
) -> None:
    head = opened(store)
    terms = {"by": EAST, "orders_actor_tick_max": 1}
    book(store, head, order(1, amount=0), **terms)
    assert (2,) == book(store, head, order(1, amount=0, expect=1), **terms).results
    assert b"1" == client.hget(Keys(NAME).counts(1), EAST)
    gone = store.intake.withdraw(head, 1, order(1).id, expect=2, release=[], by=EAST)
    assert "withdrawn" == gone.outcome
    assert not client.hexists(Keys(NAME).counts(1), EAST)
    assert (1,) == book(store, head, order(2), **terms).results


def test_a_sender_s_changes_are_bounded_and_nobody_else_s_with_them(store: Store) -> None:
    """Whoever sends and withdraws again and again uses up what is its own."""
    head = opened(store)
    terms = {"orders_tick_max": 100, "orders_actor_tick_max": 1}
    for number in (1, 2):
        assert (1,) == book(store, head, order(number, amount=0), by=EAST, **terms).results
        store.intake.withdraw(head, 1, order(number).id, expect=1, release=list[Release](), by=EAST)
    full = (ItemRefusal("changes_full", limit=4),)
    assert full == book(store, head, order(3, amount=0), by=EAST, **terms).results
    assert Counts(orders=0, version=4, theirs=0, their_changes=4) == store.intake.counts(NAME, 1, EAST)
    west = sender_count("west", "kim")
    assert (1,) == book(store, head, order(4, amount=0), by=west, **terms).results


@pytest.mark.parametrize(
    ("bound", "refused"), [("orders_tick_max", "tick_full"), ("orders_actor_tick_max", "changes_full")]
)
def test_a_batch_past_the_changes_of_a_tick_or_of_its_sender_is_booked_as_far_as_they_go(
    store: Store, bound: str, refused: Literal["tick_full", "changes_full"]
) -> None:
    """Two live orders may be had, so eight changes be made."""
    head = opened(store)
    terms = {"by": EAST, bound: 2}
    for number in (1, 2, 3):
        book(store, head, order(number, amount=0), **terms)
        if number == 3:
            book(store, head, order(number, amount=0, expect=1), **terms)
        revision = 2 if number == 3 else 1
        store.intake.withdraw(head, 1, order(number).id, expect=revision, release=list[Release](), by=EAST)
    assert Counts(orders=0, version=7, theirs=0, their_changes=7) == store.intake.counts(NAME, 1, EAST)

    assert (1, ItemRefusal(refused, limit=8)) == book(store, head, order(4), order(5), **terms).results
    assert Counts(orders=1, version=8, theirs=1, their_changes=8) == store.intake.counts(NAME, 1, EAST)


def test_an_all_or_nothing_batch_past_a_sender_s_orders_counts_none_of_them(store: Store, client: redis.Redis) -> None:
    head = opened(store)
    reply = book(store, head, order(1), order(2), by=EAST, orders_actor_tick_max=1, atomic=True)
    assert ["not_booked", "actor_full"] == [one.refused for one in reply.results if isinstance(one, ItemRefusal)]
    assert not client.hexists(Keys(NAME).counts(1), EAST)
    assert (1,) == book(store, head, order(3), by=EAST, orders_actor_tick_max=1).results


def test_withdrawing_an_order_whose_sender_was_not_counted_leaves_no_count(store: Store, client: redis.Redis) -> None:
    head = opened(store)
    book(store, head, order(1))
    store.intake.withdraw(head, 1, order(1).id, expect=1, release=list[Release](), by=EAST)
    assert not client.hexists(Keys(NAME).counts(1), EAST)


def test_tallies_add_up_and_are_read_by_counter_and_labels(store: Store, client: redis.Redis) -> None:
    store.tallies.add({tally_field("orders", "accepted"): 2, tally_field("requests", "GET", "/v1/x", "200"): 1})
    store.tallies.add({tally_field("orders", "accepted"): 3})
    assert {("orders", "accepted"): 5, ("requests", "GET", "/v1/x", "200"): 1} == store.tallies.read()
    assert 2 == client.hlen(TALLIES)


def test_the_census_sums_up_only_campaigns_that_are_there(store: Store, client: redis.Redis) -> None:
    opened(store)
    store.heads.create(new_campaign(campaign="draft"), seed=SEED)
    found = list(store.census.summaries(["draft", "nowhere", NAME]))
    assert ["draft", "open"] == [one.status for one in found]
    assert {(0, "")} == {(one.published, one.tick_status) for one in found}


def test_queues_are_measured_by_their_messages(store: Store, client: redis.Redis) -> None:
    cast(Commands, client).execute_command("LPUSH", "tocsin.small", "a", "b")
    assert {"tocsin.large": 0, "tocsin.small": 2} == store.census.queue_lengths(["tocsin.large", "tocsin.small"])
