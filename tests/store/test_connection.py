"""Clients that never send a write twice, and what a server must be like."""

import socket
import threading

import fakeredis
import pytest
import redis

from workers.store.connection import (
    BLOCK_MARGIN_S,
    NO_SERVER,
    connect,
    connect_async,
    connect_blocking,
    server_problems,
)
from workers.store.embedded import EmbeddedServer


def test_a_write_whose_reply_is_lost_is_not_sent_again() -> None:
    """A server that reads a command and hangs up: it would see the command twice, were it sent again."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up_after_each_increment() -> None:
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                with peer:
                    while data := peer.recv(4_096):
                        received.append(data)
                        if b"INCR" in data:
                            break
                        peer.sendall(b"+OK\r\n" * data.count(b"*"))

        thread = threading.Thread(target=hang_up_after_each_increment, daemon=True)
        thread.start()
        with connect(f"redis://127.0.0.1:{listener.getsockname()[1]}") as client, pytest.raises(NO_SERVER):
            client.incr("key")
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)

    assert 1 == sum(data.count(b"INCR") for data in received)


def test_a_server_that_is_away_is_told_at_once_and_back_again_is_used(real_server: EmbeddedServer) -> None:
    with connect("redis://127.0.0.1:1") as client, pytest.raises(NO_SERVER):
        client.ping()
    with connect(real_server.url) as client:
        client.ping()
        client.connection_pool.disconnect()
        assert client.ping()


def test_a_blocking_read_s_socket_waits_longer_than_its_block() -> None:
    blocking = connect_blocking("redis://127.0.0.1:1", block_s=30)
    waiting = connect_async("redis://127.0.0.1:1", block_s=30)

    for client in (blocking, waiting):
        assert 30 + BLOCK_MARGIN_S == client.connection_pool.connection_kwargs["socket_timeout"]


def test_no_client_connects_before_its_first_command_or_retries() -> None:
    for client in (connect("redis://127.0.0.1:1"), connect_async("redis://127.0.0.1:1")):
        assert 0 == client.connection_pool.connection_kwargs["retry"].get_retries()


@pytest.mark.parametrize("url", ["", "http://localhost", "localhost:6379"])
def test_another_kind_of_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="redis://"):
        connect(url)


def test_a_server_with_our_configuration_has_no_problem(real_client: redis.Redis) -> None:
    real_client.config_set("appendfsync", "always")
    try:
        assert [] == server_problems(real_client)
    finally:
        real_client.config_set("appendfsync", "no")


@pytest.mark.parametrize(
    ("name", "value", "before", "told"),
    [
        ("maxmemory-policy", "allkeys-lru", "noeviction", "drop orders"),
        ("appendonly", "no", "yes", "lost when the server stops"),
        ("appendfsync", "everysec", "no", "last second"),
    ],
)
def test_what_gives_up_orders_is_told(real_client: redis.Redis, name: str, value: str, before: str, told: str) -> None:
    real_client.config_set(name, value)
    try:
        assert any(told in problem and value in problem for problem in server_problems(real_client))
    finally:
        real_client.config_set(name, before)


def test_a_user_who_may_not_ask_is_told_what_to_check(real_server: EmbeddedServer, real_client: redis.Redis) -> None:
    real_client.acl_setuser("limited", enabled=True, passwords=["+pass"], commands=["+ping"], keys=["*"], reset=True)
    with redis.Redis(port=real_server.port, username="limited", password="pass") as limited:
        assert ["INFO"] == [word for problem in server_problems(limited) for word in ("INFO",) if word in problem]
    real_client.acl_setuser("limited", enabled=True, passwords=["+pass"], commands=["+ping", "+info"], reset=True)
    with redis.Redis(port=real_server.port, username="limited", password="pass") as limited:
        assert 3 == sum("CONFIG GET" in problem for problem in server_problems(limited))
    real_client.acl_deluser("limited")


@pytest.mark.parametrize(("version", "fine"), [("6.2.0", True), ("7.0.15", True), ("10.1", True), ("6.0.16", False)])
def test_an_old_server_is_told(monkeypatch: pytest.MonkeyPatch, version: str, fine: bool) -> None:
    client = fakeredis.FakeRedis()
    monkeypatch.setattr(client, "info", lambda section: {"redis_version": version})
    monkeypatch.setattr(client, "config_get", lambda name: {name: {"maxmemory-policy": "noeviction"}.get(name, "yes")})

    assert fine is not any("6.2" in problem for problem in server_problems(client))
