"""The mission phase: missions and influences are played, supports and counters weigh in (V16–V25)."""

from collections.abc import Iterator, Sequence

from workers.kernel.events import Event, Mail
from workers.rules.veil.entities import Mission as Held
from workers.rules.veil.entities import Servant
from workers.rules.veil.events import Countered, CounterJudged, InfluencePlayed, JudgedOutcome, MissionPlayed, Supported
from workers.rules.veil.influence import Gain, final_quality, gain_of, verdict_on
from workers.rules.veil.orders import Influence, Mission
from workers.rules.veil.phases.common import Orders, Tick, rewards_routine, roll_order
from workers.rules.veil.tables import APPROACHES, INFLUENCE, INFLUENCE_BASE, INFLUENCE_FAILED, Relation


def play(home: Servant | None, orders: Orders, mail: Sequence[Mail], tick: Tick) -> Iterator[Event]:
    """Play a servant's missions and influences, all on the servant as it was when the phase began (K9)."""
    if home is None:
        return
    played: list[Event] = []
    for booked in orders:
        if booked.id in home.void:
            continue
        order = booked.order
        if isinstance(order, Influence):
            played.append(_influence(home, order, booked.id, tick))
        elif isinstance(order, Mission):
            held = home.mission(order.mission)
            if held is not None:
                played.extend(_mission(home, held, order, booked.id, mail, tick))
    yield from played


def _influence(home: Servant, order: Influence, order_id: str, tick: Tick) -> InfluencePlayed:
    roll = roll_order(home, order, order_id, INFLUENCE.pair, tick)
    zone = tick.shared.zones[order.zone]
    affinity = zone.affinity_to(home.camp)
    gain = None
    if roll.outcome == "success":
        gain = gain_of(INFLUENCE_BASE, roll.quality, affinity, zone.dormitory)
    elif roll.outcome == "failure":
        gain = Gain(INFLUENCE_BASE, 0, affinity, zone.dormitory, INFLUENCE_FAILED, "none", INFLUENCE_FAILED)
    return InfluencePlayed(
        camp=home.camp,
        servant=home.id,
        order=order_id,
        outcome=roll.outcome,
        pp=order.pp,
        roll=roll,
        routine=roll.succeeded and rewards_routine(home, tick),
        zone=order.zone,
        gain=gain,
        exposure=profaned(affinity, tick),
    )


def profaned(affinity: Relation, tick: Tick) -> int:
    """V17: the exposure of acting in a place of the other camp, whatever the outcome."""
    return tick.settings.profane_exposure if affinity == "opposed" else 0


def _mission(
    home: Servant, held: Held, order: Mission, order_id: str, mail: Sequence[Mail], tick: Tick
) -> Iterator[Event]:
    settings = tick.settings
    zone = tick.shared.zones[held.zone]
    roll = roll_order(home, order, order_id, APPROACHES[held.approach], tick)
    supports = [letter for letter in mail if isinstance(letter, Supported) and letter.mission == held.id]
    counters = [letter for letter in mail if isinstance(letter, Countered) and letter.mission == held.id]
    quality = final_quality(roll.quality, len(supports)) if roll.succeeded else 0
    # An intervention can't be countered, a failure is untouched (V24).
    best = max([letter.quality for letter in counters], default=0) if roll.outcome == "success" else 0
    verdict = verdict_on(quality, best)
    cancelled = verdict == "cancelled"
    achieved = roll.succeeded and not cancelled
    affinity = zone.affinity_to(home.camp)
    yield MissionPlayed(
        camp=home.camp,
        servant=home.id,
        order=order_id,
        outcome=roll.outcome if verdict == "none" else verdict,
        pp=order.pp,
        roll=roll,
        routine=achieved and rewards_routine(home, tick),
        mission=held.id,
        zone=held.zone,
        approach=held.approach,
        supports=len(supports),
        quality=quality,
        gain=gain_of(held.base, quality, affinity, zone.dormitory, verdict) if roll.outcome == "success" else None,
        exposure=(settings.exposure_success if achieved else settings.exposure_failure) + profaned(affinity, tick),
        rating=home.rating if cancelled else _rating(home.rating, achieved, tick),
        wounds=home.wounds if roll.succeeded else _wounds(home.wounds, held, tick),
        chains=achieved and quality >= settings.chain_quality and held.chain < settings.chain_length,
    )
    for letter in counters:
        outcome: JudgedOutcome = "failure" if not quality else "success" if verdict == "none" else verdict
        yield CounterJudged(letter.camp, letter.servant, letter.order, held.id, outcome, quality or None)


def _rating(rating: int, succeeded: bool, tick: Tick) -> int:
    settings = tick.settings
    moved = rating + settings.rating_success if succeeded else rating - settings.rating_failure
    return max(-settings.rating_max, min(settings.rating_max, moved))


def _wounds(wounds: int, held: Held, tick: Tick) -> int:
    if held.approach != "violent":
        return wounds
    return min(tick.settings.wounds_max, wounds + tick.settings.violent_failure_wounds)
