"""What intake makes of an order: a booking, or why not (U4). It reads a side's view and nothing else.

A unit or target that the side doesn't know is refused with the same words as one that doesn't exist (K7). What units
may serve is told by meters of the side, wherever the order is played: `serve/<unit>` and `move/<unit>` once a tick
each, `authority` up to what the side has.
"""

from collections.abc import Iterator
from typing import Any

from workers.kernel.errors import Refusal
from workers.kernel.orders import Booking, Cost
from workers.rules.uprising.cards import Card
from workers.rules.uprising.entities import Unit
from workers.rules.uprising.merging import card_problem
from workers.rules.uprising.orders import (
    AfterMoves,
    AnyOrder,
    Arrest,
    Assassination,
    Move,
    Raid,
    Rally,
)
from workers.rules.uprising.phases.rally import person_problem
from workers.rules.uprising.see import SideView
from workers.rules.uprising.standing import Standing


def check(order: AnyOrder, view: SideView) -> Booking | tuple[Refusal, ...]:
    """A booking in the order's district, or at least one refusal."""
    if order.district not in view.shared.ground:
        return (_unknown("unknown_district", "district", order.district),)
    card = view.shared.cards.get(order.card)
    problem = card_problem(card, order.kind, _side(view))
    if problem is not None or card is None:
        return (_card_refusal(problem or "card_unknown", order, view),)
    refusals = [*_units(order, view), *_target(order, card, view)]
    return tuple(refusals) if refusals else Booking(order.district, tuple(_costs(order, card, view)))


def _costs(order: AnyOrder, card: Card, view: SideView) -> Iterator[Cost]:
    """What an order takes: each unit's one service, each unit's one move, Authority."""
    for name in order.units:
        if isinstance(order, Move):
            yield Cost(f"move/{name}", 1, 1, view.camp)
        if not isinstance(order, Move) or card.covered:
            yield Cost(f"serve/{name}", 1, 1, view.camp)
    if card.by_authority:
        yield Cost("authority", view.settings.rally_authority, view.shared.authority, view.camp)


def _side(view: SideView) -> Any:
    return view.camp


def _unknown(code: str, field: str, name: str) -> Refusal:
    return Refusal(code, field, "invalid", "", {"name": name})


def _card_refusal(problem: str, order: AnyOrder, view: SideView) -> Refusal:
    """Why a card can't be used, and which can."""
    cards = sorted(
        card.id for card in view.shared.cards.values() if card_problem(card, order.kind, _side(view)) is None
    )
    family: Any = "invalid" if problem == "card_unknown" else "illegal"
    return Refusal(problem, "card", family, ", ".join(cards), {"name": order.card, "kind": order.kind})


def _units(order: AnyOrder, view: SideView) -> Iterator[Refusal]:
    """Whether each named unit stands where the order needs it, and can serve."""
    if not order.units:
        yield Refusal("no_unit", "units", "invalid", "at least one unit", {})
    standing = Standing(order, view)
    yield from _ways(order, view)
    for i, name in enumerate(order.units):
        field = f"units[{i}]"
        if name in order.units[:i]:
            yield Refusal("unit_twice", field, "illegal", "", {"name": name})
            continue
        code = _unit_problem(order, name, standing)
        if code:
            yield Refusal(code, field, "illegal", "", {"name": name, "district": order.district})


def _unit_problem(order: AnyOrder, name: str, standing: Standing) -> str:
    unit = standing.unit(name)
    if unit is None:
        return "unit_leaves" if standing.leaves(name) else "unit_not_here"
    if not unit.active:
        return "unit_not_active"
    if unit.building:
        return "unit_building"
    if isinstance(order, Assassination) and not unit.hidden:
        return "unit_revealed"
    return "unit_serves" if standing.serves(name) else ""


def _ways(order: AnyOrder, view: SideView) -> Iterator[Refusal]:
    """Units come from neighbouring districts."""
    if isinstance(order, AfterMoves):
        neighbours = view.shared.ground[order.district].neighbours
        for i, way in enumerate(order.coming_from):
            if way not in neighbours:
                values: dict[str, str | int] = {"name": way, "district": order.district}
                yield Refusal("not_neighbour", f"coming_from[{i}]", "illegal", ", ".join(neighbours), values)


def _target(order: AnyOrder, card: Card, view: SideView) -> Iterator[Refusal]:
    """Whether the order can act on its target."""
    if isinstance(order, Move):
        neighbours = view.shared.ground[order.district].neighbours
        if order.target not in neighbours:
            values: dict[str, str | int] = {"name": order.target, "district": order.district}
            yield Refusal("not_neighbour", "target", "illegal", ", ".join(neighbours), values)
    elif isinstance(order, Assassination | Rally | Arrest | Raid):
        seen = view.homes.get(order.district)
        target = None if seen is None else seen.units.get(order.target)
        code = "target_unknown" if target is None else _target_code(order, card, target, view)
        if code:
            yield Refusal(code, "target", "illegal", "", {"name": order.target, "district": order.district})


def _target_code(order: Assassination | Rally | Arrest | Raid, card: Card, target: Unit, view: SideView) -> str:
    if target.camp == view.camp:
        return "target_yours"
    if not target.revealed:
        return "target_not_active"
    if isinstance(order, Raid):
        return "card_buildings_only" if card.buildings_only and not target.building else ""
    if target.building:
        return "target_building"
    if isinstance(order, Assassination):
        return "" if target.nature == "person" else "target_not_person"
    if isinstance(order, Rally):
        return person_problem(target, view.tick, view.settings.rally_rest) or ""
    return ""
