"""Secrets stay where they belong: in no log at any level, no error, no metric, no address, nowhere on the server."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from tests.api.test_serving import free_port
from tests.servers import unavailable
from workers import clock
from workers.app import QUEUE_LARGE, QUEUE_SMALL, make_app
from workers.bootstrap import compose
from workers.cli.processes import Child, wait_until
from workers.service.access import Access
from workers.settings import ServerSettings
from workers.store.embedded import EmbeddedServer
from workers.store.errors import ServerStartError
from workers.store.keys import Keys, token_key
from workers.store.tokens import PREFIX, digest_of

LIMIT_S = 60.0
CITY = "/campaigns/city"
SEED = "5eed" * 16
EVERYTHING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"all": {"format": "%(levelname)s %(name)s %(message)s"}},
    "handlers": {"out": {"class": "logging.StreamHandler", "formatter": "all", "stream": "ext://sys.stdout"}},
    "loggers": {"granian.access": {"level": "INFO"}},
    "root": {"level": "DEBUG", "handlers": ["out"]},
}
"""Every logger of the process at its lowest level."""


@dataclass
class Watched:
    """An installation of which everything that it says is kept; and every secret that it has given away."""

    url: str
    folder: Path
    server: EmbeddedServer
    settings: ServerSettings
    children: list[Child]
    secrets: list[str] = field(default_factory=list)
    answers: list[httpx2.Response] = field(default_factory=list)

    def ask(self, method: str, path: str, authorization: str = "", **request: Any) -> httpx2.Response:
        headers = {"Authorization": authorization, **request.pop("headers", {})}
        answer = httpx2.request(method, f"{self.url}/v1{path}", headers=headers, timeout=LIMIT_S, **request)
        self.answers.append(answer)
        return answer

    def as_(self, secret: str, method: str, path: str, **request: Any) -> Any:
        """The document of a request that must be carried out."""
        answer = self.ask(method, path, f"Bearer {secret}", **request)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def given(self, made: Any) -> str:
        """The secret of a token that was made: from now on it must be nowhere."""
        secret = str(made["secret"])
        self.secrets.append(secret)
        self.answers.pop()  # the one answer that shows it
        return secret

    def logs(self) -> dict[str, bytes]:
        """What every process said."""
        found = {path.name: path.read_bytes() for path in self.folder.glob("**/*.log")}
        return found | {child.name: child.log_path.read_bytes() for child in self.children}


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched")
    server = EmbeddedServer(data_dir=folder / "server", fsync="no")
    try:
        server.start()
    except ServerStartError as error:
        unavailable(str(error))
    settings = ServerSettings(redis_url=server.url, broker_url="", archive_url=(folder / "archive").as_uri())
    environment = {
        **os.environ,
        "TOCSIN_REDIS_URL": settings.redis_url,
        "TOCSIN_ARCHIVE_URL": settings.archive_url,
        "TOCSIN_STREAM_WAIT_S": "0.5",
        "PYTHONASYNCIODEBUG": "1",
    }
    port = free_port()
    config = folder / "logging.json"
    config.write_text(json.dumps(EVERYTHING), encoding="utf-8")
    commands = {
        "api": f"granian --interface asgi --host 127.0.0.1 --port {port} --no-ws --log-level debug --access-log"
        f" --log-config {config} api.app:app",
        "worker": f"celery -A workers.tasks worker -Q {QUEUE_LARGE},{QUEUE_SMALL} --loglevel DEBUG --concurrency 1",
        "sweeper": "workers.cli sweep",
    }
    children = [
        Child(name, [sys.executable, "-m", *command.split()], folder / "logs" / f"{name}.log", environment)
        for name, command in commands.items()
    ]
    made = Watched(f"http://127.0.0.1:{port}", folder, server, settings, children)
    try:
        for child in children:
            child.start()
        wait_until(lambda: _ready(made.url), "the API answers", LIMIT_S, children)
        with make_app(settings) as app:
            wait_until(lambda: bool(app.control.ping(timeout=0.5)), "the worker answers", LIMIT_S, children)
        _live(made)
        yield made
    finally:
        for child in children:
            child.stop()
        server.stop()


def _ready(url: str) -> bool:
    try:
        return bool(httpx2.get(f"{url}/v1/ready", timeout=2).status_code == 200)
    except httpx2.TransportError:
        return False


def _live(made: Watched) -> None:
    """A whole tick over HTTP, with tokens of every scope made, used, replaced, revoked; and requests that go wrong."""
    admin = Access(compose(made.settings).store, clock.entropy).create_admin("tests").secret
    made.secrets += [admin, SEED]
    plan = {"campaign": "city", "rulebook": "veil", "campaign_seed": SEED, "fuse_below": 0, "shards": 2}
    made.as_(admin, "POST", "/campaigns", json=plan)
    made.as_(admin, "POST", f"{CITY}/lifecycle", json={"verb": "open"})
    wanted: list[dict[str, Any]] = [
        {"scope": "operator"},
        {"scope": "camp", "camp": "angel"},
        {"scope": "camp", "camp": "demon"},
        {"scope": "actor", "camp": "angel", "actor": "ada", "entities": ["nobody"]},
    ]
    operator, angel, demon, ada = (
        made.given(made.as_(admin, "POST", f"{CITY}/tokens", json=token)) for token in wanted
    )
    _go_wrong(made, operator, angel, ada)
    homes = made.as_(angel, "GET", f"{CITY}/view?limit=1000")["homes"]
    servant = min(str(one["key"]) for one in homes if "pp" in one["home"])
    made.as_(angel, "POST", f"{CITY}/orders", json={"kind": "recovery", "servant": servant})
    made.as_(operator, "POST", f"{CITY}/ticks/current:close")
    wait_until(
        lambda: made.as_(operator, "GET", f"{CITY}/ticks/1")["status"] == "published",
        "published",
        LIMIT_S,
        made.children,
    )
    for secret in (angel, demon, ada):
        made.as_(secret, "GET", f"{CITY}/reports?pages=50")
    made.as_(
        angel,
        "POST",
        f"{CITY}/orders",
        json={"kind": "recovery", "servant": servant},
        headers={"Idempotency-Key": "kept"},
    )
    overlapping = made.given(
        made.as_(operator, "POST", f"{CITY}/tokens/{digest_of(demon)}:rotate", json={"overlap_s": 600})
    )
    with httpx2.stream(
        "GET", f"{made.url}/v1{CITY}/reports:stream", headers={"Authorization": f"Bearer {angel}"}, timeout=LIMIT_S
    ) as stream:
        new = made.given(made.as_(operator, "POST", f"{CITY}/tokens/{digest_of(angel)}:rotate"))
        stream.read()
    made.as_(operator, "DELETE", f"{CITY}/tokens/{digest_of(ada)}")
    for secret in (demon, overlapping, new):
        made.as_(secret, "GET", f"{CITY}/ticks/current")
    made.as_(admin, "GET", f"{CITY}/tokens")
    made.as_(admin, "GET", "/tokens")
    assert made.ask("GET", "/metrics", f"Bearer {admin}").is_success
    assert made.ask("GET", "/openapi.json").is_success
    _fail(made, operator, demon)


def _go_wrong(made: Watched, operator: str, angel: str, ada: str) -> None:
    """Secrets where they open nothing, in headers that aren't understood, for what isn't there."""
    for authorization in (f"Basic {angel}", angel, f"Bearer{angel}", f"Bearer {angel}x", f"Bearer  {ada} {ada}"):
        assert 404 == made.ask("GET", CITY, authorization).status_code
    for secret, method, path, body in (
        (angel, "GET", "/campaigns", None),
        (operator, "POST", "/campaigns", {"campaign": "x"}),
        (operator, "POST", f"{CITY}/orders", {"kind": "recovery"}),
        (angel, "POST", f"{CITY}/orders", {"kind": "sing"}),
        (angel, "GET", f"{CITY}/orders/none", None),
        (operator, "POST", f"{CITY}/tokens", {"scope": "camp", "camp": "nobody"}),
        (ada, "GET", "/campaigns/elsewhere", None),
        (ada, "PATCH", CITY, None),
    ):
        answer = made.ask(method, path, f"Bearer {secret}", **({} if body is None else {"json": body}))
        assert 400 <= answer.status_code < 500, answer.text
    assert 401 == made.ask("GET", "/campaigns", f"Bearer {angel}x").status_code
    assert 400 == made.ask("POST", f"{CITY}/orders", f"Bearer {angel}", content=b'{"kind').status_code


def _fail(made: Watched, operator: str, demon: str) -> None:
    """Faults: a record that nobody wrote, and a server that is gone."""
    broken = made.given(made.as_(operator, "POST", f"{CITY}/tokens", json={"scope": "camp", "camp": "angel"}))
    compose(made.settings).store.client.set(token_key(digest_of(broken)), b'{"scope":"god"}')
    assert 500 == made.ask("GET", CITY, f"Bearer {broken}").status_code
    made.server.interrupt()
    assert 503 == made.ask("GET", CITY, f"Bearer {demon}").status_code
    made.server.start()
    wait_until(lambda: _ready(made.url), "the API is ready again", LIMIT_S)


def parts(secret: str) -> list[bytes]:
    """A secret as it could turn up: whole, without what all secrets begin with, cut short as logs do, and as bytes."""
    core = secret.removeprefix(PREFIX)
    return [secret.encode(), core.encode(), core[:16].encode(), core[-16:].encode()]


def found(secrets: list[str], text: bytes) -> list[str]:
    return [secret for secret in secrets if any(part in text for part in parts(secret))]


def test_no_process_logs_a_secret_at_any_level(watched: Watched):
    logs = watched.logs()
    assert {"api", "worker", "sweeper"} <= logs.keys()
    # What must be there shows that the logs are those of everything: requests, tasks, and levels down to the last.
    for name, text in (
        ("api", b"DEBUG"),
        ("api", b"/v1/campaigns/city/orders"),
        ("worker", b"DEBUG"),
        ("worker", b"tocsin.shard"),
    ):
        assert text in logs[name], (name, text)
    assert b"request failed" in logs["api"]
    assert {name: [] for name in logs} == {name: found(watched.secrets, text) for name, text in logs.items()}


def test_no_answer_but_the_one_that_makes_a_token_shows_a_secret(watched: Watched):
    assert {200, 201, 204, 400, 401, 403, 404, 405, 422, 500, 503} <= {one.status_code for one in watched.answers}
    for answer in watched.answers:
        text = answer.content + str(answer.headers).encode() + str(answer.url).encode()
        assert [] == found(watched.secrets, text), (answer.url, answer.status_code)


def test_no_key_and_no_value_of_the_server_holds_a_secret(watched: Watched):
    """But the campaign's seed, under its one key, which the API may not read."""
    client = cast(Any, compose(watched.settings).store.client)
    readers = {
        b"string": client.get,
        b"hash": client.hgetall,
        b"set": client.smembers,
        b"list": lambda key: client.lrange(key, 0, -1),
        b"zset": lambda key: client.zrange(key, 0, -1),
        b"stream": client.xrange,
    }
    held: dict[str, list[str]] = {}
    seen = set()
    for key in client.scan_iter(count=1_000):
        kind = client.type(key)
        seen.add(kind)
        text = key + b" ".join(_bytes_in(readers[kind](key)))
        raw = [secret for secret in watched.secrets if secret == SEED and bytes.fromhex(SEED) in text]
        if wrong := [*found(watched.secrets, text), *raw]:
            held[key.decode()] = wrong
    assert {b"string", b"hash", b"set", b"list", b"stream"} <= seen
    assert {Keys("city").seed: [SEED]} == held


def _bytes_in(value: Any) -> Iterator[bytes]:
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, dict):
        for pair in value.items():
            yield from _bytes_in(pair)
    elif isinstance(value, list | tuple | set):
        for one in value:
            yield from _bytes_in(one)


def test_no_file_of_the_server_and_of_the_archive_holds_a_token(watched: Watched):
    tokens = [secret for secret in watched.secrets if secret != SEED]
    files = [path for name in ("server", "archive") for path in (watched.folder / name).glob("**/*") if path.is_file()]
    assert any(path.suffix == ".zst" for path in files)
    assert any(b"tocsin:token:" in path.read_bytes() for path in files)
    assert {} == {str(path): wrong for path in files if (wrong := found(tokens, path.read_bytes()))}


def test_a_secret_that_was_there_would_be_found(watched: Watched):
    secret = watched.secrets[0]
    for text in (
        secret,
        f"GET /?token={secret}",
        repr({"Authorization": f"Bearer {secret}"}),
        secret[:25],
        secret[-18:],
    ):
        assert [secret] == found(watched.secrets, text.encode())
