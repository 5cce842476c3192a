"""The locks (V32): seals end, noisy zones are sealed."""

from collections.abc import Iterator

from workers.kernel.events import Event
from workers.kernel.phases import Sums
from workers.rules.veil.entities import City
from workers.rules.veil.events import SealLifted, ZoneSealed
from workers.rules.veil.phases.common import Tick


def lock(city: City, sums: Sums, tick: Tick) -> Iterator[Event]:
    """Lift the seals whose last tick this is, then seal each zone whose noise reaches the threshold."""
    zones = sorted(city.zones)
    for key in zones:
        if city.zones[key].sealed_through == tick.tick:
            yield SealLifted(key)
    threshold = lock_threshold(city.servants, len(zones), tick.settings.noise_share)
    for key in zones:
        zone = city.zones[key]
        if zone.noise >= threshold:
            yield ZoneSealed("noise", key, max(zone.sealed_through, tick.tick + tick.settings.seal_ticks))


def lock_threshold(servants: int, zones: int, share: int) -> int:
    """V32: max(`noise_share`, ⌈`noise_share` × servants / zones⌉)."""
    return max(share, -(-share * servants // zones))
