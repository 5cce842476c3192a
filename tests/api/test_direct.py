"""Orders sent without a query go straight to their route: the same answers, for less."""

from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Header, Query, Response
from fastapi.dependencies.utils import solve_dependencies

from api.calls import Calling, FoundingCall
from api.direct import DirectRoute
from tests.api.web import Web, post_in_messages
from tests.calls import calls_of

FISH = {"kind": "fish", "boat": "anna"}
BODIES = [b"", b"{", b"[]", b"{}", b'{"kind":"fish"}', b'{"kind":"fish","boat":"anna"}', b'{"orders":[{"kind":"x"}]}']


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("route", ["orders", "orders:check"])
def test_a_query_that_says_nothing_new_changes_no_answer(web: Web, east: str, route: str, body: bytes) -> None:
    headers = {"Idempotency-Key": "one", "Content-Type": "application/json"}

    straight = web.post(f"/campaigns/pond/{route}", east, content=body, headers=headers)
    solved = web.post(f"/campaigns/pond/{route}?lang=", east, content=body, headers=headers)

    assert (straight.status_code, straight.content) == (solved.status_code, solved.content)


@pytest.mark.parametrize(("query", "times"), [(b"", 0), (b"lang=en", 1)])
def test_only_a_query_is_given_to_the_solver(web: Web, east: str, query: bytes, times: int) -> None:
    body = {"type": "http.request", "body": b'{"kind":"fish","boat":"anna"}', "more_body": False}
    sent: list[Any] = []

    asked = calls_of(
        lambda: sent.extend(post_in_messages(web, "/campaigns/pond/orders", east, [body], query)),
        {solve_dependencies.__code__},
    )

    assert 201 == sent[0]["status"]
    # The call that reads the request is one that the solver solves too.
    assert 2 * times == asked


def test_a_client_that_leaves_within_its_body_is_no_fault_of_ours(
    web: Web, east: str, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = {"type": "http.request", "body": b'{"kind":', "more_body": True}

    sent = post_in_messages(web, "/campaigns/pond/orders", east, [begun, {"type": "http.disconnect"}])

    assert 400 == sent[0]["status"]
    assert ("", "") == capsys.readouterr()


def with_a_header(call: Calling, header: Annotated[str, Header()] = "") -> Response:
    return Response(header)


def with_a_query_that_is_needed(call: Calling, tick: Annotated[int, Query()]) -> Response:
    return Response(str(tick))


def with_a_number_in_its_path(call: Calling, number: int) -> Response:
    return Response(str(number))


def with_a_body_of_a_scenario(call: FoundingCall) -> Response:
    return Response(call.body)


def with_nothing() -> Response:
    return Response()


@pytest.mark.parametrize(
    "function",
    [with_a_header, with_a_query_that_is_needed, with_a_number_in_its_path, with_a_body_of_a_scenario, with_nothing],
)
def test_a_function_that_wants_more_is_no_direct_route(function: Any) -> None:
    router = APIRouter(route_class=DirectRoute)
    with pytest.raises(TypeError, match=function.__name__):
        router.get("/{number}")(function)
