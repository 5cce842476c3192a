"""Whether an order is accepted, on what its camp knows (V9, V22, V23, V36).

What isn't known is refused with the same code, field and words as what isn't there (K7). A sealed zone is no reason:
the order is booked, and void if the zone still is sealed at its phase (V19).
"""

from workers.kernel.entities import Reads
from workers.kernel.errors import Refusal
from workers.kernel.orders import Booking, Cost
from workers.rules.veil.orders import AnyOrder, Counter, Mission, Recovery, Support
from workers.rules.veil.see import DetectedMission, DetectedServant, OwnServant, VeilView
from workers.rules.veil.tables import ACTION_POINTS, RECOVERY


def reads(order: AnyOrder) -> Reads:
    """The servant that acts and, for a support or counter, the one whose mission it is."""
    return Reads(order.homes())


def commands(order: AnyOrder) -> tuple[str, ...]:
    """The servant that acts."""
    return (order.servant,)


def check(order: AnyOrder, view: VeilView) -> Booking | tuple[Refusal, ...]:
    """A booking with what it costs (V8, V9), or why not."""
    servant = view.homes.get(order.servant)
    if not isinstance(servant, OwnServant):
        accepted = "a servant of your camp"
        return (Refusal("unknown_servant", "servant", accepted=accepted, values={"servant": order.servant}),)
    refusals = []
    if servant.wounds >= view.settings.wounds_max and not isinstance(order, Recovery):
        values: dict[str, str | int] = {"servant": order.servant, "wounds": servant.wounds}
        refusals.append(Refusal("too_wounded", accepted="a recovery", values=values))
    refused = _refuse_object(order, servant, view)
    if refused is not None:
        refusals.append(refused)
    return tuple(refusals) or Booking(order.servant, _costs(order, servant))


def _costs(order: AnyOrder, servant: OwnServant) -> tuple[Cost, ...]:
    costs = [Cost("ap", order.KIND.ap, ACTION_POINTS)]
    if order.pp:
        costs.append(Cost("pp", order.pp, servant.pp))
    if order.KIND is RECOVERY:
        costs.append(Cost("recovery", 1, 1))
    return tuple(costs)


def _refuse_object(order: AnyOrder, servant: OwnServant, view: VeilView) -> Refusal | None:
    if isinstance(order, Mission):
        return _refuse_own_mission(order, servant)
    if isinstance(order, Support):
        return _refuse_support(order, view)
    if isinstance(order, Counter):
        return _refuse_counter(order, view)
    if isinstance(order, Recovery) or order.zone in view.shared.zones:
        return None
    return Refusal("unknown_zone", "zone", accepted="a zone of the city", values={"zone": order.zone})


def _refuse_own_mission(order: Mission, servant: OwnServant) -> Refusal | None:
    if order.mission in [mission.id for mission in servant.missions]:
        return None
    accepted = ", ".join(mission.id for mission in servant.missions) or "none: this servant has no mission"
    values: dict[str, str | int] = {"servant": order.servant, "mission": order.mission}
    return Refusal("unknown_mission", "mission", accepted=accepted, values=values)


def _refuse_support(order: Support, view: VeilView) -> Refusal | None:
    if order.target == order.servant:
        return Refusal("own_mission", "target", accepted="an ally", values={"servant": order.servant})
    target = view.homes.get(order.target)
    if not isinstance(target, OwnServant):
        accepted = "a servant of your camp"
        return Refusal("unknown_servant", "target", accepted=accepted, values={"servant": order.target})
    if any(mission.id == order.mission for mission in target.missions):
        return None
    accepted = ", ".join(mission.id for mission in target.missions) or "none: this servant has no mission"
    values: dict[str, str | int] = {"servant": order.target, "mission": order.mission}
    return Refusal("unknown_mission", "mission", accepted=accepted, values=values)


def _refuse_counter(order: Counter, view: VeilView) -> Refusal | None:
    target = view.homes.get(order.target)
    if isinstance(target, DetectedServant) and any(
        mission.id == order.mission and _still_detected(mission, view) for mission in target.missions
    ):
        return None
    accepted = "an enemy mission that your camp has detected in an earlier tick"
    values: dict[str, str | int] = {"target": order.target, "mission": order.mission}
    return Refusal("undetected_mission", "mission", accepted=accepted, values=values)


def _still_detected(mission: DetectedMission, view: VeilView) -> bool:
    """Whether the detection holds in the tick that takes orders: one by intel lasts while that is fresh (V23)."""
    fresh_through = view.shared.zones[mission.zone].fresh_through
    return mission.exposed or (fresh_through is not None and fresh_through >= view.tick)
