"""The source's own numbers [S], the words for sides and kinds, and the standard cards and assets. Part of the
fingerprint.
"""

from typing import Any, Final

import msgspec

from workers.rules.uprising.cards import Boon, Card, Side

REVOLUTION: Final = "revolution"
LAW: Final = "law"
SIDES: Final[tuple[Side, ...]] = (REVOLUTION, LAW)

MODIFIER_POINTS: Final = 10
"""Points that one of a card's own modifier is worth (U6)."""
CONTEST_LOWEST: Final = 5
CONTEST_HIGHEST: Final = 95
"""The bounds of a contested chance (U7) and of an assassination (U14), in points."""
EVEN_POINTS: Final = 50
"""The chance when neither side brings any Force, in points (U8)."""
WOUND_LOSS: Final = 1
SHAKEN_LOSS: Final = 1
GAS_LOSS: Final = 2
DISEASE_LOSS: Final = 1
"""What a unit loses of its Force (U10)."""
ARREST_LOYALTY: Final = 2
"""Loyalty that the Order faction gains with each arrest (U12)."""
ASSASSINATION_CHANCE: Final = 55
FAILED_ASSASSINATION_HEAT: Final = 5
"""The chance of an assassination in points, and the Heat of a failed one (U14)."""
ASSAULT_GAIN: Final = 25
ASSAULT_TAKE: Final = -30
"""Influence after a won assault: the winner's and the other side's (U16)."""
CASUALTY_RISK: Final = 50
"""The risk to fall of whoever an assault strikes, in points (U16)."""
RALLY_CHANCE: Final = 40
AUTHORITY_A_FORCE: Final = 10
"""The chance of a rally in points, and the Authority that each point of Force asks (U17)."""
GAMBLE_CHANCE: Final = 50
"""The chance of a gamble in points (U18)."""
SEARCH_STEALTH: Final = 2
SEARCH_POINTS: Final = 8
SEARCH_HIGHEST: Final = 95
"""The Stealth that changes nothing, the points of each beyond it, and the bound of a search (U19)."""
HEAT_ALARM: Final = 50
HEAT_ALARM_POINTS: Final = 15
"""The Heat from which the Law searches better, and by how many points (U19)."""
REVEAL_HEAT: Final = 2
"""Heat that a revealed Revolution unit adds (U19)."""
ORDER_ASSET_POINTS: Final = 15
"""Points that the asset of the Order faction gives to arrests (U12)."""

STANDARD_ASSETS: Final = {"order_faction": Boon("order_faction", points={"arrest": ORDER_ASSET_POINTS})}
"""Assets that a scenario may name instead of writing them out."""

STANDARD_CARDS: Final = (
    Card("arrest", "arrest"),
    Card("assassination", "assassination", sides=(REVOLUTION,), chance=ASSASSINATION_CHANCE),
    Card("assault", "assault"),
    Card("contest", "contest"),
    Card("gamble", "gamble", chance=GAMBLE_CHANCE),
    Card("move", "move"),
    Card("raid", "raid", buildings_only=True),
    Card("rally", "rally", chance=RALLY_CHANCE),
    Card("search", "search"),
)
"""The default card of each kind: its id is the kind's name (U4)."""


def plain() -> dict[str, Any]:
    """The tables as plain data, for the rulebook's fingerprint."""
    return {
        "cards": msgspec.to_builtins(STANDARD_CARDS),
        "assets": msgspec.to_builtins(STANDARD_ASSETS),
        "contest": [MODIFIER_POINTS, CONTEST_LOWEST, CONTEST_HIGHEST, EVEN_POINTS],
        "force": [WOUND_LOSS, SHAKEN_LOSS, GAS_LOSS, DISEASE_LOSS],
        "arrest": [ARREST_LOYALTY],
        "assassination": [ASSASSINATION_CHANCE, FAILED_ASSASSINATION_HEAT],
        "assault": [ASSAULT_GAIN, ASSAULT_TAKE, CASUALTY_RISK],
        "rally": [RALLY_CHANCE, AUTHORITY_A_FORCE],
        "gamble": [GAMBLE_CHANCE],
        "search": [SEARCH_STEALTH, SEARCH_POINTS, SEARCH_HIGHEST, HEAT_ALARM, HEAT_ALARM_POINTS, REVEAL_HEAT],
    }


def other(side: Side) -> Side:
    """The side against which a side fights."""
    return LAW if side == REVOLUTION else REVOLUTION
