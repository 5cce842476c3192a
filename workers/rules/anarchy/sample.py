"""Legal orders for a tick, drawn from dice: what plays the game in the demo, the bench and the conformance kit."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from workers.kernel.dice import Dice, Stream
from workers.kernel.orders import Order
from workers.rules.anarchy.check import commands
from workers.rules.anarchy.entities import GM, Character, Home, Mission, Scene, Weapon
from workers.rules.anarchy.legal_narration import APPLICABLE
from workers.rules.anarchy.names import owner_of
from workers.rules.anarchy.orders import (
    Allot,
    AnyStep,
    Attack,
    Breakdown,
    FirstAid,
    Grant,
    Interpose,
    Interrupt,
    Intervene,
    Luck,
    Move,
    Narrate,
    Open,
    Place,
    Riposte,
    Risk,
    StandingOrder,
    Start,
    Threat,
    Trial,
)
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import CharacterSpec, hands
from workers.rules.anarchy.tables import PAIRS, PLAYER_MOST, Effect

Sampled = tuple[str, str, Order]


def sample(homes: Iterable[Any], shared: Any, settings: Settings, tick: int, dice: Dice) -> Iterator[Sampled]:
    """About one Narration a character, with standing reactions, grants and allotments, as (camp, actor, order)."""
    for home in homes:
        if home.scene is not None:
            stream = dice.stream(f"sample/{home.id}/{tick}")
            for camp, order in _scene(home, home.scene, settings, tick, stream):
                yield camp, commands(order)[0], order
        elif home.mission is not None:
            for order in _mission(home, home.mission, tick):
                yield GM, home.id, order


# --- Missions ---------------------------------------------------------------------------------------------------------


def _mission(home: Home, mission: Mission, tick: int) -> Iterator[Order]:
    """The reserve shared out over the scenes; where all scenes have ended, a start, a scene, everybody in it."""
    scenes = sorted(mission.scenes)
    for i, scene in enumerate(scenes):
        points = (mission.reserve + len(scenes) - 1 - i) // len(scenes)
        if points:
            yield Allot(home.id, scene, points)
    if scenes:
        for name in sorted(mission.wings):
            purse = mission.players.get(owner_of(name))
            target = purse.scene if purse is not None and purse.scene else scenes[0]
            if name not in mission.out:
                yield Place(home.id, name, target)
    elif mission.out:
        yield Start(home.id)
    elif mission.players:
        gms = any(owner_of(name) == home.id for name in mission.wings)
        cast = () if gms else (CharacterSpec(f"guard-{tick}", level="minion", place=1),)
        yield Open(home.id, f"scene-{tick}", "The next morning", ("street", "hall", "roof"), cast=cast)


# --- Scenes -----------------------------------------------------------------------------------------------------------


def _scene(home: Home, scene: Scene, settings: Settings, tick: int, stream: Stream) -> Iterator[tuple[str, Order]]:
    """A scene's orders. Every other tick the first player's character that can pay it takes the front of the Turn."""
    budget = dict(scene.points)  # without this tick's grants, so that it doesn't matter which camp sends first
    for player in sorted(scene.points):
        if scene.points[player] < PLAYER_MOST and stream.below(2) == 0:
            yield GM, _grant(home.id, scene, player, stream)
    threat = scene.threats > 0 and "new_threat" in settings.effects and stream.below(8) == 0
    if threat:
        level = scene.threat_level
        yield GM, Threat(home.id, "a patrol", level, stream.below(len(scene.places)))
    present = [scene.characters[name] for name in sorted(scene.characters) if not scene.characters[name].out]
    leaders = [one.id for one in present if scene.points.get(one.player, 0)] if tick % 2 else []
    for character in present:
        yield from _character(home.id, scene, character, settings, budget, stream, character.id in leaders[:1])


def _grant(key: str, scene: Scene, player: str, stream: Stream) -> Grant:
    lines = [
        trait.name
        for one in scene.characters.values()
        if one.player == player and not one.out
        for trait in one.sheet.traits
        if trait.kind == "line"
    ]
    if lines and stream.below(2) == 0:
        return Grant(key, player, "line", lines[0])
    return Grant(key, player, "narration")


def _character(
    key: str,
    scene: Scene,
    character: Character,
    settings: Settings,
    budget: dict[str, int],
    stream: Stream,
    leads: bool,
) -> Iterator[tuple[str, Order]]:
    """A character's Narration, and two or three standing orders."""
    others = [one for one in scene.characters.values() if one.id != character.id and not one.out]
    foes = sorted(one.id for one in others if one.camp != character.camp and not (character.player and one.hidden))
    friends = sorted(one.id for one in others if one.camp == character.camp and not one.hidden)
    steps = _steps(scene, character, foes, friends, settings, budget, stream)
    yield character.camp, Narrate(key, character.id, _TEXTS[stream.below(len(_TEXTS))], steps)
    for order in _standing(key, character, friends, settings, stream, leads):
        if order.effect is None or order.effect in settings.effects:
            yield character.camp, order


