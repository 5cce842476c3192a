"""Ticks whose messages vanished: the sweeper sends them again, whatever else the campaign waits for."""

import pytest

from tests.pipeline.world import World, wait_for
from workers.app import QUEUE_LARGE, QUEUE_SMALL
from workers.service.lifecycle import Lifecycle


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
