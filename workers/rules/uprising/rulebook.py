"""The Uprising as a value."""

from workers.rules.contract import Rulebook
from workers.rules.uprising import tables
from workers.rules.uprising.amendments import AMENDMENTS
from workers.rules.uprising.check import check
from workers.rules.uprising.entities import City, District
from workers.rules.uprising.events import EVENTS
from workers.rules.uprising.evolve import EVOLVE, EVOLVE_SHARED
from workers.rules.uprising.generate import generate
from workers.rules.uprising.odds import odds
from workers.rules.uprising.orders import ORDERS, commands, reads
from workers.rules.uprising.phases import OPENING, PHASES
from workers.rules.uprising.sample import sample
from workers.rules.uprising.scenario import Scenario, found
from workers.rules.uprising.see import see, see_city
from workers.rules.uprising.settings import Settings
from workers.rules.uprising.tally import TALLY
from workers.rules.uprising.verdict import verdict

RULEBOOK = Rulebook(
    name="uprising",
    version="1",
    package="workers.rules.uprising",
    camps=tables.SIDES,
    settings=Settings,
    scenario=Scenario,
    orders=ORDERS,
    home=District,
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
    see_shared=see_city,
    check=check,
    evolve=EVOLVE,
    evolve_shared=EVOLVE_SHARED,
    tally=TALLY,
    odds=odds,
    amendments=AMENDMENTS,
    verdict=verdict,
    data=tables.plain(),
)
