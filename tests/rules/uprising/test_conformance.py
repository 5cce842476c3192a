"""The Uprising keeps what every rulebook keeps: K1–K9 as the conformance kit checks them, over games."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from workers.kernel.dice import Stream
from workers.kernel.entities import State
from workers.kernel.events import Event
from workers.kernel.orders import Booked
from workers.rules.conformance import CHECKS, Conformance, digests
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.events import (
    ArrestTried,
    AssassinationTried,
    AssaultFought,
    AssaultRolled,
    ContestTried,
    GambleTried,
    RaidTried,
    RallyTried,
    UnitStruck,
)
from workers.rules.uprising.orders import Move

GAMES = {path.stem: path.read_bytes() for path in sorted((Path(__file__).parent / "games").glob("*.json"))}

OPEN_SUMS = ("heat", "active")
"""The Heat is everybody's to read, and so is what it cools by."""

Tried = ArrestTried | AssassinationTried | AssaultRolled | ContestTried | GambleTried | RaidTried | RallyTried


def outcome_of(booked: Booked[Any, Any], events: Sequence[Event]) -> str | None:
    """The outcome as the odds name it: of an assault, who won and how many fell that both sides see."""
    for event in events:
        if isinstance(event, Tried) and booked.id in event.orders:
            if isinstance(event, AssaultRolled):
                return _assault(events)
            if isinstance(event, ArrestTried):
                return "failure" if event.outcome == "failed" else "success"
            return event.outcome
    return None


def _assault(events: Sequence[Event]) -> str:
    fallen = [struck.outcome for struck in events if isinstance(struck, UnitStruck) and struck.witnessed]
    won = any(isinstance(event, AssaultFought) and event.outcome == "won" for event in events)
    if not won:
        struck = next(event for event in events if isinstance(event, UnitStruck))
        return f"lost_{struck.outcome}"
    return f"won_{fallen.count('fallen')}"


def disturb(state: State[Any], orders: Sequence[Booked[Any, Any]], camp: str, stream: Stream) -> Iterable[State[Any]]:
    """Hidden enemies of a camp in districts where nothing happens to them: no order there or next door, and nobody of
    the camp who searches there.
    """
    busy = {booked.home for booked in orders} | {
        booked.order.target for booked in orders if isinstance(booked.order, Move)
    }
    watched = searched(state, camp)
    for name in sorted(state.homes):
        if name in watched or {name, *state.shared.ground[name].neighbours} & busy:
            continue
        for unit in state.homes[name].units.values():
            if unit.hidden and unit.active and unit.camp != camp:
                changed = msgspec.structs.replace(
                    unit, force=stream.below(9), stealth=stream.below(9), bodyguards=stream.below(9)
                )
                home = msgspec.structs.replace(state.homes[name], units={**state.homes[name].units, unit.id: changed})
                yield State(state.shared, {**state.homes, name: home})


def searched(state: State[Any], camp: str) -> set[str]:
    """The districts that a camp's spies and informers reach."""
    found: set[str] = set()
    for name, home in state.homes.items():
        for unit in home.units.values():
            if unit.camp == camp and (unit.spy or unit.informer):
                found |= {name, *(state.shared.ground[name].neighbours if unit.search_neighbours else ())}
    return found


KIT = Conformance(RULEBOOK, GAMES, ticks=2, outcome_of=outcome_of, disturb=disturb, open_sums=OPEN_SUMS)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_uprising_conforms(check: Callable[[Conformance], None]) -> None:
    """K1, K2, K3, K4, K5, K6, K7, K8, K9, as they are checked for every rulebook."""
    check(KIT)


def test_hidden_enemies_were_changed_in_some_game() -> None:
    changed = 0
    for game, _ in KIT.traces:
        for camp in RULEBOOK.camps:
            stream = KIT.stream(game.name, camp)
            changed += len(list(disturb(game.state(KIT.engine), game.given.orders, camp, stream)))

    assert changed >= 4


def test_the_uprising_plays_on_in_other_processes_whatever_their_hash_seed() -> None:
    program = (
        "import json, sys; from workers.rules.uprising import RULEBOOK; "
        "from workers.rules.conformance import Conformance, digests; "
        "games = {name: text.encode() for name, text in json.load(sys.stdin).items()}; "
        "print(json.dumps(digests(Conformance(RULEBOOK, games, ticks=2))))"
    )
    chosen = {name: GAMES[name] for name in ("against-01", "fifth-day-05", "hunt-01", "turncoats-01")}
    games = json.dumps({name: text.decode() for name, text in chosen.items()}).encode()
    expected = digests(Conformance(RULEBOOK, chosen, ticks=2))

    for seed in ("0", "1", "20071"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", program], input=games, env=environment, check=True, capture_output=True
        )
        assert expected == json.loads(run.stdout)
