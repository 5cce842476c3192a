"""The crews (each a home), the coast (shared), and what one camp knows of them."""

from typing import Annotated

import msgspec

KEEPERS = "keepers"
SMUGGLERS = "smugglers"
CAMPS = (KEEPERS, SMUGGLERS)


class Settings(msgspec.Struct, frozen=True):
    """The numbers of a campaign."""

    sea: Annotated[int, msgspec.Meta(ge=0, le=20, description="what a landing must reach, beside its crates")] = 5
    watch: Annotated[int, msgspec.Meta(ge=1, le=20, description="what a watch must reach to see reason for light")] = 8
    to_land: Annotated[int, msgspec.Meta(ge=1, le=10_000, description="crates that the smugglers need")] = 12
    to_seize: Annotated[int, msgspec.Meta(ge=1, le=10_000, description="crates that the keepers need")] = 8


class Crew(msgspec.Struct, omit_defaults=True):
    """A boat of smugglers or a post of keepers; `ashore` is what it landed tonight, `shown` the cove where the other
    camp last saw it."""

    id: str
    camp: str
    cove: str
    skill: int
    crates: int = 0
    ashore: int = 0
    shown: str = ""


class Coast(msgspec.Struct, omit_defaults=True):
    """The coves, the score, and tonight's noise and lights by cove."""

    coves: tuple[str, ...]
    landed: int = 0
    seized: int = 0
    noise: dict[str, int] = {}
    lit: tuple[str, ...] = ()


class Glimpse(msgspec.Struct, frozen=True):
    """A crew as the other camp knows it: where it was last seen."""

    id: str
    camp: str
    cove: str


class SeenCoast(msgspec.Struct, frozen=True):
    """What everybody knows of the coast."""

    coves: tuple[str, ...]
    landed: int
    seized: int


def see(crew: Crew, coast: Coast, camp: str) -> Crew | Glimpse | None:
    """Its own crews a camp knows wholly, the others where they were last seen."""
    if crew.camp == camp:
        return crew
    return Glimpse(crew.id, crew.camp, crew.shown) if crew.shown else None


def see_coast(coast: Coast, camp: str) -> SeenCoast:
    """The score is public, tonight's noise is not."""
    return SeenCoast(coast.coves, coast.landed, coast.seized)
