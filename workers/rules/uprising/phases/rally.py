"""Phase 3: rallies, by dice or by authority (U17)."""

from collections.abc import Iterator, Sequence
from typing import Any

from workers.kernel.events import Event, Mail
from workers.rules.uprising import points
from workers.rules.uprising.cards import Card
from workers.rules.uprising.entities import District, Unit
from workers.rules.uprising.events import AuthorityClaimed, AuthorityTest, RallyTried, Reason, SearchFound
from workers.rules.uprising.force import HUNDRED, Presence, total
from workers.rules.uprising.gains import district_gains, take_gains
from workers.rules.uprising.merging import (
    BookedOrder,
    CardReason,
    Group,
    Team,
    Turn,
    card_problem,
    gather,
    in_district,
    merged,
    shown,
    target_problem,
    void,
    why_not,
)
from workers.rules.uprising.rolls import outcome_of, roll_points


@in_district
def rally(district: District, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn) -> Iterator[Event]:
    """Give the searches that found something what their cards give in the district, then carry out the rallies."""
    presence = Presence(district)
    found = {letter.subject: letter for letter in mail if isinstance(letter, SearchFound)}
    for subject in sorted(found, key=turn.dice.initiative):
        letter = found[subject]
        yield from district_gains(district, presence, letter.camp, turn.shared.cards[letter.card], turn.settings)
    for group in merged(orders, turn):
        problem = rally_problem(district, group, turn)
        if problem is None:
            yield from _attempt(district, presence, group, turn)
        else:
            yield from void(group.orders, problem)


def lay_claims(district: District, orders: Sequence[BookedOrder], turn: Turn) -> Iterator[Event]:
    """Rallies by authority that stand lay claim to their side's Authority, so that what is no longer enough for all is
    known when the phase begins; a void one spends nothing (K6).
    """
    for group in merged([booked for booked in orders if _by_authority(booked, turn)], turn):
        named = (name for booked in group.orders for name in booked.order.units)
        carried = any(why_not(district, name, group) is None for name in named)
        if carried and rally_problem(district, group, turn) is None:
            yield AuthorityClaimed(group.camp, group.key, turn.dice.initiative(group.key).hex())


def _by_authority(booked: BookedOrder, turn: Turn) -> bool:
    """Whether an order's card is one by authority that its side can use."""
    card = turn.shared.cards.get(booked.order.card)
    camp: Any = booked.camp
    return card is not None and card.by_authority and card_problem(card, booked.order.kind, camp) is None


def rally_problem(district: District, group: Group, turn: Turn) -> Reason | None:
    """Why a unit can't be rallied any more."""
    problem = target_problem(district, group, buildings=False)
    if problem is None:
        return person_problem(district.units[group.target], turn.tick, turn.settings.rally_rest)
    return problem


def person_problem(target: Unit, tick: int, rest: int) -> Reason | None:
    """Why an enemy can't be rallied: it isn't named, never rallies, or changed side in one of the last ticks."""
    if not target.named:
        return "target_not_named"
    if target.never_rallies:
        return "target_never_rallies"
    return "target_rests" if target.rallied and tick - target.rallied <= rest else None


def _attempt(district: District, presence: Presence, group: Group, turn: Turn) -> Iterator[Event]:
    overdrawn = group.key in turn.shared.gauges[group.camp].overdrawn

    def enough_authority(card: Card) -> CardReason:
        return "no_authority" if overdrawn and card.by_authority else None

    team = yield from gather(district, group, turn, enough_authority)
    if team is None:
        return
    target = district.units[group.target]
    authority = turn.shared.gauges[group.camp].authority

    def chance(card: Card) -> int:
        if card.by_authority:
            return HUNDRED if authority >= points.authority_needed(target) else 0
        return rally_chance(card, len(team.units), turn)

    card = max(team.cards, key=chance)
    tried = _tried(district, group, team, card, turn)
    yield tried
    if tried.outcome == "success":
        presence.turned(group.camp)
        yield from take_gains(district, presence, group.camp, card, turn.settings)


def rally_chance(card: Card, units: int, turn: Turn) -> int:
    """The chance of a rally by dice, in points."""
    return points.rally_points(total(points.rally_terms(card, units, turn.settings)), turn.settings)


def _tried(district: District, group: Group, team: Team, card: Card, turn: Turn) -> RallyTried:
    target = district.units[group.target]
    roll = test = None
    if card.by_authority:
        needed, authority = points.authority_needed(target), turn.shared.gauges[group.camp].authority
        outcome = outcome_of(authority >= needed)
        test = AuthorityTest(authority, needed, outcome)
    else:
        terms = points.rally_terms(card, len(team.units), turn.settings)
        chance = rally_chance(card, len(team.units), turn)
        roll = roll_points(turn.dice, f"rally/{group.key}/roll", terms, chance)
        outcome = roll.outcome
    return RallyTried(
        camp=group.camp,
        district=district.id,
        target=target.id,
        outcome=outcome,
        orders=team.order_ids,
        units=team.names,
        card=card.id,
        roll=roll,
        authority=test,
        paid=turn.settings.rally_authority if test is not None and outcome == "success" else 0,
        shown=shown(team.units),
        facing=None if roll is None else roll.facing(()),
        tick=turn.tick,
    )
