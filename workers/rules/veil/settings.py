"""The Veil's settings: every number that its source leaves open, with our default and the bounds accepted."""

from typing import Annotated

import msgspec

from workers.kernel.errors import InvalidInput


def _whole(least: int, most: int, description: str) -> msgspec.Meta:
    return msgspec.Meta(ge=least, le=most, description=description)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers that are ours. Each is named where it is used by the clause in its description."""

    characteristic_max: Annotated[int, _whole(1, 10, "V1: the largest characteristic and talent")] = 5
    pp_start: Annotated[int, _whole(0, 100, "V2: power points of a new servant")] = 5
    pp_max: Annotated[int, _whole(0, 100, "V2: power points that a servant can hold")] = 10
    wounded_from: Annotated[int, _whole(1, 10, "V2: wounds from which a servant is wounded")] = 1
    wounds_max: Annotated[int, _whole(1, 10, "V2: most wounds; a servant with these can only recover")] = 3
    rating_max: Annotated[int, _whole(1, 100, "V2: the rating stays within ± this")] = 5
    disgrace_at: Annotated[int, _whole(-100, -1, "V2: in disgrace at this rating or below")] = -3
    promoted_at: Annotated[int, _whole(1, 100, "V2: promoted at this rating or above")] = 3
    exposure_decay_share: Annotated[int, _whole(1, 100, "V2: exposure falls by one part in this many, rounded up")] = 6
    drift_beyond: Annotated[int, _whole(0, 100, "V2: an idle servant's rating beyond ± this drifts to 0")] = 2
    drift_step: Annotated[int, _whole(0, 100, "V2: how far it drifts in a tick")] = 1
    exposed_from: Annotated[int, _whole(1, 1000, "V2: exposure that betrays a servant's missions")] = 6
    mission_patience: Annotated[int, _whole(1, 1000, "V5: ticks that a mission waits before it lapses")] = 3
    lapse_rating: Annotated[int, _whole(0, 100, "V5: rating lost when a mission lapses")] = 1
    intel_ttl: Annotated[int, _whole(0, 1000, "V6: further ticks for which intel stays fresh")] = 2
    routine_bonus: Annotated[int, _whole(0, 10, "V7: the routine bonus of a Superior who grants one")] = 1
    promotion_bonus: Annotated[int, _whole(0, 10, "V12: the bonus of a promoted servant")] = 1
    chain_quality: Annotated[int, _whole(1, 6, "V14: final quality from which a mission chains")] = 5
    chain_base_gain: Annotated[int, _whole(0, 15, "V14: what a chained mission's base gains")] = 1
    chain_base_max: Annotated[int, _whole(1, 100, "V14: the largest base of a chained mission")] = 15
    chain_length: Annotated[int, _whole(0, 100, "V14: chained missions after a drawn one")] = 3
    profane_exposure: Annotated[int, _whole(0, 100, "V17: exposure of acting in a place of the other camp")] = 1
    exposure_success: Annotated[int, _whole(0, 100, "V20: exposure of a mission that succeeds")] = 1
    exposure_failure: Annotated[int, _whole(0, 100, "V20: exposure of a mission that fails or is cancelled")] = 2
    rating_success: Annotated[int, _whole(0, 100, "V20: rating gained by a mission that succeeds")] = 1
    rating_failure: Annotated[int, _whole(0, 100, "V20: rating lost by a mission that fails")] = 1
    violent_failure_wounds: Annotated[int, _whole(0, 10, "V20: wounds of a violent mission that fails")] = 1
    strain_max: Annotated[int, _whole(1, 100, "V31: the largest strain")] = 100
    strain_weight: Annotated[int, _whole(0, 1000, "V31: weight of all that strains the veil")] = 10
    strain_intervention: Annotated[int, _whole(0, 1000, "V31: an intervention strains as much as this exposure")] = 10
    strain_decay_share: Annotated[int, _whole(1, 100, "V31: strain falls by one part in this many, rounded up")] = 4
    noise_decay_share: Annotated[int, _whole(1, 100, "V31: noise falls by one part in this many, rounded up")] = 4
    noise_share: Annotated[int, _whole(1, 1000, "V32: noise a servant and zone at which a zone is sealed")] = 5
    seal_ticks: Annotated[int, _whole(1, 1000, "V32: ticks of a seal set by noise")] = 2
    inquest_ticks: Annotated[int, _whole(1, 1000, "V33: ticks of a seal set by an inquest")] = 1
    last_tick: Annotated[int, _whole(0, 1_000_000, "V35: the tick after which the campaign ends (0: none)")] = 0


def check_settings(settings: Settings) -> None:
    """Raise InvalidInput where two settings contradict each other."""
    pairs = (
        ("pp_start", settings.pp_start, "pp_max", settings.pp_max),
        ("wounded_from", settings.wounded_from, "wounds_max", settings.wounds_max),
        ("promoted_at", settings.promoted_at, "rating_max", settings.rating_max),
        ("disgrace_at", -settings.disgrace_at, "rating_max", settings.rating_max),
        ("drift_beyond", settings.drift_beyond, "rating_max", settings.rating_max),
    )
    for name, value, bound, most in pairs:
        if value > most:
            raise InvalidInput(f"settings.{name}", f"{value} is beyond settings.{bound} ({most})", f"at most {most}")
