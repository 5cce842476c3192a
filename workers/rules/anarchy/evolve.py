"""How events change a scene: the only way that its state changes."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from workers.kernel.events import Event
from workers.rules.anarchy.entities import GM, TRACKS, Character, Home, Scene
from workers.rules.anarchy.events import (
    Allotted,
    Attacked,
    BrokeDown,
    Granted,
    Healed,
    Hurt,
    Interposed,
    Mended,
    Moved,
    PointSpent,
    Revealed,
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
from workers.rules.anarchy.events_mission import ConditionAmended, PointsAmended
from workers.rules.anarchy.pools import Roll


def _granted(scene: Scene, event: Granted) -> None:
    scene.points[event.player] = event.points


def _allotted(scene: Scene, event: Allotted) -> None:
    scene.allotment += event.points


def _spent(scene: Scene, event: PointSpent) -> None:
    if event.camp == GM:
        scene.allotment -= 1
    else:
        scene.points[event.payer] -= 1
        scene.due += 1


def _turn_began(scene: Scene, event: TurnBegan) -> None:
    scene.front = list(event.front)
    scene.void = list(event.void_orders)


def _revealed(scene: Scene, event: Revealed) -> None:
    scene.characters[event.character].hidden = False


def _moved(scene: Scene, event: Moved) -> None:
    scene.characters[event.character].place = event.place


def _rolled(scene: Scene, character: Character, roll: Roll) -> None:
    """A4: luck is spent; A9: a complication of a player's character is due to the reserve."""
    if roll.luck:
        character.luck -= 1
    if character.player:
        scene.due += roll.complications


def _rolled_against(scene: Scene, name: str, pair: str, nd: int) -> None:
    """A19: once a GM's character is rolled against with a pair, its ND for that pair is known."""
    character = scene.characters.get(name)
    if character is not None and not character.player:
        character.met_nds[pair] = nd


def _tested(scene: Scene, event: Tried) -> None:
    _rolled(scene, scene.characters[event.character], event.roll)
    _rolled_against(scene, event.opponent, event.pair, event.nd)


def _attacked(scene: Scene, event: Attacked) -> None:
    _rolled(scene, scene.characters[event.character], event.roll)
    if event.defence is None:
        _rolled_against(scene, event.target, event.pair, event.nd)
    else:
        _rolled(scene, scene.characters[event.target], event.defence)


def _interposed(scene: Scene, event: Interposed) -> None:
    if event.defence is None:
        _rolled_against(scene, event.character, event.pair, event.nd)
    else:
        _rolled(scene, scene.characters[event.character], event.defence)


def _hurt(scene: Scene, event: Hurt) -> None:
    character = scene.characters[event.character]
    character.armour -= event.armour
    if event.track == "physical":
        character.physical += event.boxes
    else:
        character.stun += event.boxes
    if event.out:
        character.out = True
        scene.fallen.append(character.id)


def _broke_down(scene: Scene, event: BrokeDown) -> None:
    character = scene.characters[event.character]
    character.broken.append(event.thing)
    character.worn.append(event.thing)


def _mended(scene: Scene, event: Mended) -> None:
    character = scene.characters[event.character]
    character.broken = [thing for thing in character.broken if thing not in event.things]


def _healed(scene: Scene, event: Healed) -> None:
    character = scene.characters[event.character]
    if event.heals == "armour":
        character.armour += 1
    elif event.heals == "physical":
        character.physical -= 1
    else:
        character.stun -= 1


def _threat_came(scene: Scene, event: ThreatCame) -> None:
    sheet = event.sheet
    scene.characters[event.character] = Character(event.character, sheet, place=event.place, armour=sheet.armour)
    scene.appeared.append(event.character)
    scene.threats -= 1


def _closing(scene: Scene, event: ClosingTold) -> None:
    scene.closing = True


def _settled(scene: Scene, event: Settled) -> None:
    scene.allotment = scene.due = 0
    scene.front = []
    scene.void = []
    scene.fallen = []
    scene.appeared = []


def _left(scene: Scene, event: Left) -> None:
    if event.character:
        del scene.characters[event.character]
        if event.character in scene.seats:
            scene.seats.remove(event.character)
    else:
        del scene.points[event.player]


def _arrived(scene: Scene, event: Arrived | Lurks) -> None:
    """A16: newcomers sit last, several at once by id; the GM's characters sit at the GM's seat."""
    character = deepcopy(event.record)
    scene.characters[character.id] = character
    if character.player:
        at_once = [name for name in scene.seats if scene.characters[name].since == character.since]
        before = [name for name in scene.seats if name not in at_once]
        scene.seats = [*before, *sorted((*at_once, character.id))]


def _purse_came(scene: Scene, event: PurseCame) -> None:
    scene.points[event.player] = event.points


def _points_amended(scene: Scene, event: PointsAmended) -> None:
    if event.player in scene.points:
        scene.points[event.player] = event.points


def _condition_amended(scene: Scene, event: ConditionAmended) -> None:
    """A10: a full track takes the character out, and who is out stays so."""
    character = scene.characters.get(event.character)
    if character is not None:
        character.physical = min(event.physical, character.sheet.physical)
        character.stun = min(event.stun, character.sheet.stun)
        character.armour = min(event.armour, character.sheet.armour)
        character.luck = min(event.luck, character.sheet.luck)
        full = any(character.filled(track) == character.sheet.boxes(track) for track in TRACKS)
        if full and not character.out:
            character.out = True
            scene.fallen.append(character.id)


def _in_scene(change: Callable[[Scene, Any], None]) -> Callable[[Home | None, Any], Home | None]:
    """A change of a scene as a change of its home."""

    def changed(home: Home | None, event: Any) -> Home | None:
        if home is not None and home.scene is not None:
            change(home.scene, event)
        return home

    return changed


def _ended(home: Home | None, event: SceneEnded) -> None:
    return None


def _founded(home: Home | None, event: SceneFounded) -> Home:
    return Home(event.key, scene=deepcopy(event.founded))


_CHANGES: dict[type[Event], Callable[[Scene, Any], None]] = {
    Granted: _granted,
    Allotted: _allotted,
    PointSpent: _spent,
    TurnBegan: _turn_began,
    Revealed: _revealed,
    Moved: _moved,
    Tried: _tested,
    Attacked: _attacked,
    Interposed: _interposed,
    Hurt: _hurt,
    BrokeDown: _broke_down,
    Mended: _mended,
    Healed: _healed,
    ThreatCame: _threat_came,
    ClosingTold: _closing,
    Settled: _settled,
    Left: _left,
    Arrived: _arrived,
    Lurks: _arrived,
    PurseCame: _purse_came,
    PointsAmended: _points_amended,
    ConditionAmended: _condition_amended,
}

SCENE_EVOLVE: dict[type[Event], Callable[[Home | None, Any], Home | None]] = {
    **{kind: _in_scene(change) for kind, change in _CHANGES.items()},
    SceneEnded: _ended,
    SceneFounded: _founded,
}
"""By type of event, how it changes a scene's home."""
