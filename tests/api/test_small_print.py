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


@pytest.mark.parametrize(
    "after", ["5" * 5_000 + ".1", "1." + "6" * 6_000, "99.1", "1", ".", "1.2.3", "\u0661.1", " 1.1", "1.1\n", "-1.1"]
)
def test_a_place_in_the_list_of_orders_that_is_none_is_told_what_is(web: Web, east: str, after: str):
    answer = web.get("/campaigns/pond/orders", east, params={"after": after})
    (error,) = problem(answer, 422, "invalid_request")["errors"]
    assert ("after", "the `next` of a page, or nothing") == (error["field"], error["accepted"])
    assert len(answer.content) < 600


@pytest.mark.parametrize("digits", ["9" * 30, "9" * 5_000])
def test_a_length_that_no_number_holds_is_a_body_too_large(web: Web, east: str, digits: str):
    answer = web.post("/campaigns/pond/orders", east, content=b"{}", headers={"Content-Length": digits})
    problem(answer, 413, "body_too_large")


@pytest.mark.parametrize("digits", ["9" * 30, "9" * 5_000])
@pytest.mark.parametrize(
    ("method", "path", "field"),
    [
        ("GET", "/campaigns/pond/orders?limit={}", "limit"),
        ("GET", "/campaigns/pond/view?limit={}", "limit"),
        ("GET", "/campaigns/pond/reports?after={}", "after"),
        ("GET", "/campaigns/pond/reports?pages={}", "pages"),
        ("GET", "/campaigns/pond/reports?wait_s={}", "wait_s"),
        ("POST", "/campaigns/pond/orders?for_tick={}", "for_tick"),
        ("POST", "/campaigns/pond/orders:check?for_tick={}", "for_tick"),
    ],
)
def test_a_number_without_end_is_refused_with_what_would_be_accepted(
    web: Web, east: str, method: str, path: str, field: str, digits: str
):
    answer = web.ask(method, path.format(digits), east, json=FISH if method == "POST" else None)
    (error,) = problem(answer, 422, "invalid_request")["errors"]
    assert field == error["field"]
    assert error["accepted"]


@pytest.mark.parametrize("number", [-1, 1 << 60, 10**30, 10**400])
@pytest.mark.parametrize("verb", ["orders", "orders:check"])
def test_a_batch_for_a_tick_that_no_campaign_has_is_refused(web: Web, east: str, verb: str, number: int):
    answer = web.post(f"/campaigns/pond/{verb}", east, json={"orders": [FISH], "for_tick": number})
    (error,) = problem(answer, 422, "invalid_request")["errors"]
    assert ("for_tick", True) == (error["field"], bool(error["accepted"]))


@pytest.mark.parametrize(
    ("route", "body", "field", "accepted"),
    [
        (
            "/campaigns/pond/tokens",
            {"scope": "operator", "rank": 1},
            "rank",
            "scope or camp or actor or entities or label",
        ),
        ("/campaigns/pond/tokens", {}, "scope", "actor or admin or camp or operator"),
        ("/campaigns/pond/lifecycle", {}, "verb", "end or open or pause or resume"),
        ("/campaigns/pond/lifecycle", {"verb": "open", "a.b": 1}, "a.b", "verb"),
        ("/campaigns", {"rulebook": "lake"}, "campaign", "a text"),
        (
            "/campaigns",
            {"campaign": "a", "rulebook": "lake", "schedule": {"x": 1}},
            "schedule.x",
            "interval_s or cron or time_zone or when_ready",
        ),
        ("/campaigns/pond/orders:check", {"orders": [], "x": 1}, "x", "orders or for_tick or atomic"),
        (
            "/campaigns/pond/orders:check",
            {"orders": [], "for_tick": 10**30},
            "for_tick",
            "a whole number >= 0 and <= 9007199254740992 or null",
        ),
    ],
)
def test_a_field_that_is_missing_or_unknown_is_told_what_would_be_accepted(
    web: Web, east: str, route: str, body: dict[str, object], field: str, accepted: str
):
    token = east if "orders" in route else web.admin
    (error,) = problem(web.post(route, token, json=body), 422, "invalid_request")["errors"]
    assert (field, accepted) == (error["field"], error["accepted"])


@pytest.mark.parametrize(
    ("order", "field", "accepted"),
    [
        ('{"kind": "fish"}', "boat", "a text"),
        ('{"kind": "fish", "boat": "anna", "bait": 1}', "bait", "kind or boat or lines or depth"),
        ('{"kind": "haul", "boats": "anna"}', "boats", "an array of length >= 1"),
        ('{"kind": "fish", "kind": "haul", "boat": "anna"}', "kind", "fish or escort or haul, once"),
    ],
)
def test_an_orders_field_is_told_what_would_be_accepted(web: Web, east: str, order: str, field: str, accepted: str):
    (error,) = problem(web.post("/campaigns/pond/orders", east, content=order), 422, "order_invalid")["errors"]
    assert (field, accepted) == (error["field"], error["accepted"])


