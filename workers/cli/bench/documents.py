"""What a measurement says, in one shape: `{"command", "sizes", "seeds", "runs", "median", "ratio", "goal", "met"}`."""

import operator
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from workers.cli.output import print_json, table

Op = Literal["<=", ">="]
_HOLDS: Final[Mapping[Op, Callable[[float, float], bool]]] = MappingProxyType({"<=": operator.le, ">=": operator.ge})
DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure and what it should be; a figure without a goal (`op` empty) is told all the same."""

    name: str
    value: float
    op: Op | None = None
    bound: float = 0.0

    @property
    def met(self) -> bool | None:
        """Whether it is what it should be; None where there is no goal."""
        return None if self.op is None else _HOLDS[self.op](self.value, self.bound)

    @property
    def wanted(self) -> dict[str, Any] | None:
        """The goal as documents say it."""
        return None if self.op is None else {"op": self.op, "value": self.bound}

    def document(self) -> dict[str, Any]:
        """The figure as an entry of `goals`."""
        return {"name": self.name, "value": rounded(self.value), "goal": self.wanted, "met": self.met}


def document(
    command: str,
    sizes: Mapping[str, Any],
    seeds: Sequence[int],
    runs: Sequence[float],
    goals: Sequence[Goal],
    **more: Any,
) -> dict[str, Any]:
    """A measurement. `runs` are the measured values of which `median` is told; the first of `goals` is `ratio`.

    `met` is true only if every goal is; None where there is none. `more` is added as it is.
    """
    first = goals[0]
    judged = [goal.met for goal in goals if goal.met is not None]
    return {
        "command": command,
        "sizes": dict(sizes),
        "seeds": list(seeds),
        "runs": [rounded(value) for value in runs],
        "median": rounded(statistics.median(runs)),
        "ratio": rounded(first.value),
        "goal": first.wanted,
        "met": all(judged) if judged else None,
        "goals": [goal.document() for goal in goals],
        **more,
    }


def rounded(value: float) -> float:
    """A figure with as many digits as it deserves."""
    return float(f"{value:.{DIGITS}g}")


def show(found: Mapping[str, Any], as_json: bool) -> None:
    """Print a measurement: one JSON document, or tables for people."""
    if as_json:
        print_json(found)
        return
    table(found["command"], ("figure", "value", "goal", "met"), [_goal_row(goal) for goal in found["goals"]])
    rest = [(name, value) for name, value in found.items() if name not in ("command", "goals", "ratio", "goal", "met")]
    print()
    table("", ("what", "value"), rest)


def _goal_row(goal: Mapping[str, Any]) -> tuple[Any, ...]:
    wanted = goal["goal"]
    return goal["name"], goal["value"], f"{wanted['op']} {wanted['value']:g}" if wanted else "", goal["met"]
