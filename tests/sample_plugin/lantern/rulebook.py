"""Lantern as one value."""

from workers.rules.contract import Rulebook, Verdict

from .answers import check, commands, odds, reads
from .entities import CAMPS, KEEPERS, SMUGGLERS, Coast, Crew, Settings, see, see_coast
from .events import EVENTS, EVOLVE, EVOLVE_COAST, TALLY, Joined
from .orders import ORDERS, Facts
from .play import OPENING, PHASES
from .scenario import Scenario, found, generate, sample


def verdict(coast: Coast, settings: Settings, tick: int) -> Verdict | None:
    """Who first has enough crates; the keepers, where both have."""
    if coast.seized >= settings.to_seize:
        return Verdict(KEEPERS, "enough_seized")
    if coast.landed >= settings.to_land:
        return Verdict(SMUGGLERS, "enough_landed")
    return None


RULEBOOK = Rulebook(
    name="lantern",
    version="1",
    package="lantern",
    camps=CAMPS,
    settings=Settings,
    scenario=Scenario,
    scenarios=("inlet",),
    orders=ORDERS,
    facts=Facts,
    home=Crew,
    shared=Coast,
    events=EVENTS,
    phases=PHASES,
    opening=OPENING,
    found=found,
    generate=generate,
    sample=sample,
    reads=reads,
    commands=commands,
    see=see,
    see_shared=see_coast,
    check=check,
    odds=odds,
    evolve=EVOLVE,
    evolve_shared=EVOLVE_COAST,
    tally=TALLY,
    amendments={Joined: lambda event: event.crew},
    verdict=verdict,
)
