"""The sweeper's lease: one holder at a time, for as long as it takes it again before its time is over."""

from __future__ import annotations

from workers.store.commands import Commands
from workers.store.keys import SWEEPER
from workers.store.scripts import Scripts


class Lease:
    """Takes the one lease. A holder that stalls past its time has lost it: what it does under the lease must be safe to
    do twice. Nobody gives it up: it runs out."""

    def __init__(self, client: Commands, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def take(self, holder: str, for_ms: int) -> bool:
        """Hold the lease for `for_ms` from now; False while another holds it. A holder may take it again."""
        return bool(self._scripts.run("lease_take", [SWEEPER], [holder, for_ms]))

    def holder(self) -> str | None:
        """Who holds it now, or None."""
        value = self._client.get(SWEEPER)
        return None if value is None else value.decode()
