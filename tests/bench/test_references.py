"""The references play the same rules on the same orders: what they leave behind is what Tocsin leaves behind."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.common import book_of, digest_of
from benchmarks.free_decide import Shard, freed
from benchmarks.sqlite_loop import state, store, tick
from workers.cli.bench.books import Book
from workers.cli.bench.pure import played
from workers.kernel.digest import canonical
from workers.kernel.entities import Slice, cut
from workers.kernel.ids import id_key, tick_seed
from workers.kernel.tick import TickInput, resolve

RULEBOOKS = ("veil", "uprising", "anarchy")
ORDERS = 200


@pytest.fixture(params=RULEBOOKS)
def book(request: pytest.FixtureRequest) -> Book:
    return book_of(request.param, ORDERS)


@pytest.fixture
def database(book: Book, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    made = store(book, tmp_path / "reference.db")
    yield made
    made.close()


def digest_of_tocsin(book: Book) -> str:
    given = TickInput(
        tick=1,
        tick_seed=tick_seed(book.seed, 1),
        id_key=id_key(book.seed),
        settings=book.settings,
        shared=canonical(book.shared),
        slices=[piece.to_bytes() for piece in cut(book.homes.items(), 16)],
        orders=book.orders,
    )
    result = resolve(book.engine, given)
    homes = [line for data in result.slices for line in Slice.parse(data).lines.values()]
    return digest_of(book.engine, homes, result.shared)


def test_one_process_on_sqlite_leaves_the_world_that_tocsin_leaves(book: Book, database: sqlite3.Connection) -> None:
    before = state(book, database)
    tick(book, database)

    assert digest_of_tocsin(book) == state(book, database)
    assert before != state(book, database)


def test_a_book_is_the_same_each_time_and_another_with_another_seed() -> None:
    items = book_of("veil", ORDERS).items

    assert items == book_of("veil", ORDERS).items
    assert items != book_of("veil", ORDERS, seed=2).items


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_the_pure_loop_plays_the_same_tick(rulebook: str) -> None:
    wanted = digest_of_tocsin(book_of(rulebook, ORDERS))
    book = book_of(rulebook, ORDERS)
    homes = [canonical(home) for home in played(book).values()]

    assert wanted == digest_of(book.engine, homes, canonical(book.shared))


def test_a_tick_that_decides_by_a_table_leaves_what_the_rules_leave(book: Book) -> None:
    shard = Shard(book)

    assert shard.tick(shard.engine.steps)[1] == shard.tick(freed(shard))[1]
