"""Every route and every scope: what each answers, as data. A route without a row fails the suite, and so does a row
without a route."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

STRANGERS: Final = ("none", "malformed", "unknown", "revoked", "foreign")
"""No token; what is no token; a token's form that nobody has; one that was revoked; those of another campaign."""
PLAYERS: Final = ("camp", "other_camp", "actor", "other_actor")
"""The camp east; the camp west; the actor pat of the east, who commands bert; kim of the east, who commands anna."""
OPERATORS: Final = ("operator", "admin")
SCOPES: Final = (*STRANGERS, *PLAYERS, *OPERATORS)

CLOSED: Final = "404 unknown_campaign"
FORBIDDEN: Final = "403 forbidden_scope"
UNAUTHORIZED: Final = "401 unauthorized"
UNKNOWN_ORDER: Final = "404 unknown_order"


@dataclass(frozen=True)
class Row:
    """A route, a request that it carries out for whoever may, and what each scope is answered: a status, and of a
    problem the code. `{order}` in `ask` is pat's order, `{spare}` a token of the campaign, `{spare_admin}` an admin's.
    """

    method: str
    route: str
    ask: str
    expected: Mapping[str, str]
    body: Any = None


def answers(**given: str) -> Mapping[str, str]:
    """What each scope is answered: by its own name, else by that of its group (`strangers`, `players`, `operators`)."""
    groups = {"strangers": STRANGERS, "players": PLAYERS, "operators": OPERATORS}
    found = {scope: given[group] for group, scopes in groups.items() for scope in scopes if group in given}
    found.update({name: answer for name, answer in given.items() if name not in groups})
    assert set(found) == set(SCOPES), set(found) ^ set(SCOPES)
    return MappingProxyType(found)


def everybody(answer: str) -> Mapping[str, str]:
    """The same for all."""
    return answers(strangers=answer, players=answer, operators=answer)


def readers(answer: str) -> Mapping[str, str]:
    """For whoever the campaign is open to."""
    return answers(strangers=CLOSED, players=answer, operators=answer)


def operators(answer: str) -> Mapping[str, str]:
    """For whoever operates the campaign."""
    return answers(strangers=CLOSED, players=FORBIDDEN, operators=answer)


def senders(answer: str, **given: str) -> Mapping[str, str]:
    """For whoever sends orders in the campaign."""
    return answers(**{"strangers": CLOSED, "players": answer, "operators": FORBIDDEN, **given})


def admins(answer: str) -> Mapping[str, str]:
    """For admins. Another campaign's token is a token, and of a scope that may not."""
    return answers(strangers=UNAUTHORIZED, foreign=FORBIDDEN, players=FORBIDDEN, operator=FORBIDDEN, admin=answer)


_POND: Final = "/v1/campaigns/{campaign}"
_BERT: Final = {"kind": "fish", "boat": "bert"}
_REFUSED: Final = "422 order_refused"
# Pat's order on bert: its camp's and pat's, and of nobody else.
_OWNERS: Final[dict[str, str]] = {"other_camp": UNKNOWN_ORDER, "other_actor": UNKNOWN_ORDER}

