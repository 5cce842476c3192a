"""Campaigns and tokens over HTTP."""

from typing import Any

import pytest

from tests.api.web import Web, problem

PLAN = {"campaign": "pond", "rulebook": "lake"}


def test_an_admin_founds_a_campaign(bare: Web):
    made = bare.post("/campaigns", bare.admin, json={**PLAN, "policy": {"reveal_after": "end"}})
    assert (201, "/v1/campaigns/pond") == (made.status_code, made.headers["location"])
    assert ("draft", 1, ["east", "west"]) == tuple(made.json()[name] for name in ("status", "open_tick", "camps"))
    assert {"campaigns": ["pond"]} == bare.get("/campaigns", bare.admin).json()


def test_the_same_creation_under_one_key_founds_once(bare: Web):
    sent = {"json": PLAN, "headers": {"Idempotency-Key": "k"}}
    first, again = (bare.post("/campaigns", bare.admin, **sent) for _ in range(2))
    assert (201, 201) == (first.status_code, again.status_code)
    assert (None, "true") == (first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed"))
    other = bare.post("/campaigns", bare.admin, json={**PLAN, "shards": 2}, headers={"Idempotency-Key": "k"})
    problem(other, 422, "idempotency_conflict")


def test_a_taken_name_is_a_conflict(web: Web):
    problem(web.post("/campaigns", web.admin, json=PLAN), 409, "campaign_exists")


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({**PLAN, "rulebook": "sea"}, "rulebook"),
        ({**PLAN, "campaign": "A B"}, "campaign"),
        ({**PLAN, "scenario": "sea"}, "scenario"),
        ({**PLAN, "slices": 7}, "slices"),
        ({**PLAN, "schedule": {"cron": "x"}}, "schedule.cron"),
        ({**PLAN, "schedule": {"interval": 60}}, "schedule.interval"),
        ({**PLAN, "schedule": {"interval_s": 60, "cron": "0 0 * * *"}}, "schedule"),
        ({**PLAN, "policy": {"reveal_after": -1}}, "policy.reveal_after"),
        ({**PLAN, "seed": "x"}, "seed"),
        ({"campaign": "pond"}, "rulebook"),
        ([], ""),
    ],
)
def test_a_bad_plan_names_its_field(bare: Web, plan: Any, field: str):
    document = problem(bare.post("/campaigns", bare.admin, json=plan), 422, "invalid_request")
    assert field == document["errors"][0]["field"]
    assert {"campaigns": []} == bare.get("/campaigns", bare.admin).json()


def test_founding_takes_an_admin(web: Web, operator: str, east: str):
    for method in ("GET", "POST"):
        denied = problem(web.ask(method, "/campaigns", json=PLAN), 401, "unauthorized")
        assert denied["title"]
        assert "Bearer" == web.ask(method, "/campaigns", json=PLAN).headers["www-authenticate"]
        for token in (operator, east):
            problem(web.ask(method, "/campaigns", token, json=PLAN), 403, "forbidden_scope")


def test_a_campaign_is_shown_by_scope(web: Web, operator: str, east: str, pat: str):
    shown = {token: web.get("/campaigns/pond", token).json() for token in (web.admin, operator, east, pat)}
    assert [True, True, False, False] == ["operations" in one for one in shown.values()]
    assert all(one["open_tick"] == 1 for one in shown.values())


def test_no_seed_and_no_key_is_in_any_answer_on_a_campaign(bare: Web):
    seed = "07" * 32
    made = bare.post("/campaigns", bare.admin, json={**PLAN, "campaign_seed": seed})
    head = bare.world.services.campaigns.load("pond").head
    for answer in (made, bare.get("/campaigns/pond", bare.admin)):
        assert seed not in answer.text
        assert head.id_key not in answer.text
        assert head.manifest not in answer.text
    refused = bare.post("/campaigns", bare.admin, json={**PLAN, "campaign_seed": seed[:-2] + "zz"})
    assert seed[:-2] not in refused.text


def test_operators_move_a_campaign_through_its_life(web: Web, operator: str):
    for verb, status in (("pause", "paused"), ("pause", "paused"), ("resume", "open"), ("end", "ended")):
        moved = web.post("/campaigns/pond/lifecycle", operator, json={"verb": verb})
        assert (200, status) == (moved.status_code, moved.json()["status"])
    assert ["pond"] == web.woken
    problem(web.post("/campaigns/pond/lifecycle", operator, json={"verb": "resume"}), 409, "lifecycle_refused")
    problem(web.post("/campaigns/pond/lifecycle", operator, json={"verb": "burn"}), 422, "invalid_request")


