"""A tick survives the failover of its server: three Sentinels, a primary that dies, a replica that takes over."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from tests.deploy.guarded import free_port
from tests.pipeline.world import World, wait_for, world
from tests.servers import unavailable
from workers.cli.processes import Child
from workers.service.orders import Receipt
from workers.store.connection import connect
from workers.store.embedded import HOST, EmbeddedServer, find_server

SENTINELS = 3
QUORUM = 2
DOWN_AFTER_MS = 1_000
FAILOVER_LIMIT_S = 60.0
CAMPS = ("angel", "demon")


class Watched:
    """A primary and a replica, watched by Sentinels."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        program = find_server()
        if program is None:
            unavailable("there is no program of a server")
        self.primary = stack.enter_context(EmbeddedServer(fsync="no"))
        primary_port = int(self.primary.url.rpartition(":")[2].partition("/")[0])
        self.replica = stack.enter_context(EmbeddedServer(fsync="no", config=(f"replicaof {HOST} {primary_port}",)))
        ports = [free_port() for _ in range(SENTINELS)]
        for number, port in enumerate(ports):
            place = folder / f"sentinel-{number}"
            place.mkdir()
            config = place / "sentinel.conf"
            lines = [
                f"bind {HOST}", f"port {port}", f'dir "{place}"',
                f"sentinel monitor tocsin {HOST} {primary_port} {QUORUM}",
                f"sentinel down-after-milliseconds tocsin {DOWN_AFTER_MS}",
                "sentinel failover-timeout tocsin 10000",
            ]  # fmt: skip
            config.write_text("\n".join([*lines, ""]), encoding="utf-8")
            command = [str(program), str(config), "--sentinel"]
            stack.enter_context(Child(f"sentinel-{number}", command, place / "log", os.environ))
        self.ports = ports
        self.url = "sentinel://" + ",".join(f"{HOST}:{port}" for port in ports) + "/0?master=tocsin"
        wait_for(self._watching, "the Sentinels know each other and the replica")

    def _watching(self) -> bool:
        try:
            told = [redis.Redis(host=HOST, port=port).sentinel_master("tocsin") for port in self.ports]
        except RedisError:
            return False
        return all(
            isinstance(one, dict) and (one["num-slaves"], one["num-other-sentinels"]) == (1, SENTINELS - 1)
            for one in told
        )

    def wait_replicated(self) -> None:
        """Until the replica has all that the primary acknowledged."""
        with connect(self.primary.url) as client:
            wait_for(lambda: client.wait(1, 1_000) >= 1, "the replica has it all")

    def fail_over(self) -> None:
        """Kill the primary and wait until the replica is the primary."""
        self.primary.interrupt(kill=True)
        with connect(self.replica.url) as client:
            wait_for(lambda: self._leads(client), "the replica took over", FAILOVER_LIMIT_S)

    def _leads(self, client: redis.Redis) -> bool:
        """Whether the replica is the primary. A Sentinel that makes it one ends all connections to it."""
        try:
            return bool(client.info("replication")["role"] == "master")
        except RedisError:
            return False


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    with ExitStack() as stack:
        yield Watched(tmp_path, stack)


@pytest.fixture
def failing(watched: Watched, tmp_path: Path) -> Iterator[World]:
    with world(watched.url, tmp_path) as made:
        yield made


def retired(tocsin: World, name: str, tick: int) -> bool:
    """Sweep as a sweeper does, which bears a server that is away: connections to the one that died are given up one by
    one. Whether the tick is published, archived and retired."""
    try:
        tocsin.sweeper.round()
        return tocsin.head(name).retired >= tick
    except (RedisError, OperationalError):
        return False


def played_through(watched: Watched, tocsin: World, receipts: list[Receipt]) -> None:
    """The failover, and the tick that was under way: every order in it, and the digest that its record gives."""
    watched.wait_replicated()
    watched.fail_over()
    wait_for(lambda: retired(tocsin, "town", 1), "the tick is published on the new primary", FAILOVER_LIMIT_S)

    assert {one.id for one in receipts} == {one.id for one in tocsin.archived("town", 1).orders}
    assert [] == tocsin.replay("town", 1).findings
    for camp in CAMPS:
        places = [(tick, page) for tick, page, _ in tocsin.stream("town", camp)]
        assert places == sorted(set(places))


def test_a_tick_under_way_survives_a_failover_that_its_worker_lives_through(watched: Watched, failing: World) -> None:
    failing.found("town")
    receipts = failing.book("town")
    worker = failing.start_worker(processes=2)
    failing.set_trap("hang-2")
    failing.close("town")
    stuck = failing.trapped_pid("hang-2")
    assert 2 == failing.head("town").step
    assert stuck
    played_through(watched, failing, receipts)
    assert None is worker.poll()
    failing.play("town")


def test_a_campaign_goes_on_after_a_failover_with_new_workers(watched: Watched, failing: World) -> None:
    """The messages of the old primary are on the new one too, or are sent again."""
    failing.found("town", fuse_below=1_000_000)
    receipts = failing.book("town")
    failing.close("town")
    watched.wait_replicated()
    failing.start_worker()
    played_through(watched, failing, receipts)
