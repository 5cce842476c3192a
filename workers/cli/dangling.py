"""What a bundle names and doesn't have: the field to blame where the rules looked for a name in vain.

The contract lets a rulebook trust the state that it is given: a mission's zone is there because nothing ever removes a
zone. Whoever edits a bundle can take it away, and the rules then stop at the missing name.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from workers.kernel.errors import InvalidInput
from workers.rules.bundle import Loaded

ACCEPTED = "a name that the bundle's state has"


def dangling(loaded: Loaded, error: Exception) -> InvalidInput | None:
    """The first field of a bundle that gives the name on which the rules stopped: in its orders, its amendments, its
    state. None where the error is no missing name, or a name that the bundle doesn't give: then the rules are to blame.

    A search that found nothing (StopIteration) gives no name; it is the state's all the same.
    """
    if isinstance(error, StopIteration):
        return InvalidInput("state", "the rules look in vain for something in it", "a state that lacks nothing")
    if not isinstance(error, KeyError) or not error.args or not isinstance(error.args[0], str):
        return None
    name = error.args[0]
    for field, value in _texts(loaded):
        if value == name:
            return InvalidInput(field, f"it names {name!r}, and the rules look for that in vain", ACCEPTED)
    return None


def _texts(loaded: Loaded) -> Iterator[tuple[str, str]]:
    """Every text that a bundle gives, with its field."""
    given = loaded.given
    for number, booked in enumerate(given.orders):
        at = f"orders[{number}]"
        yield from _leaves(msgspec.to_builtins(booked.order), f"{at}.order")
        yield from _leaves(msgspec.to_builtins(booked.facts), f"{at}.facts")
        yield from ((f"{at}.home", booked.home), (f"{at}.camp", booked.camp))
    for number, amendment in enumerate(given.amendments):
        yield from _leaves(msgspec.to_builtins(amendment.event), f"amendments[{number}].event")
    yield from _leaves(msgspec.to_builtins(loaded.state.shared), "state.shared")
    for key, home in loaded.state.homes.items():
        yield from _leaves(msgspec.to_builtins(home), f"state.homes.{key}")


def _leaves(value: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{at}.{key}")
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{at}[{number}]")
