"""Turn order: what is still legal, who comes first, and the GM's threat (A13, A15, A16)."""

from collections.abc import Iterator, Sequence
from typing import Any

from workers.kernel.events import Event, Mail
from workers.kernel.orders import Booked
from workers.kernel.phases import Context
from workers.rules.anarchy.entities import CAMPS, GM, PLAYERS, Campaign, Home, Scene
from workers.rules.anarchy.events import Allotted, PointSpent, TurnBegan
from workers.rules.anarchy.events_aftermath import ClosingTold
from workers.rules.anarchy.events_mission import Allotment, Closing
from workers.rules.anarchy.legal import faults
from workers.rules.anarchy.legal_narration import effects_of
from workers.rules.anarchy.orders import Interrupt, Narrate, Threat
from workers.rules.anarchy.phases.stage import Play, Stage, seating, turn_of
from workers.rules.anarchy.phases.voids import all_void, by_initiative, first_fault, void
from workers.rules.anarchy.reasons import Reason
from workers.rules.anarchy.see import see_scene
from workers.rules.anarchy.settings import Settings


def decide(
    home: Home | None, orders: Sequence[Booked[Any, Any]], mail: Sequence[Mail], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """Settle a scene's turn order: what is illegal now is void, interruptions are paid, then the GM's threat."""
    scene = home.scene if home is not None else None
    if home is None or scene is None:
        yield from all_void(orders, "gone")
        return
    for letter in mail:
        if isinstance(letter, Allotment):
            yield Allotted(home.id, letter.points)
        elif isinstance(letter, Closing):
            yield ClosingTold(home.id)
    if not orders:
        return
    fallen = fallen_orders(scene, orders, context)
    for booked in orders:
        if booked.id in fallen:
            yield void(booked, fallen[booked.id])
    stage = Stage(home.id, scene, [booked for booked in orders if booked.id not in fallen], context)
    first = yield from _front(stage, orders, fallen)
    yield from _threats(stage, orders, fallen)
    yield _began(stage, scene, first, tuple(sorted(fallen)))


def fallen_orders(
    scene: Scene, orders: Sequence[Booked[Any, Any]], context: Context[Campaign, Settings]
) -> dict[str, Reason]:
    """The orders that are void, with the reason: illegal on what their camp knows now, or no longer within their
    player's points (A13, K6).
    """
    seen = {camp: see_scene(scene, camp) for camp in CAMPS}
    found: dict[str, Reason] = {}
    narrations: dict[str, list[Booked[Any, Any]]] = {}
    for booked in orders:
        reason = first_fault(faults(booked.order, seen[booked.camp], booked.camp, context.settings))
        if reason:
            found[booked.id] = reason
        elif booked.order.called == Narrate.called:
            player = scene.characters[booked.order.character].player
            narrations.setdefault(player, []).append(booked)
    for player, booked_here in narrations.items():
        found.update(_unfit(booked_here, scene.points.get(player, 0) if player else None, context))
    return found


def _unfit(
    narrations: list[Booked[Any, Any]], points: int | None, context: Context[Campaign, Settings]
) -> Iterator[tuple[str, Reason]]:
    """Of one player's Narrations (of the GM's: without a budget) those that don't fit beside the ones kept, in
    ascending initiative: one a character, their effects within the points (K6).
    """
    needed = sum(len(effects_of(booked.order)) for booked in narrations)
    names = {booked.order.character for booked in narrations}
    if len(names) == len(narrations) and (points is None or needed <= points):
        return
    kept: list[str] = []
    spent = 0
    for booked in by_initiative(narrations, context.dice):
        cost = len(effects_of(booked.order))
        if booked.order.character in kept:
            yield booked.id, "second_narration"
        elif points is not None and spent + cost > points:
            yield booked.id, "over_budget"
        else:
            kept.append(booked.order.character)
            spent += cost


def _front(stage: Stage, orders: Sequence[Booked[Any, Any]], fallen: dict[str, Reason]) -> Play[list[str]]:
    """A16: interruptions declared for the Turn are paid in turn order; each needs a Narration of its own."""
    first: list[str] = []
    declared: dict[str, list[Booked[Any, Any]]] = {}
    for booked in orders:
        if booked.order.called == Interrupt.called and booked.order.front and booked.id not in fallen:
            declared.setdefault(booked.order.character, []).append(booked)
    for name in stage.order if declared else ():
        for booked in declared.get(name, ()):
            if name not in stage.narrations:
                yield from stage.hold(booked, "no_narration")
            elif name in first:
                yield from stage.hold(booked, "in_front")
            else:
                stage.bought.clear()
                paid = yield from stage.afford(stage.scene.characters[name], booked, 1)
                if paid:
                    first.append(name)
    return first


def _threats(stage: Stage, orders: Sequence[Booked[Any, Any]], fallen: dict[str, Reason]) -> Iterator[Event]:
    """A15: the GM's threats without a character, paid from the scene's allotment, in ascending initiative (K6)."""
    threats = [booked for booked in orders if booked.order.called == Threat.called and booked.id not in fallen]
    for booked in by_initiative(threats, stage.context.dice):
        order = booked.order
        scene = stage.scene
        if scene.threats < 1:
            yield void(booked, "no_more_threats")
        elif scene.allotment < 1:
            yield void(booked, "points")
        else:
            left = scene.allotment - 1
            yield PointSpent(GM, stage.home, stage.watch, GM, "", "new_threat", booked.id, left)
            yield stage.bring_in("", booked, order.name, order.level, order.place)


def _began(stage: Stage, scene: Scene, first: list[str], fallen: tuple[str, ...]) -> TurnBegan:
    tick = stage.context.tick
    seated = [name for name in seating(scene, tick) if scene.present(name) is not None]
    whole = [*first, *(name for name in seated if name not in first)]
    known = tuple(name for name in whole if not scene.characters[name].hidden)
    return TurnBegan(PLAYERS, stage.home, stage.watch, turn_of(scene, tick), known, tuple(first), tuple(whole), fallen)
