"""The Veil over HTTP: each kind of bad input that a client can send is a clear problem document."""

import json
from typing import Any

import pytest

from tests.api.web import Web, problem

ORDERS = "/campaigns/city/orders"
SEED = "2a" * 32


@pytest.fixture
def city(veil: Web) -> Web:
    veil.found("city", "veil", campaign_seed=SEED)
    return veil


@pytest.fixture
def angel(city: Web) -> str:
    return city.token("city", "camp", camp="angel")


@pytest.fixture
def demon(city: Web) -> str:
    return city.token("city", "camp", camp="demon")


def servants(web: Web, token: str) -> dict[str, Any]:
    """The camp's own servants, by id."""
    homes = web.get("/campaigns/city/view?limit=1000", token).json()["homes"]
    return {one["key"]: one["home"] for one in homes if "missions" in one["home"] and "pp" in one["home"]}


def zone(web: Web, token: str) -> str:
    return str(min(web.get("/campaigns/city/view", token).json()["shared"]["zones"]))


def test_V9_an_unknown_servant_and_the_enemys_servant_are_refused_alike(city: Web, angel: str, demon: str):
    """K7: the enemy's servants are no better known than those that don't exist."""
    enemy = min(servants(city, demon))
    known = problem(city.post(ORDERS, angel, json={"kind": "recovery", "servant": enemy}), 422, "order_refused")
    absent = problem(city.post(ORDERS, angel, json={"kind": "recovery", "servant": "nobody"}), 422, "order_refused")
    assert json.dumps(known).replace(enemy, "nobody") == json.dumps(absent)
    assert ("servant", "unknown_servant") == (known["errors"][0]["field"], known["errors"][0]["code"])


def test_an_unknown_zone_is_refused(city: Web, angel: str):
    order = {"kind": "intel", "servant": min(servants(city, angel)), "zone": "atlantis"}
    (error,) = problem(city.post(ORDERS, angel, json=order), 422, "order_refused")["errors"]
    assert ("zone", "unknown_zone") == (error["field"], error["code"])


def test_V9_an_order_over_budget_says_what_is_left(city: Web, angel: str):
    servant = min(servants(city, angel))
    order = {"kind": "influence", "servant": servant, "zone": zone(city, angel)}
    results = city.post(ORDERS, angel, json={"orders": [order] * 4}).json()["results"]
    assert ["booked"] * 3 + ["refused"] == [result["status"] for result in results]
    (refusal,) = results[3]["refusals"]
    assert ("over_budget", 0, 3) == (refusal["code"], refusal["values"]["left"], refusal["values"]["limit"])


def test_V9_a_second_recovery_and_more_power_points_than_there_are_are_over_budget(city: Web, angel: str):
    servant, other = sorted(servants(city, angel))[:2]
    recovery = {"kind": "recovery", "servant": servant}
    assert ["booked", "refused"] == [
        result["status"] for result in city.post(ORDERS, angel, json={"orders": [recovery] * 2}).json()["results"]
    ]
    costly = {"kind": "influence", "servant": other, "zone": zone(city, angel), "pp": 2}
    *good, last = city.post(ORDERS, angel, json={"orders": [costly] * 3}).json()["results"]
    assert ["booked"] * 2 == [result["status"] for result in good]
    assert "pp" == last["refusals"][0]["values"]["meter"]


def test_V36_an_unknown_mission_and_anothers_mission_are_refused(city: Web, angel: str):
    mine = servants(city, angel)
    one, other = sorted(name for name, home in mine.items() if home["missions"])[:2]
    for mission in ("a" * 26, mine[other]["missions"][0]["id"]):
        order = {"kind": "mission", "servant": one, "mission": mission}
        (error,) = problem(city.post(ORDERS, angel, json=order), 422, "order_refused")["errors"]
        assert ("mission", "unknown_mission") == (error["field"], error["code"])
        assert mine[one]["missions"][0]["id"] == error["accepted"]


def test_V23_a_counter_of_an_undetected_mission_is_refused_like_one_of_no_mission(city: Web, angel: str, demon: str):
    mine, theirs = servants(city, angel), servants(city, demon)
    target = min(name for name, home in theirs.items() if home["missions"])
    mission = theirs[target]["missions"][0]["id"]
    counter = {"kind": "counter", "servant": min(mine), "target": target, "mission": mission}
    real = problem(city.post(ORDERS, angel, json=counter), 422, "order_refused")
    counter |= {"target": "nobody", "mission": "b" * 26}
    none = problem(city.post(ORDERS, angel, json=counter), 422, "order_refused")
    assert "undetected_mission" == real["errors"][0]["code"]
    assert json.dumps(real).replace(target, "nobody").replace(mission, "b" * 26) == json.dumps(none)


def test_V19_an_order_in_a_sealed_zone_is_booked_and_void_with_its_reason(veil: Web):
    """A city where any noise seals its zone: violent missions and influence soon do."""
    veil.found("city", "veil", campaign_seed=SEED, settings={"noise_share": 1, "last_tick": 0})
    tokens = {camp: veil.token("city", "camp", camp=camp) for camp in ("angel", "demon")}
    for tick in range(1, 13):
        shared = veil.get("/campaigns/city/view", tokens["angel"]).json()["shared"]
        sealed = [name for name, one in shared["zones"].items() if one["sealed_through"] >= tick]
        if sealed:
            break
        for token in tokens.values():
            for name, home in servants(veil, token).items():
                for mission in home["missions"][:1]:
                    veil.post(ORDERS, token, json={"kind": "mission", "servant": name, "mission": mission["id"]})
        veil.play("city")
    else:
        pytest.fail("no zone was sealed in twelve ticks")
    order = {"kind": "influence", "servant": min(servants(veil, tokens["angel"])), "zone": sealed[0]}
    sent = veil.post(ORDERS, tokens["angel"], json=order)
    assert 201 == sent.status_code, sent.text
    tick = veil.play("city")
    facts = veil.get(f"/campaigns/city/reports?after={tick - 1}&pages=50", tokens["angel"]).json()["facts"]
    told = [fact for fact in facts if fact["fact"].get("order") == sent.json()["id"]]
    assert told
    assert any("sealed" in json.dumps(fact["fact"]) for fact in told)


def test_a_dry_run_gives_exact_odds_with_their_terms(city: Web, angel: str):
    order = {"kind": "influence", "servant": min(servants(city, angel)), "zone": zone(city, angel), "pp": 1}
    (judged,) = city.post(f"{ORDERS}:check", angel, json=order).json()["results"]
    assert judged["would_book"]
    assert judged["odds"]["terms"]
    numerator, denominator = map(int, judged["odds"]["success"].split("/"))
    assert 0 < numerator < denominator
    assert 216 % denominator == 0


def test_reports_speak_french_and_english(city: Web, angel: str):
    texts = {
        lang: city.get(f"/campaigns/city/reports?lang={lang}", angel).json()["facts"][0]["text"]
        for lang in ("fr", "en")
    }
    assert texts["fr"] != texts["en"]


def test_a_wrong_token_opens_nothing(city: Web):
    problem(city.post(ORDERS, "tocsin_wrong", json={"kind": "recovery", "servant": "ariane"}), 404, "unknown_campaign")
