"""How a campaign starts, as a game designer writes it (A11, A16, A18).

    title = "One night at the harbour"

    [[missions]]
    id = "harbour"

    [[missions.players]]
    id = "ana"
    characters = [{ id = "mia", attributes = { agility = 4 }, scene = "docks" }]

    [[missions.scenes]]
    id = "docks"
    places = ["Quay", "Crane"]
    cast = [{ id = "kane", level = "pro", place = 1 }]

`tables` of a mission plays it at so many tables at once: each gets its own mission, players and scenes, numbered.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from workers.kernel.entities import State
from workers.kernel.errors import InvalidInput
from workers.kernel.ids import Ids
from workers.rules.anarchy.entities import Campaign, Challenge, Home, Mission, Player, Purse, Scene, fresh
from workers.rules.anarchy.names import ACCEPTED, joined, problem_of
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import CharacterSpec, fault_of, sheet_of
from workers.rules.anarchy.tables import PLAYER_START, RESERVE_START, Level

TABLES_MOST = 1000


class PlayersCharacter(CharacterSpec, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A player's character, and the scene of the mission where it starts (empty: in the wings)."""

    scene: str = ""


class PlayerSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A player with its characters."""

    id: str
    characters: Annotated[tuple[PlayersCharacter, ...], msgspec.Meta(min_length=1, max_length=8)]


class SceneSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A scene that is open when the campaign starts: its row of places, its challenges, its cast of GM's characters."""

    id: str
    places: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=64)]
    title: str = ""
    challenges: tuple[Challenge, ...] = ()
    cast: tuple[CharacterSpec, ...] = ()
    threats: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    threat_level: Level | None = None


class MissionSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A mission that has started: its players, its scenes, and the GM's characters that wait in the wings."""

    id: str
    title: str = ""
    tables: Annotated[int, msgspec.Meta(ge=1, le=TABLES_MOST)] = 1
    players: tuple[PlayerSpec, ...] = ()
    scenes: tuple[SceneSpec, ...] = ()
    cast: tuple[CharacterSpec, ...] = ()


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A campaign's start."""

    title: str
    settings: Settings = Settings()
    missions: Annotated[tuple[MissionSpec, ...], msgspec.Meta(min_length=1)] = ()


def found(scenario: Scenario, ids: Ids) -> State[Any]:
    """The first state. Raises InvalidInput naming the field, what is wrong and what would be accepted."""
    if not scenario.missions:
        raise InvalidInput("missions", "there is none", "at least one mission")
    homes: dict[str, Any] = {}
    for i, spec in enumerate(scenario.missions):
        _check_mission(f"missions[{i}]", spec)
        for home in _tables(spec, scenario.settings):
            if home.id in homes:
                problem = f"{home.id!r} is taken by another mission or player"
                raise InvalidInput(f"missions[{i}]", problem, "ids of missions and players that differ")
            homes[home.id] = home
    return State(Campaign(scenario.title), homes)


# --- Checks -----------------------------------------------------------------------------------------------------------


def _check_mission(where: str, spec: MissionSpec) -> None:
    _check_id(f"{where}.id", spec.id, spec.tables)
    rows = {}
    for i, scene in enumerate(spec.scenes):
        _check_scene(f"{where}.scenes[{i}]", scene)
        if scene.id in rows:
            raise InvalidInput(f"{where}.scenes[{i}].id", f"{scene.id!r} is taken", "ids that differ")
        rows[scene.id] = len(scene.places)
    cast = [one.id for scene in spec.scenes for one in scene.cast] + [one.id for one in spec.cast]
    _check_distinct(f"{where}.cast", cast)
    for i, one in enumerate(spec.cast):
        _check_character(f"{where}.cast[{i}]", one, True, None)
    _check_distinct(f"{where}.players", [player.id for player in spec.players])
    for i, player in enumerate(spec.players):
        _check_player(f"{where}.players[{i}]", player, spec.tables, rows)


def _check_id(field: str, part: str, tables: int = 1) -> None:
    problem = problem_of(_numbered(part, tables, tables))
    if problem:
        raise InvalidInput(field, f"{part!r}: {problem}", ACCEPTED)