ROWS: Final[tuple[Row, ...]] = (
    Row("GET", "/health", "/health", everybody("200")),
    Row("HEAD", "/health", "/health", everybody("200")),
    Row("HEAD", "/v1/health", "/v1/health", everybody("200")),
    Row("GET", "/v1/health", "/v1/health", everybody("200")),
    Row("GET", "/ready", "/ready", everybody("200")),
    Row("GET", "/v1/ready", "/v1/ready", everybody("200")),
    Row("GET", "/v1/openapi.json", "/v1/openapi.json", everybody("200")),
    Row("GET", "/metrics", "/metrics", admins("200")),
    Row("GET", "/v1/metrics", "/v1/metrics", admins("200")),
    Row("POST", "/v1/campaigns", "/v1/campaigns", admins("201"), {"campaign": "brook", "rulebook": "lake"}),
    Row("GET", "/v1/campaigns", "/v1/campaigns", admins("200")),
    Row("GET", "/v1/tokens", "/v1/tokens", admins("200")),
    Row("DELETE", "/v1/tokens/{token_id}", "/v1/tokens/{spare_admin}", admins("204")),
    Row("POST", "/v1/tokens/{token_id}:rotate", "/v1/tokens/{spare_admin}:rotate", admins("201")),
    Row("GET", _POND, "/v1/campaigns/pond", readers("200")),
    Row("POST", f"{_POND}/lifecycle", "/v1/campaigns/pond/lifecycle", operators("200"), {"verb": "pause"}),
    Row("POST", f"{_POND}/tokens", "/v1/campaigns/pond/tokens", operators("201"), {"scope": "camp", "camp": "west"}),
    Row("GET", f"{_POND}/tokens", "/v1/campaigns/pond/tokens", operators("200")),
    Row("DELETE", f"{_POND}/tokens/{{token_id}}", "/v1/campaigns/pond/tokens/{spare}", operators("204")),
    Row("POST", f"{_POND}/tokens/{{token_id}}:rotate", "/v1/campaigns/pond/tokens/{spare}:rotate", operators("201")),
    Row(
        "POST",
        f"{_POND}/orders",
        "/v1/campaigns/pond/orders",
        senders("201", other_camp=_REFUSED, other_actor=_REFUSED),
        _BERT,
    ),
    Row("POST", f"{_POND}/orders:check", "/v1/campaigns/pond/orders:check", senders("200"), _BERT),
    Row("GET", f"{_POND}/orders", "/v1/campaigns/pond/orders", senders("200")),
    Row("GET", f"{_POND}/orders/{{order_id}}", "/v1/campaigns/pond/orders/{order}", senders("200", **_OWNERS)),
    Row("PUT", f"{_POND}/orders/{{order_id}}", "/v1/campaigns/pond/orders/{order}", senders("200", **_OWNERS), _BERT),
    Row("DELETE", f"{_POND}/orders/{{order_id}}", "/v1/campaigns/pond/orders/{order}", senders("204", **_OWNERS)),
    Row(
        "PUT",
        f"{_POND}/ready",
        "/v1/campaigns/pond/ready",
        senders("200", actor=FORBIDDEN, other_actor=FORBIDDEN),
    ),
    Row(
        "DELETE",
        f"{_POND}/ready",
        "/v1/campaigns/pond/ready",
        senders("200", actor=FORBIDDEN, other_actor=FORBIDDEN),
    ),
    Row("GET", f"{_POND}/ticks/{{tick}}", "/v1/campaigns/pond/ticks/1", readers("200")),
    Row("GET", f"{_POND}/ticks/{{tick}}/commitment", "/v1/campaigns/pond/ticks/1/commitment", readers("200")),
    Row("GET", f"{_POND}/ticks/{{tick}}/seed", "/v1/campaigns/pond/ticks/1/seed", readers("404 not_revealed")),
    Row("POST", f"{_POND}/ticks/{{tick}}:close", "/v1/campaigns/pond/ticks/1:close", operators("200")),
    Row("POST", f"{_POND}/ticks/{{tick}}:retry", "/v1/campaigns/pond/ticks/1:retry", operators("409 not_retryable")),
    Row(
        "GET",
        f"{_POND}/reports",
        "/v1/campaigns/pond/reports?camp=east",
        answers(strangers=CLOSED, players="200", other_camp=FORBIDDEN, operators="200"),
    ),
    Row(
        "GET",
        f"{_POND}/reports:stream",
        "/v1/campaigns/pond/reports:stream?camp=east",
        answers(strangers=CLOSED, players="200", other_camp=FORBIDDEN, operators="200"),
    ),
    Row(
        "GET",
        f"{_POND}/view",
        "/v1/campaigns/pond/view?camp=east",
        answers(strangers=CLOSED, players="200", other_camp=FORBIDDEN, operators="200"),
    ),
)
