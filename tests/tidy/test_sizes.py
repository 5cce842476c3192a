"""Files and functions fit in a head."""

import ast

from tests.tidy.repository import PACKAGES, files, name, python_files, text_lines, tree, within

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 70
SOURCES = {".py", ".lua", ".html", ".js", ".css"}


def long_functions(module: ast.Module) -> list[tuple[str, int]]:
    functions = (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    lengths = ((node.name, (node.end_lineno or node.lineno) - node.lineno + 1) for node in functions)
    return [(function, lines) for function, lines in lengths if lines > MAX_FUNCTION_LINES]


def test_no_source_file_is_longer_than_500_lines() -> None:
    sources = (path for path in files() if path.suffix in SOURCES and within(path, *PACKAGES))
    lengths = {name(path): sum(1 for _ in text_lines(path)) for path in sources}

    assert {} == {path: lines for path, lines in lengths.items() if lines > MAX_FILE_LINES}


def test_no_function_is_longer_than_70_lines() -> None:
    found = {name(path): long_functions(tree(path)) for path in python_files(*PACKAGES)}

    assert {} == {path: functions for path, functions in found.items() if functions}


def test_a_function_of_71_lines_is_found_and_one_of_70_is_not() -> None:
    source = "def at_the_limit():\n" + "    pass\n" * 69 + "async def beyond():\n" + "    pass\n" * 70

    assert [("beyond", 71)] == long_functions(ast.parse(source))
