"""An attack: its roll, the defence that it meets, who steps in, what it does, and the riposte (A8–A10, A13)."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from workers.kernel.events import Event
from workers.kernel.odds import Term
from workers.rules.anarchy.entities import Character, Weapon
from workers.rules.anarchy.events import Attacked, BrokeDown, Hurt, Interposed
from workers.rules.anarchy.orders import Interpose, Luck, Riposte, Risk
from workers.rules.anarchy.phases.stage import Play, Stage
from workers.rules.anarchy.pools import Roll, complication_dice, defence_nd, pool_of, terms_of, throw
from workers.rules.anarchy.reasons import Reason
from workers.rules.anarchy.sheets import weapon_of
from workers.rules.anarchy.tables import degree_of

DISARM: Literal["disarm"] = "disarm"
"""The one special action that changes state: the others are words (A10)."""


class Blow(msgspec.Struct, frozen=True, gc=False):
    """One attack about to be rolled. `level` is 0 for a Narration's own, one more for each reaction that led to it
    (A14); `extra` are the dice of *well-disposed*, `glitch` the glitch dice that the step itself bought.
    """

    actor: Character
    target: Character
    weapon: Weapon
    order: str
    path: str
    cause: Literal["narration", "riposte"]
    level: int = 0
    luck: bool = False
    extra: tuple[Term, ...] = ()
    glitch: int = 0
    special: str = ""


class Defence(msgspec.Struct, frozen=True, gc=False):
    """What an attack must reach: a roll's hits, or an ND (A8)."""

    nd: int
    terms: tuple[Term, ...]
    roll: Roll | None


def risks(stage: Stage, roller: Character, other: str, actor: Character, depth: int, narrator: str) -> Play[int]:
    """The glitch dice that standing risks add to a roll: of the roller's own camp, on any roll but the Narration's own
    (`narrator`: whose own roll it is, if it is one; A13, A14).
    """

    def fits(character: Character, order: Risk) -> bool:
        return (
            character.camp == roller.camp
            and order.who in ("", roller.id)
            and order.by in ("", other)
            and character.id != narrator
        )

    added = 0
    for character, booked in stage.ready(Risk, actor.id, fits):
        fired = yield from stage.afford(character, booked, depth)
        added += fired
    return added


def attack(stage: Stage, blow: Blow) -> Iterator[Event]:
    """Roll an attack and everything that answers it."""
    actor, target, weapon = blow.actor, blow.target, blow.weapon
    yield from stage.reveal(target)
    terms = (*terms_of(actor.sheet, actor.broken, weapon.skill), *blow.extra)
    narrator = actor.id if blow.level == 0 else ""
    added = yield from risks(stage, actor, target.id, actor, blow.level + 1, narrator)
    complication = complication_dice(actor.sheet, actor.broken, weapon.skill)
    roll = throw(stage.context.dice, blow.path, pool_of(terms), blow.glitch + added, complication, blow.luck)
    defence = yield from _defend(stage, blow, target, "defence", blow.level)
    margin = roll.hits - defence.nd
    yield Attacked(
        camp=actor.camp,
        scene=stage.home,
        witnesses=stage.watch,
        against=target.camp,
        character=actor.id,
        roll=roll,
        terms=terms,
        order=blow.order,
        cause=blow.cause,
        target=target.id,
        weapon=weapon.name,
        pair=weapon.defence,
        nd=defence.nd,
        defence=defence.roll,
        defence_terms=defence.terms,
        margin=margin,
        outcome=degree_of(margin),
        special=blow.special,
    )
    if margin >= 0:
        victim, margin = yield from _interposition(stage, blow, roll, margin)
        if victim is not None:
            yield from _harm(stage, blow, victim, roll, margin)
    yield from _ripostes(stage, blow)


def _defend(stage: Stage, blow: Blow, defender: Character, label: str, level: int) -> Play[Defence]:
    """A8: a player's character rolls, a GM's stands by its ND. Luck on it was declared ahead (A4)."""
    pair = blow.weapon.defence
    terms = terms_of(defender.sheet, defender.broken, pair)
    if not defender.player:
        return Defence(defence_nd(defender.sheet, terms), terms, None)
    glitch = yield from risks(stage, defender, blow.actor.id, blow.actor, level + 1, "")
    luck = yield from _lucky(stage, defender, blow.actor)
    complication = complication_dice(defender.sheet, defender.broken, pair)
    roll = throw(stage.context.dice, f"{blow.path}.{label}", pool_of(terms), glitch, complication, luck)
    return Defence(roll.hits, terms, roll)


