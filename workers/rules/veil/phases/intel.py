"""The intel phase (V26, V28): all orders are settled, intel is rolled; then missions answer and are revealed.

Its first superstep visits every servant with orders, whatever their kind, because what is void at the tick's start
(K6), and which missions are played (V29), must be known before anything else is rolled.
"""

from collections.abc import Iterator, Sequence

from workers.kernel.dice import Dice
from workers.kernel.events import Event, Mail
from workers.kernel.orders import Booked
from workers.kernel.phases import Sums
from workers.rules.veil.entities import City, Servant
from workers.rules.veil.entities import Mission as Held
from workers.rules.veil.events import Ask, Denied, IntelGot, IntelRolled, MissionSeen, OrderVoid, Ready, VoidReason
from workers.rules.veil.orders import AnyOrder, AtZone, Intel, Mission, OnMission
from workers.rules.veil.phases.common import Orders, Tick, acts, rewards_routine, roll_order, settle_zones
from workers.rules.veil.tables import ACTION_POINTS, COVERAGE_QUALITY, OPPONENT, RECOVERY, SUPPORTS_MAX


def start(home: Servant | None, orders: Orders, mail: Sequence[Mail], tick: Tick) -> Iterator[Event]:
    """Settle a servant's orders (K6), roll its intel, and ask the targets of its supports and counters (V25)."""
    if home is None or not acts(home):
        for booked in orders:
            yield OrderVoid(booked.camp, booked.home, booked.id, booked.order.KIND.name, "servant_gone")
        return
    unfit = misfits(home.pp, orders, tick.dice)
    for booked in orders:
        order = booked.order
        reason = unfit.get(booked.id) or obstacle(home, order, tick)
        if reason:
            yield OrderVoid(home.camp, home.id, booked.id, order.KIND.name, reason)
        elif isinstance(order, Intel):
            yield roll_intel(home, order, booked.id, tick)
        elif isinstance(order, OnMission):
            yield Ask(order.target, home.camp, home.id, booked.id, order.KIND.name, order.mission)


def misfits(pp: int, orders: Orders, dice: Dice) -> dict[str, VoidReason]:
    """The orders of a servant that don't fit together, with why: those kept are kept in ascending initiative (K6, V9).

    `pp`: its power points at the tick's start.
    """
    if _fit(pp, [booked.order for booked in orders]) is None:
        return {}
    found: dict[str, VoidReason] = {}
    kept: list[AnyOrder] = []
    for booked in sorted(orders, key=lambda booked: dice.initiative(booked.id)):
        problem = _fit(pp, [*kept, booked.order])
        if problem:
            found[booked.id] = problem
        else:
            kept.append(booked.order)
    return found


def _fit(pp: int, orders: Sequence[AnyOrder]) -> VoidReason | None:
    ap = spent = recoveries = 0
    for order in orders:
        ap += order.KIND.ap
        spent += order.pp
        recoveries += order.KIND is RECOVERY
    if ap > ACTION_POINTS:
        return "action_points"
    if spent > pp:
        return "power_points"
    return "one_recovery" if recoveries > 1 else None


def obstacle(home: Servant, order: AnyOrder, tick: Tick) -> VoidReason | None:
    """Why an order of its own can't be carried out at the tick's start (K6); None where nothing stands in its way.

    What stands in the way of a support or counter is its target's to say (`answer`).
    """
    if home.wounds >= tick.settings.wounds_max and order.KIND is not RECOVERY:
        return "wounds"
    if isinstance(order, AtZone):
        zone = tick.shared.zones.get(order.zone)
        if zone is None:
            return "zone_gone"
        return "sealed" if zone.sealed(tick.tick) else None
    if isinstance(order, Mission):
        held = home.mission(order.mission)
        if held is None:
            return "mission_gone"
        return "sealed" if tick.shared.zones[held.zone].sealed(tick.tick) else None
    return None


