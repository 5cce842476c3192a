"""The Veil keeps what every rulebook keeps: K1–K9 as the conformance kit checks them, over games."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from workers.kernel.dice import Stream
from workers.kernel.entities import State
from workers.kernel.events import Event
from workers.kernel.orders import Booked
from workers.rules.conformance import CHECKS, Conformance
from workers.rules.veil import RULEBOOK
from workers.rules.veil.events import Rolled
from workers.rules.veil.orders import Counter, Intel
from workers.rules.veil.tables import OPPONENT

GAMES = {path.stem: path.read_bytes() for path in sorted((Path(__file__).parent / "games").glob("*.json"))}

OPEN_SUMS = ("angel/", "demon/", "divine/", "satanic/", "noise/", "servants")
"""What a zone's influence, its seals and the inquest come from: everybody may read these, or fresh intel shows them."""


def outcome_of(booked: Booked[Any, Any], events: Sequence[Event]) -> str | None:
    """The outcome as the odds name it: a success by its quality."""
    for event in events:
        if isinstance(event, Rolled) and event.order == booked.id:
            roll = event.roll
            return f"quality_{roll.quality}" if roll.outcome == "success" else roll.outcome
    return None


def disturb(state: State[Any], orders: Sequence[Booked[Any, Any]], camp: str, stream: Stream) -> Iterable[State[Any]]:
    """What lies hidden in what a camp knows: the influence of zones on which it has no intel, the other camp's intel,
    and whether its own missions are detected (where no counter asks)."""
    enemy = OPPONENT[camp]
    asked = {booked.order.zone for booked in orders if booked.camp == camp and isinstance(booked.order, Intel)}
    for name in sorted(state.shared.zones):
        if name not in asked and state.shared.intel_of(camp, name) is None:
            state.shared.zones[name].influence = stream.below(201) - 100
    yield state
    for held in state.shared.intel.get(enemy, {}).values():
        held.influence, held.coverage = stream.below(201) - 100, bool(stream.below(2))
    yield state
    if not any(isinstance(booked.order, Counter) for booked in orders):
        for home in state.homes.values():
            for mission in home.missions if home.camp == camp else ():
                mission.by_intel = not mission.by_intel
        yield state


KIT = Conformance(RULEBOOK, GAMES, ticks=2, outcome_of=outcome_of, disturb=disturb, open_sums=OPEN_SUMS)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_veil_conforms_to_K1_to_K9(check: Callable[[Conformance], None]) -> None:
    check(KIT)
