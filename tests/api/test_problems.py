"""Problem documents: one catalogue, whole in the documentation, and answers for what nobody planned."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import redis

from api.problems import CATALOGUE, problem_of
from tests.api.web import Web, problem
from workers.service.orders import SERVICE_REFUSALS
from workers.service.problems import Code, Problem
from workers.store.commands import Commands

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "reference" / "problems.md"


def test_every_code_has_its_line_in_the_catalogue():
    assert set(get_args(Code)) == set(CATALOGUE)
    assert sorted(CATALOGUE) == list(CATALOGUE)
    for entry in CATALOGUE.values():
        assert 400 <= entry.status < 600
        assert entry.title
        assert entry.meaning.endswith(".")


def test_the_documentation_lists_every_code_with_its_status_and_meaning():
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (.+) \|$", DOCUMENTATION.read_text(encoding="utf-8"), re.MULTILINE)
    assert [(code, str(entry.status), entry.meaning) for code, entry in CATALOGUE.items()] == rows


def test_the_documentation_lists_every_refusal_of_the_services_own():
    text = DOCUMENTATION.read_text(encoding="utf-8").partition("## Refusals of orders")[2]
    assert list(SERVICE_REFUSALS) == re.findall(r"^\| `(\w+)` \| [A-Z].+\. \|$", text, re.MULTILINE)


def test_addresses_and_methods_that_are_not_there_are_problems_too(web: Web):
    problem(web.get("/nothing"), 404, "not_found")
    denied = web.delete("/campaigns")
    problem(denied, 405, "method_not_allowed")
    assert denied.headers["allow"]


def test_a_fault_of_ours_says_nothing_but_that(web: Web, east: str, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: Any) -> None:
        raise KeyError("secret-detail")

    monkeypatch.setattr(type(web.world.face.changes), "listed", broken)
    document = problem(web.get("/campaigns/pond/orders", east), 500, "internal_error")
    assert "secret-detail" not in str(document)


def lose(web: Web, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """From now on every command of the server fails as if it was gone (the server itself isn't ours)."""

    def gone(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(type(web.world.services.store.client), "execute_command", gone)


@pytest.mark.parametrize(
    "error", [redis.ConnectionError("refused"), redis.TimeoutError("slow"), redis.BusyLoadingError("x")]
)
def test_a_server_that_is_gone_is_503_and_said_so(
    web: Web, east: str, error: Exception, monkeypatch: pytest.MonkeyPatch
):
    lose(web, monkeypatch, error)
    for answer in (
        web.post("/campaigns/pond/orders", east, json={"kind": "fish", "boat": "anna"}),
        web.get("/campaigns/pond", east),
        web.get("/ready"),
    ):
        problem(answer, 503, "server_unreachable")
        assert int(answer.headers["retry-after"]) > 0
    assert 200 == web.get("/health").status_code


def test_a_server_that_is_full_is_503_and_said_so(web: Web, east: str, monkeypatch: pytest.MonkeyPatch):
    store: Commands = web.world.services.store.client  # type: ignore[assignment] # the adapters' own narrow type of it
    run = type(store).execute_command

    def full(self: Any, *arguments: Any, **options: Any) -> Any:
        if arguments[0] in ("EVALSHA", "EVAL"):
            raise redis.OutOfMemoryError("command not allowed when used memory > 'maxmemory'")
        return run(self, *arguments, **options)

    monkeypatch.setattr(type(store), "execute_command", full)
    problem(web.post("/campaigns/pond/orders", east, json={"kind": "fish", "boat": "anna"}), 503, "server_full")


def test_work_that_cannot_be_sent_is_no_problem_of_the_request(
    web: Web, operator: str, monkeypatch: pytest.MonkeyPatch
):
    def unsent(_: str) -> None:
        raise OSError("no broker")

    monkeypatch.setattr(web.app.state.gate, "_wake", unsent)
    assert web.post("/campaigns/pond/ticks/1:close", operator).json()["now"]


def test_problems_keep_their_fields():
    given = Problem("busy", "later", retry_after_s=3)
    assert given is problem_of(given)


def test_health_and_readiness(bare: Web):
    assert {"status": "alive"} == bare.get("/health").json()
    assert "ready" == bare.get("/ready").json()["status"]
    assert 200 == bare.http.get("/health").status_code
    assert 200 == bare.http.get("/ready").status_code
