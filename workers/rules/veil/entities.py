"""The Veil's records at rest: servants with their missions (homes), and the city (shared). V1, V2, V4–V7."""

from typing import Annotated

import msgspec

from workers.rules.veil.tables import Affinity, Approach, Camp, Relation

Stat = Annotated[int, msgspec.Meta(ge=0, le=10)]
"""A characteristic or talent; the setting `characteristic_max` bounds it further."""


class Mission(msgspec.Struct, gc=False, omit_defaults=True):
    """A mission in preparation (V5)."""

    id: str
    zone: str
    approach: Approach
    base: int
    """The base of its influence gain (V16)."""
    assigned: int
    """The tick in whose events phase it was assigned."""
    chain: int = 0
    """How many chained missions since the drawn one (V14): 0 for the drawn one itself."""
    held: int = 0
    """Ticks that don't count as waiting, because its zone was sealed (V5)."""
    by_intel: bool = False
    """Whether the other camp has detected it by V26 or V27."""
    exposed: bool = False
    """Whether the other camp has detected it by V2, for the tick that comes."""


class Chain(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The mission that this tick's success brings with it in the events phase (V14)."""

    zone: str
    approach: Approach
    base: int
    chain: int


class Servant(msgspec.Struct, gc=False, omit_defaults=True):
    """A servant (V1, V2). The last seven fields live within a tick and are empty between ticks."""

    id: str
    camp: Camp
    superior: str
    body: Stat = 0
    mind: Stat = 0
    soul: Stat = 0
    speech: Stat = 0
    violence: Stat = 0
    stealth: Stat = 0
    smooth_talk: Stat = 0
    occult: Stat = 0
    machines: Stat = 0
    investigation: Stat = 0
    pp: int = 0
    wounds: int = 0
    exposure: int = 0
    rating: int = 0
    succeeded: tuple[str, ...] = ()
    """The kinds of order that succeeded in the tick before (V7); kept only where the Superior rewards routine."""
    missions: list[Mission] = []
    successes: tuple[str, ...] = ()
    """The same for the tick under way."""
    played: bool = False
    """Whether it played a mission in this tick."""
    chain: Chain | None = None
    void: list[str] = []
    """Those of its missions, influences and recoveries of this tick that were void from the start (K6)."""
    joined: bool = False
    """Added by an amendment of this tick: not yet counted, and not yet acting."""
    left: bool = False
    """Taken away by an amendment of this tick: no longer acting, not yet discounted."""

    def mission(self, mission: str) -> Mission | None:
        """One of its missions, by id."""
        for held in self.missions:
            if held.id == mission:
                return held
        return None


class Weights(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How often a Superior hands out each approach, in V10's order (V7)."""

    violent: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    stealthy: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    social: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    occult: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    technical: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    slow_infiltration: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0

    def total(self) -> int:
        """The sum of the weights."""
        return self.violent + self.stealthy + self.social + self.occult + self.technical + self.slow_infiltration


class Superior(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A Superior (V7)."""

    id: str
    name: str
    camp: Camp
    weights: Weights
    mission_base: Annotated[int, msgspec.Meta(ge=1, le=15)] = 12
    covers_on_any_success: bool = False
    routine: bool = False


class Zone(msgspec.Struct, omit_defaults=True):
    """A zone (V4). The last five fields hold what moved it in this tick, and are empty between ticks."""

    id: str
    name: str
    affinity: Affinity = "neutral"
    dormitory: bool = False
    influence: int = 0
    noise: int = 0
    sealed_through: int = 0
    """The last tick of its seal; 0 when it isn't sealed."""
    moved_angel: int = 0
    """Points moved by the angels' orders, towards the angels."""
    moved_demon: int = 0
    """Points moved by the demons' orders, towards the demons."""
    divine: int = 0
    """Divine interventions."""
    satanic: int = 0
    """Satanic interventions."""
    corrected: bool = False
    """Its influence was set by an amendment."""

    def sealed(self, tick: int) -> bool:
        """Whether no order can act here in a tick (V19)."""
        return self.sealed_through >= tick

    def affinity_to(self, camp: str) -> Relation:
        """`own`, `neutral` or `opposed` (V17)."""
        if self.affinity == "neutral":
            return "neutral"
        return "own" if self.affinity == camp else "opposed"


class Intel(msgspec.Struct, omit_defaults=True):
    """What a camp knows of a zone (V6, V34)."""

    through: int
    """The last tick in which it's fresh."""
    coverage: bool = False
    """Whether a coverage was set; it lasts as long as the intel is fresh."""
    covered: int = 0
    """The tick in which a coverage was last set."""
    influence: int = 0
    """The last influence known."""
    known: int = 0
    """The tick at whose end it was that."""

    def fresh(self, tick: int) -> bool:
        """Whether it's fresh in a tick."""
        return self.through >= tick


class City(msgspec.Struct, omit_defaults=True, dict=True):
    """What is few and read by all: zones, Superiors, each camp's intel, the veil's strain (V31).

    `dict=True` makes room for the one derived value that is kept beside the fields (`open_zones`); it is never encoded.
    """

    zones: dict[str, Zone]
    superiors: dict[str, Superior]
    servants: int
    """Servants of both camps."""
    strain: int = 0
    intel: dict[str, dict[str, Intel]] = {}
    """By camp and zone."""
    interventions: int = 0
    """Interventions of this tick so far."""
    exposure: int = 0
    """Exposure gained in this tick so far."""
    divine: int = 0
    """Divine interventions of this tick in no zone: a recovery's (V15)."""
    satanic: int = 0
    """The same, satanic."""

    def intel_of(self, camp: str, zone: str) -> Intel | None:
        """What a camp holds on a zone, fresh or not."""
        held = self.intel.get(camp)
        return None if held is None else held.get(zone)

    def open_zones(self, tick: int) -> tuple[str, ...]:
        """The ids of the zones that aren't sealed in a tick, ascending (V33). Worked out once for all servants."""
        kept: tuple[int, tuple[str, ...]] | None = self.__dict__.get("_open")
        if kept is None or kept[0] != tick:
            kept = tick, tuple(sorted(key for key, zone in self.zones.items() if not zone.sealed(tick)))
            self.__dict__["_open"] = kept
        return kept[1]

    def set_seal(self, zone: str, through: int) -> None:
        """Seal a zone through a tick; 0 lifts its seal."""
        self.zones[zone].sealed_through = through
        self.__dict__.pop("_open", None)
