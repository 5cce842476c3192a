"""What isn't there and what isn't yours answer the same, and answering takes the same: the same status, body and
headers, the same commands of the server, the same hash operations."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from tests.api.scopes import ROWS, Row
from tests.api.web import Web, serve
from tests.api.work import CommandCounter, HashCounter, counting_hashes
from tests.servers import unavailable
from workers.store.connection import connect, connect_async
from workers.store.embedded import EmbeddedServer
from workers.store.errors import ServerStartError
from workers.store.keys import requests_key
from workers.store.places import slice_of
from workers.store.tokens import digest_of

MINE, THEIRS, NOWHERE = "pond", "creek", "crook"
SENDERS = ("none", "unknown", "operator", "camp", "actor")
CHANGING = {"date", "ratelimit-remaining", "ratelimit-reset"}
"""Headers that tell the time, or how many requests the caller made itself."""
WINDOW_MS = 600_000
SCENARIO = {
    "title": "A pond with a boat more",
    "boats": [
        {"id": "anna", "camp": "east"},
        {"id": "bert", "camp": "east", "lamp": True},
        {"id": "carl", "camp": "west"},
        {"id": "finn", "camp": "west"},
    ],
}
NO_ID = "a" * 26
NO_TOKEN = "0" * 64
IN_CAMPAIGN = [row for row in ROWS if "{campaign}" in row.route]


@dataclass(frozen=True)
class Probe:
    """The pond is open to the tokens, the creek is not, and there is no crook."""

    web: Web
    commands: CommandCounter
    hashes: HashCounter
    tokens: dict[str, str]
    theirs: dict[str, str]
    """By name: an order of the creek and one of the west in the pond, a token of the creek."""

    def ask(self, method: str, path: str, token: str, body: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is answered, and what it took."""
        # A window that began somewhere in between would be a command more, of nobody's doing.
        self.web.world.services.store.client.set(requests_key(digest_of(token)), 0, px=WINDOW_MS)
        self.commands.reset()
        before = self.hashes.calls.copy()
        response = self.web.ask(method, path, token, **({} if body is None else {"json": body}))
        hashes = self.hashes.calls - before
        headers = {name: value for name, value in response.headers.items() if name not in CHANGING}
        told = {"status": response.status_code, "body": response.text, "headers": headers}
        return told, {"commands": self.commands.read(), "hashes": dict(hashes)}

    def same(self, method: str, path: str, names: tuple[str, str], token: str, body: Any = None) -> dict[str, Any]:
        """Ask for what isn't theirs and for what isn't there, by the two names that stand for `{}`; both must answer
        the same and take the same. The answer."""
        found: list[Any] = []
        for name in (*names, *names):  # the first time caches are filled, whoever asks
            spelled = None if body is None else {key: value.format(name) for key, value in body.items()}
            told, took = self.ask(method, path.format(name), token, spelled)
            told["body"] = told["body"].replace(name, "X")
            found.append((told, took))
        assert found[2][0] == found[3][0]
        assert found[2][1] == found[3][1]
        answer: dict[str, Any] = found[2][0]
        return answer


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Probe]:
    """A server of its own: nobody else's commands are counted."""
    server = EmbeddedServer(fsync="no")
    try:
        server.start()
    except ServerStartError as error:
        unavailable(str(error))
    waiting = partial(connect_async, server.url, block_s=15)
    folder = tmp_path_factory.mktemp("archive")
    try:
        with (
            connect(server.url) as client,
            connect(server.url) as watching,
            counting_hashes() as hashes,
            serve(client, waiting, folder) as web,
        ):
            yield _probe(web, CommandCounter(watching), hashes)
    finally:
        server.stop()


def _probe(web: Web, commands: CommandCounter, hashes: HashCounter) -> Probe:
    for name in (MINE, THEIRS):
        web.found(name, scenario=SCENARIO)
    tokens = {
        "none": "",
        "unknown": "tocsin_" + "A" * 43,
        "operator": web.token(MINE, "operator"),
        "camp": web.token(MINE, "camp", camp="east"),
        "actor": web.token(MINE, "actor", camp="east", actor="pat", entities=["bert"]),
    }
    orders = {}
    for name in (MINE, THEIRS):
        west = web.token(name, "camp", camp="west")
        orders[name] = web.post(f"/campaigns/{name}/orders", west, json={"kind": "fish", "boat": "carl"}).json()["id"]
    theirs = {
        "creek's order": orders[THEIRS],
        "west's order": orders[MINE],
        "west's moved order": _moved(web),
        "creek's token": digest_of(web.token(THEIRS, "camp", camp="east")),
    }
    return Probe(web, commands, hashes, tokens, theirs)


def _moved(web: Web) -> str:
    """An order of the west in the pond that was replaced by one on another boat, whose home lies in another slice."""
    west = web.token(MINE, "camp", camp="west")
    path = f"/campaigns/{MINE}/orders"
    order = str(web.post(path, west, json={"kind": "fish", "boat": "carl"}).json()["id"])
    assert 200 == web.put(f"{path}/{order}", west, json={"kind": "fish", "boat": "finn"}).status_code
    assert slice_of("carl", 16) != slice_of("finn", 16)
    return order


