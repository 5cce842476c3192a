"""What clients were told: every order that was acknowledged, and what became of it by their own later word."""

import threading
from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Acknowledged:
    """An order with a receipt. `digests` are those that a receipt of it may have: more than one after a replacement
    whose answer stayed open; `withdrawn` is None where a withdrawal's answer stayed open."""

    campaign: str
    camp: str
    tick: int
    digests: set[tuple[int, str]]
    withdrawn: bool | None = False


@dataclass
class Ledger:
    """Filled by many threads. `contradictions` are answers that differ from what the same request was told before."""

    orders: dict[str, Acknowledged] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, campaign: str, camp: str, receipt: dict[str, object]) -> None:
        """Note an order's receipt. A second order of the same id is a contradiction."""
        order, tick, revision = str(receipt["id"]), int(str(receipt["tick"])), int(str(receipt["revision"]))
        with self._lock:
            if order in self.orders:
                self.contradictions.append(f"{campaign}: order {order} was acknowledged for two requests")
            digests = {(revision, str(receipt["digest"]))}
            self.orders[order] = Acknowledged(campaign, camp, tick, digests)

    def replaced(self, order: str, revision: int, digest: str) -> None:
        """The order is at another revision now: its receipt is the one that counts."""
        with self._lock:
            self.orders[order].digests = {(revision, digest)}

    def maybe_replaced(self, order: str) -> None:
        """Nobody knows whether the order was replaced: any content of its own camp may be what was booked."""
        with self._lock:
            self.orders[order].digests = set()

    def digests(self, order: str) -> set[tuple[int, str]]:
        """The receipts that the order may have."""
        with self._lock:
            return set(self.orders[order].digests)

    def still(self, order: str, digests: set[tuple[int, str]]) -> None:
        """The order wasn't replaced."""
        with self._lock:
            self.orders[order].digests = digests

    def kept(self, order: str) -> None:
        """The order wasn't withdrawn."""
        with self._lock:
            self.orders[order].withdrawn = False

    def withdrawn(self, order: str, sure: bool) -> None:
        """The order was taken back (or, if it isn't sure, perhaps)."""
        with self._lock:
            self.orders[order].withdrawn = True if sure else None

    def contradict(self, sentence: str) -> None:
        """Note an answer that can't be true beside another."""
        with self._lock:
            self.contradictions.append(sentence)

    def count(self, what: str) -> None:
        """Count an answer by its kind."""
        with self._lock:
            self.statuses[what] += 1

    def last_tick(self, campaign: str) -> int:
        """The last tick for which an order of a campaign was acknowledged."""
        with self._lock:
            return max((one.tick for one in self.orders.values() if one.campaign == campaign), default=0)
