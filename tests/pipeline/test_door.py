"""The worker's door: what nobody of ours sends is refused and counted, and the worker goes on with its work."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.pipeline.letters import FORGED, followed, letter, raw, signature
from tests.pipeline.world import SEED, World, wait_for
from workers.app import QUEUE_LARGE, QUEUE_SMALL, make_app
from workers.dispatch import COMMIT, FINISH, PUBLISH, RESOLVE, SHARD
from workers.service.door import ARGUMENTS, KINDS, Refused, check_command, check_task
from workers.store.records import Head

HASH = "0" * 64
RSS_GROWTH_KB_MAX = 100_000
ATTEMPTS = 30
"""More than `attempts_max` starts: enough to lose a tick, if they counted."""

GOOD = {
    SHARD: ("town", 1, 0, 1, 3, HASH),
    COMMIT: ("town", 1, 0, 1, HASH),
    RESOLVE: (["town", "city"],),
    PUBLISH: ("town", 1),
    FINISH: ("town",),
}


@pytest.mark.parametrize("task", sorted(ARGUMENTS))
def test_a_message_of_each_task_comes_in(task: str) -> None:
    check_task(letter(task, GOOD[task]))


def test_a_message_of_a_process_that_knows_no_task_comes_in(tocsin: World) -> None:
    """The API and the sweeper send by name: Celery writes no time limits into their messages."""
    make_app(tocsin.settings).signature(FINISH, args=GOOD[FINISH], immutable=True, queue=QUEUE_SMALL).apply_async()
    message = json.loads(tocsin.services.store.client.rpop(QUEUE_SMALL) or b"")  # type: ignore[arg-type]  # redis-py types replies of both kinds of client

    assert [None, None] == message["headers"]["timelimit"]
    check_task(message)


@pytest.mark.parametrize("follow", ["chain", "chord"])
def test_a_shards_commit_comes_in_with_it(follow: str) -> None:
    commit = signature(COMMIT, GOOD[COMMIT])
    check_task(letter(body=followed(**{follow: [commit] if follow == "chain" else commit})))


@pytest.mark.parametrize("forged", list(FORGED))
def test_a_forged_message_is_told_by_its_kind(forged: str) -> None:
    kind, data = FORGED[forged]
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        assert "not_json" == kind
        return
    with pytest.raises(Refused) as refused:
        check_task(message)
    assert kind == refused.value.kind
    assert str(refused.value)


@pytest.mark.parametrize("command", ["shutdown", "pool_restart", "add_consumer", "revoke", "rate_limit", "time_limit"])
def test_a_command_that_would_change_the_worker_is_refused(command: str) -> None:
    with pytest.raises(Refused, match=command) as refused:
        check_command(letter(body=json.dumps({"method": command, "arguments": {}}).encode()), mailbox=True)
    assert "unknown_command" == refused.value.kind


def test_a_command_that_only_looks_comes_in() -> None:
    check_command(letter(body=b'{"method": "ping", "arguments": {}, "destination": null}'), mailbox=True)


def counted(tocsin: World) -> dict[str, int]:
    """What the server counts as refused."""
    tallies = tocsin.services.store.tallies.read()
    return {kind: count for (counter, *names), count in tallies.items() if counter == "door" for kind in names}


def peak_kb(pid: int) -> int:
    """The most memory that a process ever had, in kB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def test_forged_messages_are_counted_by_a_real_worker_that_goes_on(tocsin: World) -> None:
    client = tocsin.services.store.client
    worker = tocsin.start_worker()
    tocsin.found("town", fuse_below=1_000_000)
    tocsin.play("town")
    before_kb = peak_kb(worker.pid)
    wanted = Counter(kind for kind, _ in FORGED.values())
    for _, data in FORGED.values():
        client.lpush(QUEUE_SMALL, data)
        client.lpush(QUEUE_LARGE, data)

    wait_for(lambda: sum(counted(tocsin).values()) >= 2 * len(FORGED), "all forged messages are counted")
    assert {kind: 2 * count for kind, count in wanted.items()} == counted(tocsin)
    assert counted(tocsin).keys() <= set(KINDS)
    assert (0, 0) == (client.llen(QUEUE_SMALL), client.exists("unacked"))
    assert None is worker.poll()
    assert peak_kb(worker.pid) - before_kb < RSS_GROWTH_KB_MAX
    assert tocsin.play("town")["digest"]


