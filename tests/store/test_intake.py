"""Intake: an order is booked whole or not at all, once, in the tick that takes orders, within its meters."""

import msgspec
import pytest
import redis

from tests.kernel.toy import Close, Earn, Facts, Give
from tests.store.campaigns import (
    NAME,
    SEED,
    book,
    close,
    head_of,
    new_campaign,
    opened,
    order,
    order_id,
    publish,
    published,
    resolved,
    whole_book,
)
from workers.kernel.orders import Order, Packing
from workers.store import Store
from workers.store.batching import element_of
from workers.store.errors import CorruptRecord, InvalidRequest
from workers.store.keys import Keys
from workers.store.places import slice_of
from workers.store.records import (
    AMOUNT_MAX,
    ITEMS_MAX,
    Cost,
    Counts,
    Head,
    IntakeRequest,
    ItemRefusal,
    Release,
)

FAR_MS = 9_999_999_999_999


def used(store: Store, head: Head, *homes: str, tick: int = 1) -> list[int]:
    return store.intake.used(head, tick, [(home, f"{home}/ap") for home in homes])


def meters_stored(client: redis.Redis, tick: int = 1) -> dict[bytes | str, bytes | str]:
    return {
        field: value
        for key in client.scan_iter(match=f"tocsin:{{{NAME}}}:meters:{tick}:*")
        for field, value in client.hgetall(key).items()
    }


def test_a_booked_order_lies_in_its_home_s_slice_and_is_found_by_its_id(store: Store) -> None:
    head = opened(store)
    reply = book(store, head, order(1, home="servant-7"), order(2, home="servant-8"))

    assert ("answered", 1, 0, (1, 1), False) == (
        reply.outcome,
        reply.tick,
        reply.published,
        reply.results,
        reply.replayed,
    )
    places = [slice_of(home, head.slices) for home in ("servant-7", "servant-8")]
    assert [[b"order 1"], [b"order 2"]] == store.intake.read_slices(NAME, 1, places)
    assert [[places[0]], [places[1]], []] == [store.intake.find(NAME, 1, order_id(number)) for number in (1, 2, 3)]
    assert Counts(orders=2, version=2) == store.intake.counts(NAME, 1)
    assert [1, 1] == used(store, head, "servant-7", "servant-8")


def test_a_thousand_orders_in_one_batch_are_all_booked(store: Store) -> None:
    head = opened(store, slices=256, groups=64)
    items = [order(number, home=f"servant-{number // 2}") for number in range(ITEMS_MAX)]
    reply = book(store, head, *items)

    assert (1,) * ITEMS_MAX == reply.results
    assert sorted(item.packed for item in items) == whole_book(store, head, 1)
    assert all(slice_of(item.home, 256) in store.intake.find(NAME, 1, item.id) for item in items)
    assert [2] * 500 == used(store, head, *(f"servant-{number}" for number in range(500)))


def test_a_thousand_orders_of_one_home_fit_into_one_meter_up_to_its_limit(store: Store) -> None:
    head = opened(store)
    reply = book(store, head, *(order(number, limit=700) for number in range(ITEMS_MAX)))

    over = ItemRefusal("over", field="servant-1/ap", used=700, limit=700)
    assert (1,) * 700 + (over,) * 300 == reply.results
    assert [700] == used(store, head, "servant-1")
    assert Counts(700, 700) == store.intake.counts(NAME, 1)


def test_an_order_over_its_meter_is_refused_with_what_the_meter_stands_at(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1, amount=2))
    reply = book(store, head, order(2, amount=2), order(3, amount=1))

    assert (ItemRefusal("over", field="servant-1/ap", used=2, limit=3), 1) == reply.results
    assert [b"order 1", b"order 3"] == whole_book(store, head, 1)
    assert [3] == used(store, head, "servant-1")
    assert [] == store.intake.find(NAME, 1, order_id(2))


def test_a_refused_order_takes_nothing_from_any_of_its_meters(store: Store, client: redis.Redis) -> None:
    head = opened(store)
    costs = (Cost("servant-1", "a", 1, 9), Cost("camp", "reserve", 2, 1), Cost("servant-2", "b", 1, 9))
    reply = book(store, head, order(1, costs=costs), order(2, costs=(Cost("servant-1", "a", 1, 1),)))

    assert (ItemRefusal("over", field="reserve", used=0, limit=1), 1) == reply.results
    assert {b"a": b"1"} == meters_stored(client)


