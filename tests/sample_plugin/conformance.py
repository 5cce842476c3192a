"""Lantern keeps what every rulebook keeps. Run it with `pytest conformance.py`, the plug-in installed."""

from pathlib import Path

import pytest
from lantern import RULEBOOK  # type: ignore[import-not-found]  # it is installed where this runs

from workers.rules.conformance import CHECKS, Conformance

GAMES = {path.stem: path.read_bytes() for path in sorted((Path(__file__).parent / "games").glob("*.json"))}
KIT = Conformance(RULEBOOK, GAMES, open_sums=("landed", "seized", "noise/"))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_lantern_conforms(check):
    check(KIT)
