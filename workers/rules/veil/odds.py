"""The exact odds of an order's own roll (K3, V13–V15, V34), and what each of its outcomes would bring."""

from fractions import Fraction

from workers.kernel.odds import Basis, Odds, known_odds, unknown_odds
from workers.rules.veil.influence import CounterEffect, gain_of, verdict_on
from workers.rules.veil.orders import AnyOrder, AtZone, Counter, Influence, Intel, Mission, Recovery
from workers.rules.veil.phases.recovery import recovered_points
from workers.rules.veil.roll import score_of, terms_of
from workers.rules.veil.see import OwnServant, SeenZone, VeilView
from workers.rules.veil.tables import (
    APPROACHES,
    COVERAGE_QUALITY,
    INFLUENCE_BASE,
    INFLUENCE_FAILED,
    INTERVENTION,
    QUALITY_MAX,
    SIGN,
    THRESHOLDS,
    Approach,
    Relation,
)

ROLLS = 216
QUALITIES = range(1, QUALITY_MAX + 1)


def successes(score: int) -> int:
    """V13: how many of the 216 rolls are at or below the threshold of a score, in closed form."""
    hundreds, rest = divmod(THRESHOLDS[score], 100)
    tens, units = divmod(rest, 10)
    return 36 * (hundreds - 1) + 6 * (tens - 1) + units


