"""What takes effect at the end of a phase, summed and then bounded (U23): gauges, prisons, and the tick's own end."""

from collections.abc import Iterator, Mapping

from workers.kernel.events import Event
from workers.kernel.phases import Sums
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Side
from workers.rules.uprising.entities import Census, City
from workers.rules.uprising.events import (
    AuthorityMoved,
    ClaimsCut,
    HeatMoved,
    LoyaltyMoved,
    PrisonTaken,
    TickSettled,
    UprisingOpened,
)
from workers.rules.uprising.force import clamp
from workers.rules.uprising.merging import Turn


def settle(city: City, sums: Sums, turn: Turn) -> Iterator[Event]:
    """Move the gauges, and give prisons to those who seized them."""
    added = with_searches(city, sums)
    yield from _heat(city, added.get("heat", 0), turn)
    for side in tables.SIDES:
        gauges = city.gauges[side]
        authority = clamp(gauges.authority + added.get(f"authority/{side}", 0), 0, turn.settings.authority_max)
        if authority != gauges.authority:
            yield AuthorityMoved(side, gauges.authority, authority)
        for faction in gauges.factions:
            change = added.get(f"loyalty/{side}/{faction.id}", 0)
            loyalty = clamp(faction.loyalty + change, 0, turn.settings.loyalty_max)
            if loyalty != faction.loyalty:
                yield LoyaltyMoved(side, faction.id, faction.loyalty, loyalty)
    for name, _ in sums.of("prison/"):
        district, _, winner = name.partition("/")
        for side in tables.SIDES:
            if winner == side and city.prisons[district].holder != side:
                yield PrisonTaken(side, district)


def _heat(city: City, change: int, turn: Turn) -> Iterator[Event]:
    heat = clamp(city.heat + change, 0, turn.settings.heat_max)
    if heat != city.heat:
        yield HeatMoved(city.heat, heat)


def with_searches(city: City, sums: Sums) -> Mapping[str, int]:
    """The sums of a phase, with the gains of its searches: one that found something in several districts still
    succeeded once (U4).
    """
    if not sums.highest:
        return sums.added
    total = Sums(dict(sums.added))
    for name in sorted(sums.highest):
        _, side, card, _ = name.split("/")
        gains = city.cards[card].gains
        total.add("heat", gains.heat)
        total.add(f"authority/{side}", gains.authority)
        for faction in sorted(gains.loyalty):
            total.add(f"loyalty/{side}/{faction}", gains.loyalty[faction])
    return total.added


def weigh_claims(city: City, sums: Sums, turn: Turn) -> Iterator[Event]:
    """Where a side's Authority no longer carries all its rallies by authority, each is kept, in ascending initiative,
    if it still fits beside those kept (K6, U17). The gauges of the phase have moved already.
    """
    price = turn.settings.rally_authority
    for side in tables.SIDES:
        keys = [name.partition("/")[2] for name, _ in sums.of(f"claim/{side}/")]
        carried = city.gauges[side].authority // price if price else len(keys)
        if len(keys) > carried:
            yield ClaimsCut(side, tuple(keys[carried:]))


def end_of_tick(city: City, sums: Sums, turn: Turn) -> Iterator[Event]:
    """The Heat cools with the Revolution's active units, and rises with those revealed in the aftermath (U24)."""
    active = sums.added.get("active", 0)
    cooling = -(-active // turn.settings.heat_units)
    yield from _heat(city, sums.added.get("heat", 0) - cooling, turn)
    yield TickSettled(census_of(sums))


def open_city(city: City, sums: Sums, turn: Turn) -> Iterator[Event]:
    """The first census, and the Heat at the start."""
    yield UprisingOpened(city.heat, census_of(sums))


def census_of(sums: Sums) -> dict[Side, Census]:
    """The census of all districts together (U26)."""
    return {
        side: Census(sums.added.get(f"people/{side}", 0), sums.added.get(f"holds/{side}", 0)) for side in tables.SIDES
    }
