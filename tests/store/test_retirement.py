"""The end of a tick: what it left behind goes, what is still needed stays, however often it's done."""

import redis

from tests.store.campaigns import (
    CAMPS,
    NAME,
    book,
    close,
    commit_step,
    digest,
    head_of,
    opened,
    order,
    publish,
    published,
    scripts,
)
from workers.store import Store
from workers.store.keys import Keys
from workers.store.records import Failure, ShardOutput, StepId
from workers.store.retirement import IDEM_LIFE_S


def names(client: redis.Redis, tick: int) -> set[str]:
    """The keys of a tick, by the catalogue's name, without those of reports and records."""
    found = (key.decode().split(":") for key in client.scan_iter())
    return {parts[2] for parts in found if len(parts) > 3 and parts[2] != "record" and parts[3] == str(tick)}


def retire(store: Store) -> list[int]:
    """Retire what is archived; the ticks that were."""
    head = head_of(store)
    return store.retirement.retire(head, head.archived)


def play(store: Store, tick: int) -> None:
    """A tick of two epochs with orders, replacements, outputs and attempts, published."""
    head = head_of(store)
    number = tick * 10
    book(store, head, order(number), order(number + 1, home="servant-2"), tick=tick, idem=f"e{tick}", body="b")
    book(store, head, order(number, amount=0, expect=1), tick=tick)
    close(store, tick)
    at = StepId(NAME, tick, 1, 0)
    store.ticks.attempt(at, "0")
    store.ticks.output(at, ShardOutput(0, b"{}", "worker-1", {digest(b"half done %d" % tick): b"half done %d" % tick}))
    store.ticks.fail(NAME, tick, 1, Failure("exception"))
    store.ticks.retry(NAME, tick, 1)
    at = StepId(NAME, tick, 2, 0)
    store.ticks.attempt(at, "0")
    store.ticks.output(at, ShardOutput(0, b"{}", "worker-1"))
    for step, last in ((0, False), (1, True)):
        assert "committed" == commit_step(store, step, last=last, tick=tick, epoch=2)
    pages = {camp: [b"page %d" % tick] for camp in CAMPS}
    assert "published" == publish(store, tick, pages=pages, record={"orders": "2"})


def test_a_retired_tick_leaves_only_its_record_and_its_pages(store: Store, client: redis.Redis) -> None:
    opened(store)
    play(store, 1)
    whole = {"book", "meters", "where", "revisions", "counts", "outputs", "workers", "attempts", "steps", "idems"}
    assert whole == names(client, 1)
    store.heads.archived(NAME, 1)

    assert [1] == retire(store)
    assert set() == names(client, 1)
    assert 1 == head_of(store).retired
    assert store.heads.record(NAME, 1) is not None
    assert [b"page 1"] == [page.body for page in store.reports.read(NAME, "angels", after=(1, 0))]


def test_only_archived_ticks_are_retired_and_each_once(store: Store, client: redis.Redis) -> None:
    opened(store)
    play(store, 1)
    assert [] == retire(store)
    assert "book" in names(client, 1)

    play(store, 2)
    store.heads.archived(NAME, 2)
    assert [1, 2] == retire(store)
    assert [] == retire(store)


def test_a_retirement_that_was_cut_off_is_done_again(store: Store, client: redis.Redis) -> None:
    opened(store)
    play(store, 1)
    store.heads.archived(NAME, 1)
    scripts(store).run_all(store.retirement.drop(head_of(store), 1))
    left = set(client.scan_iter())

    assert [1] == retire(store)
    assert left == set(client.scan_iter())


def test_the_next_tick_s_book_and_resolution_are_untouched(store: Store, client: redis.Redis) -> None:
    opened(store)
    play(store, 1)
    book(store, head_of(store), order(50), tick=2, idem="e50", body="b")
    close(store, 2)
    store.ticks.output(StepId(NAME, 2, 1, 0), ShardOutput(0, b"{}", "worker-1"))
    before = names(client, 2)
    store.heads.archived(NAME, 1)
    retire(store)

    assert before == names(client, 2)
    assert -1 == client.ttl(Keys(NAME).idem("e50"))


def test_idempotency_records_outlive_their_tick_by_a_day(store: Store, client: redis.Redis) -> None:
    head = opened(store)
    for number in range(1_050):
        client.rpush(Keys(NAME).idems(1), f"old{number}")
        client.set(Keys(NAME).idem(f"old{number}"), "b {}")
    book(store, head, order(1), idem="e1", body="b")
    published(store)
    assert -1 == client.ttl(Keys(NAME).idem("e1"))
    store.heads.archived(NAME, 1)
    retire(store)

    lives = [client.ttl(Keys(NAME).idem(digest)) for digest in ("e1", "old0", "old999", "old1000", "old1049")]
    assert all(IDEM_LIFE_S - 60 < life <= IDEM_LIFE_S for life in lives)
    assert store.intake.answered(NAME, "e1", "b") is not None


def test_blobs_that_only_earlier_ticks_named_are_collected_and_the_state_stays(store: Store) -> None:
    opened(store)
    play(store, 1)
    play(store, 2)
    store.heads.archived(NAME, 2)
    retire(store)
    head = head_of(store)

    assert {2} == set(store.blobs.index(NAME).values())
    assert [None] == store.blobs.get_many(NAME, [digest(b"half done 1")])
    assert None not in store.blobs.get_many(NAME, [head.manifest, head.start_manifest])


def test_streams_and_records_keep_the_last_ticks(store: Store) -> None:
    opened(store, retain_ticks=2)
    for tick in (1, 2, 3, 4):
        play(store, tick)
        store.heads.archived(NAME, tick)
        retire(store)

    assert [3, 4] == [page.tick for page in store.reports.read(NAME, "angels")]
    assert [0, 1, 2] == [tick for tick in range(5) if store.heads.record(NAME, tick) is None]


def test_a_camp_that_reads_nothing_for_long_keeps_its_last_page(store: Store) -> None:
    opened(store, retain_ticks=1)
    for tick in (1, 2, 3):
        published(store, tick)
        store.heads.archived(NAME, tick)
    client = store.client
    client.xtrim(Keys(NAME).reports("demons"), maxlen=0)
    client.xadd(Keys(NAME).reports("demons"), {"p": b"late"}, id="4-1")
    retire(store)

    assert [3] == [page.tick for page in store.reports.read(NAME, "angels")]
    assert [4] == [page.tick for page in store.reports.read(NAME, "demons")]
