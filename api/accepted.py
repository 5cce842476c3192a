"""What a field would take, from the type of a body: where a value is one of a few, the decoder doesn't say which."""

import re
from typing import Any

from msgspec import inspect

_STEP = re.compile(r"\[[^\]]*\]|[^.\[\]]+")


def accepted_at(kind: Any, field: str) -> str:
    """The values that a field takes, by its path in a type; empty where they aren't a few."""
    found = [inspect.type_info(kind)]
    for step in _STEP.findall(field):
        found = [inner for outer in found for inner in _inside(outer, step)]
    return " or ".join(dict.fromkeys(value for one in found for value in _values(one)))


def _inside(outer: inspect.Type, step: str) -> list[inspect.Type]:
    if isinstance(outer, inspect.UnionType):
        return [inner for one in outer.types for inner in _inside(one, step)]
    if isinstance(outer, inspect.StructType):
        return [one.type for one in outer.fields if one.encode_name == step]
    if isinstance(outer, inspect.DictType):
        return [outer.value_type]
    if isinstance(outer, inspect.ListType | inspect.VarTupleType) and step.startswith("["):
        return [outer.item_type]
    return []


def _values(one: inspect.Type) -> list[str]:
    if isinstance(one, inspect.UnionType):
        return [value for inner in one.types for value in _values(inner)]
    if isinstance(one, inspect.LiteralType):
        return [str(value) for value in one.values]
    return ["null"] if isinstance(one, inspect.NoneType) else []
