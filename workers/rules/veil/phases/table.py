"""The tick as a table, in V29's order, and its opening: the first drawing (V5)."""

from workers.kernel.phases import Homes, Phase, Shared, everybody
from workers.rules.veil.orders import ORDERS, Counter, Influence, Mission, Recovery, Support
from workers.rules.veil.phases import closing, common, counter, decay, intel, locks, mission, recovery, support

SETTLE_ZONES = Shared(common.settle_zones)

PHASES = (
    Phase(
        "intel",
        (
            Homes(intel.start, ORDERS),
            Shared(intel.gather),
            Homes(intel.answer, (Mission,), every=intel.newly_covered),
        ),
    ),
    Phase("support", (Homes(support.support, (Support,)), SETTLE_ZONES)),
    Phase("counter", (Homes(counter.counter, (Counter,)), SETTLE_ZONES)),
    Phase("mission", (Homes(mission.play, (Mission, Influence)), SETTLE_ZONES)),
    Phase("recovery", (Homes(recovery.recover, (Recovery,)), SETTLE_ZONES)),
    Phase("veil_decay", (Homes(decay.decay, every=everybody), Shared(decay.tell), Shared(decay.ebb))),
    Phase("locks", (Shared(locks.lock),)),
    Phase("events", (Shared(closing.inquest), Homes(closing.close, every=everybody), Shared(closing.report))),
)

OPENING = (Phase("events", (Homes(closing.close, every=everybody),)),)
