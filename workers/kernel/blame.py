"""Finding the orders that make a phase fail: decide is pure, so it may be asked again with fewer of them."""

from collections.abc import Callable, Sequence
from typing import TypeVar

ItemT = TypeVar("ItemT")


def find_culprits(fails: Callable[[Sequence[ItemT]], bool], items: Sequence[ItemT]) -> list[ItemT]:
    """The fewest items, found by halving, with which `fails` still holds.

    Empty when it holds with no item at all (then no item is to blame). One item when one alone is to blame; where only
    several together are, as many as halving can't separate. `fails(items)` must hold at the call. Asks about
    2·log₂(n) times.
    """
    if fails([]):
        return []
    suspects = list(items)
    while len(suspects) > 1:
        middle = len(suspects) // 2
        if fails(suspects[:middle]):
            suspects = suspects[:middle]
        elif fails(suspects[middle:]):
            suspects = suspects[middle:]
        else:
            break
    return suspects
