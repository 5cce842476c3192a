"""A resolution's steps: each written once, each move compared with the head, each message safe to come twice."""

from typing import Any

import msgspec
import pytest
import redis

from tests.store.campaigns import (
    CAMPS,
    MANIFEST,
    NAME,
    close,
    commit_step,
    digest,
    head_of,
    opened,
    order_id,
    publication,
    publish,
    published,
    resolved,
    scripts,
    write_pages,
)
from workers.store import Store
from workers.store.blobs import blobs_question
from workers.store.errors import InvalidRequest
from workers.store.intake import book_question
from workers.store.keys import Keys
from workers.store.records import RECORD_FIELDS_MAX, Failure, ShardOutput, StepCommit, StepId

AT = StepId(NAME, 1, 1, 0)
ELSEWHERE = [
    StepId(NAME, 2, 1, 0),
    StepId(NAME, 1, 2, 0),
    StepId(NAME, 1, 1, 1),
    StepId("nowhere", 1, 1, 0),
]


@pytest.fixture
def closed(store: Store) -> Store:
    """A campaign whose tick 1 resolves, in 4 shards."""
    opened(store, fuse_below=0, shards=4)
    close(store)
    return store


def output(shard: int = 0, text: bytes = b'{"sums":[]}', worker: str = "worker-1", **blobs: bytes) -> ShardOutput:
    return ShardOutput(shard, text, worker, {digest(blob): blob for blob in blobs.values()})


def move(old: bytes = MANIFEST, new: bytes = b"new manifest", **changes: Any) -> StepCommit:
    fields: dict[str, Any] = {
        "old_manifest": digest(old),
        "new_manifest": digest(new),
        "last": False,
        "summaries": (b'{"events":3}',),
        "named": frozenset(),
        "blobs": {digest(new): new},
    }
    return StepCommit(**(fields | changes))


# A shard's output.


def test_an_output_is_written_once_with_its_blobs_their_lines_and_its_worker(closed: Store) -> None:
    reply = closed.ticks.output(AT, output(2, one=b"slice 1", two=b"slice 2"))

    assert ("written", 1) == (reply.outcome, reply.count)
    assert ("written", 2) == (closed.ticks.output(AT, output(0)).outcome, len(closed.ticks.outputs(NAME, 1, 1, 0)))
    assert {0: b'{"sums":[]}', 2: b'{"sums":[]}'} == closed.ticks.outputs(NAME, 1, 1, 0)
    assert [0, 2] == closed.ticks.output_shards(NAME, 1, 1, 0)
    assert {"1/0/0": "worker-1", "1/0/2": "worker-1"} == closed.ticks.account(NAME, 1, 1)[1]
    assert [b"slice 1", b"slice 2"] == closed.blobs.get_many(NAME, [digest(b"slice 1"), digest(b"slice 2")])
    assert 1 == closed.blobs.index(NAME)[digest(b"slice 1")]


def test_the_same_output_again_changes_nothing_whoever_sends_it(closed: Store) -> None:
    closed.ticks.output(AT, output(0))
    reply = closed.ticks.output(AT, output(0, worker="worker-2"))

    assert ("same", 1) == (reply.outcome, reply.count)
    assert {"1/0/0": "worker-1"} == closed.ticks.account(NAME, 1, 1)[1]


def test_another_output_for_the_same_input_is_a_divergence_and_the_first_stays(closed: Store) -> None:
    closed.ticks.output(AT, output(0))
    reply = closed.ticks.output(AT, output(0, b'{"sums":[1]}', "worker-2", blob=b"other slice"))
    head = head_of(closed)

    assert "divergence" == reply.outcome
    assert "failed" == head.tick_status
    assert head.failure is not None
    assert ("divergence", 1, 0, "0", "worker-2", {"first_worker": "worker-1"}) == (
        head.failure.kind,
        head.failure.epoch,
        head.failure.step,
        head.failure.shard,
        head.failure.worker,
        head.failure.details,
    )
    assert {0: b'{"sums":[]}'} == closed.ticks.outputs(NAME, 1, 1, 0)
    assert {0: b'{"sums":[1]}'} == closed.ticks.divergences(NAME, 1, 1, 0)
    assert [0] == closed.ticks.output_shards(NAME, 1, 1, 0)
    assert [None] == closed.blobs.get_many(NAME, [digest(b"other slice")])


