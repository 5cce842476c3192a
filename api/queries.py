"""Parameters in a query: none but those of the route, and of one that can't be understood what would be."""

from typing import Any, Final

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BeforeValidator

from workers.service.problems import SHOWN_MAX, FieldProblem, Problem

_KINDS: Final[dict[object, str]] = {int: "a whole number in decimal digits", float: "a number", str: "a text"}
_NUMBERS: Final = (("ge", "from"), ("gt", "above"), ("le", "to"), ("lt", "below"))
_LENGTHS: Final = (("min_length", "at least"), ("max_length", "at most"))


def digits(value: object) -> object:
    """The same text, if it is a number as we write them. Raises ValueError for what else Python would read as one."""
    if isinstance(value, str) and not (value.isascii() and value.isdecimal()):
        raise ValueError("no decimal digits")
    return value


DIGITS: Final = BeforeValidator(digits)
"""Holds a parameter that is a whole number to decimal digits."""


def check_names(request: Request) -> None:
    """Raise Problem (invalid_request) where the query has a parameter that the route hasn't."""
    known = [field.alias for field in _fields(request)]
    accepted = " or ".join(known) or "no parameter"
    unknown = tuple(
        FieldProblem(name[:SHOWN_MAX], "unknown parameter", accepted)
        for name in dict.fromkeys(request.query_params.keys())
        if name not in known
    )
    if unknown:
        raise Problem("invalid_request", "The query has a parameter that isn't known here.", unknown)


def problem_of_parameters(request: Request, error: RequestValidationError) -> Problem:
    """The problem of parameters that can't be understood."""
    accepted = {field.alias: _accepted(field.field_info) for field in _fields(request)}
    found = []
    for item in error.errors():
        place = ".".join(str(part) for part in item["loc"] if part not in ("query", "path", "header"))
        why = (item.get("ctx") or {}).get("error", item["msg"])
        found.append(FieldProblem(place, str(why), accepted.get(place, "")))
    return Problem("invalid_request", "A parameter can't be understood.", tuple(found))


def _fields(request: Request) -> list[Any]:
    """The route's own parameters, as FastAPI read them from its function."""
    route = request.scope.get("route")
    return list(route.dependant.query_params) if route is not None else []


def _accepted(described: Any) -> str:
    kinds = [kind for kind in _KINDS if kind in (described.annotation, *getattr(described.annotation, "__args__", ()))]
    metadata = described.metadata
    numbers = [f"{word} {bound}" for name, word in _NUMBERS for bound in _bounds(metadata, name)]
    lengths = [f"{word} {bound} characters" for name, word in _LENGTHS for bound in _bounds(metadata, name)]
    return " ".join([*(_KINDS[kind] for kind in kinds), *numbers, *(["of"] if lengths else []), *lengths])


def _bounds(metadata: list[Any], name: str) -> list[Any]:
    return [bound for one in metadata if (bound := getattr(one, name, None)) is not None]
