"""When a run is trusted: the pure loop, on all worker cores at once, took as long before it as after it."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from workers.cli.bench.books import Book
from workers.cli.bench.pure import pure_loops_s
from workers.cli.output import note

AGREE: Final = 0.15
"""A run is trusted when the pure loop before and after it agrees within this part."""
REPEATS_PER_RUN: Final = 1
"""How often a run is repeated because it wasn't trusted, before it is told as it is, and counted as untrusted."""
PURE_ORDERS_MAX: Final = 200_000
"""The pure loop runs on a campaign of at most so many orders: its cost an order doesn't depend on their number."""
YARDSTICK_ORDERS: Final = 20_000
"""Orders of the pure loop where only the machine's quiet is asked for: it takes some tenths of a second."""

T = TypeVar("T")


@dataclass(slots=True)
class Trusted(Generic[T]):
    """Runs, the seconds of the pure loops around them, and how many were repeated, or kept in doubt."""

    runs: list[T] = field(default_factory=list)
    loops_s: list[float] = field(default_factory=list)
    repeated: int = 0
    untrusted: int = 0

    @property
    def pure_s(self) -> float:
        """The median time of the pure loop around the runs that were kept."""
        return statistics.median(self.loops_s)

    @property
    def doubts(self) -> dict[str, int]:
        """The counts that go with the figures."""
        return {"repeated_runs": self.repeated, "untrusted_runs": self.untrusted}


def trusted(yardstick: Book, processes: int, runs: int, run: Callable[[], T]) -> Trusted[T]:
    """Run something `runs` times, the pure loop of `yardstick` on `processes` cores before and after each."""
    found: Trusted[T] = Trusted()
    before = statistics.mean(pure_loops_s(yardstick, processes))
    while len(found.runs) < runs:
        value = run()
        after = statistics.mean(pure_loops_s(yardstick, processes))
        agrees = abs(after - before) <= AGREE * min(before, after)
        note(f"bench: run {len(found.runs) + 1}: pure loop {before:.2f} s before and {after:.2f} s after")
        if agrees or found.repeated >= runs * REPEATS_PER_RUN:
            found.runs.append(value)
            found.untrusted += not agrees
            found.loops_s += [before, after]
        else:
            found.repeated += 1
        before = after
    return found