@pytest.mark.parametrize("at", ELSEWHERE)
def test_an_output_that_the_head_doesn_t_ask_for_is_stale(closed: Store, at: StepId) -> None:
    assert "stale" == closed.ticks.output(at, output(0, blob=b"slice")).outcome
    assert [None] == closed.blobs.get_many(NAME, [digest(b"slice")])


def test_an_output_of_a_shard_that_the_tick_doesn_t_have_is_stale(closed: Store) -> None:
    assert "stale" == closed.ticks.output(AT, output(4)).outcome


def test_an_output_of_a_committed_step_is_stale(closed: Store) -> None:
    commit_step(closed, 0, last=False)

    assert "stale" == closed.ticks.output(AT, output(0)).outcome


def test_an_output_of_a_close_that_the_server_lost_is_stale(closed: Store) -> None:
    closed_ms = head_of(closed).closed_ms
    lost, present = (msgspec.structs.replace(output(0), closed_ms=at) for at in (closed_ms - 1, closed_ms))

    assert "stale" == closed.ticks.output(AT, lost).outcome
    assert {} == closed.ticks.outputs(NAME, 1, 1, 0)
    assert "written" == closed.ticks.output(AT, present).outcome


def test_an_output_notes_the_progress(closed: Store) -> None:
    closed.client.hset(Keys(NAME).head, "progress_ms", "1")
    closed.ticks.output(AT, output(0))

    assert 1 < head_of(closed).progress_ms


# The commit of a step.


def test_a_commit_moves_the_head_writes_blobs_and_renews_the_lines_of_all_that_it_names(closed: Store) -> None:
    closed.ticks.output(AT, output(0, slice=b"slice"))
    reply = closed.ticks.commit(AT, move(named=frozenset({digest(b"slice"), digest(MANIFEST)})))
    head = head_of(closed)

    assert ("committed", ()) == (reply.outcome, reply.missing)
    assert (1, "resolving", digest(b"new manifest"), digest(MANIFEST)) == (
        head.step,
        head.tick_status,
        head.manifest,
        head.start_manifest,
    )
    assert {digest(b"slice"): 1, digest(b"new manifest"): 1, digest(MANIFEST): 1} == closed.blobs.index(NAME)
    assert [b'{"events":3}'] == closed.ticks.account(NAME, 1, 1)[0]
    assert head.closed_ms <= head.step_started_ms == head.progress_ms


def test_one_commit_moves_the_head_past_several_steps_and_notes_who_played_them(closed: Store) -> None:
    written = {digest(b"page"): b"page"} | move().blobs
    several = move(summaries=(b"one", b"two"), last=True, worker="worker-7", blobs=written)
    reply = closed.ticks.commit(AT, several)
    head = head_of(closed)

    assert "committed" == reply.outcome
    assert (2, "resolved", digest(b"new manifest")) == (head.step, head.tick_status, head.manifest)
    assert [b"one", b"two"] == closed.ticks.account(NAME, 1, 1)[0]
    assert {"1/0/0": "worker-7", "1/1/0": "worker-7"} == closed.ticks.account(NAME, 1, 1)[1]
    assert [b"page"] == closed.blobs.get_many(NAME, [digest(b"page")])
    assert "stale" == closed.ticks.commit(AT, several).outcome


def test_the_last_commit_resolves_the_tick(closed: Store) -> None:
    closed.ticks.commit(AT, move(last=True))

    assert (1, "resolved", 1) == (head_of(closed).resolving, head_of(closed).tick_status, head_of(closed).step)


