"""The API's description (OpenAPI 3.1): routes as FastAPI knows them, bodies and answers from the records themselves.

Orders come from every rulebook that is registered, each with its own schema.
"""

from dataclasses import dataclass
from typing import Any, Final

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from api import replies
from api.examples import Example, examples
from api.problems import CATALOGUE, MEDIA_TYPE, Document
from api.routes.health import Health, Readiness
from workers.registry import Registry
from workers.service.access import NewToken, RotationPlan, TokenList, TokenPlan
from workers.service.changes import OrderPage
from workers.service.founding import CampaignPlan
from workers.service.orders import OrderView
from workers.service.overview import CampaignView, TickView
from workers.service.problems import Code
from workers.service.reports import ReportPage
from workers.service.views import Known

_REF: Final = "#/components/schemas/{name}"
_SERVER: Final[tuple[Code, ...]] = ("server_unreachable",)
_TOKEN: Final[tuple[Code, ...]] = ("too_many_requests", "invalid_request", *_SERVER)
_ADMIN: Final[tuple[Code, ...]] = ("unauthorized", "forbidden_scope", *_TOKEN)
_CAMPAIGN: Final[tuple[Code, ...]] = ("unknown_campaign", "wrong_rulebook", *_TOKEN)
_BODY: Final[tuple[Code, ...]] = ("malformed_json", "body_too_large")
_WRITE: Final[tuple[Code, ...]] = ("server_full",)
_ORDERS: Final[tuple[Code, ...]] = (
    *_CAMPAIGN,
    *_BODY,
    *_WRITE,
    "forbidden_scope",
    "campaign_not_open",
    "tick_closed",
    "busy",
)


@dataclass(frozen=True, slots=True)
class Operation:
    """What FastAPI doesn't know of a route: its bodies, its problems, the headers that it reads."""

    answers: dict[int, Any]
    problems: tuple[Code, ...]
    body: Any = None
    headers: tuple[str, ...] = ()
    example: dict[str, Any] | None = None


HEADERS: Final[dict[str, str]] = {
    "Idempotency-Key": (
        "1 to 255 printable characters: the same request (its query counts too) under the same key is carried out once"
    ),
    "If-Match": 'the revision that the order must be at, in quotes: "1"',
    "If-None-Match": "the ETag of the answer that the client has",
    "Last-Event-ID": "the id of the last event that the client has read",
    "Accept-Language": "the language of sentences (RFC 9110): fr or en",
}

RATE_HEADERS: Final[dict[str, str]] = {
    "RateLimit-Limit": "requests that the token may make within a second",
    "RateLimit-Remaining": "how many of them are left",
    "RateLimit-Reset": "seconds until all of them are there again",
}
"""What an answer to a request with a token says of the limit that it counts to."""

