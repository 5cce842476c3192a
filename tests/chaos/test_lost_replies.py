"""Every reply of the server lost in turn, and every request: what a client then sends again with its key happens once.

The HTTP face runs in the test's own process, on a real server behind a proxy that cuts. Each act is done once
undisturbed; then, in campaigns of the same seed, it is cut at its first request to the server, at its second, and so
on, and sent again. All these campaigns must hold the same afterwards, key by key.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.exceptions import RedisError

from tests.api.web import Response, Web, problem, serve
from tests.chaos.proxy import Cut, Proxy
from tests.service.pond import ANNA, BERT
from workers.store.connection import connect, connect_async
from workers.store.embedded import EmbeddedServer

SEED = "b5a8dd20cc56908f40e2082b5c7f5137ccb4ec9a67e05f0727dce4fce02cd645"
REQUESTS_MAX = 200
FULL = {**ANNA, "lines": 3}
VOLATILE = re.compile(r".*_ms|campaign|creation_key|creation_digest|trigger")
"""Fields that tell times or whose a campaign is."""


class Bench:
    """The HTTP face, the proxy between it and the server, and a client that goes past the proxy."""

    def __init__(self, web: Web, proxy: Proxy, direct: redis.Redis) -> None:
        self.web, self.proxy, self.direct = web, proxy, direct
        self.tokens: dict[str, str] = {}
        self.orders: dict[str, str] = {}

    def open(self, name: str) -> None:
        """A campaign with an order in its book."""
        self.web.found(name, campaign_seed=SEED, policy={"reveal_after": 1})
        self.tokens[name] = self.web.token(name, "camp", camp="east")
        made = self.send(name, ANNA, key="first")
        assert made.status_code == 201, made.text
        self.orders[name] = made.json()["id"]

    def send(self, name: str, body: Any, *, key: str) -> Response:
        headers = {"Idempotency-Key": key}
        return self.web.post(f"/campaigns/{name}/orders", self.tokens[name], json=body, headers=headers)

    def held(self, name: str) -> dict[str, Any]:
        """All that the server holds of a campaign (and of the one that was founded beside it), key by key, without
        times and what names the campaign."""
        found: dict[str, Any] = {}
        counted: Counter[str] = Counter()
        names: Any = [*self.direct.scan_iter(f"*{{{name}}}*"), *self.direct.scan_iter(f"*{{{name}-new}}*")]
        for raw in sorted(names):
            key, kind = raw.decode().replace(name, "…"), self.direct.type(raw)
            if ":idem:" in key or ":tokens" in key:  # their names are digests of the campaign's own
                counted[key.rpartition(":")[0]] += 1
            elif kind == b"hash":
                fields: Any = self.direct.hgetall(raw)
                found[key] = {field: fields[field] for field in fields if not VOLATILE.fullmatch(field.decode())}
            elif kind == b"list":
                values = self.direct.lrange(raw, 0, -1)
                found[key] = len(values) if ":idems:" in key else values
            elif kind == b"stream":
                found[key] = self.direct.xrange(raw)
            elif kind == b"set":
                found[key] = sorted(self.direct.smembers(raw))
            else:
                found[key] = self.direct.get(raw)
        return found | {key: counted[key] for key in sorted(counted)}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with EmbeddedServer(fsync="no") as server, Proxy(server.port) as proxy, connect(server.url) as direct:
        url = f"redis://127.0.0.1:{proxy.port}/0"
        folder: Path = tmp_path_factory.mktemp("archive")
        with connect(url) as client, serve(client, partial(connect_async, url, block_s=15), folder) as web:
            yield Bench(web, proxy, direct)


def batch(bench: Bench, name: str) -> Response:
    return bench.send(name, {"orders": [BERT, {**BERT, "boat": "nobody"}]}, key="second")


def replace(bench: Bench, name: str) -> Response:
    return bench.web.put(f"/campaigns/{name}/orders/{bench.orders[name]}", bench.tokens[name], json=FULL)


def withdraw(bench: Bench, name: str) -> Response:
    return bench.web.delete(f"/campaigns/{name}/orders/{bench.orders[name]}", bench.tokens[name])


def close(bench: Bench, name: str) -> Response:
    return bench.web.post(f"/campaigns/{name}/ticks/1:close", bench.web.admin)


def create(bench: Bench, name: str) -> Response:
    plan = {"campaign": f"{name}-new", "rulebook": "lake", "campaign_seed": SEED}
    return bench.web.post("/campaigns", bench.web.admin, json=plan, headers={"Idempotency-Key": f"creation of {name}"})


def pause(bench: Bench, name: str) -> Response:
    return bench.web.post(f"/campaigns/{name}/lifecycle", bench.web.admin, json={"verb": "pause"})


def asked(act: Callable[[Bench, str], Response], bench: Bench, name: str) -> bool:
    """Whether the act was answered; an answer that isn't a success must say that the server is away."""
    answer = act(bench, name)
    if answer.is_success:
        return True
    problem(answer, 503, "server_unreachable")
    return False


def resolved(bench: Bench, name: str) -> bool:
    """Resolve, publish, archive and retire a tick, as a worker would; whether that came to its end."""
    try:
        bench.web.world.runtime.resolve(name)
        bench.web.world.services.publication.finish(name)
    except RedisError:
        return False
    return True


def survives(
    bench: Bench, what: str, act: Callable[[Bench, str], bool], kind: Cut, before: Callable[[str], None], step: int = 1
) -> int:
    """Do the act undisturbed, then cut at each request in turn (or each `step`th) and done again; how many it sends."""
    calm = f"{what}-{kind}-calm"
    before(calm)
    assert act(bench, calm)
    wanted = bench.held(calm)
    for number in range(0, REQUESTS_MAX, step):
        name = f"{what}-{kind}-{number}"
        before(name)
        cuts = bench.proxy.cuts
        bench.proxy.cut(kind, skip=number)
        answered = act(bench, name)
        cut = bench.proxy.cuts - cuts
        bench.proxy.heal()
        assert answered == (cut == 0), f"{what}, cut {kind} at request {number}: something was sent again by itself"
        if cut:
            assert act(bench, name), f"{what}, cut {kind} at request {number}: not even the second time"
        assert bench.held(name) == wanted, f"{what}, cut {kind} at request {number}"
        if not cut:
            return number
    raise AssertionError(f"{what} sends more than {REQUESTS_MAX} requests")


@pytest.mark.parametrize("kind", ["before", "after"])
@pytest.mark.parametrize("act", [batch, replace, withdraw, close, create, pause], ids=lambda act: act.__name__)
def test_an_act_that_is_sent_again_after_a_cut_happens_once(
    bench: Bench, kind: Cut, act: Callable[[Bench, str], Response]
) -> None:
    assert survives(bench, act.__name__, partial(asked, act), kind, bench.open) > 0


@pytest.mark.parametrize("kind", ["before", "after"])
def test_a_tick_that_is_resolved_again_after_a_cut_is_resolved_once(bench: Bench, kind: Cut) -> None:
    def closed(name: str) -> None:
        bench.open(name)
        assert close(bench, name).status_code == 200

    assert survives(bench, "resolve", resolved, kind, closed, step=3) > 10


def test_the_client_of_the_server_sends_nothing_again_by_itself(bench: Bench) -> None:
    """A count whose reply is lost is counted once, and the caller is told."""
    with connect(f"redis://127.0.0.1:{bench.proxy.port}/0") as client:
        client.set("counted", 0)
        bench.proxy.cut("after")
        with pytest.raises(RedisError):
            client.incr("counted")
        assert client.get("counted") == b"1"
        bench.direct.delete("counted")
