"""The pins: each release exact and hashed, no address, and in step with what pyproject.toml asks for."""

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tidy.repository import ROOT

FILES = ("runtime.txt", "dev.txt")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def entries(file: str) -> list[str]:
    """Each requirement of a file as one line, its hashes with it."""
    text = (ROOT / "requirements" / file).read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def pins(file: str) -> dict[str, str]:
    requirements = (Requirement(HASH.sub("", entry).strip()) for entry in entries(file))
    return {canonicalize_name(requirement.name): str(requirement.specifier) for requirement in requirements}


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def unmet(asked: list[str], pinned: dict[str, str]) -> list[str]:
    def met(requirement: Requirement) -> bool:
        pin = pinned.get(canonicalize_name(requirement.name), "")
        return pin.startswith("==") and requirement.specifier.contains(pin.removeprefix("=="), prereleases=True)

    return [text for text in asked if not met(Requirement(text))]


@pytest.mark.parametrize("file", FILES)
def test_every_pin_is_exact_and_hashed(file: str) -> None:
    assert [] == [entry for entry in entries(file) if "==" not in entry or not HASH.search(entry)]


@pytest.mark.parametrize("file", FILES)
def test_no_requirement_names_an_address_or_an_option(file: str) -> None:
    text = (ROOT / "requirements" / file).read_text(encoding="utf-8")

    assert [] == re.findall(r"\S*(?:://|^--?[a-z]|\s-(?:i|f|e)\s|--(?!hash=)[a-z])\S*", text, flags=re.MULTILINE)


def test_what_the_project_asks_for_is_pinned_within_what_it_allows() -> None:
    assert [] == unmet(project()["dependencies"], pins("runtime.txt"))


def test_what_its_developers_need_is_pinned_within_what_it_allows() -> None:
    extras = project()["optional-dependencies"]

    assert [] == unmet([*project()["dependencies"], *extras["dev"]], pins("dev.txt"))


def test_users_and_developers_run_the_same_releases() -> None:
    assert pins("runtime.txt").items() <= pins("dev.txt").items()


def test_a_pin_that_is_missing_or_too_old_is_found() -> None:
    assert ["redis>=6.4,<9", "absent"] == unmet(
        ["redis>=6.4,<9", "absent", "rich>=14"], {"redis": "==5.0", "rich": "==15.0"}
    )
