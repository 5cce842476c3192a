"""Phases as a table, and what a phase's functions receive.

A rulebook's tick is a tuple of `Phase`s; a phase is a tuple of steps. A `Homes` step is decided home by home: it is
one superstep, spread over shards. A `Shared` step is decided once, on the shared record, inside the commit that ends
the superstep before it, and reads that superstep's sums. So the superstep is the unit of agreement: inside it nothing
waits.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.events import Event
from workers.kernel.ids import Ids
from workers.kernel.orders import Booked, Order

SharedT = TypeVar("SharedT")
SettingsT = TypeVar("SettingsT")


@dataclass(frozen=True, slots=True)
class Context(Generic[SharedT, SettingsT]):
    """What every function of a tick may read beside its own home: nothing of it may be changed by a `Homes` step."""

    tick: int
    settings: SettingsT
    shared: SharedT
    dice: Dice
    ids: Ids


class Sums(msgspec.Struct):
    """What leaves a shard for shared entities: named sums and named maxima, commutative."""

    added: dict[str, int] = {}
    highest: dict[str, int] = {}

    def add(self, name: str, amount: int) -> None:
        """Add to a named sum."""
        self.added[name] = self.added.get(name, 0) + amount

    def maximum(self, name: str, value: int) -> None:
        """Raise a named maximum."""
        held = self.highest.get(name)
        if held is None or value > held:
            self.highest[name] = value

    def merge(self, other: "Sums") -> None:
        """Take in the sums of another shard."""
        for name, amount in other.added.items():
            self.add(name, amount)
        for name, value in other.highest.items():
            self.maximum(name, value)

    def of(self, prefix: str) -> list[tuple[str, int]]:
        """The sums whose name starts with a prefix, the prefix cut off, sorted by name."""
        cut = len(prefix)
        return sorted((name[cut:], amount) for name, amount in self.added.items() if name.startswith(prefix))


DecideHome = Callable[[Any, Sequence[Booked[Any, Any]], Sequence[Any], Context[Any, Any]], Iterable[Event]]
"""`decide(home, orders, mail, context)`: `home` is None where orders or mail name a home that isn't there; orders
come in ascending id, mail sorted by canonical bytes. Each event is carried out on the home as it is yielded, so a
generator that reads `home` after a yield plays in sequence, and one that reads first plays simultaneously (K9)."""

DecideShared = Callable[[Any, Sums, Context[Any, Any]], Iterable[Event]]
"""`decide(shared, sums, context)`: the sums are those of the superstep that ends here; events are carried out as
yielded."""


def nobody(context: Context[Any, Any]) -> bool:
    """A step that visits only the homes with orders or mail for it."""
    return False


def everybody(context: Context[Any, Any]) -> bool:
    """A step that visits every home."""
    return True


@dataclass(frozen=True, slots=True)
class Homes:
    """One superstep. `orders`: the kinds that it plays (only homes with one of these, or with mail, are visited);
    `every`: whether, in this context, it visits every home, orders or not.
    """

    decide: DecideHome
    orders: tuple[type[Order], ...] = ()
    every: Callable[[Context[Any, Any]], bool] = nobody


@dataclass(frozen=True, slots=True)
class Shared:
    """A step on the shared record, inside the commit of the superstep before it."""

    decide: DecideShared


@dataclass(frozen=True, slots=True)
class Phase:
    """A named phase: at least one step."""

    name: str
    steps: tuple[Homes | Shared, ...]


@dataclass(frozen=True, slots=True)
class Superstep:
    """A `Homes` step with the `Shared` steps that its commit carries out: each with the name of its phase."""

    index: int
    phase: str
    homes: Homes
    shared: tuple[tuple[str, Shared], ...]


def supersteps(phases: Sequence[Phase]) -> tuple[Superstep, ...]:
    """The table as the supersteps that workers run. Raises ValueError when it doesn't start with a `Homes` step."""
    found: list[tuple[str, Homes, list[tuple[str, Shared]]]] = []
    for phase in phases:
        for step in phase.steps:
            if isinstance(step, Homes):
                found.append((phase.name, step, []))
            elif found:
                found[-1][2].append((phase.name, step))
            else:
                raise ValueError(f"phase {phase.name!r} starts the table with a shared step, a homes step is accepted")
    return tuple(Superstep(i, name, homes, tuple(shared)) for i, (name, homes, shared) in enumerate(found))
