"""The nine kinds of order (U12–U20). Each names the district in which it acts, its card, its units and its target (U4).

For an assault, a search, a contest and a gamble the target is the district itself.
"""

from typing import Annotated, ClassVar

import msgspec

from workers.kernel.entities import Reads
from workers.kernel.orders import Order
from workers.rules.uprising.cards import Kind

UNITS_MAX = 50
"""Units that one order names, at most."""
WAYS_MAX = 20
"""Districts from which one order's units come, at most."""

Units = Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=UNITS_MAX)]
Ways = Annotated[tuple[str, ...], msgspec.Meta(max_length=WAYS_MAX)]


class _Acting(Order, frozen=True):
    """Units that act in a district."""

    district: str
    units: Units


class _Aiming(_Acting, frozen=True):
    """Units that act in a district, on a unit there; for a move: towards another district."""

    target: str


class Assassination(_Aiming, frozen=True, tag="assassination"):
    """Hidden killers against a revealed person (U14)."""

    kind: ClassVar[Kind] = "assassination"
    card: str = "assassination"


class Search(_Acting, frozen=True, tag="search"):
    """A search for hidden units in a district (U19)."""

    kind: ClassVar[Kind] = "search"
    card: str = "search"


class Rally(_Aiming, frozen=True, tag="rally"):
    """An attempt to bring a named enemy over (U17)."""

    kind: ClassVar[Kind] = "rally"
    card: str = "rally"


class Arrest(_Aiming, frozen=True, tag="arrest"):
    """The arrest of a revealed unit (U12)."""

    kind: ClassVar[Kind] = "arrest"
    card: str = "arrest"


class Raid(_Aiming, frozen=True, tag="raid"):
    """A raid on a revealed unit, usually a building (U13)."""

    kind: ClassVar[Kind] = "raid"
    card: str = "raid"


class Move(_Aiming, frozen=True, tag="move"):
    """A move from `district` to the neighbouring district `target`, in the open or covered as its card says (U20)."""

    kind: ClassVar[Kind] = "move"
    card: str = "move"


class Contest(_Acting, frozen=True, tag="contest"):
    """A contested order on a district (U18). Its units stand there after this tick's moves: `coming_from` names the
    districts from which some of them come."""

    kind: ClassVar[Kind] = "contest"
    card: str = "contest"
    coming_from: Ways = ()


class Gamble(_Acting, frozen=True, tag="gamble"):
    """An order that only rolls (U18). `coming_from` as for a contest."""

    kind: ClassVar[Kind] = "gamble"
    card: str = "gamble"
    coming_from: Ways = ()


class Assault(_Acting, frozen=True, tag="assault"):
    """An assault on a district (U15). `coming_from` as for a contest."""

    kind: ClassVar[Kind] = "assault"
    card: str = "assault"
    coming_from: Ways = ()


Targeted = Assassination | Rally | Arrest | Raid
"""Orders on one unit."""
AfterMoves = Contest | Gamble | Assault
"""Orders whose units stand in the district after this tick's moves."""
AnyOrder = Targeted | AfterMoves | Search | Move

ORDERS = (Assassination, Search, Rally, Arrest, Raid, Move, Contest, Gamble, Assault)


def target_of(order: AnyOrder) -> str:
    """What an order acts on: a unit; for a move a district; for all others their own district."""
    return order.target if isinstance(order, _Aiming) else order.district


def reads(order: AnyOrder) -> Reads:
    """The order's district; for orders after the moves also the districts from which their units come, with the moves
    that are booked in all of them."""
    if isinstance(order, Contest | Gamble | Assault):
        homes = tuple(dict.fromkeys((order.district, *order.coming_from)))
        return Reads(homes, homes)
    return Reads((order.district,))


def commands(order: AnyOrder) -> tuple[str, ...]:
    """The units that an order names."""
    return order.units
