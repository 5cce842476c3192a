"""What comes of orders: each is told whole to its own side, and to the other side as an attack on its units (U25).

`units` are those that the orders named and that served (U4); `shown` those of the attackers that the other side sees,
None for none; `counted` those that were hidden when they were counted (U24). `roll` is the record that the order's side
reads, `facing` the same roll as the other side reads it.
"""

from typing import Annotated, ClassVar, Literal

import msgspec

from workers.kernel.events import OTHER, OWN, PUBLIC, Event
from workers.kernel.odds import Term
from workers.rules.uprising.cards import Kind, Side
from workers.rules.uprising.events.readers import DEFENDED, FOUGHT, FOUND, LOST, RALLIED, Reason, UnitReason
from workers.rules.uprising.events.shapes import Names, OwnTry, PublicFact
from workers.rules.uprising.rolls import ContestRoll, Outcome, PointsRoll


def _in(roll: ContestRoll) -> Names:
    return tuple(brought.unit for brought in roll.forces)


class OrderVoid(Event, frozen=True, tag="order_void"):
    """An order that can no longer be carried out: nothing was rolled or spent (K6)."""

    void: ClassVar[bool] = True
    camp: Annotated[Side, OWN]
    order: Annotated[str, OWN]
    kind: Annotated[Kind, OWN]
    district: Annotated[str, OWN]
    units: Annotated[Names, OWN]
    reason: Annotated[Reason, OWN]

    def about(self, camp: str) -> Names | None:
        """The units that the order named."""
        return self.units


class UnitDropped(Event, frozen=True, tag="unit_dropped"):
    """A unit that dropped out of an order that others carried out (U23)."""

    camp: Annotated[Side, OWN]
    order: Annotated[str, OWN]
    district: Annotated[str, OWN]
    unit: Annotated[str, OWN]
    reason: Annotated[UnitReason, OWN]

    def about(self, camp: str) -> Names | None:
        """The unit."""
        return (self.unit,)


class AssassinationTried(Event, frozen=True, tag="assassination"):
    """An assassination (U14). `heat` is what a failure adds to the Revolution's."""

    camp: Annotated[Side, PUBLIC]
    district: Annotated[str, PUBLIC]
    target: Annotated[str, PUBLIC]
    outcome: Annotated[Outcome, PUBLIC]
    orders: Annotated[Names, OWN]
    units: Annotated[Names, OWN]
    card: Annotated[str, OWN]
    roll: Annotated[PointsRoll, OWN]
    shown: Annotated[Names | None, OTHER]
    facing: Annotated[PointsRoll, OTHER]
    heat: int = 0

    def about(self, camp: str) -> Names | None:
        """The killers; for the other side the target."""
        return self.units if camp == self.camp else (self.target,)


class SearchMade(Event, frozen=True, tag="search"):
    """A search that orders asked for was cast (U19), with what its side brings to the chance."""

    camp: Annotated[Side, OWN]
    district: Annotated[str, OWN]
    orders: Annotated[Names, OWN]
    units: Annotated[Names, OWN]
    card: Annotated[str, OWN]
    terms: Annotated[tuple[Term, ...], OWN]

    def about(self, camp: str) -> Names | None:
        """The units that search."""
        return self.units


class SearchRolled(Event, frozen=True, tag="search_roll"):
    """A search for one hidden unit (U19): its side reads it when the unit was found, nobody else ever does.

    `subject` is the searcher's handle or the orders' key, `card` the card of a search that orders asked for.
    """

    camp: Annotated[Side, FOUND]
    district: Annotated[str, FOUND]
    unit: Annotated[str, FOUND]
    outcome: Annotated[Outcome, FOUND]
    units: Annotated[Names, FOUND]
    roll: Annotated[PointsRoll, FOUND]
    subject: str
    card: str = ""

    def about(self, camp: str) -> Names | None:
        """The units that search."""
        return self.units


class AuthorityTest(msgspec.Struct, frozen=True, gc=False):
    """A rally by authority (U17): success when `authority` is at least `threshold`, the target's Force × 10."""

    authority: int
    threshold: int
    outcome: Outcome


class RallyTried(Event, frozen=True, tag="rally"):
    """A rally (U17): by dice (`roll`), or by authority, which takes Authority on success (`paid`)."""

    camp: Annotated[Side, RALLIED]
    district: Annotated[str, RALLIED]
    target: Annotated[str, RALLIED]
    outcome: Annotated[Outcome, RALLIED]
    orders: Annotated[Names, OWN]
    units: Annotated[Names, OWN]
    card: Annotated[str, OWN]
    roll: Annotated[PointsRoll | None, OWN]
    authority: Annotated[AuthorityTest | None, OWN]
    paid: Annotated[int, OWN]
    shown: Annotated[Names | None, LOST]
    facing: Annotated[PointsRoll | None, LOST]
    tick: int

    def about(self, camp: str) -> Names | None:
        """The units at its side, and the rallied one; for the other side that one."""
        return (*self.units, self.target) if camp == self.camp else (self.target,)


