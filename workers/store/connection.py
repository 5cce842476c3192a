"""Clients for the one server that holds the truth, and what must be true of that server.

Nothing here retries: a reply that was lost may belong to a write that was done, and only the caller knows whether
sending it again is safe. redis-py would retry by itself, so its retries are switched off in every client.
"""

from __future__ import annotations

from typing import Any, Final

import redis
import redis.asyncio
import redis.asyncio.sentinel
import redis.sentinel
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from workers.store.sentinel import read_sentinel

Client = redis.Redis
AsyncClient = redis.asyncio.Redis

CONNECT_TIMEOUT_S: Final = 2.0
SOCKET_TIMEOUT_S: Final = 10.0
BLOCK_MARGIN_S: Final = 5.0
"""How much longer a blocking read's socket waits than the server blocks."""

_SENTINEL: Final = {"socket_timeout": CONNECT_TIMEOUT_S, "socket_connect_timeout": CONNECT_TIMEOUT_S}

VERSION_LEAST: Final = (6, 2)

NO_SERVER: Final = (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError)
"""What the clients raise when the server is gone, or busy loading (a BusyLoadingError is a ConnectionError)."""


def _options(socket_timeout_s: float, connections_max: int) -> dict[str, Any]:
    return {
        "decode_responses": False,
        "protocol": 2,
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
        "socket_timeout": socket_timeout_s,
        "socket_keepalive": True,
        "max_connections": connections_max,
    }


def _for_scheme(url: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options that a connection of the URL's scheme takes: there is no keepalive on a Unix socket."""
    left_out = ("socket_keepalive",) if url.startswith("unix:") else ()
    return {name: value for name, value in options.items() if name not in left_out}


def connect(url: str, *, socket_timeout_s: float = SOCKET_TIMEOUT_S, connections_max: int = 64) -> Client:
    """A client of the server at `url` (redis://, rediss://, unix://, or sentinel://: the one that Sentinels name, asked
    anew for each connection); nothing is sent before its first command.

    Raises ValueError for a URL of another kind.
    """
    options = {"retry": Retry(NoBackoff(), 0), **_options(socket_timeout_s, connections_max)}
    address = read_sentinel(url)
    if address is None:
        return redis.Redis.from_url(url, **_for_scheme(url, options))
    sentinels: Any = redis.sentinel.Sentinel  # it has no types
    asked = sentinels(address.nodes, sentinel_kwargs={**_SENTINEL, **address.sentinel_login()})
    found: Client = asked.master_for(address.master, redis.Redis, **options, **address.login())
    return found


def connect_blocking(url: str, *, block_s: float, connections_max: int = 64) -> Client:
    """A client for reads that block up to `block_s` seconds on the server: its socket waits longer than that."""
    return connect(url, socket_timeout_s=block_s + BLOCK_MARGIN_S, connections_max=connections_max)


def connect_async(url: str, *, block_s: float = 0.0, connections_max: int = 1_024) -> AsyncClient:
    """An asyncio client, for streams that many readers tail; its reads may block up to `block_s` seconds."""
    timeout_s = max(SOCKET_TIMEOUT_S, block_s + BLOCK_MARGIN_S)
    options = {"retry": AsyncRetry(NoBackoff(), 0), **_options(timeout_s, connections_max)}
    address = read_sentinel(url)
    if address is None:
        return redis.asyncio.Redis.from_url(url, **_for_scheme(url, options))
    sentinels: Any = redis.asyncio.sentinel.Sentinel  # it has no types
    asked = sentinels(address.nodes, sentinel_kwargs={**_SENTINEL, **address.sentinel_login()})
    found: AsyncClient = asked.master_for(address.master, redis.asyncio.Redis, **options, **address.login())
    return found


def server_problems(client: Client) -> list[str]:
    """What keeps this server from being trusted with orders, a sentence each; empty when all is well.

    Checked: the version, the eviction policy, the append-only file. Raises redis-py's errors when the server is gone.
    """
    try:
        info = client.info("server")
    except redis.exceptions.ResponseError as error:
        return [f"The server doesn't tell its version ({error}); allow INFO to this user."]
    problems = _version_problems(str(info.get("redis_version", "")))
    for name, wanted, why in (
        ("maxmemory-policy", "noeviction", "the server may drop orders when its memory is full"),
        ("appendonly", "yes", "orders since the last snapshot are lost when the server stops"),
        ("appendfsync", "always", "the last second of acknowledged orders may be lost when the machine stops"),
    ):
        try:
            value = str(client.config_get(name).get(name, ""))
        except RedisError as error:
            problems.append(f"The server doesn't tell {name} ({error}); allow CONFIG GET, or check that it's {wanted}.")
            continue
        if value != wanted:
            problems.append(f"{name} is {value!r}: {why}; set it to {wanted!r}.")
    return problems


def _version_problems(version: str) -> list[str]:
    parts = version.split(".")
    if (
        len(parts) >= 2
        and parts[0].isdigit()
        and parts[1].isdigit()
        and (int(parts[0]), int(parts[1])) >= VERSION_LEAST
    ):
        return []
    return [
        f"The server's version is {version or 'unknown'}: Redis 6.2 or Valkey 7.2 is the least that has all we use."
    ]
