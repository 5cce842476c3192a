"""Whether an order of the GM on a mission is legal: allotments, starts, joins, openings, placements (A16, A18)."""

from collections.abc import Iterator, Mapping

from workers.kernel.errors import Refusal
from workers.rules.anarchy.entities import GM
from workers.rules.anarchy.names import ACCEPTED, joined, problem_of
from workers.rules.anarchy.orders import Allot, Join, MissionOrder, Open, Place, Start
from workers.rules.anarchy.refusals import illegal
from workers.rules.anarchy.see import Seen, SeenMission
from workers.rules.anarchy.sheets import CharacterSpec, fault_of


def gm_only(order: MissionOrder, camp: str) -> Iterator[Refusal]:
    """Missions are the GM's."""
    if camp != GM:
        yield illegal("gm_only", "", "the camp gm", order=order.called)


def invalid(field: str, problem: str, accepted: str) -> Refusal:
    """A refusal of something written that can't be understood."""
    return Refusal("malformed", field, "invalid", accepted, {"problem": problem})


def start_faults(order: Start, home: Seen | None) -> Iterator[Refusal]:
    """A18: starting a mission anew, or a new one under a name that nobody has."""
    if home is not None and home.mission is None:
        yield illegal("name_taken", "mission", "a name that no player has", name=order.mission)
    elif home is None:
        problem = problem_of(order.mission)
        if problem:
            yield invalid("mission", problem, ACCEPTED)


def join_faults(order: Join, home: Seen | None) -> Iterator[Refusal]:
    """A18: a player joins late; one who already belongs to a mission is refused. `home` is the player's."""
    if home is not None and home.player is not None:
        yield illegal("already_belongs", "player", "a player of no mission", name=order.player)
    elif home is not None:
        yield illegal("name_taken", "player", "a name that no mission has", name=order.player)
    elif problem_of(order.player):
        yield invalid("player", problem_of(order.player), ACCEPTED)
    yield from _cast(order.characters, "characters", False, None)


def _cast(cast: tuple[CharacterSpec, ...], field: str, gms: bool, row: int | None) -> Iterator[Refusal]:
    names = [spec.id for spec in cast]
    for i, spec in enumerate(cast):
        fault = fault_of(spec, gms, row)
        if fault is not None:
            yield invalid(f"{field}[{i}].{fault.field}", fault.problem, fault.accepted)
        elif spec.id in names[:i]:
            yield invalid(f"{field}[{i}].id", f"{spec.id!r} is taken", "ids that differ")


def allot_faults(order: Allot, mission: SeenMission) -> Iterator[Refusal]:
    """A16: points of the reserve for one of the mission's scenes."""
    if order.scene not in mission.scenes:
        yield illegal("unknown_scene", "scene", ", ".join(sorted(mission.scenes)), name=order.scene)
    if order.points > mission.reserve:
        yield illegal("above_reserve", "points", f"1..{mission.reserve}", points=order.points, reserve=mission.reserve)


def open_faults(order: Open, mission: SeenMission) -> Iterator[Refusal]:
    """A18: a scene with its row of places, its challenges and its cast."""
    key = joined(order.mission, order.name)
    if problem_of(order.name):
        yield invalid("name", problem_of(order.name), ACCEPTED)
    elif key in mission.scenes:
        yield illegal("scene_is_open", "name", "a name that no open scene has", name=key)
    yield from named_once(order.places, "places")
    yield from named_once(tuple(challenge.name for challenge in order.challenges), "challenges")
    yield from _cast(order.cast, "cast", True, len(order.places))
    for i, spec in enumerate(order.cast):
        name = joined(order.mission, spec.id)
        if name in mission.where or name in mission.wings:
            yield illegal("character_exists", f"cast[{i}].id", "an id that no character has", name=name)


def named_once(names: tuple[str, ...], field: str) -> Iterator[Refusal]:
    """Names that people can read, none twice."""
    for i, name in enumerate(names):
        if not name.strip() or not name.isprintable():
            yield invalid(f"{field}[{i}]", f"{name!r} is not a name", "1..64 characters")
        elif name in names[:i]:
            yield invalid(f"{field}[{i}]", f"{name!r} is there twice", "names that differ")


def place_faults(order: Place, mission: SeenMission, opening: Mapping[str, int], starting: bool) -> Iterator[Refusal]:
    """A18: a character that isn't out, in a scene of its mission. `opening` are the scenes that open in the same
    aftermath with their numbers of places; `starting` says whether the mission starts in it.
    """
    name = order.character
    if name not in mission.where and name not in mission.wings:
        known = ", ".join(sorted((*mission.where, *mission.wings)))
        yield illegal("unknown_character", "character", known, name=name)
    elif name in mission.out and not starting:
        yield illegal("out", "character", "a character that isn't out, or any once the mission starts", name=name)
    row = mission.scenes.get(order.scene) or opening.get(order.scene)
    if row is None:
        yield illegal("unknown_scene", "scene", ", ".join(sorted((*mission.scenes, *opening))), name=order.scene)
    elif order.place >= row:
        yield illegal("no_such_place", "place", f"0..{row - 1}", place=order.place)
    elif mission.where.get(name) == order.scene and not starting:
        yield illegal("already_there", "scene", "another scene of the mission", name=name)
