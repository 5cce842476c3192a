"""The support phase (V22): supports whose mission is played are rolled."""

from collections.abc import Iterator, Sequence

from workers.kernel.events import Event, Mail
from workers.rules.veil.entities import Servant
from workers.rules.veil.events import Denied, OrderLost, OrderVoid, Ready, Supported, SupportRolled
from workers.rules.veil.orders import Support
from workers.rules.veil.phases.common import Orders, Tick, rewards_routine, roll_order
from workers.rules.veil.tables import APPROACHES, SUPPORT


def support(home: Servant | None, orders: Orders, mail: Sequence[Mail], tick: Tick) -> Iterator[Event]:
    """Roll the supports that were answered; a success is told to the mission. The answers to counters are passed on to
    the next phase. A support without an answer was void from the start."""
    if home is None:
        return
    answers: dict[str, Ready | Denied] = {}
    for letter in mail:
        if isinstance(letter, Ready | Denied):
            if letter.kind == SUPPORT.name:
                answers[letter.order] = letter
            else:
                yield letter
    for booked in orders:
        told = answers.get(booked.id)
        if told is not None and isinstance(booked.order, Support):
            yield from _play(home, booked.order, told, tick)


def _play(home: Servant, order: Support, told: Ready | Denied, tick: Tick) -> Iterator[Event]:
    if isinstance(told, Denied):
        if told.reason == "lost":
            yield OrderLost(home.camp, home.id, told.order, SUPPORT.name, order.mission)
        else:
            yield OrderVoid(home.camp, home.id, told.order, SUPPORT.name, told.reason)
        return
    roll = roll_order(home, order, told.order, APPROACHES[told.approach], tick)
    yield SupportRolled(
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
    if roll.succeeded:
        yield Supported(order.target, order.mission, told.order)
