"""A sweeper's round over many campaigns: each is closed when it is due, and small ones go out several to a task."""

import base64
import dataclasses
import json
from pathlib import Path
from typing import Any, cast

import pytest

from tests.pipeline.world import World
from workers.app import QUEUE_SMALL
from workers.service.door import RESOLVE
from workers.store.keys import DUE, Keys
from workers.store.records import Failure
from workers.sweeper import ROUND_LIMIT, Sweeper
from workers.tasks import Runtime, build_app

TOWNS = tuple(f"town-{number:02}" for number in range(13))


@pytest.fixture
def due(tocsin: World) -> World:
    """A world with small campaigns whose deadline has passed."""
    for name in TOWNS:
        tocsin.found(name, fuse_below=1_000)
        make_due(tocsin, name)
    return tocsin


def make_due(tocsin: World, name: str) -> None:
    heads = tocsin.services.store.heads
    heads.lifecycle(name, "pause")
    deadline_ms = heads.server_time_ms() - 1
    assert "changed" == heads.lifecycle(name, "resume", deadline_ms=deadline_ms).outcome
    tocsin.services.store.hints.due(name, deadline_ms)


def sent(tocsin: World) -> list[list[str]]:
    """The campaigns of each message that asks for small ticks, in the order in which they were sent."""
    found = []
    for raw in reversed(cast(list[bytes], tocsin.services.store.client.lrange(QUEUE_SMALL, 0, -1))):
        message: Any = json.loads(raw)
        assert RESOLVE == message["headers"]["task"]
        found.append(json.loads(base64.b64decode(message["body"]))[0][0])
    return found


def test_small_campaigns_go_out_as_many_to_a_task_as_is_set(due: World) -> None:
    due.sweeper.round()
    batches = sent(due)

    assert [due.services.settings.batch_campaigns, 3] == list(map(len, batches))
    assert sorted(TOWNS) == sorted(name for batch in batches for name in batch)
    assert {2} == {due.head(name).open_tick for name in TOWNS}


def test_small_campaigns_that_stall_are_sent_again_as_many_to_a_task(due: World) -> None:
    due.sweeper.round()
    client = due.services.store.client
    client.delete(QUEUE_SMALL)
    for name in TOWNS:
        due.services.store.hints.running(name, 1)
        client.hset(Keys(name).head, "progress_ms", 1)
    due.sweeper.round()

    batches = sent(due)
    assert [due.services.settings.batch_campaigns, 3] == list(map(len, batches))
    assert sorted(TOWNS) == sorted(name for batch in batches for name in batch)


def test_a_campaign_whose_head_can_t_be_read_keeps_no_other_waiting(due: World) -> None:
    hints, interval_ms = due.services.store.hints, int(due.services.settings.sweep_walk_interval_s * 1_000)
    due.services.store.client.hset(Keys(TOWNS[4]).head, "epoch", "not a number")
    before_ms = due.services.store.heads.server_time_ms()
    due.sweeper.round()

    others = [name for name in TOWNS if name != TOWNS[4]]
    assert others == sorted(name for batch in sent(due) for name in batch)
    assert [] == hints.due_until(before_ms + interval_ms - 1, 100), "it is looked at again later, not in each round"
    assert [TOWNS[4]] == hints.due_until(before_ms + interval_ms + 3_600_000, 100)


def test_a_running_campaign_whose_head_can_t_be_read_keeps_no_other_waiting(due: World) -> None:
    due.sweeper.round()
    client = due.services.store.client
    client.delete(QUEUE_SMALL)
    client.hset(Keys(TOWNS[0]).head, "epoch", "not a number")
    for name in TOWNS[:2]:
        due.services.store.hints.running(name, 1)
        client.hset(Keys(name).head, "progress_ms", 1)
    due.sweeper.round()

    assert [[TOWNS[1]]] == sent(due)


# What is due and can't close.


def test_more_campaigns_that_can_t_close_than_a_round_looks_at_keep_no_other_from_closing(tocsin: World) -> None:
    """The next tick of each has been overdue for long, while the one before is in quarantine."""
    store = tocsin.services.store
    tocsin.found("stuck", fuse_below=1_000)
    tocsin.close("stuck")
    assert store.ticks.fail("stuck", 1, 1, Failure("exception", "boom", 1, 0, "0", "worker"))
    store.client.hset(Keys("stuck").head, "deadline_ms", 1)
    head: Any = store.client.hgetall(Keys("stuck").head)
    for number in range(ROUND_LIMIT):
        store.client.hset(Keys(f"stuck-{number}").head, mapping={**head, b"campaign": f"stuck-{number}"})
        store.hints.due(f"stuck-{number}", 1)
    tocsin.found("town", fuse_below=1_000)
    make_due(tocsin, "town")

    for _ in range(2):
        tocsin.sweeper.round()
    assert 1 == tocsin.head("town").resolving


