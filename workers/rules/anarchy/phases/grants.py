"""Grants: the GM's points for players, and its allotments to scenes (A12, A16).."""

from collections.abc import Iterator, Sequence
from typing import Any

from workers.kernel.events import Event, Mail
from workers.kernel.orders import Booked
from workers.kernel.phases import Context
from workers.rules.anarchy.entities import GM, PLAYERS, Campaign, Home, Mission
from workers.rules.anarchy.events import Granted
from workers.rules.anarchy.events_mission import Allotment, AllotmentMade, Closing
from workers.rules.anarchy.legal import faults
from workers.rules.anarchy.legal_mission import allot_faults
from workers.rules.anarchy.orders import Allot, Grant, Start
from workers.rules.anarchy.phases.stage import witnesses
from workers.rules.anarchy.phases.voids import all_void, by_initiative, first_fault, void
from workers.rules.anarchy.see import see_mission, see_scene
from workers.rules.anarchy.settings import Settings


def decide(
    home: Home | None, orders: Sequence[Booked[Any, Any]], mail: Sequence[Mail], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """A scene's grants; a mission's allotments, and word to its scenes that it starts."""
    if home is not None and home.scene is not None:
        yield from _grants(home, orders, context)
    elif home is not None and home.mission is not None:
        yield from _allotments(home.id, home.mission, orders, context)
        if any(isinstance(booked.order, Start) for booked in orders):
            for scene in sorted(home.mission.scenes):
                yield Closing(scene)
    else:
        yield from all_void((booked for booked in orders if not isinstance(booked.order, Start)), "gone")


def _grants(home: Home, orders: Sequence[Booked[Any, Any]], context: Context[Campaign, Settings]) -> Iterator[Event]:
    """A12: one point each; a grant that finds its player at 6 is void, in ascending initiative (K6)."""
    scene = home.scene
    for booked in by_initiative(orders, context.dice):
        order = booked.order
        if scene is None or not isinstance(order, Grant):
            yield void(booked, "gone")
            continue
        reason = first_fault(faults(order, see_scene(scene, GM), booked.camp, context.settings))
        if reason:
            yield void(booked, reason)
            continue
        points = scene.points[order.player] + 1
        yield Granted(PLAYERS, home.id, witnesses(scene), order.player, order.ground, order.trait, points)


def _allotments(
    key: str, mission: Mission, orders: Sequence[Booked[Any, Any]], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """A16: one allotment a scene; where they no longer fit the reserve together, each is kept, in ascending initiative,
    if it still fits beside those kept (K6).
    """
    allotments = [booked for booked in orders if isinstance(booked.order, Allot)]
    served: list[str] = []
    for booked in by_initiative(allotments, context.dice):
        order = booked.order
        reason = first_fault(allot_faults(order, see_mission(mission, GM)))
        if reason or order.scene in served:
            yield void(booked, reason or "allotted_twice")
            continue
        served.append(order.scene)
        yield AllotmentMade(key, order.scene, order.points)
        yield Allotment(order.scene, order.points)
    yield from all_void((b for b in orders if not isinstance(b.order, Allot | Start)), "gone")
