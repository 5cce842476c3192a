"""The embedded server: up with no set-up, durable, and gone with its owner."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from tests.servers import unavailable
from workers.clock import monotonic_s, sleep_s
from workers.store.connection import connect, server_problems
from workers.store.embedded import EmbeddedServer, find_server
from workers.store.errors import ServerStartError

LIMIT_S = 20.0


@pytest.fixture(autouse=True)
def _there_is_a_program() -> None:
    if find_server() is None:
        unavailable("no server's program was found")


def becomes(condition: Callable[[], bool]) -> bool:
    """Whether a condition comes true within the limit."""
    end_s = monotonic_s() + LIMIT_S
    while not condition():
        if monotonic_s() > end_s:
            return False
        sleep_s(0.01)
    return True


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return b"Z" not in Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2][:3]


def test_a_server_that_was_just_started_answers_and_has_no_problem() -> None:
    with EmbeddedServer() as server, connect(server.url) as client:
        assert client.ping()
        assert [] == server_problems(client)
        assert server.url.startswith("redis://127.0.0.1:")
        assert alive(server.pid)
    assert not server.running


def test_a_stopped_server_leaves_no_process_and_no_private_folder() -> None:
    server = EmbeddedServer().start()
    pid = server.pid
    with connect(server.url) as client:
        folder = Path(str(client.config_get("dir")["dir"]))
    server.stop()
    server.stop()

    assert (False, False) == (alive(pid), folder.exists())
    with connect(server.url) as client, pytest.raises(redis.exceptions.ConnectionError):
        client.ping()


@pytest.mark.parametrize("kill", [False, True])
def test_what_was_acknowledged_is_there_after_a_stop_and_after_a_crash(tmp_path: Path, kill: bool) -> None:
    with EmbeddedServer(data_dir=tmp_path / "data") as server, connect(server.url) as client:
        port = server.port
        for number in range(100):
            client.rpush("list", number)
        server.interrupt(kill=kill)
        with pytest.raises(redis.exceptions.ConnectionError):
            client.ping()
        server.start()

        assert port == server.port
        assert 100 == client.llen("list")
    assert (tmp_path / "data").exists()


def test_two_servers_share_nothing() -> None:
    with EmbeddedServer() as one, EmbeddedServer() as two, connect(one.url) as first, connect(two.url) as second:
        first.set("key", "value")

        assert one.port != two.port
        assert second.get("key") is None


def test_a_cluster_of_one_node_refuses_keys_of_several_slots() -> None:
    with EmbeddedServer(cluster=True) as server, connect(server.url) as client:
        assert client.set("{a}key", "value")
        with pytest.raises(redis.exceptions.ResponseError, match="slot"):
            client.execute_command("EVAL", "return 1", 2, "{a}key", "{b}key")


def test_further_configuration_is_used() -> None:
    with EmbeddedServer(fsync="everysec", config=("maxmemory 50mb",)) as server, connect(server.url) as client:
        assert "everysec" == client.config_get("appendfsync")["appendfsync"]
        assert str(50 << 20) == client.config_get("maxmemory")["maxmemory"]


def test_a_server_that_can_t_start_says_what_its_log_says() -> None:
    server = EmbeddedServer(config=("no-such-option yes",))

    with pytest.raises(ServerStartError, match="didn't come up"):
        server.start()
    assert not server.running


def test_a_taken_port_is_told() -> None:
    with EmbeddedServer() as server, pytest.raises(ServerStartError, match="in use"):
        EmbeddedServer(port=server.port).start()


def test_no_program_is_an_error_that_says_what_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.store.embedded.find_server", lambda: None)

    with pytest.raises(ServerStartError, match="valkey-server on PATH"):
        EmbeddedServer().start()


def test_the_program_on_the_path_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "valkey-server"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert program == find_server()


OWNER = """
import signal, sys, time
from workers.store.embedded import EmbeddedServer
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests were started in the background
server = EmbeddedServer().start()
print(server.pid, server.port, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_server_and_its_private_folder_are_gone_when_its_owner_is_however_that_came(how: signal.Signals) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with owner:
        assert owner.stdout is not None
        pid, port = map(int, owner.stdout.readline().split())
        with connect(f"redis://127.0.0.1:{port}") as client:
            folder = Path(str(client.config_get("dir")["dir"]))
        assert (True, True) == (alive(pid), folder.exists())
        owner.send_signal(how)
        owner.wait(LIMIT_S)

        assert becomes(lambda: not alive(pid))
        assert becomes(lambda: not folder.exists())


def test_a_signal_to_the_owner_s_terminal_doesn_t_reach_the_server() -> None:
    with EmbeddedServer() as server:
        assert os.getpgid(server.pid) != os.getpgid(0)
