"""A sweeper's round over many campaigns: each is closed when it is due, and small ones go out several to a task."""

import base64
import json
from typing import Any, cast

import pytest

from tests.pipeline.world import World
from workers.app import QUEUE_SMALL
from workers.service.door import RESOLVE
from workers.store.keys import Keys

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
    due.services.store.client.hset(Keys(TOWNS[4]).head, "epoch", "not a number")
    due.sweeper.round()

    others = [name for name in TOWNS if name != TOWNS[4]]
    assert others == sorted(name for batch in sent(due) for name in batch)
    now_ms = due.services.store.heads.server_time_ms()
    assert [] == due.services.store.hints.due_until(now_ms, 100), "it is looked at again later, not in each round"
    assert [TOWNS[4]] == due.services.store.hints.due_until(now_ms + 3_600_000, 100)


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