def outcome_counts(score: int) -> dict[str, int]:
    """V14, V15: of the 216 rolls, how many end in each outcome; the same for both camps.

    Every threshold ends in 6, so table successes are spread evenly over the qualities. One roll is each power's own:
    111 leaves the table successes of quality 1; 666 leaves the failures. The servant's own of the two succeeds.
    """
    by_table = successes(score)
    counts = {f"quality_{quality}": by_table // QUALITY_MAX for quality in QUALITIES}
    counts["quality_1"] -= 1
    counts["failure"] = ROLLS - by_table - 1
    counts["own_intervention"] = counts["enemy_intervention"] = 1
    return counts


def final_quality_counts(score: int) -> dict[int, int]:
    """Of the 216 rolls, how many succeed with each quality: an own intervention counts as 6 (V15)."""
    counts = outcome_counts(score)
    found = {quality: counts[f"quality_{quality}"] for quality in QUALITIES}
    found[QUALITY_MAX] += counts["own_intervention"]
    return found


def counter_counts(score: int, final: int) -> dict[str, int]:
    """V24: of the 216 rolls of a counter, how many cancel, halve, or leave a mission of a final quality."""
    found = {"cancelled": 0, "halved": 0, "none": ROLLS}
    for quality, count in final_quality_counts(score).items():
        found[verdict_on(final, quality)] += count
        found["none"] -= count
    return found


def odds(order: AnyOrder, view: VeilView) -> Odds:
    """The odds of an order; unknown where the servant, mission or zone that it names isn't known.

    All terms are the camp's own and known to it, so the basis is `full`, with one exception: a recovery is rolled after
    the missions, whose wound and rating weigh on it (V29). Where its servant has a mission that it may play in this
    tick, the terms may change yet, and the basis is `known`.
    """
    servant = view.homes.get(order.servant)
    if not isinstance(servant, OwnServant):
        return unknown_odds("servant")
    mission = _mission(order, view)
    if mission is None:
        return unknown_odds("mission")
    approach, zone_id, base = mission
    zone = view.shared.zones.get(zone_id) if zone_id else None
    if zone is None and zone_id:
        return unknown_odds("zone")
    pair = APPROACHES[approach] if approach else order.KIND.pair
    superior = view.shared.superiors.get(servant.superior)
    routine = superior is not None and superior.routine
    terms = terms_of(servant, order.KIND, pair, order.pp, routine, view.settings)
    score = score_of(terms)
    outcomes = {name: Fraction(count, ROLLS) for name, count in outcome_counts(score).items()}
    covers = superior is not None and superior.covers_on_any_success
    effects = _effects(order, servant, zone, base, score, covers)
    basis: Basis = "known" if isinstance(order, Recovery) and _may_play(servant, view) else "full"
    return known_odds(Fraction(successes(score), ROLLS), outcomes, terms, basis, effects)


def _may_play(servant: OwnServant, view: VeilView) -> bool:
    """Whether a servant has a mission in preparation that it may play in this tick (V2, V19)."""
    if servant.wounds >= view.settings.wounds_max:
        return False
    return any(view.shared.zones[mission.zone].sealed_through < view.tick for mission in servant.missions)


def _mission(order: AnyOrder, view: VeilView) -> tuple[Approach | None, str, int] | None:
    """The approach that the roll takes (None: the order's own pair), the zone where it acts, the base; or unknown."""
    if isinstance(order, AtZone):
        return None, order.zone, INFLUENCE_BASE
    if isinstance(order, Recovery):
        return None, "", 0
    owner = view.homes.get(order.servant if isinstance(order, Mission) else order.target)
    for mission in owner.missions if owner is not None else ():
        if mission.id == order.mission and isinstance(owner, OwnServant) != isinstance(order, Counter):
            approach = None if isinstance(order, Counter) else mission.approach
            return approach, mission.zone, getattr(mission, "base", 0)
    return None


def _effects(
    order: AnyOrder, servant: OwnServant, zone: SeenZone | None, base: int, score: int, covers: bool
) -> dict[str, dict[str, int]]:
    if isinstance(order, Mission | Influence) and zone is not None:
        return _influence_effects(order, servant.camp, zone, base)
    if isinstance(order, Counter):
        return _counter_effects(score)
    if isinstance(order, Intel):
        sets = {f"quality_{quality}": int(covers or quality >= COVERAGE_QUALITY) for quality in QUALITIES}
        return {"coverage": {**sets, "failure": 0, "own_intervention": 1, "enemy_intervention": 0}}
    if isinstance(order, Recovery):
        points = {f"quality_{quality}": recovered_points(servant.soul, True) for quality in QUALITIES}
        failed = recovered_points(servant.soul, False)
        own = recovered_points(servant.soul, True)
        return {"power_points": {**points, "failure": failed, "own_intervention": own, "enemy_intervention": failed}}
    return {}


def _influence_effects(order: Mission | Influence, camp: str, zone: SeenZone, base: int) -> dict[str, dict[str, int]]:
    """What the zone's influence gains (angels +, demons −) by final quality, and what a counter leaves of it (V24)."""
    sign = SIGN[camp]
    affinity: Relation = "neutral" if zone.affinity == "neutral" else "own" if zone.affinity == camp else "opposed"
    failed = INFLUENCE_FAILED if isinstance(order, Influence) else 0
    rest = {
        "failure": sign * failed,
        "own_intervention": sign * INTERVENTION,
        "enemy_intervention": -sign * INTERVENTION,
    }

    def by_quality(counter: CounterEffect) -> dict[str, int]:
        gains = {q: gain_of(base, q, affinity, zone.dormitory, counter) for q in QUALITIES}
        return {f"quality_{q}": sign * gain.points for q, gain in gains.items()}

    if isinstance(order, Influence):
        return {"influence": {**by_quality("none"), **rest}}
    return {
        "influence": {**by_quality("none"), **rest},
        "influence_halved": by_quality("halved"),
        "influence_cancelled": by_quality("cancelled"),
    }


def _counter_effects(score: int) -> dict[str, dict[str, int]]:
    """Of the counter's 216 rolls, how many cancel and how many halve a mission of each final quality (V24)."""
    by_final = {final: counter_counts(score, final) for final in QUALITIES}
    return {
        "cancels_of_216": {f"final_{final}": counts["cancelled"] for final, counts in by_final.items()},
        "halves_of_216": {f"final_{final}": counts["halved"] for final, counts in by_final.items()},
    }