def _standing(
    key: str, character: Character, friends: list[str], settings: Settings, stream: Stream, leads: bool
) -> Iterator[StandingOrder]:
    """Two or three standing orders of a character."""
    name = character.id
    if stream.below(3):
        weapon = max(_working(character, settings), key=lambda weapon: weapon.range)
        yield Riposte(key, name, weapon.name)
    if stream.below(8):
        yield Interpose(key, name)
    if leads:
        yield Interrupt(key, name, front=True)
    elif stream.below(5) == 0:
        yield Interrupt(key, name, front=stream.below(2) == 0)
    if stream.below(4) == 0:
        yield Risk(key, name)
    if character.luck and stream.below(3) == 0:
        yield Luck(key, name)
    if friends and stream.below(12) == 0:
        yield Intervene(key, name, friends[stream.below(len(friends))], "And then the lights went out.")


_TEXTS = ("I go in first.", "Slowly now.", "Nobody saw that coming.", "They will hear of this.")


def _working(character: Character, settings: Settings) -> list[Weapon]:
    found = [weapon for weapon in character.sheet.weapons if weapon.name not in character.broken]
    return [*found, hands(settings)]


def _steps(
    scene: Scene,
    character: Character,
    foes: list[str],
    friends: list[str],
    settings: Settings,
    budget: dict[str, int],
    stream: Stream,
) -> tuple[AnyStep, ...]:
    """Mostly an attack on a foe in reach, after a move where that brings one in reach; else a test; sometimes an
    effect.
    """

    def buys(effect: Effect, one_in: int) -> bool:
        if effect not in settings.effects or stream.below(one_in):
            return False
        if not character.player:
            return True
        if budget[character.player] < 2:  # one point is kept for reactions
            return False
        budget[character.player] -= 1
        return True

    steps: list[AnyStep] = []
    place = character.place
    foe = scene.characters[foes[stream.below(len(foes))]] if foes else None
    if foe is not None and abs(foe.place - place) > 1:
        place += 1 if foe.place > place else -1
        steps.append(Move(place))
    roll = _attack(character, foe, place, settings, stream) or _trial(scene, character, stream)
    if roll is not None:
        steps.append(_favoured(roll, character, buys, stream))
    hurt = [name for name in friends if scene.characters[name].physical]
    if hurt and buys("first_aid", 3):
        steps.append(FirstAid(hurt[0], "physical"))
    if foe is not None and buys("breakdown", 10):
        things = [one.name for one in foe.sheet.weapons if one.name not in (*foe.broken, *foe.worn)]
        if things:
            steps.append(Breakdown(foe.id, things[0]))
    return tuple(steps)


def _favoured(
    roll: Attack | Trial, character: Character, buys: Callable[[Effect, int], bool], stream: Stream
) -> Attack | Trial:
    """A roll with what favours it, sometimes."""
    fit = [one.name for one in character.sheet.traits if one.kind in APPLICABLE and one.name not in character.broken]
    disposed = fit[0] if fit and buys("well_disposed", 6) else ""
    luck = character.luck > 0 and stream.below(4) == 0
    risk = buys("risk", 2)
    if isinstance(roll, Attack):
        special = "disarm" if risk and stream.below(2) == 0 else ""
        return Attack(roll.target, roll.weapon, luck, disposed, risk, special)
    return Trial(roll.challenge, luck=luck, well_disposed=disposed, risk=risk)


def _attack(
    character: Character, foe: Character | None, place: int, settings: Settings, stream: Stream
) -> Attack | None:
    if foe is None or stream.below(6) == 0:
        return None
    reach = abs(foe.place - place)
    weapon = next((one for one in _working(character, settings) if one.range >= reach), None)
    return None if weapon is None else Attack(foe.id, weapon.name)


def _trial(scene: Scene, character: Character, stream: Stream) -> Trial | None:
    sheet = character.sheet
    open_to = sorted(
        name
        for name, challenge in scene.challenges.items()
        if sheet.level is not None or challenge.on in sheet.skills or challenge.on in PAIRS
    )
    return Trial(open_to[stream.below(len(open_to))]) if open_to else None
