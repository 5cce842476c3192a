"""Shapes that several events have in common: what they tell, and whom they are about."""

from typing import Annotated

from workers.kernel.events import OWN, PUBLIC_FACT, Event
from workers.rules.uprising.cards import Side
from workers.rules.uprising.events.readers import SEEN
from workers.rules.uprising.rolls import Outcome

Names = tuple[str, ...]


class PublicFact(Event, frozen=True):
    """What every actor of both sides may read."""

    def about(self, camp: str) -> Names | None:
        """Public."""
        return PUBLIC_FACT


class UnitFact(Event, frozen=True):
    """What a side alone reads of a unit of its own."""

    camp: Annotated[Side, OWN]
    district: Annotated[str, OWN]
    unit: Annotated[str, OWN]

    def about(self, camp: str) -> Names | None:
        """The unit."""
        return (self.unit,)


class UnitsFact(Event, frozen=True):
    """What a side alone reads of units of its own."""

    camp: Annotated[Side, OWN]
    district: Annotated[str, OWN]
    units: Annotated[Names, OWN]

    def about(self, camp: str) -> Names | None:
        """The units."""
        return self.units


class SeenUnit(Event, frozen=True):
    """What a side reads of a unit of its own, and so does the other one where it has an active unit."""

    camp: Annotated[Side, SEEN]
    district: Annotated[str, SEEN]
    unit: Annotated[str, SEEN]
    seen_by: tuple[Side, ...]

    def about(self, camp: str) -> Names | None:
        """The unit, for its own side."""
        return (self.unit,) if camp == self.camp else ()


class OwnTry(Event, frozen=True):
    """What a side alone reads of an order of its own that was carried out."""

    camp: Annotated[Side, OWN]
    district: Annotated[str, OWN]
    outcome: Annotated[Outcome, OWN]
    orders: Annotated[Names, OWN]
    units: Annotated[Names, OWN]
    card: Annotated[str, OWN]

    def about(self, camp: str) -> Names | None:
        """The units that the orders named."""
        return self.units
