"""Metrics: of the whole installation, for admins alone, and without a name that is anybody's."""

import re
from pathlib import Path

import pytest
import redis
from prometheus_client.parser import text_string_to_metric_families

from tests.api.web import Web, problem
from workers.service.metrics import METRICS, Counters
from workers.store.records import Failure

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"
ANNA, BERT = {"kind": "fish", "boat": "anna"}, {"kind": "fish", "boat": "bert"}
Sample = tuple[str, tuple[str, ...]]


def told(web: Web) -> dict[Sample, float]:
    """(Metric, its labels' values) → value, as Prometheus' own parser reads them."""
    response = web.get("/metrics", web.admin)
    assert (200, "text/plain; version=0.0.4; charset=utf-8") == (
        response.status_code,
        response.headers["content-type"],
    )
    families = text_string_to_metric_families(response.text)
    return {(one.name, tuple(one.labels.values())): one.value for family in families for one in family.samples}


def test_the_documentation_lists_every_metric():
    cells = re.findall(
        r"^\| `(tocsin_\w+)` \| (\w+) \| (.+?) \| (.+) \|$", DOCUMENTATION.read_text(encoding="utf-8"), re.MULTILINE
    )
    rows = [
        (name, kind, ", ".join(f"`{label}`" for label in labels) or "none", meaning)
        for name, kind, labels, meaning in (
            (metric.name, metric.kind, metric.labels, metric.meaning) for metric in METRICS
        )
    ]
    assert rows == cells


def test_names_say_what_they_are():
    """As Prometheus has it: a counter ends in `_total`, a unit is spelled out, all begin alike."""
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    for metric in METRICS:
        assert metric.name.startswith("tocsin_")
        assert (metric.kind == "counter") == metric.name.endswith("_total")


def test_every_metric_of_the_catalogue_is_told_and_no_other(web: Web, east: str):
    web.post("/campaigns/pond/orders", east, json=ANNA)
    web.world.services.store.tallies.add({"door|unknown_task": 2})
    assert {metric.name for metric in METRICS} == {name for name, _ in told(web)}
    assert 2 == told(web)["tocsin_messages_refused_total", ("unknown_task",)]


def test_a_tally_of_another_release_is_passed_over(web: Web):
    web.world.services.store.tallies.add({"unheard|of": 1, "orders|too|many|labels": 1})
    assert not any("too" in labels or "of" in labels for _, labels in told(web))


def test_requests_are_counted_by_the_route_s_template(web: Web, east: str):
    before = told(web)
    web.get("/campaigns/pond", east)
    web.get("/campaigns/nowhere", east)
    web.get("/nothing/at-all")
    web.delete("/campaigns")
    web.http.request("BREW", "/v1/health")
    after = told(web)
    gained = {key[1]: int(after[key] - before.get(key, 0)) for key in after if key[0] == "tocsin_http_requests_total"}
    assert {
        ("GET", "/campaigns/{campaign}", "200"): 1,
        ("GET", "/campaigns/{campaign}", "404"): 1,
        ("GET", "none", "404"): 1,
        ("DELETE", "/campaigns", "405"): 1,
        ("other", "/health", "405"): 1,
        ("GET", "/metrics", "200"): 1,
    } == {labels: count for labels, count in gained.items() if count}