def test_the_second_committer_is_stale_and_changes_nothing(closed: Store) -> None:
    closed.ticks.commit(AT, move())
    once = head_of(closed)

    assert "stale" == closed.ticks.commit(AT, move()).outcome
    assert once == head_of(closed)
    assert 1 == len(closed.ticks.account(NAME, 1, 1)[0])


@pytest.mark.parametrize("at", ELSEWHERE)
def test_a_commit_that_the_head_doesn_t_ask_for_is_stale(closed: Store, at: StepId) -> None:
    assert "stale" == closed.ticks.commit(at, move()).outcome
    assert digest(MANIFEST) == head_of(closed).manifest


def test_a_commit_from_another_manifest_is_stale(closed: Store) -> None:
    assert "stale" == closed.ticks.commit(AT, move(old=b"another")).outcome


def test_a_commit_that_names_what_isn_t_stored_names_it_and_writes_nothing(closed: Store) -> None:
    closed.ticks.output(AT, output(0, slice=b"slice"))
    lost = sorted((digest(b"lost 1"), digest(b"lost 2")))
    reply = closed.ticks.commit(AT, move(named=frozenset({digest(b"slice"), *lost})))

    assert ("missing", lost) == (reply.outcome, sorted(reply.missing))
    assert (0, digest(MANIFEST)) == (head_of(closed).step, head_of(closed).manifest)
    assert [None] == closed.blobs.get_many(NAME, [digest(b"new manifest")])
    assert digest(b"new manifest") not in closed.blobs.index(NAME)
    assert [] == closed.ticks.account(NAME, 1, 1)[0]


def test_a_commit_of_thousands_of_blobs_is_one(closed: Store) -> None:
    stored = {digest(b"%d" % number): b"%d" % number for number in range(2_500)}
    closed.ticks.output(AT, ShardOutput(0, b"{}", "worker-1", stored))
    written = {digest(b"new %d" % number): b"new %d" % number for number in range(1_500)} | move().blobs
    reply = closed.ticks.commit(AT, move(named=frozenset(stored), blobs=written))

    assert "committed" == reply.outcome
    assert {digest(MANIFEST): 0} | dict.fromkeys([*stored, *written], 1) == closed.blobs.index(NAME)


def test_a_commit_names_its_new_manifest() -> None:
    with pytest.raises(InvalidRequest, match=r"new_manifest: .*accepted"):
        move(blobs={})


def test_a_commit_of_a_close_that_the_server_lost_is_stale(closed: Store) -> None:
    closed_ms = head_of(closed).closed_ms

    assert "stale" == closed.ticks.commit(AT, move(closed_ms=closed_ms - 1)).outcome
    assert 0 == head_of(closed).step
    assert "committed" == closed.ticks.commit(AT, move(closed_ms=closed_ms)).outcome


# Attempts and failures.


def test_starts_and_failures_are_counted_by_shard_and_by_what_was_raised(closed: Store) -> None:
    assert [1, 2] == [closed.ticks.attempt(AT, "0").count for _ in range(2)]
    assert 1 == closed.ticks.attempt(AT, "commit").count
    assert [1, 2] == [closed.ticks.leap_attempt(AT)[0].count for _ in range(2)]
    assert [1, 2] == [closed.ticks.failure_note(AT, "0", "e1").count for _ in range(2)]
    reply = closed.ticks.failure_note(AT, "0", "e2")

    assert ("counted", 1) == (reply.outcome, reply.count)
    assert {"0/0": 2, "0/0/e1": 2, "0/0/e2": 1, "0/commit": 1, "0/leap": 2} == closed.ticks.attempts(NAME, 1, 1)


