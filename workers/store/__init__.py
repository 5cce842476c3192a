"""The store: Redis as the one truth, through scripts that check everything first and write afterwards.

Read `keys.py` for what is stored, `lua/` for how it changes, and the adapter classes for how to ask. Orders,
homes, events and pages are opaque here: the store knows no rulebook.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from workers.store.blobs import Blobs
from workers.store.census import Census
from workers.store.commands import Commands
from workers.store.connection import Client, connect
from workers.store.heads import Heads
from workers.store.hints import Hints
from workers.store.intake import Intake
from workers.store.lease import Lease
from workers.store.limits import Limits
from workers.store.reports import Reports
from workers.store.retirement import Retirement
from workers.store.scripts import Scripts
from workers.store.tallies import Tallies
from workers.store.ticks import Ticks
from workers.store.tokens import Tokens


@dataclass(frozen=True)
class Store:
    """All adapters over one client."""

    client: Client
    heads: Heads
    ticks: Ticks
    intake: Intake
    blobs: Blobs
    reports: Reports
    tokens: Tokens
    lease: Lease
    limits: Limits
    tallies: Tallies
    census: Census
    hints: Hints
    retirement: Retirement

    @classmethod
    def over(cls, client: Client) -> Store:
        """The store over a client whose replies are bytes (`connect` makes one); nothing is sent."""
        commands = cast(Commands, client)
        scripts = Scripts(commands)
        return cls(
            client=client,
            heads=Heads(commands, scripts),
            ticks=Ticks(commands, scripts),
            intake=Intake(commands, scripts),
            blobs=Blobs(commands),
            reports=Reports(commands),
            tokens=Tokens(commands, scripts),
            lease=Lease(commands, scripts),
            limits=Limits(commands, scripts),
            tallies=Tallies(commands),
            census=Census(commands),
            hints=Hints(commands),
            retirement=Retirement(commands, scripts),
        )

    @classmethod
    def at(cls, url: str) -> Store:
        """The store on the server at `url`; nothing is sent before the first call."""
        return cls.over(connect(url))


__all__ = ["Store"]
