"""What changes in a district beside what orders tell of themselves, and the mail between districts."""

from typing import Annotated, ClassVar, Literal

from workers.kernel.events import OWN, PUBLIC, Event, Mail
from workers.kernel.odds import Term
from workers.rules.uprising.cards import Side
from workers.rules.uprising.entities import Unit
from workers.rules.uprising.events.readers import SEEN, WITNESS, WITNESSED
from workers.rules.uprising.events.shapes import Names, PublicFact, SeenUnit, UnitFact, UnitsFact
from workers.rules.uprising.rolls import Draw, Outcome, PointsRoll


class UnitRevealed(SeenUnit, frozen=True, tag="unit_revealed"):
    """A hidden unit was revealed (U19): its side reads that, not by whom; so does the other side where it has an active
    unit. `heat` is what it adds to the Revolution's.
    """

    heat: int = 0


class UnitHid(UnitFact, frozen=True, tag="unit_hidden"):
    """A unit is hidden now (U12, U20)."""

    cause: Annotated[Literal["covered_move", "escape"], OWN]


class UnitStruck(Event, frozen=True, tag="unit_struck"):
    """An assault felled or wounded a unit (U16); `wounds` is its number now. What befell a hidden unit is told to its
    own side alone (U25), and so is what befell an attacker where nobody of the other side defended: `witnessed` tells
    these from the others. `draw` chose it among the attackers of a lost assault.
    """

    camp: Annotated[Side, WITNESSED]
    district: Annotated[str, WITNESSED]
    unit: Annotated[str, WITNESSED]
    outcome: Annotated[Literal["fallen", "wounded"], WITNESSED]
    wounds: Annotated[int, OWN]
    roll: Annotated[PointsRoll, OWN]
    draw: Annotated[Draw | None, OWN]
    facing: Annotated[PointsRoll, WITNESS]
    witnessed: bool

    def about(self, camp: str) -> Names | None:
        """The unit, for its own side."""
        return (self.unit,) if camp == self.camp else ()


class InfluenceMoved(Event, frozen=True, tag="influence"):
    """The influence in a district moved (U16, U18): the new values, and by how much."""

    district: Annotated[str, SEEN]
    revolution: Annotated[int, SEEN]
    law: Annotated[int, SEEN]
    revolution_change: Annotated[int, SEEN]
    law_change: Annotated[int, SEEN]
    seen_by: tuple[Side, ...]


class GroundChanged(PublicFact, frozen=True, tag="ground"):
    """Barricades, tear gas or fire changed (U18, U24): what there is now."""

    district: Annotated[str, PUBLIC]
    barricades: Annotated[int, PUBLIC]
    gas: Annotated[bool, PUBLIC]
    fire: Annotated[int, PUBLIC]
    cause: Annotated[Literal["card", "aftermath"], PUBLIC]


class GaugesGained(Event, frozen=True, tag="gauges_gained"):
    """What a card's success gives to gauges, at the phase's end (U4, U23); `loyalty` by faction."""

    camp: Annotated[Side, OWN]
    heat: Annotated[int, OWN]
    authority: Annotated[int, OWN]
    loyalty: Annotated[dict[str, int], OWN]


class PrisonerSent(Mail, frozen=True, tag="prisoner_sent"):
    """An arrested unit on its way to the prison of another district (U12)."""

    camp: Side
    unit: Unit


class PrisonerTaken(Event, frozen=True, tag="prisoner_taken"):
    """A prison takes in an arrested unit."""

    camp: Side
    unit: Unit


class UnitSent(Mail, frozen=True, tag="unit_sent"):
    """A unit on its way to another district (U20)."""

    camp: Side
    unit: Unit
    covered: bool


class UnitArrived(Event, frozen=True, tag="unit_arrived"):
    """A unit comes to a district."""

    camp: Side
    unit: Unit


class UnitLost(UnitFact, frozen=True, tag="unit_lost"):
    """A unit was on its way to a district that is no longer there."""

    void: ClassVar[bool] = True


class SearchCast(Mail, frozen=True, tag="search_cast"):
    """A search on its way to a district in its reach, its own included (U19): `origin` is where the searchers stand."""

    camp: Side
    origin: str
    subject: str
    units: Names
    card: str
    terms: tuple[Term, ...]


class SearchFound(Mail, frozen=True, tag="search_found"):
    """A search that orders asked for found something: its card's gains are due in its own district (U4)."""

    camp: Side
    subject: str
    card: str


class AuthorityClaimed(Event, frozen=True, tag="authority_claimed"):
    """A rally by authority counts on its side's Authority (K6, U17); `initiative` in hexadecimal."""

    camp: Side
    key: str
    initiative: str


class PrisonSeized(Event, frozen=True, tag="prison_seized"):
    """Whoever won the last assault in a district has its prison from the phase's end on (U16, U23)."""

    camp: Side
    district: str


class HidingTested(UnitFact, frozen=True, tag="hiding_tested"):
    """Whether a hidden unit that a fight counted is revealed (U24): a success reveals it."""

    outcome: Annotated[Outcome, OWN]
    roll: Annotated[PointsRoll, OWN]


class PrisonersFreed(UnitsFact, frozen=True, tag="prisoners_freed"):
    """A prison's holder changed: its prisoners of the new holder's side are free (U24)."""


class UnitsRecovered(UnitsFact, frozen=True, tag="units_recovered"):
    """Shaken units recover (U24)."""


class UnitsHealed(UnitsFact, frozen=True, tag="units_healed"):
    """Units at rest heal (U24): `wounds` each, as far as they have any."""

    wounds: Annotated[int, OWN]


class UnitRaised(SeenUnit, frozen=True, tag="unit_raised"):
    """A side raises a troop (U24); so reads the other side where it has an active unit."""

    sheet: Unit


class DistrictSettled(Event, frozen=True, tag="district_settled"):
    """The end of a district's tick: what lasts no longer is cleared, and what the verdict and the Heat need is counted.

    `people` are active units but buildings, `holds` the sides that still hold the district (U26), `active` the active
    Revolution units (U24).
    """

    district: str
    people: dict[Side, int]
    holds: tuple[Side, ...]
    active: int