@pytest.mark.parametrize("known", [True, False], ids=["script known", "script forgotten"])
def test_what_a_leap_needs_first_is_told_with_the_count_of_its_start(
    closed: Store, client: redis.Redis, known: bool
) -> None:
    closed.ticks.attempt(AT, "0")
    if not known:
        client.script_flush()
    state = blobs_question(NAME, [digest(MANIFEST), digest(b"nowhere")])
    book, nothing = book_question(NAME, 1, range(2)), blobs_question(NAME, [])
    reply, (of_state, of_nothing, of_book) = closed.ticks.leap_attempt(AT, state, nothing, book)

    assert ("counted", 1) == (reply.outcome, reply.count)
    assert ([MANIFEST, None], []) == (state.read(of_state), nothing.read(of_nothing))
    assert closed.intake.read_book(NAME, 1, range(2)) == book.read(of_book)


@pytest.mark.parametrize("at", ELSEWHERE)
def test_an_attempt_that_the_head_doesn_t_ask_for_is_stale(closed: Store, at: StepId) -> None:
    assert "stale" == closed.ticks.attempt(at, "0").outcome
    assert "stale" == closed.ticks.leap_attempt(at)[0].outcome
    assert "stale" == closed.ticks.failure_note(at, "0", "e").outcome
    assert {} == closed.ticks.attempts(NAME, 1, 1)


# Quarantine and retry.


@pytest.mark.parametrize(("lost", "status"), [(False, "failed"), (True, "lost")])
def test_a_quarantined_tick_says_why_and_goes_on_no_further(closed: Store, lost: bool, status: str) -> None:
    failure = Failure("exception", "it broke", 1, 0, "0", "worker-1", {"order": order_id(1), "café": "é\n"})
    assert closed.ticks.fail(NAME, 1, 1, failure, lost=lost)
    head = head_of(closed)

    assert (status, failure, 1) == (head.tick_status, head.failure, head.resolving)
    assert not closed.ticks.fail(NAME, 1, 1, Failure("other"))
    assert failure == head_of(closed).failure
    assert ["stale"] * 3 == [
        closed.ticks.output(AT, output(0)).outcome,
        closed.ticks.commit(AT, move()).outcome,
        closed.ticks.attempt(AT, "0").outcome,
    ]


@pytest.mark.parametrize(("tick", "epoch"), [(2, 1), (1, 2)])
def test_only_the_resolving_tick_in_its_epoch_can_fail(closed: Store, tick: int, epoch: int) -> None:
    assert not closed.ticks.fail(NAME, tick, epoch, Failure("exception"))
    assert "resolving" == head_of(closed).tick_status


@pytest.mark.parametrize("lost", [False, True])
def test_a_retry_starts_at_the_first_step_in_a_new_epoch_from_the_first_manifest(closed: Store, lost: bool) -> None:
    commit_step(closed, 0, last=False)
    closed.ticks.fail(NAME, 1, 1, Failure("exception"), lost=lost)
    reply = closed.ticks.retry(NAME, 1, 1)
    head = head_of(closed)

    assert ("retried", 2) == (reply.outcome, reply.epoch)
    assert ("resolving", 2, 0, digest(MANIFEST), None, ()) == (
        head.tick_status,
        head.epoch,
        head.step,
        head.manifest,
        head.failure,
        head.dropped,
    )
    assert "stale" == closed.ticks.output(AT, output(0)).outcome
    assert "written" == closed.ticks.output(StepId(NAME, 1, 2, 0), output(0, b"{}")).outcome


def test_a_retry_whose_reply_was_lost_is_stale_and_tells_the_epoch(closed: Store) -> None:
    closed.ticks.fail(NAME, 1, 1, Failure("exception"))
    closed.ticks.retry(NAME, 1, 1)
    reply = closed.ticks.retry(NAME, 1, 1)

    assert ("stale", 2) == (reply.outcome, reply.epoch)
    assert 2 == head_of(closed).epoch


def test_nothing_is_retried_that_isn_t_quarantined(closed: Store) -> None:
    assert "stale" == closed.ticks.retry(NAME, 1, 1).outcome
    assert "stale" == closed.ticks.retry("nowhere", 1, 1).outcome


