"""A campaign's whole life with each process under its own user: nothing that any of them needs is denied."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from tests.deploy.guarded import DEPLOY, ROOT, GuardedServer, environment_of, free_port, wait_for
from tests.deploy.recipes import OURS, command_of, health_of
from workers.bootstrap import Services, compose
from workers.cli.processes import Child, wait_until
from workers.kernel.dice import Dice
from workers.kernel.entities import Slice
from workers.settings import ServerSettings
from workers.store.embedded import HOST

# One guarded server serves all tests here: they stay on one test process.
pytestmark = pytest.mark.xdist_group("deploy-life")

CAMPAIGN = "guarded-city"
LIMIT_S = 60.0
WITH_TOCSIN = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
"""The programs of this environment by their names alone, as in the image."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("life")


@pytest.fixture(scope="module")
def api(guarded: GuardedServer, folder: Path) -> Iterator[httpx2.Client]:
    """An API, a worker and a sweeper, each told by its own environment file; a client of the API with an admin's
    token."""
    port = free_port()
    children = [_child(guarded, folder, process, port) for process in OURS]
    operator = {**os.environ, **environment_of(guarded.secrets / "operator.env")}
    command = [sys.executable, str(DEPLOY / "admin_token.py")]
    made = subprocess.run(command, cwd=ROOT, env=operator, check=True, capture_output=True, text=True)
    headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
    try:
        with httpx2.Client(base_url=f"http://{HOST}:{port}", headers=headers, timeout=LIMIT_S) as client:
            for child in children:
                child.start()
            wait_until(lambda: _is_ready(client), "the API is ready", LIMIT_S, children)
            yield client
    finally:
        for child in children:
            child.stop()


def _environment(guarded: GuardedServer, folder: Path, process: str) -> dict[str, str]:
    return {
        **WITH_TOCSIN,
        **environment_of(guarded.secrets / f"{process}.env"),
        "TOCSIN_ARCHIVE_URL": f"file://{folder / 'archive'}",
        "HOSTNAME": socket.gethostname(),
    }


def _child(guarded: GuardedServer, folder: Path, process: str, port: int) -> Child:
    """What compose runs, on loopback and on a free port."""
    command = [{"0.0.0.0": HOST, "8000": str(port)}.get(word, word) for word in command_of(process)]
    return Child(process, command, folder / f"{process}.log", _environment(guarded, folder, process))


def _is_ready(client: httpx2.Client) -> bool:
    try:
        return client.get("/v1/ready").is_success
    except httpx2.TransportError:
        return False


def told(answer: httpx2.Response) -> Any:
    """The body of an answer that must be a success."""
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


def test_the_api_finds_the_server_fit_to_hold_orders(api: httpx2.Client) -> None:
    assert told(api.get("/v1/ready")) == {"status": "ready", "warnings": []}


@pytest.mark.parametrize("process", OURS)
def test_compose_finds_each_process_healthy_by_asking_as_itself(
    guarded: GuardedServer, folder: Path, api: httpx2.Client, process: str
) -> None:
    guarded.test_client().execute_command("ACL", "LOG", "RESET")
    command = [word.replace("127.0.0.1:8000", api.base_url.netloc.decode()) for word in health_of(process)]
    environment = _environment(guarded, folder, process)

    def healthy() -> bool:
        return subprocess.run(command, env=environment, check=False, capture_output=True).returncode == 0

    wait_for(healthy, f"{process} healthy")
    assert guarded.denied() == []


