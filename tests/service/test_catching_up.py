"""A server that came back older than its archive does nothing of its own accord, until it is brought up to it."""

from pathlib import Path

import pytest
import redis

from tests.service.pond import ANNA, BERT, World
from tests.service.test_backup import (
    TICKS,
    booked,
    elsewhere,
    founded,
    go_on,
    head_of,
    played,
    restored,
    step,
    taken,
    told,
)
from workers.service.catching_up import BrokenArchive, CatchingUp, CaughtUp
from workers.service.orders import Receipt
from workers.service.publication import ArchiveAhead
from workers.store.archive import Archive


def behind(client: redis.Redis, folder: Path, *, then: int = TICKS) -> tuple[World, World, list[bytes]]:
    """A campaign played to its end, and the same on another server, as it was with tick 1 published; the export."""
    pond = founded(client, folder)
    booked(pond, 1)
    played(pond)
    lines = taken(pond)
    for tick in range(2, then + 1):
        booked(pond, tick)
        played(pond)
    other = elsewhere(folder)
    restored(lines, other)
    return pond, other, lines


def caught_up(pond: World) -> CaughtUp:
    services = pond.services
    return CatchingUp(services.store, services.campaigns, services.archive).catch_up("pond")


def test_a_tick_that_the_archive_holds_is_not_closed_again(client: redis.Redis, tmp_path: Path) -> None:
    _, other, _ = behind(client, tmp_path)
    head = head_of(other)
    reply = other.services.closing.close(head, head.open_tick, "operator")

    assert ("archive_ahead", 2, None) == (reply.outcome, reply.open_tick, reply.resolving)
    assert head == head_of(other)


def test_a_close_that_came_twice_is_still_told_that_the_tick_is_over(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path)
    before = head_of(pond)
    played(pond)

    assert "other_tick" == pond.services.closing.close(before, 1, "operator").outcome


def test_a_tick_resolved_another_way_than_the_archive_holds_it_is_told_to_nobody(
    client: redis.Redis, tmp_path: Path
) -> None:
    """The server lost an order that the tick was played with; only who publishes sees the archive."""
    pond = founded(client, tmp_path)
    lines = taken(pond)
    pond.send(ANNA, key="lost")
    played(pond)
    other = elsewhere(tmp_path / "empty")
    restored(lines, other)
    other.close()
    while head_of(other).tick_status == "resolving":
        step(other)
    misled = elsewhere(tmp_path)
    restored(taken(other), misled)

    with pytest.raises(ArchiveAhead, match="tick 1"):
        misled.services.publication.publish("pond", 1)
    assert "resolved" == head_of(misled).tick_status
    assert {0} == {page.tick for page in misled.services.store.reports.read("pond", "east")}


def test_a_campaign_brought_up_to_its_archive_is_what_it_was(client: redis.Redis, tmp_path: Path) -> None:
    pond, other, _ = behind(client, tmp_path)
    expected = told(pond)

    assert CaughtUp(1, TICKS) == caught_up(other)
    other.services.publication.finish("pond")
    found = told(other)
    assert expected == found
    assert pond.services.campaigns.manifest("pond", head_of(pond).manifest) == other.services.campaigns.manifest(
        "pond", head_of(other).manifest
    )
    head = head_of(other)
    assert (TICKS + 1, TICKS, TICKS, TICKS) == (head.open_tick, head.published, head.archived, head.retired)
    assert ["restore", "catch-up"] == [act.act for act in head.history]


def test_it_plays_on_to_the_same_digests(client: redis.Redis, tmp_path: Path) -> None:
    pond, other, _ = behind(client, tmp_path, then=TICKS - 1)
    assert CaughtUp(1, TICKS - 1) == caught_up(other)
    go_on(other)
    found = [record.read_bytes() for record in sorted((tmp_path / "pond").iterdir())]
    (tmp_path / "pond" / f"tick-{TICKS:010}.zst").unlink()
    go_on(pond)

    assert found == [record.read_bytes() for record in sorted((tmp_path / "pond").iterdir())]
    assert told(pond) == told(other)


def test_nothing_is_left_of_what_the_server_had_begun(client: redis.Redis, tmp_path: Path) -> None:
    """It was in the middle of tick 2 when it was copied."""
    pond = founded(client, tmp_path)
    played(pond)
    booked(pond, 2)
    pond.close()
    step(pond)
    booked(pond, 3)
    lines = taken(pond)
    go_on(pond)
    other = elsewhere(tmp_path)
    restored(lines, other)
    assert CaughtUp(1, TICKS) == caught_up(other)
    other.services.publication.finish("pond")

    left = {key.decode() for key in other.services.store.client.scan_iter("tocsin:{pond}:*")}
    kinds = {key.split(":")[2] for key in left}
    assert {"head", "commitments", "seeds", "blobs", "blob", "reports", "record", "idem"} == kinds
    index = other.services.store.blobs.index("pond")
    assert {f"tocsin:{{pond}}:blob:{digest}" for digest in index} == {key for key in left if ":blob:" in key}
    assert {TICKS} == set(index.values())


