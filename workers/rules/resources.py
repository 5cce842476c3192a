"""What a rulebook ships as data: its words, a file a language, and its scenarios, a file each, both in TOML."""

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from workers.kernel.errors import InvalidInput, invalid_from
from workers.kernel.words import Words
from workers.rules.contract import LANGUAGES, Rulebook


def load_words(rulebook: Rulebook, language: str) -> Words:
    """The words of a language. Raises InvalidInput for a language that no rulebook speaks."""
    if language not in LANGUAGES:
        raise InvalidInput("language", f"unknown language {language!r}", " or ".join(LANGUAGES))
    return _words(rulebook.package, language)


@cache
def _words(package: str, language: str) -> Words:
    text = files(package).joinpath("words", f"{language}.toml").read_text(encoding="utf-8")
    return msgspec.convert({"language": language, **tomllib.loads(text)}, Words)


def scenario_text(rulebook: Rulebook, name: str) -> str:
    """The TOML text of a scenario that ships. Raises InvalidInput for a name that doesn't."""
    if name not in rulebook.scenarios:
        raise InvalidInput("scenario", f"unknown scenario {name!r}", ", ".join(rulebook.scenarios))
    return files(rulebook.package).joinpath("scenarios", f"{name}.toml").read_text(encoding="utf-8")


def parse_scenario(rulebook: Rulebook, text: str) -> msgspec.Struct:
    """The scenario of a TOML text. Raises InvalidInput naming the field and what would be accepted."""
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("scenario", f"not TOML: {error}", "a TOML document") from error
    return convert_scenario(rulebook, plain)


def convert_scenario(rulebook: Rulebook, plain: object) -> msgspec.Struct:
    """The scenario of plain data (from TOML or JSON). Raises InvalidInput naming the field."""
    try:
        return msgspec.convert(plain, rulebook.scenario)
    except msgspec.ValidationError as error:
        raise invalid_from(error, "scenario") from error
