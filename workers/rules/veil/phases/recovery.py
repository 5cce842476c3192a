"""The recovery phase (V30): after the missions, whose wounds and rating weigh on it (V29)."""

from collections.abc import Iterator, Sequence

from workers.kernel.events import Event, Mail
from workers.kernel.odds import nearest
from workers.rules.veil.entities import Servant
from workers.rules.veil.events import RecoveryRolled
from workers.rules.veil.orders import Recovery
from workers.rules.veil.phases.common import Orders, Tick, rewards_routine, roll_order
from workers.rules.veil.tables import RECOVERY


def recover(home: Servant | None, orders: Orders, mail: Sequence[Mail], tick: Tick) -> Iterator[Event]:
    """Play a servant's recovery."""
    if home is None:
        return
    for booked in orders:
        if booked.id not in home.void and isinstance(booked.order, Recovery):
            yield _recovery(home, booked.order, booked.id, tick)


def recovered_points(soul: int, succeeded: bool) -> int:
    """V30: the power points of a recovery: the soul, or half of it (K4)."""
    return soul if succeeded else nearest(soul, 2)


def _recovery(home: Servant, order: Recovery, order_id: str, tick: Tick) -> RecoveryRolled:
    roll = roll_order(home, order, order_id, RECOVERY.pair, tick)
    gained = recovered_points(home.soul, roll.succeeded)
    return RecoveryRolled(
        camp=home.camp,
        servant=home.id,
        order=order_id,
        outcome=roll.outcome,
        pp=order.pp,
        roll=roll,
        routine=roll.succeeded and rewards_routine(home, tick),
        gained=gained,
        pp_now=min(tick.settings.pp_max, home.pp - order.pp + gained),
        wounds=max(0, home.wounds - 1) if roll.succeeded else home.wounds,
    )
