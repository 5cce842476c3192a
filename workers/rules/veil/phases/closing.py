"""The events phase (V33): inquest, lapses, chains, drawings, interceptions; and what fresh intel shows at the end.

Lapses don't bear on the inquest, so the inquest, which is the city's, comes first, and all that is a servant's follows
in one visit.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from workers.kernel.events import Event, Mail
from workers.kernel.phases import Sums
from workers.rules.veil.entities import City, Servant, Weights
from workers.rules.veil.entities import Mission as Held
from workers.rules.veil.events import (
    ChainBroken,
    Draw,
    InquestDrawn,
    IntelStale,
    MissionAssigned,
    MissionForgotten,
    MissionLapsed,
    MissionSeen,
    TickClosed,
    ZoneReport,
    ZoneSealed,
)
from workers.rules.veil.phases.common import Orders, Tick
from workers.rules.veil.tables import APPROACHES, CAMPS, OPPONENT, Approach

INQUEST: Final = "inquest"


def inquest(city: City, sums: Sums, tick: Tick) -> Iterator[Event]:
    """With a chance of the strain in points (K5), seal the noisiest zone open in the next tick (ties: lowest id)."""
    path = f"events/{tick.ids.handle(INQUEST)}/draw"
    draw = Draw(path, 100, tick.dice.below(path, 100))
    zone = noisiest(city, tick.tick + 1) if draw.value + 1 <= city.strain else None
    yield InquestDrawn(city.strain, draw, zone)
    if zone is not None:
        yield ZoneSealed(INQUEST, zone, tick.tick + tick.settings.inquest_ticks)


def noisiest(city: City, tick: int) -> str | None:
    """The noisiest of the zones open in a tick, of noise 1 or more; the lowest id of several."""
    noisy = [key for key in city.open_zones(tick) if city.zones[key].noise]
    return min(noisy, key=lambda key: (-city.zones[key].noise, key), default=None)


def close(home: Servant | None, orders: Orders, mail: Sequence[Mail], tick: Tick) -> Iterator[Event]:
    """A servant's events: lapses, its chained mission, a drawing, and what the other camp then detects or forgets."""
    if home is None:
        return
    yield from lapses(home, tick)
    yield from assignments(home, tick)
    yield from detections(home, tick)


def lapses(home: Servant, tick: Tick) -> Iterator[Event]:
    """V5: missions that have waited `mission_patience` ticks lapse, and the rating falls."""
    settings = tick.settings
    for mission in list(home.missions):
        if tick.tick - mission.assigned - mission.held >= settings.mission_patience:
            rating = max(-settings.rating_max, home.rating - settings.lapse_rating)
            yield MissionLapsed(home.camp, home.id, mission.id, mission.zone, rating)


def assignments(home: Servant, tick: Tick) -> Iterator[Event]:
    """V14 and V33: the chained mission, unless its zone is sealed in the next tick; then a drawing for a servant with
    no mission, unless every zone is. What is assigned is intercepted where the other camp's coverage is alive (V27)."""
    new = None
    if home.chain is not None:
        if tick.shared.zones[home.chain.zone].sealed(tick.tick + 1):
            yield ChainBroken(home.camp, home.id, home.chain.zone)
        else:
            yield (new := chained(home, tick))
    if not home.missions:
        drawn = draw(home, tick)
        if drawn is not None:
            yield (new := drawn)
    if new is not None:
        enemy = OPPONENT[home.camp]
        held = tick.shared.intel_of(enemy, new.zone)
        if held is not None and held.coverage and held.fresh(tick.tick):
            yield MissionSeen(enemy, "intercepted", new.mission, new.zone, new.approach, home.id)


def chained(home: Servant, tick: Tick) -> MissionAssigned:
    """V14: same zone, same approach, a higher base."""
    chain = home.chain
    assert chain is not None
    base = max(chain.base, min(tick.settings.chain_base_max, chain.base + tick.settings.chain_base_gain))
    return MissionAssigned(
        camp=home.camp,
        servant=home.id,
        cause="chained",
        mission=tick.ids.created("mission", tick.tick, home.id),
        zone=chain.zone,
        approach=chain.approach,
        base=base,
        chain=chain.chain + 1,
        tick=tick.tick,
    )


def draw(home: Servant, tick: Tick) -> MissionAssigned | None:
    """V33: a mission from the Superior, in a zone drawn from those open in the next tick; None if all are sealed."""
    zones = tick.shared.open_zones(tick.tick + 1)
    if not zones:
        return None
    superior = tick.shared.superiors[home.superior]
    handle = tick.ids.handle(home.id)
    zone = _draw(f"events/{handle}/zone", len(zones), tick)
    approach = _draw(f"events/{handle}/approach", superior.weights.total(), tick)
    return MissionAssigned(
        camp=home.camp,
        servant=home.id,
        cause="drawn",
        mission=tick.ids.created("mission", tick.tick, home.id),
        zone=zones[zone.value],
        approach=approach_of(superior.weights, approach.value),
        base=superior.mission_base,
        chain=0,
        tick=tick.tick,
        draws=(zone, approach),
    )


def _draw(path: str, below: int, tick: Tick) -> Draw:
    return Draw(path, below, tick.dice.below(path, below))


def approach_of(weights: Weights, value: int) -> Approach:
    """V29: the first approach, in V10's order, whose cumulated weight exceeds the value."""
    cumulated = 0
    for approach, weight in zip(APPROACHES, msgspec.structs.astuple(weights), strict=True):
        cumulated += weight
        if cumulated > value:
            return approach
    raise ValueError(f"a value below {cumulated}, got {value}")


def detections(home: Servant, tick: Tick) -> Iterator[Event]:
    """What the other camp detects by exposure for the next tick (V2), and what it forgets: detections by intel that
    will be stale (V23), and those by exposure of a servant that is exposed no more."""
    enemy = OPPONENT[home.camp]
    betrayed = home.exposure >= tick.settings.exposed_from
    for mission in home.missions:
        if betrayed:
            yield MissionSeen(enemy, "exposed", mission.id, mission.zone, mission.approach, home.id)
        elif mission.exposed:
            yield MissionForgotten(home.id, mission.id, False)
        if mission.by_intel and not _fresh(enemy, mission, tick):
            yield MissionForgotten(home.id, mission.id, True)


def _fresh(enemy: str, mission: Held, tick: Tick) -> bool:
    held = tick.shared.intel_of(enemy, mission.zone)
    return held is not None and held.fresh(tick.tick + 1)


def report(city: City, sums: Sums, tick: Tick) -> Iterator[Event]:
    """V28, V34: each zone on which a camp's intel is fresh, as at the tick's end; V6: what is fresh no longer. Then the
    tick is over."""
    for camp in CAMPS:
        for key in sorted(city.intel.get(camp, {})):
            if not city.intel[camp][key].fresh(tick.tick):
                continue
            zone = city.zones[key]
            own, other = zone.moved_angel, zone.moved_demon
            if camp == "demon":
                own, other = other, own
            yield ZoneReport(camp, key, tick.tick, zone.influence, own, other, zone.divine, zone.satanic)
            if not city.intel[camp][key].fresh(tick.tick + 1):
                yield IntelStale(camp, key)
    yield TickClosed(tick.tick)