def test_orders_acknowledged_for_a_tick_that_was_over_are_named(client: redis.Redis, tmp_path: Path) -> None:
    _, other, _ = behind(client, tmp_path)
    (result,) = other.send(BERT, key="too late").results
    assert isinstance(result, Receipt)

    assert CaughtUp(1, TICKS, (result.id,)) == caught_up(other)


def test_orders_for_the_tick_that_opens_stay(client: redis.Redis, tmp_path: Path) -> None:
    """Tick 2 had closed, and tick 3 had an order, when the server was copied; the archive ends with tick 2."""
    pond = founded(client, tmp_path)
    played(pond)
    pond.close()
    (result,) = pond.send(ANNA, key="early").results
    lines = taken(pond)
    while head_of(pond).tick_status == "resolving":
        step(pond)
    pond.services.publication.publish("pond", 2)
    pond.services.publication.finish("pond")
    other = elsewhere(tmp_path)
    restored(lines, other)

    assert CaughtUp(1, 2) == caught_up(other)
    assert isinstance(result, Receipt)
    assert 3 == head_of(other).open_tick
    assert 1 == other.services.store.intake.counts("pond", 3).orders
    go_on(other)
    (tmp_path / "pond" / f"tick-{TICKS:010}.zst").unlink()
    go_on(pond)
    assert told(pond)["digests"] == told(other)["digests"]


def test_a_campaign_that_is_not_behind_is_left_alone(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path)
    played(pond)
    head = head_of(pond)

    assert CaughtUp(1, 1) == caught_up(pond)
    assert head == head_of(pond)


def rewritten(folder: Path, tick: int, old: bytes, new: bytes) -> None:
    archive = Archive(folder.as_uri())
    lines = [line.replace(old, new) for line in archive.read("pond", tick)]
    Path(archive.path("pond", tick)).unlink()
    archive.write("pond", tick, lines)


@pytest.mark.parametrize(
    ("tick", "old", "new", "told_as"),
    [
        (2, b'"campaign":"pond"', b'"campaign":"lake"', "another campaign"),
        (2, b'"tick":2,', b'"tick":3,', "another tick"),
        (2, b'"rulebook":"lake"', b'"rulebook":"sea"', "another rulebook"),
        (2, b'"state_start":"', b'"state_start":"0', "begin with the state before it"),
        (2, b'"format_version":1', b'"format_version":2', "a later release wrote it"),
        (TICKS, b'["order",', b'["home",', "can't be resolved|doesn't hold"),
        (TICKS, b'"slices":16', b'"slices":32', "another slices"),
    ],
)
def test_a_record_that_does_not_fit_is_named_and_nothing_is_written(
    client: redis.Redis, tmp_path: Path, tick: int, old: bytes, new: bytes, told_as: str
) -> None:
    _, other, _ = behind(client, tmp_path)
    head = head_of(other)
    rewritten(tmp_path, tick, old, new)

    with pytest.raises(BrokenArchive, match=told_as):
        caught_up(other)
    assert head == head_of(other)


def test_a_page_that_is_none_is_named_and_nothing_is_written(client: redis.Redis, tmp_path: Path) -> None:
    """Only the last record is resolved again; readers of the others' pages would stumble over what is no page."""
    _, other, _ = behind(client, tmp_path)
    head = head_of(other)
    rewritten(tmp_path, 2, b'"facts":[', b'"facts":[7,')

    with pytest.raises(BrokenArchive, match=r"the record of tick 2: the page 1 of \w+: Expected `array`"):
        caught_up(other)
    assert head == head_of(other)


def test_a_gap_in_the_archive_is_named(client: redis.Redis, tmp_path: Path) -> None:
    _, other, _ = behind(client, tmp_path)
    (tmp_path / "pond" / "tick-0000000002.zst").unlink()

    with pytest.raises(BrokenArchive, match="the record of tick 2 can't be read"):
        caught_up(other)


def test_an_act_of_the_operator_lifts_the_heads_schema(client: redis.Redis, tmp_path: Path) -> None:
    _, other, _ = behind(client, tmp_path)
    key = "tocsin:{pond}:head"
    other.services.store.client.hset(key, "schema", "1")
    other.services.store.client.hdel(key, "history")
    assert (1, ()) == (head_of(other).schema, head_of(other).history)
    caught_up(other)

    assert (2, ["catch-up"]) == (head_of(other).schema, [act.act for act in head_of(other).history])
