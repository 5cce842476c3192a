"""What a crew can be told to do tonight."""

from typing import Annotated

import msgspec

from workers.kernel.orders import Order

Crates = Annotated[int, msgspec.Meta(ge=1, le=20)]


class Row(Order, frozen=True, tag="row"):
    """Row to another cove, before anything is landed or lit."""

    crew: str
    to: str


class Hand(Order, frozen=True, tag="hand"):
    """Hand crates to another boat that lies in the same cove; smugglers only."""

    crew: str
    to: str
    crates: Crates


class Land(Order, frozen=True, tag="land"):
    """Carry crates ashore; smugglers only."""

    crew: str
    crates: Crates


class Watch(Order, frozen=True, tag="watch"):
    """Listen, and light the lantern; keepers only."""

    crew: str


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """What the play needs from elsewhere: where the boat lay that takes the crates, when they were promised."""

    cove: str


ORDERS = (Row, Hand, Land, Watch)
