"""An export taken at any moment restores into an empty server, and the campaign goes on as if nothing had happened."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fakeredis
import pytest
import redis

from tests.service.pond import ANNA, BERT, WEST, World, world
from workers.kernel.errors import InvalidInput
from workers.service.access import RotationPlan, TokenPlan
from workers.service.backup import Backup, CampaignExists, NotTheSeed, read_seed
from workers.service.campaigns import UnknownCampaign
from workers.service.resolution import Work
from workers.store.archive import Archive
from workers.store.keys import Keys, token_key
from workers.store.records import Head, Policy, Token
from workers.store.tokens import digest_of

SEED = "b5a8dd20cc56908f40e2082b5c7f5137ccb4ec9a67e05f0727dce4fce02cd645"
CARL = {"kind": "fish", "boat": "carl"}
TICKS = 3
PLAN: dict[str, Any] = {
    "campaign_seed": SEED,
    "slices": 16,
    "shards": 4,
    "fuse_below": 0,
    "policy": Policy(reveal_after=1),
}


def founded(client: redis.Redis, folder: Path) -> World:
    made = world(client, folder.as_uri())
    made.found(**PLAN)
    return made


def head_of(pond: World) -> Head:
    return pond.services.campaigns.load("pond").head


def booked(pond: World, tick: int) -> None:
    pond.send(ANNA, key=f"{tick} east")
    if tick % 2:
        pond.send(BERT, key=f"{tick} east again")
    pond.send(CARL, sender=WEST, key=f"{tick} west")


def step(pond: World) -> None:
    """One superstep: every shard, and its commit."""
    head = head_of(pond)
    assert head.resolving is not None
    digest = pond.services.resolution.present_input(pond.services.campaigns.load("pond"))
    work = Work("pond", head.resolving, head.step, head.epoch, digest)
    for shard in range(head.tick_shards):
        pond.runtime.runner.shard(work, shard)
    pond.runtime.runner.commit(work)


def played(pond: World) -> None:
    """The open tick without further orders, to its retirement."""
    tick = pond.close()
    while head_of(pond).tick_status == "resolving":
        step(pond)
    pond.services.publication.publish("pond", tick)
    pond.services.publication.finish("pond")


def moments(pond: World) -> Iterator[str]:
    """Play to the end of tick TICKS, stopping wherever an export could be taken; the name of each moment."""
    yield "founded"
    while (tick := head_of(pond).open_tick) <= TICKS:
        booked(pond, tick)
        yield f"tick {tick} open with orders"
        pond.close()
        booked(pond, tick + 1)
        yield f"tick {tick} closed, orders for the next"
        while head_of(pond).tick_status == "resolving":
            at = head_of(pond).step
            digest = pond.services.resolution.present_input(pond.services.campaigns.load("pond"))
            pond.runtime.runner.shard(Work("pond", tick, at, head_of(pond).epoch, digest), 0)
            yield f"tick {tick}, superstep {at}, one shard of four written"
            step(pond)
            yield f"tick {tick}, superstep {at} committed"
        pond.services.publication.publish("pond", tick)
        yield f"tick {tick} published, not archived"
        pond.services.publication.finish("pond")
        yield f"tick {tick} retired"


def go_on(pond: World) -> None:
    """Play to the end of tick TICKS from wherever the campaign stands; orders that were sent are sent again."""
    pond.services.publication.finish("pond")
    while True:
        head = head_of(pond)
        if head.tick_status == "resolving":
            booked(pond, head.open_tick)
            step(pond)
        elif head.tick_status == "resolved":
            assert head.resolving is not None
            booked(pond, head.open_tick)
            pond.services.publication.publish("pond", head.resolving)
            pond.services.publication.finish("pond")
        elif head.published == TICKS:
            return
        else:
            booked(pond, head.open_tick)
            pond.close()


def told(pond: World) -> dict[str, Any]:
    """All that a campaign's players and operators can find of its ticks."""
    store, archive = pond.services.store, pond.services.archive
    records = {tick: store.heads.record("pond", tick) or {} for tick in range(TICKS + 1)}
    return {
        "digests": {tick: (record.get("digest"), record.get("seal")) for tick, record in records.items()},
        "records": {tick: list(archive.read("pond", tick)) for tick in archive.ticks("pond")},
        "pages": {camp: store.reports.read("pond", camp, count=1_000) for camp in ("east", "west")},
        "commitments": store.heads.commitments("pond"),
        "seeds": store.heads.seeds("pond"),
    }


def taken(pond: World) -> list[bytes]:
    return list(Backup(pond.services.store).export("pond"))


def elsewhere(folder: Path) -> World:
    return world(fakeredis.FakeRedis(server=fakeredis.FakeServer()), folder.as_uri())


def restored(lines: list[bytes], pond: World, seed: str = SEED) -> Head:
    return Backup(pond.services.store).restore("pond", lambda: lines, read_seed(seed))