OPERATIONS: Final[dict[str, Operation]] = {
    "health": Operation({200: Health}, ()),
    "ready": Operation({200: Readiness}, ("invalid_request", *_SERVER)),
    "create_campaign": Operation(
        {201: CampaignView},
        (*_BODY, *_ADMIN, *_WRITE, "campaign_exists", "idempotency_conflict", "too_many_campaigns"),
        CampaignPlan,
        ("Idempotency-Key",),
    ),
    "list_campaigns": Operation({200: replies.CampaignList}, _ADMIN),
    "show_campaign": Operation({200: CampaignView}, _CAMPAIGN),
    "move_campaign": Operation(
        {200: CampaignView},
        (*_CAMPAIGN, *_BODY, "forbidden_scope", "lifecycle_refused"),
        replies.LifecycleBody,
        example={"verb": "open"},
    ),
    "create_token": Operation(
        {201: NewToken},
        (*_CAMPAIGN, *_BODY, *_WRITE, "forbidden_scope"),
        TokenPlan,
        example={"scope": "operator", "label": "the game master's"},
    ),
    "list_tokens": Operation({200: TokenList}, (*_CAMPAIGN, "forbidden_scope")),
    "revoke_token": Operation({204: None}, (*_CAMPAIGN, "forbidden_scope", "unknown_token")),
    "rotate_token": Operation(
        {201: NewToken},
        (*_CAMPAIGN, *_BODY, *_WRITE, "forbidden_scope", "unknown_token", "token_ending"),
        RotationPlan,
        example={"overlap_s": 0},
    ),
    "list_admin_tokens": Operation({200: TokenList}, _ADMIN),
    "revoke_admin_token": Operation({204: None}, (*_ADMIN, "unknown_token")),
    "rotate_admin_token": Operation(
        {201: NewToken},
        (*_ADMIN, *_BODY, *_WRITE, "unknown_token", "token_ending"),
        RotationPlan,
        example={"overlap_s": 0},
    ),
    "read_metrics": Operation({200: "text/plain"}, _ADMIN),
    "send_orders": Operation(
        {200: replies.BatchReply, 201: replies.BookedResult},
        (*_ORDERS, "batch_too_large", "batch_refused", "order_invalid", "order_refused", "idempotency_conflict"),
        "OrderOrBatch",
        ("Idempotency-Key", "Accept-Language"),
    ),
    "check_orders": Operation(
        {200: replies.CheckReply}, (*_ORDERS, "batch_too_large"), "OrderOrBatch", ("Accept-Language",)
    ),
    "list_orders": Operation({200: OrderPage}, (*_CAMPAIGN, "forbidden_scope")),
    "show_order": Operation({200: OrderView}, (*_CAMPAIGN, "forbidden_scope", "unknown_order")),
    "replace_order": Operation(
        {200: replies.BookedResult},
        (*_ORDERS, "unknown_order", "order_withdrawn", "revision_conflict", "order_invalid", "order_refused"),
        "Order",
        ("If-Match", "Accept-Language"),
    ),
    "withdraw_order": Operation(
        {204: None},
        (
            *_CAMPAIGN,
            "forbidden_scope",
            "campaign_not_open",
            "unknown_order",
            "tick_closed",
            "revision_conflict",
            "busy",
        ),
        headers=("If-Match",),
    ),
    "set_ready": Operation({200: replies.ReadyReply}, (*_CAMPAIGN, "forbidden_scope", "campaign_not_open", "busy")),
    "clear_ready": Operation({200: replies.ReadyReply}, (*_CAMPAIGN, "forbidden_scope", "campaign_not_open", "busy")),
    "show_tick": Operation({200: TickView}, (*_CAMPAIGN, "unknown_tick")),
    "show_commitment": Operation({200: replies.CommitmentReply}, (*_CAMPAIGN, "unknown_tick", "not_committed")),
    "show_seed": Operation({200: replies.SeedReply}, (*_CAMPAIGN, "unknown_tick", "not_revealed")),
    "close_tick": Operation(
        {200: replies.CloseReply},
        (*_CAMPAIGN, "forbidden_scope", "unknown_tick", "campaign_not_open", "tick_not_closable"),
    ),
    "retry_tick": Operation(
        {200: replies.RetryReply},
        (*_CAMPAIGN, *_BODY, "forbidden_scope", "unknown_tick", "not_retryable"),
        replies.RetryBody,
        example={"drop": []},
    ),
    "read_reports": Operation({200: ReportPage}, (*_CAMPAIGN, "forbidden_scope"), headers=("Accept-Language",)),
    "stream_reports": Operation(
        {200: "text/event-stream"},
        (*_CAMPAIGN, "forbidden_scope", "too_many_streams"),
        headers=("Last-Event-ID", "Accept-Language"),
    ),
    "view_campaign": Operation(
        {200: Known, 304: None}, (*_CAMPAIGN, "forbidden_scope", "busy"), headers=("If-None-Match",)
    ),
}
"""By operation id: each route has its line, and a test holds that."""


BODY_OPTIONAL: Final = ("retry_tick", "rotate_token", "rotate_admin_token")
TEXTS: Final = {"text/event-stream": "Events, as they come.", "text/plain": "Metrics, in Prometheus' text format."}

DESCRIPTION: Final = (
    "Orders go in, reports come out, a tick at a time. Every request but `health` and `ready` brings a token "
    "(`Authorization: Bearer tocsin_…`): an admin's, an operator's, a camp's or an actor's. A campaign that the token "
    "doesn't open answers like one that doesn't exist. Errors are documents (RFC 9457) with a stable `code`. Times are "
    "milliseconds since 1970 by the server's clock."
)


