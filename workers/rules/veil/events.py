"""What happens in the Veil, and who reads it (V34).

A servant's facts carry its camp in `camp` and are that camp's alone, so the other camp reads nothing of them. Events
of the shared record that carry a `camp` are that camp's intelligence: every actor of the camp reads them (V6: intel is
held by a whole camp).
"""

from typing import Annotated, ClassVar, Literal

import msgspec

from workers.kernel.events import OWN, PUBLIC, PUBLIC_FACT, Event, Mail
from workers.rules.veil.amendments import ServantJoined, ServantLeft, ZoneCorrected
from workers.rules.veil.influence import Gain
from workers.rules.veil.roll import Outcome, Roll
from workers.rules.veil.tables import Approach, KindName, Power

VoidReason = Literal[
    "action_points",
    "power_points",
    "one_recovery",
    "wounds",
    "servant_gone",
    "mission_gone",
    "mission_unknown",
    "zone_gone",
    "sealed",
    "two_supports",
]
"""Why an order is void (K6, V9, V19, V22, V23)."""
JudgedOutcome = Literal["success", "halved", "cancelled", "failure"]
MissionOutcome = Literal["success", "halved", "cancelled", "failure", "own_intervention", "enemy_intervention"]


class OfServant(Event, frozen=True):
    """A fact on one servant, for its camp."""

    camp: Annotated[str, OWN]
    servant: Annotated[str, OWN]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The servant."""
        return (self.servant,)


class OrderVoid(OfServant, frozen=True, tag="order_void"):
    """An order that couldn't be carried out (K6): nothing was rolled or spent."""

    void: ClassVar[bool] = True
    order: Annotated[str, OWN]
    kind: Annotated[KindName, OWN]
    reason: Annotated[VoidReason, OWN]


class OrderLost(OfServant, frozen=True, tag="order_lost"):
    """A support or counter whose mission wasn't played (V25): its action points are gone, nothing was rolled."""

    order: Annotated[str, OWN]
    kind: Annotated[KindName, OWN]
    mission: Annotated[str, OWN]


class Rolled(OfServant, frozen=True):
    """What every roll of an order says: the order, the power points spent, the roll; each kind adds what came of it."""

    order: Annotated[str, OWN]
    pp: Annotated[int, OWN]
    roll: Annotated[Roll, OWN]
    routine: Annotated[bool, OWN]
    """Whether the success is remembered for the routine bonus (V7)."""


class IntelRolled(Rolled, frozen=True, tag="intel_rolled"):
    """An intel order (V26)."""

    outcome: Annotated[Outcome, OWN]
    zone: Annotated[str, OWN]
    coverage: Annotated[bool, OWN]


class SupportRolled(Rolled, frozen=True, tag="support_rolled"):
    """A support (V22)."""

    outcome: Annotated[Outcome, OWN]
    target: Annotated[str, OWN]
    mission: Annotated[str, OWN]
    zone: Annotated[str, OWN]


class CounterRolled(Rolled, frozen=True, tag="counter_rolled"):
    """A counter-mission's own roll (V24); its verdict is `CounterJudged`."""

    outcome: Annotated[Outcome, OWN]
    target: Annotated[str, OWN]
    mission: Annotated[str, OWN]
    zone: Annotated[str, OWN]


class MissionPlayed(Rolled, frozen=True, tag="mission_played"):
    """A mission (V16–V24): `outcome` is what came of it after supports and counters.

    `quality` is the final one, 0 on a failure; `gain` is None where nothing was gained by V16. `exposure` is what the
    servant gained, `rating` and `wounds` what it has now, `chains` whether a mission follows in this tick's events.
    """

    outcome: Annotated[MissionOutcome, OWN]
    mission: Annotated[str, OWN]
    zone: Annotated[str, OWN]
    approach: Annotated[Approach, OWN]
    supports: Annotated[int, OWN]
    quality: Annotated[int, OWN]
    gain: Annotated[Gain | None, OWN]
    exposure: Annotated[int, OWN]
    rating: Annotated[int, OWN]
    wounds: Annotated[int, OWN]
    chains: Annotated[bool, OWN]


class InfluencePlayed(Rolled, frozen=True, tag="influence_played"):
    """An influence order (V16–V20). `gain` is None where an intervention took its place."""

    outcome: Annotated[Outcome, OWN]
    zone: Annotated[str, OWN]
    gain: Annotated[Gain | None, OWN]
    exposure: Annotated[int, OWN]


class RecoveryRolled(Rolled, frozen=True, tag="recovery_rolled"):
    """A recovery (V30): what was gained, and the power points and wounds that the servant has now."""

    outcome: Annotated[Outcome, OWN]
    gained: Annotated[int, OWN]
    pp_now: Annotated[int, OWN]
    wounds: Annotated[int, OWN]


