"""Two worlds that differ only in what a player can't know answer the same script of requests with the same bytes."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.attack.hidden import CASES, UNTOUCHED, Seat, enemy_orders, found
from tests.attack.script import Attacker
from tests.deploy.guarded import free_port
from tests.servers import unavailable
from workers import clock
from workers.app import make_app
from workers.bootstrap import compose
from workers.cli.processes import Child, wait_until
from workers.kernel.dice import Dice
from workers.service.access import Access, TokenPlan
from workers.settings import ServerSettings
from workers.store.embedded import EmbeddedServer
from workers.store.errors import ServerStartError
from workers.tasks import Runtime

LIMIT_S = 60.0
SEED = bytes(range(32))
HIDDEN = Dice(bytes(31) + b"\x07")

pytestmark = pytest.mark.xdist_group("attack-fog")


class Site:
    """One world: a database of a server, an API process on it, a worker in the test's process."""

    def __init__(self, url: str, folder: Path, api: str) -> None:
        archive = (folder / "archive").as_uri()
        self.settings = ServerSettings(redis_url=url, broker_url="", archive_url=archive)
        self.services = compose(self.settings)
        self.runtime = Runtime(make_app(self.settings), self.services)
        self.access = Access(self.services.store, clock.entropy)
        self.admin = self.access.create_admin("tests").secret
        self.http = httpx2.Client(base_url=f"{api}/v1", timeout=LIMIT_S)

    def attacker(self, seat: Seat) -> Attacker:
        """A camp's token and a player's."""
        camp = self.access.create(seat.campaign, TokenPlan(scope="camp", camp=seat.camp)).secret
        plan = TokenPlan(scope="actor", camp=seat.camp, actor="mallory", entities=seat.entities[:2])
        return Attacker(self.http, seat, camp, self.access.create(seat.campaign, plan).secret)

    def enemy_at_work(self, seat: Seat) -> None:
        """The other camp looks, tries, sends, replaces and withdraws: nothing of it is left at the close."""
        head = self.services.store.heads.get(seat.campaign)
        assert head is not None
        for camp in head.camps:
            if camp == seat.camp:
                continue
            token = self.access.create(seat.campaign, TokenPlan(scope="camp", camp=camp)).secret
            headers = {"Authorization": f"Bearer {token}"}
            theirs = enemy_orders(self.services, seat, camp, SEED)
            sent = self.http.post(f"/campaigns/{seat.campaign}/orders", json={"orders": theirs}, headers=headers)
            assert sent.status_code == 200, sent.text
            booked = [result["id"] for result in sent.json()["results"] if "id" in result]
            assert booked
            for order_id in booked:
                assert (
                    self.http.delete(f"/campaigns/{seat.campaign}/orders/{order_id}", headers=headers).status_code
                    == 204
                )
            self.http.put(f"/campaigns/{seat.campaign}/ready", headers=headers)

    def play(self, name: str) -> None:
        """Close the open tick over HTTP, resolve and publish it."""
        headers = {"Authorization": f"Bearer {self.admin}"}
        closed = self.http.post(f"/campaigns/{name}/ticks/current:close", headers=headers)
        assert closed.status_code == 200, closed.text
        self.runtime.resolve(name)


@contextmanager
def sites(folder: Path, count: int) -> Iterator[list[Site]]:
    """Worlds side by side, each with an API process of its own, on the databases of one server."""
    server = EmbeddedServer(fsync="no")
    try:
        server.start()
    except ServerStartError as error:
        unavailable(str(error))
    with ExitStack() as stack:
        stack.callback(server.stop)
        made = []
        for number in range(count):
            place = folder / str(number)
            place.mkdir()
            url = f"{server.url.rpartition('/')[0]}/{number}"
            port = free_port()
            environment = {
                **os.environ,
                "TOCSIN_REDIS_URL": url,
                "TOCSIN_ARCHIVE_URL": (place / "archive").as_uri(),
                "TOCSIN_STREAM_WAIT_S": "0.5",
                "TOCSIN_REQUESTS_TOKEN_SECOND_MAX": "100000",
            }
            command = [sys.executable, "-m", "granian", "--interface", "asgi", "--host", "127.0.0.1"]
            command += ["--port", str(port), "--no-ws", "api.app:app"]
            api = stack.enter_context(Child(f"api-{number}", command, place / "api.log", environment))
            wait_until(lambda port=port: _answers(port), "the API answers", LIMIT_S, [api])  # type: ignore[misc]  # mypy can't infer a lambda with a default
            made.append(Site(url, place, f"http://127.0.0.1:{port}"))
        yield made


def _answers(port: int) -> bool:
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/v1/ready", timeout=1.0).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Site]]:
    with sites(tmp_path_factory.mktemp("worlds"), 2) as made:
        yield made


@pytest.mark.parametrize(("rulebook", "camp"), CASES)
def test_K7_a_players_script_reads_the_same_bytes_in_worlds_that_differ_in_what_is_hidden(
    worlds: list[Site], rulebook: str, camp: str
) -> None:
    attackers = []
    for number, site in enumerate(worlds):
        site.services.store.client.flushdb()
        site.admin = site.access.create_admin("tests").secret
        hidden = HIDDEN.stream(f"hidden/{rulebook}/{camp}") if number else None
        seat = found(site.services, rulebook, camp, SEED, hidden)
        attacker = site.attacker(seat)
        if number:
            site.enemy_at_work(seat)
        attacker.look()
        attacker.probe()
        attacker.order()
        attacker.look()
        attacker.listen("0")
        if rulebook in UNTOUCHED:
            site.play(seat.campaign)
            attacker.look()
            attacker.listen("1")
        attackers.append(attacker)

    one, other = (attacker.answers for attacker in attackers)
    assert [asked[0] for asked in one] == [asked[0] for asked in other]
    assert len(one) > 150
    assert [] == [asked for asked, found in zip(one, other, strict=True) if asked != found]
    assert {200, 404} <= {status for _, status, _, _ in one}