def test_of_a_batch_over_many_homes_exactly_the_accepted_orders_are_booked_and_taken(store: Store) -> None:
    head = opened(store, slices=256, groups=256)
    homes = [f"servant-{number}" for number in range(8)]
    items = [order(number, home=homes[number % 8], limit=1 + number % 2) for number in range(24)]
    items.insert(0, order(24, home="servant-8"))
    reply = book(store, head, *items)

    accepted = [0] + [number + 1 for number in range(24) if number < (16 if number % 2 else 8)]
    assert accepted == [number for number, result in enumerate(reply.results) if result == 1]
    assert sorted(items[number].packed for number in accepted) == whole_book(store, head, 1)
    assert [1, 2, 1, 2, 1, 2, 1, 2, 1] == used(store, head, *homes, "servant-8")
    places = [[slice_of(item.home, 256)] if number in accepted else [] for number, item in enumerate(items)]
    assert places == [store.intake.find(NAME, 1, item.id) for item in items]


def test_several_costs_on_one_meter_add_up(store: Store) -> None:
    head = opened(store)
    twice = (Cost("servant-1", "ap", 2, 3), Cost("servant-1", "ap", 2, 3))
    reply = book(store, head, order(1, costs=twice), order(2, costs=twice[:1]))

    assert (ItemRefusal("over", field="ap", used=2, limit=3), 1) == reply.results


def test_the_least_limit_on_a_meter_holds_for_its_own_order_only(store: Store) -> None:
    head = opened(store)
    reply = book(store, head, order(1, amount=2, limit=9), order(2, amount=1, limit=2), order(3, amount=1, limit=9))

    assert (1, ItemRefusal("over", field="servant-1/ap", used=2, limit=2), 1) == reply.results


def test_an_amount_of_zero_or_less_always_passes(store: Store) -> None:
    head = opened(store)
    reply = book(
        store,
        head,
        order(1, amount=0, limit=-5),
        order(2, amount=-2, limit=-5),
        order(3, amount=2, limit=0),
        order(4, amount=1, limit=0),
    )

    assert (1, 1, 1, ItemRefusal("over", field="servant-1/ap", used=0, limit=0)) == reply.results


def test_an_order_without_costs_is_booked(store: Store, client: redis.Redis) -> None:
    head = opened(store)

    assert (1,) == book(store, head, order(1, costs=())).results
    assert {} == meters_stored(client)


def test_a_replacement_keeps_the_id_raises_the_revision_and_takes_after_it_released(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1, amount=3))
    released = (Release("servant-1", "servant-1/ap", 3),)
    reply = book(store, head, order(1, amount=2, expect=1, release=released, packed=b"order 1, again"))

    assert (2,) == reply.results
    assert [2] == used(store, head, "servant-1")
    assert {order_id(1): 2} == store.intake.revisions(NAME, 1)
    assert (2, [2, 1]) == (
        store.intake.revision(NAME, 1, order_id(1)),
        store.intake.revisions_of(NAME, 1, [order_id(1), order_id(2)]),
    )
    assert [b"order 1", b"order 1, again"] == whole_book(store, head, 1)
    assert Counts(orders=1, version=2) == store.intake.counts(NAME, 1)


def test_a_replacement_that_moves_home_is_found_in_its_new_slice_first(store: Store) -> None:
    head = opened(store, slices=256)
    book(store, head, order(1, home="servant-1"))
    book(store, head, order(1, home="servant-2", expect=1))

    assert [slice_of("servant-2", 256), slice_of("servant-1", 256)] == store.intake.find(NAME, 1, order_id(1))


def test_a_replacement_over_its_meter_changes_nothing(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1, amount=1), order(2, amount=2))
    reply = book(store, head, order(1, amount=2, expect=1, release=(Release("servant-1", "servant-1/ap", 1),)))

    assert (ItemRefusal("over", field="servant-1/ap", used=2, limit=3),) == reply.results
    assert [3] == used(store, head, "servant-1")
    assert {} == store.intake.revisions(NAME, 1)
    assert Counts(2, 2) == store.intake.counts(NAME, 1)


