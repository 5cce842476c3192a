"""Phase 6: moves, all at once (U20): units leave here, and arrive as the next phase begins, before all else there."""

from collections.abc import Iterator, Sequence

import msgspec

from workers.kernel.events import Event, Mail
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Side
from workers.rules.uprising.entities import District, Unit
from workers.rules.uprising.events import UnitArrived, UnitHid, UnitLost, UnitMoved, UnitSent
from workers.rules.uprising.merging import BookedOrder, Group, Turn, gather, in_district, merged, void


@in_district
def depart(district: District, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn) -> Iterator[Event]:
    """Send off the units that move out of a district."""
    ground = turn.shared.ground.get(district.id)
    for group in merged(orders, turn):
        if ground is None or group.target not in ground.neighbours:
            yield from void(group.orders, "not_neighbour")
            continue
        for booked in group.orders:
            alone = Group(group.camp, group.kind, group.target, group.key, [booked])
            yield from _leave(district, alone, turn)


def _leave(district: District, group: Group, turn: Turn) -> Iterator[Event]:
    """One order's units leave: in the open they are shaken from it; under cover it is a service."""
    team = yield from gather(district, group, turn)
    if team is None:
        return
    (card,) = team.cards
    for unit in team.units:
        order = team.order_ids[0]
        yield UnitMoved(unit.camp, order, card.id, unit.id, district.id, group.target, card.covered, unit.hidden)
        moved = msgspec.structs.replace(
            unit, shaken=unit.shaken or not card.covered, served=unit.served or card.covered
        )
        yield UnitSent(group.target, unit.camp, moved, card.covered)


def arrive(district: District | None, mail: Sequence[Mail]) -> Iterator[Event]:
    """Take in the units that come to a district. A covered move hides a unit where no active revealed enemy stood as
    the phase began: those that have left since still watched.
    """
    letters = [letter for letter in mail if isinstance(letter, UnitSent)]
    if district is None:
        for letter in letters:
            yield UnitLost(letter.camp, letter.to, letter.unit.id)
        return
    watched = watching(district)
    for letter in sorted(letters, key=lambda letter: letter.unit.id):
        yield UnitArrived(letter.camp, letter.unit)
        if letter.covered and not letter.unit.hidden and tables.other(letter.camp) not in watched:
            yield UnitHid(letter.camp, district.id, letter.unit.id, "covered_move")


def watching(district: District) -> frozenset[Side]:
    """The sides that had an active revealed unit here as the phase began."""
    here: list[Unit] = [unit for unit in district.units.values() if unit.revealed]
    return frozenset((*district.left, *(unit.camp for unit in here)))
