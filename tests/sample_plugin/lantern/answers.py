"""What a camp is told of an order before the night: whether it is allowed, and its odds."""

from fractions import Fraction

from workers.kernel.entities import Reads, View
from workers.kernel.errors import Refusal
from workers.kernel.odds import Odds, Term, known_odds, unknown_odds
from workers.kernel.orders import Booking, Cost

from .entities import KEEPERS, SMUGGLERS, Crew, Glimpse, SeenCoast, Settings
from .orders import Facts, Hand, Land, Row, Watch

LanternOrder = Row | Hand | Land | Watch
CampView = View[SeenCoast, Crew | Glimpse, Settings]
TWO_DICE = 36


def reads(order: LanternOrder) -> Reads:
    """The crew, and the boat that crates are handed to."""
    return Reads((order.crew, order.to) if isinstance(order, Hand) else (order.crew,))


def commands(order: LanternOrder) -> tuple[str, ...]:
    """The crew."""
    return (order.crew,)


def _own(name: str, view: CampView) -> Crew | None:
    seen = view.homes.get(name)
    return seen if isinstance(seen, Crew) and seen.camp == view.camp else None


def check(order: LanternOrder, view: CampView) -> Booking | tuple[Refusal, ...]:
    """Only one's own crews, only their own trade; what a boat can carry and do in a night are meters."""
    crew = _own(order.crew, view)
    if crew is None:
        return (Refusal("unknown_crew", "crew", accepted="a crew of yours", values={"crew": order.crew}),)
    trade = KEEPERS if isinstance(order, Watch) else SMUGGLERS
    if not isinstance(order, Row) and crew.camp != trade:
        return (Refusal("not_your_trade", values={"crew": crew.id}),)
    if isinstance(order, Row):
        return _check_row(order, crew, view)
    if isinstance(order, Watch):
        return Booking(crew.id, (Cost("lantern", 1, 1),))
    crates = Cost("crates", order.crates, crew.crates)
    if isinstance(order, Land):
        return Booking(crew.id, (Cost("beach", 1, 1), crates))
    mate = _own(order.to, view)
    if mate is None or mate.id == crew.id:
        return (Refusal("unknown_mate", "to", accepted="another boat of yours", values={"to": order.to}),)
    if mate.cove != crew.cove:
        return (Refusal("apart", "to", accepted=f"a boat in {crew.cove}", values={"to": mate.id, "cove": mate.cove}),)
    return Booking(crew.id, (crates,), Facts(mate.cove))


def _check_row(order: Row, crew: Crew, view: CampView) -> Booking | tuple[Refusal, ...]:
    others = tuple(cove for cove in view.shared.coves if cove != crew.cove)
    if order.to not in others:
        return (Refusal("unknown_cove", "to", accepted=" or ".join(others), values={"to": order.to}),)
    return Booking(crew.id, (Cost("oars", 1, 1),))


def odds(order: LanternOrder, view: CampView) -> Odds:
    """Rowing and handing over are certain; the sea is two dice; what a watch hears, nobody can know."""
    crew = view.homes[order.crew]
    if isinstance(order, Watch) and isinstance(crew, Crew):
        return unknown_odds("noise", (Term("skill", crew.skill),))
    if isinstance(order, Land) and isinstance(crew, Crew):
        needed = view.settings.sea + order.crates - crew.skill
        ways = sum(a + b >= needed for a in range(1, 7) for b in range(1, 7))
        chance = Fraction(ways, TWO_DICE)
        terms = (Term("skill", crew.skill), Term("crates", -order.crates), Term("sea", -view.settings.sea))
        return known_odds(chance, {"ashore": chance, "swamped": 1 - chance}, terms, "full")
    return known_odds(Fraction(1), {"done": Fraction(1)}, (), "full")
