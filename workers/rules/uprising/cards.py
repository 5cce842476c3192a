"""What an order gives or changes is data (U4): order cards, their gains, and the assets and upgrades of a side (U3)."""

from typing import Annotated, Literal

import msgspec

Side = Literal["revolution", "law"]
Kind = Literal["arrest", "assassination", "assault", "contest", "gamble", "move", "raid", "rally", "search"]
Contested = Literal["arrest", "raid", "contest", "assault"]
"""The kinds of order that are decided by Force against Force, and take modifiers (U6)."""

Change = Annotated[int, msgspec.Meta(ge=-1000, le=1000)]
Points = Annotated[int, msgspec.Meta(ge=0, le=100)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
"""An id: its characters are checked when a scenario is founded."""


class Gains(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a card gives when its order succeeds (U4, U18).

    `influence` is the order's side's in the district, `enemy_influence` the other side's; None: nothing, or on an
    assault the source's +25 and −30. `heat` is the Revolution's, `authority` and `loyalty` (by faction) the order's
    side's; `gas` fills the district with tear gas.
    """

    influence: Change | None = None
    enemy_influence: Change | None = None
    heat: Change = 0
    authority: Change = 0
    loyalty: dict[str, Change] = {}
    barricades: Change = 0
    gas: bool = False


class Card(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An order card (U4): None where the card says nothing and the kind's own rule holds.

    `modifier` in tens of points (arrest, raid, contest, assault); `chance` in points (assassination, rally, gamble,
    search); `bonus` in Force (raid); `defence` a named one (contest); `by_authority` (rally); `covered` (move);
    `neighbours` whether it reaches there (search); `buildings_only` (raid).
    """

    id: Name
    kind: Kind
    sides: tuple[Side, ...] = ("revolution", "law")
    modifier: Annotated[int, msgspec.Meta(ge=-20, le=20)] = 0
    chance: Points | None = None
    bonus: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    gains: Gains = Gains()
    neighbours: bool = False
    defence: Annotated[int, msgspec.Meta(ge=0, le=1000)] | None = None
    by_authority: bool = False
    covered: bool = False
    buildings_only: bool = False


class Boon(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An asset (atout) or an upgrade (amélioration) of a side (U3).

    `force` goes to each unit of the side, attacking or defending in that kind of order (U9); `points` to the chance of
    the side's own orders of that kind (U6); `escape_chance`, in points, to its arrested units (U12).
    """

    id: Name
    force: dict[Contested, Annotated[int, msgspec.Meta(ge=-20, le=20)]] = {}
    points: dict[Contested, Annotated[int, msgspec.Meta(ge=-100, le=100)]] = {}
    escape_chance: Points = 0
