"""Phase 5: raids (descentes): one a side and district (U13). Before them, prisons take in who was arrested."""

from collections.abc import Iterator, Sequence

from workers.kernel.events import Event, Mail
from workers.kernel.odds import Term
from workers.rules.uprising.cards import Boon, Card, Side
from workers.rules.uprising.entities import District, Unit
from workers.rules.uprising.events import (
    BuildingDestroyed,
    PrisonerSent,
    PrisonerTaken,
    RaidTried,
    UnitLost,
)
from workers.rules.uprising.force import Field, Presence, modifier_points
from workers.rules.uprising.gains import take_gains
from workers.rules.uprising.merging import (
    BookedOrder,
    CardReason,
    Group,
    Turn,
    gather,
    hidden_among,
    merged,
    shown,
    target_problem,
    void,
)
from workers.rules.uprising.phases.arrest import ONE
from workers.rules.uprising.rolls import Clash, best_card, roll_contest


def raid(district: District | None, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn) -> Iterator[Event]:
    """Take in prisoners, then carry out a district's raids, one after the other."""
    if district is None:
        for letter in mail:
            if isinstance(letter, PrisonerSent):
                yield UnitLost(letter.camp, letter.to, letter.unit.id)
        yield from void(orders, "no_district")
        return
    for letter in mail:
        if isinstance(letter, PrisonerSent):
            yield PrisonerTaken(letter.camp, letter.unit)
    raided: set[Side] = set()
    for group in merged(orders, turn):
        problem = target_problem(district, group, buildings=True)
        if problem is None and group.camp in raided:
            problem = "second_raid"
        if problem is not None:
            yield from void(group.orders, problem)
            continue
        for event in _attempt(district, group, turn):
            yield event
            if isinstance(event, RaidTried):
                raided.add(group.camp)


def raid_clash(field: Field, side: Side, target: Unit, card: Card, boons: Sequence[Boon]) -> Clash:
    """All units of a side in the district with the card's bonus, against the target, all other enemy units there, and
    1.
    """
    attackers = field.forces(field.attackers(side), defends=False)
    defenders = field.forces(field.defenders(target.camp), defends=True)
    bonus = (Term("bonus", card.bonus),) if card.bonus else ()
    return Clash(attackers, defenders, bonus, ONE, modifier_points(card.modifier, "raid", boons))


def _attempt(district: District, group: Group, turn: Turn) -> Iterator[Event]:
    target = district.units[group.target]

    def fits_target(card: Card) -> CardReason:
        return "card_buildings_only" if card.buildings_only and not target.building else None

    team = yield from gather(district, group, turn, fits_target)
    if team is None:
        return
    presence = Presence(district)
    field = Field(district, presence, turn.shared.boons, "raid")
    boons = turn.shared.boons[group.camp]
    card, clash = best_card(team.cards, lambda card: raid_clash(field, group.camp, target, card, boons))
    roll, facing = roll_contest(turn.dice, f"raid/{group.key}/contest", clash)
    attackers = field.attackers(group.camp)
    yield RaidTried(
        camp=group.camp,
        district=district.id,
        target=target.id,
        outcome=roll.outcome,
        orders=team.order_ids,
        units=team.names,
        card=card.id,
        roll=roll,
        shown=shown(attackers),
        facing=facing,
        counted=hidden_among([*attackers, *field.defenders(target.camp)]),
    )
    if roll.success:
        presence.lost(target.camp)
        if target.building:
            yield BuildingDestroyed(target.camp, district.id, target.id)
        yield from take_gains(district, presence, group.camp, card, turn.settings)
