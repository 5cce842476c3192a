"""Anarchy keeps what every rulebook keeps: K1–K9 as the conformance kit checks them, over its games and its own play."""

from collections.abc import Callable
from pathlib import Path

import pytest

from workers.rules.anarchy import RULEBOOK
from workers.rules.conformance import CHECKS, Conformance

GAMES = {path.stem: path.read_bytes() for path in sorted((Path(__file__).parent / "games").glob("*.json"))}

KIT = Conformance(RULEBOOK, GAMES)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_anarchy_conforms_to_K1_to_K9(check: Callable[[Conformance], None]) -> None:
    check(KIT)
