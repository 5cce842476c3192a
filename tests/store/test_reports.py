"""Reading and trimming the camps' streams."""

import pytest
import redis

from tests.store.campaigns import NAME, opened, published, write_pages
from workers.store import Store
from workers.store.keys import Keys
from workers.store.records import Page
from workers.store.reports import least_kept, page_of, position_of


@pytest.fixture
def stream(store: Store, client: redis.Redis) -> Store:
    """A camp's stream with pages 1-1, 1-2, 2-1, 3-1 and 3-2."""
    for tick, page, last in ((1, 1, 0), (1, 2, 1), (2, 1, 1), (3, 1, 0), (3, 2, 1)):
        flag = ("last", "1") if last else ()
        client.execute_command("XADD", Keys(NAME).reports("angels"), f"{tick}-{page}", "p", f"{tick}/{page}", *flag)
    return store


def positions(store: Store, **how: object) -> list[tuple[int, int]]:
    return [(page.tick, page.page) for page in store.reports.read(NAME, "angels", **how)]  # type: ignore[arg-type] # each test names its own


def trim(store: Store, first_tick: int) -> None:
    """Drop the pages of earlier ticks."""
    last = store.reports.last_position(NAME, "angels")
    assert last is not None
    store.client.xtrim(Keys(NAME).reports("angels"), minid=least_kept(last, first_tick), approximate=False)


def test_pages_are_read_from_any_page_on(stream: Store) -> None:
    assert [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2)] == positions(stream)
    assert [(2, 1), (3, 1), (3, 2)] == positions(stream, after=(1, 2))
    assert [(2, 1), (3, 1), (3, 2)] == positions(stream, after=(1, 300))
    assert [(1, 1), (1, 2)] == positions(stream, after=(1, 0), count=2)
    assert [] == positions(stream, after=(3, 2))


def test_a_page_says_whether_its_tick_is_complete(stream: Store) -> None:
    assert [Page(1, 2, b"1/2", True), Page(2, 1, b"2/1", True)] == stream.reports.read(
        NAME, "angels", after=(1, 1), count=2
    )
    assert not stream.reports.read(NAME, "angels", count=1)[0].last


def test_a_stream_knows_its_ends(stream: Store) -> None:
    assert ((1, 1), (3, 2)) == (
        stream.reports.first_position(NAME, "angels"),
        stream.reports.last_position(NAME, "angels"),
    )
    assert (None, None) == (
        stream.reports.first_position(NAME, "nobody"),
        stream.reports.last_position(NAME, "nobody"),
    )
    assert [] == stream.reports.read(NAME, "nobody")


@pytest.mark.parametrize(
    ("first_tick", "left"),
    [
        (0, [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2)]),
        (2, [(2, 1), (3, 1), (3, 2)]),
        (3, [(3, 1), (3, 2)]),
        (4, [(3, 2)]),
        (100, [(3, 2)]),
    ],
)
def test_trimming_drops_older_ticks_and_never_the_last_page(
    stream: Store, first_tick: int, left: list[tuple[int, int]]
) -> None:
    for _ in range(2):
        trim(stream, first_tick)
        assert left == positions(stream)


def test_a_trimmed_page_is_never_written_again(store: Store, client: redis.Redis) -> None:
    opened(store)
    published(store, 1)
    published(store, 2)
    trim(store, 3)
    client.hset(Keys(NAME).head, mapping={"resolving": "1", "tick_status": "resolved"})

    assert ("written", 0, 1) == write_pages(store, "angels", 1, [b"again"])
    assert [(2, 1)] == positions(store)


def test_an_entry_read_by_any_client_is_a_page() -> None:
    assert (12, 3) == position_of(b"12-3")
    assert Page(12, 3, b"body", True) == page_of(b"12-3", {b"p": b"body", b"last": b"1"})
    assert Page(12, 3, b"body", False) == page_of(b"12-3", {b"p": b"body"})