def everything(client: Any) -> dict[bytes, Any]:
    """Every key of the campaign with its content, for comparison."""
    readers: dict[bytes, Callable[[bytes], Any]] = {
        b"hash": client.hgetall,
        b"list": lambda key: client.lrange(key, 0, -1),
        b"set": client.smembers,
        b"stream": client.xrange,
        b"string": client.get,
    }
    return {key: readers[client.type(key)](key) for key in client.scan_iter("tocsin*{pond}*")}


def test_an_export_of_any_moment_goes_on_to_what_the_undisturbed_campaign_came_to(
    client: redis.Redis, tmp_path: Path
) -> None:
    pond = founded(client, tmp_path / "undisturbed")
    exports = {moment: taken(pond) for moment in moments(pond)}
    expected = told(pond)

    assert len(exports) > 5 * TICKS
    for number, (moment, lines) in enumerate(exports.items()):
        other = elsewhere(tmp_path / str(number))
        restored(lines, other)
        go_on(other)
        found = told(other)
        # What was archived before the export lies in the archive of the time.
        expected_records = {tick: expected["records"][tick] for tick in found["records"]}
        assert expected | {"records": expected_records} == found, moment
        assert set(range(head_of(other).published + 1)) - {0} >= set(found["records"]), moment


def test_a_restored_campaign_has_key_for_key_what_was_exported(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path / "one")
    played(pond)
    booked(pond, 2)
    pond.close()
    pond.services.store.tokens.create(Token("operator", campaign="pond"), secret=b"7" * 32)
    pond.services.store.tokens.claim("pond", "pat", "east")
    before = everything(client)
    lines = taken(pond)
    client.flushall()
    restored(lines, pond)
    after = everything(client)
    head = Keys("pond").head.encode()
    changed = {name for name in after[head] if after[head][name] != before[head].get(name)}

    assert {b"history"} == changed
    assert ["restore"] == [act.act for act in head_of(pond).history]
    assert before | {head: after[head]} == after
    assert ["operator"] == [token.scope for token in pond.services.store.tokens.listed("pond").values()]
    assert "east" == pond.services.store.tokens.claim("pond", "pat", "west")


def test_an_export_never_holds_the_campaign_seed(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path / "one")
    played(pond)
    seed = pond.services.campaigns.campaign_seed("pond")
    whole = b"".join(taken(pond))

    assert seed not in whole
    assert seed.hex().encode() not in whole.lower()
    assert b"tocsin-seed" not in whole


def test_a_batch_that_was_answered_before_the_export_is_answered_the_same_after_it(
    client: redis.Redis, tmp_path: Path
) -> None:
    """Even one of a tick that is retired: its idempotency record has 24 hours to live."""
    pond = founded(client, tmp_path / "one")
    first = pond.send(ANNA, key="first")
    played(pond)
    second = pond.send(ANNA, key="second")
    lines = taken(pond)
    client.flushall()
    restored(lines, pond)

    assert first.results == pond.send(ANNA, key="first").results
    assert second.results == pond.send(ANNA, key="second").results
    assert 1 == pond.services.store.intake.counts("pond", 2).orders
    lives = [client.pttl(key) for key in client.scan_iter("tocsin:{pond}:idem:*")]
    assert sorted(life > 0 for life in lives) == [False, True]


def test_a_server_that_has_the_campaign_is_left_alone(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path / "one")
    lines = taken(pond)
    pond.send(ANNA, key="later")
    before = everything(client)

    with pytest.raises(CampaignExists, match="there is a campaign 'pond'"):
        restored(lines, pond)
    assert before == everything(client)


def test_another_seed_under_the_campaigns_name_is_left_alone(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path / "one")
    lines = taken(pond)
    client.flushall()
    client.set(Keys("pond").seed, b"9" * 32)

    with pytest.raises(CampaignExists, match="another seed"):
        restored(lines, pond)
    assert b"9" * 32 == client.get(Keys("pond").seed)
    assert not client.exists(Keys("pond").head)


@pytest.mark.parametrize("seed", ["0" * 64, SEED[:-1] + "6"])
def test_a_seed_that_is_not_the_campaigns_is_refused_before_anything_is_written(
    client: redis.Redis, tmp_path: Path, seed: str
) -> None:
    pond = founded(client, tmp_path / "one")
    lines = taken(pond)
    client.flushall()

    with pytest.raises(NotTheSeed, match="id key") as caught:
        restored(lines, pond, seed)
    assert [] == list(client.scan_iter())
    assert seed not in str(caught.value)


def test_a_commitment_that_the_seed_does_not_give_is_named(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path / "one")
    client.hset(Keys("pond").commitments, "2", "0" * 64)
    lines = taken(pond)
    client.flushall()

    with pytest.raises(NotTheSeed, match="the commitment of tick 2"):
        restored(lines, pond)
    assert [] == list(client.scan_iter())


@pytest.mark.parametrize("text", ["", "xyz", SEED[:-2], SEED + "00", "g" * 64])
def test_what_is_no_seed_is_said_without_repeating_it(text: str) -> None:
    with pytest.raises(InvalidInput, match="64 hexadecimal digits") as caught:
        read_seed(text)
    assert not text or text not in str(caught.value)