def test_operators_make_list_and_revoke_tokens(web: Web, operator: str):
    made = web.post("/campaigns/pond/tokens", operator, json={"scope": "camp", "camp": "east", "label": "shore"})
    assert (201, "no-store") == (made.status_code, made.headers["cache-control"])
    secret, token_id = made.json()["secret"], made.json()["id"]
    listed = web.get("/campaigns/pond/tokens", operator)
    assert token_id in [one["id"] for one in listed.json()["tokens"]]
    assert secret not in listed.text
    assert 200 == web.get("/campaigns/pond", secret).status_code
    assert 204 == web.delete(f"/campaigns/pond/tokens/{token_id}", operator).status_code
    problem(web.get("/campaigns/pond", secret), 404, "unknown_campaign")
    problem(web.delete(f"/campaigns/pond/tokens/{token_id}", operator), 404, "unknown_token")


def test_a_bad_token_names_its_field(web: Web, operator: str):
    bad = web.post("/campaigns/pond/tokens", operator, json={"scope": "camp", "camp": "north"})
    (error,) = problem(bad, 422, "invalid_request")["errors"]
    assert ("camp", "east or west") == (error["field"], error["accepted"])


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/campaigns/pond"),
        ("POST", "/campaigns/pond/lifecycle"),
        ("POST", "/campaigns/pond/tokens"),
        ("GET", "/campaigns/pond/tokens"),
        ("DELETE", "/campaigns/pond/tokens/x"),
        ("POST", "/campaigns/pond/orders"),
        ("POST", "/campaigns/pond/orders:check"),
        ("GET", "/campaigns/pond/orders"),
        ("GET", "/campaigns/pond/orders/x"),
        ("PUT", "/campaigns/pond/orders/x"),
        ("DELETE", "/campaigns/pond/orders/x"),
        ("PUT", "/campaigns/pond/ready"),
        ("DELETE", "/campaigns/pond/ready"),
        ("GET", "/campaigns/pond/ticks/1"),
        ("POST", "/campaigns/pond/ticks/1:close"),
        ("POST", "/campaigns/pond/ticks/1:retry"),
        ("GET", "/campaigns/pond/ticks/1/commitment"),
        ("GET", "/campaigns/pond/ticks/1/seed"),
        ("GET", "/campaigns/pond/reports"),
        ("GET", "/campaigns/pond/reports:stream"),
        ("GET", "/campaigns/pond/view"),
    ],
)
def test_without_a_token_that_opens_it_a_campaign_is_not_there(web: Web, method: str, path: str):
    """No token, one that is unknown, and one of another campaign get the answer of a campaign that doesn't exist."""
    web.found("other")
    strangers = ["", "tocsin_nonsense", web.token("other", "operator"), web.token("other", "camp", camp="east")]
    absent = web.ask(method, path.replace("pond", "nowhere"), strangers[2], json={})
    wanted = problem(absent, 404, "unknown_campaign")
    for token in strangers:
        found = problem(web.ask(method, path, token, json={}), 404, "unknown_campaign")
        assert {**wanted, "detail": wanted["detail"].replace("nowhere", "pond")} == found


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/campaigns/pond/lifecycle"),
        ("POST", "/campaigns/pond/tokens"),
        ("GET", "/campaigns/pond/tokens"),
        ("DELETE", "/campaigns/pond/tokens/x"),
        ("POST", "/campaigns/pond/ticks/1:close"),
        ("POST", "/campaigns/pond/ticks/1:retry"),
    ],
)
def test_what_operators_do_players_may_not(web: Web, east: str, pat: str, method: str, path: str):
    for token in (east, pat):
        problem(web.ask(method, path, token, json={}), 403, "forbidden_scope")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/campaigns/pond/orders"),
        ("POST", "/campaigns/pond/orders:check"),
        ("GET", "/campaigns/pond/orders"),
        ("GET", "/campaigns/pond/orders/x"),
        ("PUT", "/campaigns/pond/orders/x"),
        ("DELETE", "/campaigns/pond/orders/x"),
        ("PUT", "/campaigns/pond/ready"),
    ],
)
def test_what_players_do_operators_may_not(web: Web, operator: str, method: str, path: str):
    for token in (operator, web.admin):
        problem(web.ask(method, path, token, json={"kind": "fish", "boat": "anna"}), 403, "forbidden_scope")
