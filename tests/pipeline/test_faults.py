"""Whatever dies in the middle of a tick: the same digest as undisturbed, no report entry twice and none missing."""

import os
import signal
import threading

import pytest

from tests.pipeline.world import World, wait_for
from workers.dispatch import COMMIT, SHARD
from workers.kernel.phases import supersteps
from workers.registry import load_registry

SUPERSTEPS = len(supersteps(load_registry().get("veil").phases))
BARRIERS = [step.index for step in supersteps(load_registry().get("veil").phases) if step.shared]


@pytest.fixture
def calm(tocsin: World) -> tuple[str, list[list[tuple[int, int, bytes]]]]:
    """The digest and the reports of the undisturbed first tick, on the same seed and orders."""
    worker = tocsin.start_worker()
    tocsin.found("calm")
    digest = tocsin.play("calm")["digest"]
    tocsin.kill_worker(worker)
    return digest, [tocsin.stream("calm", camp) for camp in ("angel", "demon")]


def check_undisturbed(tocsin: World, name: str, calm: tuple[str, list[list[tuple[int, int, bytes]]]]) -> None:
    """The tick's digest is the undisturbed one's, and each camp's stream holds the same entries, each once, in
    order."""
    record = tocsin.wait_published(name, 1)
    assert record["digest"] == calm[0]
    assert [tocsin.stream(name, camp) for camp in ("angel", "demon")] == calm[1]
    assert tocsin.replay(name, 1).findings == []


@pytest.mark.parametrize("superstep", range(SUPERSTEPS))
def test_a_worker_killed_in_a_phase_changes_nothing(
    tocsin: World, calm: tuple[str, list[list[tuple[int, int, bytes]]]], superstep: int
) -> None:
    tocsin.found("killed")
    tocsin.book("killed")
    tocsin.set_trap(f"hang-{superstep}")
    worker = tocsin.start_worker()
    tocsin.close("killed")
    tocsin.trapped_pid(f"hang-{superstep}")
    tocsin.kill_worker(worker)
    tocsin.start_worker()
    check_undisturbed(tocsin, "killed", calm)


@pytest.mark.parametrize("superstep", BARRIERS)
def test_a_worker_killed_in_a_commit_changes_nothing(
    tocsin: World, calm: tuple[str, list[list[tuple[int, int, bytes]]]], superstep: int
) -> None:
    tocsin.found("killed")
    tocsin.book("killed")
    tocsin.set_trap(f"hang-commit-{superstep}")
    worker = tocsin.start_worker()
    tocsin.close("killed")
    tocsin.trapped_pid(f"hang-commit-{superstep}")
    tocsin.kill_worker(worker)
    tocsin.start_worker()
    check_undisturbed(tocsin, "killed", calm)


def test_a_child_killed_alone_changes_nothing(
    tocsin: World, calm: tuple[str, list[list[tuple[int, int, bytes]]]]
) -> None:
    tocsin.found("killed")
    tocsin.book("killed")
    tocsin.set_trap("hang-1")
    tocsin.start_worker()
    tocsin.close("killed")
    os.kill(tocsin.trapped_pid("hang-1"), signal.SIGKILL)
    check_undisturbed(tocsin, "killed", calm)


def test_a_fused_tick_killed_in_its_leap_is_played_by_another_worker(
    tocsin: World, calm: tuple[str, list[list[tuple[int, int, bytes]]]]
) -> None:
    tocsin.found("killed", fuse_below=1_000_000)
    tocsin.book("killed")
    tocsin.set_trap("hang-2")
    worker = tocsin.start_worker()
    tocsin.close("killed")
    tocsin.trapped_pid("hang-2")
    assert tocsin.head("killed").step == 0, "a leap commits at its end"
    tocsin.kill_worker(worker)
    tocsin.start_worker()
    check_undisturbed(tocsin, "killed", calm)


def test_every_task_delivered_twice_changes_nothing(
    tocsin: World, calm: tuple[str, list[list[tuple[int, int, bytes]]]]
) -> None:
    tocsin.found("doubled")
    tocsin.book("doubled")
    head = tocsin.head("doubled")
    tocsin.services.closing.close(head, 1, "operator")
    stop = threading.Event()
    sent: set[tuple[int, int]] = set()

    def double() -> None:
        while not stop.wait(0.005):
            present = tocsin.head("doubled")
            if present.tick_status == "resolving" and (present.step, 1) not in sent:
                sent.add((present.step, 1))
                tocsin.dispatcher.rerun("doubled")
                tocsin.dispatcher.rerun("doubled")

    thread = threading.Thread(target=double)
    thread.start()
    try:
        tocsin.start_worker(processes=2)
        check_undisturbed(tocsin, "doubled", calm)
    finally:
        stop.set()
        thread.join()
    assert len(sent) >= 1


def test_a_commit_delivered_twice_and_at_once_changes_nothing(
    tocsin: World, calm: tuple[str, list[list[tuple[int, int, bytes]]]]
) -> None:
    tocsin.found("racing")
    tocsin.book("racing")
    tocsin.services.closing.close(tocsin.head("racing"), 1, "operator")
    runner = tocsin.services.runner()
    campaign = tocsin.services.campaigns.load("racing")
    work = tocsin.dispatcher._work(campaign)
    for shard in range(campaign.head.tick_shards):
        assert runner.shard(work, shard) == "written"
        assert runner.shard(work, shard) == "same"
    outcomes: list[str | None] = []
    threads = [threading.Thread(target=lambda: outcomes.append(runner.commit(work))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, outcomes)) == ["committed", "stale", "stale", "stale"]
    tocsin.start_worker()
    tocsin.dispatcher.wake("racing")
    check_undisturbed(tocsin, "racing", calm)