class CounterJudged(Event, frozen=True, tag="counter_judged"):
    """What a countering camp reads of the mission (V24), whether its own roll succeeded or not: it was played, its
    outcome (success, halved, cancelled, failure), and its final quality (None on a failure). `servant` countered."""

    camp: Annotated[str, OWN]
    servant: Annotated[str, OWN]
    order: Annotated[str, OWN]
    mission: Annotated[str, OWN]
    outcome: Annotated[JudgedOutcome, OWN]
    quality: Annotated[int | None, OWN]
    played: Annotated[bool, OWN] = True

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The servant that countered."""
        return (self.servant,)


class Ask(Mail, frozen=True, tag="ask"):
    """A support or counter asks its target whether the mission is played (V25)."""

    camp: str
    servant: str
    order: str
    kind: KindName
    mission: str


class Ready(Mail, frozen=True, tag="ready"):
    """The target's answer: the mission is played, and the order counts."""

    order: str
    kind: KindName
    zone: str
    approach: Approach


class Denied(Mail, frozen=True, tag="denied"):
    """The target's answer: the order is lost (V25), or void for a reason (K6)."""

    order: str
    kind: KindName
    reason: VoidReason | Literal["lost"]


class Supported(Mail, frozen=True, tag="supported"):
    """A support succeeded (V22)."""

    mission: str
    order: str


class Countered(Mail, frozen=True, tag="countered"):
    """A counter was rolled (V24): its quality, 0 where it failed."""

    camp: str
    servant: str
    order: str
    mission: str
    quality: int


class MissionSeen(Event, frozen=True, tag="mission_seen"):
    """`camp` detects an enemy mission. `cause`: revealed by a coverage (V26), intercepted (V27), or exposed (V2)."""

    camp: Annotated[str, OWN]
    cause: Annotated[Literal["revealed", "intercepted", "exposed"], OWN]
    mission: Annotated[str, OWN]
    zone: Annotated[str, OWN]
    approach: Annotated[Approach, OWN]
    servant: Annotated[str, OWN]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The whole camp's."""
        return PUBLIC_FACT


class MissionForgotten(Event, frozen=True, tag="mission_forgotten"):
    """The other camp's detection of a mission ends: its intel is stale (V23), or the servant exposed no more (V2)."""

    servant: str
    mission: str
    by_intel: bool
    """Whether the detection by intel ends; otherwise the one by exposure."""


class IntelGot(Event, frozen=True, tag="intel_got"):
    """A camp's intel on a zone, renewed (V6, V26)."""

    camp: Annotated[str, OWN]
    zone: Annotated[str, OWN]
    through: Annotated[int, OWN]
    coverage: Annotated[bool, OWN]
    covered: Annotated[int, OWN]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The whole camp's."""
        return PUBLIC_FACT


class IntelStale(Event, frozen=True, tag="intel_stale"):
    """A camp's intel on a zone was fresh for the last time; its coverage, if it had one, ends with it (V6)."""

    camp: Annotated[str, OWN]
    zone: Annotated[str, OWN]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The whole camp's."""
        return PUBLIC_FACT


class ZoneReport(Event, frozen=True, tag="zone_report"):
    """What fresh intel shows at a tick's end (V28, V34): the influence, and what moved it in the tick: the camp's own
    points and the other's, each towards its side, and the interventions."""

    camp: Annotated[str, OWN]
    zone: Annotated[str, OWN]
    tick: Annotated[int, OWN]
    influence: Annotated[int, OWN]
    own: Annotated[int, OWN]
    other: Annotated[int, OWN]
    divine: Annotated[int, OWN]
    satanic: Annotated[int, OWN]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The whole camp's."""
        return PUBLIC_FACT