def test_a_worker_is_not_shut_down_by_a_message(tocsin: World) -> None:
    """Its mailbox is on the broker too."""
    worker = tocsin.start_worker()
    app = tocsin.dispatcher._app
    wait_for(lambda: app.control.ping(timeout=0.5), "the worker answers")
    app.control.broadcast("shutdown")
    app.control.broadcast("cancel_consumer", arguments={"queue": QUEUE_SMALL})

    wait_for(lambda: counted(tocsin).get("unknown_command", 0) >= 2, "the commands are counted")
    tocsin.found("town", fuse_below=1_000_000)
    assert tocsin.play("town")["digest"]
    assert None is worker.poll()


@pytest.fixture
def resolving(tocsin: World) -> Head:
    """The head of a campaign whose tick is closed, with no worker yet."""
    tocsin.found("town", campaign_seed=SEED)
    tocsin.book("town")
    tocsin.services.closing.close(tocsin.head("town"), 1, "operator")
    return tocsin.head("town")


def forge(tocsin: World, times: int, task: str, *args: object) -> None:
    for _ in range(times):
        tocsin.services.store.client.lpush(QUEUE_LARGE, raw(letter(task, args)))


@pytest.mark.parametrize(
    "forged", ["a shard there is not", "another input", "a commit", "another phase", "a publication"]
)
def test_messages_forged_by_who_has_the_broker_alone_change_nothing(
    tocsin: World, resolving: Head, forged: str
) -> None:
    """Neither the digest, nor what is counted against the tick: none of it brings it nearer to quarantine."""
    real = tocsin.services.resolution.present_input(tocsin.services.campaigns.load("town"))
    match forged:
        case "a shard there is not":
            forge(tocsin, ATTEMPTS, SHARD, "town", 1, 0, 1, 999, real)
        case "another input":
            forge(tocsin, ATTEMPTS, SHARD, "town", 1, 0, 1, 0, HASH)
        case "a commit":
            forge(tocsin, ATTEMPTS, COMMIT, "town", 1, 0, 1, real)
        case "another phase":
            forge(tocsin, ATTEMPTS, SHARD, "town", 1, 3, 1, 0, real)
            forge(tocsin, ATTEMPTS, COMMIT, "town", 2, 0, 1, real)
        case _:
            forge(tocsin, ATTEMPTS, PUBLISH, "town", 1)
            forge(tocsin, ATTEMPTS, FINISH, "town")
            forge(tocsin, ATTEMPTS, FINISH, "nobody")
    client = tocsin.services.store.client
    tocsin.start_worker()
    wait_for(lambda: not client.llen(QUEUE_LARGE) and not client.exists("unacked"), "the forged messages are taken")

    assert ("resolving", 0) == (tocsin.head("town").tick_status, tocsin.head("town").step)
    assert {} == tocsin.services.store.ticks.attempts("town", 1, 1)
    tocsin.dispatcher.wake("town")
    record = tocsin.wait_published("town", 1)
    assert tocsin.replay("town", 1).findings == []
    assert record["digest"] == tocsin.archived("town", 1).header.digests.tick


def test_a_forged_message_that_asks_what_the_head_asks_for_is_a_computation_and_no_more(
    tocsin: World, resolving: Head
) -> None:
    """Every shard and the commit, forged from the first to the last step: the tick that comes out is the same."""
    tocsin.start_worker()
    sent: set[int] = set()

    def done() -> bool:
        campaign = tocsin.services.campaigns.load("town")
        head = campaign.head
        if head.tick_status == "resolving" and head.step not in sent:
            sent.add(head.step)
            digest = tocsin.services.resolution.present_input(campaign)
            for shard in range(head.tick_shards):
                forge(tocsin, 1, SHARD, "town", 1, head.step, head.epoch, shard, digest)
        elif head.tick_status == "resolving":
            digest = tocsin.services.resolution.present_input(campaign)
            written = tocsin.services.store.ticks.output_shards("town", 1, head.epoch, head.step)
            if len(written) == head.tick_shards and not tocsin.services.store.client.llen(QUEUE_LARGE):
                forge(tocsin, 1, COMMIT, "town", 1, head.step, head.epoch, digest)
        elif head.tick_status == "resolved":
            forge(tocsin, 1, PUBLISH, "town", 1)
        return head.published >= 1

    wait_for(done, "the tick is published")
    tocsin.wait_published("town", 1)
    assert tocsin.replay("town", 1).findings == []
