"""What whoever watches an installation reads: counters over all its processes, and how it stands now.

No label holds a campaign, a camp, an actor or a token: their number has no bound, and some of them are secrets of one
camp. Each process counts in its own memory and adds to the store's tallies every few seconds, so that counting costs a
request no round trip.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal, get_args

import msgspec

from workers.store import Store
from workers.store.census import Summary
from workers.store.records import Status, TickStatus
from workers.store.tallies import tally_field

Value = tuple[tuple[str, ...], int | float]
"""The labels' values, in the metric's order, and what is told of them."""


class Metric(msgspec.Struct, frozen=True):
    """One line of the catalogue. `source` is the tally that it is read from; without one it is worked out when asked
    for."""

    name: str
    kind: Literal["counter", "gauge"]
    labels: tuple[str, ...]
    meaning: str
    source: str = ""


METRICS: Final[tuple[Metric, ...]] = (
    Metric(
        "tocsin_http_requests_total",
        "counter",
        ("method", "route", "status"),
        "Requests answered, by the route's template below `/v1` (`none`: no route) and the status.",
        "requests",
    ),
    Metric(
        "tocsin_orders_total",
        "counter",
        ("result",),
        "Orders judged for the book: `accepted`, `replaced`, `withdrawn` where the book changed, or the code of the "
        "refusal or the problem.",
        "orders",
    ),
    Metric(
        "tocsin_messages_refused_total",
        "counter",
        ("reason",),
        "Messages that a worker took from a queue and refused: nobody of ours sent them.",
        "door",
    ),
    Metric("tocsin_ticks_published_total", "counter", (), "Ticks published, of all campaigns; set-ups aren't counted."),
    Metric(
        "tocsin_ticks_unpublished",
        "gauge",
        ("status",),
        "Ticks closed and not published: `resolving`, `resolved`, and in quarantine `failed` or `lost`.",
    ),
    Metric("tocsin_ticks_unarchived", "gauge", (), "Ticks published that the archive doesn't hold yet."),
    Metric("tocsin_campaigns", "gauge", ("status",), "Campaigns by status: `draft`, `open`, `paused`, `ended`."),
    Metric(
        "tocsin_campaigns_overdue",
        "gauge",
        (),
        "Open campaigns past their deadline with no tick before it to wait for: what the sweeper hasn't closed.",
    ),
    Metric("tocsin_sweep_lag_seconds", "gauge", (), "How long the longest of them is past its deadline; 0: none is."),
    Metric("tocsin_open_streams", "gauge", (), "Streams of reports that are open, in all API processes."),
    Metric("tocsin_queue_length", "gauge", ("queue",), "Messages that wait in a queue of the broker."),
)
"""Everything that is told, in the order of the documentation."""

_TICK_STATUSES: Final = tuple(status for status in get_args(TickStatus) if status)


class Counters:
    """What this process counted and hasn't added to the store's tallies yet. Threads share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._counted: Counter[str] = Counter()

    def count(self, source: str, *labels: str, times: int = 1) -> None:
        """Count something that happened."""
        with self._lock:
            self._counted[tally_field(source, *labels)] += times

    def flush(self) -> None:
        """Add what was counted to the store's tallies. Raises redis-py's errors; it is kept then, and added later
        (twice, should only the answer have been lost)."""
        with self._lock:
            taken, self._counted = self._counted, Counter()
        if not taken:
            return
        try:
            self._store.tallies.add(taken)
        except BaseException:
            with self._lock:
                self._counted.update(taken)
            raise


class Telemetry:
    """Works out what every metric says now."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, queue_lengths: dict[str, int]) -> Iterator[tuple[Metric, list[Value]]]:
        """Each metric with its values; `queue_lengths` is what the broker says of its queues."""
        now_ms = self._store.heads.server_time_ms()
        tallies = self._store.tallies.read()
        summaries = list(self._store.census.summaries(self._store.heads.campaigns()))
        present: dict[str, list[Value]] = {
            **_of_campaigns(summaries, now_ms),
            "tocsin_open_streams": [((), self._store.limits.streams(now_ms))],
            "tocsin_queue_length": [((name,), length) for name, length in queue_lengths.items()],
        }
        for metric in METRICS:
            if metric.source:
                counted = ((names[1:], count) for names, count in tallies.items() if names[0] == metric.source)
                yield metric, [value for value in counted if len(value[0]) == len(metric.labels)]
            else:
                yield metric, present[metric.name]


def _of_campaigns(summaries: list[Summary], now_ms: int) -> dict[str, list[Value]]:
    campaigns = Counter(one.status for one in summaries)
    ticks = Counter(one.tick_status for one in summaries)
    lags_ms = [
        now_ms - one.deadline_ms
        for one in summaries
        if one.status == "open" and not one.tick_status and 0 < one.deadline_ms <= now_ms
    ]
    return {
        "tocsin_ticks_published_total": [((), sum(one.published for one in summaries))],
        "tocsin_ticks_unpublished": [((status,), ticks[status]) for status in _TICK_STATUSES],
        "tocsin_ticks_unarchived": [((), sum(max(0, one.published - one.archived) for one in summaries))],
        "tocsin_campaigns": [((status,), campaigns[status]) for status in get_args(Status)],
        "tocsin_campaigns_overdue": [((), len(lags_ms))],
        "tocsin_sweep_lag_seconds": [((), max(lags_ms, default=0) / 1_000)],
    }
