"""Names of things, and who commands them.

A mission and a player have names without a dot. What belongs to one of them is named after it: the scene
`harbour.docks` and the GM's character `harbour.kane` belong to the mission `harbour`, the character `ana.mia` to the
player `ana`. So the owner of each thing is read off its name, a thing that comes into play can clash with none of
another table, and a token that lists `ana` or `harbour` covers what they will bring in later.
"""

import unicodedata

LONGEST = 31
"""Characters of one part of a name: two parts and the dot stay within 64, and so does a mission with a drawn id."""
_FORBIDDEN = frozenset("/#.")


def problem_of(part: str) -> str:
    """What is wrong with one part of a name; empty when it is good."""
    if not part:
        return "empty"
    if len(part) > LONGEST:
        return f"{len(part)} characters, at most {LONGEST} are accepted"
    if unicodedata.normalize("NFC", part) != part:
        return "not in Unicode form NFC"
    for character in part:
        if character in _FORBIDDEN or unicodedata.category(character) in ("Cc", "Cs"):
            return f"has the character {character!r}"
    return ""


ACCEPTED = f"1..{LONGEST} characters in Unicode form NFC, without '/', '#', '.' and control characters"
"""What `problem_of` accepts, in words."""


def joined(owner: str, part: str) -> str:
    """The full name of what belongs to a mission or a player."""
    return f"{owner}.{part}"


def owner_of(name: str) -> str:
    """The mission or player to whom a scene or a character belongs."""
    return name.partition(".")[0]