def test_messages_that_vanish_are_sent_again(
    tocsin: World, calm: tuple[str, list[list[tuple[int, int, bytes]]]]
) -> None:
    tocsin.found("vanished")
    tocsin.book("vanished")
    tocsin.close("vanished")
    assert tocsin.services.store.client.delete("tocsin.large") == 1, "the messages were there"
    tocsin.start_worker()
    check_undisturbed(tocsin, "vanished", calm)


def test_an_order_that_always_raises_is_named_and_others_go_on(
    tocsin: World, calm: tuple[str, list[list[tuple[int, int, bytes]]]]
) -> None:
    tocsin.found("poisoned")
    tocsin.found("healthy")
    receipts = tocsin.book("poisoned")
    campaign = tocsin.services.campaigns.load("poisoned")
    poisoned = [order for order in tocsin.orders("poisoned") if campaign.rulebook.commands(order[2])]
    home = campaign.rulebook.commands(poisoned[0][2])[0]
    (tocsin.traps / "poison").write_text(home)
    tocsin.start_worker()
    tocsin.close("poisoned")
    head = tocsin.wait_failed("poisoned")
    assert head.failure is not None
    assert head.failure.message == "RuntimeError: poisoned"
    named = head.failure.details["orders"].split()
    assert len(named) == 1
    assert set(named) <= {receipt.id for receipt in receipts}
    assert head.failure.details.get("bundle_reproduces") == "yes", head.failure
    (tocsin.traps / "poison").unlink()
    assert tocsin.play("healthy")["digest"] == calm[0]
    assert tocsin.services.store.ticks.retry("poisoned", 1, head.epoch).outcome == "retried"
    tocsin.dispatcher.wake("poisoned")
    check_undisturbed(tocsin, "poisoned", calm)


def test_a_retry_can_drop_the_order_and_every_camp_reads_that_one_was(tocsin: World) -> None:
    tocsin.start_worker()
    tocsin.found("dropped")
    receipts = tocsin.book("dropped")
    home = tocsin.services.campaigns.load("dropped").rulebook.commands(tocsin.orders("dropped")[0][2])[0]
    (tocsin.traps / "poison").write_text(home)
    tocsin.close("dropped")
    head = tocsin.wait_failed("dropped")
    (tocsin.traps / "poison").unlink()
    assert head.failure is not None
    victim = head.failure.details["orders"].split()[0]
    assert victim in {receipt.id for receipt in receipts}
    tocsin.services.store.ticks.retry("dropped", 1, head.epoch, drop=[victim])
    tocsin.dispatcher.wake("dropped")
    tocsin.wait_published("dropped", 1)
    assert tocsin.replay("dropped", 1).findings == []
    assert tocsin.archived("dropped", 1).header.dropped == (victim,)
    for camp in ("angel", "demon"):
        text = b"".join(data for tick, _, data in tocsin.stream("dropped", camp) if tick == 1)
        assert text.count(b"order_dropped") == 1
    told = [
        b"".join(data for _, _, data in tocsin.stream("dropped", c)).count(victim.encode()) for c in ("angel", "demon")
    ]
    assert sorted(told) == [0, 1], "which order it was is told to its own camp alone"


def test_a_shard_started_too_often_without_an_outcome_is_lost(tocsin: World) -> None:
    tocsin.found("lost")
    tocsin.book("lost")
    tocsin.close("lost")
    campaign = tocsin.services.campaigns.load("lost")
    work = tocsin.dispatcher._work(campaign)
    for _ in range(tocsin.settings.attempts_max):
        tocsin.services.store.ticks.attempt(work.at, "0")
    assert tocsin.services.runner().shard(work, 0) is None
    head = tocsin.head("lost")
    assert head.tick_status == "lost"
    assert head.failure is not None
    assert head.failure.kind == "lost"


def test_a_forged_message_computes_only_what_the_head_asks_for(tocsin: World) -> None:
    tocsin.found("forged")
    tocsin.book("forged")
    tocsin.close("forged")
    runner = tocsin.services.runner()
    work = tocsin.dispatcher._work(tocsin.services.campaigns.load("forged"))
    for field, value in (("tick", 7), ("step", 3), ("epoch", 9), ("input_digest", "0" * 64)):
        forged = type(work)(**{name: getattr(work, name) for name in work.__slots__} | {field: value})
        assert runner.shard(forged, 0) == "stale"
        assert runner.commit(forged) == "stale"
    assert runner.shard(work, 999) == "stale"


def test_publishing_leaks_no_subscription(tocsin: World) -> None:
    tocsin.start_worker()
    tocsin.found("quiet")
    tocsin.play("quiet")
    client = tocsin.services.store.client
    assert client.pubsub_channels("celery-task-meta-*") == []
    assert SHARD != COMMIT
    wait_for(lambda: client.llen("tocsin.large") == 0 and client.llen("tocsin.small") == 0, "queues empty")
