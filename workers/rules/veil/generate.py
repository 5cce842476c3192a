"""A scenario of any size, drawn from dice: one text for one seed."""

from workers.kernel.dice import Dice, Stream
from workers.rules.veil.entities import Superior, Weights
from workers.rules.veil.scenario import STATS, Scenario, ScenarioServant, ScenarioZone
from workers.rules.veil.tables import Affinity, Camp

SERVANTS_PER_ZONE = 500
ZONES_MIN = 6
STAT_MAX = 5

SUPERIORS = (
    Superior("yves", "Yves", "angel", Weights(stealthy=1, social=3, technical=1, slow_infiltration=4), 12, True),
    Superior("georges", "Georges", "angel", Weights(violent=4, stealthy=1, social=2), 13, routine=True),
    Superior("orvaline", "Orvaline", "demon", Weights(stealthy=3, social=4, slow_infiltration=2), 12),
    Superior("maugrave", "Maugrave", "demon", Weights(violent=4, occult=3, technical=1), 15),
)
"""V7: the Superiors that ship. Yves and Georges are the source's; the two demons are named by us."""


def generate(size: int, dice: Dice) -> Scenario:
    """A city of `size` servants, half of each camp: a zone per 500 servants, at least 6, two thirds of them neutral."""
    zones = max(ZONES_MIN, -(-size // SERVANTS_PER_ZONE))
    return Scenario(
        title=f"A city of {size} servants",
        zones=tuple(_zone(i, zones, dice) for i in range(zones)),
        superiors=SUPERIORS,
        servants=tuple(_servant(i, dice) for i in range(size)),
    )


def _zone(i: int, zones: int, dice: Dice) -> ScenarioZone:
    stream = dice.stream(f"generate/zone-{i}/traits")
    held = zones // 3 // 2
    affinity: Affinity = "angel" if i < held else "demon" if i < 2 * held else "neutral"
    number = f"{i:0{len(str(zones - 1))}d}"
    return ScenarioZone(f"z{number}", f"Quarter {i + 1}", affinity, stream.below(4) == 0, stream.below(41) - 20)


def _servant(i: int, dice: Dice) -> ScenarioServant:
    stream = dice.stream(f"generate/servant-{i}/traits")
    camp: Camp = "demon" if i % 2 else "angel"
    superiors = [superior.id for superior in SUPERIORS if superior.camp == camp]
    superior = superiors[stream.below(len(superiors))]
    stats = {name: _stat(stream) for name in STATS}
    return ScenarioServant(f"{camp[0]}{i // 2 + 1}", camp, superior, **stats)


def _stat(stream: Stream) -> int:
    """0..5, the middle likelier."""
    return (stream.below(STAT_MAX + 1) + stream.below(STAT_MAX + 1)) // 2
