"""The reference of the command line names every verb, argument and option, and none that isn't there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.cli.world import Cli
from workers.cli.program import app

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
HEADING = re.compile(r"^### `(tocsin [a-z ]+)`$", re.MULTILINE)
EVERYWHERE = {"--help"}


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every verb below a command, by its full name."""
    below = getattr(command, "commands", None)
    if below is None:
        yield name, command
        return
    for word, inner in below.items():
        yield from commands(inner, f"{name} {word}")


VERBS = dict(commands(get_command(app), "tocsin"))


def sections() -> dict[str, str]:
    """The text below each verb's heading."""
    parts = HEADING.split(REFERENCE.read_text(encoding="utf-8"))
    return {name: text.partition("\n## ")[0] for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_the_reference_has_a_section_for_every_verb_and_for_nothing_else() -> None:
    assert sorted(VERBS) == sorted(sections())


@pytest.mark.parametrize("verb", list(VERBS))
def test_a_section_names_every_option_and_argument_of_its_verb(verb: str) -> None:
    text = sections()[verb]
    for parameter in VERBS[verb].params:
        if set(parameter.opts) & EVERYWHERE:
            continue
        is_option = parameter.opts[0].startswith("--")
        wanted = parameter.opts[0] if is_option else (parameter.metavar or parameter.name).strip("[]…")
        assert f"`{wanted}`" in text, wanted


@pytest.mark.parametrize("verb", list(VERBS))
def test_a_section_names_no_option_that_its_verb_has_not(verb: str) -> None:
    known = {option for parameter in VERBS[verb].params for option in parameter.opts}
    named = set(re.findall(r"`(--[a-z-]+)", sections()[verb]))

    assert set() == named - known


@pytest.mark.parametrize("verb", list(VERBS))
def test_every_verb_says_what_it_does(cli: Cli, verb: str) -> None:
    result = cli(*verb.split()[1:], "--help")

    assert 0 == result.exit_code
    assert VERBS[verb].help.splitlines()[0].split()[0] in result.stdout
