"""The tick as a table (U21), and the set-up.

Each phase that changes gauges ends with a shared step (U23). Moves arrive as the contests begin, prisoners as the raids
begin, and what a search gives to its district as the rallies begin: nothing comes between, so none needs a superstep.
"""

from collections.abc import Iterator, Sequence

from workers.kernel.events import Event, Mail
from workers.kernel.phases import Homes, Phase, Shared, everybody
from workers.rules.uprising.entities import District
from workers.rules.uprising.merging import BookedOrder, Turn
from workers.rules.uprising.orders import (
    Arrest,
    Assassination,
    Assault,
    Contest,
    Gamble,
    Move,
    Raid,
    Rally,
    Search,
)
from workers.rules.uprising.phases.aftermath import aftermath, settled
from workers.rules.uprising.phases.arrest import arrest
from workers.rules.uprising.phases.assassination import assassinate
from workers.rules.uprising.phases.assault import assault
from workers.rules.uprising.phases.barrier import end_of_tick, open_city, settle, weigh_claims
from workers.rules.uprising.phases.contest import contest
from workers.rules.uprising.phases.move import depart
from workers.rules.uprising.phases.raid import raid
from workers.rules.uprising.phases.rally import rally
from workers.rules.uprising.phases.search import cast, find


def count(
    district: District | None, orders: Sequence[BookedOrder], mail: Sequence[Mail], turn: Turn
) -> Iterator[Event]:
    """The first census."""
    if district is not None:
        yield settled(district, turn)


_GAUGES: Shared = Shared(settle)

PHASES = (
    Phase("assassination", (Homes(assassinate, (Assassination,)), _GAUGES)),
    Phase("search", (Homes(cast, (Search,), everybody), Homes(find, (Rally,)), _GAUGES, Shared(weigh_claims))),
    Phase("rally", (Homes(rally, (Rally,)), _GAUGES)),
    Phase("arrest", (Homes(arrest, (Arrest,)), _GAUGES)),
    Phase("raid", (Homes(raid, (Raid,)), _GAUGES)),
    Phase("move", (Homes(depart, (Move,)),)),
    Phase("contest", (Homes(contest, (Contest, Gamble)), _GAUGES)),
    Phase("assault", (Homes(assault, (Assault,)), _GAUGES)),
    Phase("aftermath", (Homes(aftermath, (), everybody), Shared(end_of_tick))),
)
"""The tick, in order."""

OPENING = (Phase("setup", (Homes(count, (), everybody), Shared(open_city))),)
"""Tick 0."""
