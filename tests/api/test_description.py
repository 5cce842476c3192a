"""The API's description: whole, and with examples that work."""

import re
from typing import Any

import pytest

from api.examples import examples
from api.openapi import OPERATIONS
from api.problems import CATALOGUE
from tests.api.web import Web
from workers.registry import load_registry


def bodies(described: dict[str, Any]) -> dict[str, Any]:
    """The examples of an operation's body, by label."""
    shown = described["requestBody"]["content"]["application/json"]["examples"]
    return {label: example["value"] for label, example in shown.items()}


@pytest.fixture
def document(veil: Web) -> dict[str, Any]:
    described: dict[str, Any] = veil.get("/openapi.json").json()
    return described


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["operationId"]: one for methods in document["paths"].values() for one in methods.values()}


def test_every_route_is_described(document: dict[str, Any]):
    assert set(OPERATIONS) == set(operations(document))
    assert document["openapi"].startswith("3.1")


def test_every_reference_leads_somewhere(document: dict[str, Any]):
    wanted = set(re.findall(r"'#/components/schemas/([^']+)'", str(document)))
    assert wanted <= set(document["components"]["schemas"])


def test_every_kind_of_order_of_every_rulebook_has_its_schema(document: dict[str, Any]):
    registry = load_registry()
    wanted = {f"{name}.{kind.__name__}" for name in registry for kind in registry.get(name).orders}
    listed = {one["$ref"].rpartition("/")[2] for one in document["components"]["schemas"]["Order"]["anyOf"]}
    assert wanted == listed <= set(document["components"]["schemas"])


def test_every_problem_is_told_of_by_some_route(document: dict[str, Any]):
    told = set(re.findall(r"`(\w+)`: [A-Z]", str([one["responses"] for one in operations(document).values()])))
    everywhere = {"internal_error", "not_found", "method_not_allowed"}
    assert set(CATALOGUE) - everywhere == told


def test_every_body_has_an_example(document: dict[str, Any]):
    for name, one in operations(document).items():
        assert "requestBody" not in one or bodies(one), name


@pytest.fixture
def players(veil: Web, document: dict[str, Any]) -> dict[tuple[str, str], str]:
    """The campaigns of the description's examples, founded and opened as it says; rulebook and camp → a token."""
    found = {}
    for rulebook, plan in bodies(operations(document)["create_campaign"]).items():
        made = veil.post("/campaigns", veil.admin, json=plan)
        assert 201 == made.status_code, made.text
        for operation, path in (("move_campaign", "lifecycle"), ("create_token", "tokens")):
            for body in bodies(operations(document)[operation]).values():
                assert veil.post(f"/campaigns/{plan['campaign']}/{path}", veil.admin, json=body).is_success
        for camp in made.json()["camps"]:
            found[rulebook, camp] = veil.token(plan["campaign"], "camp", camp=camp)
    return found


def test_the_examples_work(veil: Web, document: dict[str, Any], players: dict[tuple[str, str], str]):
    """Each example is sent as it stands, by a player of the camp that it is for."""
    camps = {f"{one.rulebook}.{one.order['kind']}": (one.rulebook, one.camp) for one in examples(load_registry())}
    described = operations(document)
    for label, body in bodies(described["send_orders"]).items():
        player = camps[label.removesuffix(".batch")]
        path = f"/campaigns/my-{player[0]}/orders"
        checked = veil.post(f"{path}:check", players[player], json=body)
        assert checked.json()["results"][0]["would_book"], checked.text
        sent = veil.post(path, players[player], json=body)
        assert sent.is_success, sent.text
        order_id = sent.json().get("id") or sent.json()["results"][0]["id"]
        put = veil.put(
            f"{path}/{order_id}", players[player], json=bodies(described["replace_order"])[label.removesuffix(".batch")]
        )
        assert 200 == put.status_code, put.text
        assert 204 == veil.delete(f"{path}/{order_id}", players[player]).status_code


def test_every_rulebook_has_examples():
    registry = load_registry()
    assert set(registry) == {example.rulebook for example in examples(registry)}


def test_answers_fit_their_schemas(web: Web, east: str):
    """A spot check by shape: each answer has the fields that its schema requires."""
    schemas = web.get("/openapi.json").json()["components"]["schemas"]
    sent = web.post("/campaigns/pond/orders", east, json={"kind": "fish", "boat": "anna"}).json()
    answers = {
        "BookedResult": sent,
        "OrderView": web.get(f"/campaigns/pond/orders/{sent['id']}", east).json(),
        "OrderPage": web.get("/campaigns/pond/orders", east).json(),
        "CampaignView": web.get("/campaigns/pond", east).json(),
        "TickView": web.get("/campaigns/pond/ticks/1", east).json(),
        "ReportPage": web.get("/campaigns/pond/reports", east).json(),
        "Known": web.get("/campaigns/pond/view", east).json(),
        "Document": web.get("/nothing").json(),
    }
    for name, answer in answers.items():
        required, known = set(schemas[name].get("required", ())), set(schemas[name]["properties"])
        assert required <= answer.keys() <= known, name