def damaged(lines: list[bytes], how: str) -> list[bytes]:
    blob = next(number for number, line in enumerate(lines) if line.startswith(b'["blob"'))
    book = next(number for number, line in enumerate(lines) if line.startswith(b'["commitments"'))
    changes: dict[str, Callable[[], list[bytes]]] = {
        "cut off": lambda: lines[:-1],
        "a blob changed": lambda: [*lines[:blob], lines[blob].replace(b"anna", b"anne"), *lines[blob + 1 :]],
        "a line missing": lambda: [*lines[:book], *lines[book + 1 :]],
        "a line after the end": lambda: [*lines, lines[1]],
        "no JSON": lambda: [*lines[:-1], b"{", lines[-1]],
        "a key of nobody": lambda: [*lines[:-1], b'["gold",[],["1"]]\n', lines[-1]],
        "the seed": lambda: [*lines[:-1], b'["seed",[],["1"]]\n', lines[-1]],
        "a part that leads away": lambda: [*lines[:-1], b'["book",["1","0}:x"],["1"]]\n', lines[-1]],
        "a key of all campaigns": lambda: [*lines[:-1], b'["campaigns",[],["1"]]\n', lines[-1]],
        "half a hash": lambda: [*lines[:-1], b'["seeds",[],["1"]]\n', lines[-1]],
        "numbers": lambda: [*lines[:-1], b'["seeds",[],[1,2]]\n', lines[-1]],
        "a later format": lambda: [lines[0].replace(b'"format_version":1', b'"format_version":2'), *lines[1:]],
        "a record": lambda: [b'{"format":"tocsin-record","campaign":"pond"}\n', *lines[1:]],
        "nothing": list,
    }
    return changes[how]()


@pytest.mark.parametrize(
    "how",
    [
        "cut off", "a blob changed", "a line missing", "a line after the end", "no JSON", "a key of nobody", "the seed",
        "a part that leads away", "a key of all campaigns", "half a hash", "numbers", "a later format", "a record",
        "nothing",
    ],
)  # fmt: skip
def test_what_is_no_whole_export_is_refused_and_nothing_is_written(how: str, tmp_path: Path) -> None:
    pond = founded(fakeredis.FakeRedis(server=fakeredis.FakeServer()), tmp_path / "one")
    pond.send(ANNA, key="one")
    lines = damaged(taken(pond), how)
    other = elsewhere(tmp_path / "other")

    with pytest.raises(InvalidInput):
        restored(lines, other)
    assert [] == list(other.services.store.client.scan_iter())


def test_an_export_is_of_one_moment_however_busy_the_campaign_is(client: redis.Redis, tmp_path: Path) -> None:
    """Ticks close, resolve and retire between the lines of the export; what comes out goes on all the same."""
    pond = founded(client, tmp_path / "one")
    lines, busy = [], moments(pond)
    for line in Backup(pond.services.store).export("pond"):
        lines.append(line)
        next(busy, None)
    for _ in busy:
        continue
    other = elsewhere(tmp_path / "other")
    restored(lines, other)
    assert head_of(other).published < TICKS + 1
    go_on(other)

    assert told(pond)["digests"] == told(other)["digests"]


def test_a_token_that_ends_does_so_on_the_server_that_it_was_restored_to(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path / "one")
    access = pond.face.access
    old = access.create("pond", TokenPlan("camp", camp="east"))
    new = access.rotate("pond", old.id, RotationPlan(600))
    lines = taken(pond)
    client.flushall()
    restored(lines, pond)

    assert 0 < client.pttl(token_key(old.id)) <= 600_000
    assert -1 == client.pttl(token_key(new.id))
    assert None not in (access.authenticate(old.secret), access.authenticate(new.secret))


def test_a_token_that_ended_since_the_export_is_not_restored(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path / "one")
    token = Token("operator", campaign="pond", ends_ms=pond.services.store.heads.server_time_ms())
    secret = pond.services.store.tokens.create(token, secret=b"7" * 32)
    lines = taken(pond)
    client.flushall()
    restored(lines, pond)

    assert not client.exists(token_key(digest_of(secret)))


def test_a_campaign_that_does_not_exist_has_no_export(empty: World) -> None:
    with pytest.raises(UnknownCampaign, match="pond"):
        taken(empty)


def test_the_archive_of_a_restored_campaign_goes_on_where_the_old_one_was(client: redis.Redis, tmp_path: Path) -> None:
    """In one archive: the same ticks are written again with the same content, which changes nothing."""
    pond = founded(client, tmp_path)
    played(pond)
    booked(pond, 2)
    pond.close()
    lines = taken(pond)
    go_on(pond)
    files = {tick: Archive(tmp_path.as_uri()).digest("pond", tick) for tick in range(1, TICKS + 1)}
    other = elsewhere(tmp_path)
    restored(lines, other)
    while head_of(other).tick_status == "resolving":
        step(other)
    other.services.publication.publish("pond", 2)
    other.services.publication.finish("pond")

    assert 2 == head_of(other).archived
    assert files == {tick: Archive(tmp_path.as_uri()).digest("pond", tick) for tick in files}
