"""Orders over HTTP: receipts, results, problems, and requests that are safe to send again."""

import asyncio
import json
from typing import Any

import pytest

from tests.api.web import Web, problem

ANNA = {"kind": "fish", "boat": "anna"}
BERT = {"kind": "fish", "boat": "bert"}
CARL = {"kind": "fish", "boat": "carl"}
ORDERS = "/campaigns/pond/orders"


def test_a_single_order_is_answered_with_its_receipt(web: Web, east: str):
    sent = web.post(ORDERS, east, json=ANNA)
    got = sent.json()
    assert (201, f"/v1{ORDERS}/{got['id']}") == (sent.status_code, sent.headers["location"])
    assert ("booked", 1, 1, 0) == (got["status"], got["revision"], got["tick"], got["checked_on"])


def test_a_refused_order_is_a_problem_with_its_field_and_words(web: Web, east: str):
    document = problem(web.post(ORDERS, east, json=CARL), 422, "order_refused")
    (error,) = document["errors"]
    assert ("boat", "unknown_boat", "There is no boat carl.") == (error["field"], error["code"], error["problem"])
    assert {"boat": "carl"} == error["values"]
    assert document["detail"] == error["problem"]


def test_words_come_in_the_clients_language(web: Web, east: str):
    by_header = web.post(ORDERS, east, json=CARL, headers={"Accept-Language": "fr-BE, en;q=0.5"})
    by_name = web.post(f"{ORDERS}?lang=fr", east, json=CARL)
    assert ["Aucun bateau carl."] * 2 == [answer.json()["detail"] for answer in (by_header, by_name)]
    (error,) = problem(web.post(f"{ORDERS}?lang=de", east, json=ANNA), 422, "invalid_request")["errors"]
    assert ("lang", "en or fr") == (error["field"], error["accepted"])


def test_one_bad_order_in_a_batch_stops_no_other(web: Web, east: str):
    sent = web.post(ORDERS, east, json={"orders": [ANNA, CARL, {"kind": "sing"}, BERT]})
    assert 200 == sent.status_code
    results = sent.json()["results"]
    assert ["booked", "refused", "refused", "booked"] == [result["status"] for result in results]
    assert [("unknown_boat", "illegal"), ("invalid_order", "invalid")] == [
        (refusal["code"], refusal["family"]) for result in results[1:3] for refusal in result["refusals"]
    ]
    assert all(refusal["text"] for result in results[1:3] for refusal in result["refusals"])


def test_an_atomic_batch_with_a_bad_order_is_a_problem_and_books_nothing(web: Web, east: str):
    sent = web.post(ORDERS, east, json={"orders": [ANNA, CARL], "atomic": True})
    errors = problem(sent, 422, "batch_refused")["errors"]
    assert [("orders[0]", "not_booked"), ("orders[1].boat", "unknown_boat")] == [
        (error["field"], error["code"]) for error in errors
    ]
    assert [] == web.get(ORDERS, east).json()["orders"]


