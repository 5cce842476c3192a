"""What a failed check raises."""

from workers.kernel.errors import TocsinError


class ConformanceError(TocsinError, AssertionError):
    """A rulebook doesn't keep a property that the kit checks: says which, where, and what was found."""


def demand(condition: bool, problem: str) -> None:
    """Raise ConformanceError with the problem unless the condition holds."""
    if not condition:
        raise ConformanceError(problem)
