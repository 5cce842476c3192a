"""What a field would take, from the type that it is read as: where it is missing, unknown or none of a few values, the
decoder doesn't say; and where it is bounded, the decoder says one bound, or none."""

import re
from functools import cache
from typing import Any, Final

from msgspec import inspect

from workers.kernel.errors import InvalidInput

_STEP: Final = re.compile(r"\[[^\]]*\]|[^.\[\]]+")
_UNKNOWN: Final = "Object contains unknown field `"
_WORDS: Final[tuple[tuple[type[inspect.Type], str], ...]] = (
    (inspect.NoneType, "null"),
    (inspect.BoolType, "true or false"),
    (inspect.IntType, "a whole number"),
    (inspect.FloatType, "a number"),
    (inspect.StrType, "a text"),
    (inspect.StructType, "an object"),
    (inspect.DictType, "an object"),
    (inspect.ListType, "an array"),
    (inspect.VarTupleType, "an array"),
    (inspect.TupleType, "an array"),
)


def accepted_by(kind: Any, error: InvalidInput) -> str:
    """What a type takes where an error stands: what the field takes, with its bounds; where it has none, the error's
    own words, if it has any. For an unknown field, the names of those that there are."""
    if not error.problem.startswith(_UNKNOWN):
        found = _at(kind, error.field)
        if error.accepted and not any(_bounds(one) for one in found):
            return error.accepted
        return " or ".join(dict.fromkeys(told for one in found for told in _told(one)))
    name = error.problem.removeprefix(_UNKNOWN).removesuffix("`")
    parent = error.field.removesuffix(name).removesuffix(".")
    fields = (field for one in _at(kind, parent) if isinstance(one, inspect.StructType) for field in _fields(one))
    return " or ".join(dict.fromkeys(fields)) or "no field"


@cache
def _described(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def _at(kind: Any, field: str) -> list[inspect.Type]:
    found = _flat(_described(kind))
    for step in _STEP.findall(field):
        found = [inner for outer in found for inside in _inside(outer, step) for inner in _flat(inside)]
    return found


def _flat(one: inspect.Type) -> list[inspect.Type]:
    if isinstance(one, inspect.UnionType):
        return [inner for each in one.types for inner in _flat(each)]
    return _flat(one.type) if isinstance(one, inspect.Metadata) else [one]


def _inside(outer: inspect.Type, step: str) -> list[inspect.Type]:
    if isinstance(outer, inspect.StructType):
        if step == outer.tag_field:
            return [inspect.LiteralType((outer.tag,))]
        return [one.type for one in outer.fields if one.encode_name == step]
    if isinstance(outer, inspect.DictType):
        return [outer.value_type]
    if isinstance(outer, inspect.ListType | inspect.VarTupleType) and step.startswith("["):
        return [outer.item_type]
    return []


def _fields(one: inspect.StructType) -> list[str]:
    return [*([one.tag_field] if one.tag_field else []), *(field.encode_name for field in one.fields)]


def _told(one: inspect.Type) -> list[str]:
    if isinstance(one, inspect.LiteralType):
        return [str(value) for value in one.values]
    words = next((words for kind, words in _WORDS if isinstance(one, kind)), "")
    return [f"{words}{' and'.join(_bounds(one))}"] if words else []


def _bounds(one: inspect.Type) -> list[str]:
    return [f" {sign} {bound}" for name, sign in _BOUNDS if (bound := getattr(one, name, None)) is not None]


_BOUNDS: Final = (
    ("gt", ">"),
    ("ge", ">="),
    ("lt", "<"),
    ("le", "<="),
    ("min_length", "of length >="),
    ("max_length", "of length <="),
)
