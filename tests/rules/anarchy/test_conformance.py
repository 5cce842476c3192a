"""Anarchy keeps what every rulebook keeps: K1–K9, as the conformance kit checks them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from workers.kernel.dice import Stream
from workers.kernel.entities import State
from workers.kernel.events import Event
from workers.kernel.orders import Booked
from workers.rules.anarchy import RULEBOOK
from workers.rules.anarchy.entities import PLAYERS, Trait
from workers.rules.anarchy.events import Attacked, Tried
from workers.rules.conformance import CHECKS, Conformance

TURNS = "duel-1 bodyguard-1 heist-1 relay-1 purse-1 shadows-1 curtain-2 curtain-3 curtain-4"
"""A Turn of each golden game; of the curtain those that join, start, open and place."""
GAMES = {name: (Path(__file__).parent / "games" / f"{name}.json").read_bytes() for name in TURNS.split()}


def outcome_of(booked: Booked[Any, Any], events: Sequence[Event]) -> str | None:
    """The outcome of an order's own roll as the odds name it: with its exploits and complications."""
    for event in events:
        if isinstance(event, Attacked | Tried) and event.order == booked.id:
            worse = "+complication" if event.roll.complications else ""
            return event.outcome + ("+exploit" if event.roll.exploits else "") + worse
    return None


def disturb(state: State[Any], orders: Sequence[Booked[Any, Any]], camp: str, stream: Stream) -> Iterable[State[Any]]:
    """What is hidden from the players: traits on the GM's sheets that give no dice, gear and stun of who hides and does
    nothing, and the GM's characters in the wings."""
    if camp != PLAYERS:
        return
    active = {getattr(booked.order, "character", "") for booked in orders}
    for home in state.homes.values():
        if home.scene is not None:
            for character in home.scene.characters.values():
                if not character.player:
                    traits = (*character.sheet.traits, Trait("behaviour", "whistles"))
                    character.sheet = msgspec.structs.replace(character.sheet, traits=traits)
                if character.hidden and character.id not in active:
                    character.stun = stream.below(character.sheet.stun - 1)
                    character.place = stream.below(len(home.scene.places))
    yield state
    for home in state.homes.values():
        for character in home.mission.wings.values() if home.mission is not None else ():
            if not character.player:
                character.luck += 1
    yield state


KIT = Conformance(RULEBOOK, GAMES, outcome_of=outcome_of, disturb=disturb)
"""Over the mission of two scenes and the convention of fifty tables."""


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_anarchy_conforms_to_K1_to_K9(check: Callable[[Conformance], None]) -> None:
    check(KIT)
