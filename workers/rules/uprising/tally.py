"""What events add up for the barrier at their phase's end (U23): named sums, which `phases/barrier.py` reads."""

from collections.abc import Mapping
from typing import Any

from workers.kernel.engine import Tally
from workers.kernel.events import Event
from workers.kernel.phases import Sums
from workers.rules.uprising import events as happened
from workers.rules.uprising import tables


def _heat(event: Any, sums: Sums) -> None:
    if event.heat:
        sums.add("heat", event.heat)


def _loyalty(event: happened.ArrestTried, sums: Sums) -> None:
    if event.faction:
        sums.add(f"loyalty/{event.camp}/{event.faction}", event.loyalty)


def _authority(event: happened.RallyTried, sums: Sums) -> None:
    if event.paid:
        sums.add(f"authority/{event.camp}", -event.paid)


def _gains(event: happened.GaugesGained, sums: Sums) -> None:
    sums.add("heat", event.heat)
    sums.add(f"authority/{event.camp}", event.authority)
    for faction in sorted(event.loyalty):
        sums.add(f"loyalty/{event.camp}/{faction}", event.loyalty[faction])


def _search(event: happened.SearchRolled, sums: Sums) -> None:
    if event.card and event.outcome == "success":
        sums.maximum(f"found/{event.camp}/{event.card}/{event.subject}", 1)


def _claim(event: happened.AuthorityClaimed, sums: Sums) -> None:
    sums.add(f"claim/{event.camp}/{event.initiative}/{event.key}", 1)


def _prison(event: happened.PrisonSeized, sums: Sums) -> None:
    sums.add(f"prison/{event.district}/{event.camp}", 1)


def _census(event: happened.DistrictSettled, sums: Sums) -> None:
    sums.add("active", event.active)
    for side in tables.SIDES:
        sums.add(f"people/{side}", event.people.get(side, 0))
    for side in event.holds:
        sums.add(f"holds/{side}", 1)


TALLY: Mapping[type[Event], Tally] = {
    happened.AssassinationTried: _heat,
    happened.UnitRevealed: _heat,
    happened.ArrestTried: _loyalty,
    happened.RallyTried: _authority,
    happened.GaugesGained: _gains,
    happened.SearchRolled: _search,
    happened.AuthorityClaimed: _claim,
    happened.PrisonSeized: _prison,
    happened.DistrictSettled: _census,
}
"""What each event adds for the barrier."""
