"""Limits over HTTP: the last one allowed passes, the next one is refused with its code and what would be accepted."""

from collections.abc import Callable
from typing import Any, cast

import pytest

from tests.api.web import Response, Web, problem
from workers.store.commands import Commands
from workers.store.intake import sender_count
from workers.store.keys import founded_key, requests_key, streams_key
from workers.store.tokens import digest_of

Serving = Callable[..., Web]
LONG_MS = 600_000
ANNA, BERT = {"kind": "fish", "boat": "anna"}, {"kind": "fish", "boat": "bert"}


def commands(web: Web) -> Any:
    return cast(Any, web.world.services.store.client)


def begin_window(web: Web, token: str) -> None:
    """Begin a token's window now, and a long one: a slow machine must not end it in the middle of a test."""
    commands(web).set(requests_key(digest_of(token)), 0, px=LONG_MS)


def refused(response: Response, status: int, code: str, accepted: str) -> Response:
    document = problem(response, status, code)
    assert [accepted] == [one["accepted"] for one in document["errors"]]
    return response


def test_the_last_request_of_a_second_passes_and_the_next_one_is_told_when_to_come_again(serving: Serving):
    web = serving(requests_token_second_max=3)
    begin_window(web, web.admin)
    left = [web.get("/campaigns", web.admin) for _ in range(3)]
    assert [200, 200, 200] == [one.status_code for one in left]
    assert [("3", "2"), ("3", "1"), ("3", "0")] == [
        (one.headers["ratelimit-limit"], one.headers["ratelimit-remaining"]) for one in left
    ]
    over = refused(web.get("/campaigns", web.admin), 429, "too_many_requests", "at most 3 in a second")
    assert 0 < int(over.headers["retry-after"]) <= LONG_MS // 1_000
    assert (over.headers["retry-after"], "0") == (over.headers["ratelimit-reset"], over.headers["ratelimit-remaining"])
    commands(web).delete(requests_key(digest_of(web.admin)))  # what the window's end does
    assert 200 == web.get("/campaigns", web.admin).status_code


def test_a_window_that_ends_lets_the_token_in_again(serving: Serving):
    """The server's own clock ends it: asked again and again, the token is refused and then let in."""
    web = serving(requests_token_second_max=1)
    statuses: list[int] = []
    while statuses[-2:] != [429, 200] and len(statuses) < 100_000:
        statuses.append(web.get("/campaigns", web.admin).status_code)
    assert [429, 200] == statuses[-2:]


def test_requests_of_one_token_are_no_other_token_s(serving: Serving):
    web = serving(requests_token_second_max=4)
    web.found("pond")
    east = web.token("pond", "camp", camp="east")
    begin_window(web, east)
    for _ in range(4):
        assert 200 == web.get("/campaigns/pond", east).status_code
    problem(web.get("/campaigns/pond", east), 429, "too_many_requests")
    begin_window(web, web.admin)
    assert 200 == web.get("/campaigns/pond", web.admin).status_code


def test_an_unknown_secret_is_held_to_the_same_limit_and_told_the_same(serving: Serving):
    web = serving(requests_token_second_max=1)
    begin_window(web, "tocsin_unknown")
    problem(web.get("/campaigns/pond", "tocsin_unknown"), 404, "unknown_campaign")
    problem(web.get("/campaigns/pond", "tocsin_unknown"), 429, "too_many_requests")


def test_requests_without_a_token_are_told_of_no_limit(bare: Web):
    for response in (bare.get("/health"), bare.get("/openapi.json"), bare.get("/campaigns/pond")):
        assert not any(name.startswith("ratelimit") for name in response.headers)


def test_the_last_campaign_of_a_token_is_founded_and_the_next_one_is_not(serving: Serving):
    web = serving(campaigns_token_max=2)
    for name in ("one", "two"):
        web.found(name)
    third = {"campaign": "three", "rulebook": "lake"}
    over = refused(web.post("/campaigns", web.admin, json=third), 409, "too_many_campaigns", "at most 2")
    assert "retry-after" not in over.headers  # time alone heals it not
    assert ["one", "two"] == web.get("/campaigns", web.admin).json()["campaigns"]
    web.post("/campaigns/one/lifecycle", web.admin, json={"verb": "end"})
    assert 201 == web.post("/campaigns", web.admin, json=third).status_code
    problem(web.post("/campaigns", web.admin, json={**third, "campaign": "four"}), 409, "too_many_campaigns")


def test_another_token_has_campaigns_of_its_own(serving: Serving):
    web = serving(campaigns_token_max=1)
    web.found("one")
    other = web.world.face.access.create_admin("other").secret
    assert 201 == web.post("/campaigns", other, json={"campaign": "two", "rulebook": "lake"}).status_code


