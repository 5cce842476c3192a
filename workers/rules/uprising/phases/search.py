"""Phase 2: searches, cast in one superstep and finding in the next (U19)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from workers.kernel.events import Event, Mail
from workers.rules.uprising import points, tables
from workers.rules.uprising.cards import Card, Side
from workers.rules.uprising.entities import District, Unit
from workers.rules.uprising.events import SearchCast, SearchFound, SearchMade, SearchRolled
from workers.rules.uprising.force import Presence, by_id, total
from workers.rules.uprising.gains import gives_in_district, revealed
from workers.rules.uprising.merging import BookedOrder, Team, Turn, gather, in_district, merged
from workers.rules.uprising.phases.rally import lay_claims
from workers.rules.uprising.rolls import roll_points
from workers.rules.uprising.settings import Settings


@in_district
def cast(district: District, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn) -> Iterator[Event]:
    """Cast a district's searches: those that orders ask for, then those of its spies and informers, unasked."""
    for group in merged(orders, turn):
        team = yield from gather(district, group, turn)
        if team is not None:
            card, chance = best_search(team, turn.settings)
            terms = points.search_terms(chance, group.camp, turn.shared.heat)
            yield SearchMade(group.camp, district.id, team.order_ids, team.names, card.id, terms)
            for place in reach(district, group.camp, turn, neighbours=card.neighbours):
                yield SearchCast(place, group.camp, district.id, group.key, team.names, card.id, terms)
    for unit in sorted(filter(searches_unasked, district.units.values()), key=by_id):
        chance = points.own_search_chance(unit, turn.settings)
        terms = points.search_terms(chance, unit.camp, turn.shared.heat)
        subject = turn.ids.handle(unit.id)
        for place in reach(district, unit.camp, turn, neighbours=unit.search_neighbours):
            yield SearchCast(place, unit.camp, district.id, subject, (unit.id,), "", terms)


def searches_unasked(unit: Unit) -> bool:
    """Whether a unit searches each tick without an order: spies and informers do."""
    return unit.active and (unit.spy or unit.informer)


def best_search(team: Team, settings: Settings) -> tuple[Card, int]:
    """The card of a merged search and its chance in points: the card's own, else that of the best of its units."""
    best = max(points.own_search_chance(unit, settings) for unit in team.units)
    chances = {card.id: best if card.chance is None else card.chance for card in team.cards}
    card = max(team.cards, key=lambda card: chances[card.id])
    return card, chances[card.id]


def reach(district: District, side: Side, turn: Turn, *, neighbours: bool) -> list[str]:
    """The districts that a side's search reaches; the own one only where there is somebody to be found."""
    enemy = tables.other(side)
    places = []
    if any(unit.hidden and unit.active and unit.camp == enemy for unit in district.units.values()):
        places.append(district.id)
    ground = turn.shared.ground.get(district.id)
    if neighbours and ground is not None:
        places.extend(ground.neighbours)
    return places


def find(district: District | None, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn) -> Iterator[Event]:
    """Roll the searches that reach a district for each hidden unit there, then reveal those that were found. The orders
    are the rallies of the next phase, which lay their claims.
    """
    if district is None:
        return
    if mail:
        yield from _found(district, mail, turn)
    yield from lay_claims(district, orders, turn)


def _found(district: District, mail: Sequence[Mail], turn: Turn) -> Iterator[Event]:
    hidden = _hidden(district)
    found: dict[str, Unit] = {}
    rewarded: dict[str, SearchCast] = {}
    for letter in filter(is_cast, mail):
        for unit in hidden[tables.other(letter.camp)]:
            rolled = _roll(district, letter, unit, turn)
            yield rolled
            if rolled.outcome == "success":
                found[unit.id] = unit
                rewarded[letter.subject] = letter
    presence = Presence(district)
    for name in sorted(found):
        yield revealed(district, presence, found[name])
    for subject in sorted(rewarded):
        letter = rewarded[subject]
        if letter.card and gives_in_district(turn.shared.cards[letter.card]):
            yield SearchFound(letter.origin, letter.camp, subject, letter.card)


def is_cast(letter: Mail) -> TypeGuard[SearchCast]:
    """Whether a letter is a search."""
    return isinstance(letter, SearchCast)


def _hidden(district: District) -> Mapping[Side, list[Unit]]:
    hidden: dict[Side, list[Unit]] = {side: [] for side in tables.SIDES}
    for unit in sorted(district.units.values(), key=by_id):
        if unit.active and unit.hidden:
            hidden[unit.camp].append(unit)
    return hidden


def _roll(district: District, letter: SearchCast, unit: Unit, turn: Turn) -> SearchRolled:
    stealth = points.stealth_terms(unit.stealth)
    chance = points.search_points(total(letter.terms) + total(stealth), turn.settings)
    path = f"search/{letter.subject}/{turn.ids.handle(unit.id)}"
    roll = roll_points(turn.dice, path, letter.terms, chance, stealth)
    return SearchRolled(
        camp=letter.camp,
        district=district.id,
        unit=unit.id,
        outcome=roll.outcome,
        units=letter.units,
        roll=roll,
        subject=letter.subject,
        card=letter.card,
    )
