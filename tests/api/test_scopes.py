"""Every route answers every scope as the table of scopes says."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import fakeredis
import msgspec
import pytest
from fastapi.routing import iter_route_contexts
from starlette.requests import ClientDisconnect

from tests.api.scopes import CLOSED, FORBIDDEN, ROWS, SCOPES, Row
from tests.api.web import Web, serve
from workers.store.tokens import digest_of

BERT = {"kind": "fish", "boat": "bert"}
NO_TOKENS = (
    "",
    "Bearer",
    "Bearer ",
    "Basic dG9jc2luOng=",
    "tocsin_",
    "Bearer tocsin_ x",
    "Bearer \x00\xff",
    "Bearer é",
)
"""Headers in which nobody's token stands."""


@dataclass(frozen=True)
class Stage:
    """The pond with an order of pat's, and the headers that each scope is tried with; the creek is another campaign."""

    web: Web
    values: dict[str, str]
    headers: dict[str, tuple[str | None, ...]]


@contextmanager
def _set_up(folder: Path) -> Iterator[Stage]:
    twin = fakeredis.FakeServer()
    fake = partial(fakeredis.FakeAsyncRedis, server=twin)
    with serve(fakeredis.FakeRedis(server=twin), fake, folder) as web:
        yield _staged(web)


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One stage for all requests that change nothing."""
    with _set_up(tmp_path_factory.mktemp("archive")) as made:
        yield made


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage that a test may change."""
    with _set_up(tmp_path) as made:
        yield made


def _staged(web: Web) -> Stage:
    for name in ("pond", "creek"):
        web.found(name)
    access = web.world.face.access
    pat = {"camp": "east", "actor": "pat", "entities": ["bert"]}
    secrets = {
        "camp": web.token("pond", "camp", camp="east"),
        "other_camp": web.token("pond", "camp", camp="west"),
        "actor": web.token("pond", "actor", **pat),
        "other_actor": web.token("pond", "actor", camp="east", actor="kim", entities=["anna"]),
        "operator": web.token("pond", "operator"),
        "admin": web.admin,
        "unknown": "tocsin_" + "A" * 43,
    }
    foreign = [
        web.token("creek", "operator"),
        web.token("creek", "camp", camp="east"),
        web.token("creek", "actor", **pat),
    ]
    revoked = [web.token("pond", "operator"), web.token("pond", "camp", camp="east"), access.create_admin().secret]
    for secret in revoked:
        token = access.authenticate(secret)
        assert token is not None
        access.revoke(token.campaign, digest_of(secret))
    order = web.post("/campaigns/pond/orders", secrets["actor"], json=BERT)
    values = {
        "order": order.json()["id"],
        "spare": digest_of(web.token("pond", "camp", camp="west")),
        "spare_admin": access.create_admin("spare").id,
    }
    headers: dict[str, tuple[str | None, ...]] = {name: (f"Bearer {secret}",) for name, secret in secrets.items()}
    headers |= {"none": (None,), "malformed": NO_TOKENS}
    headers |= {
        name: tuple(f"Bearer {secret}" for secret in some)
        for name, some in (("foreign", foreign), ("revoked", revoked))
    }
    return Stage(web, values, headers)


def routes(web: Web) -> set[tuple[str, str]]:
    """(Method, template) of every route that the application has."""
    found = set()
    for context in iter_route_contexts(web.app.routes):
        for method in context.methods or ():
            found.add((method, str(context.path)))
    return found


def test_the_table_has_a_row_for_each_route_and_a_route_for_each_row(still: Stage):
    rows = [(row.method, row.route) for row in ROWS]
    assert len(rows) == len(set(rows))
    assert set(rows) == routes(still.web)


def test_a_route_without_a_row_would_be_found(stage: Stage):
    stage.web.app.add_api_route("/v1/new", lambda: None, methods=["GET", "PATCH"])
    assert {("GET", "/v1/new"), ("PATCH", "/v1/new")} == routes(stage.web) - {(row.method, row.route) for row in ROWS}


def test_every_row_says_what_every_scope_is_answered():
    assert all(set(SCOPES) == set(row.expected) for row in ROWS)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.route}")
def test_a_route_answers_a_scope_as_the_table_says(request: pytest.FixtureRequest, row: Row, scope: str):
    stage = request.getfixturevalue("still" if row.method == "GET" else "stage")
    for header in stage.headers[scope]:
        assert row.expected[scope] == _answer(stage, row, header), header


@pytest.mark.parametrize("name", ["Quays", "a_b", "%7Bx%7D", "x" * 64, "-a", "%0A"])
@pytest.mark.parametrize(
    "row", [row for row in ROWS if "{campaign}" in row.route], ids=lambda row: f"{row.method} {row.route}"
)
def test_what_can_be_no_campaign_s_name_answers_an_admin_like_a_campaign_that_is_not_there(
    still: Stage, row: Row, name: str
):
    told = {}
    for campaign in (name, "nowhere"):
        path = row.ask.format(**still.values).replace("/pond", f"/{campaign}", 1)
        response = still.web.ask(row.method, path.removeprefix("/v1"), still.web.admin, json=row.body)
        told[campaign] = f"{response.status_code} {response.json()['code']}"
    expected = FORBIDDEN if row.expected["admin"] == FORBIDDEN else CLOSED
    assert {name: expected, "nowhere": expected} == told


def _answer(stage: Stage, row: Row, header: str | None) -> str:
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    path = row.ask.format(**stage.values)
    if row.route.endswith(":stream"):
        return anyio.run(_begin, stage.web.app, path, headers)
    more: dict[str, Any] = {} if row.body is None else {"json": row.body}
    sent = [(name.encode(), value) for name, value in headers.items()]
    response = stage.web.http.request(row.method, path, headers=sent, **more)
    code = f" {response.json()['code']}" if response.status_code >= 400 else ""
    return f"{response.status_code}{code}"


async def _begin(app: Any, path: str, headers: dict[str, bytes]) -> str:
    """The answer of a stream that its reader leaves as soon as it begins: the status, and of a problem the code."""
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    begun = anyio.Event()
    sent: list[Any] = []
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)
        if message["type"] == "http.response.body":
            begun.set()
            if sent[0]["status"] == 200:
                raise OSError("the reader is gone")

    with anyio.fail_after(30), suppress(ClientDisconnect):
        await app(scope, receive, send)
    status = sent[0]["status"]
    return str(status) if status < 400 else f"{status} {msgspec.json.decode(sent[1]['body'])['code']}"
