"""What a camp reads and knows, and nothing else: K2, K7 and V34."""

from typing import Any

import msgspec
import pytest

from tests.rules.veil.table import TICK, Table
from workers.kernel.events import readers_of
from workers.rules.veil import RULEBOOK
from workers.rules.veil.events import EVENTS, ZoneReport
from workers.rules.veil.orders import Counter, Influence, Intel, Mission, Support

HIDDEN = {"strain", "noise", "by_intel", "interventions", "servants"}


def plain(value: Any) -> Any:
    return msgspec.to_builtins(value)


def test_V34_a_camp_reads_its_own_orders_whole_and_the_other_camp_none_of_them() -> None:
    table = Table()
    table.servant("ariane")
    table.order(Influence("ariane", "north"), 241)
    table.order(Mission("ariane", table.mission("ariane")), 331)

    told = table.resolve()

    assert [2] == [fact["gain"]["points"] for fact in told.report("angel", "influence_played")]
    assert 1 == len(told.report("angel", "mission_played"))
    assert [] == told.report("demon")


def test_V34_no_camp_reads_strain_or_noise_in_any_event() -> None:
    for kind in EVENTS:
        for name, reader in readers_of(kind).items():
            assert "nobody" == reader.name or name not in HIDDEN | {"chance", "draw"}, (kind, name)


def test_V34_no_camp_sees_strain_noise_or_the_other_camps_intel() -> None:
    table = Table()
    table.city.strain, table.zones["north"].noise = 12, 3
    table.intel("demon", "north", TICK, coverage=True, influence=-7, known=4)
    seen = plain(RULEBOOK.see_shared(table.city, "angel"))

    assert {"zones", "superiors"} == seen.keys()
    assert {
        "id": "north",
        "name": "North",
        "affinity": "neutral",
        "dormitory": False,
        "sealed_through": 0,
        "influence": None,
        "known": None,
        "fresh_through": None,
        "coverage": False,
    } == seen["zones"]["north"]


def test_V34_without_fresh_intel_a_camp_knows_the_last_value_and_its_tick() -> None:
    table = Table()
    table.servant("ariane", speech=5, smooth_talk=5)
    table.intel("angel", "north", TICK - 1, influence=40, known=3)
    table.zones["north"].influence = 70
    table.order(Influence("ariane", "north"), 244)

    told = table.resolve()
    zone = RULEBOOK.see_shared(told.city, "angel").zones["north"]

    assert [] == told.all(ZoneReport)
    assert (40, 3) == (zone.influence, zone.known)


def test_V34_with_fresh_intel_a_camp_reads_what_moved_the_zone_the_other_camps_part_as_one_total() -> None:
    table = Table()
    for name, camp in (("ariane", "angel"), ("garance", "demon"), ("horace", "demon")):
        table.servant(name, camp, speech=5, smooth_talk=5)
    table.intel("angel", "north", TICK)
    table.order(Influence("ariane", "north"), 244)
    table.order(Influence("garance", "north"), 242)
    table.order(Influence("horace", "north"), 241)
    table.order(Intel("horace", "north"), 666)

    told = table.resolve()

    expected = {
        "event": "zone_report",
        "camp": "angel",
        "zone": "north",
        "tick": TICK,
        "influence": -25 + 5 - 3 - 2,
        "own": 5,
        "other": 5,
        "divine": 0,
        "satanic": 1,
    }
    assert [expected] == told.report("angel", "zone_report")
    assert "garance" not in str(told.report("angel"))
    assert "horace" not in str(told.report("angel"))


def test_V34_seals_their_lifting_and_inquests_are_public_an_inquest_without_chance_and_draw() -> None:
    for tick in range(1, 40):
        table = Table(tick=tick, zones="east north south")
        table.servant("ariane")
        table.city.strain = 100
        table.zones["east"].noise, table.zones["north"].noise = 3, 60
        table.zones["south"].sealed_through = tick
        told = table.resolve()
        facts = told.report("angel")
        public = [fact for fact in facts if fact["event"] in ("seal_lifted", "zone_sealed")]
        assert public == told.report("demon")
        if len(public) == 3:
            assert [
                {"event": "seal_lifted", "zone": "south"},
                {"event": "zone_sealed", "cause": "noise", "zone": "north", "through": tick + 2},
                {"event": "zone_sealed", "cause": "inquest", "zone": "east", "through": tick + 1},
            ] == public
            return
    raise AssertionError("no tick draws an inquest")


