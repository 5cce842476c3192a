"""The tables of the source, as data: part of the rulebook's fingerprint.

Numbers that the source gives (A3, A5–A7, A11, A13) stand here; those that are ours are fields of `settings.Settings`.
"""

from typing import Any, Literal

import msgspec

Attribute = Literal["strength", "agility", "willpower", "logic", "charisma"]

Pair = Literal["catch", "dodge", "resist", "intentions", "perception", "torture", "intimidation", "recall", "lift"]
PAIRS: dict[str, tuple[Attribute, Attribute]] = {
    "catch": ("agility", "agility"),
    "dodge": ("agility", "logic"),
    "resist": ("strength", "willpower"),
    "intentions": ("charisma", "charisma"),
    "perception": ("logic", "willpower"),
    "torture": ("strength", "willpower"),
    "intimidation": ("charisma", "willpower"),
    "recall": ("logic", "logic"),
    "lift": ("strength", "strength"),
}
"""A3: what is rolled with two attributes and no skill."""

BRAWL = "brawl"
"""The skill of bare hands (A13)."""
BRAWL_PAIR: tuple[Attribute, Attribute] = ("strength", "agility")
"""What bare hands roll where the sheet has no `brawl` (A13)."""
HANDS = "hands"
"""The name of the weapon that everybody has, and that can't break down (A13)."""
GUN = "gun"
"""The name of the one weapon of a character with a level (A6)."""
GUN_SKILL = "firearms"

Difficulty = Literal["trivial", "easy", "hard", "very_hard"]
DIFFICULTIES: dict[str, int] = {"trivial": 1, "easy": 2, "hard": 3, "very_hard": 4}
"""A5: the ND of an action: trivial, rather easy, rather hard, very hard."""


class LevelRow(msgspec.Struct, frozen=True):
    """A row of A6: what a character of this level rolls for everything, and its ND."""

    dice: int
    nd: int


Level = Literal["extra", "minion", "antagonist", "pro", "terror"]
LEVELS: dict[str, LevelRow] = {
    "extra": LevelRow(4, 1),
    "minion": LevelRow(6, 2),
    "antagonist": LevelRow(8, 3),
    "pro": LevelRow(10, 3),
    "terror": LevelRow(12, 4),
}
"""A6, from the weakest to the strongest."""
LEVEL_ORDER: tuple[Level, ...] = ("extra", "minion", "antagonist", "pro", "terror")

Degree = Literal["critical_failure", "failure", "bare_failure", "bare_success", "success", "critical_success"]
DEGREES: tuple[tuple[int, Degree], ...] = (
    (4, "critical_success"),
    (1, "success"),
    (0, "bare_success"),
    (-1, "bare_failure"),
    (-3, "failure"),
)
"""A7: the least margin of each degree, from the top; what is below the last is a critical failure."""


def degree_of(margin: int) -> Degree:
    """The degree of a margin (A7)."""
    for least, degree in DEGREES:
        if margin >= least:
            return degree
    return "critical_failure"


PLAYER_START = 3
"""Anarchy points of a player when a mission starts (A11)."""
PLAYER_MOST = 6
"""Anarchy points that a player may hold (A11)."""
RESERVE_START = 1
"""The GM's reserve when a mission starts (A11)."""
WELL_DISPOSED_DICE = 3
"""What *well-disposed* adds to a pool (A13)."""

Effect = Literal[
    "well_disposed",
    "breakdown",
    "interruption",
    "intervention",
    "go",
    "new_threat",
    "first_aid",
    "risk",
    "riposte",
    "interpose",
]
EFFECTS: tuple[Effect, ...] = (
    "well_disposed",
    "breakdown",
    "interruption",
    "intervention",
    "go",
    "new_threat",
    "first_aid",
    "risk",
    "riposte",
    "interpose",
)
"""A13: what an Anarchy point buys."""

DATA: dict[str, Any] = {
    "pairs": {pair: list(names) for pair, names in PAIRS.items()},
    "difficulties": DIFFICULTIES,
    "levels": {level: [row.dice, row.nd] for level, row in LEVELS.items()},
    "degrees": [[least, degree] for least, degree in DEGREES],
    "points": [PLAYER_START, PLAYER_MOST, RESERVE_START, WELL_DISPOSED_DICE],
    "effects": list(EFFECTS),
}
"""The tables as plain data."""
