"""The mission directs: accounts, joins, starts, scenes open, characters are placed (A16, A18)."""

from collections.abc import Iterator, Sequence
from typing import Any

from workers.kernel.events import Event, Mail
from workers.kernel.orders import Booked
from workers.kernel.phases import Context
from workers.rules.anarchy.entities import GM, Campaign, Home, Mission, Scene, fresh
from workers.rules.anarchy.events_mission import (
    Account,
    Accounted,
    Arrival,
    Departure,
    Founding,
    Joining,
    MissionStarted,
    Placed,
    PlayerJoined,
    PurseSent,
    ReserveSettled,
    SceneOpened,
)
from workers.rules.anarchy.legal_mission import open_faults, place_faults, start_faults
from workers.rules.anarchy.names import joined, owner_of
from workers.rules.anarchy.orders import Open, Place, Start
from workers.rules.anarchy.phases.aftermath import arriving
from workers.rules.anarchy.phases.voids import all_void, by_initiative, first_fault, void
from workers.rules.anarchy.see import see, see_mission
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import sheet_of
from workers.rules.anarchy.tables import PLAYER_START, RESERVE_START


def direct(
    home: Home | None, orders: Sequence[Booked[Any, Any]], mail: Sequence[Mail], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """A mission's aftermath: ends, joins, starts, openings, placements, in this order."""
    in_turn = by_initiative(orders, context.dice)
    starts = [booked for booked in in_turn if isinstance(booked.order, Start)]
    if home is None or home.mission is None:
        yield from _begin(home, starts)
        yield from all_void((booked for booked in in_turn if booked not in starts), "gone")
        return
    mission = home.mission
    accounts = [letter for letter in mail if isinstance(letter, Account)]
    for account in accounts:
        yield _accounted(home.id, account)
    for letter in mail:
        if isinstance(letter, Joining):
            yield _joined(home.id, mission, letter)
    if starts:
        yield from _restart(home.id, mission, starts)
    if starts or any(account.points for account in accounts):
        yield ReserveSettled(home.id, players_of(mission), mission.reserve)
    yield from _openings(home.id, mission, in_turn, context)
    yield from _placements(home.id, mission, in_turn, context)


def players_of(mission: Mission) -> tuple[str, ...]:
    """The players on the roster."""
    return tuple(sorted(mission.players))


def _accounted(key: str, account: Account) -> Accounted:
    return Accounted(
        key,
        account.scene,
        account.points,
        account.fallen,
        account.appeared,
        account.ended,
        account.characters,
        account.purses,
    )


def _joined(key: str, mission: Mission, letter: Joining) -> PlayerJoined:
    """A18: a player who joins late starts with 3."""
    names = tuple(character.id for character in letter.characters)
    watch = tuple(sorted((*mission.players, letter.player)))
    return PlayerJoined(key, watch, letter.player, names, PLAYER_START, letter.characters)


def _begin(home: Home | None, starts: list[Booked[Any, Any]]) -> Iterator[Event]:
    """A18: a mission that isn't there comes into being, under a name that nobody has."""
    begun = False
    for booked in starts:
        order = booked.order
        reason = first_fault(start_faults(order, see(home, None, GM) if home is not None else None))
        if reason or begun:
            yield void(booked, reason or "started_twice")
            continue
        begun = True
        title = order.title or order.mission
        yield MissionStarted(order.mission, (), title, RESERVE_START, PLAYER_START, True)


def _restart(key: str, mission: Mission, starts: list[Booked[Any, Any]]) -> Iterator[Event]:
    """A18: its scenes have ended and all leftovers are in; now the points of A11 are set."""
    for i, booked in enumerate(starts):
        if i:
            yield void(booked, "started_twice")
            continue
        title = booked.order.title or mission.title
        yield MissionStarted(key, players_of(mission), title, RESERVE_START, PLAYER_START, False)


def _openings(
    key: str, mission: Mission, orders: Sequence[Booked[Any, Any]], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """A18: scenes open, each told to its new home, where it comes into being."""
    for booked in orders:
        order = booked.order
        if not isinstance(order, Open):
            continue
        reason = first_fault(open_faults(order, see_mission(mission, GM)))
        if reason:
            yield void(booked, reason)
            continue
        opened = joined(key, order.name)
        scene = scene_of(key, order, context)
        known = tuple(sorted(name for name, one in scene.characters.items() if not one.hidden))
        whole = tuple(sorted(scene.characters))
        yield SceneOpened(key, players_of(mission), opened, order.title, order.places, known, whole)
        yield Founding(opened, scene)


def scene_of(mission: str, order: Open, context: Context[Campaign, Settings]) -> Scene:
    """The scene of an order that opens one, its cast in place."""
    settings = context.settings
    scene = Scene(
        title=order.title,
        places=order.places,
        since=context.tick,
        challenges={challenge.name: challenge for challenge in order.challenges},
        threats=settings.threats if order.threats is None else order.threats,
        threat_level=order.threat_level or settings.threat_level,
    )
    for spec in order.cast:
        name = joined(mission, spec.id)
        scene.characters[name] = fresh(name, sheet_of(spec, settings), "", spec.place, spec.hidden)
    return scene


def _placements(
    key: str, mission: Mission, orders: Sequence[Booked[Any, Any]], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """A18, A16: characters are placed; a player's that would be in two scenes at once are all void."""
    wanted: dict[str, Booked[Any, Any]] = {}
    for booked in orders:
        order = booked.order
        if not isinstance(order, Place):
            continue
        reason = first_fault(place_faults(order, see_mission(mission, GM), {}, False))
        if reason or order.character in wanted:
            yield void(booked, reason or "placed_twice")
        else:
            wanted[order.character] = booked
    split = _split(mission, wanted)
    for name in sorted(wanted):
        if owner_of(name) in split:
            yield void(wanted[name], "split")
        else:
            yield from _place(key, mission, wanted[name].order, context.tick)


def _split(mission: Mission, wanted: dict[str, Booked[Any, Any]]) -> list[str]:
    """The players whose characters that aren't out would be in more than one scene, after all placements."""
    found = []
    for player in sorted({owner_of(name) for name in wanted} & set(mission.players)):
        scenes = {
            wanted[name].order.scene if name in wanted else mission.where.get(name, "")
            for name in (*mission.where, *mission.wings)
            if owner_of(name) == player and name not in mission.out
        }
        if len(scenes - {""}) > 1:
            found.append(player)
    return found


def _place(key: str, mission: Mission, order: Place, tick: int) -> Iterator[Event]:
    """Send a character to a scene: from the wings, or by way of the scene where it is. A player's points go with it."""
    name = order.character
    purse = mission.players.get(owner_of(name))
    moves = purse is not None and purse.scene != order.scene
    source = mission.where.get(name, "")
    waiting = mission.wings.get(name)
    points_from = purse.scene if purse is not None else ""
    points = purse.points if purse is not None else 0
    yield Placed(key, name, order.scene, owner_of(name), moves)
    if waiting is not None:
        yield Arrival(order.scene, arriving(waiting, order.place, tick))
    else:
        yield Departure(source, order.scene, name, order.place)
    if moves and points_from:
        yield Departure(points_from, order.scene, player=owner_of(name))
    elif moves:
        yield PurseSent(order.scene, owner_of(name), points)