def test_a_replacement_of_another_revision_is_refused_with_the_present_one(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1))
    book(store, head, order(1, amount=0, expect=1))
    reply = book(store, head, order(1, amount=0, expect=1), order(1, amount=0, expect=2), order(1, amount=0, expect=3))

    assert (ItemRefusal("revision_conflict", revision=2), 3, 4) == reply.results


def test_an_atomic_batch_is_booked_whole_or_not_at_all(store: Store, client: redis.Redis) -> None:
    head = opened(store)
    before = sorted(client.scan_iter())
    reply = book(store, head, order(1), order(2, amount=9), order(3), atomic=True, idem="e", body="b")

    not_booked = ItemRefusal("not_booked")
    assert (not_booked, ItemRefusal("over", "servant-1/ap", used=1, limit=3), not_booked) == reply.results
    assert before == sorted(client.scan_iter())
    assert (1, 1) == book(store, head, order(1), order(3), atomic=True, idem="e", body="b").results


def test_an_atomic_replacement_that_fails_leaves_the_revision(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1))
    reply = book(store, head, order(1, amount=0, expect=1), order(2, amount=9), atomic=True)

    assert ItemRefusal("not_booked") == reply.results[0]
    assert {} == store.intake.revisions(NAME, 1)


def test_the_same_batch_gets_the_same_answer_and_books_nothing_twice(store: Store) -> None:
    head = opened(store)
    items = [order(1, amount=2), order(2, amount=2), order(3, amount=1)]
    first = book(store, head, *items, idem="e1", body="b1", note="what the caller knew")
    again = book(store, head, *items, idem="e1", body="b1", note="something else")

    assert (False, True) == (first.replayed, again.replayed)
    assert (first.tick, first.published, first.results, first.note) == (
        again.tick,
        again.published,
        again.results,
        again.note,
    )
    assert "what the caller knew" == again.note
    assert Counts(2, 2) == store.intake.counts(NAME, 1)
    assert again == store.intake.answered(NAME, "e1", "b1")


def test_the_stored_answer_is_given_byte_for_byte_in_whatever_tick_and_status(
    store: Store, client: redis.Redis
) -> None:
    head = opened(store)
    first = book(store, head, order(1), order(2, amount=9), idem="e1", body="b1")
    stored = client.get(Keys(NAME).idem("e1"))
    published(store)
    store.heads.lifecycle(NAME, "pause")
    later = head_of(store)
    again = book(store, later, order(1), tick=2, idem="e1", body="b1")

    assert first.results == again.results
    assert (1, 0, True) == (again.tick, again.published, again.replayed)
    assert stored == client.get(Keys(NAME).idem("e1"))
    assert Counts(0, 0) == store.intake.counts(NAME, 2)


def test_an_idempotency_key_with_another_body_is_a_conflict(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1), idem="e1", body="b1")

    assert "idempotency_conflict" == book(store, head, order(2), idem="e1", body="b2").outcome
    conflict = store.intake.answered(NAME, "e1", "b2")
    assert conflict is not None
    assert "idempotency_conflict" == conflict.outcome
    assert [b"order 1"] == whole_book(store, head, 1)


def test_a_batch_of_which_nothing_was_booked_leaves_its_key_free(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1, amount=9), idem="e1", body="b1")

    assert store.intake.answered(NAME, "e1", "b1") is None
    assert (1,) == book(store, head, order(1, amount=2), idem="e1", body="b2").results


def test_the_tick_knows_its_idempotency_records(store: Store, client: redis.Redis) -> None:
    head = opened(store)
    book(store, head, order(1), idem="e1", body="b1")
    book(store, head, order(2), idem="e2", body="b2")
    book(store, head, order(2), idem="e2", body="b2")
    book(store, head, order(3))

    assert [b"e1", b"e2"] == client.lrange(Keys(NAME).idems(1), 0, -1)


