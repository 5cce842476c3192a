"""The four phases of a Turn as a table (A16), a module each; what several of them need stands beside them."""

from workers.kernel.phases import Homes, Phase, everybody
from workers.rules.anarchy.orders import (
    REACTIONS,
    Allot,
    Close,
    Grant,
    Join,
    Narrate,
    Open,
    Place,
    Start,
    Threat,
)
from workers.rules.anarchy.phases import aftermath, directing, grants, narrations, turn_order

PHASES = (
    Phase("grants", (Homes(grants.decide, (Grant, Allot, Start)),)),
    Phase("turn order", (Homes(turn_order.decide, (Narrate, *REACTIONS, Threat)),)),
    Phase("narrations", (Homes(narrations.decide, (Narrate, *REACTIONS), every=everybody),)),
    Phase(
        "aftermath",
        (
            Homes(aftermath.settle, (Close, Join), every=everybody),
            Homes(directing.direct, (Start, Open, Place)),
            Homes(aftermath.travel),
            Homes(aftermath.travel),
        ),
    ),
)
"""A tick: the reserve and the roster are the mission's, so the aftermath goes from the scenes to their mission and
back; its last two supersteps carry characters out of a scene and into another.
"""

OPENING = (Phase("opening", (Homes(aftermath.travel),)),)
"""Tick 0 changes nothing: a campaign starts as its scenario says."""
