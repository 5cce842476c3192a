"""Values of any declared type, drawn from dice: what the kit fills events with, and what it scrambles fields into.

A type is read through `msgspec.inspect`, so that whatever a rulebook may declare (records, mappings, unions, bounded
integers, literals) can be made without a word from its author.
"""

import re
from collections.abc import Sequence

import msgspec
from msgspec import inspect

from workers.kernel.dice import Stream
from workers.rules.conformance.errors import ConformanceError

_TEXTS = ("a1", "b2", "éléonore", 'a "quoted" word', "north quay", "", "0")
_SMALL = 13
_LARGE = (1 << 31, 1 << 52)
_DEPTH = 4


class Maker:
    """Makes values of types, from one stream of dice. Texts of fields named `camp` are camps, others are among the
    names given, or odd ones."""

    def __init__(self, stream: Stream, camps: tuple[str, ...], names: tuple[str, ...] = ()) -> None:
        self._stream = stream
        self._camps = camps
        self._names = names

    def record(self, kind: type[msgspec.Struct]) -> msgspec.Struct:
        """A record with every field drawn anew. Raises ConformanceError on a type that no record may hold."""
        return kind(**{name: self._make(field, name, 1) for name, field in fields_of(kind).items()})

    def other(self, kind: inspect.Type, name: str, value: object) -> object:
        """A value of a type that differs from the one given, where one of some tries does; else the same value."""
        for _ in range(20):
            made: object = self._make(kind, name, 0)
            if made != value:
                return made
        return value

    def _pick(self, count: int) -> int:
        return self._stream.below(count)

    def _make(self, kind: inspect.Type, name: str, depth: int) -> object:
        match kind:
            case inspect.Metadata():
                return self._make(kind.type, name, depth)
            case inspect.StructType():
                return kind.cls(**{field.name: self._make(field.type, field.name, depth + 1) for field in kind.fields})
            case inspect.UnionType():
                return self._union(kind, name, depth)
            case inspect.NoneType():
                return None
            case inspect.BoolType() | inspect.LiteralType() | inspect.EnumType():
                return self._choice(kind)
            case inspect.IntType() | inspect.AnyType():
                return self._integer(kind)
            case inspect.StrType():
                return self._text(kind, name)
            case _:
                return self._several(kind, name, depth)

    def _choice(self, kind: inspect.BoolType | inspect.LiteralType | inspect.EnumType) -> object:
        choices: Sequence[object] = (False, True)
        if isinstance(kind, inspect.LiteralType):
            choices = kind.values
        elif isinstance(kind, inspect.EnumType):
            choices = tuple(kind.cls)
        return choices[self._pick(len(choices))]

    def _several(self, kind: inspect.Type, name: str, depth: int) -> object:
        match kind:
            case inspect.TupleType():
                return tuple(self._make(item, name, depth + 1) for item in kind.item_types)
            case inspect.VarTupleType():
                return tuple(self._make(kind.item_type, name, depth + 1) for _ in range(self._length(kind, depth)))
            case inspect.ListType():
                return [self._make(kind.item_type, name, depth + 1) for _ in range(self._length(kind, depth))]
            case inspect.DictType():
                count = self._length(kind, depth)
                keys = [self._make(kind.key_type, "", depth + 1) for _ in range(count)]
                return {key: self._make(kind.value_type, name, depth + 1) for key in keys}
            case _:
                raise ConformanceError(f"a field {name!r} of type {type(kind).__name__} has no canonical form")

    def _text(self, kind: inspect.StrType, name: str) -> str:
        texts = self._camps if name == "camp" else self._names
        if not texts or self._pick(8) == 0:
            texts = _TEXTS if name != "camp" else self._camps
        drawn = texts[self._pick(len(texts))]
        if not _fits(kind, drawn):
            fitting = [text for text in (*texts, *_TEXTS, "x" * (kind.min_length or 0)) if _fits(kind, text)]
            if not fitting:
                raise ConformanceError(f"the kit knows no text for a field {name!r} with the pattern {kind.pattern!r}")
            drawn = fitting[0]
        return drawn

    def _length(self, kind: inspect.VarTupleType | inspect.ListType | inspect.DictType, depth: int) -> int:
        low = kind.min_length or 0
        high = kind.max_length if kind.max_length is not None else low + 3
        return low + (self._pick(min(high - low, 3) + 1) if depth < _DEPTH else 0)

    def _union(self, kind: inspect.UnionType, name: str, depth: int) -> object:
        choices = kind.types
        if depth >= _DEPTH and kind.includes_none:
            return None
        return self._make(choices[self._pick(len(choices))], name, depth)

    def _integer(self, kind: inspect.IntType | inspect.AnyType) -> int:
        lowest, high = bounds_of(kind) if isinstance(kind, inspect.IntType) else (None, None)
        low = lowest if lowest is not None else -2
        if high is not None:
            return low + self._pick(max(1, min(high - low + 1, _SMALL)))
        return _LARGE[self._pick(2)] if self._pick(8) == 0 else low + self._pick(_SMALL)


def bounds_of(kind: inspect.IntType) -> tuple[int | None, int | None]:
    """The least and the largest whole number that a type accepts, each None where it has no such bound."""
    low = kind.ge if kind.ge is not None else (kind.gt + 1 if kind.gt is not None else None)
    high = kind.le if kind.le is not None else (kind.lt - 1 if kind.lt is not None else None)
    return low, high


def _fits(kind: inspect.StrType, text: str) -> bool:
    long_enough = len(text) >= (kind.min_length or 0)
    short_enough = kind.max_length is None or len(text) <= kind.max_length
    return long_enough and short_enough and (kind.pattern is None or re.search(kind.pattern, text) is not None)


def fields_of(kind: type[msgspec.Struct]) -> dict[str, inspect.Type]:
    """The fields of a record's type, with the types that they declare."""
    info = inspect.type_info(kind)
    return {field.name: field.type for field in info.fields} if isinstance(info, inspect.StructType) else {}


def floats_and_sets(kind: inspect.Type) -> list[str]:
    """The paths of fields in a type whose values have no canonical form: floats, sets, raw JSON, any object."""
    found: list[str] = []
    _walk(kind, "", set(), found)
    return sorted(found)


def _walk(kind: inspect.Type, path: str, seen: set[type], found: list[str]) -> None:
    match kind:
        case inspect.Metadata():
            _walk(kind.type, path, seen, found)
        case inspect.StructType():
            if kind.cls in seen:
                return
            seen.add(kind.cls)
            for field in kind.fields:
                _walk(field.type, f"{path}.{field.name}".removeprefix("."), seen, found)
        case inspect.UnionType():
            for choice in kind.types:
                _walk(choice, path, seen, found)
        case inspect.TupleType():
            for item in kind.item_types:
                _walk(item, path, seen, found)
        case inspect.VarTupleType() | inspect.ListType():
            _walk(kind.item_type, path, seen, found)
        case inspect.DictType():
            _walk(kind.key_type, path, seen, found)
            _walk(kind.value_type, path, seen, found)
        case inspect.FloatType() | inspect.SetType() | inspect.FrozenSetType() | inspect.AnyType() | inspect.RawType():
            found.append(f"{path} ({type(kind).__name__.removesuffix('Type').lower()})")
        case _:
            return