def test_dropped_orders_are_kept_sorted_and_once_through_all_epochs_and_forgotten_at_the_next_close(
    closed: Store,
) -> None:
    first, second, third = sorted(order_id(number) for number in range(3))
    closed.ticks.fail(NAME, 1, 1, Failure("exception"))
    closed.ticks.retry(NAME, 1, 1, drop=[third, first])
    assert (first, third) == head_of(closed).dropped

    closed.ticks.fail(NAME, 1, 2, Failure("exception"))
    closed.ticks.retry(NAME, 1, 2, drop=[first, second])
    assert (first, second, third) == head_of(closed).dropped

    commit_step(closed, 0, last=False, epoch=3)
    commit_step(closed, 1, last=True, epoch=3)
    publish(closed)
    close(closed, tick=2)
    assert ((), None) == (head_of(closed).dropped, head_of(closed).failure)


# Publication.


def test_publication_moves_the_head_writes_the_record_and_reveals_seeds(store: Store) -> None:
    opened(store)
    resolved(store)
    manifest = head_of(store).manifest
    outcome = publish(store, record={"digest": "d", "orders": "7"}, seeds={1: "5eed1", 0: "5eed0"})
    head = head_of(store)

    assert "published" == outcome
    assert (1, None, "", "c4", manifest, manifest) == (
        head.published,
        head.resolving,
        head.tick_status,
        head.staged_commitment,
        head.manifest,
        head.start_manifest,
    )
    assert {
        "digest": "d",
        "orders": "7",
        "epoch": "1",
        "steps": "2",
        "published_ms": str(head.published_ms),
    } == store.heads.record(NAME, 1)
    assert {0: "5eed0", 1: "5eed1"} == store.heads.seeds(NAME)


def test_the_last_commit_and_the_publication_go_out_together(closed: Store) -> None:
    several = move(summaries=(b"one", b"two"), last=True, worker="worker-7")
    told = publication(closed, 1, manifest=several.new_manifest)

    assert "published" == closed.ticks.publish(NAME, 1, told, (AT, several))
    assert (1, None, several.new_manifest) == (
        head_of(closed).published,
        head_of(closed).resolving,
        head_of(closed).manifest,
    )
    assert [b"page for demons"] == [page.body for page in closed.reports.read(NAME, "demons", after=(1, 0))]


def test_a_tick_is_published_by_a_server_that_forgot_its_scripts(closed: Store, client: redis.Redis) -> None:
    """The transaction finds none of them; each is then run with its text."""
    several = move(last=True, worker="worker-7")
    told = publication(closed, 1, manifest=several.new_manifest)
    client.script_flush()

    assert "published" == closed.ticks.publish(NAME, 1, told, (AT, several))
    assert 1 == head_of(closed).published
    assert all(closed.reports.read(NAME, camp, after=(1, 0)) for camp in CAMPS)


def test_the_last_commit_and_the_publication_are_one_write(real_store: Store, real_client: redis.Redis) -> None:
    """One transaction: a server that syncs every write syncs once, however long it takes to read all that is sent."""
    opened(real_store, fuse_below=0, shards=4)
    close(real_store)
    several = move(last=True, worker="worker-7", blobs={digest(b"new manifest"): b"new manifest" * 10_000})
    told = publication(real_store, 1, manifest=several.new_manifest)

    def transactions() -> int:
        done: int = real_client.info("commandstats").get("cmdstat_exec", {"calls": 0})["calls"]
        return done

    before = transactions()
    assert "published" == real_store.ticks.publish(NAME, 1, told, (AT, several))
    assert 1 == transactions() - before


def test_a_tick_whose_last_commit_isn_t_done_isn_t_published(closed: Store) -> None:
    lost = move(summaries=(b"one", b"two"), last=True, worker="worker-7", named=frozenset({digest(b"lost")}))
    told = publication(closed, 1, manifest=lost.new_manifest)

    assert "stale" == closed.ticks.publish(NAME, 1, told, (AT, lost))
    assert (0, "resolving", 0) == (head_of(closed).published, head_of(closed).tick_status, head_of(closed).step)
    assert [] == closed.reports.read(NAME, "demons", after=(1, 0))