class Intervention(Event, frozen=True, tag="intervention"):
    """A power intervened (V15): which, and in which zone (none for a recovery). Nobody reads by whose roll, nor, since
    all of a tick are told in one phase, by which kind of order."""

    cause: Annotated[Power, PUBLIC]
    zone: Annotated[str | None, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """Public."""
        return PUBLIC_FACT


class ZoneMoved(Event, frozen=True, tag="zone_moved"):
    """What a phase did to a zone: points by camp, interventions, noise; and the influence after (V21)."""

    zone: str
    angel: int
    demon: int
    divine: int
    satanic: int
    noise: int
    influence: int


class VeilTorn(Event, frozen=True, tag="veil_torn"):
    """What a phase adds to the tick's interventions and exposure (V31); `divine` and `satanic` are those of the
    interventions that are in no zone, a recovery's (V15)."""

    interventions: int
    exposure: int
    divine: int
    satanic: int


class Decayed(OfServant, frozen=True, tag="decayed"):
    """A servant's exposure and rating after the veil's decay (V2)."""

    exposure: Annotated[int, OWN]
    rating: Annotated[int, OWN]


class Settled(Event, frozen=True, tag="settled"):
    """A servant's tick is over, with nothing to decay: what lives within a tick is cleared."""

    servant: str


class MissionHeld(OfServant, frozen=True, tag="mission_held"):
    """A tick that doesn't count for a mission's patience: its zone was sealed (V5)."""

    mission: Annotated[str, OWN]
    zone: Annotated[str, OWN]


class VeilDecayed(Event, frozen=True, tag="veil_decayed"):
    """The strain: what it gained (V31's terms), what the decay leaves of it and of each noisy zone's noise."""

    interventions: int
    exposure: int
    servants: int
    gained: int
    strain: int
    noise: tuple[tuple[str, int], ...]


class SealLifted(Event, frozen=True, tag="seal_lifted"):
    """A zone's seal ends (V32)."""

    zone: Annotated[str, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """Public."""
        return PUBLIC_FACT


class ZoneSealed(Event, frozen=True, tag="zone_sealed"):
    """A zone is sealed from the next tick through `through`; `cause`: noise (V32) or inquest (V33)."""

    cause: Annotated[Literal["noise", "inquest"], PUBLIC]
    zone: Annotated[str, PUBLIC]
    through: Annotated[int, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """Public."""
        return PUBLIC_FACT


class Draw(msgspec.Struct, frozen=True, gc=False):
    """A uniform draw as it is recorded (K2): an integer 0..below-1 of a path."""

    path: str
    below: int
    value: int


class InquestDrawn(Event, frozen=True, tag="inquest_drawn"):
    """Whether there is an inquest (V33, K5): there is when draw + 1 ≤ chance and some open zone is noisy."""

    chance: int
    draw: Draw
    zone: str | None


class MissionLapsed(OfServant, frozen=True, tag="mission_lapsed"):
    """A mission that waited too long (V5); `rating` is what the servant has now."""

    mission: Annotated[str, OWN]
    zone: Annotated[str, OWN]
    rating: Annotated[int, OWN]


class MissionAssigned(OfServant, frozen=True, tag="mission_assigned"):
    """A new mission; `cause`: drawn (V33, with its draws) or chained (V14)."""

    cause: Annotated[Literal["drawn", "chained"], OWN]
    mission: Annotated[str, OWN]
    zone: Annotated[str, OWN]
    approach: Annotated[Approach, OWN]
    base: Annotated[int, OWN]
    chain: Annotated[int, OWN]
    tick: Annotated[int, OWN]
    draws: Annotated[tuple[Draw, ...], OWN] = ()


class ChainBroken(OfServant, frozen=True, tag="chain_broken"):
    """A mission would have chained, but its zone is sealed in the next tick (V14)."""

    zone: Annotated[str, OWN]


class TickClosed(Event, frozen=True, tag="tick_closed"):
    """The tick is over: what the city keeps within a tick is cleared."""

    tick: int


class CorrectionTold(Event, frozen=True, tag="correction_told"):
    """The operator set a zone's influence in this tick; to what, only fresh intel shows (V34)."""

    zone: Annotated[str, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        """Public."""
        return PUBLIC_FACT


class ServantCounted(OfServant, frozen=True, tag="servant_counted"):
    """A servant that joined in this tick takes its place; it acts from the next tick on."""

    pp: Annotated[int, OWN]


class ServantRefused(OfServant, frozen=True, tag="servant_refused"):
    """A servant that an amendment added can't be one: it is taken away again."""

    reason: Annotated[Literal["left", "name", "superior", "stats"], OWN]


class ServantDeparted(OfServant, frozen=True, tag="servant_departed"):
    """A servant that left is gone."""


EVENTS: tuple[type[Event], ...] = (
    OrderVoid,
    OrderLost,
    IntelRolled,
    SupportRolled,
    CounterRolled,
    MissionPlayed,
    InfluencePlayed,
    RecoveryRolled,
    CounterJudged,
    Ask,
    Ready,
    Denied,
    Supported,
    Countered,
    MissionSeen,
    MissionForgotten,
    IntelGot,
    IntelStale,
    ZoneReport,
    Intervention,
    ZoneMoved,
    VeilTorn,
    Decayed,
    Settled,
    MissionHeld,
    VeilDecayed,
    SealLifted,
    ZoneSealed,
    InquestDrawn,
    MissionLapsed,
    MissionAssigned,
    ChainBroken,
    TickClosed,
    ServantJoined,
    ServantLeft,
    ZoneCorrected,
    CorrectionTold,
    ServantCounted,
    ServantRefused,
    ServantDeparted,
)
