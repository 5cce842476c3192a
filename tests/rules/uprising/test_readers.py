"""Who reads what of every type of event (U25, K7): the whole table, a row a type. `own` is the side that it names."""

from workers.kernel.events import PUBLIC_FACT, readers_of, tag_of
from workers.rules.conformance import Conformance
from workers.rules.conformance.fog import made_events
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.events import EVENTS

READERS: dict[str, dict[str, str]] = {
    "order_void": {"own": "camp order kind district units reason"},
    "unit_dropped": {"own": "camp order district unit reason"},
    "assassination": {
        "public": "camp district target outcome",
        "own": "orders units card roll",
        "other": "shown facing",
        "nobody": "heat",
    },
    "search": {"own": "camp district orders units card terms"},
    "search_cast": {"nobody": "to camp origin subject units card terms"},
    "search_roll": {"found": "camp district unit outcome units roll", "nobody": "subject card"},
    "search_found": {"nobody": "to camp subject card"},
    "authority_claimed": {"nobody": "camp key initiative"},
    "claims_cut": {"nobody": "camp keys"},
    "rally": {
        "rallied": "camp district target outcome",
        "own": "orders units card roll authority paid",
        "lost": "shown facing",
        "nobody": "tick",
    },
    "arrest": {
        "public": "camp district target outcome prison",
        "own": "orders units card roll escape_facing",
        "other": "shown facing escape",
        "nobody": "counted faction loyalty",
    },
    "prisoner_sent": {"nobody": "to camp unit"},
    "prisoner_taken": {"nobody": "camp unit"},
    "raid": {
        "public": "camp district target outcome",
        "own": "orders units card roll",
        "other": "shown facing",
        "nobody": "counted",
    },
    "building_destroyed": {"public": "camp district unit"},
    "move": {"own": "camp order card unit district target covered", "nobody": "was_hidden"},
    "unit_sent": {"nobody": "to camp unit covered"},
    "unit_arrived": {"nobody": "camp unit"},
    "unit_lost": {"own": "camp district unit"},
    "contest": {"own": "camp district outcome orders units card roll", "nobody": "facing"},
    "gamble": {"own": "camp district outcome orders units card roll"},
    "assault": {"public": "camp district outcome taken fire"},
    "assault_roll": {
        "fought": "camp district",
        "own": "orders units card roll",
        "defended": "shown facing",
        "nobody": "counted",
    },
    "unit_struck": {
        "witnessed": "camp district unit outcome",
        "own": "wounds roll draw",
        "witness": "facing",
        "nobody": "witnessed",
    },
    "prison_seized": {"nobody": "camp district"},
    "unit_revealed": {"seen": "camp district unit", "nobody": "seen_by heat"},
    "unit_hidden": {"own": "camp district unit cause"},
    "influence": {"seen": "district revolution law revolution_change law_change", "nobody": "seen_by"},
    "ground": {"public": "district barricades gas fire cause"},
    "gauges_gained": {"own": "camp heat authority loyalty"},
    "hiding_tested": {"own": "camp district unit outcome roll"},
    "prisoners_freed": {"own": "camp district units"},
    "units_recovered": {"own": "camp district units"},
    "units_healed": {"own": "camp district units wounds"},
    "unit_raised": {"seen": "camp district unit", "nobody": "seen_by sheet"},
    "district_settled": {"nobody": "district people holds active"},
    "heat": {"public": "before after"},
    "authority": {"own": "camp before after"},
    "loyalty": {"own": "camp faction before after"},
    "prison_taken": {"public": "camp district"},
    "tick_settled": {"nobody": "census"},
    "opened": {"public": "heat", "nobody": "census"},
    "unit_placed": {"own": "camp district unit"},
    "unit_withdrawn": {"own": "camp district unit"},
    "ground_amended": {"public": "district disease gas barricades fire"},
    "influence_amended": {"nobody": "district revolution law"},
    "heat_amended": {"public": "heat"},
    "gauges_amended": {"own": "camp authority loyalty"},
    "prison_amended": {"public": "district holder"},
}
"""By event and reader, the fields. What the readers mean is said in `events/readers.py`."""

PUBLIC = {"assault", "building_destroyed", "ground", "heat", "opened", "prison_taken"}
"""What every actor reads: assaults, destroyed buildings, fires and the ground, the Heat."""


def test_U25_K7_every_field_of_every_event_has_its_readers() -> None:
    found: dict[str, dict[str, set[str]]] = {}
    for kind in EVENTS:
        by_reader = found.setdefault(tag_of(kind), {})
        for name, reader in readers_of(kind).items():
            by_reader.setdefault(reader.name, set()).add(name)

    assert {tag: {reader: {*names.split()} for reader, names in row.items()} for tag, row in READERS.items()} == found


def test_U25_what_is_public_is_every_actor_s_to_read() -> None:
    kit = Conformance(RULEBOOK, {})
    public = {
        tag_of(kind)
        for kind in EVENTS
        for event in made_events(kit, kind)
        if {event.about(camp) for camp in RULEBOOK.camps} == {PUBLIC_FACT}
    }

    assert PUBLIC == {tag for tag in public if not tag.endswith("_amended")}
    assert {"ground_amended", "heat_amended", "prison_amended"} == public - PUBLIC
