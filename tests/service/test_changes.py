"""Orders replaced, withdrawn and read back: the id stays, meters follow, and sending again is safe."""

import json
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.service.pond import ANNA, BERT, EAST, PAT, WEST, World, codes, receipt, world
from workers.service.orders import Receipt, Refused
from workers.service.problems import Problem
from workers.store.keys import Keys
from workers.store.records import Schedule

FULL = {**ANNA, "lines": 3}


def put(pond: World, order_id: str, order: Any, expected: int | None = None, sender: Any = EAST) -> Receipt | Refused:
    return pond.face.changes.replace(sender, "pond", order_id, json.dumps(order).encode(), expected).result


@pytest.fixture
def order_id(pond: World) -> str:
    """The id of a booked order of the boat anna."""
    return receipt(pond.send(ANNA).results[0]).id


def test_a_replaced_order_keeps_its_id_and_raises_its_revision(pond: World, order_id: str):
    got = receipt(put(pond, order_id, FULL))
    assert (order_id, 2, 1) == (got.id, got.revision, got.tick)
    shown = pond.face.changes.get(EAST, "pond", order_id)
    assert (2, "booked", 3) == (shown.revision, shown.status, shown.order.lines)


def test_replacing_releases_what_the_old_one_took(pond: World, order_id: str):
    """Of 5 oil, 3 and then 2 fit only if the first line is given back."""
    receipt(put(pond, order_id, FULL))
    receipt(pond.send({**ANNA, "lines": 2}).results[0])


def test_a_replacement_over_budget_changes_nothing(pond: World, order_id: str):
    receipt(pond.send(FULL).results[0])
    assert [("over_budget", "")] == codes(put(pond, order_id, FULL))
    shown = pond.face.changes.get(EAST, "pond", order_id)
    assert (1, 1) == (shown.revision, shown.order.lines)


def test_putting_what_is_there_changes_nothing(pond: World, order_id: str):
    first = receipt(put(pond, order_id, FULL, expected=1))
    assert first == receipt(put(pond, order_id, FULL, expected=1)) == receipt(put(pond, order_id, FULL))


def test_an_order_at_another_revision_than_expected_stays(pond: World, order_id: str):
    receipt(put(pond, order_id, FULL, expected=1))
    with pytest.raises(Problem, match="revision_conflict"):
        put(pond, order_id, ANNA, expected=1)
    with pytest.raises(Problem, match="revision_conflict"):
        pond.face.changes.withdraw(EAST, "pond", order_id, expected=1)
    assert 2 == pond.face.changes.get(EAST, "pond", order_id).revision


def test_a_replacement_may_move_to_another_home(pond: World, order_id: str):
    receipt(put(pond, order_id, BERT))
    assert "bert" == pond.face.changes.get(EAST, "pond", order_id).order.boat
    assert [order_id] == [one.id for one in pond.face.changes.listed(EAST, "pond").orders]


def test_a_bad_replacement_is_refused_like_a_new_order(pond: World, order_id: str):
    assert [("unknown_boat", "boat")] == codes(put(pond, order_id, {"kind": "fish", "boat": "carl"}))
    assert [("invalid_order", "lines")] == codes(put(pond, order_id, {**ANNA, "lines": 9}))


def test_an_order_is_not_its_own_company(pond: World):
    """What is replaced doesn't count beside its replacement: nobody escorts itself."""
    alone = receipt(pond.send(BERT).results[0]).id
    assert [("idle", "other")] == codes(put(pond, alone, {"kind": "escort", "boat": "anna", "other": "bert"}))


@pytest.mark.parametrize(
    ("settings", "code", "others"),
    [({"orders_actor_tick_max": 1}, "changes_full", 1), ({"orders_tick_max": 2}, "tick_full", 0)],
)
def test_replacing_over_and_over_comes_to_an_end_as_sending_does(
    client: redis.Redis, tmp_path: Path, settings: dict[str, Any], code: str, others: int
):
    """Each revision stays in the book. A sender's bound is its own: the other camp goes on."""
    small = world(client, tmp_path.as_uri(), **settings)
    small.found()
    sent = receipt(small.send(ANNA).results[0]).id
    limit = 4 if others else 8
    for number in range(1, limit):
        assert number + 1 == receipt(put(small, sent, {**ANNA, "lines": 1 + number % 2})).revision
    assert [(code, "")] == codes(put(small, sent, {**ANNA, "lines": 1 + limit % 2}))
    theirs = small.send({"kind": "fish", "boat": "carl"}, sender=WEST).results
    assert others == sum(isinstance(result, Receipt) for result in theirs)


