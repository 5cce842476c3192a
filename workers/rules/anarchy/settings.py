"""Every number that the source leaves to us, with its default and its bounds ([O] in the clauses)."""

from typing import Annotated

import msgspec

from workers.rules.anarchy.tables import EFFECTS, Effect, Level

Armour = Annotated[int, msgspec.Meta(ge=0, le=20, description="armour")]
Damage = Annotated[int, msgspec.Meta(ge=1, le=20, description="weapon damage")]


class ArmourByLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The armour of a character with a level (A6)."""

    extra: Armour = 0
    minion: Armour = 1
    antagonist: Armour = 2
    pro: Armour = 3
    terror: Armour = 4


class DamageByLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weapon damage of a character with a level (A6)."""

    extra: Damage = 3
    minion: Damage = 3
    antagonist: Damage = 4
    pro: Damage = 5
    terror: Damage = 6


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of a campaign."""

    effects: Annotated[
        tuple[Effect, ...],
        msgspec.Meta(description="the effects that the group allows (A13)"),
    ] = EFFECTS
    reaction_depth: Annotated[
        int,
        msgspec.Meta(ge=1, le=8, description="how deep reactions may answer reactions (A14)"),
    ] = 4
    reactions: Annotated[
        int,
        msgspec.Meta(ge=1, le=64, description="standing orders of one character in a Turn, at most (A14)"),
    ] = 16
    intervention_length: Annotated[
        int,
        msgspec.Meta(ge=1, le=2000, description="characters of a narrative intervention, at most (A13)"),
    ] = 280
    track_boxes: Annotated[
        int,
        msgspec.Meta(ge=1, le=40, description="boxes of a track where the sheet says nothing (A1)"),
    ] = 8
    threats: Annotated[
        int,
        msgspec.Meta(ge=0, le=20, description="new threats of a scene where the scenario says nothing (A15)"),
    ] = 1
    threat_level: Annotated[
        Level,
        msgspec.Meta(description="the strongest new threat where the scenario says nothing (A15)"),
    ] = "extra"
    armour: Annotated[ArmourByLevel, msgspec.Meta(description="armour by level (A6)")] = ArmourByLevel()
    damage: Annotated[DamageByLevel, msgspec.Meta(description="weapon damage by level (A6)")] = DamageByLevel()
    gun_range: Annotated[int, msgspec.Meta(ge=0, le=20, description="places that a level's gun reaches (A6)")] = 3
    hands_damage: Annotated[int, msgspec.Meta(ge=1, le=20, description="stun damage of bare hands (A13)")] = 1
    hands_range: Annotated[int, msgspec.Meta(ge=0, le=20, description="places that bare hands reach (A13)")] = 0
