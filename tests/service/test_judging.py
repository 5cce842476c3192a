"""Orders are judged on the homes that they read, each for itself, however many are judged together."""

import pytest

from tests.service.lake import AnyOrder, Escort, Fish, reads
from tests.service.pond import EAST, World
from workers.kernel.errors import Refusal
from workers.kernel.orders import Booked, Booking
from workers.service.judging import Judge


def judge_of(pond: World) -> Judge:
    """Who judges the orders of the east."""
    return pond.face.desk.judge(pond.face.desk.look("pond"), EAST)


def booked(answer: Booking | tuple[Refusal, ...]) -> bool:
    return isinstance(answer, Booking)


def test_a_home_is_known_to_an_order_once_it_was_loaded_and_not_before(pond: World):
    judge, order = judge_of(pond), Fish("bert")
    judge.prepare([Fish("anna")])
    assert not booked(judge.judge(order, reads(order)))

    judge.prepare([order])
    assert booked(judge.judge(order, reads(order)))


def test_orders_that_read_the_same_home_are_judged_each_for_itself(pond: World):
    judge = judge_of(pond)
    orders: list[AnyOrder] = [Fish("anna", lines=1), Fish("carl"), Fish("anna", lines=3), Fish("carl")]
    read = judge.prepare(orders)
    assert [True, False, True, False] == [
        booked(judge.judge(order, one)) for order, one in zip(orders, read, strict=True)
    ]


def test_an_order_judged_by_what_else_is_booked_sees_what_was_accepted_since(pond: World):
    judge, order = judge_of(pond), Escort("anna", "bert")
    (read,) = judge.prepare([order])
    assert not booked(judge.judge(order, read))

    judge.accept(Booked("a" * 26, "bert", "east", "east", Fish("bert"), None))
    assert booked(judge.judge(order, read))


@pytest.mark.parametrize("homes", [1, 12])
def test_orders_see_what_is_booked_for_their_homes_and_for_no_other(empty: World, homes: int):
    # One boat's name begins another's: boat1 and boat10.
    boats = [{"id": f"boat{number}", "camp": "east"} for number in range(24)]
    empty.found(scenario={"title": "A crowd", "boats": boats})
    empty.send(*({"kind": "fish", "boat": f"boat{number}"} for number in range(0, 24, 2)))
    judge = judge_of(empty)
    legal = [Escort(f"boat{number + 1}", f"boat{number}") for number in range(0, 2 * homes, 2)]
    idle = Escort("boat0", "boat1")
    read = judge.prepare([*legal, idle])

    answers = [booked(judge.judge(order, one)) for order, one in zip([*legal, idle], read, strict=True)]

    assert answers == [True] * homes + [False]
