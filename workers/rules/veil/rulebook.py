"""The Veil as a value: where its parts are put together."""

from typing import Any

from workers.kernel.events import Event
from workers.rules.contract import Rulebook, Verdict
from workers.rules.veil.amendments import ServantJoined, ServantLeft, ZoneCorrected
from workers.rules.veil.check import check, commands, reads
from workers.rules.veil.entities import City, Servant
from workers.rules.veil.events import EVENTS
from workers.rules.veil.evolve import EVOLVE, EVOLVE_SHARED, TALLY
from workers.rules.veil.generate import generate
from workers.rules.veil.odds import odds
from workers.rules.veil.orders import ORDERS
from workers.rules.veil.phases.table import OPENING, PHASES
from workers.rules.veil.sample import sample
from workers.rules.veil.scenario import Scenario, found
from workers.rules.veil.see import see, see_shared
from workers.rules.veil.settings import Settings
from workers.rules.veil.tables import CAMPS, DATA


def verdict(shared: City, settings: Settings, tick: int) -> Verdict | None:
    """V35: after the last tick, if the settings give one, the sum of influence tells who wins."""
    if not settings.last_tick or tick < settings.last_tick:
        return None
    total = sum(zone.influence for zone in shared.zones.values())
    winner = "angel" if total > 0 else "demon" if total < 0 else ""
    return Verdict(winner, "dominance" if winner else "balance")


def _home_of(event: Any) -> str:
    return str(event.servant)


def _shared(event: Event) -> str:
    return ""


RULEBOOK = Rulebook(
    name="veil",
    version="1",
    package="workers.rules.veil",
    camps=CAMPS,
    settings=Settings,
    scenario=Scenario,
    orders=ORDERS,
    home=Servant,
    shared=City,
    events=EVENTS,
    phases=PHASES,
    opening=OPENING,
    found=found,
    generate=generate,
    sample=sample,
    scenarios=("small", "city"),
    reads=reads,
    commands=commands,
    see=see,
    see_shared=see_shared,
    check=check,
    evolve=EVOLVE,
    evolve_shared=EVOLVE_SHARED,
    tally=TALLY,
    odds=odds,
    amendments={ServantJoined: _home_of, ServantLeft: _home_of, ZoneCorrected: _shared},
    verdict=verdict,
    data=DATA,
)
