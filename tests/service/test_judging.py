"""Orders are judged on the homes that they read, each for itself, however many are judged together."""

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
