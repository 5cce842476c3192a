"""Who reads what, where it isn't simply one's own side, the other, or everybody (U25)."""

from typing import Any, Literal

from workers.kernel.events import Reader

SEEN = Reader("seen", lambda event, camp: camp in event.seen_by)
"""The sides named in the event's field `seen_by`: those that have an active unit in the district, or whose own it is.
"""


def _other_witnessed(event: Any, camp: str) -> bool:
    return bool(camp != event.camp and event.witnessed)


WITNESSED = Reader("witnessed", lambda event, camp: camp == event.camp or _other_witnessed(event, camp))
"""The unit's own side, and the other one when it fought there and the unit isn't hidden."""
WITNESS = Reader("witness", _other_witnessed)
"""The other side than the unit's, when it fought there and the unit isn't hidden."""


def _other_defended(event: Any, camp: str) -> bool:
    return bool(camp != event.camp and event.facing.forces)


FOUGHT = Reader("fought", lambda event, camp: camp == event.camp or _other_defended(event, camp))
"""The side that attacks, and the other one when units of it defended."""
DEFENDED = Reader("defended", _other_defended)
"""The other side than the one that attacks, when units of it defended."""

RALLIED = Reader("rallied", lambda event, camp: camp == event.camp or event.outcome == "success")
"""The side that rallies; the other one when it succeeded."""
LOST = Reader("lost", lambda event, camp: camp != event.camp and event.outcome == "success")
"""The other side than the one that rallies, when that succeeded."""

FOUND = Reader("found", lambda event, camp: camp == event.camp and event.outcome == "success")
"""The side that searches, when it found."""

UnitReason = Literal[
    "unit_arrested",
    "unit_building",
    "unit_changed_side",
    "unit_destroyed",
    "unit_elsewhere",
    "unit_fallen",
    "unit_moved",
    "unit_revealed",
    "unit_serves",
]
"""Why a unit drops out of an order (U23)."""

Reason = (
    UnitReason
    | Literal[
        "card_buildings_only",
        "card_not_yours",
        "card_of_other_kind",
        "card_unknown",
        "no_attacker",
        "no_authority",
        "no_district",
        "not_neighbour",
        "nothing_to_overcome",
        "second_raid",
        "target_building",
        "target_changed_side",
        "target_gone",
        "target_never_rallies",
        "target_not_named",
        "target_not_person",
        "target_rests",
    ]
)
"""Why an order is void (K6)."""
