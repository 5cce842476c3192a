"""The commands that pages and deploy files tell exist, with the options that they are given."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from tests.docs.pages import ROOT, fences, name, pages, spans
from workers.cli.program import app

SHELL = ("sh", "bash")
TOCSIN = get_command(app)
FLAG = re.compile(r"--[a-z][a-z-]*")


def lines(page: Path) -> Iterator[str]:
    """Command lines of a page: of its shell blocks, and of its prose."""
    for _, text in fences(page, *SHELL):
        without_files = re.sub(r"<<'(\w+)'\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
        yield from without_files.replace("\\\n", " ").splitlines()
    yield from spans(page)


def commands(page: Path, program: str) -> Iterator[list[str]]:
    """The words after a program's name, wherever a page calls it."""
    for line in lines(page):
        for part in re.split(r"[|&;]+|\$\(", line):
            words = part.split()
            if words and words[0].removeprefix(".venv/bin/").removeprefix("/opt/tocsin/bin/") == program:
                yield words[1:]


def unknown(words: list[str]) -> str:
    """What a call of `tocsin` names that isn't there; empty where all is well."""
    command = TOCSIN
    for word in words:
        if word.startswith("-") or not hasattr(command, "commands"):
            break
        if word not in command.commands:
            return word
        command = command.commands[word]
    options = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    return " ".join(flag for word in words for flag in FLAG.findall(word) if flag not in options)


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_call_of_tocsin_names_a_verb_and_options_that_exist(page: Path) -> None:
    wrong = {" ".join(words): what for words in commands(page, "tocsin") if (what := unknown(words))}

    assert wrong == {}


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {word for words in commands(page, "make") for word in words}

    assert {target for word in named for target in re.findall(r"[a-z]+", word)} <= targets


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_script_that_a_page_runs_exists(page: Path) -> None:
    scripts = [words[0] for words in commands(page, "sh") if words]

    assert [script for script in scripts if not (ROOT / script).exists()] == []


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("orders send quays a.json --atomic", ""),
        ("orders sent quays", "sent"),
        ("replay x.zst --shards 1", "--shards"),
        ("fly", "fly"),
    ],
)
def test_a_wrong_call_would_be_found(call: str, what: str) -> None:
    assert unknown(shlex.split(call)) == what
