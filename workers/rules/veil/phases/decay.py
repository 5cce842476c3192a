"""The veil decay (V2, V31): exposure, ratings, strain and noise ebb; what is public of the tick is told (V15)."""

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Literal

from workers.kernel.events import Event, Mail
from workers.kernel.odds import nearest
from workers.kernel.phases import Sums
from workers.rules.veil.entities import City, Servant
from workers.rules.veil.events import (
    CorrectionTold,
    Decayed,
    Intervention,
    MissionHeld,
    ServantCounted,
    ServantDeparted,
    ServantRefused,
    Settled,
    VeilDecayed,
)
from workers.rules.veil.names import is_name
from workers.rules.veil.phases.common import Orders, Tick
from workers.rules.veil.settings import Settings
from workers.rules.veil.tables import CHARACTERISTICS, TALENTS


def decay(home: Servant | None, orders: Orders, mail: Sequence[Mail], tick: Tick) -> Iterator[Event]:
    """A servant's exposure and idle rating ebb; what lives within a tick is cleared; ticks of a sealed zone don't count
    for its missions (V5). Those that an amendment added or took away are counted, before V31 reads the number."""
    if home is None:
        return
    if home.left:
        if home.joined:
            yield ServantRefused(home.camp, home.id, "left")
        else:
            yield ServantDeparted(home.camp, home.id)
        return
    if home.joined:
        reason = unfit(home, tick)
        if reason:
            yield ServantRefused(home.camp, home.id, reason)
        else:
            yield ServantCounted(home.camp, home.id, tick.settings.pp_start)
        return
    exposure = decayed(home.exposure, tick.settings.exposure_decay_share)
    rating = home.rating if home.played else drifted(home.rating, tick.settings)
    if exposure != home.exposure or rating != home.rating:
        yield Decayed(home.camp, home.id, exposure, rating)
    elif home.played or home.void or home.successes or home.succeeded:
        yield Settled(home.id)
    for mission in home.missions:
        if tick.shared.zones[mission.zone].sealed(tick.tick):
            yield MissionHeld(home.camp, home.id, mission.id, mission.zone)


def unfit(home: Servant, tick: Tick) -> Literal["name", "superior", "stats"] | None:
    """Why a servant that an amendment added can't be one; None where it can."""
    superior = tick.shared.superiors.get(home.superior)
    if not is_name(home.id):
        return "name"
    if superior is None or superior.camp != home.camp:
        return "superior"
    most = tick.settings.characteristic_max
    return "stats" if any(getattr(home, name) > most for name in (*CHARACTERISTICS, *TALENTS)) else None


def decayed(amount: int, share: int) -> int:
    """What is left of an amount when it falls by one part in `share`, rounded up."""
    return amount - -(-amount // share)


def drifted(rating: int, settings: Settings) -> int:
    """V2: an idle servant's rating, if beyond ±`drift_beyond`, moves towards 0."""
    if abs(rating) <= settings.drift_beyond:
        return rating
    return max(0, rating - settings.drift_step) if rating > 0 else min(0, rating + settings.drift_step)


def tell(city: City, sums: Sums, tick: Tick) -> Iterator[Event]:
    """The operator's corrections, then V15's interventions, of whatever phase: by zone, those in none last, and by
    power. So neither phase nor place among the facts tells who rolled one, or for what (V34)."""
    zones = [city.zones[key] for key in sorted(city.zones)]
    for zone in zones:
        if zone.corrected:
            yield CorrectionTold(zone.id)
    for zone in zones:
        yield from _interventions(zone.divine, zone.satanic, zone.id)
    yield from _interventions(city.divine, city.satanic, None)


def _interventions(divine: int, satanic: int, zone: str | None) -> Iterator[Intervention]:
    yield from repeat(Intervention("divine", zone), divine)
    yield from repeat(Intervention("satanic", zone), satanic)


def ebb(city: City, sums: Sums, tick: Tick) -> Iterator[Event]:
    """V31: the strain gains what tore the veil, is bounded, then it and the zones' noise fall by their shares."""
    settings = tick.settings
    servants = city.servants + sums.added.get("servants", 0)
    gained = strain_gained(city.interventions, city.exposure, servants, settings)
    strain = decayed(min(settings.strain_max, city.strain + gained), settings.strain_decay_share)
    noise = tuple(
        (key, decayed(city.zones[key].noise, settings.noise_decay_share))
        for key in sorted(city.zones)
        if city.zones[key].noise
    )
    yield VeilDecayed(city.interventions, city.exposure, servants, gained, strain, noise)


def strain_gained(interventions: int, exposure: int, servants: int, settings: Settings) -> int:
    """V31: 10 × (10 × interventions + exposure gained) / servants, to nearest; 0 in a city without servants."""
    if not servants:
        return 0
    return nearest(settings.strain_weight * (settings.strain_intervention * interventions + exposure), servants)
