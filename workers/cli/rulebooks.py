"""The rulebooks that are installed, for verbs that work without a server."""

from workers.kernel.errors import InvalidInput
from workers.registry import Registry, load_registry
from workers.rules.contract import LANGUAGES


def installed() -> Registry:
    """The rulebooks by name. Raises PluginError for one that can't be registered."""
    return load_registry()


def check_language(language: str) -> str:
    """The language, if any rulebook speaks it. Raises InvalidInput naming the option."""
    if language not in LANGUAGES:
        raise InvalidInput("--lang", f"unknown language {language!r}", " or ".join(LANGUAGES))
    return language
