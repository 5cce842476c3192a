"""One process, one SQLite file, plain loops: a game server that needs no other. One transaction a tick.

State and orders are rows; each superstep reads the rows that it plays, decides them, and writes those that changed.
The file is synced at the commit, as `PRAGMA synchronous = FULL` has it. What it leaves out: fog that withstands a test,
replay, digests, a second core, anybody who reads or sends meanwhile.
"""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.common import (
    arguments,
    book_of,
    context_from,
    digest_of,
    encode,
    mail_in_order,
    measured,
    play_home,
)
from workers.cli.bench.books import Book
from workers.kernel.events import Mail
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Sums, Superstep

SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE homes (id TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE orders (id TEXT PRIMARY KEY, home TEXT NOT NULL, kind TEXT NOT NULL, packed BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX orders_of_home ON orders (home, id);
CREATE TABLE shared (id INTEGER PRIMARY KEY CHECK (id = 0), body BLOB NOT NULL);
CREATE TABLE reports (id INTEGER PRIMARY KEY, camp TEXT NOT NULL, fact BLOB NOT NULL);
"""


def store(book: Book, path: Path) -> sqlite3.Connection:
    """A database with the campaign and its orders."""
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    with database:
        database.executemany(
            "INSERT INTO homes VALUES (?, ?)", ((key, encode(home)) for key, home in book.homes.items())
        )
        database.executemany(
            "INSERT INTO orders VALUES (?, ?, ?, ?)",
            (
                (booked.id, booked.home, type(booked.order).__name__, item.packed)
                for booked, item in zip(book.orders, book.items, strict=True)
            ),
        )
        database.execute("INSERT INTO shared VALUES (0, ?)", (encode(book.shared),))
    return database


def tick(book: Book, database: sqlite3.Connection) -> None:
    """Play tick 1 in one transaction."""
    engine = book.engine
    with database:
        (shared,) = database.execute("SELECT body FROM shared").fetchone()
        context = context_from(book, engine.read_shared(shared))
        letters: dict[str, list[Mail]] = {}
        for superstep in engine.steps:
            letters = _superstep(book, database, superstep, letters, context)
        database.execute("UPDATE shared SET body = ?", (encode(context.shared),))
        database.execute("DELETE FROM orders")


def _superstep(
    book: Book,
    database: sqlite3.Connection,
    superstep: Superstep,
    letters: dict[str, list[Mail]],
    context: Context[Any, Any],
) -> dict[str, list[Mail]]:
    engine, sums = book.engine, Sums()
    sent: dict[str, list[Mail]] = {}
    changed: list[tuple[str, bytes]] = []
    gone: list[tuple[str]] = []
    facts: list[tuple[str, bytes]] = []
    orders = dict(_orders(book, database, superstep))
    every = superstep.homes.every(context)
    for key, body in _homes(database, {*orders, *letters}, every=every):
        home = None if body is None else engine.read_home(body)
        mail = mail_in_order(letters.get(key, ()))
        after, events, read = play_home(engine, superstep, home, orders.get(key, []), mail, context, sums)
        facts += read
        for event in events:
            if isinstance(event, Mail):
                sent.setdefault(event.to, []).append(event)
        if after is None:
            gone.append((key,))
        elif events:
            changed.append((key, encode(after)))
    database.executemany("INSERT OR REPLACE INTO homes VALUES (?, ?)", changed)
    database.executemany("DELETE FROM homes WHERE id = ?", gone)
    database.executemany("INSERT INTO reports (camp, fact) VALUES (?, ?)", facts)
    engine.settle(superstep, context.shared, sums, context)
    return sent


def _orders(
    book: Book, database: sqlite3.Connection, superstep: Superstep
) -> Iterator[tuple[str, list[Booked[Any, Any]]]]:
    """The orders that a superstep plays, home by home, each home's in ascending id."""
    kinds = [kind.__name__ for kind in book.rulebook.orders if issubclass(kind, superstep.homes.orders)]
    if not kinds:
        return
    marks = ", ".join("?" * len(kinds))
    rows = database.execute(f"SELECT home, packed FROM orders WHERE kind IN ({marks}) ORDER BY home, id", kinds)
    present = ""
    found: list[Booked[Any, Any]] = []
    for home, packed in rows:
        if home != present and found:
            yield present, found
            found = []
        present = home
        found.append(book.engine.packing.unpack(packed))
    if found:
        yield present, found


def _homes(database: sqlite3.Connection, wanted: set[str], *, every: bool) -> Iterator[tuple[str, bytes | None]]:
    """The homes to play: those that are named, also where there is none yet, or all."""
    if every:
        yield from database.execute("SELECT id, body FROM homes ORDER BY id").fetchall()
        known = {key for (key,) in database.execute("SELECT id FROM homes")}
        yield from ((key, None) for key in sorted(wanted - known))
        return
    for key in sorted(wanted):
        row = database.execute("SELECT body FROM homes WHERE id = ?", (key,)).fetchone()
        yield key, row[0] if row else None


def state(book: Book, database: sqlite3.Connection) -> str:
    """The digest of what the database holds."""
    homes = [body for (body,) in database.execute("SELECT body FROM homes")]
    (shared,) = database.execute("SELECT body FROM shared").fetchone()
    return digest_of(book.engine, homes, shared)


def main() -> None:
    """Measure it."""
    chosen = arguments("One process, SQLite, plain loops.")
    book = book_of(chosen.rulebook, chosen.orders)
    with tempfile.TemporaryDirectory(prefix="tocsin-reference-") as folder:
        databases = [store(book, Path(folder) / f"{number}.db") for number in range(chosen.runs)]
        fresh = iter(databases)

        def run() -> Callable[[], str]:
            database = next(fresh)
            tick(book, database)
            return lambda: state(book, database)

        measured("one process, SQLite", chosen.orders, chosen.runs, run)
        for database in databases:
            database.close()


if __name__ == "__main__":
    main()
