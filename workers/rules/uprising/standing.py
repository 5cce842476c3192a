"""Where a side's units stand for an order (U4): as its view shows them, or, for the orders after the moves, as its
booked moves will leave them.
"""

from collections.abc import Mapping

from workers.rules.uprising.entities import Unit
from workers.rules.uprising.orders import AfterMoves, AnyOrder, Move
from workers.rules.uprising.see import SideView


class Standing:
    """A side's units as one of its orders finds them."""

    __slots__ = ("_come", "_here", "_leaving", "_serving", "_side")

    def __init__(self, order: AnyOrder, view: SideView) -> None:
        seen = view.homes.get(order.district)
        self._side = view.camp
        self._here: Mapping[str, Unit] = {} if seen is None else seen.units
        self._come: dict[str, Unit] = {}
        self._leaving: set[str] = set()
        self._serving: set[str] = set()
        if isinstance(order, AfterMoves):
            for booked in view.booked.get(order.district, ()):
                if isinstance(booked.order, Move):
                    self._leaving.update(booked.order.units)
            for way in order.coming_from:
                self._look(way, order.district, view)

    def _look(self, way: str, district: str, view: SideView) -> None:
        """Who comes from a neighbouring district, and who serves an order there: a move under cover is one (U20)."""
        seen = view.homes.get(way)
        for booked in view.booked.get(way, ()):
            order = booked.order
            card = view.shared.cards.get(order.card)
            if not isinstance(order, Move) or card is None or card.covered:
                self._serving.update(order.units)
            if isinstance(order, Move) and order.target == district and seen is not None:
                units = {name: seen.units[name] for name in order.units if name in seen.units}
                self._come.update({name: unit for name, unit in units.items() if unit.camp == self._side})

    def unit(self, name: str) -> Unit | None:
        """The side's unit of an id, if it stands here."""
        if name in self._come:
            return self._come[name]
        unit = self._here.get(name)
        return unit if unit is not None and unit.camp == self._side and name not in self._leaving else None

    def leaves(self, name: str) -> bool:
        """Whether a booked move takes a unit away before the order is carried out."""
        return name in self._leaving

    def serves(self, name: str) -> bool:
        """Whether a unit that comes serves an order where it comes from."""
        return name in self._serving

    def staying(self) -> dict[str, Unit]:
        """All units of the side that stand here already, and stay."""
        own = {name: unit for name, unit in self._here.items() if unit.camp == self._side}
        return {name: unit for name, unit in own.items() if name not in self._leaving}

    def coming(self) -> dict[str, Unit]:
        """All units of the side that come by booked moves, as they are before they move."""
        return dict(self._come)
