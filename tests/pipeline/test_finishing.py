"""After a publication: archive, retirement and reveal, by whoever comes first, and again by whoever comes next."""

from collections.abc import Iterable
from typing import Any, cast

import pytest

from tests.pipeline.world import World, wait_for
from workers.service.publication import MissingRecord, Publication
from workers.service.resolution import Work
from workers.store.archive import Archive
from workers.store.errors import ArchiveConflict
from workers.store.keys import Keys


class Overtaken(Archive):
    """An archive whose writer is overtaken: just before it reads what it writes, another process ends the same work."""

    def __init__(self, url: str, other: Publication, campaign: str) -> None:
        super().__init__(url)
        self._other, self._campaign = other, campaign

    def write(self, campaign: str, tick: int, lines: Iterable[bytes]) -> str:
        self._other.finish(self._campaign)
        return super().write(campaign, tick, lines)


def published(tocsin: World, name: str) -> int:
    """Play and publish a tick in this process, and do nothing of what follows; the tick."""
    tocsin.found(name, fuse_below=1_000_000, policy={"reveal_after": 1})
    tocsin.book(name)
    services, runner = tocsin.services, tocsin.services.runner()
    tick = tocsin.head(name).open_tick
    assert services.closing.close(tocsin.head(name), tick, "operator").outcome == "closed"
    while (head := tocsin.head(name)).tick_status == "resolving":
        work = Work(name, tick, head.step, head.epoch, services.resolution.present_input(services.campaigns.load(name)))
        for shard in range(head.tick_shards):
            runner.shard(work, shard)
        runner.commit(work)
    assert services.publication.publish(name, tick) == "published"
    return tick


def test_a_tick_that_two_processes_finish_at_once_is_archived_once_and_stays_whole(tocsin: World) -> None:
    tick = published(tocsin, "raced")
    services = tocsin.services
    overtaken = Overtaken(tocsin.settings.archive_url, services.publication, "raced")
    Publication(services.store, services.campaigns, overtaken, services.settings.archive_lag_max).finish("raced")

    assert tocsin.head("raced").retired == tick
    assert tocsin.replay("raced", tick).findings == []


def test_a_file_of_somebody_else_in_the_archive_is_still_said_and_nothing_is_retired(tocsin: World) -> None:
    tick = published(tocsin, "mixed-up")
    tocsin.services.archive.write("mixed-up", tick, [b"what somebody else wrote\n"])

    with pytest.raises(ArchiveConflict):
        tocsin.services.publication.finish("mixed-up")
    assert (tocsin.head("mixed-up").archived, tocsin.head("mixed-up").retired) == (0, 0)


def test_a_tick_whose_record_is_lost_counts_as_archived_only_where_the_archive_has_it(tocsin: World) -> None:
    tick = published(tocsin, "robbed")
    services = tocsin.services
    record = services.store.client.hgetall(Keys("robbed").record(tick))
    services.store.client.delete(Keys("robbed").record(tick))
    with pytest.raises(MissingRecord, match=f"robbed: tick {tick}"):
        services.publication.finish("robbed")
    assert (0, 0) == (tocsin.head("robbed").archived, tocsin.head("robbed").retired)
    assert [] == services.archive.ticks("robbed")

    services.store.client.hset(Keys("robbed").record(tick), mapping=cast(Any, record))
    services.publication.finish("robbed")
    services.store.client.hset(Keys("robbed").head, mapping={"archived": 0, "retired": 0})
    services.store.client.delete(Keys("robbed").record(tick))
    services.publication.finish("robbed")
    assert tick == tocsin.head("robbed").archived


def test_the_sweeper_has_the_seeds_of_an_ended_campaign_revealed_where_the_message_to_do_so_was_lost(
    tocsin: World,
) -> None:
    tick = published(tocsin, "ended")
    tocsin.services.publication.finish("ended")
    tocsin.services.store.heads.lifecycle("ended", "end")
    assert set(tocsin.services.store.heads.seeds("ended")) == {0}
    tocsin.start_worker()

    def revealed() -> bool:
        tocsin.sweeper.round()
        return set(tocsin.services.store.heads.seeds("ended")) == {0, tick}

    wait_for(revealed, "all seeds of the ended campaign")
