"""Rulebooks come by entry points: all of them checked, or none registered."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution, entry_points
from pathlib import Path

import pytest

from tests.sample_plugin.installation import install_lantern, visible, write_plugin
from workers.kernel.errors import InvalidInput
from workers.registry import GROUP, Plugin, PluginError, Registry, load_registry
from workers.rules.contract import Rulebook

# A module of a made-up plug-in: the sample rulebook with something changed.
CHANGED = "from dataclasses import replace\nfrom lantern import RULEBOOK as LANTERN\nRULEBOOK = replace(LANTERN, {})\n"


@pytest.fixture(scope="module")
def lantern_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = install_lantern(tmp_path_factory.mktemp("plugin"))
    with visible(folder):
        yield folder


@pytest.fixture
def site(lantern_site: Path, tmp_path: Path) -> Iterator[Path]:
    """A place for made-up plug-ins beside the sample one."""
    with visible(tmp_path):
        yield tmp_path


def load(*names: str) -> Registry:
    points = entry_points(group=GROUP)
    return load_registry(point for name in names for point in points.select(name=name))


def problems(*names: str) -> tuple[str, ...]:
    with pytest.raises(PluginError) as found:
        load(*names)
    return found.value.problems


def test_every_rulebook_that_is_installed_is_registered_by_name_sorted(lantern_site: Path) -> None:
    ours = {point.name for point in distribution("tocsin").entry_points.select(group=GROUP)}
    registry = load_registry()

    assert sorted({*ours, "lantern"}) == list(registry)
    assert len(ours) + 1 == len(registry)
    assert all(name == registry.get(name).name for name in registry)


def test_a_plugin_in_its_own_distribution_is_registered_like_ours(lantern_site: Path) -> None:
    registry = load("lantern")

    assert "lantern" == registry.get("lantern").name
    assert "tocsin-lantern 1.0.0" == registry.plugins["lantern"].distribution


def test_an_unknown_name_is_refused_with_the_names_that_would_be_accepted(site: Path) -> None:
    write_plugin(site, "beacon", "beacon = beacon:RULEBOOK", CHANGED.format("name='beacon'"))
    registry = load("lantern", "beacon")

    with pytest.raises(InvalidInput) as found:
        registry.get("chess")

    assert ("rulebook", "unknown rulebook 'chess'", "beacon or lantern") == (
        found.value.field,
        found.value.problem,
        found.value.accepted,
    )


def test_without_any_plugin_the_refusal_says_so() -> None:
    with pytest.raises(InvalidInput, match="none is installed"):
        load_registry([]).get("lantern")


def test_a_registry_can_not_be_changed(lantern_site: Path) -> None:
    registry = load("lantern")

    with pytest.raises(TypeError):
        registry.plugins["chess"] = registry.plugins["lantern"]  # type: ignore[index]  # what must not work
    with pytest.raises(AttributeError):
        registry.chess = registry.get("lantern")  # type: ignore[attr-defined]  # what must not work


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("import there_is_no_such_module", "ModuleNotFoundError: No module named"),
        ("def f(:", "SyntaxError: invalid syntax"),
        ("RULES = 1", "AttributeError: module 'broken' has no attribute 'RULEBOOK'"),
        ("RULEBOOK = {'name': 'broken'}", "gives a dict, a Rulebook is accepted"),
        (CHANGED.format("name='Broken'"), "the name is a lower-case identifier"),
        (CHANGED.format("name='mended'"), "the entry point is called 'broken'"),
        (CHANGED.format("name='broken', version=''"), "the version is not empty"),
        (CHANGED.format("name='broken', camps=('a', 'a')"), "camps are distinct"),
        (CHANGED.format("name='broken', camps=('Sea folk',)"), "camp 'Sea folk' is a lower-case identifier"),
        (CHANGED.format("name='broken', phases=()"), "at least one phase"),
        (CHANGED.format("name='broken', orders=LANTERN.orders[:0]"), "at least one kind of order"),
        (CHANGED.format("name='broken', phases=LANTERN.phases[1:]"), "none plays ['hand', 'row']"),
        (CHANGED.format("name='broken', events=LANTERN.events[1:]"), "a row for Stowed, which is not among the events"),
        (CHANGED.format("name='broken', package='email'"), "FileNotFoundError"),
        (CHANGED.format("name='broken', scenarios=('storm',)"), "storm.toml"),
        (CHANGED.format("name='broken', scenarios=()"), "at least one scenario ships"),
    ],
)
def test_a_bad_plugin_is_named_with_its_distribution_and_the_reason(site: Path, module: str, reason: str) -> None:
    write_plugin(site, "broken", "broken = broken:RULEBOOK", module, version="2.7")

    (problem,) = problems("broken")

    assert problem.startswith("broken 2.7, entry point broken = broken:RULEBOOK: ")
    assert reason in problem


def test_one_bad_plugin_leaves_nothing_half_registered(site: Path) -> None:
    write_plugin(site, "broken", "broken = broken:RULEBOOK", "raise RuntimeError('not today')")
    write_plugin(site, "worse", "worse = worse:RULEBOOK", "RULEBOOK = None")

    both = problems("lantern", "worse", "broken")

    assert ["broken 0.1", "worse 0.1"] == [problem.partition(",")[0] for problem in both]


def test_two_distributions_that_bring_one_name_are_both_named(site: Path) -> None:
    write_plugin(site, "copycat", "lantern = copycat:RULEBOOK", CHANGED.format("version='9'"))

    (problem,) = problems("lantern")

    assert "rulebook 'lantern' is brought by copycat 0.1 and tocsin-lantern 1.0.0; one of them is accepted" == problem


def test_a_registry_can_be_made_of_rulebooks_at_hand(lantern_site: Path) -> None:
    rulebook: Rulebook = load("lantern").get("lantern")

    assert ["lantern"] == list(Registry([Plugin(rulebook, "made for a test")]))


def test_importing_the_registry_loads_no_rulebook() -> None:
    program = (
        "import json, sys, workers.registry; "
        "print(json.dumps(sorted(name for name in sys.modules if name.startswith('workers.rules.'))))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout

    assert ["workers.rules.contract", "workers.rules.resources"] == json.loads(loaded)
