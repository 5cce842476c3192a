"""Real documents, changed as a bad editor, a bad disk or an enemy would: fields dropped, retyped, renamed, doubled."""

import json
from random import Random
from typing import Any

STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 255, 10**6, 2**31, 2**53, 2**63 - 1, -(2**63), 10**30, 1.5, 1e308, "", "x", "../../a", "/etc",
    "\0", "a#b", "a/b", "é", "e\u0301", "\u202e", "<b>&", "x" * 5_000, [], {}, [[]], {"a": 1}, [[[[[[]]]]]],
)  # fmt: skip
CHANGES_MAX = 3


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside a document."""
    found = [at] if at else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        found += places(one, (*at, key))
    return found


def value_at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def change(document: Any, random: Random) -> None:
    """Change one place of a document."""
    where = places(document)
    if not where:
        return
    path = random.choice(where)
    parent, key = value_at(document, path[:-1]), path[-1]
    old = parent[key]
    copied = json.loads(json.dumps(value_at(document, random.choice(where))))
    match random.randrange(6):
        case 0:
            del parent[key]
        case 1:
            parent[key] = random.choice(STRANGE)
        case 2 if isinstance(parent, dict):
            parent[f"{key}x"] = parent.pop(key)
        case 3 if isinstance(parent, list):
            parent.append(json.loads(json.dumps(old)))
        case 4:
            parent[key] = near(old, document, random)
        case _:
            parent[key] = copied


def near(old: Any, document: Any, random: Random) -> Any:
    """Another value of the same type: what a reader of types alone lets through."""
    alike = [value for value in (value_at(document, path) for path in places(document)) if type(value) is type(old)]
    return json.loads(json.dumps(random.choice(alike))) if alike else old


def mutated(text: str | bytes, random: Random) -> bytes:
    """A document with up to three changes, as bytes."""
    document = json.loads(text)
    for _ in range(random.randint(1, CHANGES_MAX)):
        change(document, random)
    return json.dumps(document).encode()


def broken(data: bytes, random: Random) -> bytes:
    """A file that is no longer what it was, by its bytes alone."""
    place = random.randrange(len(data))
    match random.randrange(7):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]
        case 2:
            return data[:place] + b"\xff\xfe" + data[place:]
        case 3:
            return data[:place] + data[max(0, place - 50) :]
        case 4:
            return data.replace(b"1", b"9" * 5_000, 1)
        case 5:
            return data.replace(b"1", b"NaN", 1)
        case _:
            return data[:place] + b"[" * 50_000
