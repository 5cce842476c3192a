"""Narrations: each character's, in turn order, with all that answers them (A13, A14, A16)."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from workers.kernel.events import Event, Mail
from workers.kernel.odds import Term
from workers.kernel.orders import Booked
from workers.kernel.phases import Context
from workers.rules.anarchy.entities import Campaign, Character, Home
from workers.rules.anarchy.events import BrokeDown, Healed, Intervened, Mended, Moved, Narrated, Tried
from workers.rules.anarchy.orders import (
    Attack,
    Breakdown,
    FirstAid,
    Interrupt,
    Intervene,
    Move,
    Narrate,
    NewThreat,
    Trial,
)
from workers.rules.anarchy.phases.attacks import Blow, attack, risks, unusable
from workers.rules.anarchy.phases.stage import Play, Stage, payer_of
from workers.rules.anarchy.phases.voids import void
from workers.rules.anarchy.pools import complication_dice, nd_of_pool, pool_of, terms_of, throw
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import weapon_of
from workers.rules.anarchy.tables import DIFFICULTIES, WELL_DISPOSED_DICE, Effect, degree_of


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
            yield from _step(stage, character, booked, i)
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


# --- Steps ------------------------------------------------------------------------------------------------------------


def _step(stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int) -> Iterator[Event]:
    """One step. One that has become impossible is void alone, and nothing of it is paid (A13)."""
    step = booked.order.steps[i]
    match step:
        case Move():
            return _move(stage, character, booked, i, step)
        case Attack():
            return _attack(stage, character, booked, i, step)
        case Trial():
            return _trial(stage, character, booked, i, step)
        case Breakdown():
            return _breakdown(stage, character, booked, i, step)
        case FirstAid():
            return _first_aid(stage, character, booked, i, step)
        case NewThreat():
            return _new_threat(stage, character, booked, i, step)


def _move(stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int, step: Move) -> Iterator[Event]:
    """A1: one place (within the row, which was judged before); the second is bought with *go!* (A13)."""
    if abs(step.to - character.place) != 1:
        yield stage.step_void(booked, i, "not_adjacent")
        return
    if step.go:
        if stage.scene.present(step.go) is None:
            yield stage.step_void(booked, i, "target_out")
            return
        paid = yield from _pay_whole(stage, character, booked, i, "go")
        if not paid:
            return
    yield Moved(character.camp, stage.home, stage.watch, character.id, step.to, step.go)


def _pay_whole(stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int, effect: Effect) -> Play[bool]:
    """Pay an effect without which its step is void whole (A13)."""
    if (payer_of(character), effect) in stage.bought:
        yield stage.step_void(booked, i, "bought")
        return False
    if not stage.can_pay(character):
        yield stage.step_void(booked, i, "points")
        return False
    yield from stage.pay(character, effect, booked.id)
    return True


def _favours(
    stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int, step: Attack | Trial
) -> Play[tuple[tuple[Term, ...], int, bool]]:
    """What the step's own roll is favoured with: the dice of *well-disposed*, the glitch dice of *risk*, luck. What
    can't be paid, is broken or is gone is left out (A4, A13).
    """
    extra: tuple[Term, ...] = ()
    glitch = 0
    if step.well_disposed:
        if step.well_disposed in character.broken:
            yield stage.left_out(booked, i, "well_disposed", "trait_broken")
        else:
            paid = yield from stage.buy(character, booked, i, "well_disposed")
            extra = (Term(step.well_disposed, WELL_DISPOSED_DICE),) if paid else ()
    if step.risk:
        paid = yield from stage.buy(character, booked, i, "risk")
        glitch = int(paid)
    if step.luck and character.luck < 1:
        yield stage.left_out(booked, i, "luck", "no_luck")
    return extra, glitch, step.luck and character.luck > 0


def _attack(stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int, step: Attack) -> Iterator[Event]:
    target = stage.scene.present(step.target)
    weapon = weapon_of(character.sheet, step.weapon, stage.context.settings)
    reason = "target_out" if target is None else unusable(stage, character, weapon, target)
    if target is None or weapon is None or reason is not None:
        yield stage.step_void(booked, i, reason or "unknown_weapon")
        return
    extra, glitch, luck = yield from _favours(stage, character, booked, i, step)
    yield from attack(
        stage,
        Blow(
            actor=character,
            target=target,
            weapon=weapon,
            order=booked.id,
            path=f"narrations/{booked.id}/attack",
            cause="narration",
            luck=luck,
            extra=extra,
            glitch=glitch,
            special=step.special,
        ),
    )


def _trial(stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int, step: Trial) -> Iterator[Event]:
    """A5, A7: a test against a challenge's difficulty, or an opponent's ND; it changes no state by itself."""
    opponent = stage.scene.present(step.opponent) if step.opponent else None
    challenge = stage.scene.challenges.get(step.challenge)
    nd_terms: tuple[Term, ...] = ()
    modifier: tuple[Term, ...] = ()
    if opponent is not None and step.against:
        on = step.on
        nd_terms = terms_of(opponent.sheet, opponent.broken, step.against)
        nd = nd_of_pool(pool_of(nd_terms))
    elif challenge is not None:
        on, nd = challenge.on, DIFFICULTIES[challenge.difficulty]
        modifier = (Term(challenge.name, challenge.modifier),) if challenge.modifier else ()
    else:
        yield stage.step_void(booked, i, "target_out")
        return
    extra, glitch, luck = yield from _favours(stage, character, booked, i, step)
    if opponent is not None:
        yield from stage.reveal(opponent)
    terms = (*terms_of(character.sheet, character.broken, on), *modifier, *extra)
    added = yield from risks(stage, character, step.opponent, character, 1, character.id)
    complication = complication_dice(character.sheet, character.broken, on)
    path = f"narrations/{booked.id}/test"
    roll = throw(stage.context.dice, path, pool_of(terms), glitch + added, complication, luck)
    margin = roll.hits - nd
    yield Tried(
        camp=character.camp,
        scene=stage.home,
        witnesses=stage.watch,
        against=opponent.camp if opponent is not None else "",
        character=character.id,
        roll=roll,
        terms=terms,
        order=booked.id,
        on=on,
        challenge=step.challenge,
        opponent=step.opponent,
        pair=step.against,
        nd=nd,
        nd_terms=nd_terms,
        margin=margin,
        outcome=degree_of(margin),
        special=step.special,
    )


def _breakdown(
    stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int, step: Breakdown
) -> Iterator[Event]:
    """A13: the thing stops; a thing at most once a scene."""
    owner = stage.scene.present(step.whose)
    if owner is None or step.thing in owner.worn or step.thing in owner.broken:
        yield stage.step_void(booked, i, "target_out" if owner is None else "worn")
        return
    paid = yield from _pay_whole(stage, character, booked, i, "breakdown")
    if paid:
        yield from stage.reveal(owner)
        weapon = owner.sheet.weapon(step.thing) is not None
        yield BrokeDown(owner.camp, stage.home, stage.watch, owner.id, character.id, "breakdown", weapon, step.thing)


def _first_aid(
    stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int, step: FirstAid
) -> Iterator[Event]:
    """A13: heals one point of another; void with nothing to heal."""
    patient = stage.scene.present(step.who)
    if patient is None:
        yield stage.step_void(booked, i, "target_out")
        return
    missing = {
        "armour": patient.sheet.armour - patient.armour,
        "physical": patient.physical,
        "stun": patient.stun,
    }[step.heals]
    if missing < 1:
        yield stage.step_void(booked, i, "nothing_to_heal")
        return
    paid = yield from _pay_whole(stage, character, booked, i, "first_aid")
    if paid:
        yield from stage.reveal(patient)
        yield Healed(patient.camp, stage.home, stage.watch, patient.id, character.id, step.heals)


def _new_threat(
    stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int, step: NewThreat
) -> Iterator[Event]:
    """A13, A15: brings in a GM's character; its first Narration is in the next Turn."""
    if stage.scene.threats < 1:
        yield stage.step_void(booked, i, "no_more_threats")
        return
    paid = yield from _pay_whole(stage, character, booked, i, "new_threat")
    if paid:
        yield stage.bring_in(character.id, booked, step.name, step.level, step.place)
