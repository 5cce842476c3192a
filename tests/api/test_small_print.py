"""What a client reads closely: what is blamed, what would be accepted, what is taken for a number."""

import pytest

from tests.api.web import Web, problem

FISH = {"kind": "fish", "boat": "anna"}


@pytest.mark.parametrize("text", ["2_0", "+2", " 2", "2.0", "0x2", "\u0662", "1e1", ""])
def test_a_tick_in_a_query_is_decimal_digits(web: Web, east: str, text: str):
    answer = web.post("/campaigns/pond/orders", east, json=FISH, params={"for_tick": text})
    (error,) = problem(answer, 422, "invalid_request")["errors"]
    assert "for_tick" in error["field"]


def test_a_tick_in_a_query_is_taken(web: Web, east: str):
    assert 201 == web.post("/campaigns/pond/orders", east, json=FISH, params={"for_tick": "1"}).status_code


@pytest.mark.parametrize("bound", [-1, 1_000_001, 1 << 60])
def test_a_seed_is_revealed_within_a_bound(bare: Web, bound: int):
    plan = {"campaign": "late", "rulebook": "lake", "policy": {"reveal_after": bound}}
    (error,) = problem(bare.post("/campaigns", bare.admin, json=plan), 422, "invalid_request")["errors"]
    assert "reveal_after" in error["field"] + error["problem"]


def test_the_bound_itself_is_taken(bare: Web):
    bare.found("late", policy={"reveal_after": 1_000_000})


@pytest.mark.parametrize("path", ["/health"])
def test_health_is_told_without_a_body(bare: Web, path: str):
    answer = bare.ask("HEAD", path)
    assert (200, b"") == (answer.status_code, answer.content)


@pytest.mark.parametrize(
    ("route", "body", "field", "accepted"),
    [
        ("/campaigns/pond/tokens", {"scope": "boss"}, "scope", "admin or operator or camp or actor"),
        ("/campaigns/pond/lifecycle", {"verb": "explode"}, "verb", "open or pause or resume or end"),
    ],
)
def test_a_value_that_is_none_of_a_few_is_told_the_few(
    web: Web, operator: str, route: str, body: dict[str, str], field: str, accepted: str
):
    (error,) = problem(web.post(route, operator, json=body), 422, "invalid_request")["errors"]
    assert field == error["field"]
    assert set(accepted.split(" or ")) <= set(error["accepted"].split(" or ")) | {"admin"}


def test_the_header_that_names_no_place_is_blamed_itself(web: Web, east: str):
    headers = {"Last-Event-ID": "yesterday"}
    answer = web.get("/campaigns/pond/reports:stream", east, headers=headers)
    assert "Last-Event-ID" == problem(answer, 422, "invalid_request")["errors"][0]["field"]
    other = web.get("/campaigns/pond/reports:stream?after=yesterday", east)
    assert "after" == problem(other, 422, "invalid_request")["errors"][0]["field"]


@pytest.mark.parametrize("drop", [[], ["a" * 26], ["no id"]])
def test_a_published_tick_is_not_retryable_whatever_is_to_be_dropped(web: Web, operator: str, drop: list[str]):
    web.play("pond")
    for tick in ("1", "2"):
        problem(web.post(f"/campaigns/pond/ticks/{tick}:retry", operator, json={"drop": drop}), 409, "not_retryable")
    problem(web.post("/campaigns/pond/ticks/9:retry", operator, json={"drop": drop}), 404, "unknown_tick")


def test_a_key_counts_the_query_in(web: Web, east: str):
    headers = {"Idempotency-Key": "once"}
    one = web.post("/campaigns/pond/orders", east, json=FISH, headers=headers)
    other = web.post("/campaigns/pond/orders", east, json=FISH, headers=headers, params={"for_tick": "1"})
    assert 201 == one.status_code
    problem(other, 422, "idempotency_conflict")
