"""What happens on the coast, and who may read it."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import msgspec

from workers.kernel.engine import Evolve, Tally
from workers.kernel.events import OWN, PUBLIC, PUBLIC_FACT, Event, Mail
from workers.kernel.odds import Term
from workers.kernel.phases import Sums

from .entities import Coast, Crew

Surf = Literal["ashore", "swamped"]
Light = Literal["lit", "dark"]


class Roll(msgspec.Struct, frozen=True):
    """A roll, with all that a person needs to check it by hand."""

    path: str
    dice: tuple[int, ...]
    terms: tuple[Term, ...]
    total: int
    threshold: int
    outcome: str


class CrewEvent(Event, frozen=True):
    """A fact about one crew, for its own camp."""

    camp: Annotated[str, OWN]
    crew: Annotated[str, OWN]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The crew, for its own camp."""
        return (self.crew,) if camp == self.camp else ()


class Stowed(CrewEvent, frozen=True, tag="stowed"):
    """A boat has crates in its hold when the campaign begins."""

    path: Annotated[str, OWN]
    crates: Annotated[int, OWN]


class Joined(CrewEvent, frozen=True, tag="joined"):
    """An operator sent a crew to the coast."""

    cove: Annotated[str, OWN]
    skill: Annotated[int, OWN]
    crates: Annotated[int, OWN] = 0


class Rowed(CrewEvent, frozen=True, tag="rowed"):
    """A crew rowed to another cove."""

    cove: Annotated[str, OWN]


class Given(CrewEvent, frozen=True, tag="given"):
    """Crates left a boat for another."""

    to: Annotated[str, OWN]
    crates: Annotated[int, OWN]


class Handed(Mail, frozen=True, tag="handed"):
    """Crates on their way to another boat."""

    camp: str
    crates: int


class Taken(CrewEvent, frozen=True, tag="taken"):
    """Crates came aboard."""

    crates: Annotated[int, OWN]


class Adrift(CrewEvent, frozen=True, tag="adrift"):
    """Crates were handed to a boat that isn't there."""

    crates: Annotated[int, OWN]


class Landing(CrewEvent, frozen=True, tag="landing"):
    """Crates were carried ashore, or lost in the surf."""

    cove: Annotated[str, OWN]
    crates: Annotated[int, OWN]
    outcome: Annotated[Surf, OWN]
    roll: Annotated[Roll, OWN]


class Watching(CrewEvent, frozen=True, tag="watching"):
    """A crew listened, and lit its lantern or saw no reason to."""

    cove: Annotated[str, OWN]
    outcome: Annotated[Light, OWN]
    roll: Annotated[Roll, OWN]


class Safe(CrewEvent, frozen=True, tag="safe"):
    """Crates were gone from the beach before anybody saw them."""

    crates: Annotated[int, OWN]


class Seized(CrewEvent, frozen=True, tag="seized"):
    """Crates were found on a lit beach: everybody knows whose."""

    camp: Annotated[str, PUBLIC]
    crew: Annotated[str, PUBLIC]
    cove: Annotated[str, PUBLIC]
    crates: Annotated[int, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """Public."""
        return PUBLIC_FACT


class OrderVoid(CrewEvent, frozen=True, tag="order_void"):
    """An order that can't be carried out any more."""

    void: ClassVar[bool] = True
    order: Annotated[str, OWN]
    reason: Annotated[Literal["gone", "apart", "short"], OWN]


class Heard(Event, frozen=True, tag="heard"):
    """The noise in a cove: nobody reads it, the watch listens to it."""

    cove: str
    noise: int


class Lights(Event, frozen=True, tag="lights"):
    """A lantern shines over a cove."""

    cove: Annotated[str, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """Public."""
        return PUBLIC_FACT


class Dawn(Event, frozen=True, tag="dawn"):
    """The score of the night."""

    landed: Annotated[int, PUBLIC]
    seized: Annotated[int, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """Public."""
        return PUBLIC_FACT


EVENTS = (
    Stowed,
    Joined,
    Rowed,
    Given,
    Handed,
    Taken,
    Adrift,
    Landing,
    Watching,
    Safe,
    Seized,
    OrderVoid,
    Heard,
    Lights,
    Dawn,
)


def _joined(crew: Crew | None, event: Joined) -> Crew:
    return Crew(event.crew, event.camp, event.cove, event.skill, event.crates)


def _rowed(crew: Crew, event: Rowed) -> Crew:
    crew.cove = event.cove
    return crew


def _more(crew: Crew, event: Stowed | Taken) -> Crew:
    crew.crates += event.crates
    return crew


def _given(crew: Crew, event: Given) -> Crew:
    crew.crates -= event.crates
    return crew


def _landed(crew: Crew, event: Landing) -> Crew:
    crew.crates -= event.crates
    crew.ashore = event.crates if event.outcome == "ashore" else 0
    return crew


def _watched(crew: Crew, event: Watching) -> Crew:
    crew.shown = event.cove if event.outcome == "lit" else crew.shown
    return crew


def _safe(crew: Crew, event: Safe) -> Crew:
    crew.ashore = 0
    return crew


def _seized(crew: Crew, event: Seized) -> Crew:
    crew.ashore = 0
    crew.shown = event.cove
    return crew


EVOLVE: Mapping[type[Event], Evolve] = {
    Stowed: _more,
    Joined: _joined,
    Rowed: _rowed,
    Given: _given,
    Taken: _more,
    Landing: _landed,
    Watching: _watched,
    Safe: _safe,
    Seized: _seized,
}


def _heard(coast: Coast, event: Heard) -> None:
    coast.noise[event.cove] = event.noise


def _lights(coast: Coast, event: Lights) -> None:
    coast.lit = (*coast.lit, event.cove)


def _dawn(coast: Coast, event: Dawn) -> None:
    coast.landed += event.landed
    coast.seized += event.seized
    coast.noise = {}
    coast.lit = ()


EVOLVE_COAST: Mapping[type[Event], Evolve] = {Heard: _heard, Lights: _lights, Dawn: _dawn}


def _noise(event: Landing, sums: Sums) -> None:
    sums.add(f"noise/{event.cove}", event.crates)


def _light(event: Watching, sums: Sums) -> None:
    if event.outcome == "lit":
        sums.maximum(f"lit/{event.cove}", 1)


TALLY: Mapping[type[Event], Tally] = {
    Landing: _noise,
    Watching: _light,
    Safe: lambda event, sums: sums.add("landed", event.crates),
    Seized: lambda event, sums: sums.add("seized", event.crates),
}
