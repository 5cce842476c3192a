"""The counter phase (V23–V25): counter-missions whose mission is played are rolled; the mission phase judges them."""

from collections.abc import Iterator, Sequence

from workers.kernel.events import Event, Mail
from workers.rules.veil.entities import Servant
from workers.rules.veil.events import Countered, CounterRolled, Denied, OrderLost, OrderVoid, Ready, Supported
from workers.rules.veil.orders import Counter
from workers.rules.veil.phases.common import Orders, Tick, rewards_routine, roll_order
from workers.rules.veil.tables import COUNTER


def counter(home: Servant | None, orders: Orders, mail: Sequence[Mail], tick: Tick) -> Iterator[Event]:
    """Roll the counters that were answered, and tell the mission, success or not (V24). The successes of supports for
    this servant's own missions are passed on to the next phase."""
    if home is None:
        return
    answers: dict[str, Ready | Denied] = {}
    for letter in mail:
        if isinstance(letter, Ready | Denied):
            answers[letter.order] = letter
        elif isinstance(letter, Supported):
            yield letter
    for booked in orders:
        told = answers.get(booked.id)
        if told is not None and isinstance(booked.order, Counter):
            yield from _play(home, booked.order, told, tick)


def _play(home: Servant, order: Counter, told: Ready | Denied, tick: Tick) -> Iterator[Event]:
    if isinstance(told, Denied):
        if told.reason == "lost":
            yield OrderLost(home.camp, home.id, told.order, COUNTER.name, order.mission)
        else:
            yield OrderVoid(home.camp, home.id, told.order, COUNTER.name, told.reason)
        return
    roll = roll_order(home, order, told.order, COUNTER.pair, tick)
    yield CounterRolled(
        camp=home.camp,
        servant=home.id,
        order=told.order,
        outcome=roll.outcome,
        pp=order.pp,
        roll=roll,
        routine=roll.succeeded and rewards_routine(home, tick),
        target=order.target,
        mission=order.mission,
        zone=told.zone,
    )
    yield Countered(order.target, home.camp, home.id, told.order, order.mission, roll.quality)
