"""How a district's orders of a phase are gathered (U22) and who carries them out (U23).

A side's orders of one kind on one target are one: the named units add up, the best card counts, there's one roll. They
are keyed by one handle, by which they have their initiative and their dice.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from workers.kernel.events import Event, Mail
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, DecideHome
from workers.rules.uprising.cards import Card, Kind, Side
from workers.rules.uprising.entities import City, District, Unit
from workers.rules.uprising.events import OrderVoid, Reason, UnitDropped, UnitReason
from workers.rules.uprising.force import by_id
from workers.rules.uprising.orders import AnyOrder, Contest, Gamble, target_of
from workers.rules.uprising.settings import Settings

Turn = Context[City, Settings]
"""What a phase of the Uprising receives."""
BookedOrder = Booked[AnyOrder, Any]


@dataclass(slots=True)
class Group:
    """The merged orders of one key: orders in ascending id, and the key's handle."""

    camp: Side
    kind: Kind
    target: str
    key: str
    orders: list[BookedOrder]


@dataclass(slots=True)
class Team:
    """Who carries a group out: the orders that stand, the units that serve in ascending id, their cards in ascending
    id.
    """

    orders: list[BookedOrder] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)

    @property
    def order_ids(self) -> tuple[str, ...]:
        """The ids of the orders that stand."""
        return tuple(booked.id for booked in self.orders)

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the units that serve."""
        return tuple(unit.id for unit in self.units)


def shown(units: Sequence[Unit]) -> tuple[str, ...] | None:
    """The ids of those units that aren't hidden, in ascending id; None when there are none (U25)."""
    return tuple(sorted(unit.id for unit in units if not unit.hidden)) or None


def hidden_among(units: Sequence[Unit]) -> tuple[str, ...]:
    """The ids of those units that are hidden, in ascending id: a fight counted them (U24)."""
    return tuple(sorted(unit.id for unit in units if unit.hidden))


_KEYED_BY_CARD = (Contest.kind, Gamble.kind)


def key_text(camp: str, order: AnyOrder) -> str:
    """The text whose handle keys an order (U22)."""
    text = f"{camp}:{order.kind}:{target_of(order)}"
    return f"{text}:{order.card}" if order.kind in _KEYED_BY_CARD else text


def merged(orders: Sequence[BookedOrder], turn: Turn) -> list[Group]:
    """A district's orders of a phase, merged, in order of initiative (U22)."""
    groups: dict[str, Group] = {}
    for booked in orders:
        order = booked.order
        text = key_text(booked.camp, order)
        group = groups.get(text)
        if group is None:
            key = turn.ids.handle(text)
            camp: Any = booked.camp
            group = Group(camp, order.kind, target_of(order), key, [])
            groups[text] = group
        group.orders.append(booked)
    found = list(groups.values())
    if len(found) > 1:
        found.sort(key=lambda group: turn.dice.initiative(group.key))
    return found


def void(orders: Sequence[BookedOrder], reason: Reason) -> Iterator[OrderVoid]:
    """Every one of some orders is void (K6)."""
    for booked in orders:
        yield void_order(booked, reason)


def void_order(booked: BookedOrder, reason: Reason) -> OrderVoid:
    """One order is void (K6)."""
    camp: Any = booked.camp
    order = booked.order
    return OrderVoid(camp, booked.id, order.kind, order.district, order.units, reason)


Step = Callable[[District, Sequence[BookedOrder], Sequence[Mail], Turn], Iterator[Event]]
"""What a phase does in a district."""


def in_district(step: Step) -> DecideHome:
    """A step that only districts take: orders in one that isn't there are void (K6)."""

    @wraps(step)
    def decide(
        district: District | None, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn
    ) -> Iterator[Event]:
        return void(orders, "no_district") if district is None else step(district, orders, mail, turn)

    return decide


CardReason = Reason | None
"""Why a card can't be used; None where it can. Named, because an inner function's annotation is worked out whenever the
function is made: for each attempt."""
CardTest = Callable[[Card], CardReason]
"""What a kind of order asks beyond a card of its kind and side, and units that can serve."""


def any_card(card: Card) -> Reason | None:
    """Asks nothing more."""
    return None


def gather(
    district: District, group: Group, turn: Turn, card_test: CardTest = any_card
) -> Generator[Event, None, Team | None]:
    """Who carries a group out (U23): tells which orders are void, which units drop out of those that stand. A unit
    serves the first of the orders that name it (U4). None when no order stands.
    """
    team = Team()
    serving: dict[str, Unit] = {}
    cards: dict[str, Card] = {}
    for booked in group.orders:
        card = turn.shared.cards.get(booked.order.card)
        unusable = card_problem(card, group.kind, group.camp)
        if unusable is not None or card is None:
            yield void_order(booked, unusable or "card_unknown")
            continue
        serves = group.kind != "move" or card.covered
        problems: dict[str, UnitReason | None] = {
            name: "unit_serves" if name in serving else why_not(district, name, group, serves=serves)
            for name in booked.order.units
        }
        reason: Reason | None = card_test(card)
        if all(problems.values()):
            reason = next(filter(None, problems.values()), "unit_elsewhere")
        if reason is not None:
            yield void_order(booked, reason)
            continue
        for name, problem in problems.items():
            if problem is None:
                serving[name] = district.units[name]
            else:
                yield UnitDropped(group.camp, booked.id, district.id, name, problem)
        team.orders.append(booked)
        cards[card.id] = card
    team.units = sorted(serving.values(), key=by_id)
    team.cards = [cards[name] for name in sorted(cards)]
    return team if team.orders else None


def card_problem(card: Card | None, kind: Kind, side: Side) -> Reason | None:
    """Why a side can't use a card for a kind of order."""
    if card is None:
        return "card_unknown"
    if card.kind != kind:
        return "card_of_other_kind"
    return None if side in card.sides else "card_not_yours"


def why_not(district: District, name: str, group: Group, *, serves: bool = True) -> UnitReason | None:
    """Why a unit can't carry out an order any more: gone, changed side, elsewhere, for a killer revealed (U23), or, if
    the order is a service, serving another one (U4).
    """
    unit = district.units.get(name)
    if unit is None:
        return district.absent.get(name, "unit_elsewhere")
    if unit.camp != group.camp:
        return "unit_changed_side"
    if not unit.active:
        return _gone(unit)
    if unit.building:
        return "unit_building"
    if unit.served and serves:
        return "unit_serves"
    if group.kind == "assassination" and not unit.hidden:
        return "unit_revealed"
    return None


def _gone(unit: Unit) -> UnitReason:
    if unit.status == "fallen":
        return "unit_fallen"
    return "unit_destroyed" if unit.status == "destroyed" else "unit_arrested"


def target_problem(district: District, group: Group, *, buildings: bool) -> Reason | None:
    """Why an order can't act on its target: it isn't there revealed and active any more, which all reads the same (K7),
    it changed side, or it's a building where none is accepted.
    """
    target = district.units.get(group.target)
    if target is None or (target.camp != group.camp and not target.revealed):
        return "target_gone"
    if target.camp == group.camp:
        return "target_changed_side"
    return "target_building" if target.building and not buildings else None
