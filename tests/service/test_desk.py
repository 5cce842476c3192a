"""The order desk: each order judged on what its camp knows, booked once, in one tick, within its meters."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
import redis

from tests.service.pond import ANNA, BERT, EAST, PAT, WEST, World, codes, receipt, submission, world
from workers.kernel.digest import canonical, sha256_hex
from workers.service.access import Sender
from workers.service.orders import Receipt, Refused
from workers.service.problems import Problem
from workers.store.records import Schedule


def live(pond: World, tick: int = 1) -> list[str]:
    """Ids of the live orders of a tick, sorted."""
    return sorted(one.id for one in pond.live(tick))


def test_an_order_gets_a_receipt_and_stands_in_the_book(pond: World):
    got = receipt(pond.send(ANNA).results[0])
    assert (1, 1, 0) == (got.revision, got.tick, got.checked_on)
    assert [got.id] == live(pond)


def test_K8_ids_are_the_servers_and_those_of_the_design(pond: World):
    got = receipt(pond.send(ANNA, key="my key").results[0])
    ids = pond.services.campaigns.load("pond").ids
    assert ids.order(1, "east", "my key", 0) == got.id


def test_a_receipts_digest_is_computable_by_whoever_sent_the_order(pond: World):
    got = receipt(pond.send(ANNA).results[0])
    order = {"kind": "fish", "boat": "anna", "lines": 1, "depth": 0}
    plain = [got.id, 1, "east", "east", order]
    assert sha256_hex(msgspec.json.encode(plain)) == got.digest


def test_one_bad_order_stops_no_other(pond: World):
    answer = pond.send(ANNA, {"kind": "fish", "boat": "carl"}, BERT)
    assert [Receipt, Refused, Receipt] == [type(result) for result in answer.results]
    assert 2 == len(live(pond))


def test_an_atomic_batch_with_a_bad_order_books_nothing(pond: World):
    answer = pond.send(ANNA, {"kind": "fish", "boat": "carl"}, BERT, atomic=True)
    assert [[("not_booked", "")], [("unknown_boat", "boat")], [("not_booked", "")]] == [
        codes(result) for result in answer.results
    ]
    assert [] == live(pond)


def test_an_atomic_batch_over_budget_books_nothing(pond: World):
    answer = pond.send(ANNA, ANNA, ANNA, atomic=True)
    assert [("over_budget", "")] == codes(answer.results[2])
    assert [("not_booked", "")] == codes(answer.results[0])
    assert [] == live(pond)


def test_an_atomic_batch_of_good_orders_is_booked(pond: World):
    assert [Receipt, Receipt] == [type(result) for result in pond.send(ANNA, BERT, atomic=True).results]


def test_over_budget_says_what_is_left(pond: World):
    pond.send({**ANNA, "lines": 3})
    (result,) = pond.send({**ANNA, "lines": 3}).results
    assert isinstance(result, Refused)
    (refusal,) = result.refusals
    assert {"meter": "oil", "used": 3, "limit": 5, "left": 2} == refusal.values
    assert "at most 2" == refusal.accepted


def test_a_refused_order_leaves_the_meters_as_they_were(pond: World):
    pond.send({**ANNA, "lines": 3})
    pond.send({**ANNA, "lines": 3})
    receipt(pond.send({**ANNA, "lines": 2}).results[0])


def test_K7_an_unseen_thing_is_refused_like_one_that_does_not_exist(pond: World):
    unseen, missing = pond.send({"kind": "fish", "boat": "carl"}, {"kind": "fish", "boat": "zzzz"}).results
    assert isinstance(unseen, Refused)
    assert isinstance(missing, Refused)
    renamed = msgspec.json.encode(unseen).replace(b"carl", b"zzzz")
    assert renamed == msgspec.json.encode(missing)


def test_K7_what_an_actor_does_not_command_is_refused_like_what_does_not_exist(pond: World):
    other, missing = pond.send(ANNA, {"kind": "fish", "boat": "zzzz"}, sender=PAT).results
    assert [("unknown_boat", "boat")] == codes(other) == codes(missing)
    assert msgspec.json.encode(other).replace(b"anna", b"zzzz") == msgspec.json.encode(missing)


def test_K7_so_it_is_among_several_that_an_order_commands(pond: World):
    other, missing = pond.send(
        {"kind": "haul", "boats": ["bert", "anna"]}, {"kind": "haul", "boats": ["bert", "zzzz"]}, sender=PAT
    ).results
    assert [("unknown_boat", "boats[1]")] == codes(other) == codes(missing)
    assert msgspec.json.encode(other).replace(b"anna", b"zzzz") == msgspec.json.encode(missing)
    receipt(pond.send({"kind": "haul", "boats": ["bert"]}, sender=PAT).results[0])


def test_an_actor_commands_its_own(pond: World):
    got = receipt(pond.send(BERT, sender=PAT, key="k").results[0])
    assert pond.services.campaigns.load("pond").ids.order(1, "pat", "k", 0) == got.id


def test_orders_of_ones_own_camp_booked_before_are_seen_and_the_others_are_not(pond: World):
    escort = {"kind": "escort", "boat": "bert", "other": "dora"}
    pond.send({"kind": "fish", "boat": "dora"}, sender=WEST)
    assert [("idle", "other")] == codes(pond.send(escort).results[0])
    pond.send(ANNA)
    receipt(pond.send({**escort, "other": "anna"}).results[0])


def test_an_order_sees_those_before_it_in_its_batch(pond: World):
    escort = {"kind": "escort", "boat": "bert", "other": "anna"}
    assert [("idle", "other")] == codes(pond.send(escort).results[0])
    assert [Receipt, Receipt] == [type(result) for result in pond.send(ANNA, escort).results]


LINES = "a whole number >= 1 and <= 3"


@pytest.mark.parametrize(
    ("order", "field", "accepted"),
    [
        ({"kind": "fish"}, "boat", "a text"),
        ({"kind": "fish", "boat": 7}, "boat", "str"),
        ({"kind": "fish", "boat": "anna", "lines": "two"}, "lines", LINES),
        ({"kind": "fish", "boat": "anna", "lines": 1.5}, "lines", LINES),
        ({"kind": "fish", "boat": "anna", "lines": 4}, "lines", LINES),
        ({"kind": "fish", "boat": "anna", "lines": True}, "lines", LINES),
        ({"kind": "fish", "boat": "anna", "bait": "worm"}, "bait", "kind or boat or lines or depth"),
        ({"kind": "sing", "boat": "anna"}, "kind", "fish or escort or haul"),
        ({"boat": "anna"}, "kind", "fish or escort or haul"),
        ([], "", "object"),
        ("fish", "", "object"),
        (None, "", "object"),
        (b'{"kind":"fish","boat":"\xff"}', "", "an order as the schema describes it"),
        (b'{"kind":"fish","boat":"anna","lines":1e999}', "lines", LINES),
        (b'{"kind":"fish","kind":"haul","boat":"anna"}', "kind", "fish or escort or haul, once"),
        (
            b'{"kind":"fish","boat":"anna","x":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
            "x",
            "an order as the schema describes it",
        ),
        (b'{"kind":"fish","boat":"anna","depth":' + b"9" * 60 + b"}", "", "numbers from -2**63 to 2**64 - 1"),
        (b'{"kind":"fish","boat":' + b"[" * 5_000 + b"]" * 5_000 + b"}", "boat", "str"),
    ],
)
def test_what_is_no_order_is_refused_by_its_field(pond: World, order: Any, field: str, accepted: str):
    bad, good = pond.send(order, ANNA).results
    assert isinstance(bad, Refused)
    (refusal,) = bad.refusals
    assert ("invalid_order", "invalid", field, accepted) == (
        refusal.code,
        refusal.family,
        refusal.field,
        refusal.accepted,
    )
    receipt(good)


def test_the_same_key_and_body_get_the_same_answer_and_book_once(pond: World):
    orders = [ANNA, {"kind": "fish", "boat": "carl"}, {**ANNA, "lines": 3}, {**ANNA, "lines": 3}, [1]]
    first = pond.send(*orders, key="k")
    again = pond.send(*orders, key="k")
    assert (False, True) == (first.replayed, again.replayed)
    assert first.results == again.results
    assert 2 == len(live(pond))


def test_the_same_answer_comes_also_after_the_tick_was_published(pond: World):
    first = pond.send(ANNA, {"kind": "fish", "boat": "carl"}, key="k")
    pond.play()
    again = pond.send(ANNA, {"kind": "fish", "boat": "carl"}, key="k")
    assert (1, True) == (again.tick, again.replayed)
    assert first.results == again.results
    assert [] == live(pond, 2)


def test_the_same_answer_comes_where_the_orders_could_not_be_booked_any_more(pond: World):
    """The tick that alone was wanted is closed, or the campaign takes no orders: a retry still learns what it did."""
    first = pond.send(ANNA, {"kind": "fish", "boat": "carl"}, key="k", for_tick=1)
    pond.close()
    again = [pond.send(ANNA, {"kind": "fish", "boat": "carl"}, key="k", for_tick=1)]
    pond.face.lifecycle.move("pond", "pause")
    again.append(pond.send(ANNA, {"kind": "fish", "boat": "carl"}, key="k", for_tick=1))
    assert [True, True] == [answer.replayed for answer in again]
    assert [first.results, first.results] == [answer.results for answer in again]
    with pytest.raises(Problem, match="idempotency_conflict"):
        pond.send(ANNA, key="k", for_tick=1)
    with pytest.raises(Problem, match="campaign_not_open"):
        pond.send(ANNA, key="another", for_tick=1)


def test_the_same_answer_comes_where_every_order_would_now_be_refused(pond: World):
    """A copy that is judged on a later state, or beside the first one's orders, isn't told of what it would meet."""
    escort = {"kind": "escort", "boat": "bert", "other": "anna"}
    receipt(pond.send(ANNA).results[0])
    first = pond.send(escort, key="k")
    pond.play()
    again = pond.send(escort, key="k")
    assert [("idle", "other")] == codes(pond.send(escort).results[0])
    assert (1, True, first.results) == (again.tick, again.replayed, again.results)


def test_spaces_and_the_order_of_fields_do_not_make_another_body(pond: World):
    first = pond.send(b'{"kind":"fish","boat":"anna"}', key="k")
    again = pond.send(b'{ "boat": "anna",\n "kind": "fish", "lines": 1 }', key="k")
    assert first.results == again.results


def test_a_key_used_with_another_body_is_a_conflict(pond: World):
    pond.send(ANNA, key="k")
    for other in (BERT, {**ANNA, "lines": 2}):
        with pytest.raises(Problem, match="idempotency_conflict"):
            pond.send(other, key="k")
    assert 1 == len(live(pond))


def test_keys_of_different_senders_are_different_keys(pond: World):
    first = receipt(pond.send(BERT, key="k").results[0])
    second = receipt(pond.send(BERT, key="k", sender=PAT).results[0])
    assert first.id != second.id


def test_without_a_key_the_same_order_twice_is_two_orders(pond: World):
    ids = {receipt(pond.send(ANNA).results[0]).id for _ in range(2)}
    assert 2 == len(ids)


@pytest.mark.parametrize("key", ["x" * 256, "a\nb", "a\x00"])
def test_a_key_that_is_too_long_or_not_printable_is_refused(pond: World, key: str):
    with pytest.raises(Problem, match="invalid_request"):
        pond.send(ANNA, key=key)


def test_too_large_a_batch_is_refused_whole(pond: World):
    with pytest.raises(Problem, match="batch_too_large"):
        pond.send(*[ANNA] * 1_001)
    with pytest.raises(Problem, match="invalid_request"):
        pond.send()
    assert [] == live(pond)


@pytest.mark.parametrize("verb", ["pause", "end"])
def test_a_campaign_that_is_not_open_takes_no_orders(pond: World, verb: Any):
    pond.face.lifecycle.move("pond", verb)
    with pytest.raises(Problem, match="campaign_not_open"):
        pond.send(ANNA)


def test_a_campaign_that_does_not_exist_takes_none(pond: World):
    with pytest.raises(Problem, match="unknown_campaign"):
        pond.face.desk.submit(EAST, "sea", submission(ANNA))


def test_orders_that_arrive_while_a_tick_is_resolved_are_booked_for_the_next_and_the_receipt_says_so(pond: World):
    pond.send(ANNA)
    pond.close()
    got = receipt(pond.send(ANNA).results[0])
    assert (2, 0) == (got.tick, got.checked_on)
    pond.runtime.resolve("pond")
    assert (2, 1) == (receipt(pond.send(BERT).results[0]).tick, receipt(pond.send(BERT).results[0]).checked_on)


def test_an_order_for_one_tick_only_never_goes_into_the_next(pond: World):
    receipt(pond.send(ANNA, for_tick=1).results[0])
    pond.close()
    with pytest.raises(Problem, match="tick_closed"):
        pond.send(BERT, for_tick=1)
    with pytest.raises(Problem, match="tick_closed"):
        pond.send(BERT, for_tick=3)


def test_past_the_deadline_orders_belong_to_the_next_tick_though_nobody_has_closed(empty: World):
    empty.found(schedule=Schedule(interval_s=3_600))
    late: dict[Any, Any] = {"deadline_ms": str(empty.services.store.heads.server_time_ms() - 1)}
    empty.services.store.client.hset("tocsin:{pond}:head", mapping=late)
    assert 2 == receipt(empty.send(ANNA).results[0]).tick
    with pytest.raises(Problem, match="tick_closed"):
        empty.send(BERT, for_tick=1)


def test_a_view_that_changes_under_a_request_is_judged_again(pond: World):
    """Between the look and the booking, the tick is closed, resolved and published."""
    look = type(pond.face.desk).look
    looks = 0

    def slow_look(self: Any, name: str) -> Any:
        nonlocal looks
        found = look(self, name)
        looks += 1
        if looks == 1:
            pond.play()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(pond.face.desk), "look", slow_look)
        got = receipt(pond.send(ANNA).results[0])
    assert (2, 1) == (got.tick, got.checked_on)
    assert 2 == looks


def test_a_campaign_that_never_stands_still_makes_a_request_give_up(pond: World):
    look = type(pond.face.desk).look

    def moving_look(self: Any, name: str) -> Any:
        found = look(self, name)
        pond.play()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(pond.face.desk), "look", moving_look)
        with pytest.raises(Problem, match="busy"):
            pond.send(ANNA)


def test_threads_that_send_at_once_never_overdraw_a_meter(pond: World):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: pond.send(ANNA), range(16)))
    booked = [answer for answer in answers if isinstance(answer.results[0], Receipt)]
    assert 2 == len(booked) == len(live(pond))


def test_the_booked_orders_are_what_is_resolved(pond: World):
    got = receipt(pond.send({**ANNA, "lines": 3}, key="k").results[0])
    pond.play()
    pages = pond.services.store.reports.read("pond", "east", after=(0, 1))
    assert got.id.encode() in b"".join(page.body for page in pages)


def test_a_dry_run_books_nothing_and_tells_costs_and_odds(pond: World):
    pond.send({**ANNA, "lines": 3})
    good, over, bad = pond.face.desk.check(
        EAST, "pond", submission({**ANNA, "lines": 2}, {**BERT, "lines": 3}, {"kind": "fish", "boat": "carl"})
    )
    assert good.would_book
    assert {"hands": (1, 1, 0), "oil": (2, 3, 0)} == {one.meter: (one.amount, one.used, one.left) for one in good.costs}
    assert good.odds is not None
    assert "3/4" == good.odds.success
    assert over.would_book
    assert (False, "unknown_boat") == (bad.would_book, bad.refusals[0].code)
    assert 1 == len(live(pond))


def test_a_dry_run_judges_budgets_beside_what_stands_before_it(pond: World):
    first, second, third = pond.face.desk.check(EAST, "pond", submission(ANNA, ANNA, ANNA))
    assert (True, True, False) == (first.would_book, second.would_book, third.would_book)
    assert ["over_budget"] == [refusal.code for refusal in third.refusals]


def test_a_dry_run_of_what_is_no_order_says_so(pond: World):
    (judged,) = pond.face.desk.check(EAST, "pond", submission({"kind": "sing"}))
    assert ("invalid_order", None) == (judged.refusals[0].code, judged.odds)


def test_an_actor_never_learns_by_a_dry_run_what_it_does_not_command(pond: World):
    (judged,) = pond.face.desk.check(PAT, "pond", submission(ANNA))
    assert (False, (), None) == (judged.would_book, judged.costs, judged.odds)


def test_a_sender_of_a_camp_that_knows_nothing_of_a_boat_gets_no_odds(pond: World):
    (judged,) = pond.face.desk.check(Sender("west", "west"), "pond", submission(ANNA))
    assert (False, None) == (judged.would_book, judged.odds)


def test_a_full_tick_refuses_more_orders(empty: World):
    empty.found()
    small = empty.face.desk
    settings = empty.services.settings.model_copy(update={"orders_tick_max": 1})
    small._settings = settings
    first, second = empty.send(ANNA, BERT).results
    receipt(first)
    assert [("tick_full", "")] == codes(second)


@pytest.mark.parametrize(
    ("settings", "code"), [({"orders_tick_max": 1}, "tick_full"), ({"orders_actor_tick_max": 1}, "actor_full")]
)
def test_a_dry_run_says_that_a_tick_or_a_sender_is_full_as_sending_would(
    client: redis.Redis, tmp_path: Path, settings: dict[str, Any], code: str
):
    small = world(client, tmp_path.as_uri(), **settings)
    small.found()
    first, second = small.face.desk.check(EAST, "pond", submission(ANNA, BERT))
    assert (True, False) == (first.would_book, second.would_book)
    assert [(code, 1)] == [(one.code, one.values["limit"]) for one in second.refusals]
    receipt(small.send(ANNA).results[0])
    (third,) = small.face.desk.check(EAST, "pond", submission(BERT))
    assert [code] == [one.code for one in third.refusals]
    assert [(code, "")] == codes(small.send(BERT).results[0])


@pytest.mark.parametrize(
    ("settings", "code"), [({"orders_tick_max": 1}, "tick_full"), ({"orders_actor_tick_max": 1}, "changes_full")]
)
def test_a_dry_run_says_that_a_tick_or_a_sender_may_have_no_more_changes(
    client: redis.Redis, tmp_path: Path, settings: dict[str, Any], code: str
):
    small = world(client, tmp_path.as_uri(), **settings)
    small.found()
    for _ in range(2):
        sent = receipt(small.send(ANNA).results[0])
        small.face.changes.withdraw(EAST, "pond", sent.id)
    (judged,) = small.face.desk.check(EAST, "pond", submission(ANNA))
    assert [(code, 4)] == [(one.code, one.values["limit"]) for one in judged.refusals]
    assert [(code, "")] == codes(small.send(ANNA).results[0])


def test_canonical_bytes_of_a_submission_tell_for_tick_and_atomic_apart(pond: World):
    pond.send(ANNA, key="k")
    with pytest.raises(Problem, match="idempotency_conflict"):
        pond.send(ANNA, key="k", for_tick=1)
    assert canonical([None]) == b"[null]"
