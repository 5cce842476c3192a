"""Who reads what of every type of event: the whole table of V34 and K7, a row a type."""

from typing import Any

import msgspec
import pytest

from workers.kernel.events import PUBLIC_FACT, Event, readers_of, tag_of
from workers.rules.veil.events import EVENTS

SERVANT, CAMP, PUBLIC, NOBODY = "the servant's", "the whole camp's", "public", "nobody's"

ROLL = "camp servant order pp roll routine"
FACTS: dict[str, tuple[str, str]] = {
    "order_void": (SERVANT, "camp servant order kind reason"),
    "order_lost": (SERVANT, "camp servant order kind mission"),
    "intel_rolled": (SERVANT, f"{ROLL} outcome zone coverage"),
    "support_rolled": (SERVANT, f"{ROLL} outcome target mission zone"),
    "counter_rolled": (SERVANT, f"{ROLL} outcome target mission zone"),
    "mission_played": (
        SERVANT,
        f"{ROLL} outcome mission zone approach supports quality gain exposure rating wounds chains",
    ),
    "influence_played": (SERVANT, f"{ROLL} outcome zone gain exposure"),
    "recovery_rolled": (SERVANT, f"{ROLL} outcome gained pp_now wounds"),
    "counter_judged": (SERVANT, "camp servant order mission outcome quality played"),
    "ask": (NOBODY, "to camp servant order kind mission"),
    "ready": (NOBODY, "to order kind zone approach"),
    "denied": (NOBODY, "to order kind reason"),
    "supported": (NOBODY, "to mission order"),
    "countered": (NOBODY, "to camp servant order mission quality"),
    "mission_seen": (CAMP, "camp cause mission zone approach servant"),
    "mission_forgotten": (NOBODY, "servant mission by_intel"),
    "intel_got": (CAMP, "camp zone through coverage covered"),
    "intel_stale": (CAMP, "camp zone"),
    "zone_report": (CAMP, "camp zone tick influence own other divine satanic"),
    "intervention": (PUBLIC, "cause zone"),
    "zone_moved": (NOBODY, "zone angel demon divine satanic noise influence"),
    "veil_torn": (NOBODY, "interventions exposure divine satanic"),
    "decayed": (SERVANT, "camp servant exposure rating"),
    "settled": (NOBODY, "servant"),
    "mission_held": (SERVANT, "camp servant mission zone"),
    "veil_decayed": (NOBODY, "interventions exposure servants gained strain noise"),
    "seal_lifted": (PUBLIC, "zone"),
    "zone_sealed": (PUBLIC, "cause zone through"),
    "inquest_drawn": (NOBODY, "chance draw zone"),
    "mission_lapsed": (SERVANT, "camp servant mission zone rating"),
    "mission_assigned": (SERVANT, "camp servant cause mission zone approach base chain tick draws"),
    "chain_broken": (SERVANT, "camp servant zone"),
    "tick_closed": (NOBODY, "tick"),
    "servant_joined": (
        NOBODY,
        "servant camp superior body mind soul speech violence stealth smooth_talk occult machines investigation",
    ),
    "servant_left": (NOBODY, "servant"),
    "zone_corrected": (NOBODY, "zone influence"),
    "correction_told": (PUBLIC, "zone"),
    "servant_counted": (SERVANT, "camp servant pp"),
    "servant_refused": (SERVANT, "camp servant reason"),
    "servant_departed": (SERVANT, "camp servant"),
}
"""Whose each fact is, and all its fields: of the Veil's events every field has the same readers."""

READERS = {SERVANT: "own", CAMP: "own", PUBLIC: "public", NOBODY: "nobody"}
ABOUT: dict[str, Any] = {SERVANT: ("servant",), CAMP: PUBLIC_FACT, PUBLIC: PUBLIC_FACT, NOBODY: ()}


def test_V34_every_type_of_event_has_its_row() -> None:
    assert list(FACTS) == [tag_of(kind) for kind in EVENTS]


@pytest.mark.parametrize("kind", EVENTS, ids=tag_of)
def test_V34_K7_every_field_of_an_event_has_its_readers_and_every_fact_those_whom_it_is_about(
    kind: type[Event],
) -> None:
    whose, names = FACTS[tag_of(kind)]
    event = kind(**{field.name: field.name for field in msgspec.structs.fields(kind)})

    assert dict.fromkeys(names.split(), READERS[whose]) == {
        name: reader.name for name, reader in readers_of(kind).items()
    }
    assert [ABOUT[whose]] * 2 == [event.about(camp) for camp in ("angel", "demon")]
