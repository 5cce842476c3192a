"""Real ticks through real worker processes on a real server."""

from collections import Counter

import pytest

from tests.pipeline.world import World
from workers.kernel.ids import commitment, tick_seed
from workers.service.recording import input_of
from workers.service.shards import slices_of_shard

TICKS = 3


def digests(tocsin: World, name: str, ticks: int = TICKS) -> list[str]:
    """The digests of a campaign's first ticks, played now."""
    return [tocsin.play(name)["digest"] for _ in range(ticks)]


def test_a_campaign_of_three_ticks_is_published_archived_and_replays_identically(tocsin: World) -> None:
    tocsin.start_worker(processes=2)
    tocsin.found("calm")
    for tick in range(1, TICKS + 1):
        record = tocsin.play("calm")
        replayed = tocsin.replay("calm", tick)
        assert replayed.findings == []
        assert record["digest"] == replayed.result.digest
        assert int(record["orders"]) > 0
        for camp, pages in replayed.result.pages.items():
            said = [data for n, _, data in tocsin.stream("calm", camp) if n == tick]
            assert said == pages, f"the stream of {camp} holds the report's pages, byte for byte"


def test_any_number_of_shards_or_workers_and_any_order_of_arrival_give_one_digest(tocsin: World) -> None:
    tocsin.start_worker(processes=2)
    found: dict[str, list[str]] = {}
    pages: dict[str, list[list[tuple[int, int, bytes]]]] = {}
    for name, options in (
        ("one", {"shards": 1}),
        ("four", {"shards": 4}),
        ("sixteen", {"shards": 16}),
        ("fused", {"fuse_below": 1_000_000}),
    ):
        tocsin.found(name, **options)
        found[name] = digests(tocsin, name)
        pages[name] = [tocsin.stream(name, camp) for camp in ("angel", "demon")]
    tocsin.found("backwards", shards=16)
    backwards = []
    for _ in range(TICKS):
        tocsin.book("backwards", backwards=True)
        backwards.append(tocsin.wait_published("backwards", tocsin.close("backwards"))["digest"])
    assert found["one"] == found["four"] == found["sixteen"] == found["fused"] == backwards
    assert pages["one"] == pages["four"] == pages["sixteen"] == pages["fused"]


def test_a_tick_of_at_least_four_shards_is_written_by_two_worker_processes(tocsin: World) -> None:
    tocsin.start_worker()
    tocsin.start_worker()
    tocsin.found("spread", shards=16)
    tocsin.book("spread")
    tick = tocsin.close("spread")
    record = tocsin.wait_published("spread", tick)
    assert int(record["shards"]) == 16


def test_orders_sent_while_a_tick_resolves_are_booked_for_the_next(tocsin: World) -> None:
    tocsin.found("busy")
    tocsin.book("busy")
    tick = tocsin.close("busy")
    receipts = tocsin.book("busy")
    assert {receipt.tick for receipt in receipts} == {tick + 1}
    tocsin.start_worker()
    tocsin.wait_published("busy", tick)
    record = tocsin.wait_published("busy", tocsin.close("busy"))
    assert int(record["orders"]) == len(receipts)


def test_closing_twice_closes_once(tocsin: World) -> None:
    head = tocsin.found("twice")
    first = tocsin.services.closing.close(head, 1, "operator")
    second = tocsin.services.closing.close(head, 1, "operator")
    assert (first.outcome, second.outcome) == ("closed", "other_tick")
    assert tocsin.head("twice").open_tick == 2


def test_a_deadline_closes_a_tick_by_the_sweeper_alone(tocsin: World) -> None:
    tocsin.start_worker()
    tocsin.found("timed", schedule={"interval_s": 1})
    tocsin.services.store.heads.lifecycle("timed", "pause")
    now_ms = tocsin.services.store.heads.server_time_ms()
    tocsin.services.store.heads.lifecycle("timed", "resume", deadline_ms=now_ms + 1)
    tocsin.wait_published("timed", 1)
    assert tocsin.head("timed").open_tick >= 2


def test_the_seed_is_committed_to_before_its_tick_opens_and_revealed_by_policy(tocsin: World) -> None:
    tocsin.start_worker()
    head = tocsin.found("sealed", policy={"reveal_after": 1})
    heads = tocsin.services.store.heads
    assert sorted(heads.commitments("sealed")) == [0, 1, 2]
    assert heads.seeds("sealed") == {}
    for tick in (1, 2):
        tocsin.play("sealed")
        assert max(heads.commitments("sealed")) == tick + 2
        assert sorted(heads.seeds("sealed")) == list(range(tick))
    seed = heads.seed("sealed")
    assert seed is not None
    for tick, text in heads.seeds("sealed").items():
        assert text == tick_seed(seed, tick).hex()
        assert heads.commitments("sealed")[tick] == commitment(bytes.fromhex(text))
    assert head.id_key != seed.hex()


def test_a_record_holds_what_the_tick_depended_on_and_never_the_campaign_seed(tocsin: World) -> None:
    tocsin.start_worker()
    tocsin.found("kept")
    tocsin.play("kept")
    lines = b"\n".join(tocsin.services.archive.read("kept", 1))
    seed = tocsin.services.store.heads.seed("kept")
    assert seed is not None
    assert seed.hex().encode() not in lines
    given = input_of(tocsin.archived("kept", 1), tocsin.services.campaigns.rulebook("veil"))
    assert given.tick_seed == tick_seed(seed, 1)


def test_nothing_of_a_retired_tick_stays_but_its_reports_its_record_and_the_state(tocsin: World) -> None:
    tocsin.start_worker()
    tocsin.found("tidy", retain_ticks=2)
    client = tocsin.services.store.client
    kinds = []
    for tick in range(1, 7):
        tocsin.play("tidy")
        names = [name.decode().split(":") for name in client.scan_iter("tocsin:{tidy}:*", count=1000)]
        kinds.append(Counter(name[2] for name in names if name[2] != "idem"))
        assert kinds[-1]["blob"] == client.hlen("tocsin:{tidy}:blobs"), (
            "no blob without its line, no line without its blob"
        )
        assert {n for n, _, _ in tocsin.stream("tidy", "angel")} <= {tick - 1, tick}
        del kinds[-1]["blob"]
    assert kinds[2] == kinds[3] == kinds[4] == kinds[5]


@pytest.mark.parametrize("shards", [1, 3, 4, 7, 16])
@pytest.mark.parametrize("slices", [16, 64, 256])
def test_every_slice_is_in_exactly_one_shard(shards: int, slices: int) -> None:
    found = [index for shard in range(shards) for index in slices_of_shard(shard, shards, slices)]
    assert found == list(range(slices))