def _check_distinct(field: str, names: list[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InvalidInput(field, f"{name!r} is there twice", "ids that differ")


def _check_scene(where: str, scene: SceneSpec) -> None:
    _check_id(f"{where}.id", scene.id)
    for field, names in (("places", list(scene.places)), ("challenges", [one.name for one in scene.challenges])):
        for i, name in enumerate(names):
            if not name.strip() or not name.isprintable() or len(name) > 64 or name in names[:i]:
                raise InvalidInput(
                    f"{where}.{field}[{i}]", f"{name!r} is no name, or is there twice", "names that differ"
                )
    for i, one in enumerate(scene.cast):
        _check_character(f"{where}.cast[{i}]", one, True, len(scene.places))


def _check_player(where: str, player: PlayerSpec, tables: int, rows: dict[str, int]) -> None:
    """A16: a player's characters are in one scene at a time."""
    _check_id(f"{where}.id", player.id, tables)
    _check_distinct(f"{where}.characters", [one.id for one in player.characters])
    for i, one in enumerate(player.characters):
        field = f"{where}.characters[{i}]"
        if one.scene and one.scene not in rows:
            raise InvalidInput(f"{field}.scene", f"{one.scene!r} is no scene of the mission", ", ".join(sorted(rows)))
        _check_character(field, one, False, rows.get(one.scene))
    scenes = {one.scene for one in player.characters if one.scene}
    if len(scenes) > 1:
        problem = f"characters of {player.id!r} are in several scenes"
        raise InvalidInput(f"{where}.characters", problem, "one scene a player")


def _check_character(field: str, spec: CharacterSpec, gms: bool, row: int | None) -> None:
    fault = fault_of(spec, gms, row)
    if fault is not None:
        raise InvalidInput(f"{field}.{fault.field}", fault.problem, fault.accepted)


# --- Homes ------------------------------------------------------------------------------------------------------------


def _numbered(part: str, table: int, tables: int) -> str:
    """The id of a mission or player at one of several tables: `ana-07` of 50; of one table as it is written."""
    return f"{part}-{table:0{len(str(tables))}d}" if tables > 1 else part


def _tables(spec: MissionSpec, settings: Settings) -> Iterator[Home]:
    for table in range(1, spec.tables + 1):
        yield from _table(spec, table, settings)


def _table(spec: MissionSpec, table: int, settings: Settings) -> Iterator[Home]:
    """One table's homes: its mission, its players, its scenes."""
    key = _numbered(spec.id, table, spec.tables)
    mission = Mission(spec.title or spec.id, RESERVE_START)
    scenes = {scene.id: _scene(key, scene, settings) for scene in spec.scenes}
    for name, scene in scenes.items():
        mission.scenes[joined(key, name)] = len(scene.places)
        mission.where.update(dict.fromkeys(scene.characters, joined(key, name)))
    for one in spec.cast:
        mission.wings[joined(key, one.id)] = fresh(joined(key, one.id), sheet_of(one, settings), hidden=one.hidden)
    for player in spec.players:
        name = _numbered(player.id, table, spec.tables)
        yield Home(name, player=Player(key))
        _seat(name, player, key, mission, scenes, settings)
    yield Home(key, mission=mission)
    for part, scene in scenes.items():
        scene.seats.sort()
        yield Home(joined(key, part), scene=scene)


def _scene(mission: str, spec: SceneSpec, settings: Settings) -> Scene:
    scene = Scene(
        title=spec.title or spec.id,
        places=spec.places,
        challenges={challenge.name: challenge for challenge in spec.challenges},
        threats=settings.threats if spec.threats is None else spec.threats,
        threat_level=spec.threat_level or settings.threat_level,
    )
    for one in spec.cast:
        name = joined(mission, one.id)
        scene.characters[name] = fresh(name, sheet_of(one, settings), "", one.place, one.hidden)
    return scene


def _seat(
    name: str, player: PlayerSpec, key: str, mission: Mission, scenes: dict[str, Scene], settings: Settings
) -> None:
    """Seat a player's characters, and put its points where they are."""
    mission.players[name] = Purse(points=PLAYER_START)
    for one in player.characters:
        character = fresh(joined(name, one.id), sheet_of(one, settings), name, one.place)
        if not one.scene:
            mission.wings[character.id] = character
            continue
        scene = scenes[one.scene]
        scene.characters[character.id] = character
        scene.seats.append(character.id)
        scene.points[name] = PLAYER_START
        mission.where[character.id] = joined(key, one.scene)
        mission.players[name] = Purse(joined(key, one.scene))
