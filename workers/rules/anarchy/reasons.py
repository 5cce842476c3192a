"""Every reason for which an order is refused or comes to nothing: each has words in every language."""

from typing import Literal

RefusalCode = Literal[
    "above_reserve",
    "already_belongs",
    "already_there",
    "at_most",
    "by_needed",
    "challenge_or_opponent",
    "challenge_says",
    "character_exists",
    "effect_not_allowed",
    "effect_twice",
    "front_or_by",
    "gm_only",
    "go_needed",
    "go_not_needed",
    "ground_trait",
    "ground_without_trait",
    "hands_never",
    "malformed",
    "name_taken",
    "no_luck",
    "no_more_threats",
    "no_name",
    "no_such_place",
    "no_such_trait",
    "not_adjacent",
    "not_yours",
    "oneself",
    "out",
    "out_of_range",
    "own_camp_only",
    "pair_needed",
    "scene_is_open",
    "skill_lacking",
    "target_out",
    "text_length",
    "threat_level",
    "too_many_moves",
    "trait_broken",
    "trait_kind",
    "two_rolls",
    "unknown_challenge",
    "unknown_character",
    "unknown_mission",
    "unknown_player",
    "unknown_scene",
    "unknown_thing",
    "unknown_weapon",
    "weapon_broken",
    "worn",
]
"""Why intake refuses an order; at its phase the same reasons make it void (K6)."""

PhaseReason = Literal[
    "allotted_twice",
    "bought",
    "depth",
    "gone",
    "in_front",
    "no_narration",
    "nothing_to_heal",
    "over_budget",
    "placed_twice",
    "points",
    "second_narration",
    "split",
    "started_twice",
]
"""Why an order, a step, an effect or a reaction comes to nothing at its phase alone."""

Reason = Literal[RefusalCode, PhaseReason]
"""Why an order that was booked comes to nothing, wholly or in part."""

OrderKind = Literal[
    "narrate",
    "riposte",
    "interpose",
    "interrupt",
    "intervene",
    "risk",
    "luck",
    "grant",
    "threat",
    "close",
    "allot",
    "start",
    "join",
    "open",
    "place",
]
"""The kinds of order."""

StepKind = Literal["move", "attack", "test", "breakdown", "first_aid", "new_threat"]
"""The kinds of step of a Narration."""
