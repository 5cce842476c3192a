"""Phase 7: contests and gambles (U18), once those that moved have arrived."""

from collections.abc import Iterator, Sequence

from workers.kernel.events import Event, Mail
from workers.kernel.odds import Term
from workers.rules.uprising import points, tables
from workers.rules.uprising.cards import Boon, Card, Side
from workers.rules.uprising.entities import District, Unit
from workers.rules.uprising.events import ContestTried, GambleTried
from workers.rules.uprising.force import Field, Presence, could_defend, modifier_points, total
from workers.rules.uprising.gains import take_gains
from workers.rules.uprising.merging import BookedOrder, Group, Team, Turn, gather, merged, void
from workers.rules.uprising.phases.arrest import ONE
from workers.rules.uprising.phases.move import arrive
from workers.rules.uprising.rolls import Clash, roll_contest, roll_points


def contest(
    district: District | None, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn
) -> Iterator[Event]:
    """Let units arrive, then carry out a district's contests and gambles, one after the other."""
    yield from arrive(district, mail)
    if district is None:
        yield from void(orders, "no_district")
        return
    presence = Presence(district)
    for group in merged(orders, turn):
        team = yield from gather(district, group, turn)
        if team is None:
            continue
        card = team.cards[0]
        if group.kind == "gamble":
            tried: ContestTried | GambleTried = _gamble(district, group, team, card, turn)
        else:
            tried = _contest(Field(district, presence, turn.shared.boons, "contest"), group, team, card, turn)
        yield tried
        if tried.outcome == "success":
            yield from take_gains(district, presence, group.camp, card, turn.settings)


def contest_clash(field: Field, side: Side, units: Sequence[Unit], card: Card, boons: Sequence[Boon]) -> Clash:
    """The named units against the card's named defence, else against the other side's units here and 1."""
    attackers = field.forces(filter(could_defend, units), defends=False)
    modifiers = modifier_points(card.modifier, "contest", boons)
    if card.defence is not None:
        return Clash(attackers, (), (), (Term("named", card.defence),), modifiers)
    defenders = field.forces(field.defenders(tables.other(side)), defends=True)
    return Clash(attackers, defenders, (), ONE, modifiers)


def _contest(field: Field, group: Group, team: Team, card: Card, turn: Turn) -> ContestTried:
    clash = contest_clash(field, group.camp, team.units, card, turn.shared.boons[group.camp])
    roll, facing = roll_contest(turn.dice, f"contest/{group.key}/contest", clash)
    return ContestTried(group.camp, field.district.id, roll.outcome, team.order_ids, team.names, card.id, roll, facing)


def _gamble(district: District, group: Group, team: Team, card: Card, turn: Turn) -> GambleTried:
    terms = points.gamble_terms(card)
    roll = roll_points(turn.dice, f"contest/{group.key}/roll", terms, total(terms))
    return GambleTried(group.camp, district.id, roll.outcome, team.order_ids, team.names, card.id, roll)