def roll_intel(home: Servant, order: Intel, order_id: str, tick: Tick) -> IntelRolled:
    """V26: a success gives intel, and a coverage from quality 4 on, or always for a servant of Yves (V7)."""
    roll = roll_order(home, order, order_id, order.KIND.pair, tick)
    any_success = tick.shared.superiors[home.superior].covers_on_any_success
    return IntelRolled(
        camp=home.camp,
        servant=home.id,
        order=order_id,
        outcome=roll.outcome,
        pp=order.pp,
        roll=roll,
        routine=roll.succeeded and rewards_routine(home, tick),
        zone=order.zone,
        coverage=roll.succeeded and (any_success or roll.quality >= COVERAGE_QUALITY),
    )


def gather(city: City, sums: Sums, tick: Tick) -> Iterator[Event]:
    """The camps' new intel (V6, V26), and what interventions moved (V15)."""
    for name in sorted(sums.highest):
        _, camp, zone = name.split("/")
        held = city.intel_of(camp, zone)
        alive = held is not None and held.coverage and held.fresh(tick.tick)
        new = sums.highest[name] > 1
        covered = tick.tick if new else (held.covered if held else 0)
        yield IntelGot(camp, zone, tick.tick + tick.settings.intel_ttl, new or alive, covered)
    yield from settle_zones(city, sums, tick)


def newly_covered(tick: Tick) -> bool:
    """Whether a coverage was set in this tick: then every servant is visited, for its missions may be revealed."""
    return any(held.covered == tick.tick for zones in tick.shared.intel.values() for held in zones.values())


def answer(home: Servant | None, orders: Orders, mail: Sequence[Mail], tick: Tick) -> Iterator[Event]:
    """A servant answers for its missions (V22, V25), on what was detected at the tick's start (V23, V28); then those in
    zones covered in this tick are revealed, before they are played (V26): those that its intel hasn't told yet."""
    asks = [letter for letter in mail if isinstance(letter, Ask)]
    if asks:
        yield from _answers(home if acts(home) else None, orders, asks, tick)
    if home is None or home.left:
        return
    enemy = OPPONENT[home.camp]
    for mission in home.missions:
        held = tick.shared.intel_of(enemy, mission.zone)
        if held is not None and held.covered == tick.tick and not mission.by_intel:
            yield MissionSeen(enemy, "revealed", mission.id, mission.zone, mission.approach, home.id)


def _answers(home: Servant | None, orders: Orders, asks: list[Ask], tick: Tick) -> Iterator[Event]:
    playing = set() if home is None else {_mission_of(booked) for booked in orders if booked.id not in home.void}
    ready: list[tuple[Ask, Held]] = []
    for ask in asks:
        mission = None if home is None else _known_to(home, ask)
        if mission is None:
            reason: VoidReason = "mission_gone" if ask.kind == "support" else "mission_unknown"
            yield Denied(ask.servant, ask.order, ask.kind, reason)
        elif tick.shared.zones[mission.zone].sealed(tick.tick):
            yield Denied(ask.servant, ask.order, ask.kind, "sealed")
        elif mission.id not in playing:
            yield Denied(ask.servant, ask.order, ask.kind, "lost")
        else:
            ready.append((ask, mission))
    late = _beyond_two([ask for ask, _ in ready if ask.kind == "support"], tick.dice)
    for ask, mission in ready:
        if ask.order in late:
            yield Denied(ask.servant, ask.order, ask.kind, "two_supports")
        else:
            yield Ready(ask.servant, ask.order, ask.kind, mission.zone, mission.approach)


def _mission_of(booked: Booked[AnyOrder, object]) -> str:
    return booked.order.mission if isinstance(booked.order, Mission) else ""


def _known_to(home: Servant, ask: Ask) -> Held | None:
    """The mission asked for: an ally's for a support, a detected enemy's for a counter (V22, V23)."""
    mission = home.mission(ask.mission)
    if mission is None or (ask.kind == "support") != (ask.camp == home.camp):
        return None
    return mission if ask.kind == "support" or mission.by_intel or mission.exposed else None


def _beyond_two(supports: list[Ask], dice: Dice) -> set[str]:
    """V22: the supports of one mission beyond the two lowest by initiative. A servant plays one mission a tick, so all
    that count support the same."""
    if len(supports) <= SUPPORTS_MAX:
        return set()
    ranked = sorted(supports, key=lambda ask: dice.initiative(ask.order))
    return {ask.order for ask in ranked[SUPPORTS_MAX:]}