def test_the_same_request_again_gets_the_same_bytes(web: Web, east: str):
    sent = {"json": {"orders": [ANNA, CARL]}, "headers": {"Idempotency-Key": "k"}}
    first, again = web.post(ORDERS, east, **sent), web.post(ORDERS, east, **sent)
    assert first.content == again.content
    assert (None, "true") == (first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed"))
    assert 1 == len(web.get(ORDERS, east).json()["orders"])
    web.play("pond")
    assert first.content == web.post(ORDERS, east, **sent).content
    other = web.post(ORDERS, east, json=ANNA, headers={"Idempotency-Key": "k"})
    problem(other, 422, "idempotency_conflict")


def test_a_single_order_again_gets_the_same_receipt(web: Web, east: str):
    sent = {"json": ANNA, "headers": {"Idempotency-Key": "k"}}
    first, again = web.post(ORDERS, east, **sent), web.post(ORDERS, east, **sent)
    assert (201, first.content) == (again.status_code, again.content)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"kind":"fish","boat":"anna","lines":NaN}',
        b'{"kind":"fish","boat":"anna","lines":Infinity}',
        b'{"kind":"fish",}',
        b"{'kind':'fish'}",
        b'{"orders":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b"\xff\xfe{}",
    ],
)
def test_malformed_json_is_told_as_such(web: Web, east: str, body: bytes):
    for method, path in (("POST", ORDERS), ("POST", f"{ORDERS}:check"), ("PUT", f"{ORDERS}/x")):
        problem(web.ask(method, path, east, content=body), 400, "malformed_json")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ([], "invalid_request", ""),
        (7, "invalid_request", ""),
        ({"orders": {}}, "invalid_request", "orders"),
        ({"orders": []}, "invalid_request", "orders"),
        ({"orders": [ANNA], "atomic": "yes"}, "invalid_request", "atomic"),
        ({"orders": [ANNA], "for_tick": "next"}, "invalid_request", "for_tick"),
        ({"orders": [ANNA], "when": 1}, "invalid_request", "when"),
        ({"orders": [ANNA] * 1_001}, "batch_too_large", "orders"),
        ({}, "order_invalid", "kind"),
        ({"kind": "fish", "boat": ["anna"]}, "order_invalid", "boat"),
        ({"kind": "fish", "boat": "anna", "lines": 2.5}, "order_invalid", "lines"),
    ],
)
def test_a_wrong_type_or_size_names_its_field(web: Web, east: str, body: Any, code: str, field: str):
    document = problem(web.post(ORDERS, east, json=body), 422, code)
    assert field == document["errors"][0]["field"]


def test_a_batch_of_a_thousand_orders_is_taken(web: Web, east: str):
    results = web.post(ORDERS, east, json={"orders": [ANNA] * 1_000}).json()["results"]
    assert 1_000 == len(results)
    assert 2 == sum(result["status"] == "booked" for result in results)


def test_too_large_a_body_is_refused_before_it_is_read(web: Web, east: str):
    whole = web.post(ORDERS, east, content=b" " * (4 << 20) + b"{}")
    problem(whole, 413, "body_too_large")


def test_a_body_of_no_stated_length_is_read_no_further_than_the_limit(web: Web, east: str):
    received = 0
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        nonlocal received
        received += 1
        return {"type": "http.request", "body": b" " * (1 << 20), "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "path": f"/v1{ORDERS}",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {east}".encode())],
    }
    asyncio.run(web.app(scope, receive, send))
    assert (413, 5) == (sent[0]["status"], received)


def test_orders_for_one_tick_only(web: Web, east: str, operator: str):
    assert 201 == web.post(f"{ORDERS}?for_tick=1", east, json=ANNA).status_code
    web.post("/campaigns/pond/ticks/1:close", operator)
    (error,) = problem(web.post(f"{ORDERS}?for_tick=1", east, json=BERT), 409, "tick_closed")["errors"]
    assert "2" == error["accepted"]
    problem(web.post(ORDERS, east, json={"orders": [BERT], "for_tick": 1}), 409, "tick_closed")
    problem(web.post(f"{ORDERS}?for_tick=2", east, json={"orders": [BERT]}), 422, "invalid_request")
    problem(web.post(f"{ORDERS}?for_tick=soon", east, json=BERT), 422, "invalid_request")
    assert 2 == web.post(ORDERS, east, json=BERT).json()["tick"]


def test_a_closed_campaign_takes_no_orders(web: Web, east: str, operator: str):
    web.post("/campaigns/pond/lifecycle", operator, json={"verb": "end"})
    problem(web.post(ORDERS, east, json=ANNA), 409, "campaign_not_open")
    problem(web.post(f"{ORDERS}", east, json={"orders": [ANNA]}), 409, "campaign_not_open")


