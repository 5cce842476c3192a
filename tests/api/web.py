"""The HTTP face in the test's own process, on any client of a server, with a token of each scope."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import redis
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.app import create_app
from tests.service.pond import World, world
from workers.registry import Registry
from workers.store.connection import AsyncClient

Response = httpx2.Response

FLUSH_S = 3_600.0
"""What is counted is added to the tallies when metrics are asked for: never in between, where commands are counted."""


@dataclass
class Web:
    """Requests with tokens; `woken` has the campaigns whose work was sent."""

    world: World
    app: FastAPI
    http: TestClient
    woken: list[str] = field(default_factory=list)
    admin: str = ""

    def ask(self, method: str, path: str, token: str = "", **request: Any) -> Response:
        """A request under `/v1`."""
        headers = dict(request.pop("headers", {}))
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return self.http.request(method, f"/v1{path}", headers=headers, **request)

    def get(self, path: str, token: str = "", **request: Any) -> Response:
        return self.ask("GET", path, token, **request)

    def post(self, path: str, token: str = "", **request: Any) -> Response:
        return self.ask("POST", path, token, **request)

    def put(self, path: str, token: str = "", **request: Any) -> Response:
        return self.ask("PUT", path, token, **request)

    def delete(self, path: str, token: str = "", **request: Any) -> Response:
        return self.ask("DELETE", path, token, **request)

    def found(self, name: str, rulebook: str = "lake", **plan: Any) -> None:
        """Found a campaign over HTTP, and open it."""
        made = self.post("/campaigns", self.admin, json={"campaign": name, "rulebook": rulebook, **plan})
        assert made.status_code == 201, made.text
        opened = self.post(f"/campaigns/{name}/lifecycle", self.admin, json={"verb": "open"})
        assert opened.status_code == 200, opened.text

    def token(self, name: str, scope: str, **plan: Any) -> str:
        """The secret of a new token."""
        made = self.post(f"/campaigns/{name}/tokens", self.admin, json={"scope": scope, **plan})
        assert made.status_code == 201, made.text
        return str(made.json()["secret"])

    def play(self, name: str) -> int:
        """Close the open tick over HTTP, then resolve and publish it as a worker would."""
        closed = self.post(f"/campaigns/{name}/ticks/current:close", self.admin)
        assert closed.status_code == 200, closed.text
        assert self.woken[-1] == name
        self.world.runtime.resolve(name)
        return int(closed.json()["tick"])


@contextmanager
def serve(
    client: redis.Redis,
    connect: Callable[[], AsyncClient],
    folder: Path,
    rulebooks: Registry | None = None,
    **settings: Any,
) -> Iterator[Web]:
    """The application over a client of a server."""
    made = world(client, folder.as_uri(), rulebooks=rulebooks, **settings)
    woken: list[str] = []
    app = create_app(made.face, woken.append, connect, flush_s=FLUSH_S)
    with TestClient(app, raise_server_exceptions=False) as http:
        yield Web(made, app, http, woken, made.face.access.create_admin("tests").secret)


def post_in_messages(web: Web, path: str, token: str, messages: list[dict[str, Any]], query: bytes = b"") -> list[Any]:
    """What the application sends to a request whose body comes in these messages, in this thread: as a server calls it
    (ASGI)."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": f"/v1{path}",
        "query_string": query,
        "headers": [(b"authorization", f"Bearer {token}".encode())],
    }
    asyncio.run(web.app(scope, receive, send))
    return sent


def problem(response: Response, status: int, code: str) -> dict[str, Any]:
    """The response's problem document, which must have this status and code."""
    assert (status, code) == (response.status_code, response.json()["code"]), response.text
    assert "application/problem+json" == response.headers["content-type"]
    document: dict[str, Any] = response.json()
    assert {"type", "title", "status", "detail", "code"} <= document.keys()
    assert (f"/problems/{code}", status) == (document["type"], document["status"])
    return document
