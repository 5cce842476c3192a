"""Tallies: what metrics count, summed over all processes of an installation and over their restarts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from workers.store.commands import Commands
from workers.store.keys import TALLIES

SEPARATOR: Final = "|"


def tally_field(counter: str, *labels: str) -> str:
    """The field of a counter with its labels' values, in their order: none of them has a `|`."""
    return SEPARATOR.join((counter, *labels))


class Tallies:
    """Adds to counters and reads them. A reply that is lost may have counted: these are for people who watch, and
    nothing is decided by them."""

    def __init__(self, client: Commands) -> None:
        self._client = client

    def add(self, counted: Mapping[str, int]) -> None:
        """Add to the fields (see `tally_field`), in one round trip. Raises redis-py's errors; then none or some of it
        is counted."""
        with self._client.pipeline(transaction=True) as pipeline:
            for field in sorted(counted):
                pipeline.hincrby(TALLIES, field, counted[field])
            pipeline.execute()

    def read(self) -> dict[tuple[str, ...], int]:
        """(Counter, its labels' values …) → count, sorted."""
        raw = self._client.hgetall(TALLIES)
        return dict(sorted((tuple(field.decode().split(SEPARATOR)), int(count)) for field, count in raw.items()))
