"""Over a real connection: the API as its server runs it, event streams, and a server of the truth that goes away."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from tests.servers import unavailable
from workers import clock
from workers.app import make_app
from workers.bootstrap import compose
from workers.cli.processes import Child, wait_until
from workers.cli.stack import api_command
from workers.service.access import Access
from workers.settings import ServerSettings
from workers.store.embedded import EmbeddedServer
from workers.store.errors import ServerStartError
from workers.store.tokens import digest_of
from workers.tasks import Runtime

ORDERS = "/campaigns/city/orders"
LIMIT_S = 30.0
STREAMS_MAX = 2


@dataclass
class Site:
    """A served API: its address, its store's server, and a worker in the test's own process."""

    url: str
    server: EmbeddedServer
    runtime: Runtime
    admin: str
    api: Child

    def client(self, token: str) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {token}"}
        return httpx2.Client(base_url=f"{self.url}/v1", headers=headers, timeout=LIMIT_S)

    def play(self) -> int:
        """Close the open tick over HTTP, resolve and publish it."""
        with self.client(self.admin) as operator:
            closed = operator.post("/campaigns/city/ticks/current:close")
        assert closed.status_code == 200, closed.text
        self.runtime.resolve("city")
        return int(closed.json()["tick"])


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """The API in a process of its own, with the Veil's first scenario open for orders."""
    server = EmbeddedServer(data_dir=tmp_path / "server", fsync="no")
    try:
        server.start()
    except ServerStartError as error:
        unavailable(str(error))
    settings = ServerSettings(redis_url=server.url, broker_url="", archive_url=(tmp_path / "archive").as_uri())
    environment = {
        **os.environ,
        "TOCSIN_REDIS_URL": settings.redis_url,
        "TOCSIN_ARCHIVE_URL": settings.archive_url,
        "TOCSIN_STREAM_WAIT_S": "0.5",
        "TOCSIN_STREAMS_TOKEN_MAX": str(STREAMS_MAX),
    }
    port = free_port()
    services = compose(settings)
    url = f"http://127.0.0.1:{port}"
    with Child("api", api_command(port), tmp_path / "api.log", environment) as api:
        wait_until(lambda: _answers(f"{url}/v1/ready"), "the API answers", LIMIT_S, [api])
        admin = Access(services.store, clock.entropy).create_admin("tests").secret
        made = Site(url, server, Runtime(make_app(settings), services), admin, api)
        with made.client(admin) as operator:
            assert 201 == operator.post("/campaigns", json={"campaign": "city", "rulebook": "veil"}).status_code
            assert 200 == operator.post("/campaigns/city/lifecycle", json={"verb": "open"}).status_code
        yield made
    server.stop()


@pytest.fixture
def angel(site: Site) -> Iterator[httpx2.Client]:
    """A camp's client."""
    with site.client(_token(site)) as client:
        yield client


def _token(site: Site) -> str:
    with site.client(site.admin) as operator:
        made = operator.post("/campaigns/city/tokens", json={"scope": "camp", "camp": "angel"})
    return str(made.json()["secret"])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        return bool(httpx2.get(url, timeout=2).status_code == 200)
    except httpx2.TransportError:
        return False


def servant(client: httpx2.Client) -> str:
    homes = client.get("/campaigns/city/view?limit=1000").json()["homes"]
    return min(str(one["key"]) for one in homes if "pp" in one["home"])


def events(
    client: httpx2.Client, until: str, last: str = "", opened: threading.Event | None = None
) -> list[tuple[str, str, Any]]:
    """(event, id, data) of a stream, up to and with the first event whose name or id is `until`; `opened` is set once
    the stream has begun."""
    headers = {"Last-Event-ID": last} if last else {}
    found = []
    with client.stream("GET", "/campaigns/city/reports:stream", headers=headers) as response:
        assert (200, "text/event-stream; charset=utf-8") == (response.status_code, response.headers["content-type"])
        if opened is not None:
            opened.set()
        fields: dict[str, str] = {}
        for line in response.iter_lines():
            name, _, value = line.partition(":")
            if line and name:
                fields[name] = value.removeprefix(" ")
            elif not line and "data" in fields:
                found.append((fields["event"], fields.get("id", ""), msgspec.json.decode(fields["data"])))
                fields = {}
                if until in found[-1][:2]:
                    return found
    return found


def test_orders_go_in_and_reports_come_out_over_a_real_connection(site: Site, angel: httpx2.Client):
    sent = angel.post(ORDERS, json={"kind": "recovery", "servant": servant(angel)})
    assert 201 == sent.status_code, sent.text
    site.play()
    facts = angel.get("/campaigns/city/reports?after=0&pages=50").json()["facts"]
    assert sent.json()["id"] in [fact["fact"].get("order") for fact in facts]


