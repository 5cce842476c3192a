"""Judging asks the server as often for many orders as for few."""

from collections.abc import Callable
from typing import Any

import pytest
import redis
from redis.client import Pipeline

from tests.calls import calls_of
from tests.service.pond import EAST, World, submission
from workers.service.orders import Judgement, Receipt
from workers.store.records import Schedule

FEW, MANY = 2, 40
ASKING = {redis.Redis.execute_command.__code__, Pipeline.execute.__code__}
"""Where redis-py waits for an answer: of one command, or of all of a pipeline."""


def found(empty: World) -> World:
    """A pond with a boat of the east's for each order, in many groups of meters."""
    boats = [{"id": f"boat{number}", "camp": "east"} for number in range(MANY)]
    empty.found(scenario={"title": "A crowd", "boats": [*boats, {"id": "carl", "camp": "west"}]})
    return empty


def round_trips(work: Callable[[], object]) -> int:
    """How often the server was waited for."""
    return calls_of(work, ASKING)


def fish(number: int, first: int = 0) -> list[dict[str, str]]:
    """Orders that are judged by themselves."""
    return [{"kind": "fish", "boat": f"boat{index}"} for index in range(first, first + number)]


def escorts(number: int, first: int = 0) -> list[dict[str, str]]:
    """Orders of which half are judged by what else is booked: a boat fishes, and the next one goes with it."""
    pairs = [(f"boat{index}", f"boat{index + 1}") for index in range(first, first + number, 2)]
    return [
        *({"kind": "fish", "boat": boat} for boat, _ in pairs),
        *({"kind": "escort", "boat": beside, "other": boat} for boat, beside in pairs),
    ]


@pytest.mark.parametrize("orders", [fish, escorts])
def test_a_dry_run_waits_as_often_for_many_orders_as_for_few(empty: World, orders: Callable[..., list[Any]]):
    pond = found(empty)
    judged: list[Judgement] = []

    def check(number: int) -> Callable[[], object]:
        return lambda: judged.extend(pond.face.desk.check(EAST, "pond", submission(*orders(number))))

    check(MANY)()  # what is read is kept
    assert round_trips(check(FEW)) == round_trips(check(MANY)) > 0
    assert [True] * (MANY + FEW + MANY) == [one.would_book for one in judged]


@pytest.mark.parametrize("orders", [fish, escorts])
def test_many_orders_are_booked_with_as_many_round_trips_as_few(empty: World, orders: Callable[..., list[Any]]):
    pond = found(empty)
    pond.face.desk.check(EAST, "pond", submission(*orders(MANY)))  # what is read is kept
    sent = list(pond.send(*orders(FEW)).results)  # and scripts are loaded

    few = round_trips(lambda: sent.extend(pond.send(*orders(FEW, FEW)).results))
    many = round_trips(lambda: sent.extend(pond.send(*orders(MANY - 2 * FEW, 2 * FEW)).results))

    assert few == many > 0
    assert [Receipt] * MANY == [type(one) for one in sent]


def test_a_deadline_costs_no_round_trip(empty: World):
    empty.found("free", scenario={"title": "No deadline", "boats": [{"id": "anna", "camp": "east"}]})
    schedule = Schedule(interval_s=3_600)
    empty.found("due", scenario={"title": "One", "boats": [{"id": "anna", "camp": "east"}]}, schedule=schedule)
    trips = [round_trips(lambda name=name: empty.face.desk.look(name)) for name in ("free", "due")]  # type: ignore[misc]  # mypy can't infer a lambda with defaults

    assert [1, 1] == trips


def test_a_senders_few_orders_are_listed_with_few_round_trips_however_many_slices_there_are(empty: World):
    empty.found(scenario={"title": "A crowd", "boats": [{"id": "anna", "camp": "east"}]}, slices=256)
    empty.send({"kind": "fish", "boat": "anna"})
    listed: list[Any] = []

    trips = round_trips(lambda: listed.append(empty.face.changes.listed(EAST, "pond")))

    assert ["anna"] == [one.order.boat for one in listed[0].orders]
    # The head, and of 1, 2, 4, 8, 16, then 32 slices at once orders and revisions: one by one it would be 513.
    assert trips == 1 + 2 * 13