def test_a_kind_that_is_given_twice_is_blamed_for_that(web: Web, east: str):
    answer = web.post("/campaigns/pond/orders", east, content='{"kind": "fish", "kind": "haul", "boat": "anna"}')
    (error,) = problem(answer, 422, "order_invalid")["errors"]
    assert "twice" in error["problem"]


@pytest.mark.parametrize(
    ("schedule", "field", "accepted"),
    [
        ({"interval_s": -1}, "schedule.interval_s", "0 (none) or seconds"),
        ({"interval_s": 60, "cron": "* * * * *"}, "schedule", "one of them, or none"),
    ],
)
def test_a_schedule_is_named_once(bare: Web, schedule: dict[str, object], field: str, accepted: str):
    plan = {"campaign": "late", "rulebook": "lake", "schedule": schedule}
    found = problem(bare.post("/campaigns", bare.admin, json=plan), 422, "invalid_request")
    (error,) = found["errors"]
    assert (field, accepted) == (error["field"], error["accepted"])
    assert 1 == found["detail"].count("schedule")
    assert 1 == found["detail"].count("accepted")


WHOLE = "a whole number in decimal digits from"


@pytest.mark.parametrize(
    ("method", "path", "field", "accepted"),
    [
        ("GET", "/campaigns/pond/orders?limit=x", "limit", f"{WHOLE} 1 to 1000"),
        ("GET", "/campaigns/pond/orders?limit=2_0", "limit", f"{WHOLE} 1 to 1000"),
        ("GET", "/campaigns/pond/orders?limit=0", "limit", f"{WHOLE} 1 to 1000"),
        ("GET", "/campaigns/pond/view?limit=1001", "limit", f"{WHOLE} 1 to 1000"),
        ("GET", "/campaigns/pond/view?after=" + "a" * 257, "after", "a text of at most 256 characters"),
        ("GET", "/campaigns/pond/reports?pages=no", "pages", f"{WHOLE} 1 to 1000000"),
        ("GET", "/campaigns/pond/reports?wait_s=nan", "wait_s", "a number from 0 to 60"),
        ("POST", "/campaigns/pond/orders?for_tick=x", "for_tick", f"{WHOLE} 0 to 9007199254740992"),
    ],
)
def test_a_parameter_is_told_what_would_be_accepted(
    web: Web, east: str, method: str, path: str, field: str, accepted: str
):
    (error,) = problem(web.ask(method, path, east, json=FISH if method == "POST" else None), 422, "invalid_request")[
        "errors"
    ]
    assert (field, accepted) == (error["field"], error["accepted"])
    assert "Value error" not in error["problem"]


@pytest.mark.parametrize(
    ("method", "path", "accepted"),
    [
        ("GET", "/campaigns/pond/orders", "after or limit"),
        ("POST", "/campaigns/pond/orders", "for_tick or lang"),
        ("GET", "/campaigns/pond", "no parameter"),
        ("GET", "/campaigns/pond/reports", "camp or after or wait_s or pages or lang"),
        ("DELETE", "/campaigns/pond/orders/x", "no parameter"),
        ("POST", "/campaigns", "no parameter"),
        ("GET", "/ready", "no parameter"),
    ],
)
def test_a_parameter_that_no_route_has_is_refused(web: Web, east: str, method: str, path: str, accepted: str):
    answer = web.ask(method, path, east, params={"fortick": "7"}, json=FISH if method == "POST" else None)
    (error,) = problem(answer, 422, "invalid_request")["errors"]
    assert ("fortick", accepted) == (error["field"], error["accepted"])


@pytest.mark.parametrize("path", ["/campaigns/pond/orders", "/campaigns"])
def test_a_key_that_is_there_and_empty_is_refused(web: Web, east: str, path: str):
    token = east if "orders" in path else web.admin
    body = FISH if "orders" in path else {"campaign": "late", "rulebook": "lake"}
    answer = web.post(path, token, json=body, headers={"Idempotency-Key": ""})
    (error,) = problem(answer, 422, "invalid_request")["errors"]
    assert ("Idempotency-Key", True) == (error["field"], "1 to 255 printable" in error["accepted"])


@pytest.mark.parametrize("label", ["a\x1b[31m", "a\nb", "\x00", "x" * 65])
def test_a_label_is_printable(web: Web, operator: str, label: str):
    answer = web.post("/campaigns/pond/tokens", operator, json={"scope": "operator", "label": label})
    (error,) = problem(answer, 422, "invalid_request")["errors"]
    assert ("label", "at most 64 printable characters") == (error["field"], error["accepted"])
