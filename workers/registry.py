"""The rulebooks that are installed: entry points of the group `tocsin.rulebooks`, ours and everybody's alike.

All or nothing: each plug-in is imported, checked against the contract and made ready to run before any is registered. A
bad one is named with its distribution and the reason, and then no registry comes about.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from workers.kernel.engine import Engine
from workers.kernel.errors import InvalidInput, TocsinError
from workers.rules.contract import LANGUAGES, Rulebook, check_rulebook
from workers.rules.resources import load_words, parse_scenario, scenario_text

GROUP = "tocsin.rulebooks"
"""The entry-point group: `name = "package:RULEBOOK"`, the name that of the rulebook."""


class PluginError(TocsinError):
    """Plug-ins that can't be registered: `problems` has a sentence for each, with its distribution and the reason."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


@dataclass(frozen=True, slots=True)
class Plugin:
    """A rulebook and the distribution that brought it (`name version`)."""

    rulebook: Rulebook
    distribution: str


class Registry:
    """The rulebooks by name, sorted, frozen."""

    __slots__ = ("plugins",)

    def __init__(self, plugins: Iterable[Plugin]) -> None:
        """Raises PluginError when two plug-ins bring a rulebook of one name."""
        found: dict[str, Plugin] = {}
        problems: list[str] = []
        for plugin in sorted(plugins, key=lambda plugin: (plugin.rulebook.name, plugin.distribution)):
            name = plugin.rulebook.name
            if name in found:
                others = f"{found[name].distribution} and {plugin.distribution}"
                problems.append(f"rulebook {name!r} is brought by {others}; one of them is accepted")
            found[name] = plugin
        if problems:
            raise PluginError(tuple(problems))
        self.plugins: Mapping[str, Plugin] = MappingProxyType(found)

    def get(self, name: str) -> Rulebook:
        """The rulebook of a name. Raises InvalidInput for a name that isn't registered, with those that are."""
        plugin = self.plugins.get(name)
        if plugin is None:
            raise InvalidInput("rulebook", f"unknown rulebook {name!r}", " or ".join(self) or "none: none is installed")
        return plugin.rulebook

    def __iter__(self) -> Iterator[str]:
        return iter(self.plugins)

    def __len__(self) -> int:
        return len(self.plugins)


def load_registry(points: Iterable[EntryPoint] | None = None) -> Registry:
    """Import and check every rulebook that is installed (or those of the entry points given).

    Raises PluginError naming each that is bad, with its distribution and the reason; then nothing is registered.
    """
    plugins: list[Plugin] = []
    problems: list[str] = []
    for point in sorted(entry_points(group=GROUP) if points is None else points, key=_place):
        try:
            plugins.append(Plugin(_load(point), _distribution(point)))
        except Exception as error:  # noqa: BLE001 a plug-in may fail in any way: the reason is told with its name
            problems.append(f"{_distribution(point)}, entry point {point.name} = {point.value}: {_reason(error)}")
    if problems:
        raise PluginError(tuple(problems))
    return Registry(plugins)


def _load(point: EntryPoint) -> Rulebook:
    rulebook = point.load()
    check_rulebook(rulebook)
    if rulebook.name != point.name:
        raise InvalidInput("name", f"the entry point is called {point.name!r}", repr(rulebook.name))
    Engine(rulebook)
    for language in LANGUAGES:
        load_words(rulebook, language)
    for name in rulebook.scenarios:
        parse_scenario(rulebook, scenario_text(rulebook, name))
    checked: Rulebook = rulebook
    return checked


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, TocsinError) else f"{type(error).__name__}: {error}"


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "no distribution"


def _place(point: EntryPoint) -> tuple[str, str, str]:
    return (point.name, _distribution(point), point.value)
