"""Whatever fits or doesn't fit the API's description is answered by a document, never by a fault of ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import fakeredis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from tests.api.web import Web, serve

CHECKS = (not_a_server_error, status_code_conformance, response_schema_conformance)
SCOPES = ("admin", "camp", "actor", "nobody")


@dataclass(frozen=True)
class Fuzzed:
    """An application, its routes as its description has them, and a token of each scope."""

    web: Web
    operations: list[Any]
    secrets: dict[str, str]


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    """One for all examples: what one has done, the next one finds."""
    twin = fakeredis.FakeServer()
    fake = partial(fakeredis.FakeAsyncRedis, server=twin)
    with serve(fakeredis.FakeRedis(server=twin), fake, tmp_path_factory.mktemp("archive")) as web:
        web.found("pond")
        schema = schemathesis.openapi.from_asgi("/v1/openapi.json", web.app)
        routes: list[Any] = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
        secrets = {
            "admin": web.admin,
            "camp": web.token("pond", "camp", camp="east"),
            "actor": web.token("pond", "actor", camp="east", actor="pat", entities=["bert"]),
            "nobody": "tocsin_nobody",
        }
        # A stream has no end; a real connection tests it.
        yield Fuzzed(web, [route for route in routes if not route.path.endswith(":stream")], secrets)


@pytest.mark.parametrize("scope", SCOPES)
@settings(
    max_examples=100,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(data=st.data())
def test_every_request_gets_an_answer_that_the_description_promises(fuzzed: Fuzzed, scope: str, data: st.DataObject):
    operation = data.draw(st.sampled_from(fuzzed.operations))
    case = data.draw(operation.as_strategy())
    if "campaign" in case.path_parameters:
        case.path_parameters["campaign"] = "pond"
    case.query.pop("wait_s", None)
    case.call_and_validate(headers={"Authorization": f"Bearer {fuzzed.secrets[scope]}"}, checks=CHECKS)