@pytest.mark.parametrize("verbs", [(), ("open", "pause"), ("end",)])
def test_only_an_open_campaign_takes_orders(store: Store, verbs: tuple[str, ...]) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    for verb in verbs:
        store.heads.lifecycle(NAME, verb)  # type: ignore[arg-type] # parametrize knows texts only
    head = head_of(store)

    reply = book(store, head, order(1))
    assert ("closed_campaign", head.status) == (reply.outcome, reply.status)
    assert Counts(0, 0) == store.intake.counts(NAME, 1)


def test_a_campaign_that_is_gone_takes_no_orders(store: Store, client: redis.Redis) -> None:
    head = opened(store)
    client.delete(Keys(NAME).head)

    reply = book(store, head, order(1))
    assert ("closed_campaign", "") == (reply.outcome, reply.status)


def test_past_the_deadline_orders_belong_to_the_next_tick_before_anybody_has_closed(store: Store) -> None:
    head = opened(store, deadline_ms=1)

    assert ("other_tick", 2) == (book(store, head, order(1)).outcome, book(store, head, order(1)).tick)
    assert ("tick_closed", 2) == (
        book(store, head, order(1), for_tick=True).outcome,
        book(store, head, order(1), for_tick=True).tick,
    )
    assert (1,) == book(store, head, order(1), tick=2).results
    assert [b"order 1"] == whole_book(store, head, 2)
    assert [] == whole_book(store, head, 1)


def test_before_the_deadline_orders_belong_to_the_open_tick(store: Store) -> None:
    head = opened(store, deadline_ms=FAR_MS)

    assert (1,) == book(store, head, order(1)).results
    assert "other_tick" == book(store, head, order(2), tick=2).outcome


def test_after_the_close_orders_belong_to_the_next_tick(store: Store) -> None:
    head = opened(store)
    close(store)

    assert ("other_tick", 2) == (book(store, head, order(1)).outcome, book(store, head, order(1)).tick)
    assert (1,) == book(store, head, order(1), tick=2, for_tick=True).results


def test_a_batch_checked_on_an_older_state_is_checked_again(store: Store) -> None:
    head = opened(store)
    resolved(store)
    assert (1,) == book(store, head, order(1), tick=2).results

    publish(store)
    reply = book(store, head, order(2), tick=2)
    assert ("view_changed", 1) == (reply.outcome, reply.published)
    assert (1,) == book(store, head_of(store), order(2), tick=2).results


def test_a_full_tick_refuses_new_orders_and_takes_replacements(store: Store) -> None:
    head = opened(store)
    reply = book(store, head, order(1), order(2), order(3), orders_tick_max=2)

    assert (1, 1, ItemRefusal("tick_full", limit=2)) == reply.results
    assert (2,) == book(store, head, order(1, amount=0, expect=1), orders_tick_max=2).results


def test_changes_of_a_tick_are_bounded_by_four_an_order(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1, amount=0))
    replies = [book(store, head, order(1, amount=0, expect=n), orders_tick_max=1).results[0] for n in (1, 2, 3, 4)]

    assert [2, 3, 4, ItemRefusal("tick_full", limit=4)] == replies


def test_orders_sent_and_withdrawn_over_and_over_are_changes_too(store: Store) -> None:
    head = opened(store)
    results: list[int | ItemRefusal] = []
    for number in range(3):
        results += book(store, head, order(number), orders_tick_max=1).results
        store.intake.withdraw(head, 1, order_id(number), expect=1, release=[Release("servant-1", "servant-1/ap", 1)])

    assert [1, 1, ItemRefusal("tick_full", limit=4)] == results


def test_a_camp_s_ready_mark_is_cleared_by_its_next_order_and_by_no_refused_one(store: Store) -> None:
    head = opened(store)
    for camp in ("angels", "demons"):
        store.intake.ready(NAME, 1, camp, on=True)
    book(store, head, order(1, amount=9), camp="angels")
    assert ["angels", "demons"] == store.intake.ready_camps(NAME, 1)

    book(store, head, order(1), camp="angels")
    assert ["demons"] == store.intake.ready_camps(NAME, 1)


@pytest.mark.parametrize("count", [0, ITEMS_MAX + 1])
def test_a_batch_has_1_to_1000_orders(store: Store, count: int) -> None:
    head = opened(store)

    with pytest.raises(InvalidRequest, match=f"items: {count} .*accepted: 1 to 1000"):
        store.intake.book(head, IntakeRequest(tick=1), [order(number) for number in range(count)])