def test_only_the_state_that_a_tick_was_resolved_to_is_told(store: Store) -> None:
    """Of two processes that came to two results, the second publishes nothing of the first's."""
    opened(store)
    resolved(store)

    assert "stale" == publish(store, manifest=digest(b"another state"))
    assert "stale" == publish(store, epoch=2)
    assert [] == store.reports.read(NAME, "angels", after=(1, 0))
    assert "resolved" == head_of(store).tick_status


def test_publishing_twice_publishes_once(store: Store) -> None:
    opened(store)
    published(store)
    once = head_of(store), store.heads.record(NAME, 1)

    again = publish(store, staged_commitment="other", record={"orders": "9"}, seeds={1: "5eed"})
    assert "same" == again
    assert once == (head_of(store), store.heads.record(NAME, 1))
    assert {} == store.heads.seeds(NAME)


def test_only_a_resolved_tick_is_published(closed: Store) -> None:
    assert "stale" == publish(closed, seeds={1: "5eed"})
    assert "stale" == publish(closed, 2)
    assert "stale" == closed.ticks.publish("nowhere", 1, publication(closed, 1))
    assert (0, {}) == (head_of(closed).published, closed.heads.seeds(NAME))
    assert closed.heads.record(NAME, 1) is None


def test_the_state_at_the_start_of_the_next_tick_is_the_published_one(store: Store) -> None:
    opened(store)
    published(store)
    manifest = head_of(store).manifest
    close(store, tick=2)
    commit_step(store, 0, last=False, tick=2)
    store.ticks.fail(NAME, 2, 1, Failure("exception"))
    store.ticks.retry(NAME, 2, 1)

    assert manifest == head_of(store).manifest


# Pages.


def test_pages_are_written_once_numbered_from_1_and_the_last_says_so(store: Store) -> None:
    opened(store)
    resolved(store)
    pages = [b"page %d" % number for number in range(450)]

    assert ("written", 450, 0) == write_pages(store, "angels", 1, pages)
    assert ("written", 0, 450) == write_pages(store, "angels", 1, pages)
    found = store.reports.read(NAME, "angels", after=(1, 0), count=1_000)
    assert [(1, number + 1, page, number == 449) for number, page in enumerate(pages)] == [
        (page.tick, page.page, page.body, page.last) for page in found
    ]


def test_pages_that_are_blobs_are_copied_between_others_and_more_than_once_if_they_are_named_so(closed: Store) -> None:
    """Two pages of a camp may have the same bytes, so be one blob; a large one lies compressed in both places."""
    small, large = b"a page", b"a page of many facts " * 100
    stored = {digest(page): page for page in (small, large)}
    several = move(summaries=(b"one", b"two"), last=True, worker="worker-7", blobs=move().blobs | stored)
    pages = {"angels": [digest(large), b"given", digest(small), digest(large)], "demons": [digest(small)]}
    told = publication(closed, 1, manifest=several.new_manifest, pages=pages)

    assert "published" == closed.ticks.publish(NAME, 1, told, (AT, several))
    bodies = {camp: [page.body for page in closed.reports.read(NAME, camp, after=(1, 0))] for camp in CAMPS}
    assert {"angels": [large, b"given", small, large], "demons": [small]} == bodies


def test_many_stored_pages_are_numbered_from_1_and_those_that_are_there_are_skipped(store: Store) -> None:
    opened(store)
    close(store, tick=1)
    pages = [b"page %d" % number for number in range(450)]
    blobs = move().blobs | {digest(page): page for page in pages}
    step = move(
        old_manifest=head_of(store).manifest, summaries=(b"one", b"two"), last=True, worker="worker-7", blobs=blobs
    )
    assert "committed" == store.ticks.commit(AT, step).outcome
    names = [digest(page) for page in pages]

    assert ("written", 450, 0) == write_pages(store, "angels", 1, names)
    assert ("written", 0, 450) == write_pages(store, "angels", 1, names)
    found = store.reports.read(NAME, "angels", after=(1, 0), count=1_000)
    assert pages == [page.body for page in found]
    assert [450] == [page.page for page in found if page.last]