def test_a_stream_gives_every_fact_once_and_goes_on_after_the_last_one_read(site: Site, angel: httpx2.Client):
    angel.post(ORDERS, json={"kind": "recovery", "servant": servant(angel)})
    site.play()
    page = angel.get("/campaigns/city/reports?pages=50").json()
    wanted = [fact["id"] for fact in page["facts"]]
    assert len(wanted) > 3
    read = [event_id for name, event_id, _ in events(angel, wanted[-1]) if name == "fact"]
    assert wanted == read
    middle = wanted[len(wanted) // 2]
    rest = [event_id for name, event_id, _ in events(angel, wanted[-1], middle) if name == "fact"]
    assert wanted[wanted.index(middle) + 1 :] == rest


def test_a_waiting_stream_is_woken_by_a_publication_and_told_when_a_tick_is_complete(site: Site, angel: httpx2.Client):
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(events, angel, "complete", "0")
        tick = site.play()
        found = waiting.result(LIMIT_S)
    assert ("complete", {"tick": tick}) == (found[-1][0], found[-1][2])
    assert {tick} == {data["tick"] for _, _, data in found}


def test_an_open_stream_keeps_the_api_from_ending_for_some_seconds_at_most(site: Site, angel: httpx2.Client):
    with angel.stream("GET", "/campaigns/city/reports:stream") as response:
        assert 200 == response.status_code
        site.api.stop(LIMIT_S)

    assert 128 + signal.SIGKILL != site.api.exit_code


@pytest.mark.parametrize("verb", ["revoke", "rotate"])
def test_a_stream_ends_when_its_token_is_revoked_or_replaced(site: Site, verb: str):
    """Within one wait for news, and with it the token's count of open streams."""
    token = _token(site)
    path = f"/campaigns/city/tokens/{digest_of(token)}"
    with site.client(token) as reader, site.client(site.admin) as operator, ThreadPoolExecutor(1) as pool:
        opened = threading.Event()
        waiting = pool.submit(events, reader, "never", "0", opened)
        assert opened.wait(LIMIT_S)
        ended = operator.delete(path) if verb == "revoke" else operator.post(f"{path}:rotate")
        assert ended.is_success, ended.text
        assert [] == waiting.result(LIMIT_S)
        assert 404 == reader.get("/campaigns/city").status_code
    wait_until(lambda: _streams(site) == 0, "no stream is counted", LIMIT_S)


def test_a_stream_is_refused_past_the_limit_and_let_in_when_one_ends(site: Site, angel: httpx2.Client):
    path = "/campaigns/city/reports:stream"
    with ExitStack() as open_ones:
        for _ in range(STREAMS_MAX):
            assert 200 == open_ones.enter_context(angel.stream("GET", path)).status_code
        refused = angel.get(path)
        assert (429, "too_many_streams") == (refused.status_code, refused.json()["code"])
        assert 0 < int(refused.headers["retry-after"]) <= 6
        wait_until(lambda: _streams(site) == STREAMS_MAX, "all of them are counted", LIMIT_S)
    wait_until(lambda: _lets_in(angel, path), "its readers gone, a place is free", LIMIT_S)


def test_a_killed_api_gives_the_places_of_its_streams_back(site: Site):
    """It can't close them: their leases run out by the server's clock."""
    path, token = "/campaigns/city/reports:stream", _token(site)
    limits = site.runtime.services.store.limits
    with site.client(token) as reader, ExitStack() as open_ones:
        for _ in range(STREAMS_MAX):
            open_ones.enter_context(reader.stream("GET", path))
        site.api.kill()
        assert not limits.open_stream(digest_of(token), "one more", for_ms=1, most=STREAMS_MAX).held
    site.api.start()
    wait_until(lambda: _answers(f"{site.url}/v1/ready"), "the API answers again", LIMIT_S, [site.api])
    with site.client(token) as reader:
        wait_until(lambda: _lets_in(reader, path), "the leases ran out", LIMIT_S)


def _lets_in(client: httpx2.Client, path: str) -> bool:
    with client.stream("GET", path) as response:
        return bool(response.status_code == 200)


def _streams(site: Site) -> int:
    store = site.runtime.services.store
    return store.limits.streams(store.heads.server_time_ms())


def test_the_server_gone_is_said_and_back_again_nothing_is_lost(site: Site, angel: httpx2.Client):
    order = {"kind": "recovery", "servant": servant(angel)}
    before = angel.post(ORDERS, json=order, headers={"Idempotency-Key": "first"})
    assert 201 == before.status_code
    site.server.interrupt()
    gone = angel.post(ORDERS, json=order, headers={"Idempotency-Key": "second"})
    assert (503, "server_unreachable") == (gone.status_code, gone.json()["code"])
    assert int(gone.headers["retry-after"]) > 0
    assert 503 == angel.get("/ready").status_code
    assert 200 == angel.get("/health").status_code
    site.server.start()
    wait_until(lambda: _answers(f"{site.url}/v1/ready"), "the API is ready again", LIMIT_S)
    again = angel.post(ORDERS, json=order, headers={"Idempotency-Key": "first"})
    assert (before.content, "true") == (again.content, again.headers["idempotency-replayed"])
    assert [before.json()["id"]] == [one["id"] for one in angel.get(ORDERS).json()["orders"]]


def test_a_kill_of_the_server_loses_no_acknowledged_order(site: Site, angel: httpx2.Client):
    """With fsync off the operating system still has what the server wrote: only the machine's end would lose it."""
    order = {"kind": "recovery", "servant": servant(angel)}
    sent = angel.post(ORDERS, json=order)
    site.server.interrupt(kill=True)
    site.server.start()
    wait_until(lambda: _answers(f"{site.url}/v1/ready"), "the API is ready again", LIMIT_S)
    assert [sent.json()["id"]] == [one["id"] for one in angel.get(ORDERS).json()["orders"]]


def test_what_a_process_counts_is_added_to_the_tallies_of_all_without_anybody_asking(site: Site, angel: httpx2.Client):
    """Every few seconds, and at its end: another process then tells it."""
    tallies = site.runtime.services.store.tallies
    shown = ("requests", "GET", "/campaigns/{campaign}", "200")
    before = tallies.read().get(shown, 0)
    assert 200 == angel.get("/campaigns/city").status_code
    wait_until(lambda: tallies.read().get(shown, 0) == before + 1, "it is added", LIMIT_S)
    assert 200 == angel.get("/campaigns/city").status_code
    site.api.stop()
    assert before + 2 == tallies.read()[shown]