@pytest.mark.parametrize("bad", ["", "a" * 25, "A" * 26, "1" * 26, "a" * 27, "é" * 26])
def test_what_is_no_order_id_is_refused(store: Store, bad: str) -> None:
    head = opened(store)

    with pytest.raises(InvalidRequest, match=r"id: .*accepted"):
        book(store, head, order(1, id=bad))
    with pytest.raises(InvalidRequest, match=r"id: .*accepted"):
        book(store, head, order(1), order(2, id=bad))
    with pytest.raises(InvalidRequest, match=r"id: .*accepted"):
        store.intake.find(NAME, 1, bad)


def test_ids_of_a_batch_are_looked_at_one_by_one(store: Store) -> None:
    head = opened(store)

    with pytest.raises(InvalidRequest, match=f"id: '{'a' * 27}'; accepted"):
        book(store, head, order(1, id="a" * 27), order(2, id="a" * 25))


@pytest.mark.parametrize("amount", [AMOUNT_MAX + 1, -AMOUNT_MAX - 1])
def test_an_amount_out_of_bounds_is_refused_by_its_meter(store: Store, amount: int) -> None:
    head = opened(store)

    with pytest.raises(InvalidRequest, match=r"servant-1/ap: .*accepted"):
        book(store, head, order(1, amount=amount))
    with pytest.raises(InvalidRequest, match=r"servant-1/ap: .*accepted"):
        book(store, head, order(1, expect=1, release=(Release("servant-1", "servant-1/ap", amount),)))


def test_packed_bytes_may_be_any_bytes(store: Store) -> None:
    head = opened(store)
    every = bytes(range(256))
    book(store, head, order(1, packed=every), order(2, packed=b""))

    assert [b"", every] == whole_book(store, head, 1)


# Elements: what a batch brings to a slice lies together.


def elements(client: redis.Redis) -> list[bytes | str]:
    return client.lrange(Keys(NAME).book(1, 0), 0, -1)


def test_a_whole_batch_is_an_element_a_slice_and_a_single_order_is_one_as_it_is(
    store: Store, client: redis.Redis
) -> None:
    head = opened(store, slices=1)
    book(store, head, *(order(number, limit=9) for number in range(3)))
    book(store, head, order(3, limit=9))

    packed = [b"order %d" % number for number in range(4)]
    assert [b"\xc1\0" + msgspec.msgpack.encode(packed[:3]), packed[3]] == elements(client)
    assert [packed] == store.intake.read_slices(NAME, 1, [0])


def test_of_a_batch_that_isn_t_whole_each_booked_order_is_an_element(store: Store, client: redis.Redis) -> None:
    head = opened(store, slices=1)
    book(store, head, *(order(number, limit=2) for number in range(3)))

    assert [b"order 0", b"order 1"] == elements(client)


def test_an_order_that_begins_like_an_element_of_several_is_read_as_it_is(store: Store) -> None:
    head = opened(store, slices=1)
    packed = [b"\xc1", b"\xc1\x90", b"\xc1 whole", b"whole"]
    book(store, head, order(1, packed=packed[0]))
    book(store, head, order(2, packed=packed[1], amount=0))
    book(store, head, order(3, packed=packed[2], home="a"), order(4, packed=packed[3], home="b"))

    assert [packed] == store.intake.read_slices(NAME, 1, [0])


def test_a_batch_takes_the_same_whole_and_item_by_item(store: Store, client: redis.Redis) -> None:
    """An order that gives nothing and takes nothing more makes the difference."""
    head = opened(store, slices=8, groups=4)
    items = [order(number, home=f"servant-{number % 7}", limit=9, packed=bytes([number])) for number in range(40)]
    assert (1,) * 40 == book(store, head, *items).results
    whole = (meters_stored(client), whole_book(store, head, 1), store.intake.counts(NAME, 1))

    client.flushall()
    head = opened(store, slices=8, groups=4)
    nothing = Cost("servant-1", "servant-1/ap", 0, 9)
    apart = [msgspec.structs.replace(items[0], costs=(*items[0].costs, nothing)), *items[1:]]
    assert (1,) * 40 == book(store, head, *apart).results
    assert whole == (meters_stored(client), whole_book(store, head, 1), store.intake.counts(NAME, 1))