def test_a_withdrawn_order_leaves_the_book_and_gives_back(pond: World):
    order_id = receipt(pond.send(FULL).results[0]).id
    pond.face.changes.withdraw(EAST, "pond", order_id)
    assert () == pond.face.changes.listed(EAST, "pond").orders
    assert "withdrawn" == pond.face.changes.get(EAST, "pond", order_id).status
    receipt(pond.send(FULL).results[0])


def test_withdrawing_again_changes_nothing(pond: World, order_id: str):
    pond.face.changes.withdraw(EAST, "pond", order_id)
    pond.face.changes.withdraw(EAST, "pond", order_id)
    assert 0 == pond.services.store.intake.counts("pond", 1).orders


def test_a_withdrawn_order_is_not_replaced(pond: World, order_id: str):
    pond.face.changes.withdraw(EAST, "pond", order_id)
    with pytest.raises(Problem, match="order_withdrawn"):
        put(pond, order_id, FULL)


def test_a_withdrawn_order_is_not_resolved(pond: World, order_id: str):
    pond.face.changes.withdraw(EAST, "pond", order_id)
    pond.play()
    pages = pond.services.store.reports.read("pond", "east", after=(0, 1))
    assert order_id.encode() not in b"".join(page.body for page in pages)


def test_after_the_close_an_order_is_read_but_not_changed(pond: World, order_id: str):
    pond.close()
    assert "closed" == pond.face.changes.get(EAST, "pond", order_id).status
    with pytest.raises(Problem, match="tick_closed"):
        put(pond, order_id, FULL)
    with pytest.raises(Problem, match="tick_closed"):
        pond.face.changes.withdraw(EAST, "pond", order_id)


def test_the_orders_of_the_open_tick_of_an_ended_campaign_are_read_and_in_no_tick(pond: World, order_id: str):
    """As the promises say: a tick that is being resolved is published, the open one is never played."""
    pond.close()
    last = receipt(pond.send(BERT).results[0])
    pond.face.lifecycle.move("pond", "end")
    pond.runtime.resolve("pond")
    head = pond.services.campaigns.load("pond").head
    assert (1, 2, last.tick) == (head.published, head.open_tick, 2)
    assert "not_open_campaign" == pond.face.closing.close(head, 2, "operator").outcome
    assert "booked" == pond.face.changes.get(EAST, "pond", last.id).status
    with pytest.raises(Problem, match="campaign_not_open"):
        pond.face.changes.withdraw(EAST, "pond", last.id)


@pytest.fixture
def early(empty: World) -> str:
    """The id of an order for tick 2 while tick 1 takes orders: it came past a deadline that a pause then moved."""
    empty.found(schedule=Schedule(interval_s=3_600))
    overdue: dict[Any, Any] = {"deadline_ms": empty.services.store.heads.server_time_ms() - 1}
    empty.services.store.client.hset(Keys("pond").head, mapping=overdue)
    sent = receipt(empty.send(FULL).results[0])
    for verb in ("pause", "resume"):
        empty.face.lifecycle.move("pond", verb)
    assert (2, 1) == (sent.tick, receipt(empty.send(BERT).results[0]).tick)
    return sent.id


def test_an_order_of_the_tick_after_the_one_that_takes_orders_is_read_and_replaced(empty: World, early: str):
    shown = empty.face.changes.get(EAST, "pond", early)
    assert (2, 1, "booked") == (shown.tick, shown.revision, shown.status)
    got = receipt(put(empty, early, {**FULL, "lines": 2}, expected=1))
    assert (early, 2, 2) == (got.id, got.tick, got.revision)
    with pytest.raises(Problem, match="revision_conflict"):
        put(empty, early, ANNA, expected=1)
    empty.play()
    assert [early] == [one.id for one in empty.face.changes.listed(EAST, "pond").orders]


