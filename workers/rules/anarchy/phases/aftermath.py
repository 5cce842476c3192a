"""Aftermath: scenes settle and end, missions start, scenes open, characters travel, for the next Turn (A16–A18).

Four supersteps: each scene hands its account to its mission; the mission directs; scenes let go of who leaves; scenes
take in who comes.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from workers.kernel.events import Event, Mail
from workers.kernel.orders import Booked
from workers.kernel.phases import Context
from workers.rules.anarchy.entities import GM, PLAYERS, Campaign, Character, Home, Scene, fresh
from workers.rules.anarchy.events_aftermath import (
    Arrived,
    EndReason,
    Left,
    Lurks,
    PurseCame,
    SceneEnded,
    SceneFounded,
    Settled,
)
from workers.rules.anarchy.events_mission import (
    Account,
    Arrival,
    Departure,
    Founding,
    Joining,
    PlayerRegistered,
    PurseSent,
)
from workers.rules.anarchy.legal import faults
from workers.rules.anarchy.legal_mission import join_faults
from workers.rules.anarchy.names import joined, owner_of
from workers.rules.anarchy.orders import Close, Join
from workers.rules.anarchy.phases.stage import witnesses
from workers.rules.anarchy.phases.voids import by_initiative, first_fault, void
from workers.rules.anarchy.reasons import Reason
from workers.rules.anarchy.see import see, see_scene
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import sheet_of


def settle(
    home: Home | None, orders: Sequence[Booked[Any, Any]], mail: Sequence[Mail], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """A scene hands in its account and ends if it must; a player who joins late is registered."""
    if home is not None and home.scene is not None:
        yield from _settle(home.id, home.scene, orders, context)
    elif orders:
        yield from _register(home, orders, context)


def _register(
    home: Home | None, orders: Sequence[Booked[Any, Any]], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """A18: one mission a player; of several joins the first in ascending initiative is kept (K6)."""
    known = see(home, None, GM) if home is not None else None
    registered = False
    for booked in by_initiative(orders, context.dice):
        order = booked.order
        if not isinstance(order, Join):
            yield void(booked, "gone")
            continue
        reason: Reason | None = "already_belongs" if registered else first_fault(join_faults(order, known))
        if reason:
            yield void(booked, reason)
            continue
        registered = True
        characters = tuple(
            fresh(joined(order.player, spec.id), sheet_of(spec, context.settings), order.player)
            for spec in order.characters
        )
        yield PlayerRegistered(order.player, order.mission)
        yield Joining(order.mission, order.player, characters)


def _settle(
    key: str, scene: Scene, orders: Sequence[Booked[Any, Any]], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """A16: leftovers, spent points and complications go to the reserve. A17: does the scene end?"""
    closed = False
    for booked in orders:
        if not isinstance(booked.order, Close):
            yield void(booked, "gone")
        elif reason := first_fault(faults(booked.order, see_scene(scene, GM), booked.camp, context.settings)):
            yield void(booked, reason)
        else:
            closed = True
    ending = ending_of(scene, closed)
    account = Account(
        to=owner_of(key),
        scene=key,
        points=scene.allotment + scene.due,
        fallen=tuple(scene.fallen),
        appeared=tuple(scene.appeared),
        ended=ending is not None,
        characters=tuple(_home_from(scene.characters[name]) for name in sorted(scene.characters)) if ending else (),
        purses=dict(scene.points) if ending else {},
    )
    if account.points or account.fallen or account.appeared or account.ended:
        yield account
    if ending is not None:
        yield SceneEnded(PLAYERS, key, witnesses(scene), scene.title, ending)
    elif account.points or account.fallen or account.appeared or scene.front or scene.void:
        yield Settled(key)


def ending_of(scene: Scene, closed: bool) -> EndReason | None:
    """Why the scene ends: None when it goes on. A side ends it when all its characters here are out, where it has any;
    the hidden ones don't count (A17).
    """
    if scene.closing or closed:
        return "mission" if scene.closing else "closed"
    sides: tuple[tuple[bool, EndReason], ...] = ((True, "players_out"), (False, "gm_out"))
    for side, reason in sides:
        counted = [one for one in scene.characters.values() if bool(one.player) == side and not one.hidden]
        if counted and all(character.out for character in counted):
            return reason
    return None


def _home_from(character: Character) -> Character:
    """A character as the end of a scene leaves it: armour restored (A17)."""
    return msgspec.structs.replace(character, armour=character.sheet.armour, worn=[], place=0, since=0)


# --- Travel -----------------------------------------------------------------------------------------------------------


def travel(
    home: Home | None, orders: Sequence[Booked[Any, Any]], mail: Sequence[Mail], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """A scene comes into being, lets go of who leaves, takes in who comes."""
    scene = home.scene if home is not None else None
    for letter in mail:
        if isinstance(letter, Founding) and home is None:
            scene = letter.founded
            yield SceneFounded(letter.to, letter.founded)
    if scene is None:
        return
    for letter in mail:
        if isinstance(letter, Departure):
            yield from _depart(scene, letter, context.tick)
    for letter in mail:
        if isinstance(letter, PurseSent):
            yield PurseCame(letter.to, letter.player, letter.points)
    yield from _arrive(scene, mail)


def _depart(scene: Scene, letter: Departure, tick: int) -> Iterator[Event]:
    """A18: a character goes to its next scene; A16: a player's points live where its characters are."""
    if letter.character:
        leaving = scene.characters[letter.character]
        yield Left(letter.to, leaving.id, leaving.player)
        yield Arrival(letter.target, arriving(leaving, letter.place, tick))
    else:
        points = scene.points[letter.player]
        yield Left(letter.to, "", letter.player)
        yield PurseSent(letter.target, letter.player, points)


def arriving(character: Character, place: int, tick: int) -> Character:
    """A character on its way to a place: in the new scene nothing has broken down yet (A13)."""
    return msgspec.structs.replace(character, place=place, worn=[], since=tick)


def _arrive(scene: Scene, mail: Iterable[Mail]) -> Iterator[Event]:
    arrivals = sorted(
        (letter for letter in mail if isinstance(letter, Arrival)), key=lambda letter: letter.character.id
    )
    newcomers = {letter.character.player for letter in arrivals if letter.character.player}
    watch = tuple(sorted({*witnesses(scene), *newcomers}))
    for letter in arrivals:
        one = letter.character
        if one.hidden:
            yield Lurks(letter.to, one.id, one.place, one)
        else:
            yield Arrived(one.camp, letter.to, watch, one.id, one.place, one)
