"""A fused tick: one process plays all of it in a leap; where one comes to no end, superstep by superstep."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import msgspec
import pytest
import redis

from tests.service.lake import RULEBOOK, Boat, Fish, Lake, Level, tell
from tests.service.lake import play as fish
from tests.service.pond import ANNA, WEST, World, receipt, world
from workers.kernel.events import Event
from workers.kernel.phases import Homes, Phase, Shared, Sums, everybody
from workers.registry import Plugin, Registry
from workers.service import leaps
from workers.service.campaigns import Campaign
from workers.service.closed_book import KeptBook
from workers.service.leaps import Leapt, Resolved
from workers.service.publication import MissingPages
from workers.service.recording import read_record
from workers.service.records import StepSummary, blob, encoded
from workers.service.resolution import Run, Work
from workers.store.keys import Keys
from workers.store.records import Failure, StepId

SUPERSTEPS = ("night", "noon", "dusk")
SEED = "5e" * 32


class Killed(BaseException):
    """Stands for the end of a process: nothing that runs afterwards in it."""


@dataclass
class Trap:
    """Raises in the superstep at noon, so many times; without end where `times` is negative. `late`: at its barrier."""

    error: BaseException
    times: int = -1
    late: bool = False

    def noon(self, home: Boat | None, orders: Sequence[Any], mail: Sequence[Any], context: Any) -> Iterator[Event]:
        """A phase in which nothing happens, or the trap."""
        if context.tick and self.times and not self.late:
            self.times -= 1
            raise self.error
        return iter(())

    def barrier(self, shared: Lake, sums: Sums, context: Any) -> Iterator[Event]:
        """A barrier at which nothing happens; or the lake changes, and then the trap."""
        if context.tick and self.times and self.late:
            self.times -= 1
            yield Level(shared.fish + 1)
            raise self.error


def trapped(client: redis.Redis, folder: Path, trap: Trap, **settings: Any) -> World:
    """The pond with a tick of three supersteps, the second of which has a trap; tick 1 closed with two orders."""
    phases = (
        RULEBOOK.phases[0],
        Phase("noon", (Homes(trap.noon, every=everybody), Shared(trap.barrier))),
        Phase("dusk", (Homes(fish, (Fish,)), Shared(tell))),
    )
    made = world(
        client, folder.as_uri(), rulebooks=Registry([Plugin(replace(RULEBOOK, phases=phases), "tests 0")]), **settings
    )
    made.found(campaign_seed=SEED, fuse_below=1_000)
    made.send(ANNA, key="one")
    made.send({"kind": "fish", "boat": "carl"}, sender=WEST, key="two")
    made.close()
    return made


@pytest.fixture
def trap() -> Trap:
    """A trap that does nothing until a test arms it."""
    return Trap(Killed(), 0)


@pytest.fixture
def closed(client: redis.Redis, tmp_path: Path, trap: Trap) -> World:
    return trapped(client, tmp_path, trap)


def attempts(pond: World) -> dict[str, int]:
    return pond.services.store.ticks.attempts("pond", 1, loaded(pond).head.epoch)


def loaded(pond: World) -> Campaign:
    return pond.services.campaigns.load("pond")


def leap(pond: World) -> Leapt:
    """One leap from where the head stands."""
    campaign = loaded(pond)
    at = StepId("pond", 1, campaign.head.epoch, campaign.head.step)
    return pond.runtime.runner.leap(at, Run(campaign, KeptBook(pond.services.store, campaign, 1)))


def whole(pond: World) -> Resolved:
    """One leap over all of the tick, which is yet to be committed."""
    leapt = leap(pond)
    assert "whole" == leapt.outcome
    assert leapt.resolved is not None
    return leapt.resolved


def commit(pond: World, resolved: Resolved) -> None:
    """Commit a leap, and publish nothing."""
    assert resolved.commit is not None
    assert "committed" == pond.services.store.ticks.commit(*resolved.commit).outcome


def told(pond: World) -> list[Any]:
    """All that is told of the published tick: its record's digests, its archive, each camp's pages."""
    record = pond.services.store.heads.record("pond", 1)
    assert record is not None
    streams = [pond.services.store.reports.read("pond", camp, after=(1, 0)) for camp in ("east", "west")]
    return [record["digests"], record["summaries"], list(pond.services.archive.read("pond", 1)), streams]


def test_a_leap_is_one_start_and_one_commit(closed: World) -> None:
    closed.services.store.client.hset(Keys("pond").head, "progress_ms", "1")
    before = set(closed.services.store.blobs.index("pond"))
    commit(closed, whole(closed))

    campaign = loaded(closed)
    store = closed.services.store
    manifest = closed.services.campaigns.manifest("pond", campaign.head.manifest)
    assert {"0/leap": 1} == attempts(closed)
    assert (3, "resolved") == (campaign.head.step, campaign.head.tick_status)
    assert 3 == len(store.ticks.account("pond", 1, 1)[0])
    assert set(store.ticks.account("pond", 1, 1)[1]) == {"1/0/0", "1/1/0", "1/2/0"}
    assert [[]] * 3 == [store.ticks.output_shards("pond", 1, 1, step) for step in range(3)]
    assert 1 < campaign.head.progress_ms
    # What only the supersteps between would have read is nowhere: what is stored is named at the end.
    named = {campaign.head.manifest} | manifest.named()
    for summary in store.ticks.account("pond", 1, 1)[0]:
        named |= msgspec.json.decode(summary, type=StepSummary).named()
    assert named == set(store.blobs.index("pond")) - (before - named)


def test_a_book_that_is_told_with_the_start_and_cannot_be_read_is_a_failure_of_its_tick(
    client: redis.Redis, tmp_path: Path
) -> None:
    """Not of the process: it reads the book where it plays, and counts what that raises."""
    pond = world(client, tmp_path.as_uri())
    pond.found(fuse_below=1_000)
    pond.send(ANNA)
    pond.close()
    for key in client.scan_iter(Keys("pond").book(1, 0).removesuffix("0") + "*"):
        client.rpush(key, b"\xc1\x00\x07")
    pond.runtime.resolve("pond")

    head = loaded(pond).head
    assert "failed" == head.tick_status
    assert head.failure is not None
    assert "element of a book" in head.failure.message


def test_of_two_leaps_over_the_same_tick_one_is_published(closed: World) -> None:
    first = whole(closed)
    closed.services.store.client.delete(Keys("pond").attempts(1, 1))  # the other process began at the same moment
    second = whole(closed)
    publication = closed.services.publication

    assert "published" == publication.publish("pond", 1, first)
    publication.finish("pond")
    once = told(closed), loaded(closed).head
    assert "same" == publication.publish("pond", 1, second)
    assert once == (told(closed), loaded(closed).head)


def test_a_publication_that_a_retirement_overtakes_finds_the_tick_published(
    closed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(closed, whole(closed))
    ticks, publication = closed.services.store.ticks, closed.services.publication
    account = ticks.account

    def overtaken(*place: Any) -> Any:
        monkeypatch.undo()
        assert "published" == publication.publish("pond", 1)
        publication.finish("pond")
        return account(*place)

    monkeypatch.setattr(ticks, "account", overtaken)
    assert "same" == publication.publish("pond", 1)
    assert (1, 1) == (loaded(closed).head.published, loaded(closed).head.retired)


def test_a_tick_whose_summaries_are_lost_is_not_published(closed: World) -> None:
    commit(closed, whole(closed))
    closed.services.store.client.delete(Keys("pond").steps(1, 1))

    with pytest.raises(MissingPages, match="summaries of tick 1"):
        closed.services.publication.publish("pond", 1)
    assert 0 == loaded(closed).head.published


def test_a_leap_from_where_the_head_no_longer_stands_is_stale(closed: World) -> None:
    campaign = loaded(closed)
    closed.runtime.resolve("pond")

    assert Leapt("stale") == closed.runtime.runner.leap(
        StepId("pond", 1, 1, 0), Run(campaign, KeptBook(closed.services.store, campaign, 1))
    )


def test_a_leap_that_was_overtaken_by_single_supersteps_publishes_nothing(closed: World) -> None:
    late = whole(closed)
    head = loaded(closed).head
    work = Work("pond", 1, 0, head.epoch, closed.services.resolution.present_input(loaded(closed)))
    assert "written" == closed.runtime.runner.shard(work, 0)
    assert "committed" == closed.runtime.runner.commit(work)

    assert "stale" == closed.services.publication.publish("pond", 1, late)
    assert (1, "resolving") == (loaded(closed).head.step, loaded(closed).head.tick_status)
    closed.runtime.resolve("pond")
    assert 1 == loaded(closed).head.published


def test_a_leap_of_an_epoch_before_tells_nothing_even_of_the_same_state(client: redis.Redis, tmp_path: Path) -> None:
    """A haul catches nothing: with it and without it the tick comes to one state, and has other things to tell."""
    pond = world(client, tmp_path.as_uri())
    pond.found(fuse_below=1_000)
    hauled = receipt(pond.send({"kind": "haul", "boats": ["anna"]}).results[0])
    pond.close()
    ticks = pond.services.store.ticks
    late = whole(pond)
    assert ticks.fail("pond", 1, 1, Failure("exception", "another machine is broken"))
    assert "retried" == ticks.retry("pond", 1, 1, drop=[hauled.id]).outcome
    present = whole(pond)
    assert present.campaign.head.manifest == late.campaign.head.manifest
    commit(pond, present)

    assert "stale" == pond.services.publication.publish("pond", 1, late)
    pond.runtime.resolve("pond")
    pages = b"".join(page.body for page in pond.services.store.reports.read("pond", "east", after=(1, 0)))
    assert (True, False) == (b"order_dropped" in pages, b"caught" in pages)


def test_a_leap_that_was_overtaken_by_the_retirement_of_its_tick_is_no_alarm(closed: World) -> None:
    """The orders are gone when it comes to read them: what it made of none alarms nobody."""
    campaign = loaded(closed)
    began = Run(campaign, KeptBook(closed.services.store, campaign, 1))
    closed.runtime.resolve("pond")
    once = told(closed), loaded(closed).head
    late = closed.services.resolution.leap(StepId("pond", 1, 1, 0), "late", began, ()).resolved

    assert late is not None
    assert "same" == closed.services.publication.publish("pond", 1, late)
    assert once == (told(closed), loaded(closed).head)


def test_a_leap_of_a_book_that_the_server_lost_since_is_stale(client: redis.Redis, tmp_path: Path) -> None:
    """The server came back as of before the tick's orders, took others, and closed the tick again."""
    pond = world(client, tmp_path.as_uri())
    leapt = []
    for number, boat in enumerate(("anna", "bert")):
        client.flushdb()
        pond.found(campaign_seed=SEED, fuse_below=1_000)
        pond.send({"kind": "fish", "boat": boat})
        pond.close()
        client.hset(Keys("pond").head, "closed_ms", 1_000 + number)
        leapt.append(whole(pond))
    late, present = leapt

    assert "stale" == pond.services.publication.publish("pond", 1, late)
    assert (0, "resolving") == (loaded(pond).head.step, loaded(pond).head.tick_status)
    assert "published" == pond.services.publication.publish("pond", 1, present)


