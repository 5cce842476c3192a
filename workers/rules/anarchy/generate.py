"""Campaigns of any size, drawn from dice: tables of four players in two scenes each."""

from workers.kernel.dice import Dice, Stream
from workers.rules.anarchy.entities import Attributes, Challenge, Skill, Trait, Weapon
from workers.rules.anarchy.scenario import MissionSpec, PlayersCharacter, PlayerSpec, Scenario, SceneSpec
from workers.rules.anarchy.sheets import CharacterSpec
from workers.rules.anarchy.tables import LEVEL_ORDER, Difficulty

HOMES_A_TABLE = 7
"""A mission, four players and two scenes."""
_DIFFICULTIES: tuple[Difficulty, ...] = ("trivial", "easy", "hard", "very_hard")
_PLACES = ("street", "hall", "stairs", "roof")
_CHALLENGES = (("lock", "electronics"), ("ledge", "athletics"), ("crowd", "perception"), ("crate", "lift"))


def generate(size: int, dice: Dice) -> Scenario:
    """A scenario with about `size` homes (at least one table), one text for one seed."""
    tables = max(1, (size + HOMES_A_TABLE // 2) // HOMES_A_TABLE)
    width = len(str(tables))
    missions = tuple(_table(f"{n:0{width}d}", dice.stream(f"generate/{n}/table")) for n in range(1, tables + 1))
    return Scenario(f"A convention of {tables} tables", missions=missions)


def _table(number: str, stream: Stream) -> MissionSpec:
    players = tuple(
        PlayerSpec(f"player-{number}-{seat}", (_hero(stream, "front" if seat <= 2 else "back"),))
        for seat in range(1, 5)
    )
    scenes = (_scene(stream, "front"), _scene(stream, "back"))
    return MissionSpec(f"table-{number}", f"The night of table {number}", players=players, scenes=scenes)


def _hero(stream: Stream, scene: str) -> PlayersCharacter:
    scores = [stream.below(4) + 2 for _ in range(5)]
    ratings = [stream.below(4) + 2 for _ in range(4)]
    skills = {
        "firearms": Skill("agility", ratings[0]),
        "blades": Skill("agility", ratings[1]),
        "athletics": Skill("strength", ratings[2]),
        "electronics": Skill("logic", ratings[3]),
    }
    traits = (
        Trait("behaviour", "never leaves a debt unpaid"),
        Trait("line", "We should have taken the stairs."),
        Trait("asset", "reflexes", 1 + stream.below(2), ("dodge",)),
        Trait("flaw", "reckless", complication=(("firearms",), ("blades",), ("athletics",))[stream.below(3)]),
    )
    return PlayersCharacter(
        id="hero",
        attributes=Attributes(*scores),
        skills=skills,
        traits=traits,
        luck=stream.below(4),
        armour=2 + stream.below(4),
        weapons=(Weapon("pistol", "firearms", 3 + stream.below(3), range=2), Weapon("knife", "blades", 3)),
        gear=("commlink",),
        place=stream.below(len(_PLACES)),
        scene=scene,
    )


def _scene(stream: Stream, name: str) -> SceneSpec:
    challenges = tuple(
        Challenge(label, on, _DIFFICULTIES[stream.below(len(_DIFFICULTIES))]) for label, on in _CHALLENGES
    )
    cast = tuple(
        CharacterSpec(
            f"{name}-{seat}",
            level=LEVEL_ORDER[min(stream.below(5), stream.below(5))],
            place=stream.below(len(_PLACES)),
            hidden=seat == 3 and stream.below(2) == 0,
        )
        for seat in range(1, 4)
    )
    return SceneSpec(name, _PLACES, f"The {name} of the house", challenges, cast)
