"""What is at stake: units and their districts (U1, U2), and what both sides read (U3).

The home is the district, with the units that stand in it and the inmates of its prison. Shared are the sides' gauges
and boons, the cards, the ground and the prisons' holders.
"""

from typing import Annotated, Literal

import msgspec

from workers.rules.uprising.cards import Boon, Card, Side

Nature = Literal["person", "troop", "building"]
Status = Literal["active", "imprisoned", "fallen", "destroyed", "out"]
Holder = Literal["revolution", "law", ""]
"""Who holds a landmark or a prison; empty: nobody."""
Amount = Annotated[int, msgspec.Meta(ge=0, le=1000)]


class Bonus(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """The Force that a unit's description gives by circumstance (U1, U9)."""

    defence: Amount = 0
    barricade: Amount = 0
    landmark: Amount = 0
    numbers: Amount = 0


class Unit(msgspec.Struct, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A unit (U1). `search_chance` in points, None: the settings'; `search_neighbours`: its unasked search reaches
    there.

    `rallied` is the tick in which it last changed side, 0 for never. Only within a tick: `shaken`; `served`, that it
    carried out an order; `counted`, that an arrest, raid or assault counted it while it was hidden.
    """

    id: str
    camp: Side
    nature: Nature
    force: Amount
    stealth: Amount = 2
    status: Status = "active"
    hidden: bool = False
    wounds: Amount = 0
    named: bool = False
    bodyguards: Amount = 0
    spy: bool = False
    informer: bool = False
    refuses: bool = False
    never_rallies: bool = False
    search_chance: Annotated[int, msgspec.Meta(ge=0, le=100)] | None = None
    search_neighbours: bool = False
    bonus: Bonus | None = None
    rallied: int = 0
    shaken: bool = False
    served: bool = False
    counted: bool = False

    @property
    def active(self) -> bool:
        """Whether it takes part in anything."""
        return self.status == "active"

    @property
    def building(self) -> bool:
        """Whether it is a building: it serves no order, doesn't move or attack (U1)."""
        return self.nature == "building"

    @property
    def revealed(self) -> bool:
        """Whether it can be a target: active and not hidden."""
        return self.status == "active" and not self.hidden


class Landmark(msgspec.Struct, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A landmark (lieu marquant): its defence counts against whoever doesn't hold it (U15)."""

    name: str = ""
    defence: Amount = 0
    holder: Holder = ""


class Garrison(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A garrison: its Force counts against the sides to which it is hostile (U15)."""

    force: Amount = 0
    hostile: tuple[Side, ...] = ()


class Influence(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """The influence of each side in a district, 0..`influence_max`."""

    revolution: Amount = 0
    law: Amount = 0

    def of(self, side: Side) -> int:
        """One side's."""
        return self.revolution if side == "revolution" else self.law


class District(msgspec.Struct, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A district (U2), the home. `units` are those that stand here, the inmates of its prison, and those that fell here
    or left the level from here.

    Only within a tick: `absent`, why a unit that stood here at the tick's start doesn't any more; `left`, the sides of
    revealed units that moved away; `assaulted`.
    """

    id: str
    influence: Influence
    barricades: int = 0
    landmark: Landmark | None = None
    garrison: Garrison | None = None
    gas: bool = False
    disease: bool = False
    fire: int = 0
    units: dict[str, Unit] = {}
    absent: dict[str, Literal["unit_arrested", "unit_moved"]] = {}
    left: tuple[Side, ...] = ()
    assaulted: bool = False


class Faction(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A faction of a side, with its loyalty 0..`loyalty_max`; `order` marks the Order faction (U3, U12)."""

    id: str
    loyalty: Amount = 0
    order: bool = False


class Gauges(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What a side alone reads of itself: its Authority, its factions. `overdrawn`, only within a tick: the keys of
    rallies by authority that its Authority no longer carries (K6).
    """

    authority: Amount = 0
    factions: tuple[Faction, ...] = ()
    overdrawn: tuple[str, ...] = ()


class Ground(msgspec.Struct, omit_defaults=True, frozen=True):
    """What never changes of a district: its name and its neighbours."""

    name: str = ""
    neighbours: tuple[str, ...] = ()


class Prison(msgspec.Struct, omit_defaults=True):
    """Who holds a prison now, and who held it at the tick's start."""

    holder: Holder = ""
    held: Holder = ""


class Census(msgspec.Struct, omit_defaults=True):
    """What decides the end (U26): a side's active units but buildings, and the districts that it still holds."""

    people: int = 0
    districts: int = 0


class City(msgspec.Struct):
    """The shared record. Prisons by their district; boons are the upgrades and assets of each side, sorted by id."""

    heat: Amount
    gauges: dict[Side, Gauges]
    boons: dict[Side, tuple[Boon, ...]]
    cards: dict[str, Card]
    ground: dict[str, Ground]
    prisons: dict[str, Prison] = {}
    census: dict[Side, Census] = {}