def test_an_order_is_read_replaced_and_withdrawn(web: Web, east: str):
    path = f"{ORDERS}/{web.post(ORDERS, east, json=ANNA).json()['id']}"
    shown = web.get(path, east)
    assert ('"1"', 1) == (shown.headers["etag"], shown.json()["order"]["lines"])
    put = web.put(path, east, json={**ANNA, "lines": 3}, headers={"If-Match": '"1"'})
    assert (200, 2, '"2"') == (put.status_code, put.json()["revision"], put.headers["etag"])
    assert put.content == web.put(path, east, json={**ANNA, "lines": 3}, headers={"If-Match": '"1"'}).content
    problem(web.put(path, east, json=ANNA, headers={"If-Match": '"1"'}), 412, "revision_conflict")
    problem(web.put(path, east, json=ANNA, headers={"If-Match": "one"}), 422, "invalid_request")
    problem(web.put(path, east, json=CARL), 422, "order_refused")
    problem(web.delete(path, east, headers={"If-Match": '"1"'}), 412, "revision_conflict")
    assert [204, 204] == [web.delete(path, east).status_code for _ in range(2)]
    problem(web.put(path, east, json=ANNA), 409, "order_withdrawn")
    assert "withdrawn" == web.get(path, east).json()["status"]


def test_after_the_close_orders_stand(web: Web, east: str, operator: str):
    path = f"{ORDERS}/{web.post(ORDERS, east, json=ANNA).json()['id']}"
    web.post("/campaigns/pond/ticks/1:close", operator)
    assert "closed" == web.get(path, east).json()["status"]
    problem(web.put(path, east, json=BERT), 409, "tick_closed")
    problem(web.delete(path, east), 409, "tick_closed")


def test_another_camps_order_and_no_order_are_the_same_to_a_reader(web: Web, east: str, west: str):
    mine = web.post(ORDERS, east, json=ANNA).json()["id"]
    none = "a" * 26
    for method in ("GET", "DELETE", "PUT"):
        theirs = problem(web.ask(method, f"{ORDERS}/{mine}", west, json=CARL), 404, "unknown_order")
        absent = problem(web.ask(method, f"{ORDERS}/{none}", west, json=CARL), 404, "unknown_order")
        assert json.dumps(theirs).replace(mine, none) == json.dumps(absent)


def test_an_actor_sends_for_its_entities_alone(web: Web, pat: str):
    assert 201 == web.post(ORDERS, pat, json=BERT).status_code
    foreign = problem(web.post(ORDERS, pat, json=ANNA), 422, "order_refused")
    absent = problem(web.post(ORDERS, pat, json={**ANNA, "boat": "zzzz"}), 422, "order_refused")
    assert json.dumps(foreign).replace("anna", "zzzz") == json.dumps(absent)


def test_a_dry_run_shows_costs_and_odds_and_books_nothing(web: Web, east: str):
    sent = web.post(f"{ORDERS}:check", east, json={"orders": [{**ANNA, "lines": 2}, CARL]})
    good, bad = sent.json()["results"]
    assert (True, "3/4", "full") == (good["would_book"], good["odds"]["success"], good["odds"]["basis"])
    assert {"meter": "oil", "amount": 2, "used": 0, "limit": 5, "left": 3} in good["costs"]
    assert (False, None, "There is no boat carl.") == (bad["would_book"], bad["odds"], bad["refusals"][0]["text"])
    assert [] == web.get(ORDERS, east).json()["orders"]
    single = web.post(f"{ORDERS}:check", east, json=ANNA).json()["results"]
    assert 1 == len(single)


def test_a_list_comes_in_pages(web: Web, east: str):
    sent = [web.post(ORDERS, east, json=order).json()["id"] for order in (ANNA, BERT, ANNA)]
    found: list[str] = []
    after = ""
    while True:
        page = web.get(f"{ORDERS}?limit=1&after={after}", east).json()
        found += [one["id"] for one in page["orders"]]
        after = page["next"]
        if not after:
            break
    assert sorted(sent) == sorted(found)
    problem(web.get(f"{ORDERS}?after=nowhere", east), 422, "invalid_request")
    problem(web.get(f"{ORDERS}?limit=0", east), 422, "invalid_request")
    problem(web.get(f"{ORDERS}?limit=9999", east), 422, "invalid_request")


def test_answers_hold_nothing_of_other_peoples_orders(web: Web, east: str, west: str):
    """K8: the answer to an order is the same whatever the other camp has sent."""
    before = web.post(f"{ORDERS}:check", east, json=ANNA).content
    web.post(ORDERS, west, json={"kind": "fish", "boat": "dora"})
    assert before == web.post(f"{ORDERS}:check", east, json=ANNA).content
