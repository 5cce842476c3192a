"""The golden games as tests read them: two ticks each, as bundles."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workers.kernel.engine import Engine
from workers.kernel.entities import Slice
from workers.kernel.tick import TickResult, resolve
from workers.rules.bundle import load_bundle
from workers.rules.contract import Rulebook
from workers.rules.uprising import RULEBOOK

HERE = Path(__file__).parent
GAMES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((HERE / "games").glob("*.json"))}
DIGESTS = json.loads((HERE / "digests.json").read_text(encoding="utf-8"))
ENGINE = Engine(RULEBOOK)
Plain = Mapping[str, Any]


def find(name: str) -> Rulebook:
    assert name == "uprising"
    return RULEBOOK


def resolved(name: str, slices: int = 1) -> TickResult:
    return resolve(ENGINE, load_bundle(json.dumps(GAMES[name]).encode(), find, slices).given)


def events(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for step in resolved(name).steps for line in step.events]


def told(name: str, **fields: Any) -> list[dict[str, Any]]:
    return [event for event in events(name) if all(event.get(field) == value for field, value in fields.items())]


def one(name: str, **fields: Any) -> dict[str, Any]:
    (found,) = told(name, **fields)
    return found


def homes_after(result: TickResult) -> dict[str, Any]:
    return {key: json.loads(line) for data in result.slices for key, line in Slice.parse(data).lines.items()}


def void(name: str) -> dict[str, str]:
    return {event["order"]: event["reason"] for event in told(name, event="order_void")}
