"""The tools of the chaos do what they say: the proxy cuts as told, the skewed host's clock is wrong."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import redis
from redis.exceptions import ConnectionError as Gone
from redis.exceptions import TimeoutError as Late

from tests.chaos.host import ROOT
from tests.chaos.proxy import Proxy
from workers.cli.processes import wait_until
from workers.store.connection import Client, connect
from workers.store.embedded import EmbeddedServer


@pytest.fixture
def proxy(real_server: EmbeddedServer) -> Iterator[Proxy]:
    with Proxy(real_server.port) as made:
        yield made


@pytest.fixture
def client(proxy: Proxy) -> Iterator[Client]:
    with connect(f"redis://127.0.0.1:{proxy.port}/0", socket_timeout_s=1.0) as made:
        made.ping()
        yield made


def test_a_cut_before_a_request_keeps_it_from_the_server(
    proxy: Proxy, client: Client, real_client: redis.Redis
) -> None:
    proxy.cut("before")
    with pytest.raises(Gone):
        client.set("place", "here")
    assert (real_client.get("place"), proxy.cuts) == (None, 1)
    client.ping()


def test_a_cut_after_a_request_loses_its_reply_alone(proxy: Proxy, client: Client, real_client: redis.Redis) -> None:
    proxy.cut("after", skip=1)
    client.ping()
    with pytest.raises(Gone):
        client.set("place", "here")
    assert (real_client.get("place"), proxy.cuts) == (b"here", 1)


def test_a_half_open_connection_answers_nothing_until_it_is_healed(
    proxy: Proxy, client: Client, real_client: redis.Redis
) -> None:
    proxy.cut("half-open", hold_s=600.0)
    with pytest.raises(Late):
        client.set("place", "here")
    assert real_client.get("place") is None
    proxy.heal()
    client.ping()


def test_all_connections_are_cut_at_once_and_new_ones_carried(proxy: Proxy, client: Client) -> None:
    proxy.cut_all()
    wait_until(lambda: proxy.wires == 0, "the connection is cut", 10.0)
    assert proxy.cuts == 1
    client.ping()


def test_a_client_of_a_server_that_is_away_is_told_at_once(proxy: Proxy, client: Client) -> None:
    proxy.target_port = 1
    proxy.cut_all()
    for _ in range(2):
        with pytest.raises(Gone):
            client.blpop(["nothing"], timeout=0.5)


def test_the_skewed_hosts_clock_is_a_minute_ahead() -> None:
    """Before anything that reads the clock is imported."""
    code = "import time; real = time.time(); from tests.chaos.skewed import skew; skew(60); print(time.time() - real)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert round(float(done.stdout)) == 60
