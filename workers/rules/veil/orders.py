"""The six orders (V8), as they are sent.

`pp` is what the roll spends (V12); `target` is the servant whose mission it is.
"""

from typing import Annotated, ClassVar, TypeAlias

import msgspec

from workers.kernel.orders import Order
from workers.rules.veil import tables
from workers.rules.veil.names import Name
from workers.rules.veil.tables import PP_PER_ROLL, Kind

Points = Annotated[int, msgspec.Meta(ge=0, le=PP_PER_ROLL, description="power points spent on the roll")]


class VeilOrder(Order, frozen=True, omit_defaults=True):
    """What all six have: the servant that acts, and their row of V8."""

    KIND: ClassVar[Kind]
    servant: Name

    def homes(self) -> tuple[str, ...]:
        """The servants of whom its check reads: the one that acts, and whose mission it is."""
        return (self.servant,)


class Mission(VeilOrder, frozen=True, tag="mission", omit_defaults=True):
    """Play one of the servant's own missions (V36)."""

    KIND: ClassVar[Kind] = tables.MISSION
    mission: Name
    pp: Points = 0


class AtZone(VeilOrder, frozen=True, omit_defaults=True):
    """Base: an order on a zone."""

    zone: Name
    pp: Points = 0


class Influence(AtZone, frozen=True, tag="influence", omit_defaults=True):
    """Work on a zone for a small, sure gain."""

    KIND: ClassVar[Kind] = tables.INFLUENCE


class Intel(AtZone, frozen=True, tag="intel", omit_defaults=True):
    """Lift the fog from a zone, for the whole camp."""

    KIND: ClassVar[Kind] = tables.INTEL


class OnMission(VeilOrder, frozen=True, omit_defaults=True):
    """Base: an order on the mission of another servant, the target."""

    target: Name
    mission: Name
    pp: Points = 0

    def homes(self) -> tuple[str, ...]:
        return (self.servant, self.target)


class Support(OnMission, frozen=True, tag="support", omit_defaults=True):
    """Support the mission of an ally."""

    KIND: ClassVar[Kind] = tables.SUPPORT


class Counter(OnMission, frozen=True, tag="counter", omit_defaults=True):
    """Sabotage a detected mission of an enemy."""

    KIND: ClassVar[Kind] = tables.COUNTER


class Recovery(VeilOrder, frozen=True, tag="recovery", omit_defaults=True):
    """Rest: power points, and a wound healed."""

    KIND: ClassVar[Kind] = tables.RECOVERY
    pp: Points = 0


ORDERS: tuple[type[VeilOrder], ...] = (Mission, Influence, Intel, Support, Counter, Recovery)

AnyOrder: TypeAlias = Mission | Influence | Intel | Support | Counter | Recovery
