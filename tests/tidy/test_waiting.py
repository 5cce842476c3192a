"""Tests wait for what they need, with a limit; they don't sleep and hope."""

import ast

import pytest

from tests.tidy.repository import name, python_files, tree


def sleeps(module: ast.Module) -> list[int]:
    """The lines that call something named `sleep`, or import it under another name."""
    lines = []
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id="sleep") | ast.Attribute(attr="sleep")):
                lines.append(node.lineno)
            case ast.ImportFrom(names=names) if any(alias.name == "sleep" for alias in names):
                lines.append(node.lineno)
    return lines


def test_no_test_sleeps() -> None:
    found = {name(path): sleeps(tree(path)) for path in python_files("tests")}

    assert {} == {path: lines for path, lines in found.items() if lines}


@pytest.mark.parametrize(
    "source", ["time.sleep(1)", "sleep(1)", "await asyncio.sleep(0)", "from time import sleep as rest"]
)
def test_a_sleep_is_found(source: str) -> None:
    assert [2] == sleeps(ast.parse(f"async def test():\n    {source}\n"))


def test_waiting_for_an_event_is_left_alone() -> None:
    assert [] == sleeps(ast.parse("done.wait(timeout=5)\nsleeper = 3\n"))
