"""The sweeper's lease and its index."""

import redis

from workers.store import Store
from workers.store.keys import SWEEPER

MINUTE_MS = 60_000


def test_one_holder_at_a_time(store: Store) -> None:
    assert store.lease.holder() is None
    assert store.lease.take("one", MINUTE_MS)
    assert store.lease.take("one", MINUTE_MS)
    assert not store.lease.take("two", MINUTE_MS)
    assert "one" == store.lease.holder()


def test_a_lease_ends_by_itself_unless_its_holder_takes_it_again(store: Store, client: redis.Redis) -> None:
    store.lease.take("one", 1_000)
    assert 0 < client.pttl(SWEEPER) <= 1_000
    assert store.lease.take("one", MINUTE_MS)
    assert 1_000 < client.pttl(SWEEPER) <= MINUTE_MS

    client.delete(SWEEPER)
    assert store.lease.take("two", MINUTE_MS)


def test_campaigns_come_by_the_time_at_which_they_need_a_look(store: Store) -> None:
    for name, at_ms in (("b", 20), ("a", 10), ("c", 30)):
        store.hints.due(name, at_ms)
        store.hints.running(name, at_ms + 1)

    assert ["a", "b"] == store.hints.due_until(20, 10)
    assert ["a"] == store.hints.due_until(20, 1)
    assert ["a"] == store.hints.running_until(20, 10)
    assert [] == store.hints.due_until(9, 10)


def test_a_hint_is_moved_and_removed(store: Store) -> None:
    store.hints.due("a", 10)
    store.hints.due("a", 50)
    store.hints.running("a", 10)
    assert ([], ["a"]) == (store.hints.due_until(49, 10), store.hints.due_until(50, 10))

    for _ in range(2):
        store.hints.not_due("a")
        store.hints.not_running("a")
    assert ([], []) == (store.hints.due_until(99, 10), store.hints.running_until(99, 10))


def test_a_look_is_brought_forward_and_never_put_off(store: Store) -> None:
    hints = store.hints
    for note, until in ((hints.due_at_latest, hints.due_until), (hints.running_at_latest, hints.running_until)):
        note("a", 20)
        assert ([], ["a"]) == (until(19, 10), until(20, 10))

        note("a", 30)
        assert ["a"] == until(20, 10)
        note("a", 10)
        assert ["a"] == until(10, 10)


def test_what_is_due_is_put_off_and_nothing_else_is(store: Store) -> None:
    for name in ("a", "b", "c"):
        store.hints.due(name, 10)
    store.hints.not_due("b")
    store.hints.put_off(["a", "b"], 20)

    assert ["c"] == store.hints.due_until(19, 10)
    assert ["c", "a"] == store.hints.due_until(20, 10)
    store.hints.put_off([], 30)
    assert ["c", "a"] == store.hints.due_until(20, 10)
