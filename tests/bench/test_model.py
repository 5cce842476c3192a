"""What a tick asks of its servers, counted by them, is what the model says: messages exactly, the rest at most.

A change that makes a tick ask for more fails here first. If more is right, the model says so, with its reason.
"""

from collections.abc import Iterator

import pytest

from tests.bench.counting import Counted, Counting, counting
from tests.docs.pages import DOCS, tables
from tests.servers import unavailable
from workers.cli.bench.model import A_READ, A_SHARD, TickCounts, tick_counts
from workers.store.embedded import find_server

SCALING = DOCS / "explanation" / "scaling.md"
CUTS = [("veil", 300, 1), ("veil", 300, 3), ("veil", 300, 16), ("uprising", 200, 4), ("anarchy", 200, 4)]


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counting]:
    if find_server() is None:
        unavailable("there is no program of a server")
    with counting(tmp_path_factory.mktemp("counted")) as made:
        yield made


def model_of(tick: Counted, *, fused: bool = False) -> TickCounts:
    return tick_counts(
        supersteps=tick.supersteps, shards=tick.shards, slices=tick.slices, camps=tick.camps, fused=fused
    )


@pytest.mark.parametrize(("rulebook", "orders", "shards"), CUTS)
def test_a_tick_asks_for_what_the_model_says_and_for_no_more(
    counter: Counting, rulebook: str, orders: int, shards: int
) -> None:
    tick = counter.tick(rulebook, orders, shards)
    model = model_of(tick)

    assert (tick.shards, model.messages) == (shards, tick.messages)
    assert tick.asked.round_trips <= model.round_trips, tick.asked.sent
    assert tick.broker_bytes <= model.broker_bytes
    # Half of what the model allows is what a model that means something may leave.
    assert tick.asked.round_trips >= model.round_trips / 2, tick.asked.sent


def test_a_small_tick_is_one_message_and_asks_for_what_the_model_says(counter: Counting) -> None:
    tick = counter.tick("veil", 50, 0, fuse_below=2_000)
    model = model_of(tick, fused=True)

    assert (1, 1) == (tick.messages, model.messages)
    assert tick.asked.round_trips <= model.round_trips, tick.asked.sent
    assert tick.broker_bytes <= model.broker_bytes


def test_another_shard_costs_its_own_round_trips_and_messages_and_nothing_of_the_others(counter: Counting) -> None:
    few, more = counter.tick("veil", 300, 2), counter.tick("veil", 300, 10)
    tasks = (more.shards - few.shards) * few.supersteps

    assert tasks == more.messages - few.messages
    # A task reads what its phase is (head, seed, manifest …) once and writes its output once, whatever it holds.
    assert more.asked.round_trips - few.asked.round_trips <= tasks * (A_SHARD + A_READ)


def test_more_orders_ask_for_more_bytes_and_not_for_more_round_trips(counter: Counting) -> None:
    few, more = counter.tick("veil", 300, 4), counter.tick("veil", 1_200, 4)

    assert few.messages == more.messages
    # Orders and homes travel in slices. A slice that nothing changed stays in its worker's cache and isn't asked for:
    # with few orders there are some of those.
    assert more.asked.round_trips <= few.asked.round_trips + few.supersteps * few.slices
    assert more.broker_bytes <= few.broker_bytes * 1.1
    # Each superstep writes the slices that it changed, compressed: of the Veil, some 2 kB an order in a small tick.
    assert more.store_bytes_in <= few.store_bytes_in + (more.orders - few.orders) * 2_000


def rows() -> list[list[str]]:
    """The Veil's ticks in the documentation: orders, shards, slices, messages, round trips, bytes."""
    return next(table[1:] for table in tables(SCALING) if table[0][0].startswith("orders"))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_the_documented_table_is_what_the_model_says(row: list[str]) -> None:
    shards, slices, messages, round_trips = (int(cell.replace(",", "")) for cell in row[1:5])
    model = tick_counts(supersteps=8, shards=shards, slices=slices, fused="fused" in row[0])
    amount, unit = row[5].split()

    assert (messages, round_trips) == (model.messages, model.round_trips)
    assert float(amount) == round(model.broker_bytes / {"kB": 1e3, "MB": 1e6}[unit], 1)


def test_a_tick_with_one_message_too_many_would_be_found() -> None:
    model = tick_counts(supersteps=8, shards=3, slices=16)

    assert 8 * (3 + 1) + 1 == model.messages
    assert model.round_trips < tick_counts(supersteps=8, shards=4, slices=16).round_trips
    assert model.round_trips < tick_counts(supersteps=8, shards=3, slices=64).round_trips