def test_a_batch_that_isn_t_whole_leaves_no_meter_behind_before_it_is_decided(
    store: Store, client: redis.Redis
) -> None:
    head = opened(store, groups=8)
    homes = [f"servant-{number}" for number in range(20)]
    items = [order(number, home=home, limit=1) for number, home in enumerate(homes)]
    reply = book(store, head, *items, order(20, home="servant-19", limit=1), atomic=True)

    assert [ItemRefusal("not_booked")] * 20 == list(reply.results[:20])
    assert {} == meters_stored(client)
    assert [] == whole_book(store, head, 1)


def test_who_takes_an_element_of_several_for_an_order_fails_and_passes_over_none() -> None:
    """As workers do that know no such elements: what is played of a book is chosen by the second byte."""
    element = element_of([b"order 1", b"order 2"])
    assert 0 == element[1]

    with pytest.raises(msgspec.DecodeError):
        Packing((Earn, Give, Close), Facts, ("a", "b")).unpack_played([element], (Order,))


@pytest.mark.parametrize("element", [b"\xc1", b"\xc1\x92\xc4", b"\xc1\0\x92\xc4"])
def test_an_element_that_is_none_is_told_as_corrupt(store: Store, client: redis.Redis, element: bytes) -> None:
    opened(store, slices=1)
    client.rpush(Keys(NAME).book(1, 0), element)

    with pytest.raises(CorruptRecord, match="element of a book"):
        store.intake.read_slices(NAME, 1, [0])


# Withdrawing.


def test_a_withdrawn_order_gives_back_what_it_took_and_leaves_the_count(store: Store, client: redis.Redis) -> None:
    head = opened(store)
    book(store, head, order(1, amount=2), order(2, amount=1))
    store.intake.ready(NAME, 1, "angels", on=True)
    released = [Release("servant-1", "servant-1/ap", 2)]
    reply = store.intake.withdraw(head, 1, order_id(1), expect=1, release=released, camp="angels")

    assert "withdrawn" == reply.outcome
    assert [1] == used(store, head, "servant-1")
    assert {order_id(1): 0} == store.intake.revisions(NAME, 1)
    assert Counts(orders=1, version=3) == store.intake.counts(NAME, 1)
    assert [] == store.intake.ready_camps(NAME, 1)

    assert "same" == store.intake.withdraw(head, 1, order_id(1), expect=1, release=released).outcome
    assert [1] == used(store, head, "servant-1")
    assert Counts(orders=1, version=3) == store.intake.counts(NAME, 1)


def test_a_withdrawn_order_can_t_be_replaced(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1))
    store.intake.withdraw(head, 1, order_id(1), expect=1, release=[])

    assert (ItemRefusal("revision_conflict", revision=0),) == book(store, head, order(1, expect=1)).results


def test_an_amount_of_zero_is_given_back_too(store: Store) -> None:
    head = opened(store)
    nothing = (Release("servant-1", "servant-1/ap", 0),)
    book(store, head, order(1, amount=0), order(2, amount=0))

    assert (2,) == book(store, head, order(1, amount=0, expect=1, release=nothing)).results
    refused = book(store, head, order(1, amount=0, expect=2, release=nothing), order(3, amount=9), atomic=True)
    assert ItemRefusal("not_booked") == refused.results[0]
    assert "withdrawn" == store.intake.withdraw(head, 1, order_id(2), expect=1, release=nothing).outcome
    assert [0] == used(store, head, "servant-1")


def test_another_revision_isn_t_withdrawn(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1))
    book(store, head, order(1, amount=0, expect=1))
    reply = store.intake.withdraw(head, 1, order_id(1), expect=1, release=[])

    assert ("revision_conflict", 2) == (reply.outcome, reply.revision)
    assert Counts(orders=1, version=2) == store.intake.counts(NAME, 1)


