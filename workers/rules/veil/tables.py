"""The Veil's constant tables: what its source text fixes (V3, V8, V10, V13, V15, V17, V22, V26).

Every number that is ours to choose is in `settings.py` instead.
"""

from typing import Any, Literal

import msgspec

Camp = Literal["angel", "demon"]
Affinity = Literal["angel", "demon", "neutral"]
Approach = Literal["violent", "stealthy", "social", "occult", "technical", "slow_infiltration"]
KindName = Literal["mission", "influence", "intel", "support", "counter", "recovery"]
Relation = Literal["own", "neutral", "opposed"]
Power = Literal["divine", "satanic"]

CAMPS: tuple[Camp, ...] = ("angel", "demon")
SIGN = {"angel": 1, "demon": -1}
"""The direction in which a camp moves a zone's influence (V4)."""
OPPONENT: dict[str, Camp] = {"angel": "demon", "demon": "angel"}

CHARACTERISTICS = ("body", "mind", "soul", "speech")
TALENTS = ("violence", "stealth", "smooth_talk", "occult", "machines", "investigation")

APPROACHES: dict[Approach, tuple[str, str]] = {
    "violent": ("body", "violence"),
    "stealthy": ("body", "stealth"),
    "social": ("speech", "smooth_talk"),
    "occult": ("soul", "occult"),
    "technical": ("mind", "machines"),
    "slow_infiltration": ("mind", "investigation"),
}
"""V10: the pair that each approach rolls, in the order of the source."""

ACTION_POINTS = 3
"""V3: a mission takes two thirds of a turn and costs 2."""


class Kind(msgspec.Struct, frozen=True):
    """One row of V8: the cost in action points, the difficulty, and the pair.

    An empty talent: the characteristic alone; both empty: the mission's approach gives the pair.
    """

    name: KindName
    ap: int
    difficulty: int
    pair: tuple[str, str] = ("", "")


MISSION = Kind("mission", 2, -2)
INFLUENCE = Kind("influence", 1, 0, ("speech", "smooth_talk"))
INTEL = Kind("intel", 1, 0, ("mind", "investigation"))
SUPPORT = Kind("support", 1, -1)
COUNTER = Kind("counter", 2, -3, ("body", "stealth"))
RECOVERY = Kind("recovery", 1, 2, ("soul", ""))
KINDS = (MISSION, INFLUENCE, INTEL, SUPPORT, COUNTER, RECOVERY)

SCORE_MAX = 10
THRESHOLDS = (166, 236, 316, 356, 426, 466, 536, 616, 636, 646, 656)
"""V13: the roll at or below which an order of score 0..10 succeeds."""
DIVINE = 111
SATANIC = 666
"""V15: the two rolls that skip the table."""
POWER: dict[int, Camp] = {DIVINE: "angel", SATANIC: "demon"}
INTERVENTION = 25
"""V15: what an intervention moves, with no multiplier."""

QUALITY_MAX = 6
SUPPORTS_MAX = 2
COVERAGE_QUALITY = 4
INFLUENCE_BASE = 3
INFLUENCE_FAILED = 1
"""V20: a failed influence still gives 1 point net."""
INFLUENCE_MAX = 100
PP_PER_ROLL = 2
"""V12: power points that one roll may spend."""

AFFINITY_QUARTERS: dict[Relation, int] = {"own": 6, "neutral": 4, "opposed": 3}
"""V17: ×1.5, ×1, ×0.75, in quarters."""

DATA: dict[str, Any] = {
    "approaches": APPROACHES,
    "action_points": ACTION_POINTS,
    "kinds": {kind.name: (kind.ap, kind.difficulty, kind.pair) for kind in KINDS},
    "thresholds": THRESHOLDS,
    "intervention": INTERVENTION,
    "quality_max": QUALITY_MAX,
    "supports_max": SUPPORTS_MAX,
    "coverage_quality": COVERAGE_QUALITY,
    "influence": (INFLUENCE_BASE, INFLUENCE_FAILED, INFLUENCE_MAX),
    "affinity_quarters": AFFINITY_QUARTERS,
}
"""All of the above as plain data, for the rulebook's fingerprint."""
