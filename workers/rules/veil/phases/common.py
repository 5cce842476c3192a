"""What several phases share: the roll of an order, and the settling of zones after a phase of rolls."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from workers.kernel.events import Event
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Sums
from workers.rules.veil.entities import City, Servant
from workers.rules.veil.events import VeilTorn, ZoneMoved
from workers.rules.veil.influence import bounded
from workers.rules.veil.orders import AnyOrder
from workers.rules.veil.roll import Roll, terms_of, throw
from workers.rules.veil.settings import Settings
from workers.rules.veil.tables import INTERVENTION

Tick: TypeAlias = Context[City, Settings]
Orders: TypeAlias = Sequence[Booked[AnyOrder, Any]]


def acts(home: Servant | None) -> bool:
    """Whether a servant acts in this tick: it is there, has not left, and did not only just join."""
    return home is not None and not home.left and not home.joined


def rewards_routine(servant: Servant, tick: Tick) -> bool:
    """Whether the servant's Superior grants a routine bonus (V7)."""
    return tick.shared.superiors[servant.superior].routine


def roll_order(servant: Servant, order: AnyOrder, order_id: str, pair: tuple[str, str], tick: Tick) -> Roll:
    """The roll of an order, on the servant as it stands now (V12), with the path `<kind>/<order id>/roll` (V29)."""
    kind = order.KIND
    terms = terms_of(servant, kind, pair, order.pp, rewards_routine(servant, tick), tick.settings)
    return throw(tick.dice, f"{kind.name}/{order_id}/roll", terms, servant.camp)


def settle_zones(city: City, sums: Sums, tick: Tick) -> Iterator[Event]:
    """The barrier after a phase of rolls: all changes to a zone are summed, then bounded once (V15, V21, V31).

    Interventions are counted here and told later, all at once (`decay.tell`): told in the phase that rolled them, they
    would betray which kind of order did (V15, V34).
    """
    added = sums.added
    interventions = exposure = 0
    for key in sorted({name.partition("/")[2] for name in added if "/" in name}):
        angel, demon = added.get(f"angel/{key}", 0), added.get(f"demon/{key}", 0)
        divine, satanic = added.get(f"divine/{key}", 0), added.get(f"satanic/{key}", 0)
        noise = added.get(f"noise/{key}", 0)
        interventions += divine + satanic
        exposure += noise
        if key:
            delta = angel - demon + INTERVENTION * (divine - satanic)
            influence = bounded(city.zones[key].influence + delta)
            yield ZoneMoved(key, angel, demon, divine, satanic, noise, influence)
    if interventions or exposure:
        yield VeilTorn(interventions, exposure, added.get("divine/", 0), added.get("satanic/", 0))
