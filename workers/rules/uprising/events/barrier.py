"""What changes for all at a phase's end (U23), and what an operator amends."""

from typing import Annotated

from workers.kernel.events import OWN, PUBLIC, Event
from workers.rules.uprising.cards import Side
from workers.rules.uprising.entities import Amount, Census, Holder, Unit
from workers.rules.uprising.events.shapes import Names, PublicFact, UnitFact


class UprisingOpened(PublicFact, frozen=True, tag="opened"):
    """The campaign is set up: the Heat at its start, and the first census."""

    heat: Annotated[int, PUBLIC]
    census: dict[Side, Census]


class HeatMoved(PublicFact, frozen=True, tag="heat"):
    """The Heat of the Revolution moved."""

    before: Annotated[int, PUBLIC]
    after: Annotated[int, PUBLIC]


class AuthorityMoved(Event, frozen=True, tag="authority"):
    """A side's Authority moved."""

    camp: Annotated[Side, OWN]
    before: Annotated[int, OWN]
    after: Annotated[int, OWN]


class LoyaltyMoved(Event, frozen=True, tag="loyalty"):
    """The loyalty of a side's faction moved."""

    camp: Annotated[Side, OWN]
    faction: Annotated[str, OWN]
    before: Annotated[int, OWN]
    after: Annotated[int, OWN]


class PrisonTaken(PublicFact, frozen=True, tag="prison_taken"):
    """A prison has another holder."""

    camp: Annotated[Side, PUBLIC]
    district: Annotated[str, PUBLIC]


class ClaimsCut(Event, frozen=True, tag="claims_cut"):
    """A side's Authority no longer carries all its rallies by authority: the keys of those that are void (K6)."""

    camp: Side
    keys: Names


class TickSettled(Event, frozen=True, tag="tick_settled"):
    """The end of a tick for the shared record: its census, and what lasts no longer."""

    census: dict[Side, Census]


class UnitPlaced(Event, frozen=True, tag="unit_placed"):
    """An operator puts a unit into a district, or gives the one of that id there another sheet. Its id must be nobody
    else's in the campaign.
    """

    camp: Annotated[Side, OWN]
    district: Annotated[str, OWN]
    unit: Annotated[Unit, OWN]

    def about(self, camp: str) -> Names | None:
        """The unit."""
        return (self.unit.id,)


class UnitWithdrawn(UnitFact, frozen=True, tag="unit_withdrawn"):
    """An operator takes a unit of a side out of the game."""


class GroundAmended(PublicFact, frozen=True, tag="ground_amended"):
    """An operator sets what there is in a district (U2): None leaves a thing as it is."""

    district: Annotated[str, PUBLIC]
    disease: Annotated[bool | None, PUBLIC] = None
    gas: Annotated[bool | None, PUBLIC] = None
    barricades: Annotated[Amount | None, PUBLIC] = None
    fire: Annotated[Amount | None, PUBLIC] = None


class InfluenceAmended(Event, frozen=True, tag="influence_amended"):
    """An operator sets the influence in a district; who has a unit there sees it in its view."""

    district: str
    revolution: Amount
    law: Amount


class HeatAmended(PublicFact, frozen=True, tag="heat_amended"):
    """An operator sets the Heat."""

    heat: Annotated[Amount, PUBLIC]


class GaugesAmended(Event, frozen=True, tag="gauges_amended"):
    """An operator sets a side's Authority, and the loyalty of its factions by id (one that isn't named stays)."""

    camp: Annotated[Side, OWN]
    authority: Annotated[Amount, OWN]
    loyalty: Annotated[dict[str, Amount], OWN]


class PrisonAmended(PublicFact, frozen=True, tag="prison_amended"):
    """An operator gives a prison another holder. A tick starts after its amendments (K6): nobody is freed by it."""

    district: Annotated[str, PUBLIC]
    holder: Annotated[Holder, PUBLIC]
