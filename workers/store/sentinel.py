"""The address of a server that Sentinels watch: `sentinel://[user[:password]@]host[:port],…[/database]?master=NAME`.

The hosts are Sentinels; user, password and database are of the server that they name. `sentinel_password` in the query
is for the Sentinels themselves, where they ask for one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

SCHEME: Final = "sentinel://"
PORT: Final = 26_379
ACCEPTED: Final = "sentinel://[user[:password]@]host[:port],host[:port],…[/database]?master=NAME"
_QUERY: Final = frozenset({"master", "sentinel_password"})


@dataclass(frozen=True, slots=True)
class SentinelAddress:
    """Where Sentinels are, which server they are asked for, and how it is logged in to."""

    nodes: tuple[tuple[str, int], ...]
    master: str
    database: int = 0
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    sentinel_password: str = field(default="", repr=False)

    def login(self) -> dict[str, Any]:
        """Arguments of a client of the server."""
        given = {"username": self.username, "password": self.password}
        return {"db": self.database, **{name: value for name, value in given.items() if value}}

    def sentinel_login(self) -> dict[str, Any]:
        """Arguments of a client of a Sentinel."""
        return {"password": self.sentinel_password} if self.sentinel_password else {}

    def broker_url(self) -> str:
        """The same as Celery's transport and result backend are told it: a URL a Sentinel."""
        login = quote(self.username, safe="") + (f":{quote(self.password, safe='')}" if self.password else "")
        at = f"{login}@" if login else ""
        return ";".join(f"{SCHEME}{at}{host}:{port}/{self.database}" for host, port in self.nodes)

    def broker_options(self) -> dict[str, Any]:
        """What goes beside the URL."""
        return {"master_name": self.master, "sentinel_kwargs": self.sentinel_login()}


def read_sentinel(url: str) -> SentinelAddress | None:
    """The address of a URL; None for one of another scheme. Raises ValueError, which doesn't repeat the URL: a password
    may be in it."""
    if not url.startswith(SCHEME):
        return None
    login, _, hosts = urlsplit(url).netloc.rpartition("@")
    username, _, password = login.partition(":")
    query = dict(parse_qsl(urlsplit(url).query))
    database = urlsplit(url).path.strip("/") or "0"
    nodes = tuple(_node(host) for host in hosts.split(","))
    if not query.get("master") or set(query) - _QUERY or not (database.isascii() and database.isdigit()):
        raise ValueError(f"it is no address of a server behind Sentinels; accepted: {ACCEPTED}")
    return SentinelAddress(
        nodes,
        query["master"],
        int(database),
        unquote(username),
        unquote(password),
        query.get("sentinel_password", ""),
    )


def _node(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = text, str(PORT)
    if not host or not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
        raise ValueError(f"it has no Sentinel host:port, host:port, …; accepted: {ACCEPTED}")
    return host, int(port)
