"""The Uprising over HTTP: what a side has once in all its districts is taken once, wherever its orders are played."""

from typing import Any

import pytest

from tests.api.web import Web

ORDERS = "/campaigns/paris/orders"
MOVE = {"kind": "move", "district": "market", "units": ["louise"], "target": "hill"}
CONTEST = {"kind": "contest", "district": "hill", "units": ["louise"], "coming_from": ["market"]}
SEARCH = {"kind": "search", "district": "market", "units": ["louise"]}


@pytest.fixture
def revolution(veil: Web) -> str:
    veil.found("paris", "uprising", campaign_seed="2a" * 32)
    return veil.token("paris", "camp", camp="revolution")


def send(web: Web, token: str, order: dict[str, Any]) -> dict[str, Any]:
    (result,) = web.post(ORDERS, token, json={"orders": [order]}).json()["results"]
    return dict(result)


def test_U4_a_unit_that_serves_in_one_district_is_refused_in_another(veil: Web, revolution: str):
    """The search is judged on the market alone, where nothing tells of the contest on the hill."""
    results = [send(veil, revolution, order) for order in (MOVE, CONTEST, SEARCH)]

    assert ["booked", "booked", "refused"] == [result["status"] for result in results]
    (refusal,) = results[2]["refusals"]
    assert ("over_budget", "serve/louise", 0) == (
        refusal["code"],
        refusal["values"]["meter"],
        refusal["values"]["left"],
    )


def test_U4_a_unit_serves_elsewhere_once_its_order_is_withdrawn(veil: Web, revolution: str):
    send(veil, revolution, MOVE)
    contest = send(veil, revolution, CONTEST)
    assert "refused" == send(veil, revolution, SEARCH)["status"]

    veil.delete(f"{ORDERS}/{contest['id']}", revolution, headers={"If-Match": '"1"'})

    assert "booked" == send(veil, revolution, SEARCH)["status"]
