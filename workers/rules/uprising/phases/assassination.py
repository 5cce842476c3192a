"""Phase 1: assassinations, which are no contests (U14)."""

from collections.abc import Iterator, Sequence

from workers.kernel.events import Event, Mail
from workers.kernel.odds import Term
from workers.rules.uprising import points, tables
from workers.rules.uprising.cards import Card
from workers.rules.uprising.entities import District
from workers.rules.uprising.events import AssassinationTried, Reason
from workers.rules.uprising.force import Presence, total
from workers.rules.uprising.gains import revealed, take_gains
from workers.rules.uprising.merging import BookedOrder, Group, Turn, gather, in_district, merged, target_problem, void
from workers.rules.uprising.rolls import roll_points


@in_district
def assassinate(district: District, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn) -> Iterator[Event]:
    """Carry out a district's assassinations, one after the other."""
    presence = Presence(district)
    for group in merged(orders, turn):
        problem = victim_problem(district, group)
        if problem is None:
            yield from _attempt(district, presence, group, turn)
        else:
            yield from void(group.orders, problem)


def victim_problem(district: District, group: Group) -> Reason | None:
    """Why a unit can't be assassinated any more: only a revealed person of the other side can."""
    problem = target_problem(district, group, buildings=False)
    if problem is None and district.units[group.target].nature != "person":
        return "target_not_person"
    return problem


def _attempt(district: District, presence: Presence, group: Group, turn: Turn) -> Iterator[Event]:
    team = yield from gather(district, group, turn)
    if team is None:
        return
    target = district.units[group.target]
    guards = points.bodyguard_terms(target, turn.settings)
    card = max(team.cards, key=lambda card: chance(card, guards))
    path = f"assassination/{group.key}/roll"
    terms = points.assassination_terms(card)
    roll = roll_points(turn.dice, path, terms, chance(card, guards), guards)
    failed = not roll.success
    yield AssassinationTried(
        camp=group.camp,
        district=district.id,
        target=target.id,
        outcome=roll.outcome,
        orders=team.order_ids,
        units=team.names,
        card=card.id,
        roll=roll,
        shown=team.names if failed else None,
        facing=roll.facing(guards),
        heat=tables.FAILED_ASSASSINATION_HEAT if failed else 0,
    )
    if failed:
        for killer in team.units:
            yield revealed(district, presence, killer)
    else:
        presence.lost(target.camp)
        yield from take_gains(district, presence, group.camp, card, turn.settings)


def chance(card: Card, guards: tuple[Term, ...]) -> int:
    """The chance in points: the card's, less the bodyguards, within 5..95."""
    return points.assassination_points(total(points.assassination_terms(card)) + total(guards))
