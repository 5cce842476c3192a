"""A server that comes back without its last seconds closes a tick again, with another book: nothing that was made of
the first close gets into the second. Fused ticks: test_fused.py."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import redis

from tests.service.pond import World, world
from workers.service.recording import read_record
from workers.service.replaying import replay
from workers.service.resolution import Work
from workers.store.keys import Keys

FISH = {"kind": "fish", "boat": "anna"}


def closed_with(pond: World, lines: int, closed_ms: int) -> None:
    """The pond's tick 1, closed at a moment with one order, in two shards; all else is gone."""
    pond.services.store.client.flushdb()
    pond.found(campaign_seed="5e" * 32, slices=2, shards=2, fuse_below=0)
    pond.send(FISH | {"lines": lines})
    pond.close()
    pond.services.store.client.hset(Keys("pond").head, "closed_ms", closed_ms)


def present(pond: World) -> Work:
    """What the head asks for."""
    campaign = pond.services.campaigns.load("pond")
    step, epoch = campaign.head.step, campaign.head.epoch
    return Work("pond", 1, step, epoch, pond.services.resolution.present_input(campaign))


def play(pond: World) -> list[str]:
    """Every shard of the present superstep that has no output, then its commit; what became of each."""
    resolution, work = pond.services.resolution, present(pond)
    written = pond.services.store.ticks.output_shards("pond", 1, work.epoch, work.step)
    outcomes = [resolution.run_shard(work, shard, "worker") for shard in (0, 1) if shard not in written]
    return [*outcomes, resolution.commit(work)]


@pytest.mark.parametrize("what", ["output", "commit"])
def test_what_was_made_of_a_close_that_the_server_lost_is_stale(
    client: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    pond = world(client, tmp_path.as_uri())
    ticks = pond.services.store.ticks
    write = getattr(ticks, what)

    def overtaken(*arguments: Any) -> Any:
        monkeypatch.undo()
        closed_with(pond, 2, 2_000)
        return write(*arguments)

    closed_with(pond, 1, 1_000)
    monkeypatch.setattr(ticks, what, overtaken)
    assert "stale" in play(pond)
    assert (0, "resolving") == (
        pond.services.campaigns.load("pond").head.step,
        pond.services.campaigns.load("pond").head.tick_status,
    )

    while pond.services.campaigns.load("pond").head.tick_status == "resolving":
        play(pond)
    assert "published" == pond.services.publication.publish("pond", 1)
    pond.services.publication.finish("pond")
    record = read_record(pond.services.archive.read("pond", 1))
    campaign = pond.services.campaigns.load("pond")
    assert [2] == [msgspec.json.decode(order.order)["lines"] for order in record.orders]
    assert [] == replay(record, campaign.rulebook, campaign.engine).findings
