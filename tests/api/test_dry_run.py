"""A dry run refuses what sending would: the tick that is wanted, all or nothing, and each meter as a whole."""

import pytest

from tests.api.web import Web, problem
from workers.service.batches import refusal_of
from workers.service.meters import Meters, meter_field
from workers.store.records import Cost, IntakeItem, IntakeRequest, ItemRefusal

ANNA = {"kind": "fish", "boat": "anna"}
BERT = {"kind": "fish", "boat": "bert"}
CARL = {"kind": "fish", "boat": "carl"}
VERBS = ("orders", "orders:check")


@pytest.mark.parametrize("verb", VERBS)
def test_orders_for_another_tick_are_refused_with_the_tick_that_takes_them(web: Web, east: str, verb: str):
    batch = web.post(f"/campaigns/pond/{verb}", east, json={"orders": [ANNA], "for_tick": 7})
    single = web.post(f"/campaigns/pond/{verb}", east, json=ANNA, params={"for_tick": 7})
    for answer in (batch, single):
        (error,) = problem(answer, 409, "tick_closed")["errors"]
        assert ("for_tick", "1") == (error["field"], error["accepted"])


@pytest.mark.parametrize("verb", VERBS)
def test_a_batch_with_a_tick_in_its_query_is_told_where_it_belongs(web: Web, east: str, verb: str):
    answer = web.post(f"/campaigns/pond/{verb}", east, json={"orders": [ANNA]}, params={"for_tick": 1})
    (error,) = problem(answer, 422, "invalid_request")["errors"]
    assert "for_tick" == error["field"]


def test_a_dry_run_for_the_tick_that_takes_orders_is_answered(web: Web, east: str):
    for answer in (
        web.post("/campaigns/pond/orders:check", east, json={"orders": [ANNA], "for_tick": 1}),
        web.post("/campaigns/pond/orders:check?for_tick=1", east, json=ANNA),
    ):
        assert answer.json()["results"][0]["would_book"], answer.text


@pytest.mark.parametrize("orders", [[ANNA, CARL, BERT], [ANNA, ANNA, ANNA], [{"kind": "sing"}, ANNA]])
def test_of_an_atomic_batch_a_dry_run_says_what_sending_says(web: Web, east: str, orders: list[dict[str, str]]):
    body = {"orders": orders, "atomic": True}
    judged = web.post("/campaigns/pond/orders:check", east, json=body).json()["results"]
    sent = problem(web.post("/campaigns/pond/orders", east, json=body), 422, "batch_refused")["errors"]
    assert not any(one["would_book"] for one in judged)
    assert [error["code"] for error in sent] == [one["refusals"][0]["code"] for one in judged]
    assert [error["problem"] for error in sent] == [one["refusals"][0]["text"] for one in judged]


def test_an_atomic_batch_of_good_orders_would_be_booked(web: Web, east: str):
    answer = web.post("/campaigns/pond/orders:check", east, json={"orders": [ANNA, BERT], "atomic": True})
    assert [True, True] == [one["would_book"] for one in answer.json()["results"]]


def item_of(*amounts: tuple[str, int, int]) -> IntakeItem:
    """An order that takes amounts of meters of anna, each up to a limit."""
    costs = tuple(Cost("anna", meter_field("anna", meter), amount, limit) for meter, amount, limit in amounts)
    return IntakeItem("a" * 26, "anna", b"\xc0", costs)


@pytest.mark.parametrize(
    "costs",
    [
        (("oil", 3, 5), ("oil", 3, 5)),
        (("oil", 3, 5), ("oil", 2, 5)),
        (("oil", 1, 9), ("oil", 1, 1)),
        (("oil", 6, 5), ("oil", -2, 5)),
        (("oil", -2, 5), ("oil", 6, 5)),
    ],
)
def test_an_order_with_two_costs_on_one_meter_fits_a_dry_run_where_it_fits_intake(
    web: Web, costs: tuple[tuple[str, int, int], ...]
):
    store, head = web.world.services.store, web.world.services.campaigns.load("pond").head
    item = item_of(*costs)
    over = Meters(store, head, 1).take(item)
    (result,) = store.intake.book(head, IntakeRequest(tick=1), [item]).results
    assert over == ((refusal_of(result),) if isinstance(result, ItemRefusal) else ())


def test_a_meter_is_told_once_with_all_that_an_order_takes_of_it(web: Web):
    store, head = web.world.services.store, web.world.services.campaigns.load("pond").head
    meters = Meters(store, head, 1)
    (oil, hands) = meters.states(item_of(("oil", 3, 5), ("hands", 1, 2), ("oil", 3, 4)))
    assert ("oil", 6, 0, 4, -2) == (oil.meter, oil.amount, oil.used, oil.limit, oil.left)
    assert ("hands", 1, 0, 2, 1) == (hands.meter, hands.amount, hands.used, hands.limit, hands.left)
