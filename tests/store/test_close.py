"""The close of a tick: once, when it may, and the next tick takes orders from that moment."""

import pytest

from tests.store.campaigns import NAME, SEED, book, close, head_of, new_campaign, opened, order, published
from workers.store import Store
from workers.store.records import Failure

FAR_MS = 9_999_999_999_999


def test_the_close_freezes_the_book_and_opens_the_next_tick(store: Store) -> None:
    head = opened(store, deadline_ms=FAR_MS, fuse_below=0, shards=2)
    book(store, head, order(1), order(2))
    before_ms = store.heads.server_time_ms()
    reply = close(store, next_deadline_ms=FAR_MS - 1)

    assert ("closed", 2, 1, 2, False) == (
        reply.outcome,
        reply.open_tick,
        reply.resolving,
        reply.tick_shards,
        reply.fused,
    )
    closed = head_of(store)
    assert (2, FAR_MS - 1) == (closed.open_tick, closed.deadline_ms)
    assert (1, "resolving", 0, 1) == (closed.resolving, closed.tick_status, closed.step, closed.epoch)
    assert (2, 2, 2, False, "operator") == (
        closed.orders,
        closed.book_version,
        closed.tick_shards,
        closed.fused,
        closed.trigger,
    )
    assert before_ms <= closed.closed_ms == closed.opened_ms == closed.progress_ms == closed.step_started_ms


def test_the_close_publishes_the_commitment_of_the_tick_after_the_next(store: Store) -> None:
    opened(store)
    assert {0: "c0", 1: "c1", 2: "c2"} == store.heads.commitments(NAME)
    published(store, 1)
    assert {0: "c0", 1: "c1", 2: "c2", 3: "c3"} == store.heads.commitments(NAME)
    published(store, 2)
    assert {0: "c0", 1: "c1", 2: "c2", 3: "c3", 4: "c4"} == store.heads.commitments(NAME)


def test_closing_twice_closes_once_and_tells_the_second_what_is_open(store: Store) -> None:
    opened(store)
    close(store)
    once = head_of(store)
    reply = close(store)

    assert ("other_tick", 2, 1) == (reply.outcome, reply.open_tick, reply.resolving)
    assert once == head_of(store)


def test_a_tick_waits_for_its_predecessor_s_publication(store: Store) -> None:
    opened(store)
    close(store)

    reply = close(store, tick=2)
    assert ("still_resolving", 1) == (reply.outcome, reply.resolving)
    assert reply.open_tick == 2


def test_a_quarantined_tick_is_still_resolving(store: Store) -> None:
    opened(store)
    close(store)
    store.ticks.fail(NAME, 1, 1, Failure("exception"))

    assert "still_resolving" == close(store, tick=2).outcome


@pytest.mark.parametrize("verbs", [(), ("open", "pause"), ("end",)])
def test_only_an_open_campaign_closes_ticks(store: Store, verbs: tuple[str, ...]) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    for verb in verbs:
        store.heads.lifecycle(NAME, verb)  # type: ignore[arg-type] # parametrize knows texts only

    assert "not_open_campaign" == close(store).outcome
    assert head_of(store).resolving is None


def test_what_doesn_t_exist_can_t_be_closed(store: Store) -> None:
    reply = close(store)

    assert ("not_open_campaign", 0, None) == (reply.outcome, reply.open_tick, reply.resolving)
    assert store.heads.get(NAME) is None


def test_a_deadline_closes_no_tick_before_its_time(store: Store) -> None:
    opened(store, deadline_ms=FAR_MS)

    reply = close(store, trigger="deadline")
    assert ("not_due", FAR_MS) == (reply.outcome, reply.until_ms)
    assert head_of(store).resolving is None


def test_a_tick_without_a_deadline_is_never_due(store: Store) -> None:
    opened(store)

    assert ("not_due", 0) == (close(store, trigger="deadline").outcome, close(store, trigger="deadline").until_ms)


def test_a_tick_past_its_deadline_is_due(store: Store) -> None:
    opened(store, deadline_ms=1)

    assert "closed" == close(store, trigger="deadline").outcome
    assert "deadline" == head_of(store).trigger


def test_readiness_closes_when_all_camps_are_ready_and_clears_their_marks(store: Store) -> None:
    opened(store)
    store.intake.ready(NAME, 1, "angels", on=True)
    assert "not_ready" == close(store, trigger="ready").outcome

    store.intake.ready(NAME, 1, "demons", on=True)
    assert "closed" == close(store, trigger="ready").outcome
    assert [] == store.intake.ready_camps(NAME, 1) == store.intake.ready_camps(NAME, 2)


def test_a_tick_stays_open_for_its_least_time(store: Store) -> None:
    head = opened(store, min_open_s=3_600)
    reply = close(store)

    assert ("min_open", head.opened_ms + 3_600_000) == (reply.outcome, reply.until_ms)


def test_the_least_time_begins_when_the_predecessor_is_published(store: Store) -> None:
    opened(store, min_open_s=0)
    published(store)
    store.client.hset(f"tocsin:{{{NAME}}}:head", "min_open_s", "3600")

    reply = close(store, tick=2)
    assert ("min_open", head_of(store).published_ms + 3_600_000) == (reply.outcome, reply.until_ms)


def test_an_archive_that_lags_too_far_behind_stops_the_closes(store: Store) -> None:
    opened(store)
    published(store, 1)
    published(store, 2)

    assert "archive_behind" == close(store, tick=3, archive_lag_max=1).outcome
    store.heads.archived(NAME, 1)
    assert "closed" == close(store, tick=3, archive_lag_max=1).outcome


@pytest.mark.parametrize(
    ("orders", "campaign", "terms", "shards"),
    [
        (10, {"fuse_below": 11}, {"shards_min": 4, "orders_per_shard": 1}, 1),
        (10, {"fuse_below": 11, "shards": 8}, {}, 1),
        (10, {"fuse_below": 10}, {"shards_min": 4, "orders_per_shard": 100}, 4),
        (10, {"fuse_below": 10}, {"shards_min": 1, "orders_per_shard": 4}, 3),
        (10, {"fuse_below": 10}, {"shards_min": 1, "orders_per_shard": 5}, 2),
        (10, {"fuse_below": 0, "shards": 5}, {"shards_min": 1, "orders_per_shard": 1}, 5),
        (10, {"fuse_below": 0, "shards": 50}, {}, 16),
        (10, {"fuse_below": 0, "slices": 2}, {"shards_min": 1, "orders_per_shard": 1}, 2),
        (0, {"fuse_below": 0}, {"shards_min": 1, "orders_per_shard": 10}, 1),
        (0, {"fuse_below": 1}, {}, 1),
    ],
)
def test_the_number_of_shards(
    store: Store, orders: int, campaign: dict[str, int], terms: dict[str, int], shards: int
) -> None:
    head = opened(store, **campaign)
    if orders:
        book(store, head, *(order(number, amount=0) for number in range(orders)))
    reply = close(store, **terms)

    assert (shards, orders < campaign["fuse_below"]) == (reply.tick_shards, reply.fused)
    assert (shards, reply.fused, orders) == (
        head_of(store).tick_shards,
        head_of(store).fused,
        head_of(store).orders,
    )


def test_orders_past_the_deadline_are_in_the_next_book_when_the_tick_closes(store: Store) -> None:
    head = opened(store, deadline_ms=1)
    book(store, head, order(1), tick=2)
    close(store, trigger="deadline")

    assert 0 == head_of(store).orders
    assert 1 == store.intake.counts(NAME, 2).orders
    assert (1,) == book(store, head, order(2), tick=2).results
