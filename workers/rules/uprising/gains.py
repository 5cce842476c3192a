"""What success gives: a card's gains (U4, U18), and what reveals a unit (U19)."""

from collections.abc import Iterator

from workers.kernel.events import Event
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Card, Side
from workers.rules.uprising.entities import District, Unit
from workers.rules.uprising.events import GaugesGained, GroundChanged, InfluenceMoved, UnitRevealed
from workers.rules.uprising.force import Presence, clamp
from workers.rules.uprising.settings import Settings


def take_gains(district: District, presence: Presence, side: Side, card: Card, settings: Settings) -> Iterator[Event]:
    """All that a card gives to a side on success: in the district at once, elsewhere at the phase's end (U23)."""
    yield from district_gains(district, presence, side, card, settings)
    gains = card.gains
    if gains.heat or gains.authority or gains.loyalty:
        yield GaugesGained(side, gains.heat, gains.authority, gains.loyalty)


def district_gains(
    district: District, presence: Presence, side: Side, card: Card, settings: Settings
) -> Iterator[Event]:
    """What a card gives in its district: influence, barricades, tear gas, each bounded (U18, U23)."""
    own, enemy = influence_gains(card)
    if own or enemy:
        yield influence_moved(district, presence, side, (own, enemy), settings)
    barricades = max(0, district.barricades + card.gains.barricades)
    gas = district.gas or card.gains.gas
    if (barricades, gas) != (district.barricades, district.gas):
        yield GroundChanged(district.id, barricades, gas, district.fire, "card")


def gives_in_district(card: Card) -> bool:
    """Whether a card's gains change anything in its district."""
    own, enemy = influence_gains(card)
    return bool(own or enemy or card.gains.barricades or card.gains.gas)


def influence_gains(card: Card) -> tuple[int, int]:
    """What a card gives to its side's influence and to the other's: an assault's +25 and −30 unless it says otherwise
    (U16).
    """
    own, enemy = card.gains.influence, card.gains.enemy_influence
    if card.kind == "assault":
        return tables.ASSAULT_GAIN if own is None else own, tables.ASSAULT_TAKE if enemy is None else enemy
    return own or 0, enemy or 0


def influence_moved(
    district: District, presence: Presence, side: Side, changes: tuple[int, int], settings: Settings
) -> InfluenceMoved:
    """The influence of a side and of the other moves, each within 0..`influence_max` (U2)."""
    before = district.influence
    revolution, law = changes if side == tables.REVOLUTION else changes[::-1]
    after = (
        clamp(before.revolution + revolution, 0, settings.influence_max),
        clamp(before.law + law, 0, settings.influence_max),
    )
    moved = (after[0] - before.revolution, after[1] - before.law)
    return InfluenceMoved(district.id, *after, *moved, presence.watching())


def revealed(district: District, presence: Presence, unit: Unit) -> UnitRevealed:
    """A hidden unit is revealed; one of the Revolution adds Heat (U19)."""
    heat = tables.REVEAL_HEAT if unit.camp == tables.REVOLUTION else 0
    return UnitRevealed(unit.camp, district.id, unit.id, presence.seeing(unit.camp), heat)
