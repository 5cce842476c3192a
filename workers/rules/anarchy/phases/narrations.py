"""Narrations: each character's, in turn order, with all that answers them (A13, A14, A16)."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from workers.kernel.events import Event, Mail
from workers.kernel.orders import Booked
from workers.kernel.phases import Context
from workers.rules.anarchy.entities import Campaign, Character, Home
from workers.rules.anarchy.events import Intervened, Mended, Narrated
from workers.rules.anarchy.orders import Interrupt, Intervene, Narrate
from workers.rules.anarchy.phases.stage import Play, Stage, payer_of
from workers.rules.anarchy.phases.steps import step_of
from workers.rules.anarchy.phases.voids import void
from workers.rules.anarchy.settings import Settings


def decide(
    home: Home | None, orders: Sequence[Booked[Any, Any]], mail: Sequence[Mail], context: Context[Campaign, Settings]
) -> Iterator[Event]:
    """Play a scene's Turn: each character that is in it narrates or passes, in turn order."""
    scene = home.scene if home is not None else None
    if home is None or scene is None:
        return
    live = [booked for booked in orders if booked.id not in scene.void]
    stage = Stage(home.id, scene, live, context)
    front = tuple(scene.front)
    for name in stage.order:
        character = scene.characters[name]
        booked = stage.narrations.get(name)
        if booked is None:
            if name not in stage.narrated and not character.out:
                yield from _mend(stage, character, tuple(character.broken))
        elif character.out:
            del stage.narrations[name]
            yield void(booked, "out")
        else:
            yield from _with_interruptions(stage, character, booked, name in front)


def _with_interruptions(
    stage: Stage, character: Character, booked: Booked[Narrate, Any], interrupts: bool
) -> Iterator[Event]:
    """A Narration, and right after it those that interrupt: each is followed first by those that interrupt it (A16)."""
    yield from _narrate(stage, character, booked, interrupts)
    waiting = [_triggered(stage, character)]
    while waiting:
        follower = yield from _next_to_interrupt(stage, waiting[-1])
        if follower is None:
            waiting.pop()
        else:
            yield from _narrate(stage, *follower, True)
            waiting.append(_triggered(stage, follower[0]))


def _narrate(stage: Stage, character: Character, booked: Booked[Narrate, Any], interrupts: bool) -> Iterator[Event]:
    """One Narration: interventions as it begins, its steps, what mends at its end."""
    name = character.id
    del stage.narrations[name]
    stage.narrated.append(name)
    stage.bought = {(payer_of(character), "interruption")} if interrupts else set()
    mends = tuple(character.broken)
    yield from stage.reveal(character)
    cause: Literal["turn", "interruption"] = "interruption" if interrupts else "turn"
    yield Narrated(character.camp, stage.home, stage.watch, name, booked.id, cause, booked.order.text)
    yield from _interventions(stage, character)
    for i in range(len(booked.order.steps)):
        if character.out:
            yield stage.step_void(booked, i, "out")
        else:
            yield from step_of(stage, character, booked, i)
    yield from _mend(stage, character, mends)


def _mend(stage: Stage, character: Character, things: tuple[str, ...]) -> Iterator[Event]:
    """A13: what was broken when the Narration or pass began works again at its end."""
    if things:
        yield Mended(character.camp, stage.home, stage.watch, character.id, things)


def _interventions(stage: Stage, narrator: Character) -> Iterator[Event]:
    """A13: short texts of others within this Narration."""

    def fits(character: Character, order: Intervene) -> bool:
        return order.by == narrator.id and character.id != narrator.id

    for character, booked in stage.ready(Intervene, narrator.id, fits):
        fires = yield from stage.afford(character, booked, 1)
        if fires:
            text = booked.order.text
            yield Intervened(character.camp, stage.home, stage.watch, character.id, narrator.id, text)


def _triggered(stage: Stage, narrator: Character) -> Iterator[tuple[Character, Booked[Interrupt, Any]]]:
    """The interruptions that a Narration triggers, in turn order from its narrator."""

    def fits(character: Character, order: Interrupt) -> bool:
        return not order.front and order.by in ("", narrator.id) and character.id != narrator.id

    return stage.ready(Interrupt, narrator.id, fits)


def _next_to_interrupt(
    stage: Stage, triggered: Iterator[tuple[Character, Booked[Interrupt, Any]]]
) -> Play[tuple[Character, Booked[Narrate, Any]] | None]:
    """The next whose interruption fires, with the Narration that it starts: it needs one of its own that hasn't been
    played and that no interruption has brought to the front already (A13, A16).
    """
    for character, booked in triggered:
        narration = stage.narrations.get(character.id)
        if narration is None:
            yield from stage.hold(booked, "no_narration")
            continue
        if character.id in stage.scene.front:
            yield from stage.hold(booked, "in_front")
            continue
        stage.bought = set()
        fires = yield from stage.afford(character, booked, 1)
        if fires:
            return character, narration
    return None
