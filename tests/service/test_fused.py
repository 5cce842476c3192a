"""A fused tick: one process plays all of it, commits each superstep, and counts its start where it takes it up."""

from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest
import redis

from tests.service.pond import ANNA, WEST, World, world
from workers.service.resolution import Resolution, Work
from workers.store.keys import Keys


class Killed(BaseException):
    """Stands for the end of a process: nothing that runs afterwards in it."""


def attempts(pond: World, tick: int) -> dict[str, int]:
    head = pond.services.campaigns.load("pond").head
    return pond.services.store.ticks.attempts("pond", tick, head.epoch)


@pytest.fixture
def closed(client: redis.Redis, tmp_path: Path) -> World:
    """The pond, its tick 1 closed with two orders, to be played by one task."""
    made = world(client, tmp_path.as_uri())
    made.found(fuse_below=1_000)
    made.send(ANNA)
    made.send({"kind": "fish", "boat": "carl"}, sender=WEST)
    made.close()
    return made


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, str], None]:
    """Makes the process end before the given superstep's shard, or its commit."""

    def arm(step: int, where: str) -> None:
        original = getattr(Resolution, where)

        def run(self: Resolution, work: Work, *rest: object) -> object:
            if work.step == step:
                raise Killed
            return original(self, work, *rest)

        monkeypatch.setattr(Resolution, where, run)

    return arm


def test_a_tick_that_is_played_through_counts_one_start(closed: World, dying: Callable[[int, str], None]) -> None:
    last = len(closed.services.campaigns.load("pond").engine.steps) - 1
    dying(last, "commit")

    with pytest.raises(Killed):
        closed.runtime.resolve("pond")

    assert {"0/0": 1, "0/commit": 1} == attempts(closed, 1)


@pytest.mark.parametrize("where", ["run_shard", "commit"])
def test_each_process_that_takes_a_tick_up_again_counts_its_start_there(
    closed: World, monkeypatch: pytest.MonkeyPatch, dying: Callable[[int, str], None], where: str
) -> None:
    dying(1, where)
    for _ in range(3):
        with pytest.raises(Killed):
            closed.runtime.resolve("pond")

    name = "1/0" if where == "run_shard" else "1/commit"
    assert 2 == attempts(closed, 1)[name], "the first process came there by its own commit"
    monkeypatch.undo()
    closed.runtime.resolve("pond")
    assert 1 == closed.services.campaigns.load("pond").head.published
    assert 0 == closed.services.store.client.exists(Keys("pond").attempts(1, 1))


def test_campaigns_of_one_name_and_seed_are_each_played_with_their_own_orders(
    client: redis.Redis, tmp_path: Path
) -> None:
    """As on a server that lost its last seconds: the same tick of the same campaign, closed again with other orders."""
    pond = world(client, tmp_path.as_uri())
    digests = []
    for number, boats in enumerate((("anna", "bert"), ("bert", "anna"))):
        client.flushdb()
        rmtree(tmp_path)
        tmp_path.mkdir()
        pond.found(campaign_seed="5e" * 32, fuse_below=1_000)
        pond.send({"kind": "fish", "boat": boats[0], "lines": 1 + number})
        pond.close()
        pond.runtime.resolve("pond")
        record = pond.services.store.heads.record("pond", 1)
        assert record is not None
        digests.append(record["digest"])

    assert digests[0] != digests[1]