def test_a_request_that_fails_is_counted(web: Web, east: str, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(type(web.world.face.changes), "listed", broken)
    web.get("/campaigns/pond/orders", east)
    assert 1 == told(web)["tocsin_http_requests_total", ("GET", "/campaigns/{campaign}/orders", "500")]


def test_orders_are_counted_by_what_became_of_them_and_a_replayed_answer_is_not(web: Web, east: str, west: str):
    for _ in range(2):
        web.post("/campaigns/pond/orders", east, json={"orders": [ANNA, BERT]}, headers={"Idempotency-Key": "k"})
    web.post("/campaigns/pond/orders", west, json={"orders": [ANNA, {"kind": "sing"}]})
    web.post("/campaigns/pond/orders?for_tick=7", east, json=ANNA)
    web.post("/campaigns/pond/orders:check", east, json=ANNA)
    (order_id, *_) = [one["id"] for one in web.get("/campaigns/pond/orders", east).json()["orders"]]
    boat = web.get(f"/campaigns/pond/orders/{order_id}", east).json()["order"]["boat"]
    for _ in range(2):  # the second changes nothing
        web.put(f"/campaigns/pond/orders/{order_id}", east, json={"kind": "fish", "boat": boat, "lines": 2})
    for _ in range(2):
        assert 204 == web.delete(f"/campaigns/pond/orders/{order_id}", east).status_code
    found = {labels[0]: int(value) for (name, labels), value in told(web).items() if name == "tocsin_orders_total"}
    assert {
        "accepted": 2,
        "replaced": 1,
        "withdrawn": 1,
        "tick_closed": 1,
        "invalid_order": 1,
        "unknown_boat": 1,
    } == found


def test_ticks_are_told_by_where_they_stand(web: Web):
    web.found("creek")
    web.play("pond")
    web.post("/campaigns/creek/ticks/current:close", web.admin)
    stands = told(web)
    assert 1 == stands["tocsin_ticks_published_total", ()]
    assert (1, 0) == tuple(stands["tocsin_ticks_unpublished", (status,)] for status in ("resolving", "failed"))
    web.world.services.store.ticks.fail("creek", 1, 1, Failure("exception", "x", 1, 0, "0", "w"))
    stands = told(web)
    assert (0, 1) == tuple(stands["tocsin_ticks_unpublished", (status,)] for status in ("resolving", "failed"))
    assert (2, 0) == (stands["tocsin_campaigns", ("open",)], stands["tocsin_campaigns", ("ended",)])


def test_an_overdue_campaign_is_the_sweeper_s_lag_until_it_is_closed(web: Web):
    client = web.world.services.store.client
    assert (0, 0) == (told(web)["tocsin_campaigns_overdue", ()], told(web)["tocsin_sweep_lag_seconds", ()])
    now_ms = web.world.services.store.heads.server_time_ms()
    client.hset("tocsin:{pond}:head", "deadline_ms", now_ms - 60_000)
    stands = told(web)
    assert 1 == stands["tocsin_campaigns_overdue", ()]
    assert 60 <= stands["tocsin_sweep_lag_seconds", ()]
    web.post("/campaigns/pond/ticks/1:close", web.admin)
    client.hset("tocsin:{pond}:head", "deadline_ms", now_ms - 60_000)  # the next waits for this one: that is no lag
    assert 0 == told(web)["tocsin_campaigns_overdue", ()]


def test_queues_and_open_streams_are_measured(web: Web):
    web.world.services.store.client.lpush("tocsin.small", "a", "b")
    web.world.services.store.limits.keep_stream("0" * 64, "0" * 64, "a", for_ms=600_000, most=1)
    stands = told(web)
    assert (2, 0) == tuple(stands["tocsin_queue_length", (queue,)] for queue in ("tocsin.small", "tocsin.large"))
    assert 1 == stands["tocsin_open_streams", ()]


def test_metrics_are_an_admin_s(web: Web, operator: str, east: str, pat: str):
    for path in ("/metrics", "/v1/metrics"):
        assert 401 == web.http.get(path).status_code
        assert 200 == web.http.get(path, headers={"Authorization": f"Bearer {web.admin}"}).status_code
    for token in (operator, east, pat):
        problem(web.get("/metrics", token), 403, "forbidden_scope")


def test_no_label_holds_a_campaign_a_camp_an_actor_or_a_token(web: Web, operator: str, east: str, pat: str):
    web.post("/campaigns/pond/orders", pat, json=BERT)
    for token in (operator, east, pat, web.admin):
        web.get("/campaigns/pond", token)
        web.get("/campaigns/pond/reports?camp=east", token)
    web.play("pond")
    text = web.get("/metrics", web.admin).text
    for name in ("pond", "east", "west", "pat", "bert", "tocsin_ey", operator, east, pat, web.admin):
        assert name not in text.replace("tocsin_messages_refused", ""), name


@pytest.mark.parametrize("serving", ["real"], indirect=True)
def test_a_full_server_still_tells_its_metrics(web: Web):
    client = web.world.services.store.client
    client.config_set("maxmemory", 1)
    try:
        assert 1 == told(web)["tocsin_campaigns", ("open",)]
    finally:
        client.config_set("maxmemory", 0)
    assert 1 == told(web)["tocsin_http_requests_total", ("POST", "/campaigns", "201")]


def test_what_could_not_be_added_is_kept_and_added_later(web: Web, monkeypatch: pytest.MonkeyPatch):
    store = web.world.services.store
    counters = Counters(store)
    counters.count("orders", "accepted", times=3)

    def gone(*_: object) -> None:
        raise redis.ConnectionError("gone")

    with monkeypatch.context() as context:
        context.setattr(type(store.tallies), "add", gone)
        with pytest.raises(redis.ConnectionError):
            counters.flush()
    counters.count("orders", "accepted")
    counters.flush()
    counters.flush()
    assert 4 == store.tallies.read()["orders", "accepted"]
