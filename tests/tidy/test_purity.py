"""What import-linter can't see of purity: built-in functions, and the impure corners of otherwise pure packages."""

import ast

import pytest

from tests.tidy.repository import name, python_files, tree

# `hash` and `id` differ from one process to the next; the others read, write or run what isn't in the arguments.
CALLS = {"open", "input", "print", "eval", "exec", "compile", "__import__", "breakpoint", "hash", "id"}
# Of these packages only the modules named are pure: packaged data files (words, scenarios), and text functions.
CORNERS = {"importlib": {"importlib.resources"}, "urllib": {"urllib.parse"}}
SETS = {"set", "frozenset"}


def is_set(node: ast.expr) -> bool:
    return isinstance(node, ast.Set | ast.SetComp) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SETS
    )


def imported(statement: ast.Import | ast.ImportFrom) -> list[str]:
    parent = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
    return [f"{parent}{alias.name}" for alias in statement.names]


def impure_import(module: str) -> bool:
    allowed = CORNERS.get(module.partition(".")[0])
    return allowed is not None and not any(module == pure or module.startswith(f"{pure}.") for pure in allowed)


def impurities(module: ast.Module) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(module):
        match node:
            case ast.Import() | ast.ImportFrom():
                found += [(node.lineno, f"imports {name}") for name in imported(node) if impure_import(name)]
            case ast.Call(func=ast.Name(id=called)) if called in CALLS:
                found.append((node.lineno, f"calls {called}"))
            case ast.Call(func=ast.Name(id="list" | "tuple" | "iter" | "next"), args=[argument]) if is_set(argument):
                found.append((node.lineno, "depends on the order of a set"))
            case ast.For(iter=source) if is_set(source):
                found.append((node.lineno, "depends on the order of a set"))
            case ast.ListComp(generators=sources) | ast.DictComp(generators=sources) if any(
                is_set(s.iter) for s in sources
            ):
                found.append((node.lineno, "depends on the order of a set"))
    return found


def test_the_kernel_and_the_rules_call_nothing_impure() -> None:
    found = {name(path): impurities(tree(path)) for path in python_files("workers/kernel", "workers/rules")}

    assert {} == {path: lines for path, lines in found.items() if lines}


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("hash('a')", "calls hash"),
        ("open('words.toml')", "calls open"),
        ("import urllib.request", "imports urllib.request"),
        ("from urllib import request", "imports urllib.request"),
        ("import importlib", "imports importlib"),
        ("from importlib import import_module", "imports importlib.import_module"),
        ("for zone in {1, 2}: pass", "depends on the order of a set"),
        ("[zone for zone in set(zones)]", "depends on the order of a set"),
        ("list(frozenset(zones))", "depends on the order of a set"),
    ],
)
def test_an_impurity_is_found(source: str, what: str) -> None:
    assert [(1, what)] == impurities(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "from importlib import resources",
        "import importlib.resources",
        "from urllib.parse import quote",
        "sorted(set(zones))",
        "self.open('gate')",
        "all(zone for zone in set(zones))",
    ],
)
def test_what_is_pure_is_left_alone(source: str) -> None:
    assert [] == impurities(ast.parse(source))
