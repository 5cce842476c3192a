"""`workers` and `api` are plain words: nobody else may own them where we are installed."""

import importlib
from importlib.metadata import distribution, packages_distributions

import pytest

from tests.tidy.repository import PACKAGES, ROOT


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_distribution_owns_our_top_level_names(package: str) -> None:
    owners = set(packages_distributions().get(package, []))

    assert owners <= {"tocsin"}


@pytest.mark.parametrize("package", PACKAGES)
def test_our_names_import_from_this_tree(package: str) -> None:
    module = importlib.import_module(package)

    assert str(ROOT / package / "__init__.py") == module.__file__


def test_the_command_and_the_rulebooks_are_declared_as_entry_points() -> None:
    declared = {(point.group, point.name): point.value for point in distribution("tocsin").entry_points}

    assert "workers.cli:main" == declared["console_scripts", "tocsin"]
    assert "workers.rules.veil:RULEBOOK" == declared["tocsin.rulebooks", "veil"]
