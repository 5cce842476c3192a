"""Ticks whose messages vanished: the sweeper sends them again, whatever else the campaign waits for."""

from typing import cast

import pytest

from tests.pipeline.world import World, wait_for
from workers.app import QUEUE_LARGE, QUEUE_SMALL
from workers.service.lifecycle import Lifecycle
from workers.store.keys import RUNNING, Keys
from workers.tasks import Runtime, build_app


@pytest.mark.parametrize(("queue", "fuse_below"), [(QUEUE_LARGE, 0), (QUEUE_SMALL, 1_000)])
def test_a_stalled_tick_is_sent_again_though_the_next_is_overdue_all_the_time(
    tocsin: World, queue: str, fuse_below: int
) -> None:
    """Each attempt to close the overdue tick used to count as progress of the one that it waits for."""
    tocsin.found("overdue", schedule={"interval_s": 1}, fuse_below=fuse_below)
    life = Lifecycle(tocsin.services.store, tocsin.services.campaigns)
    life.move("overdue", "pause")
    life.move("overdue", "resume")  # so that the open tick gets its deadline
    client = tocsin.services.store.client

    def sent() -> bool:
        tocsin.sweeper.round()
        return bool(client.llen(queue))

    wait_for(sent, "the first tick is closed at its deadline")
    wait_for(lambda: tocsin.head("overdue").deadline_ms <= client.time()[0] * 1_000, "the next tick is overdue")
    client.delete(queue)

    wait_for(sent, "the work of the tick that stalls is sent again", limit_s=20.0)
    assert tocsin.head("overdue").resolving == 1


@pytest.fixture
def stalled(tocsin: World) -> World:
    """A world in which the small tick of a campaign was closed, and its work sent, and nobody took it up for long."""
    tocsin.found("town", fuse_below=1_000)
    tocsin.close("town")
    stall(tocsin)
    return tocsin


def stall(tocsin: World) -> None:
    """Make the campaign's tick look as if it had made no progress for long."""
    client = tocsin.services.store.client
    client.hset(Keys("town").head, "progress_ms", 1)
    client.delete(QUEUE_SMALL)
    if client.zscore(RUNNING, "town") is not None:
        tocsin.services.store.hints.running("town", 1)


def look_ms(tocsin: World) -> float:
    """When the sweeper looks at the campaign's tick; less the stall time, as hints have it."""
    return cast(float, tocsin.services.store.client.zscore(RUNNING, "town"))


def walk(tocsin: World) -> None:
    """Sweep until a walk over all campaigns has come by: it notes a deadline that nobody noted."""
    store = tocsin.services.store
    if store.heads.get("mark") is None:
        tocsin.found("mark", schedule={"interval_s": 3_600})
        assert store.heads.lifecycle("mark", "pause").outcome == "changed"
        far_ms = store.heads.server_time_ms() + 3_600_000
        assert store.heads.lifecycle("mark", "resume", deadline_ms=far_ms).outcome == "changed"
    store.hints.not_due("mark")

    def walked() -> bool:
        tocsin.sweeper.round()
        return bool(store.hints.due_until(1 << 52, 10))

    wait_for(walked, "a walk over all campaigns")


def test_a_tick_whose_hint_is_lost_is_sent_again_though_one_before_it_was_nudged(stalled: World) -> None:
    """Its worker may take the hint away just after the next tick was closed, and whoever closed it may die."""
    stalled.sweeper.round()
    assert 1 == stalled.services.store.client.llen(QUEUE_SMALL), "the first was nudged"
    Runtime(build_app(stalled.settings), stalled.services).resolve("town")
    head = stalled.head("town")
    assert "closed" == stalled.services.closing.close(head, 2, "operator").outcome
    stalled.services.store.hints.not_running("town")
    stall(stalled)

    def sent() -> bool:
        stalled.sweeper.round()
        return bool(stalled.services.store.client.llen(QUEUE_SMALL))

    wait_for(sent, "a walk mends the hint")


def test_a_tick_that_stands_still_is_sent_again_ever_more_rarely(stalled: World) -> None:
    stall_ms = int(stalled.settings.stall_s * 1000)
    for more_ms in (0, stall_ms, 3 * stall_ms, 7 * stall_ms, 15 * stall_ms, 15 * stall_ms):
        stalled.services.store.hints.running("town", 1)
        before_ms = stalled.services.store.heads.server_time_ms()
        stalled.sweeper.round()
        after_ms = stalled.services.store.heads.server_time_ms()
        assert before_ms + more_ms <= look_ms(stalled) <= after_ms + more_ms


def test_a_walk_brings_no_nudge_forward(stalled: World) -> None:
    for _ in range(5):
        stalled.services.store.hints.running("town", 1)
        stalled.sweeper.round()
    noted_ms = look_ms(stalled)
    walk(stalled)
    assert noted_ms == look_ms(stalled)


def test_progress_and_another_tick_are_nudged_as_soon_as_if_it_were_the_first_time(stalled: World) -> None:
    store = stalled.services.store

    def nudged_ms() -> float:
        """When it is looked at again after a nudge, from that nudge on."""
        store.hints.running("town", 1)
        stalled.sweeper.round()
        return look_ms(stalled) - store.heads.server_time_ms()

    assert nudged_ms() <= 0 < nudged_ms()
    store.client.hset(Keys("town").head, "progress_ms", 2)
    assert nudged_ms() <= 0 < nudged_ms()

    Runtime(build_app(stalled.settings), stalled.services).resolve("town")
    stalled.close("town")
    stall(stalled)
    assert nudged_ms() <= 0 < nudged_ms()


# A server whose clock was an hour fast, and then is set right.

HOUR_MS = 3_600_000


def test_a_tick_that_stands_still_is_sent_again_though_the_server_s_clock_was_set_back(tocsin: World) -> None:
    tocsin.found("town", fuse_below=1_000)
    tocsin.close("town")
    store = tocsin.services.store
    store.client.delete(QUEUE_SMALL)
    later_ms = store.heads.server_time_ms() + HOUR_MS
    store.client.hset(Keys("town").head, "progress_ms", later_ms)
    store.hints.running("town", later_ms)

    def sent() -> bool:
        tocsin.sweeper.round()
        return bool(store.client.llen(QUEUE_SMALL))

    wait_for(sent, "the tick is nudged", limit_s=20.0)


def test_a_nudge_that_was_put_off_by_a_clock_that_was_set_back_waits_no_longer_than_its_backoff(stalled: World) -> None:
    store = stalled.services.store
    for _ in range(3):
        store.hints.running("town", 1)
        stalled.sweeper.round()
    store.hints.running("town", store.heads.server_time_ms() + HOUR_MS)
    before_ms = store.heads.server_time_ms()
    walk(stalled)

    backoff_ms = int(stalled.settings.stall_s * 1000) * 3
    assert before_ms + backoff_ms <= look_ms(stalled) <= store.heads.server_time_ms() + backoff_ms


def test_progress_since_the_hint_was_noted_is_no_stall(stalled: World) -> None:
    """A shard's output tells the head alone."""
    store = stalled.services.store
    now_ms = store.heads.server_time_ms()
    store.client.hset(Keys("town").head, "progress_ms", now_ms)
    stalled.sweeper.round()

    assert (0, now_ms) == (store.client.llen(QUEUE_SMALL), look_ms(stalled))
