"""Blobs: read by digest, collected when nothing names them any more, cached within a bound."""

import redis
from hypothesis import given
from hypothesis import strategies as st

from tests.store.campaigns import NAME, close, digest, opened, scripts
from workers.store import Store
from workers.store.blobs import BlobCache, collect_calls
from workers.store.keys import Keys
from workers.store.records import ShardOutput, StepId


def test_blobs_come_in_the_order_of_their_digests_and_none_for_what_isn_t_there(store: Store) -> None:
    opened(store)
    close(store)
    stored = {digest(b"%d" % number): b"%d" % number for number in range(150)}
    store.ticks.output(StepId(NAME, 1, 1, 0), ShardOutput(0, b"{}", "worker-1", stored))
    wanted = [*reversed(stored), digest(b"lost"), *stored]

    assert [stored.get(one) for one in wanted] == store.blobs.get_many(NAME, wanted)
    assert [] == store.blobs.get_many(NAME, [])


def collect(store: Store, index: dict[str, int], before: int) -> int:
    """Collect by an index that was read; how many were dropped."""
    return sum(scripts(store).run_all(list(collect_calls(NAME, index, before))))


def test_only_what_no_later_tick_named_is_collected(store: Store, client: redis.Redis) -> None:
    keys = Keys(NAME)
    for number in range(600):
        client.set(keys.blob(f"d{number}"), b"blob")
    client.hset(keys.blobs, mapping={f"d{number}": number % 3 for number in range(600)})

    assert 200 == collect(store, store.blobs.index(NAME), 1)
    assert {1, 2} == set(store.blobs.index(NAME).values())
    assert 400 == sum(blob is not None for blob in store.blobs.get_many(NAME, [f"d{number}" for number in range(600)]))
    assert 0 == collect(store, store.blobs.index(NAME), 1)
    assert 400 == collect(store, store.blobs.index(NAME), 3)
    assert {} == store.blobs.index(NAME)


def test_a_blob_that_is_named_while_the_collection_runs_stays(store: Store, client: redis.Redis) -> None:
    keys = Keys(NAME)
    client.set(keys.blob("d"), b"blob")
    client.hset(keys.blobs, "d", 1)
    seen = store.blobs.index(NAME)
    client.hset(keys.blobs, "d", 2)

    assert 0 == collect(store, seen, 2)
    assert [b"blob"] == store.blobs.get_many(NAME, ["d"])


def test_the_least_recently_used_leaves_the_cache_first() -> None:
    cache = BlobCache[bytes](10)
    for name in ("a", "b", "c"):
        cache.put(name, name.encode(), 3)
    assert b"a" == cache.get("a")
    cache.put("d", b"d", 3)

    assert (b"a", None, b"c", b"d") == (cache.get("a"), cache.get("b"), cache.get("c"), cache.get("d"))
    assert (9, 3) == (cache.size, len(cache))


def test_what_is_larger_than_the_cache_isn_t_kept_and_drives_nothing_out() -> None:
    cache = BlobCache[bytes](10)
    cache.put("a", b"a", 5)
    cache.put("b", b"b", 11)

    assert (b"a", None, 5) == (cache.get("a"), cache.get("b"), cache.size)


def test_what_is_taken_leaves_the_cache() -> None:
    cache = BlobCache[bytes](10)
    cache.put("a", b"a", 5)

    assert (b"a", None, None, 0) == (cache.take("a"), cache.take("a"), cache.get("a"), cache.size)


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.integers(0, 12), st.sampled_from(["put", "get", "take"])), max_size=60
    )
)
def test_the_cache_never_holds_more_than_its_bound_nor_anything_wrong(steps: list[tuple[str, int, str]]) -> None:
    cache = BlobCache[tuple[str, int]](20)
    last: dict[str, tuple[str, int]] = {}
    for name, size, what in steps:
        if what == "put":
            last[name] = (name, size)
            cache.put(name, (name, size), size)
        else:
            assert (cache.get(name) if what == "get" else cache.take(name)) in (None, last.get(name))
        held = [value for key in "abcdef" if (value := cache._entries.get(key))]
        assert cache.size == sum(size for _, size in held) <= 20
