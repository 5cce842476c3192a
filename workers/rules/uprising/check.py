"""What intake makes of an order: a booking, or why not (U4). It reads a side's view and nothing else.

A unit or target that the side doesn't know is refused with the same words as one that doesn't exist (K7). What units
may serve is told by meters: `serve/<unit>` and `move/<unit>` once a tick each, `authority` up to what the side has.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workers.kernel.errors import Refusal
from workers.kernel.orders import Booked, Booking, Cost
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
            yield Cost(f"move/{name}", 1, 1)
        if not isinstance(order, Move) or card.covered:
            yield Cost(f"serve/{name}", 1, 1)
    if card.by_authority:
        yield Cost("authority", view.settings.rally_authority, view.shared.authority)


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
    standing = standing_units(order, view)
    yield from _ways(order, view)
    for i, name in enumerate(order.units):
        field = f"units[{i}]"
        if name in order.units[:i]:
            yield Refusal("unit_twice", field, "illegal", "", {"name": name})
            continue
        code = _unit_problem(order, name, standing.get(name), view)
        if code:
            yield Refusal(code, field, "illegal", "", {"name": name, "district": order.district})


def _unit_problem(order: AnyOrder, name: str, unit: Unit | None, view: SideView) -> str:
    if unit is None:
        return "unit_leaves" if name in leaving(order, view) else "unit_not_here"
    if not unit.active:
        return "unit_not_active"
    if unit.building:
        return "unit_building"
    if isinstance(order, Assassination) and not unit.hidden:
        return "unit_revealed"
    return "unit_serves" if name in serving_elsewhere(order, view) else ""


def standing_units(order: AnyOrder, view: SideView) -> Mapping[str, Unit]:
    """The side's units that stand in an order's district: as intake sees it, or for orders after the moves as the
    booked moves will leave it (U4).
    """
    here = _own(order.district, view)
    if not isinstance(order, AfterMoves):
        return here
    gone = leaving(order, view)
    return {name: unit for name, unit in here.items() if name not in gone} | arriving(order, view)


def arriving(order: AfterMoves, view: SideView) -> dict[str, Unit]:
    """The units that booked moves bring into an order's district from those that it names."""
    found: dict[str, Unit] = {}
    for way in order.coming_from:
        own = _own(way, view)
        for booked in view.booked.get(way, ()):
            if isinstance(booked.order, Move) and booked.order.target == order.district != way:
                found.update({name: own[name] for name in booked.order.units if name in own})
    return found


def serving_elsewhere(order: AnyOrder, view: SideView) -> frozenset[str]:
    """The units that serve an order booked in a district from which they come: a move under cover is one (U20)."""
    names: list[str] = []
    for way in order.coming_from if isinstance(order, AfterMoves) else ():
        for booked in view.booked.get(way, ()):
            if way != order.district and not _in_the_open(booked.order, view):
                names.extend(booked.order.units)
    return frozenset(names)


def _in_the_open(order: AnyOrder, view: SideView) -> bool:
    card = view.shared.cards.get(order.card)
    return isinstance(order, Move) and card is not None and not card.covered


def leaving(order: AnyOrder, view: SideView) -> frozenset[str]:
    """The units that booked moves take out of an order's district before it is carried out."""
    if not isinstance(order, AfterMoves):
        return frozenset()
    return frozenset(_moving(view.booked.get(order.district, ())))


def _moving(orders: Iterable[Booked[Any, Any]]) -> Iterator[str]:
    for booked in orders:
        if isinstance(booked.order, Move):
            yield from booked.order.units


def _own(district: str, view: SideView) -> dict[str, Unit]:
    seen = view.homes.get(district)
    return {} if seen is None else {name: unit for name, unit in seen.units.items() if unit.camp == view.camp}


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
