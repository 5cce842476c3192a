"""Chances in points, each from its terms and within its bounds: assassination (U14), rally (U17), search (U19), the
aftermath's reveal (U24).
"""

from workers.kernel.odds import Term
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Card
from workers.rules.uprising.entities import Unit
from workers.rules.uprising.force import clamp, total
from workers.rules.uprising.settings import Settings


def assassination_terms(card: Card) -> tuple[Term, ...]:
    """What the killers bring (U14)."""
    return (Term("card", tables.ASSASSINATION_CHANCE if card.chance is None else card.chance),)


def bodyguard_terms(target: Unit, settings: Settings) -> tuple[Term, ...]:
    """What the target's bodyguards take away (U14)."""
    return (Term("bodyguards", -settings.bodyguard_points * target.bodyguards),) if target.bodyguards else ()


def assassination_points(points: int) -> int:
    """The chance of an assassination, within 5..95 (U14)."""
    return clamp(points, tables.CONTEST_LOWEST, tables.CONTEST_HIGHEST)


def rally_terms(card: Card, units: int, settings: Settings) -> tuple[Term, ...]:
    """What a rally by dice brings, with `units` at its side (U17)."""
    base = tables.RALLY_CHANCE if card.chance is None else card.chance
    return (Term("card", base), Term("units", settings.rally_points * units))


def rally_points(points: int, settings: Settings) -> int:
    """The chance of a rally by dice, within 0..95 (U17)."""
    return clamp(points, 0, settings.rally_highest)


def authority_needed(target: Unit) -> int:
    """The Authority that a rally by authority asks: the target's own Force × 10 (U17)."""
    return tables.AUTHORITY_A_FORCE * target.force


def gamble_terms(card: Card) -> tuple[Term, ...]:
    """What a gamble rolls on (U18)."""
    return (Term("card", tables.GAMBLE_CHANCE if card.chance is None else card.chance),)


def own_search_chance(unit: Unit, settings: Settings) -> int:
    """The chance of one searcher, in points (U19)."""
    return settings.search_chance if unit.search_chance is None else unit.search_chance


def search_terms(chance: int, side: str, heat: int) -> tuple[Term, ...]:
    """What a searcher brings: its chance, and for the Law the alarm of a Heat of 50 or more (U19)."""
    terms = [Term("searcher", chance)]
    if side == tables.LAW and heat >= tables.HEAT_ALARM:
        terms.append(Term("heat", tables.HEAT_ALARM_POINTS))
    return tuple(terms)


def stealth_points(stealth: int) -> int:
    """What a hidden unit's Stealth takes from a search or (below 2) gives to it, in points (U19)."""
    return tables.SEARCH_POINTS * (tables.SEARCH_STEALTH - stealth)


def stealth_terms(stealth: int) -> tuple[Term, ...]:
    """The same as a term, if it is any."""
    away = stealth_points(stealth)
    return (Term("stealth", away),) if away else ()


def search_points(points: int, settings: Settings) -> int:
    """The chance of a search, at most 95 and at least 0 (U19)."""
    return clamp(points, settings.search_lowest, tables.SEARCH_HIGHEST)


def reveal_terms(stealth: int, settings: Settings) -> tuple[Term, ...]:
    """What reveals a hidden unit that a fight counted (U24)."""
    base = Term("aftermath", settings.reveal_chance)
    away = settings.reveal_points * (settings.reveal_stealth - stealth)
    return (base, Term("stealth", away)) if away else (base,)


def reveal_points(stealth: int, settings: Settings) -> int:
    """The chance of an aftermath's reveal, within 0..95 (U24)."""
    return clamp(total(reveal_terms(stealth, settings)), 0, settings.reveal_highest)
