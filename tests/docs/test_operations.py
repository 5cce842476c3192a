"""What an operator is told to look for is what the processes really say."""

import re

import msgspec
import pytest

from tests.docs.pages import DOCS, ROOT, spans, tables
from workers.service.problems import CODES
from workers.store.records import Failure

RUNBOOK = ROOT / "deploy" / "runbook.md"
RETRY = DOCS / "how-to" / "retry-a-failed-tick.md"


def said() -> set[str]:
    """Every text that a process logs."""
    sources = [
        path.read_text(encoding="utf-8") for package in ("workers", "api") for path in (ROOT / package).rglob("*.py")
    ]
    return {text for source in sources for text in re.findall(r'log\.\w+\(\s*"([^"]+)"', source)}


@pytest.mark.parametrize("line", ["tick failed", "close refused: the archive is behind", "campaign can't be nudged"])
def test_the_lines_to_look_for_in_a_log_are_logged(line: str) -> None:
    assert line in spans(RUNBOOK)
    assert line in said()


@pytest.mark.parametrize("name", ["ArchiveConflict", "WrongRulebook"])
def test_the_errors_to_look_for_in_a_log_exist(name: str) -> None:
    assert name in spans(RUNBOOK)
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "workers").rglob("*.py")]
    assert any(f"class {name}(" in source for source in sources)


@pytest.mark.parametrize(
    "code", ["server_full", "server_unreachable", "tick_not_closable", "too_many_requests", "too_many_streams"]
)
def test_the_problem_codes_of_the_runbook_are_the_apis(code: str) -> None:
    assert code in spans(RUNBOOK)
    assert code in CODES


def test_a_failure_is_told_field_by_field() -> None:
    (table,) = tables(RETRY)
    named = {field for row in table[1:] for field in re.findall(r"`([\w.]+)`", row[0])}
    source = (ROOT / "workers" / "service" / "quarantine.py").read_text(encoding="utf-8")

    inner = {name.removeprefix("details.") for name in named if name.startswith("details.")}

    assert {name for name in named if "." not in name} | {"details"} == {
        field.name for field in msgspec.structs.fields(Failure)
    }
    assert {name for name in inner if f'"{name}"' not in source} == set()
