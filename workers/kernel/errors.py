"""The two families of bad news, told apart everywhere.

*Invalid*: not understood (a wrong type, an unknown kind). *Illegal*: understood, not allowed (over budget, not yours).
Both are values first (`Refusal`), so that one bad order of a batch stops no other; the exceptions below are for callers
who asked about one thing only.
"""

from typing import Literal

import msgspec

Family = Literal["invalid", "illegal"]


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why an order is refused.

    `code` names a message of the rulebook's words (`refusal.<code>`), `field` is the path of the field inside the order
    (empty: the order as a whole), `accepted` says what would be accepted, `values` fill the message's blanks.
    """

    code: str
    field: str = ""
    family: Family = "illegal"
    accepted: str = ""
    values: dict[str, str | int] = {}


class TocsinError(Exception):
    """Base of every error that Tocsin raises on purpose."""


class InvalidInput(TocsinError):
    """Input that can't be understood: names the field, the problem and what would be accepted."""

    def __init__(self, field: str, problem: str, accepted: str = "") -> None:
        self.field = field
        self.problem = problem
        self.accepted = accepted
        where = f"{field}: " if field else ""
        super().__init__(f"{where}{problem}" + (f" (accepted: {accepted})" if accepted else ""))


class RulebookError(TocsinError):
    """A rulebook breaks its contract: the rulebook's name and the clause of the contract that it breaks."""

    def __init__(self, rulebook: str, problem: str) -> None:
        self.rulebook = rulebook
        self.problem = problem
        super().__init__(f"rulebook {rulebook!r}: {problem}")


def invalid_from(error: msgspec.ValidationError | msgspec.DecodeError, prefix: str = "") -> InvalidInput:
    """Turn msgspec's error (`Expected …, got … - at `$.path``) into an `InvalidInput` with the path as its field.

    A field that is missing or unknown is named itself, and what would be accepted includes its bounds.
    """
    text = str(error)
    problem, _, path = text.partition(" - at `")
    field = path.rstrip("`").removeprefix("$").removeprefix(".")
    accepted = ""
    if problem.startswith("Expected "):
        accepted = problem.removeprefix("Expected ").partition(", got")[0].replace("`", "")
    for start in ("Object missing required field `", "Object contains unknown field `"):
        if problem.startswith(start):
            name = problem.removeprefix(start).rstrip("`")
            field = f"{field}.{name}" if field else name
    joined = f"{prefix}.{field}" if prefix and field and not field.startswith("[") else f"{prefix}{field}"
    return InvalidInput(joined, problem, accepted)
