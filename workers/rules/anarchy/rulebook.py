"""The rulebook as one value."""

from workers.rules.anarchy.check import check, commands, reads
from workers.rules.anarchy.entities import CAMPS, Campaign, Home
from workers.rules.anarchy.events import (
    Allotted,
    Attacked,
    BrokeDown,
    EffectLeftOut,
    Granted,
    Healed,
    Held,
    Hurt,
    Interposed,
    Intervened,
    Mended,
    Moved,
    Narrated,
    OrderVoid,
    PointSpent,
    Revealed,
    StepVoid,
    ThreatCame,
    Tried,
    TurnBegan,
)
from workers.rules.anarchy.events_aftermath import (
    Arrived,
    ClosingTold,
    Left,
    Lurks,
    PurseCame,
    SceneEnded,
    SceneFounded,
    Settled,
)
from workers.rules.anarchy.events_mission import (
    Account,
    Accounted,
    Allotment,
    AllotmentMade,
    Arrival,
    Closing,
    ConditionAmended,
    Departure,
    Founding,
    Joining,
    MissionStarted,
    Placed,
    PlayerJoined,
    PlayerRegistered,
    PointsAmended,
    PurseSent,
    ReserveAmended,
    ReserveSettled,
    SceneOpened,
)
from workers.rules.anarchy.evolve import SCENE_EVOLVE
from workers.rules.anarchy.evolve_mission import MISSION_EVOLVE
from workers.rules.anarchy.generate import generate
from workers.rules.anarchy.odds import odds
from workers.rules.anarchy.orders import ORDERS
from workers.rules.anarchy.phases import OPENING, PHASES
from workers.rules.anarchy.sample import sample
from workers.rules.anarchy.scenario import Scenario, found
from workers.rules.anarchy.see import see, see_shared
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.tables import DATA
from workers.rules.contract import Rulebook

EVENTS = (
    OrderVoid,
    StepVoid,
    EffectLeftOut,
    Held,
    Granted,
    Allotted,
    PointSpent,
    TurnBegan,
    Revealed,
    Narrated,
    Intervened,
    Moved,
    Tried,
    Attacked,
    Interposed,
    Hurt,
    BrokeDown,
    Mended,
    Healed,
    ThreatCame,
    ClosingTold,
    Settled,
    SceneEnded,
    SceneFounded,
    Left,
    Arrived,
    Lurks,
    PurseCame,
    AllotmentMade,
    Accounted,
    ReserveSettled,
    PlayerRegistered,
    PlayerJoined,
    MissionStarted,
    SceneOpened,
    Placed,
    Allotment,
    Closing,
    Account,
    Joining,
    Founding,
    Departure,
    Arrival,
    PurseSent,
    PointsAmended,
    ReserveAmended,
    ConditionAmended,
)

RULEBOOK = Rulebook(
    name="anarchy",
    version="1",
    package="workers.rules.anarchy",
    camps=CAMPS,
    settings=Settings,
    scenario=Scenario,
    orders=ORDERS,
    home=Home,
    shared=Campaign,
    events=EVENTS,
    phases=PHASES,
    opening=OPENING,
    found=found,
    generate=generate,
    sample=sample,
    scenarios=("small", "convention"),
    reads=reads,
    commands=commands,
    see=see,
    see_shared=see_shared,
    check=check,
    evolve={**SCENE_EVOLVE, **MISSION_EVOLVE},
    evolve_shared={},
    tally={},
    odds=odds,
    amendments={
        PointsAmended: lambda event: event.scene,
        ReserveAmended: lambda event: event.mission,
        ConditionAmended: lambda event: event.scene,
    },
    data=DATA,
)
"""Anarchy, as the registry takes it."""
