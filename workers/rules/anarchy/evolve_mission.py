"""How events change a mission and a player's entry: the only way that their state changes."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from workers.kernel.events import Event
from workers.rules.anarchy.entities import Character, Home, Mission, Player, Purse
from workers.rules.anarchy.events_mission import (
    Accounted,
    AllotmentMade,
    MissionStarted,
    Placed,
    PlayerJoined,
    PlayerRegistered,
    ReserveAmended,
    SceneOpened,
)


def _allotted(mission: Mission, event: AllotmentMade) -> None:
    mission.reserve -= event.points


def _accounted(mission: Mission, event: Accounted) -> None:
    """A16: leftovers, spent points and complications join the reserve; A17: who was in a scene that ended is in the
    wings.
    """
    mission.reserve += event.points
    mission.out.extend(event.fallen)
    for name in event.appeared:
        mission.where[name] = event.scene
    if not event.ended:
        return
    del mission.scenes[event.scene]
    for character in event.characters:
        del mission.where[character.id]
        mission.wings[character.id] = deepcopy(character)
    for player, points in event.purses.items():
        mission.players[player] = Purse(points=points)


def _joined(mission: Mission, event: PlayerJoined) -> None:
    mission.players[event.player] = Purse(points=event.points)
    for character in event.records:
        mission.wings[character.id] = deepcopy(character)


def _started(home: Home | None, event: MissionStarted) -> Home:
    """A18: points of A11, empty tracks, full armour and luck; nobody is out."""
    if home is None or home.mission is None:
        return Home(event.mission, mission=Mission(event.title, event.reserve))
    mission = home.mission
    mission.title = event.title
    mission.reserve = event.reserve
    mission.out = []
    for purse in mission.players.values():
        purse.points = event.points
    for character in mission.wings.values():
        restore(character)
    return home


def restore(character: Character) -> None:
    """A character as a mission's start finds it fit."""
    character.physical = character.stun = 0
    character.armour = character.sheet.armour
    character.luck = character.sheet.luck
    character.out = False


def _opened(mission: Mission, event: SceneOpened) -> None:
    mission.scenes[event.scene] = len(event.places)
    for name in event.whole:
        mission.where[name] = event.scene


def _placed(mission: Mission, event: Placed) -> None:
    mission.where[event.character] = event.scene
    mission.wings.pop(event.character, None)
    if event.purse:
        mission.players[event.player] = Purse(event.scene)


def _reserve_amended(mission: Mission, event: ReserveAmended) -> None:
    mission.reserve = event.reserve


def _registered(home: Home | None, event: PlayerRegistered) -> Home:
    return Home(event.player, player=Player(event.mission))


def _in_mission(change: Callable[[Mission, Any], None]) -> Callable[[Home | None, Any], Home | None]:
    """A change of a mission as a change of its home."""

    def changed(home: Home | None, event: Any) -> Home | None:
        if home is not None and home.mission is not None:
            change(home.mission, event)
        return home

    return changed


_CHANGES: dict[type[Event], Callable[[Mission, Any], None]] = {
    AllotmentMade: _allotted,
    Accounted: _accounted,
    PlayerJoined: _joined,
    SceneOpened: _opened,
    Placed: _placed,
    ReserveAmended: _reserve_amended,
}

MISSION_EVOLVE: dict[type[Event], Callable[[Home | None, Any], Home | None]] = {
    **{kind: _in_mission(change) for kind, change in _CHANGES.items()},
    MissionStarted: _started,
    PlayerRegistered: _registered,
}
"""By type of event, how it changes a mission's home or a player's."""
