"""What a failed check raises."""

from collections.abc import Callable
from typing import TypeVar

from workers.kernel.errors import TocsinError

ResultT = TypeVar("ResultT")

UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a rulebook may raise on made-up values that can't occur in play: such values are passed over."""


class ConformanceError(TocsinError, AssertionError):
    """A rulebook doesn't keep a property that the kit checks: says which, where, and what was found."""


def demand(condition: bool, problem: str) -> None:
    """Raise ConformanceError with the problem unless the condition holds."""
    if not condition:
        raise ConformanceError(problem)


def without_error(what: str, call: Callable[[], ResultT]) -> ResultT:
    """What a call into the rulebook gives. Raises ConformanceError saying what was asked, from whatever it raises."""
    try:
        return call()
    except ConformanceError:
        raise
    except Exception as error:
        raise ConformanceError(f"{what}: raised {type(error).__name__}: {error}") from error