def test_a_creation_that_is_sent_again_takes_no_second_place(serving: Serving):
    web = serving(campaigns_token_max=1)
    plan = {"campaign": "one", "rulebook": "lake"}
    answers = [web.post("/campaigns", web.admin, json=plan, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert [201, 201] == [one.status_code for one in answers]
    assert "true" == answers[1].headers["idempotency-replayed"]


@pytest.mark.parametrize(
    ("plan", "status"),
    [({"campaign": "one", "rulebook": "lake", "slices": 3}, 422), ({"campaign": "taken", "rulebook": "lake"}, 409)],
)
def test_a_creation_that_is_refused_gives_its_place_back(serving: Serving, plan: dict[str, Any], status: int):
    web = serving(campaigns_token_max=1)
    other = web.world.face.access.create_admin("other").secret
    assert 201 == web.post("/campaigns", other, json={"campaign": "taken", "rulebook": "lake"}).status_code
    assert status == web.post("/campaigns", web.admin, json=plan).status_code
    assert 0 == commands(web).exists(founded_key(digest_of(web.admin)))
    assert 201 == web.post("/campaigns", web.admin, json={"campaign": "one", "rulebook": "lake"}).status_code


def test_a_token_that_replaces_another_has_founded_what_that_one_had(serving: Serving):
    web = serving(campaigns_token_max=1)
    web.found("one")
    made = web.post(f"/tokens/{digest_of(web.admin)}:rotate", web.admin)
    assert 201 == made.status_code, made.text
    plan = {"campaign": "two", "rulebook": "lake"}
    problem(web.post("/campaigns", made.json()["secret"], json=plan), 409, "too_many_campaigns")


def test_a_stream_past_the_token_s_last_one_is_refused_until_a_lease_runs_out(serving: Serving):
    web = serving(streams_token_max=1)
    web.found("pond")
    east = web.token("pond", "camp", camp="east")
    owner, path = digest_of(east), "/campaigns/pond/reports:stream"
    web.world.services.store.limits.open_stream(owner, "another process's", for_ms=LONG_MS, most=1)
    over = refused(web.get(path, east), 429, "too_many_streams", "at most 1")
    assert 0 < int(over.headers["retry-after"]) <= LONG_MS // 1_000
    now_ms = web.world.services.store.heads.server_time_ms()
    commands(web).zadd(streams_key(owner), {"another process's": now_ms})  # it was killed: its lease runs out
    assert "" != web.world.face.limits.open_stream(owner)
    problem(web.get(path, east), 429, "too_many_streams")


def test_the_last_order_of_a_sender_in_a_tick_is_booked_and_the_next_one_is_not(serving: Serving):
    web = serving(orders_actor_tick_max=1)
    web.found("pond")
    east, pat = (
        web.token("pond", "camp", camp="east"),
        web.token("pond", "actor", camp="east", actor="pat", entities=["bert"]),
    )
    first = web.post("/campaigns/pond/orders", east, json=ANNA)
    assert 201 == first.status_code
    (why,) = problem(web.post("/campaigns/pond/orders", east, json=BERT), 422, "order_refused")["errors"]
    assert ("actor_full", "at most 1 live orders", {"limit": 1}) == (why["code"], why["accepted"], why["values"])
    assert 201 == web.post("/campaigns/pond/orders", pat, json=BERT).status_code
    assert 200 == web.put(f"/campaigns/pond/orders/{first.json()['id']}", east, json={**ANNA, "lines": 2}).status_code
    assert 204 == web.delete(f"/campaigns/pond/orders/{first.json()['id']}", east).status_code
    assert 201 == web.post("/campaigns/pond/orders", east, json=ANNA).status_code


def test_a_camp_that_withdraws_its_actor_s_order_gives_that_actor_a_place_back(serving: Serving):
    web = serving(orders_actor_tick_max=1)
    web.found("pond")
    east = web.token("pond", "camp", camp="east")
    pat = web.token("pond", "actor", camp="east", actor="pat", entities=["bert"])
    sent = web.post("/campaigns/pond/orders", pat, json=BERT).json()["id"]
    assert 204 == web.delete(f"/campaigns/pond/orders/{sent}", east).status_code
    assert 201 == web.post("/campaigns/pond/orders", pat, json=BERT).status_code
    counts = cast(Commands, web.world.services.store.client).hgetall("tocsin:{pond}:counts:1")
    assert b"1" == counts[sender_count("east", "pat").encode()]
    assert sender_count("east", "east").encode() not in counts


def test_the_last_batch_allowed_passes_and_one_order_more_is_refused(serving: Serving):
    web = serving(batch_orders_max=2)
    web.found("pond")
    east = web.token("pond", "camp", camp="east")
    for path in ("/campaigns/pond/orders", "/campaigns/pond/orders:check"):
        assert 200 == web.post(path, east, json={"orders": [ANNA, BERT]}).status_code
        refused(web.post(path, east, json={"orders": [ANNA, BERT, ANNA]}), 422, "batch_too_large", "1..2")


def body_of(size: int) -> bytes:
    """An order of so many bytes: spaces are no part of what it says."""
    start = b'{"kind":"fish","boat":"anna"'
    return start + b" " * (size - len(start) - 1) + b"}"


@pytest.mark.parametrize("announced", [True, False])
def test_the_largest_body_allowed_is_read_and_a_byte_more_is_not(serving: Serving, announced: bool):
    web = serving(body_bytes_max=1_024)
    web.found("pond")
    east = web.token("pond", "camp", camp="east")

    def send(size: int) -> Response:
        body = body_of(size)
        return web.post("/campaigns/pond/orders:check", east, content=body if announced else iter([body]))

    assert 200 == send(1_024).status_code
    refused(send(1_025), 413, "body_too_large", "at most 1024 bytes")


def test_a_scenario_s_body_has_a_limit_of_its_own(serving: Serving):
    web = serving(body_bytes_max=1_024, scenario_bytes_max=2_048)
    plan = b'{"campaign":"pond","rulebook":"lake"'
    fits = plan + b" " * (2_048 - len(plan) - 1) + b"}"
    assert 201 == web.post("/campaigns", web.admin, content=fits).status_code
    refused(web.post("/campaigns", web.admin, content=fits + b" "), 413, "body_too_large", "at most 2048 bytes")


def test_a_tick_s_last_order_is_booked_and_the_next_one_is_not(serving: Serving):
    web = serving(orders_tick_max=1)
    web.found("pond")
    east = web.token("pond", "camp", camp="east")
    assert 201 == web.post("/campaigns/pond/orders", east, json=ANNA).status_code
    (why,) = problem(web.post("/campaigns/pond/orders", east, json=BERT), 422, "order_refused")["errors"]
    assert "tick_full" == why["code"]