def _lucky(stage: Stage, defender: Character, attacker: Character) -> Play[bool]:
    """A4: whether a luck point was declared ahead for this defence; one that is gone is left out, and told (A13)."""

    def fits(character: Character, order: Luck) -> bool:
        return character.id == defender.id and (not order.by or attacker.id in order.by)

    for _, booked in stage.ready(Luck, defender.id, fits):
        if defender.luck < 1:
            yield from stage.hold(booked, "no_luck")
            return False
        stage.fired(booked)
        return True
    return False


def _interposition(stage: Stage, blow: Blow, roll: Roll, margin: int) -> Play[tuple[Character | None, int]]:
    """A13: who is hit in the end, and by what margin. One interposer a hit: the first in turn order that can pay."""
    actor, target = blow.actor, blow.target

    def fits(character: Character, order: Interpose) -> bool:
        acted_on = order.who == target.id if order.who else character.camp == target.camp
        return acted_on and order.by in ("", actor.id) and character.id not in (actor.id, target.id)

    for character, booked in stage.ready(Interpose, actor.id, fits):
        steps_in = yield from stage.afford(character, booked, blow.level + 1)
        if steps_in:
            defence = yield from _defend(stage, blow, character, "interpose", blow.level + 1)
            margin = roll.hits - defence.nd
            yield Interposed(
                camp=character.camp,
                scene=stage.home,
                witnesses=stage.watch,
                character=character.id,
                attacker=actor.id,
                target=target.id,
                hits=roll.hits,
                pair=blow.weapon.defence,
                nd=defence.nd,
                defence=defence.roll,
                defence_terms=defence.terms,
                margin=margin,
                outcome=degree_of(margin),
            )
            return (character if margin >= 0 else None), margin
    return target, margin


def _harm(stage: Stage, blow: Blow, victim: Character, roll: Roll, margin: int) -> Iterator[Event]:
    """A10: the named special uses one exploit, each other is one more damage; armour first, then the weapon's track."""
    weapon = blow.weapon
    exploits = roll.exploits
    if blow.special and exploits:
        exploits -= 1
        if blow.special == DISARM:
            yield from _disarm(stage, victim, blow.actor)
    terms: tuple[Term, ...] = (Term(weapon.name, weapon.damage), Term("margin", margin))
    if exploits:
        terms = (*terms, Term("exploits", exploits))
    damage = sum(term.value for term in terms)
    armour = min(victim.armour, damage)
    free = victim.sheet.boxes(weapon.track) - victim.filled(weapon.track)
    boxes = min(free, damage - armour)
    yield Hurt(
        camp=victim.camp,
        scene=stage.home,
        witnesses=stage.watch,
        by_camp=blow.actor.camp,
        by=blow.actor.id,
        character=victim.id,
        damage=damage,
        track=weapon.track,
        armour=armour,
        boxes=boxes,
        out=boxes == free,
        terms=terms,
    )


def _disarm(stage: Stage, victim: Character, by: Character) -> Iterator[Event]:
    """A10: the first working weapon of whoever is hit, that hasn't broken down in this scene, breaks down."""
    for weapon in victim.sheet.weapons:
        if weapon.name not in victim.broken and weapon.name not in victim.worn:
            yield BrokeDown(victim.camp, stage.home, stage.watch, victim.id, by.id, DISARM, True, weapon.name)
            return


def _ripostes(stage: Stage, blow: Blow) -> Iterator[Event]:
    """A13: the attack's named target, hit or not, attacks back at once; it isn't a Narration."""
    actor, target = blow.actor, blow.target

    def fits(character: Character, order: Riposte) -> bool:
        return character.id == target.id and order.by in ("", actor.id)

    for character, booked in stage.ready(Riposte, actor.id, fits):
        weapon = usable(stage, character, booked.order.weapon, actor)
        if isinstance(weapon, str):
            yield from stage.hold(booked, weapon)
            continue
        fires = yield from stage.afford(character, booked, blow.level + 1)
        if fires:
            yield from attack(
                stage,
                Blow(
                    actor=character,
                    target=actor,
                    weapon=weapon,
                    order=booked.id,
                    path=f"{blow.path}.riposte",
                    cause="riposte",
                    level=blow.level + 1,
                    special=booked.order.special,
                ),
            )
            return


def usable(stage: Stage, character: Character, name: str, target: Character) -> Weapon | Reason:
    """The weapon of this name, or why an attack with it is impossible now (A1, A13)."""
    weapon = weapon_of(character.sheet, name, stage.context.settings)
    if weapon is None:
        return "unknown_weapon"
    if weapon.name in character.broken:
        return "weapon_broken"
    return "out_of_range" if abs(character.place - target.place) > weapon.range else weapon
