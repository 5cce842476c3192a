"""Ticks over HTTP: state by scope, close, retry, readiness, commitments and seeds."""

import hashlib
from typing import Any

import pytest

from tests.api.web import Web, problem
from workers.store.records import Failure

ANNA = {"kind": "fish", "boat": "anna"}
TICKS = "/campaigns/pond/ticks"


def quarantine(web: Web) -> None:
    """Put the tick that is being resolved into quarantine."""
    head = web.world.services.campaigns.load("pond").head
    assert head.resolving is not None
    failed = web.world.services.store.ticks.fail(
        "pond", head.resolving, head.epoch, Failure("exception", "a rule broke")
    )
    assert failed


def test_a_tick_is_closed_by_the_operator_once(web: Web, operator: str):
    first, again = (web.post(f"{TICKS}/1:close", operator).json() for _ in range(2))
    assert ({"tick": 1, "now": True, "open_tick": 2}, {"tick": 1, "now": False, "open_tick": 2}) == (first, again)
    assert ["pond"] == web.woken


def test_what_cannot_close_says_what_it_waits_for(web: Web, operator: str):
    web.post(f"{TICKS}/1:close", operator)
    waiting = web.post(f"{TICKS}/2:close", operator)
    assert "still being resolved" in problem(waiting, 409, "tick_not_closable")["detail"]
    assert "1" == waiting.headers["retry-after"]
    problem(web.post(f"{TICKS}/7:close", operator), 409, "tick_not_closable")
    problem(web.post(f"{TICKS}/x:close", operator), 404, "unknown_tick")


def test_a_paused_campaign_closes_nothing(web: Web, operator: str):
    web.post("/campaigns/pond/lifecycle", operator, json={"verb": "pause"})
    problem(web.post(f"{TICKS}/current:close", operator), 409, "campaign_not_open")


def test_camps_see_status_and_phase_and_operators_everything(web: Web, operator: str, east: str, pat: str):
    web.post("/campaigns/pond/orders", east, json=ANNA)
    assert {"tick": 1, "status": "open"} == web.get(f"{TICKS}/current", east).json()
    web.post(f"{TICKS}/1:close", operator)
    for token in (east, pat):
        assert {"tick": 1, "status": "resolving", "phase": "night"} == web.get(f"{TICKS}/1", token).json()
    progress = web.get(f"{TICKS}/1", operator).json()["progress"]
    assert (1, 1, 0) == (progress["orders"], progress["shards"], progress["shards_done"])
    web.world.runtime.resolve("pond")
    shown = web.get(f"{TICKS}/1", east).json()
    assert {"tick", "status", "seal"} == shown.keys()
    record = web.get(f"{TICKS}/1", operator).json()["record"]
    assert 1 == record["orders"]
    assert ["night", "dawn"] == [phase["name"] for phase in record["phases"]]


@pytest.mark.parametrize("name", ["9", "-1", "x", "1.0", "99999999999999999", "1:close"])
def test_a_tick_that_is_not_is_unknown(web: Web, operator: str, name: str):
    problem(web.get(f"{TICKS}/{name}", operator), 404, "unknown_tick")


def test_a_failed_tick_is_shown_and_starts_again(web: Web, operator: str, east: str):
    order_id = web.post("/campaigns/pond/orders", east, json=ANNA).json()["id"]
    web.post(f"{TICKS}/1:close", operator)
    quarantine(web)
    assert ("failed", "a rule broke") == (
        (shown := web.get(f"{TICKS}/1", operator).json())["status"],
        shown["progress"]["failure"]["message"],
    )
    assert {"tick": 1, "status": "failed", "phase": "night"} == web.get(f"{TICKS}/1", east).json()
    again = web.post(f"{TICKS}/1:retry", operator, json={"drop": [order_id]})
    assert {"tick": 1, "epoch": 2} == again.json()
    assert ["pond", "pond"] == web.woken
    web.world.runtime.resolve("pond")
    facts = [fact["fact"] for fact in web.get("/campaigns/pond/reports?after=0", east).json()["facts"]]
    assert [order_id] == [fact["order"] for fact in facts if fact["event"] == "order_dropped"]


def test_only_a_failed_tick_starts_again(web: Web, operator: str):
    problem(web.post(f"{TICKS}/1:retry", operator), 409, "not_retryable")
    web.post(f"{TICKS}/1:close", operator)
    problem(web.post(f"{TICKS}/1:retry", operator, json={}), 409, "not_retryable")


@pytest.mark.parametrize("drop", [["x"], ["a" * 26], ["A" * 26]])
def test_only_orders_of_the_tick_are_dropped(web: Web, operator: str, drop: list[str]):
    web.post(f"{TICKS}/1:close", operator)
    quarantine(web)
    (error,) = problem(web.post(f"{TICKS}/1:retry", operator, json={"drop": drop}), 422, "invalid_request")["errors"]
    assert "drop[0]" == error["field"]
    assert "failed" == web.get(f"{TICKS}/1", operator).json()["status"]


def test_all_camps_ready_close_the_tick_where_the_schedule_says_so(bare: Web):
    bare.found("pond", schedule={"when_ready": True})
    east, west = (bare.token("pond", "camp", camp=camp) for camp in ("east", "west"))
    assert {"tick": 1, "ready": True, "closed": False} == bare.put("/campaigns/pond/ready", east).json()
    assert bare.get("/campaigns/pond", east).json()["ready"]
    assert {"tick": 1, "ready": False, "closed": False} == bare.delete("/campaigns/pond/ready", east).json()
    bare.put("/campaigns/pond/ready", west)
    assert [] == bare.woken
    assert {"tick": 1, "ready": True, "closed": True} == bare.put("/campaigns/pond/ready", east).json()
    assert ["pond"] == bare.woken


def test_an_actor_does_not_speak_for_its_camp(web: Web, pat: str):
    problem(web.put("/campaigns/pond/ready", pat), 403, "forbidden_scope")


def test_a_commitment_is_public_and_a_seed_hashes_to_it_once_revealed(bare: Web):
    bare.found("pond", policy={"reveal_after": 1})
    east = bare.token("pond", "camp", camp="east")
    committed = bare.get(f"{TICKS}/1/commitment", east).json()
    problem(bare.get(f"{TICKS}/3/commitment", east), 404, "not_committed")
    bare.play("pond")
    assert "tick 2 is published" in problem(bare.get(f"{TICKS}/1/seed", east), 404, "not_revealed")["detail"]
    bare.play("pond")
    revealed: dict[str, Any] = bare.get(f"{TICKS}/1/seed", east).json()
    assert committed["commitment"] == revealed["commitment"]
    assert revealed["commitment"] == hashlib.sha256(bytes.fromhex(revealed["seed"])).hexdigest()
    problem(bare.get(f"{TICKS}/2/seed", east), 404, "not_revealed")


def test_no_seed_is_in_any_answer_before_its_reveal(web: Web, operator: str, east: str, pat: str):
    web.post("/campaigns/pond/orders", east, json=ANNA)
    web.play("pond")
    seed = web.world.services.campaigns.tick_seed("pond", 1).hex()
    for token in (operator, east, pat):
        for path in ("", "/ticks/1", "/ticks/1/seed", "/reports?camp=east", "/view?camp=east", "/ticks/1/commitment"):
            assert seed not in web.get(f"/campaigns/pond{path}", token).text
