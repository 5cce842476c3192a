"""The steps of a Narration: moves, attacks, tests, and the effects that are steps of their own (A5, A7, A13, A15)."""

from collections.abc import Iterator
from typing import Any

import msgspec

from workers.kernel.events import Event
from workers.kernel.odds import Term
from workers.kernel.orders import Booked
from workers.rules.anarchy.entities import Character
from workers.rules.anarchy.events import BrokeDown, Healed, Moved, Tried
from workers.rules.anarchy.orders import Attack, Breakdown, FirstAid, Move, Narrate, NewThreat, Trial
from workers.rules.anarchy.phases.attacks import Blow, attack, risks, usable
from workers.rules.anarchy.phases.stage import Play, Stage
from workers.rules.anarchy.pools import complication_dice, nd_of_pool, pool_of, terms_of, throw
from workers.rules.anarchy.tables import DIFFICULTIES, WELL_DISPOSED_DICE, Effect, degree_of


def step_of(stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int) -> Iterator[Event]:
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
    """A1: one place, within the row (both judged before: nobody else moves a character); the second is bought with
    *go!* (A13).
    """
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
    if target is None:
        yield stage.step_void(booked, i, "target_out")
        return
    weapon = usable(stage, character, step.weapon, target)
    if isinstance(weapon, str):
        yield stage.step_void(booked, i, weapon)
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


class Contest(msgspec.Struct, frozen=True, gc=False):
    """What a test is rolled on and against (A5): `nd_terms` make up an opponent's ND."""

    on: str
    nd: int
    modifier: tuple[Term, ...] = ()
    nd_terms: tuple[Term, ...] = ()


def _contest(stage: Stage, step: Trial, opponent: Character | None) -> Contest | None:
    """A5: a challenge with its difficulty and modifier, or an opponent's pool; None where the opponent isn't there."""
    challenge = stage.scene.challenges.get(step.challenge)
    if challenge is not None:
        modifier = (Term(challenge.name, challenge.modifier),) if challenge.modifier else ()
        return Contest(challenge.on, DIFFICULTIES[challenge.difficulty], modifier)
    if opponent is None:
        return None
    terms = terms_of(opponent.sheet, opponent.broken, step.against)
    return Contest(step.on, nd_of_pool(pool_of(terms)), (), terms)


def _trial(stage: Stage, character: Character, booked: Booked[Narrate, Any], i: int, step: Trial) -> Iterator[Event]:
    """A7: a test changes no state by itself."""
    opponent = stage.scene.present(step.opponent) if step.opponent else None
    contest = _contest(stage, step, opponent)
    if contest is None:
        yield stage.step_void(booked, i, "target_out")
        return
    extra, glitch, luck = yield from _favours(stage, character, booked, i, step)
    if opponent is not None:
        yield from stage.reveal(opponent)
    terms = (*terms_of(character.sheet, character.broken, contest.on), *contest.modifier, *extra)
    added = yield from risks(stage, character, step.opponent, character, 1, character.id)
    complication = complication_dice(character.sheet, character.broken, contest.on)
    path = f"narrations/{booked.id}/test"
    roll = throw(stage.context.dice, path, pool_of(terms), glitch + added, complication, luck)
    margin = roll.hits - contest.nd
    yield Tried(
        camp=character.camp,
        scene=stage.home,
        witnesses=stage.watch,
        against=opponent.camp if opponent is not None else "",
        character=character.id,
        roll=roll,
        terms=terms,
        order=booked.id,
        on=contest.on,
        challenge=step.challenge,
        opponent=step.opponent,
        pair=step.against,
        nd=contest.nd,
        nd_terms=contest.nd_terms,
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
