"""What an operator may amend between ticks, and in which home."""

from collections.abc import Callable, Mapping
from typing import Any

from workers.kernel.events import Event
from workers.rules.uprising.events import (
    GaugesAmended,
    GroundAmended,
    HeatAmended,
    InfluenceAmended,
    PrisonAmended,
    UnitPlaced,
    UnitWithdrawn,
)


def _district(event: Any) -> str:
    return str(event.district)


def _shared(event: Any) -> str:
    return ""


AMENDMENTS: Mapping[type[Event], Callable[[Any], str]] = {
    UnitPlaced: _district,
    UnitWithdrawn: _district,
    GroundAmended: _district,
    InfluenceAmended: _district,
    HeatAmended: _shared,
    GaugesAmended: _shared,
    PrisonAmended: _shared,
}
"""Each event that an operator may add, with the key of the home that it changes (empty: the shared record)."""
