"""Ticks that close by the word of all their camps, though that came before they may close."""

from typing import Any

import pytest

from tests.pipeline.world import World, wait_for
from workers.service.lifecycle import Lifecycle
from workers.service.readiness import Readiness
from workers.store.keys import DUE, Keys
from workers.tasks import Runtime, build_app

HOUR_S = 3_600


def found(tocsin: World, *, min_open_s: int = 0, **schedule: Any) -> None:
    tocsin.found("town", fuse_below=1_000, min_open_s=min_open_s, schedule={"when_ready": True, **schedule})


def say_ready(tocsin: World, *camps: str) -> list[tuple[int, bool]]:
    """Each camp's word (both, if none is named): the tick that it is for, and whether that closed at once."""
    readiness = Readiness(tocsin.services.store, tocsin.desk, tocsin.services.closing)
    return [readiness.mark("town", camp, on=True) for camp in camps or ("angel", "demon")]


def life(tocsin: World) -> Lifecycle:
    return Lifecycle(tocsin.services.store, tocsin.services.campaigns)


def look_ms(tocsin: World) -> float | None:
    """When the sweeper looks whether the open tick closes; None: not at all."""
    return tocsin.services.store.client.zscore(DUE, "town")


def resolve(tocsin: World) -> None:
    """Resolve and publish the closed tick in this process, as a worker does."""
    Runtime(build_app(tocsin.settings), tocsin.services).resolve("town")


def closing(tocsin: World) -> tuple[int | None, str]:
    """Sweep once; the tick that is closed and not yet published, and what closed it."""
    tocsin.sweeper.round()
    head = tocsin.head("town")
    return head.resolving, head.trigger


def test_a_tick_closes_by_itself_once_it_was_open_for_long_enough(tocsin: World) -> None:
    found(tocsin, min_open_s=1)
    assert [(1, False)] * 2 == say_ready(tocsin)
    assert tocsin.head("town").opened_ms + 1_000 == look_ms(tocsin)

    wait_for(lambda: closing(tocsin) == (1, "ready"), "tick 1 closes by its camps' word")


def test_a_tick_closes_as_soon_as_the_one_before_it_is_published(tocsin: World) -> None:
    found(tocsin)
    tocsin.close("town")
    assert [(2, False)] * 2 == say_ready(tocsin)

    resolve(tocsin)
    assert (2, "ready") == closing(tocsin)


def test_a_tick_closes_after_its_predecessor_s_publication_and_no_sooner_than_it_was_open_for_long_enough(
    tocsin: World,
) -> None:
    found(tocsin, min_open_s=1)
    wait_for(lambda: any(closed for _, closed in say_ready(tocsin)), "tick 1 closes")
    say_ready(tocsin)
    tocsin.services.store.hints.not_due("town")  # what is left of tick 1 is a look too early, which harms nothing
    resolve(tocsin)
    assert tocsin.head("town").published_ms + 1_000 == look_ms(tocsin)

    wait_for(lambda: closing(tocsin) == (2, "ready"), "tick 2 closes by its camps' word")


def test_a_word_past_a_deadline_that_nobody_kept_closes_the_next_tick(tocsin: World) -> None:
    found(tocsin, interval_s=HOUR_S)
    store = tocsin.services.store
    store.client.hset(Keys("town").head, "deadline_ms", 1)
    store.hints.due("town", 1)
    assert [(2, False)] * 2 == say_ready(tocsin)

    assert (1, "deadline") == closing(tocsin)
    resolve(tocsin)
    assert (2, "ready") == closing(tocsin)


def test_a_deadline_is_kept_whoever_is_ready(tocsin: World) -> None:
    found(tocsin, interval_s=HOUR_S)
    life(tocsin).move("town", "pause")
    life(tocsin).move("town", "resume")
    deadline_ms = tocsin.head("town").deadline_ms
    say_ready(tocsin, "angel")
    tocsin.services.store.hints.due("town", 1)

    assert (None, "") == closing(tocsin)
    assert deadline_ms == look_ms(tocsin), "a look in vain leaves the next where it belongs"


def test_a_look_in_vain_is_the_last_where_there_is_no_deadline(tocsin: World) -> None:
    found(tocsin)
    say_ready(tocsin, "angel")
    tocsin.services.store.hints.due("town", 1)

    assert (None, "") == closing(tocsin)
    assert look_ms(tocsin) is None


def test_readiness_closes_nothing_by_itself_where_the_schedule_doesn_t_say_so(tocsin: World) -> None:
    found(tocsin, when_ready=False, interval_s=HOUR_S)
    say_ready(tocsin)
    tocsin.services.store.hints.due("town", 1)
    assert (None, "") == closing(tocsin)


def test_a_deadline_before_the_tick_was_open_for_long_enough_is_looked_at_when_it_was(tocsin: World) -> None:
    found(tocsin, min_open_s=HOUR_S, interval_s=1)
    tocsin.services.store.client.hset(Keys("town").head, "deadline_ms", 1)
    tocsin.services.store.hints.due("town", 1)

    assert (None, "") == closing(tocsin)
    assert tocsin.head("town").opened_ms + HOUR_S * 1_000 == look_ms(tocsin)


def test_a_walk_finds_a_tick_whose_camps_are_ready_and_that_nobody_tried_to_close(tocsin: World) -> None:
    """Whoever took the last word died before it closed the tick."""
    found(tocsin)
    store = tocsin.services.store
    store.intake.ready("town", 1, "angel", on=True)
    assert (None, "") == closing(tocsin)
    assert look_ms(tocsin) is None, "one camp isn't all"

    store.intake.ready("town", 1, "demon", on=True)

    def noted_ms() -> float | None:
        tocsin.sweeper.round()
        return look_ms(tocsin)

    assert tocsin.head("town").opened_ms < wait_for(noted_ms, "a walk"), "it waits behind those that are noted"
    wait_for(lambda: closing(tocsin) == (1, "ready"), "tick 1 closes by its camps' word")


def test_a_publication_asks_for_no_look_at_a_campaign_that_is_paused(tocsin: World) -> None:
    found(tocsin)
    tocsin.close("town")
    life(tocsin).move("town", "pause")
    resolve(tocsin)
    assert look_ms(tocsin) is None


@pytest.mark.parametrize("min_open_s", [0, HOUR_S])
def test_a_campaign_that_is_resumed_remembers_its_camps_word(tocsin: World, min_open_s: int) -> None:
    found(tocsin, min_open_s=min_open_s)
    store = tocsin.services.store
    for camp in ("angel", "demon"):
        store.intake.ready("town", 1, camp, on=True)
    life(tocsin).move("town", "pause")
    assert look_ms(tocsin) is None

    life(tocsin).move("town", "resume")
    assert tocsin.head("town").opened_ms + min_open_s * 1_000 == look_ms(tocsin)
    assert ((1, "ready") if min_open_s == 0 else (None, "")) == closing(tocsin)