def describe(app: FastAPI, registry: Registry) -> dict[str, Any]:
    """The description of the application, with the orders of the rulebooks that are registered."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=DESCRIPTION,
        routes=app.routes,
    )
    schemas = _schemas(registry)
    orders = examples(registry)
    for methods in document["paths"].values():
        for described in methods.values():
            _complete(described, OPERATIONS[described["operationId"]], orders)
    document["components"] = {
        "schemas": schemas,
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "a token: `tocsin_…`"}},
    }
    return document


def _complete(described: dict[str, Any], operation: Operation, orders: list[Example]) -> None:
    described["parameters"] = [
        *(one for one in described.get("parameters", ())),
        *(
            {
                "name": name,
                "in": "header",
                "required": False,
                "description": HEADERS[name],
                "schema": {"type": "string"},
            }
            for name in operation.headers
        ),
    ]
    described["responses"] = {
        **{str(status): _answer(kind) for status, kind in operation.answers.items()},
        **_problem_answers(operation.problems),
    }
    if described["operationId"] not in ("health", "ready"):
        described["security"] = [{"token": []}]
        for response in described["responses"].values():
            response["headers"] = {
                name: {"description": meaning, "schema": {"type": "integer"}} for name, meaning in RATE_HEADERS.items()
            }
    if operation.body is not None:
        content: dict[str, Any] = {"schema": {"$ref": _REF.format(name=_name(operation.body))}}
        shown = _body_examples(described["operationId"], operation, orders)
        if shown:
            content["examples"] = shown
        required = described["operationId"] not in BODY_OPTIONAL
        described["requestBody"] = {"required": required, "content": {"application/json": content}}


def _body_examples(operation_id: str, operation: Operation, orders: list[Example]) -> dict[str, Any]:
    if operation.example is not None:
        return {"example": {"value": operation.example}}
    if operation_id == "create_campaign":
        names = sorted({example.rulebook for example in orders})
        return {name: {"value": {"campaign": f"my-{name}", "rulebook": name}} for name in names}
    shown = {}
    for example in orders:
        label = f"{example.rulebook}.{example.order['kind']}"
        shown[label] = {"summary": f"{example.rulebook}: an order of camp {example.camp}", "value": example.order}
        if operation.body == "OrderOrBatch":
            shown[f"{label}.batch"] = {
                "summary": f"{example.rulebook}: the same in a batch",
                "value": {"orders": [example.order]},
            }
    return shown


def _answer(kind: Any) -> dict[str, Any]:
    if kind is None:
        return {"description": "No content."}
    if isinstance(kind, str):
        return {"description": TEXTS[kind], "content": {kind: {"schema": {"type": "string"}}}}
    description = (kind.__doc__ or "").strip().partition("\n\n")[0]
    return {
        "description": description,
        "content": {"application/json": {"schema": {"$ref": _REF.format(name=kind.__name__)}}},
    }


def _problem_answers(codes: tuple[Code, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for code in sorted(set(codes)):
        entry = CATALOGUE[code]
        here = found.setdefault(
            str(entry.status),
            {"description": "", "content": {MEDIA_TYPE: {"schema": {"$ref": _REF.format(name="Document")}}}},
        )
        here["description"] = f"{here['description']} `{code}`: {entry.meaning}".strip()
    return found


def _name(kind: Any) -> str:
    return kind if isinstance(kind, str) else str(kind.__name__)


def _schemas(registry: Registry) -> dict[str, Any]:
    kinds: dict[str, Any] = {Document.__name__: Document, replies.Batch.__name__: replies.Batch}
    for operation in OPERATIONS.values():
        for kind in (operation.body, *operation.answers.values()):
            if kind is not None and not isinstance(kind, str):
                kinds[kind.__name__] = kind
    _, schemas = msgspec.json.schema_components(kinds.values(), ref_template=_REF)
    orders: list[dict[str, str]] = []
    for name in registry:
        template = _REF.format(name=f"{name}.{{name}}")
        refs, found = msgspec.json.schema_components(registry.get(name).orders, ref_template=template)
        orders.extend(refs)
        schemas.update({f"{name}.{key}": value for key, value in found.items()})
    schemas["Order"] = {"title": "Order", "description": "An order of the campaign's rulebook.", "anyOf": orders}
    schemas["Batch"]["properties"]["orders"]["items"] = {"$ref": _REF.format(name="Order")}
    schemas["OrderOrBatch"] = {
        "title": "OrderOrBatch",
        "description": "One order, or several with `orders`.",
        "anyOf": [{"$ref": _REF.format(name="Order")}, {"$ref": _REF.format(name="Batch")}],
    }
    schemas["OrderView"]["properties"]["order"] = {"$ref": _REF.format(name="Order")}
    return schemas