def test_K7_a_camp_knows_of_an_enemy_servant_only_its_detected_missions() -> None:
    table = Table()
    garance = table.servant("garance", "demon", exposure=4)
    table.mission("garance", "south")
    assert None is RULEBOOK.see(garance, table.city, "angel")

    seen = table.mission("garance", "north", approach="occult", by_intel=True)

    assert {
        "known": "detected",
        "id": "garance",
        "missions": ({"id": seen, "zone": "north", "approach": "occult", "exposed": False},),
    } == plain(RULEBOOK.see(garance, table.city, "angel"))


def test_K7_a_camp_does_not_see_whether_its_own_missions_are_detected() -> None:
    table = Table()
    ariane = table.servant("ariane")
    table.mission("ariane")
    before = plain(RULEBOOK.see(ariane, table.city, "angel"))
    ariane.missions[0].by_intel = ariane.missions[0].exposed = True

    assert before == plain(RULEBOOK.see(ariane, table.city, "angel"))
    assert "own" == before["known"]
    assert ("m-ariane-0", "social", 12) == tuple(before["missions"][0][name] for name in ("id", "approach", "base"))


@pytest.mark.parametrize("target", ["garance", "nobody", "ariane", "celeste"])
def test_K7_V23_a_counter_on_what_is_not_detected_is_refused_as_on_what_is_not_there(target: str) -> None:
    table = Table()
    for name in ("ariane", "celeste"):
        table.servant(name)
    table.servant("garance", "demon")
    table.mission("garance")
    (refused,) = table.check(Counter("ariane", target, "m-garance-0"))
    (unknown,) = table.check(Counter("ariane", target, "never-there"))

    assert ("undetected_mission", "mission", "illegal") == (refused.code, refused.field, refused.family)
    assert (refused.code, refused.field, refused.accepted) == (unknown.code, unknown.field, unknown.accepted)


@pytest.mark.parametrize("servant", ["garance", "nobody"])
def test_K7_the_enemys_servants_are_refused_as_those_that_are_not_there(servant: str) -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon")
    table.mission("garance", by_intel=True)

    assert ("unknown_servant", "servant") == table.refusal(Influence(servant, "north"))
    assert ("unknown_servant", "target") == table.refusal(Support("ariane", servant, "m-garance-0"))


def test_K7_an_unknown_zone_or_ally_is_refused() -> None:
    table = Table()
    for name in ("ariane", "celeste"):
        table.servant(name)

    assert ("unknown_zone", "zone") == table.refusal(Influence("ariane", "atlantis"))
    assert ("unknown_zone", "zone") == table.refusal(Intel("ariane", "atlantis"))
    assert ("unknown_mission", "mission") == table.refusal(Support("ariane", "celeste", "never-there"))


def test_K2_the_full_record_tells_the_server_who_countered_and_supported() -> None:
    table = Table()
    for name, camp in (("ariane", "angel"), ("celeste", "angel"), ("garance", "demon")):
        table.servant(name, camp, speech=5, smooth_talk=5, body=5, stealth=5)
    mission = table.mission("ariane", by_intel=True)
    table.order(Mission("ariane", mission), 243)
    support = table.order(Support("celeste", "ariane", mission), 331)
    counter = table.order(Counter("garance", "ariane", mission), 241)

    record = b"\n".join(line for step in table.resolve().result.steps for line in step.events).decode()

    assert f'"event":"supported","to":"ariane","mission":"{mission}","order":"{support}"' in record
    assert f'"camp":"demon","servant":"garance","order":"{counter}","mission":"{mission}","quality":1' in record
