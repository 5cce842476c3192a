"""What the chaos looks for, it finds: each check is shown a world in which just that is wrong."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import redis

from tests.chaos import checks, leaks
from tests.chaos.checks import Findings
from tests.chaos.ledger import Ledger
from tests.service.pond import ANNA, BERT, World, receipt, world
from workers.app import QUEUE_SMALL
from workers.service.orders import Receipt
from workers.service.recording import Record
from workers.store.connection import connect
from workers.store.embedded import EmbeddedServer

PROCESSES = 2


class Played:
    """The pond after two ticks, ended: its records, the ledger of a client that sent an order in each, a reader."""

    def __init__(self, pond: World) -> None:
        self.services = pond.services
        self.ledger = Ledger()
        self.receipts: list[Receipt] = []
        for order in (ANNA, BERT):
            self.receipts.append(receipt(pond.send(order, key=str(order)).results[0]))
            self.ledger.acknowledge("pond", "east", msgspec.to_builtins(self.receipts[-1]))
            pond.play()
        pond.face.lifecycle.move("pond", "end")
        pond.services.publication.finish("pond")
        self.records: dict[int, Record] = checks.read_records(self.services, "pond", 2, Findings())
        self.read = {camp: checks.facts_of(self.records, camp) for camp in ("east", "west")}

    def findings(self) -> dict[str, int]:
        """How many findings of each kind."""
        found = Findings()
        checks.check_digests(self.services, "pond", self.records, found)
        checks.check_orders(self.services, "pond", self.records, self.ledger, found)
        checks.check_reports(self.services, "pond", self.records, ("east", "west"), found)
        for camp, facts in self.read.items():
            checks.check_reading(camp, self.records, camp, facts, found)
        found.leaks += leaks.left_behind(self.services, PROCESSES)
        return {name: count for name, count in found.counts.items() if count}


@pytest.fixture
def played(real_client: redis.Redis, tmp_path: Path) -> Played:
    pond = world(real_client, tmp_path.as_uri())
    pond.found(policy={"reveal_after": 1})
    return Played(pond)


def test_nothing_is_found_where_nothing_is_wrong(played: Played) -> None:
    assert played.findings() == {}


def test_an_acknowledged_order_that_no_tick_has_is_lost(played: Played) -> None:
    stranger = msgspec.structs.replace(played.receipts[0], id="a" * 26)
    played.ledger.acknowledge("pond", "east", msgspec.to_builtins(stranger))
    assert played.findings() == {"lost": 1}
    played.ledger.withdrawn(stranger.id, sure=True)
    assert played.findings() == {}


def test_an_order_that_was_withdrawn_and_is_in_a_tick_is_too_much(played: Played) -> None:
    played.ledger.withdrawn(played.receipts[0].id, sure=True)
    assert played.findings() == {"duplicated": 1}
    played.ledger.withdrawn(played.receipts[0].id, sure=False)
    assert played.findings() == {}


def test_an_order_of_another_tick_than_its_receipts_is_too_much(played: Played) -> None:
    played.ledger.orders[played.receipts[0].id].tick = 2
    assert played.findings() == {"duplicated": 1}


def test_an_order_that_nobody_was_told_of_is_too_much(played: Played) -> None:
    del played.ledger.orders[played.receipts[1].id]
    assert played.findings() == {"duplicated": 1}


def test_an_order_that_is_not_as_it_was_acknowledged_is_lost(played: Played) -> None:
    played.ledger.replaced(played.receipts[0].id, 2, "0" * 64)
    assert played.findings() == {"lost": 1}


def test_two_requests_with_the_receipt_of_one_order_contradict_each_other(played: Played) -> None:
    played.ledger.acknowledge("pond", "east", msgspec.to_builtins(played.receipts[0]))
    assert len(played.ledger.contradictions) == 1


def test_a_fact_read_twice_missing_or_out_of_order_is_found(played: Played) -> None:
    whole = played.read["east"]
    for wrong, found in (
        ([*whole, whole[0]], {"duplicated": 1}),
        (whole[1:], {"lost": 1}),
        (whole[::-1], {"duplicated": 1}),
    ):
        played.read["east"] = wrong
        assert played.findings() == found


def test_a_page_that_a_stream_lacks_is_found(played: Played, real_client: redis.Redis) -> None:
    stream = "tocsin:{pond}:reports:east"
    entries: Any = real_client.xrange(stream, min="2-0")
    real_client.xdel(stream, entries[0][0])
    assert played.findings()["lost"] == 1


def test_a_record_whose_seed_order_or_page_was_changed_is_a_wrong_digest(played: Played) -> None:
    record = played.records[2]
    header = msgspec.structs.replace(record.header, tick_seed="00" * 32)
    played.records[2] = Record(header, record.shared, record.homes, record.orders, record.events, record.pages)
    assert played.findings()["wrong_digest"] >= 1


def test_a_tick_that_does_not_begin_where_the_last_one_ended_is_a_wrong_digest(played: Played) -> None:
    digests = msgspec.structs.replace(played.records[1].header.digests, state="0" * 64)
    record = played.records[1]
    header = msgspec.structs.replace(record.header, digests=digests)
    played.records[1] = Record(header, record.shared, record.homes, record.orders, record.events, record.pages)
    found = Findings()
    checks.check_digests(played.services, "pond", played.records, found)
    assert any("doesn't start where tick 1 ended" in line for line in found.wrong_digest)


def test_a_tick_that_the_archive_lacks_is_lost(played: Played) -> None:
    found = Findings()
    checks.read_records(played.services, "pond", 3, found)
    assert found.counts["lost"] == 1


@pytest.mark.parametrize(
    "leave",
    [
        lambda client: client.rpush("tocsin:{pond}:book:1:0", b"left"),
        lambda client: client.set("tocsin:{pond}:blob:0000", b"in no index"),
        lambda client: client.hset("tocsin:{pond}:blobs", "0000", 1),
        lambda client: client.zadd("tocsin:running", {"pond": 1}),
        lambda client: client.lpush(QUEUE_SMALL, b"{}"),
        lambda client: client.hset("unacked", "tag", b"[]"),
        lambda client: client.set("somebody's", b"own"),
    ],
    ids=["book", "blob", "index", "hint", "message", "unacked", "stranger"],
)
def test_what_is_left_behind_is_found(played: Played, real_client: redis.Redis, leave: Any) -> None:
    leave(real_client)
    assert played.findings() == {"leaks": 1}


def test_listeners_and_connections_that_are_left_are_found(played: Played, real_server: EmbeddedServer) -> None:
    with connect(real_server.url) as other:
        listener = other.pubsub()
        listener.subscribe("celery-task-meta-1")
        assert listener.get_message(timeout=5.0) is not None
        assert played.findings() == {"leaks": 1}
        listener.close()
    others = [connect(real_server.url) for _ in range(PROCESSES * leaks.CONNECTIONS_A_PROCESS_MAX + 1)]
    for client in others:
        client.ping()
    assert played.findings() == {"leaks": 1}
    for client in others:
        client.close()