def test_where_a_page_isn_t_stored_none_of_its_call_is_written_and_the_tick_isn_t_published(store: Store) -> None:
    opened(store)
    resolved(store)
    pages: list[bytes | str] = [b"given", digest(b"lost")]

    assert ("missing", 0, 0) == write_pages(store, "angels", 1, pages)
    assert "unwritten" == publish(store, pages={"angels": pages, "demons": [b"only one"]})
    assert [] == store.reports.read(NAME, "angels", after=(1, 0))
    assert (0, "resolved") == (head_of(store).published, head_of(store).tick_status)


def test_a_publication_that_was_cut_off_goes_on_where_it_stopped(store: Store, client: redis.Redis) -> None:
    opened(store)
    resolved(store)
    client.xadd(Keys(NAME).reports("angels"), {"p": b"page 1"}, id="1-1")
    client.xadd(Keys(NAME).reports("angels"), {"p": b"page 2"}, id="1-2")

    assert ("written", 1, 2) == write_pages(store, "angels", 1, [b"page 1", b"page 2", b"page 3"])
    assert [b"page 1", b"page 2", b"page 3"] == [page.body for page in store.reports.read(NAME, "angels", after=(1, 0))]


def test_the_pages_of_all_camps_stand_before_the_tick_is_published(store: Store, client: redis.Redis) -> None:
    opened(store)
    resolved(store)
    pages = {"angels": [b"page %d" % number for number in range(450)], "demons": [b"only one"]}
    assert "published" == publish(store, pages=pages)

    for camp, those in pages.items():
        assert those == [page.body for page in store.reports.read(NAME, camp, after=(1, 0), count=1_000)]
        assert store.reports.last_position(NAME, camp) == (1, len(those))


@pytest.mark.parametrize(
    "newest", [None, ("1-1", {"p": b"page"}), ("0-9", {"p": b"page", "last": "1"})], ids=["none", "not_last", "before"]
)
def test_a_tick_whose_pages_a_stream_lacks_isn_t_published(
    store: Store, client: redis.Redis, newest: tuple[str, dict[Any, Any]] | None
) -> None:
    opened(store)
    resolved(store)
    write_pages(store, "angels", 1, [b"page"])
    key = Keys(NAME).reports("demons")
    client.delete(key)
    if newest:
        client.xadd(key, newest[1], id=newest[0])
    names = [Keys(NAME).head, Keys(NAME).record(1), Keys(NAME).seeds, Keys(NAME).reports("angels"), key]
    plan = msgspec.json.encode({"record": {}, "seeds": {}})

    assert [b"unwritten"] == scripts(store).run("published", names, [1, 1, head_of(store).manifest, "c4", plan])
    assert (0, "resolved") == (head_of(store).published, head_of(store).tick_status)


def test_nothing_is_read_of_a_tick_before_its_last_step(closed: Store) -> None:
    assert "stale" == write_pages(closed, "angels", 1, [b"too early"])[0]
    commit_step(closed, 0, last=False)
    assert "stale" == write_pages(closed, "angels", 1, [b"too early"])[0]
    assert [] == closed.reports.read(NAME, "angels", after=(1, 0))


def test_nothing_is_added_to_a_published_tick(store: Store) -> None:
    opened(store)
    published(store)

    for camp in CAMPS:
        assert "stale" == write_pages(store, camp, 1, [b"one", b"two"])[0]
        assert 1 == len(store.reports.read(NAME, camp, after=(1, 0)))


def test_a_record_has_its_bound(store: Store) -> None:
    opened(store)
    resolved(store)
    record = {str(number): "" for number in range(RECORD_FIELDS_MAX)}

    with pytest.raises(InvalidRequest, match=r"record: .*accepted"):
        publish(store, record=record | {"one more": ""})
    assert "published" == publish(store, record=record)
