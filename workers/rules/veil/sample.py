"""Legal orders for a tick, drawn from dice: what plays the game in the demo, the bench and the conformance kit."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from workers.kernel.dice import Dice, Stream
from workers.rules.veil.entities import City, Mission, Servant
from workers.rules.veil.orders import AnyOrder, Counter, Influence, Intel, Recovery, Support
from workers.rules.veil.orders import Mission as PlayMission
from workers.rules.veil.settings import Settings
from workers.rules.veil.tables import ACTION_POINTS, OPPONENT, PP_PER_ROLL

Target: TypeAlias = tuple[str, str]
"""A servant and one of its missions."""


def sample(
    homes: Iterable[Servant], shared: City, settings: Settings, tick: int, dice: Dice
) -> Iterator[tuple[str, str, AnyOrder]]:
    """Orders as (camp, servant, order): about two a servant, all legal on the state given.

    Half of the servants with a mission in an open zone play it. Supports go to the ally, and counters to the detected
    enemy, that came last among the servants given, so the whole campaign needs no memory; the servants' order counts.
    """
    allies: dict[str, Target] = {}
    detected: dict[str, Target] = {}
    for servant in homes:
        stream = dice.stream(f"sample/{tick}/{servant.id}")
        for order in _orders(servant, shared, settings, tick, stream, allies, detected):
            yield servant.camp, servant.id, order
            if isinstance(order, PlayMission):
                allies[servant.camp] = servant.id, order.mission
        for mission in servant.missions:
            if _detected(mission, servant.camp, shared, tick):
                detected[OPPONENT[servant.camp]] = servant.id, mission.id


def _detected(mission: Mission, camp: str, shared: City, tick: int) -> bool:
    held = shared.intel_of(OPPONENT[camp], mission.zone)
    return mission.exposed or (mission.by_intel and held is not None and held.fresh(tick))


def _orders(
    servant: Servant,
    shared: City,
    settings: Settings,
    tick: int,
    stream: Stream,
    allies: dict[str, Target],
    detected: dict[str, Target],
) -> Iterator[AnyOrder]:
    pp = servant.pp
    if servant.wounds >= settings.wounds_max:
        yield Recovery(servant.id)
        return
    ap = ACTION_POINTS
    ready = [mission for mission in servant.missions if not shared.zones[mission.zone].sealed(tick)]
    if ready and stream.below(2):
        spent = min(pp, stream.below(PP_PER_ROLL + 1))
        pp -= spent
        ap -= PlayMission.KIND.ap
        yield PlayMission(servant.id, ready[0].id, spent)
    elif servant.camp in detected and stream.below(2):
        ap -= Counter.KIND.ap
        yield Counter(servant.id, *detected[servant.camp])
    else:
        ap -= stream.below(2)
    recovered = False
    while ap:
        ap -= 1
        choice = stream.below(8)
        if choice == 0 and not recovered:
            recovered = True
            yield Recovery(servant.id)
        elif choice <= 2:
            yield Intel(servant.id, _zone(shared, tick, stream), min(pp, 1))
            pp -= min(pp, 1)
        elif choice == 3 and servant.camp in allies and allies[servant.camp][0] != servant.id:
            yield Support(servant.id, *allies[servant.camp])
        else:
            yield Influence(servant.id, _zone(shared, tick, stream))


def _zone(shared: City, tick: int, stream: Stream) -> str:
    zones = shared.open_zones(tick) or tuple(sorted(shared.zones))
    return zones[stream.below(len(zones))]
