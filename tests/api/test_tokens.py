"""Tokens over HTTP: shown once, replaced with or without an overlap, revoked at once."""

from typing import Any

import pytest

from tests.api.web import Web, problem
from workers.store.tokens import digest_of

POND = "/campaigns/pond"


def rotate(web: Web, token: str, secret: str, campaign: str = POND, **request: Any) -> Any:
    made = web.post(f"{campaign}/tokens/{digest_of(secret)}:rotate", token, **request)
    assert (201, "no-store") == (made.status_code, made.headers["cache-control"]), made.text
    return made.json()


@pytest.mark.parametrize("request_body", [{}, {"json": {}}, {"json": {"overlap_s": 0}}])
def test_a_replaced_token_ends_at_once(web: Web, operator: str, east: str, request_body: dict[str, Any]):
    made = rotate(web, operator, east, **request_body)
    assert digest_of(made["secret"]) == made["id"]
    assert 200 == web.get(POND, made["secret"]).status_code
    problem(web.get(POND, east), 404, "unknown_campaign")
    problem(web.post(f"{POND}/tokens/{digest_of(east)}:rotate", operator), 404, "unknown_token")


def test_with_an_overlap_both_work_and_the_list_tells_which_ends(web: Web, operator: str, east: str):
    made = rotate(web, operator, east, json={"overlap_s": 600})
    assert [200, 200] == [web.get(POND, secret).status_code for secret in (east, made["secret"])]
    listed = {one["id"]: one for one in web.get(f"{POND}/tokens", operator).json()["tokens"]}
    assert (True, digest_of(east)) == (listed[digest_of(east)]["ends_ms"] > 0, listed[made["id"]]["replaces"])
    problem(web.post(f"{POND}/tokens/{digest_of(east)}:rotate", operator), 409, "token_ending")
    assert 204 == web.delete(f"{POND}/tokens/{made['id']}", operator).status_code
    for secret in (east, made["secret"]):
        problem(web.get(POND, secret), 404, "unknown_campaign")


def test_an_overlap_past_the_setting_is_refused_by_its_field(web: Web, operator: str, east: str):
    path = f"{POND}/tokens/{digest_of(east)}:rotate"
    (why,) = problem(web.post(path, operator, json={"overlap_s": 86_401}), 422, "invalid_request")["errors"]
    assert ("overlap_s", "0..86400") == (why["field"], why["accepted"])
    assert 201 == web.post(path, operator, json={"overlap_s": 86_400}).status_code


def test_orders_of_a_replaced_actor_s_token_stay_its_own(web: Web, operator: str, pat: str):
    sent = web.post(f"{POND}/orders", pat, json={"kind": "fish", "boat": "bert"}).json()["id"]
    new = rotate(web, operator, pat)["secret"]
    assert 200 == web.get(f"{POND}/orders/{sent}", new).status_code
    assert 204 == web.delete(f"{POND}/orders/{sent}", new).status_code


def test_an_admin_replaces_its_own_token_and_revokes_another(web: Web):
    new = rotate(web, web.admin, web.admin, campaign="")["secret"]
    problem(web.get("/campaigns", web.admin), 401, "unauthorized")
    other = web.world.face.access.create_admin("other")
    assert {digest_of(new), other.id} == {one["id"] for one in web.get("/tokens", new).json()["tokens"]}
    assert 204 == web.delete(f"/tokens/{other.id}", new).status_code
    problem(web.get("/campaigns", other.secret), 401, "unauthorized")
    problem(web.delete(f"/tokens/{other.id}", new), 404, "unknown_token")


@pytest.mark.parametrize("token_id", ["x", "..", "%2e%2e", "0" * 63, "A" * 64, "0" * 65])
def test_what_is_no_token_s_id_is_the_id_of_none(web: Web, operator: str, token_id: str):
    for path in (f"{POND}/tokens/{token_id}", f"/tokens/{token_id}"):
        answer = web.delete(path, operator if path.startswith(POND) else web.admin)
        assert answer.status_code in (404, 405), answer.text