def test_the_doctor_finds_everything_fit_under_the_operators_user(
    guarded: GuardedServer, folder: Path, api: httpx2.Client
) -> None:
    guarded.test_client().execute_command("ACL", "LOG", "RESET")
    environment = _environment(guarded, folder, "operator")
    done = subprocess.run(
        command_of("operator"), cwd=folder, env=environment, check=False, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert guarded.denied() == []


def test_a_campaign_lives_and_ends_and_nothing_is_denied(
    guarded: GuardedServer, folder: Path, api: httpx2.Client
) -> None:
    guarded.test_client().execute_command("ACL", "LOG", "RESET")
    plan = {"campaign": CAMPAIGN, "rulebook": "veil", "slices": 16, "shards": 4, "fuse_below": 0, "retain_ticks": 1}
    plan |= {"schedule": {"when_ready": True}, "policy": {"reveal_after": 1}}
    told(api.post("/v1/campaigns", json=plan, headers={"Idempotency-Key": "founding"}))
    assert CAMPAIGN in told(api.get("/v1/campaigns"))["campaigns"]
    place = f"/v1/campaigns/{CAMPAIGN}"
    told(api.post(f"{place}/lifecycle", json={"verb": "open"}))
    operator = compose(ServerSettings(redis_url=guarded.url_of("operator"), archive_url=f"file://{folder / 'archive'}"))
    camps = {camp: _bearer(api, place, camp) for camp in told(api.get(place))["camps"]}

    _play(api, operator, place, camps)
    for camp in camps.values():
        told(api.put(f"{place}/ready", headers=camp))
    _wait_published(api, place, 1)

    told(api.post(f"{place}/lifecycle", json={"verb": "pause"}))
    told(api.post(f"{place}/lifecycle", json={"verb": "resume"}))
    _play(api, operator, place, camps)
    told(api.post(f"{place}/ticks/current:close"))
    _wait_published(api, place, 2)
    assert len(told(api.get(f"{place}/ticks/1/seed"))["seed"]) == 64

    told(api.post(f"{place}/lifecycle", json={"verb": "end"}))
    wait_for(lambda: api.get(f"{place}/ticks/2/seed").is_success, "the seeds of an ended campaign")
    wait_for(lambda: told(api.get(place))["operations"]["retired"] == 2, "the last tick's retirement")
    assert operator.archive.ticks(CAMPAIGN) == [1, 2]
    assert guarded.denied() == []


def test_a_deadline_is_kept_by_the_sweeper_under_its_own_user(guarded: GuardedServer, api: httpx2.Client) -> None:
    guarded.test_client().execute_command("ACL", "LOG", "RESET")
    plan = {"campaign": "every-second", "rulebook": "veil", "schedule": {"interval_s": 1}}
    told(api.post("/v1/campaigns", json=plan))
    told(api.post("/v1/campaigns/every-second/lifecycle", json={"verb": "open"}))

    _wait_published(api, "/v1/campaigns/every-second", 2)
    told(api.post("/v1/campaigns/every-second/lifecycle", json={"verb": "end"}))
    assert guarded.denied() == []


def test_tokens_limits_streams_and_metrics_need_nothing_that_is_denied(
    guarded: GuardedServer, api: httpx2.Client
) -> None:
    guarded.test_client().execute_command("ACL", "LOG", "RESET")
    place = "/v1/campaigns/watched-city"
    told(api.post("/v1/campaigns", json={"campaign": "watched-city", "rulebook": "veil"}))
    made = told(api.post(f"{place}/tokens", json={"scope": "camp", "camp": "angel"}))
    with api.stream("GET", f"{place}/reports:stream", headers={"Authorization": f"Bearer {made['secret']}"}) as stream:
        assert stream.is_success
        lines = stream.iter_lines()  # whoever drops it closes the stream
        assert next(lines).startswith("retry:")
        wait_for(lambda: "tocsin_open_streams 1.0" in api.get("/metrics").text, "the stream is counted")
    new = told(api.post(f"{place}/tokens/{made['id']}:rotate", json={"overlap_s": 60}))
    told(api.delete(f"{place}/tokens/{new['id']}"))
    told(api.get("/v1/tokens"))
    told(api.post(f"{place}/lifecycle", json={"verb": "end"}))
    text = api.get("/metrics").text
    assert 'tocsin_queue_length{queue="tocsin.small"}' in text
    assert guarded.denied() == []


def _bearer(api: httpx2.Client, place: str, camp: str) -> dict[str, str]:
    made = told(api.post(f"{place}/tokens", json={"scope": "camp", "camp": camp}))
    return {"Authorization": f"Bearer {made['secret']}"}


def _sample(operator: Services) -> list[tuple[str, str, Any]]:
    """Orders that the rulebook thinks of for the open tick: camp, actor, order."""
    campaign = operator.campaigns.load(CAMPAIGN)
    manifest = operator.campaigns.manifest(CAMPAIGN, campaign.head.start_manifest)
    blobs = operator.campaigns.blobs(CAMPAIGN, [ref.digest for ref in manifest.slices])
    homes = [campaign.engine.read_home(line) for data in blobs for line in Slice.parse(data).lines.values()]
    shared = operator.campaigns.shared(campaign, manifest)
    dice = Dice(campaign.head.open_tick.to_bytes(32, "big"))
    return list(campaign.rulebook.sample(homes, shared, campaign.settings, campaign.head.open_tick, dice))


def _play(api: httpx2.Client, operator: Services, place: str, camps: dict[str, dict[str, str]]) -> None:
    """Each camp sends a batch, reads it back, changes one order and takes one away, and reads what it may."""
    key = {"Idempotency-Key": f"tick-{told(api.get(place))['open_tick']}"}
    sample = _sample(operator)
    for camp, bearer in camps.items():
        orders = [msgspec.to_builtins(order) for whose, _, order in sample if whose == camp]
        told(api.post(f"{place}/orders:check", json={"orders": orders}, headers=bearer))
        sent = told(api.post(f"{place}/orders", json={"orders": orders}, headers={**bearer, **key}))
        again = api.post(f"{place}/orders", json={"orders": orders}, headers={**bearer, **key})
        assert told(again) == sent
        booked = [(orders[n], result["id"]) for n, result in enumerate(sent["results"]) if result["status"] == "booked"]
        assert len(told(api.get(f"{place}/orders", headers=bearer))["orders"]) == len(booked) >= 2
        told(api.get(f"{place}/orders/{booked[0][1]}", headers=bearer))
        told(api.put(f"{place}/orders/{booked[0][1]}", json=booked[0][0], headers=bearer))
        told(api.delete(f"{place}/orders/{booked[1][1]}", headers=bearer))
        told(api.get(f"{place}/view", headers=bearer))
        told(api.get(f"{place}/reports", params={"wait_s": 0.1, "after": "0"}, headers=bearer))
        told(api.put(f"{place}/ready", headers=bearer))
        told(api.delete(f"{place}/ready", headers=bearer))
    told(api.get(f"{place}/tokens"))
    told(api.get(f"{place}/ticks/current/commitment"))


def _wait_published(api: httpx2.Client, place: str, tick: int) -> None:
    def published() -> bool:
        told(api.get(f"{place}/ticks/{tick}"))
        return bool(told(api.get(place))["published"] >= tick)

    wait_for(published, f"tick {tick} published")
