"""What an order costs in counts: calls of Python functions and bytes allocated. No clock is asked, so a busy machine
changes nothing, and what makes a tick dearer shows before anybody measures.

Each bound stands a tenth or so above what was counted when it was set, with what it pays for beside it. Whoever makes a
phase cheaper lowers it.
"""

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from tests.calls import calls_of
from workers.cli.bench.books import Book, write_book
from workers.kernel.engine import Engine, SliceResult
from workers.kernel.entities import Slice, cut
from workers.kernel.ids import id_key, tick_seed
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Superstep
from workers.kernel.tick import context_of
from workers.registry import load_registry

ORDERS = 1_000

CALLS_AN_ORDER = {
    # Counted 71: decide, evolve and project for two camps of some three events, three dice, a home read and written.
    "veil": 79,
    # Counted 135: an action of several units is one attempt of many dice, and its units are told of one by one.
    "uprising": 149,
    # Counted 92: a narration rolls against opposition, with reactions, in two supersteps.
    "anarchy": 101,
}
BYTES_AN_ORDER = {
    # Counted 1,336, in the missions' superstep: a slice's homes as lines, the lines of events, both camps' pages.
    "veil": 1_500,
    # Counted 860, in the assaults'.
    "uprising": 960,
    # Counted 1,954, in the narrations': a scene's characters are one home, and each roll is told whole.
    "anarchy": 2_200,
}
"""Of the superstep that holds most at once."""


class Tick:
    """A tick's slices, played superstep by superstep in this process."""

    def __init__(self, rulebook: str) -> None:
        engine = Engine(load_registry().get(rulebook))
        self.book: Book = write_book(engine, ORDERS, 1)
        self.engine = engine
        self.data = next(iter(cut(self.book.homes.items(), 1))).to_bytes()
        self.orders: list[Booked[Any, Any]] = [engine.packing.unpack(item.packed) for item in self.book.items]
        self.mail: list[bytes] = []
        self.context: Context[Any, Any] = context_of(
            1, tick_seed(self.book.seed, 1), id_key(self.book.seed), self.book.settings, self.book.shared
        )

    def play(self, superstep: Superstep) -> SliceResult:
        """One superstep over all homes, as one slice."""
        mail = self.engine.read_mail(self.mail)
        result = self.engine.play_slice(superstep, self.data, self.orders, mail, self.context)
        self.data = self.data if result.homes is None else result.homes.to_bytes()
        self.mail = [line for _, line in result.mail]
        return result

    def whole(self, around: Callable[[Superstep], SliceResult]) -> None:
        """All supersteps, each played by `around`, settled between."""
        for superstep in self.engine.steps:
            result = around(superstep)
            self.engine.settle(superstep, self.context.shared, result.sums, self.context)


def peak_of(work: Callable[[], object]) -> int:
    """The most that was allocated at once, in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("rulebook", list(CALLS_AN_ORDER))
def test_an_order_takes_no_more_calls_than_it_did(rulebook: str) -> None:
    tick = Tick(rulebook)
    counted: list[int] = []

    def around(superstep: Superstep) -> SliceResult:
        made: list[SliceResult] = []
        counted.append(calls_of(lambda: made.append(tick.play(superstep))))
        return made[0]

    tick.whole(around)

    assert 0 < sum(counted) / ORDERS <= CALLS_AN_ORDER[rulebook]


@pytest.mark.parametrize("rulebook", list(BYTES_AN_ORDER))
def test_a_slice_holds_no_more_bytes_an_order_than_it_did(rulebook: str) -> None:
    tick = Tick(rulebook)
    peaks: list[int] = []

    def around(superstep: Superstep) -> SliceResult:
        made: list[SliceResult] = []
        peaks.append(peak_of(lambda: made.append(tick.play(superstep))))
        return made[0]

    tick.whole(around)

    assert 0 < max(peaks) / ORDERS <= BYTES_AN_ORDER[rulebook]


def test_twice_the_calls_would_be_found() -> None:
    tick = Tick("veil")
    first = tick.engine.steps[0]
    once = calls_of(lambda: tick.play(first))

    assert 0 < once < calls_of(lambda: (tick.play(first), tick.play(first)))


def test_a_slice_of_twice_the_homes_holds_twice_the_bytes_and_no_more() -> None:
    """A worker's memory follows its largest slice, not the campaign: nothing outlives a slice's play but its result."""
    tick = Tick("veil")
    first = tick.engine.steps[0]
    peaks = []
    for slices in (2, 1):
        pieces = [piece.to_bytes() for piece in cut(tick.book.homes.items(), slices)]
        mine = set(Slice.parse(pieces[0]).lines)
        orders = [booked for booked in tick.orders if booked.home in mine]
        peaks.append(
            peak_of(
                lambda data=pieces[0], orders=orders: tick.engine.play_slice(first, data, orders, [], tick.context)  # type: ignore[misc]  # mypy can't infer a lambda with defaults
            )
        )

    assert peaks[0] < peaks[1] < peaks[0] * 2.3