def test_a_process_whose_server_lost_the_book_meanwhile_plays_the_one_that_is_there(
    client: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same tick in the same epoch, closed anew: nothing that was read of the book before is played again."""
    pond = world(client, tmp_path.as_uri())

    def closed_with(boat: str, closed_ms: int) -> None:
        client.flushdb()
        pond.found(campaign_seed=SEED, fuse_below=1_000)
        pond.send({"kind": "fish", "boat": boat})
        pond.close()
        client.hset(Keys("pond").head, "closed_ms", closed_ms)

    publish = pond.services.publication.publish

    def overtaken(*arguments: Any) -> Any:
        monkeypatch.undo()
        closed_with("bert", 2_000)
        return publish(*arguments)

    closed_with("anna", 1_000)
    monkeypatch.setattr(pond.services.publication, "publish", overtaken)
    pond.runtime.resolve("pond")

    assert 1 == loaded(pond).head.published
    assert ["bert"] == [order.home for order in read_record(pond.services.archive.read("pond", 1)).orders]
    told = b"".join(page.body for page in pond.services.store.reports.read("pond", "east", after=(1, 0)))
    assert (True, False) == (b'"boat":"bert"' in told, b'"boat":"anna"' in told)


def test_a_leap_tells_of_the_tick_that_it_resolved_what_the_store_does(closed: World) -> None:
    resolved = whole(closed)
    commit(closed, resolved)
    summaries, workers = closed.services.store.ticks.account("pond", 1, 1)

    assert [msgspec.json.decode(data, type=StepSummary) for data in summaries] == resolved.steps
    assert set(workers.values()) == resolved.workers
    changes = {"progress_ms", "step_started_ms"}
    told, held = (msgspec.structs.asdict(one.head) for one in (resolved.campaign, loaded(closed)))
    assert changes >= {name for name in told if told[name] != held[name]}


def test_a_tick_that_an_earlier_release_resolved_is_published_with_the_same_pages(
    closed: World, client: redis.Redis, tmp_path: Path
) -> None:
    """It put all pages of a superstep for a camp into one blob, a line each."""
    closed.runtime.resolve("pond")
    undisturbed = told(closed)[2:]
    client.flushdb()
    pond = trapped(client, tmp_path / "again", Trap(Killed(), 0))
    at, move = whole(pond).commit or pytest.fail("there is no commit")
    blobs, summaries = dict(move.blobs), []
    for summary in (msgspec.json.decode(data, type=StepSummary) for data in move.summaries):
        joined = {camp: b"\n".join(blobs[one] for one in pages) for camp, pages in summary.pages.items()}
        named = {camp: (blob(pages, blobs),) if pages else () for camp, pages in joined.items()}
        summaries.append(encoded(msgspec.structs.replace(summary, pages=named, paged=False)))
    assert any(b"\n" in data for digest, data in blobs.items() if digest not in move.blobs)
    named_now = move.named | blobs.keys()
    earlier = msgspec.structs.replace(move, blobs=blobs, summaries=tuple(summaries), named=named_now)
    assert "committed" == pond.services.store.ticks.commit(at, earlier).outcome

    pond.runtime.resolve("pond")
    assert undisturbed == told(pond)[2:]


def test_a_leap_needs_no_cache(client: redis.Redis, tmp_path: Path) -> None:
    """What it made is stored nowhere until its publication, which tells of it."""
    pond = trapped(client, tmp_path, Trap(Killed(), 0), cache_bytes=0)
    pond.runtime.resolve("pond")

    assert 1 == loaded(pond).head.published


def test_leaps_and_single_supersteps_tell_the_same_bytes(client: redis.Redis, tmp_path: Path) -> None:
    found = []
    for careful in (False, True):
        client.flushdb()
        pond = trapped(client, tmp_path / str(careful), Trap(Killed(), 0))
        if careful:
            pond.services.store.ticks.leap_attempt(StepId("pond", 1, 1, 0))
        pond.runtime.resolve("pond")
        found.append(told(pond))

    assert found[0] == found[1]


def test_a_tick_of_a_state_too_large_to_be_kept_is_played_superstep_by_superstep(
    closed: World, client: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed.runtime.resolve("pond")
    undisturbed = told(closed)
    client.flushdb()
    monkeypatch.setattr(leaps, "STATE_BYTES", 1)
    pond = trapped(client, tmp_path / "again", Trap(Killed(), 0))

    assert Leapt("halted") == leap(pond)
    client.delete(Keys("pond").attempts(1, 1))
    pond.runtime.resolve("pond")
    assert undisturbed == told(pond)


def test_a_leap_that_has_made_enough_ends_and_the_next_goes_on(
    closed: World, client: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed.runtime.resolve("pond")
    undisturbed = told(closed)
    client.flushdb()
    monkeypatch.setattr(leaps, "LEAP_BYTES", 0)
    pond = trapped(client, tmp_path / "again", Trap(Killed(), 0))

    assert ["committed"] * 3 == [leap(pond).outcome for _ in SUPERSTEPS]
    assert "resolved" == loaded(pond).head.tick_status
    assert {"0/leap": 1, "1/leap": 1, "2/leap": 1} == attempts(pond)
    pond.runtime.resolve("pond")
    assert undisturbed == told(pond)


def test_a_process_killed_in_a_leap_leaves_nothing_and_the_next_goes_by_single_supersteps(
    closed: World, trap: Trap
) -> None:
    trap.times = -1
    seen = []
    for _ in range(4):
        with pytest.raises(Killed):
            closed.runtime.resolve("pond")
        seen.append((loaded(closed).head.step, attempts(closed)))

    assert [
        (0, {"0/leap": 1}),
        (1, {"0/leap": 2, "0/0": 1, "0/commit": 1}),
        (1, {"0/leap": 2, "0/0": 1, "0/commit": 1, "1/leap": 1}),
        (1, {"0/leap": 2, "0/0": 1, "0/commit": 1, "1/leap": 2, "1/0": 1}),
    ] == seen
    trap.times = 0
    closed.runtime.resolve("pond")
    assert 1 == loaded(closed).head.published
    assert 0 == closed.services.store.client.exists(Keys("pond").attempts(1, 1))


def test_a_tick_whose_processes_are_killed_again_and_again_is_lost_where_they_are(closed: World, trap: Trap) -> None:
    trap.times = -1
    for _ in range(3 + closed.services.settings.attempts_max):
        with pytest.raises(Killed):
            closed.runtime.resolve("pond")
    closed.runtime.resolve("pond")
    head = loaded(closed).head

    assert head.failure is not None
    assert ("lost", "lost", 1, "0") == (head.tick_status, head.failure.kind, head.failure.step, head.failure.shard)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("times", [1, 2])
def test_a_superstep_that_raises_ends_a_leap_before_it_and_is_tried_again_alone(
    closed: World, client: redis.Redis, tmp_path: Path, times: int, late: bool
) -> None:
    """What it has changed of the shared record until then is none of what the leap commits."""
    closed.runtime.resolve("pond")
    undisturbed = told(closed)
    client.flushdb()
    pond = trapped(client, tmp_path / "again", Trap(ValueError("a loose board"), times, late))

    assert "committed" == leap(pond).outcome
    assert 1 == loaded(pond).head.step
    pond.runtime.resolve("pond")
    assert 1 == loaded(pond).head.published
    assert undisturbed == told(pond)


def test_a_superstep_that_always_raises_puts_the_tick_into_quarantine_there(
    client: redis.Redis, tmp_path: Path
) -> None:
    pond = trapped(client, tmp_path, Trap(ValueError("a loose board")))
    pond.runtime.resolve("pond")
    head = loaded(pond).head

    assert head.failure is not None
    assert ("failed", 1, 1) == (head.tick_status, head.step, head.failure.step)
    assert "noon" == head.failure.details["phase"]
    assert "a loose board" in head.failure.message
    failures = pond.services.settings.failures_max
    counted = {name: count for name, count in attempts(pond).items() if "/0" in name}
    assert {failures} == set(counted.values()), "the leap's own failure is none of those that are counted"


def test_the_first_superstep_that_raises_halts_a_leap(client: redis.Redis, tmp_path: Path) -> None:
    trap = Trap(ValueError("a loose board"), 0)
    pond = trapped(client, tmp_path, trap)
    trap.times = 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaps, "LEAP_BYTES", 1)
        assert "committed" == leap(pond).outcome
    assert "halted" == leap(pond).outcome
    assert 1 == loaded(pond).head.step


def test_faults_of_the_machine_end_a_leap_with_nothing_done(client: redis.Redis, tmp_path: Path) -> None:
    pond = trapped(client, tmp_path, Trap(MemoryError(), 1))
    with pytest.raises(MemoryError):
        leap(pond)
    assert 0 == loaded(pond).head.step
    pond.runtime.resolve("pond")
    assert 1 == loaded(pond).head.published


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
        pond.found(campaign_seed=SEED, fuse_below=1_000)
        pond.send({"kind": "fish", "boat": boats[0], "lines": 1 + number})
        pond.close()
        pond.runtime.resolve("pond")
        record = pond.services.store.heads.record("pond", 1)
        assert record is not None
        digests.append(record["digest"])

    assert digests[0] != digests[1]