def test_it_is_judged_by_what_its_own_tick_has(empty: World, early: str):
    """Of 5 oil in tick 2, it has 3; that tick 1 has none left is no matter."""
    receipt(empty.send({**ANNA, "lines": 3}).results[0])
    receipt(empty.send({**ANNA, "lines": 2}).results[0])
    assert 2 == receipt(put(empty, early, {**FULL, "lines": 2})).tick


def test_it_is_withdrawn_once(empty: World, early: str):
    assert [True, False] == [empty.face.changes.withdraw(EAST, "pond", early) for _ in range(2)]
    assert "withdrawn" == empty.face.changes.get(EAST, "pond", early).status
    counts = [empty.services.store.intake.counts("pond", tick).orders for tick in (1, 2)]
    assert [1, 0] == counts
    with pytest.raises(Problem, match="order_withdrawn"):
        put(empty, early, FULL)


@pytest.mark.parametrize("order_id", ["", "x", "a" * 26, "A" * 26, "ü" * 26])
def test_what_is_no_order_is_unknown(pond: World, order_id: str):
    with pytest.raises(Problem, match="unknown_order"):
        pond.face.changes.get(EAST, "pond", order_id)
    with pytest.raises(Problem, match="unknown_order"):
        pond.face.changes.withdraw(EAST, "pond", order_id)


def test_another_camps_order_is_unknown(pond: World, order_id: str):
    with pytest.raises(Problem, match="unknown_order"):
        pond.face.changes.get(WEST, "pond", order_id)
    with pytest.raises(Problem, match="unknown_order"):
        pond.face.changes.withdraw(WEST, "pond", order_id)


def test_an_actor_reads_and_changes_the_orders_of_its_entities_whoever_sent_them(pond: World, order_id: str):
    bert = receipt(pond.send(BERT).results[0]).id
    assert [bert] == [one.id for one in pond.face.changes.listed(PAT, "pond").orders]
    assert 2 == receipt(put(pond, bert, {**BERT, "lines": 2}, sender=PAT)).revision
    with pytest.raises(Problem, match="unknown_order"):
        put(pond, order_id, FULL, sender=PAT)
    assert [("unknown_boat", "boat")] == codes(put(pond, bert, ANNA, sender=PAT))


def test_an_order_stays_its_actors_when_its_camp_replaces_it(pond: World):
    bert = receipt(pond.send(BERT, sender=PAT).results[0]).id
    receipt(put(pond, bert, {**BERT, "lines": 2}))
    assert "pat" == pond.face.changes.get(EAST, "pond", bert).actor


def test_the_list_comes_in_pages_and_has_each_live_order_once(empty: World):
    empty.found(scenario={"generate": {"size": 60}})
    boats = [f"b{number}" for number in range(0, 60, 2)]
    sent = [receipt(result).id for result in empty.send(*({"kind": "fish", "boat": boat} for boat in boats)).results]
    empty.face.changes.withdraw(EAST, "pond", sent[3])
    receipt(put(empty, sent[5], {"kind": "fish", "boat": boats[5], "lines": 2}))
    found: list[str] = []
    after = ""
    while True:
        page = empty.face.changes.listed(EAST, "pond", after, 7)
        assert len(page.orders) <= 7
        found += [one.id for one in page.orders]
        after = page.next
        if not after:
            break
    assert sorted(set(sent) - {sent[3]}) == sorted(found)


@pytest.mark.parametrize("after", ["x", "1", "99.0", "1.x", "-1.0"])
def test_a_place_that_is_none_is_refused(pond: World, after: str):
    with pytest.raises(Problem, match="invalid_request"):
        pond.face.changes.listed(EAST, "pond", after)


def test_a_change_between_look_and_booking_is_judged_again(pond: World, order_id: str):
    """Somebody else replaces the order while its replacement is judged: the second comes after the first."""
    book = type(pond.services.store.intake).book
    raced = False

    def racing(self: Any, *arguments: Any) -> Any:
        nonlocal raced
        if not raced:
            raced = True
            receipt(put(pond, order_id, {**ANNA, "lines": 2}))
        return book(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(pond.services.store.intake), "book", racing)
        got = receipt(put(pond, order_id, FULL))
    assert 3 == got.revision
    receipt(pond.send({**ANNA, "lines": 2}).results[0])