class ArrestTried(Event, frozen=True, tag="arrest"):
    """An arrest (U12). `prison` is where the arrested unit is taken, None: out of the level. `escape` is the roll by
    which it may get away, `escape_facing` the same as the arresting side reads it. `loyalty` is what that side's Order
    `faction` gains.
    """

    camp: Annotated[Side, PUBLIC]
    district: Annotated[str, PUBLIC]
    target: Annotated[str, PUBLIC]
    outcome: Annotated[Literal["arrested", "escaped", "failed"], PUBLIC]
    prison: Annotated[str | None, PUBLIC]
    escape: Annotated[PointsRoll | None, OTHER]
    escape_facing: Annotated[PointsRoll | None, OWN]
    orders: Annotated[Names, OWN]
    units: Annotated[Names, OWN]
    card: Annotated[str, OWN]
    roll: Annotated[ContestRoll, OWN]
    shown: Annotated[Names | None, OTHER]
    facing: Annotated[ContestRoll, OTHER]
    counted: Names
    faction: str = ""
    loyalty: int = 0

    def about(self, camp: str) -> Names | None:
        """The units that arrest; for the other side the target."""
        return self.units if camp == self.camp else (self.target,)


class RaidTried(Event, frozen=True, tag="raid"):
    """A raid (U13): all units of its side in the district attack."""

    camp: Annotated[Side, PUBLIC]
    district: Annotated[str, PUBLIC]
    target: Annotated[str, PUBLIC]
    outcome: Annotated[Outcome, PUBLIC]
    orders: Annotated[Names, OWN]
    units: Annotated[Names, OWN]
    card: Annotated[str, OWN]
    roll: Annotated[ContestRoll, OWN]
    shown: Annotated[Names | None, OTHER]
    facing: Annotated[ContestRoll, OTHER]
    counted: Names

    def about(self, camp: str) -> Names | None:
        """All that attack; for the other side all that defend, and the target."""
        return _in(self.roll) if camp == self.camp else tuple(dict.fromkeys((self.target, *_in(self.facing))))


class BuildingDestroyed(PublicFact, frozen=True, tag="building_destroyed"):
    """A raid destroyed a building (U13), which everybody sees; `camp` is the side that lost it."""

    camp: Annotated[Side, PUBLIC]
    district: Annotated[str, PUBLIC]
    unit: Annotated[str, PUBLIC]


class ContestTried(OwnTry, frozen=True, tag="contest"):
    """A contest (U18), its own side's alone; `facing` is the record of the defence."""

    roll: Annotated[ContestRoll, OWN]
    facing: ContestRoll


class GambleTried(OwnTry, frozen=True, tag="gamble"):
    """A gamble (U18), its own side's alone."""

    roll: Annotated[PointsRoll, OWN]


class AssaultFought(PublicFact, frozen=True, tag="assault"):
    """An assault as everybody sees it (U16): who won, what was taken, how much burns now."""

    camp: Annotated[Side, PUBLIC]
    district: Annotated[str, PUBLIC]
    outcome: Annotated[Literal["won", "lost"], PUBLIC]
    taken: Annotated[tuple[Literal["landmark", "prison"], ...] | None, PUBLIC]
    fire: Annotated[int, PUBLIC]


class AssaultRolled(Event, frozen=True, tag="assault_roll"):
    """The roll of an assault (U15), to those who were in it."""

    camp: Annotated[Side, FOUGHT]
    district: Annotated[str, FOUGHT]
    orders: Annotated[Names, OWN]
    units: Annotated[Names, OWN]
    card: Annotated[str, OWN]
    roll: Annotated[ContestRoll, OWN]
    shown: Annotated[Names | None, DEFENDED]
    facing: Annotated[ContestRoll, DEFENDED]
    counted: Names

    def about(self, camp: str) -> Names | None:
        """All that attack, and those that the orders named; for the other side all that defend."""
        if camp == self.camp:
            return tuple(dict.fromkeys((*self.units, *_in(self.roll))))
        return _in(self.facing)


class UnitMoved(Event, frozen=True, tag="move"):
    """A unit leaves its district (U20). `was_hidden`: whether it did so unseen."""

    camp: Annotated[Side, OWN]
    order: Annotated[str, OWN]
    card: Annotated[str, OWN]
    unit: Annotated[str, OWN]
    district: Annotated[str, OWN]
    target: Annotated[str, OWN]
    covered: Annotated[bool, OWN]
    was_hidden: bool

    def about(self, camp: str) -> Names | None:
        """The unit."""
        return (self.unit,)