def test_an_order_of_a_closed_tick_can_t_be_withdrawn(store: Store) -> None:
    head = opened(store)
    book(store, head, order(1))
    close(store)
    reply = store.intake.withdraw(head, 1, order_id(1), expect=1, release=[])

    assert ("tick_closed", 2) == (reply.outcome, reply.tick)
    store.heads.lifecycle(NAME, "pause")
    paused = store.intake.withdraw(head, 1, order_id(1), expect=1, release=[])
    assert ("closed_campaign", "paused") == (paused.outcome, paused.status)
    assert {} == store.intake.revisions(NAME, 1)


def test_past_the_deadline_nothing_is_withdrawn(store: Store) -> None:
    head = opened(store, deadline_ms=1)

    assert "tick_closed" == store.intake.withdraw(head, 1, order_id(1), expect=1, release=[]).outcome


def test_what_is_booked_for_the_tick_after_the_open_one_is_changed_before_that_takes_orders(
    store: Store, client: redis.Redis
) -> None:
    """It came past the deadline, which was moved since."""
    head = opened(store, deadline_ms=1)
    book(store, head, order(1, amount=2), tick=2)
    client.hset(Keys(NAME).head, "deadline_ms", FAR_MS)
    release = (Release("servant-1", "servant-1/ap", 2),)
    changed = book(store, head, order(1, amount=3, expect=1, release=release), tick=2, for_tick=True, change=True)

    assert ("answered", 2, (2,)) == (changed.outcome, changed.tick, changed.results)
    release = (Release("servant-1", "servant-1/ap", 3),)
    assert "withdrawn" == store.intake.withdraw(head, 2, order_id(1), expect=2, release=release).outcome
    assert Counts(orders=0, version=3) == store.intake.counts(NAME, 2)
    assert Counts(orders=0, version=0) == store.intake.counts(NAME, 1)


@pytest.mark.parametrize("tick", [0, 3])
def test_no_other_tick_s_orders_are_changed(store: Store, tick: int) -> None:
    head = opened(store)
    reply = book(store, head, order(1, expect=1), tick=tick, for_tick=True, change=True)

    assert ("tick_closed", 1) == (reply.outcome, reply.tick)
    assert "tick_closed" == book(store, head, order(2), tick=2, for_tick=True).outcome


# Ready.


def test_ready_marks_are_counted_and_cleared(store: Store) -> None:
    opened(store)

    assert 1 == store.intake.ready(NAME, 1, "angels", on=True).ready
    reply = store.intake.ready(NAME, 1, "angels", on=True)
    assert ("marked", 1, 2) == (reply.outcome, reply.ready, reply.camps)
    assert 2 == store.intake.ready(NAME, 1, "demons", on=True).ready
    assert 1 == store.intake.ready(NAME, 1, "angels", on=False).ready
    assert ["demons"] == store.intake.ready_camps(NAME, 1)


def test_only_a_camp_of_the_campaign_is_ready(store: Store) -> None:
    opened(store)

    assert "unknown_camp" == store.intake.ready(NAME, 1, "dragons", on=True).outcome
    assert [] == store.intake.ready_camps(NAME, 1)


def test_readiness_is_for_the_tick_that_takes_orders(store: Store) -> None:
    opened(store, deadline_ms=1)
    reply = store.intake.ready(NAME, 1, "angels", on=True)

    assert ("tick_closed", 2) == (reply.outcome, reply.tick)
    assert "marked" == store.intake.ready(NAME, 2, "angels", on=True).outcome
    store.heads.lifecycle(NAME, "end")
    assert ("closed_campaign", "ended") == (
        store.intake.ready(NAME, 2, "angels", on=True).outcome,
        store.intake.ready(NAME, 2, "angels", on=True).status,
    )


def test_a_closed_book_is_read_at_once(store: Store) -> None:
    head = opened(store)
    book(store, head, *(order(number, home=f"servant-{number}") for number in range(20)))
    book(store, head, order(3, home="servant-3", expect=1))
    slices = range(head.slices)

    orders, revisions = store.intake.read_book(NAME, 1, slices)
    assert store.intake.read_slices(NAME, 1, slices) == orders
    assert store.intake.revisions(NAME, 1) == revisions
    assert (21, {order_id(3): 2}) == (sum(map(len, orders)), revisions)
