"""The odds of an order's own roll, on what its camp knows (K3, A19). Reactions are left out."""

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from workers.kernel.entities import View
from workers.kernel.odds import Basis, Odds, Term, known_odds, unknown_odds
from workers.kernel.orders import Order
from workers.rules.anarchy import chances
from workers.rules.anarchy.entities import Sheet, Weapon
from workers.rules.anarchy.orders import Attack, Narrate, Riposte, Trial
from workers.rules.anarchy.pools import complication_dice, defence_nd, nd_of_pool, pool_of, terms_of
from workers.rules.anarchy.see import Seen, SeenCampaign, SeenCharacter, SeenScene
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import weapon_of
from workers.rules.anarchy.tables import DIFFICULTIES, WELL_DISPOSED_DICE, degree_of

AnyView = View[SeenCampaign, Seen, Settings]

NO_ROLL = known_odds(Fraction(1), {"no_roll": Fraction(1)}, (), "full")
"""The odds of an order that rolls nothing of its own."""


class Threshold(msgspec.Struct, frozen=True):
    """What a roll must reach, as a distribution; the term that is shown of it; whether it is known as it is now."""

    against: Mapping[int, Fraction]
    term: Term
    basis: Basis


class Contest(msgspec.Struct, frozen=True):
    """A roll about to be made: the step that rolls, on what, with which terms, against what, with which weapon."""

    step: Attack | Trial
    complication: int
    terms: tuple[Term, ...]
    threshold: Threshold | None
    weapon: Weapon | None = None


def odds(order: Order, view: AnyView) -> Odds:
    """The exact odds of a Narration's attack or test, or of a riposte against the attacker that it names.

    Outcomes are the degrees of A7, with `+exploit` and `+complication` where glitch or complication dice are rolled. A
    GM's character's ND that the players have not met yet is unknown to them; one that they have is as it was then.
    """
    home = view.homes.get(getattr(order, "scene", ""))
    if home is None or home.scene is None or not isinstance(order, Narrate | Riposte):
        return NO_ROLL
    if isinstance(order, Riposte) and not order.by:
        return unknown_odds("attacker")
    contest = _contest(order, home.scene, view.settings)
    if contest is None:
        return NO_ROLL
    if contest.threshold is None:
        return unknown_odds("nd", contest.terms)
    return _odds(contest, contest.threshold)


def _contest(order: Narrate | Riposte, scene: SeenScene, settings: Settings) -> Contest | None:
    """The roll of an order; None when it rolls nothing, or what it names isn't there."""
    character = scene.characters.get(order.character)
    if character is None or character.sheet is None:
        return None
    if isinstance(order, Riposte):
        step: Attack | Trial | None = Attack(order.by, order.weapon, special=order.special)
    else:
        step = next((one for one in order.steps if isinstance(one, Attack | Trial)), None)
    if isinstance(step, Attack):
        weapon = weapon_of(character.sheet, step.weapon, settings)
        target = scene.characters.get(step.target)
        if weapon is not None and target is not None:
            return _prepared(step, character, character.sheet, weapon.skill, _defence(target, weapon), weapon)
    elif step is not None and step.challenge in scene.challenges:
        challenge = scene.challenges[step.challenge]
        threshold = _fixed(DIFFICULTIES[challenge.difficulty], "full")
        modifier = (Term(challenge.name, challenge.modifier),) if challenge.modifier else ()
        return _prepared(step, character, character.sheet, challenge.on, threshold, None, modifier)
    elif step is not None and step.opponent in scene.characters and step.against:
        threshold_met = _opposing(scene.characters[step.opponent], step.against)
        return _prepared(step, character, character.sheet, step.on, threshold_met, None)
    return None


def _prepared(
    step: Attack | Trial,
    character: SeenCharacter,
    sheet: Sheet,
    on: str,
    threshold: Threshold | None,
    weapon: Weapon | None,
    modifier: tuple[Term, ...] = (),
) -> Contest:
    extra = (Term(step.well_disposed, WELL_DISPOSED_DICE),) if step.well_disposed else ()
    terms = (*terms_of(sheet, character.broken, on), *modifier, *extra)
    return Contest(step, complication_dice(sheet, character.broken, on), terms, threshold, weapon)


def _fixed(nd: int, basis: Basis) -> Threshold:
    return Threshold(chances.thresholds(nd), Term("nd", nd), basis)


def _defence(target: SeenCharacter, weapon: Weapon) -> Threshold | None:
    """A8: a player's character rolls; a GM's has an ND, known to the players once they rolled against it (A19)."""
    pair = weapon.defence
    if target.sheet is None:
        return _fixed(target.met_nds[pair], "known") if pair in target.met_nds else None
    terms = terms_of(target.sheet, target.broken, pair)
    if target.player:
        pool = pool_of(terms)
        return Threshold(chances.rolled(pool), Term("defence_pool", pool), "full")
    return _fixed(defence_nd(target.sheet, terms), "full")


def _opposing(opponent: SeenCharacter, pair: str) -> Threshold | None:
    """A5: an opposed test is rolled against the ND of the opponent's pool."""
    if opponent.sheet is None:
        return _fixed(opponent.met_nds[pair], "known") if pair in opponent.met_nds else None
    return _fixed(nd_of_pool(pool_of(terms_of(opponent.sheet, opponent.broken, pair))), "full")


def _odds(contest: Contest, threshold: Threshold) -> Odds:
    step, weapon = contest.step, contest.weapon
    glitch = int(step.risk)
    roll = chances.joint(pool_of(contest.terms), step.luck, glitch, contest.complication)
    margins = chances.margins(roll, threshold.against)
    outcomes: dict[str, Fraction] = {}
    effects: dict[str, dict[str, int]] = {}
    for (margin, exploits, complications), chance in sorted(margins.items()):
        name = degree_of(margin) + ("+exploit" if exploits else "") + ("+complication" if complications else "")
        outcomes[name] = outcomes.get(name, Fraction(0)) + chance
        if weapon is not None and margin >= 0:
            damage = weapon.damage + margin + max(0, exploits - bool(step.special))
            seen = effects.setdefault(name, {"least_damage": damage, "most_damage": damage})
            seen["least_damage"] = min(seen["least_damage"], damage)
            seen["most_damage"] = max(seen["most_damage"], damage)
    dice = (Term("glitch", glitch), Term("complication", contest.complication))
    shown = (*contest.terms, *(term for term in dice if term.value), threshold.term)
    return known_odds(chances.reached(margins), outcomes, shown, threshold.basis, effects)