def test_the_counters_count(probe: Probe):
    _, took = probe.ask("GET", "/campaigns/pond", probe.tokens["camp"])
    assert {"get": 1, "evalsha": 1, "incr": 1, "pttl": 1, "hgetall": 1} == {
        name: took["commands"][name] for name in ("get", "evalsha", "incr", "pttl", "hgetall")
    }
    assert 1 == probe.ask("GET", "/campaigns/pond", "tocsin_unknown")[1]["hashes"]["openssl_sha256"]  # of the secret
    assert {} == probe.ask("GET", "/health", "")[1]["commands"]


@pytest.mark.parametrize("sender", SENDERS)
@pytest.mark.parametrize("row", IN_CAMPAIGN, ids=lambda row: f"{row.method} {row.route}")
def test_another_s_campaign_is_like_none(probe: Probe, row: Row, sender: str):
    path = row.ask.removeprefix("/v1").format(order=probe.theirs["creek's order"], spare=probe.theirs["creek's token"])
    answer = probe.same(
        row.method, path.replace("/pond", "/{}", 1), (THEIRS, NOWHERE), probe.tokens[sender], _spelled(row.body)
    )
    assert (404, True) == (answer["status"], "unknown_campaign" in answer["body"])
    # Nothing of either campaign is asked for: the token alone decides.
    took = probe.ask(row.method, path.replace("/pond", f"/{THEIRS}", 1), probe.tokens[sender], row.body)[1]["commands"]
    assert ({} if sender == "none" else {"get": 1, "evalsha": 1, "incr": 1, "pttl": 1}) == took


def _spelled(body: Any) -> Any:
    """The body, for names to be put into: none of these has a place for one."""
    return None if body is None else {key: str(value) for key, value in body.items()}


@pytest.mark.parametrize(
    ("method", "body"), [("GET", None), ("PUT", {"kind": "fish", "boat": "bert"}), ("DELETE", None)]
)
@pytest.mark.parametrize("sender", ["camp", "actor"])
@pytest.mark.parametrize("whose", ["west's order", "west's moved order", "creek's order"])
def test_another_s_order_is_like_none(probe: Probe, whose: str, sender: str, method: str, body: Any):
    answer = probe.same(method, "/campaigns/pond/orders/{}", (probe.theirs[whose], NO_ID), probe.tokens[sender], body)
    assert (404, True) == (answer["status"], "unknown_order" in answer["body"])


@pytest.mark.parametrize(("method", "verb"), [("DELETE", ""), ("POST", ":rotate")])
def test_another_campaign_s_token_is_like_none(probe: Probe, method: str, verb: str):
    names = (probe.theirs["creek's token"], NO_TOKEN)
    answer = probe.same(method, f"/campaigns/pond/tokens/{{}}{verb}", names, probe.tokens["operator"])
    assert (404, True) == (answer["status"], "unknown_token" in answer["body"])
    answer = probe.same(method, f"/tokens/{{}}{verb}", names, probe.web.admin)
    assert (404, True) == (answer["status"], "unknown_token" in answer["body"])


@pytest.mark.parametrize("path", ["/campaigns/pond/orders", "/campaigns/pond/orders:check"])
@pytest.mark.parametrize("sender", ["camp", "actor"])
@pytest.mark.parametrize(
    "order", [{"kind": "fish", "boat": "{}"}, {"kind": "escort", "boat": "bert", "other": "{}"}], ids=["fish", "escort"]
)
@pytest.mark.parametrize("nobody", ["curl", "cyan", "nobo", "xxxx"])
def test_a_boat_that_the_camp_does_not_know_of_is_like_none(
    probe: Probe, path: str, sender: str, order: dict[str, str], nobody: str
):
    """The west has an order on that boat: what stands in its slice of the book may not be felt either."""
    answer = probe.same("POST", path, ("carl", nobody), probe.tokens[sender], order)
    assert 'would_book":true' not in answer["body"]
    assert "X" in answer["body"]


@pytest.mark.parametrize("what", ["reports?camp={}", "reports:stream?camp={}", "view?camp={}"])
@pytest.mark.parametrize("sender", ["camp", "actor"])
def test_another_camp_s_reading_is_like_that_of_no_camp(probe: Probe, what: str, sender: str):
    answer = probe.same("GET", f"/campaigns/pond/{what}", ("west", "nest"), probe.tokens[sender])
    assert (403, True) == (answer["status"], "forbidden_scope" in answer["body"])


def test_a_revoked_secret_is_like_one_that_never_was(probe: Probe):
    made = probe.web.world.face.access.create_admin()
    probe.web.world.face.access.revoke("", made.id)
    found = [probe.ask("GET", "/campaigns/pond", secret) for secret in (made.secret, "tocsin_" + "B" * 43) * 2]
    assert found[2] == found[3]