def patient(tocsin: World) -> Sweeper:
    """A sweeper that has walked over all campaigns and does so once an hour; it doesn't wait between rounds."""
    settings = tocsin.settings.model_copy(update={"sweep_walk_interval_s": 3_600.0, "sweep_interval_s": 0.001})
    made = Sweeper(dataclasses.replace(tocsin.services, settings=settings), tocsin.dispatcher, "test")
    assert made.round()
    return made


def stay_in_quarantine(tocsin: World, name: str) -> None:
    tocsin.close(name)
    assert tocsin.services.store.ticks.fail(name, 1, 1, Failure("exception", "boom", 1, 0, "0", "worker"))


def fall_behind(tocsin: World, name: str) -> None:
    """As many published ticks wait for the archive as may, and one more."""
    tocsin.services.store.client.hset(Keys(name).head, "published", tocsin.settings.archive_lag_max + 1)


def lose_a_tick(tocsin: World, name: str) -> None:
    """The archive has the open tick."""
    file = Path(tocsin.services.archive.path(name, 1))
    file.parent.mkdir(parents=True)
    file.touch()


@pytest.mark.parametrize("hinder", [stay_in_quarantine, fall_behind, lose_a_tick])
def test_a_campaign_that_can_t_close_waits_behind_those_that_may(tocsin: World, hinder: Any) -> None:
    sweeper = patient(tocsin)
    tocsin.found("town", fuse_below=1_000)
    hinder(tocsin, "town")
    before_ms = tocsin.services.store.heads.server_time_ms()
    tocsin.services.store.client.hset(Keys("town").head, "deadline_ms", 1)
    tocsin.services.store.hints.due("town", 1)
    sweeper.round()

    noted_ms = tocsin.services.store.client.zscore(DUE, "town")
    assert noted_ms is not None, "it isn't forgotten"
    assert before_ms + 3_600_000 <= noted_ms


def test_a_round_that_is_cut_off_keeps_none_of_those_waiting_that_it_didn_t_come_to(tocsin: World) -> None:
    sweeper = patient(tocsin)
    for name in TOWNS:
        tocsin.found(name, fuse_below=1_000)
        make_due(tocsin, name)
    client = tocsin.services.store.client
    client.set(QUEUE_SMALL, "no queue")
    sweeper.run(rounds=1)
    assert {1, 2} == {tocsin.head(name).open_tick for name in TOWNS}, "it was cut off in between"

    client.delete(QUEUE_SMALL)
    sweeper.run(rounds=2)
    assert {2} == {tocsin.head(name).open_tick for name in TOWNS}


def test_a_tick_that_waited_for_the_one_before_closes_as_soon_as_that_is_published(tocsin: World) -> None:
    sweeper = patient(tocsin)
    tocsin.found("town", fuse_below=1_000)
    tocsin.close("town")
    client = tocsin.services.store.client
    client.hset(Keys("town").head, "deadline_ms", 1)
    tocsin.services.store.hints.due("town", 1)
    sweeper.round()
    assert (1, 2) == (tocsin.head("town").resolving, tocsin.head("town").open_tick)

    Runtime(build_app(tocsin.settings), tocsin.services).resolve("town")
    sweeper.round()
    assert 2 == tocsin.head("town").resolving


def test_a_tick_that_waited_for_the_archive_closes_as_soon_as_that_has_caught_up(tocsin: World) -> None:
    sweeper = patient(tocsin)
    tocsin.found("town", fuse_below=1_000)
    runtime = Runtime(build_app(tocsin.settings), tocsin.services)
    folder = Path(tocsin.services.archive.path("town", 1)).parent
    folder.parent.mkdir()
    folder.touch()  # no folder can be made where a file is
    make_due(tocsin, "town")
    for tick in range(1, tocsin.settings.archive_lag_max + 2):
        sweeper.round()
        assert tick == tocsin.head("town").resolving, "those before are published, though none is archived"
        tocsin.services.store.client.hset(Keys("town").head, "deadline_ms", 1)
        with pytest.raises(OSError):
            runtime.resolve("town")
    tocsin.services.store.hints.due("town", 1)
    sweeper.round()
    assert tocsin.head("town").resolving is None, "too many wait for the archive"

    folder.unlink()
    tocsin.services.publication.finish("town")
    sweeper.round()
    assert tocsin.head("town").published + 1 == tocsin.head("town").resolving


def test_a_walk_notes_an_overdue_tick_behind_those_that_are_noted(tocsin: World) -> None:
    tocsin.found("town", fuse_below=1_000)
    tocsin.services.store.client.hset(Keys("town").head, "deadline_ms", 1)
    before_ms = tocsin.services.store.heads.server_time_ms()
    tocsin.sweeper.round()  # its first round walks, after it looked at what is due

    noted_ms = tocsin.services.store.client.zscore(DUE, "town")
    assert noted_ms is not None
    assert before_ms <= noted_ms <= tocsin.services.store.heads.server_time_ms()
