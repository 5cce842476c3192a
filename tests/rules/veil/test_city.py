"""The city: V31–V33 and V35."""

from typing import Any

import pytest

from tests.rules.veil.table import IDS, TICK, Table, next_tick
from workers.rules.contract import Verdict
from workers.rules.veil import RULEBOOK
from workers.rules.veil.events import (
    InquestDrawn,
    Intervention,
    MissionAssigned,
    SealLifted,
    VeilDecayed,
    VeilTorn,
    ZoneMoved,
    ZoneSealed,
)
from workers.rules.veil.orders import Influence, Intel, Mission
from workers.rules.veil.phases.decay import strain_gained
from workers.rules.veil.phases.locks import lock_threshold
from workers.rules.veil.settings import Settings


@pytest.mark.parametrize(
    ("interventions", "exposure", "servants", "gained"),
    [
        (0, 0, 8, 0),
        (1, 0, 8, 13),
        (0, 1, 8, 1),
        (0, 2, 8, 3),
        (1, 3, 8, 16),
        (0, 1, 40, 0),
        (0, 2, 40, 1),
        (2, 2, 0, 0),
    ],
)
def test_V31_the_strain_gains_10_times_10_interventions_and_exposure_a_servant(
    interventions: int, exposure: int, servants: int, gained: int
) -> None:
    assert gained == strain_gained(interventions, exposure, servants, Settings())


def test_V31_interventions_of_every_phase_and_the_exposure_gained_strain_the_veil() -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon")
    table.zones["south"].affinity = "demon"
    table.order(Intel("ariane", "north"), 111)
    table.order(Mission("garance", table.mission("garance")), 665)
    table.order(Influence("ariane", "south"), 665)

    decayed = table.resolve().one(VeilDecayed)

    assert (1, 3, 2, 65) == (decayed.interventions, decayed.exposure, decayed.servants, decayed.gained)
    assert 65 - 17 == decayed.strain


def test_V31_a_zones_noise_gains_the_exposure_gained_in_it() -> None:
    table = Table()
    table.servant("ariane")
    table.zones["south"].affinity = "demon"
    table.order(Mission("ariane", table.mission("ariane", "north")), 665)
    table.order(Influence("ariane", "south"))

    told = table.resolve()

    assert {"north": 2, "south": 1} == {event.zone: event.noise for event in told.all(ZoneMoved)}


@pytest.mark.parametrize(("strain", "after"), [(0, 0), (1, 0), (4, 3), (5, 3), (100, 75)])
def test_V31_the_decay_takes_a_quarter_of_the_strain_rounded_up(strain: int, after: int) -> None:
    table = Table()
    table.servant("ariane")
    table.city.strain = strain

    assert after == table.resolve().city.strain


def test_V31_the_strain_is_bounded_before_the_decay() -> None:
    table = Table()
    table.servant("ariane")
    table.city.strain = 90
    table.order(Intel("ariane", "north"), 111)

    assert 75 == table.resolve().city.strain


@pytest.mark.parametrize(("noise", "after"), [(1, 0), (3, 2), (4, 3), (5, 3)])
def test_V31_the_decay_takes_a_quarter_of_each_zones_noise_rounded_up(noise: int, after: int) -> None:
    table = Table()
    table.servant("ariane")
    table.zones["north"].noise = noise

    assert after == table.resolve().city.zones["north"].noise


def test_V31_what_is_torn_in_one_tick_is_not_counted_again_in_the_next() -> None:
    table = Table()
    table.servant("ariane")
    table.order(Intel("ariane", "north"), 111)
    told = table.resolve()
    after = next_tick(told, table).resolve()

    assert 1 == told.one(VeilTorn).interventions
    assert (0, 0) == (after.one(VeilDecayed).interventions, after.one(VeilDecayed).gained)


@pytest.mark.parametrize(
    ("servants", "zones", "threshold"),
    [(8, 6, 7), (2, 6, 5), (0, 6, 5), (40, 20, 10), (41, 20, 11), (6, 6, 5), (7, 6, 6)],
)
def test_V32_the_threshold_of_a_lock(servants: int, zones: int, threshold: int) -> None:
    assert threshold == lock_threshold(servants, zones, 5)


@pytest.mark.parametrize(("noise", "sealed"), [(7, True), (6, False)])
def test_V32_a_zone_whose_noise_after_the_decay_reaches_the_threshold_is_sealed_for_two_ticks(
    noise: int, sealed: bool
) -> None:
    """Noise 7 decays to 5, which is the threshold for one servant in two zones; 6 decays to 4."""
    table = Table()
    table.servant("ariane")
    table.zones["north"].noise = noise

    told = table.resolve()

    assert [("noise", "north", TICK + 2)] * sealed == [
        (event.cause, event.zone, event.through) for event in told.all(ZoneSealed)
    ]
    assert (0 if sealed else 4) == told.city.zones["north"].noise
    assert [sealed, sealed, False] == [told.city.zones["north"].sealed(TICK + ahead) for ahead in (1, 2, 3)]


def test_V32_a_seal_whose_last_tick_this_is_is_lifted() -> None:
    table = Table()
    table.servant("ariane")
    table.zones["north"].sealed_through = TICK
    table.zones["south"].sealed_through = TICK + 1

    told = table.resolve()

    assert "north" == told.one(SealLifted).zone
    assert (0, TICK + 1) == tuple(zone.sealed_through for zone in told.city.zones.values())


def test_V32_a_seal_is_lifted_before_a_noisy_zone_is_sealed_anew() -> None:
    table = Table()
    table.servant("ariane")
    table.zones["north"].sealed_through, table.zones["north"].noise = TICK, 50

    told = table.resolve()

    kinds = [type(event) for event in told.events if isinstance(event, SealLifted | ZoneSealed)]
    assert [SealLifted, ZoneSealed] == kinds
    assert TICK + 2 == told.city.zones["north"].sealed_through


def test_V32_a_noisy_zone_that_is_sealed_for_longer_stays_so() -> None:
    table = Table()
    table.servant("ariane")
    table.zones["north"].sealed_through, table.zones["north"].noise = TICK + 4, 50

    told = table.resolve()

    assert TICK + 4 == told.one(ZoneSealed).through == told.city.zones["north"].sealed_through
    assert 0 == told.city.zones["north"].noise


def test_V33_the_open_zones_are_those_of_the_tick_asked_for_ascending_whatever_was_asked_before() -> None:
    city = Table(zones="north east").city
    city.set_seal("north", TICK)

    assert ("east",) == city.open_zones(TICK)
    assert ("east", "north") == city.open_zones(TICK + 1)
    city.set_seal("east", TICK + 1)
    assert ("north",) == city.open_zones(TICK + 1)


def inquest(strain: int, tick: int = TICK, **noise: int) -> Any:
    """A tick with this strain after its decay and this noise after its decay; two servants, so nothing is locked."""
    table = Table(tick=tick, zones="east north south west", noise_share=100)
    table.servant("ariane")
    table.servant("garance", "demon")
    table.city.strain = strain + -(-strain // 3)
    for zone, left in noise.items():
        table.zones[zone].noise = left + -(-left // 3)
    told = table.resolve()
    assert strain == told.one(VeilDecayed).strain
    assert noise == {zone: left for zone, left in told.one(VeilDecayed).noise if left}
    return told


def test_V33_K5_there_is_an_inquest_when_the_draw_1_to_100_is_at_most_the_strain() -> None:
    for tick in range(1, 40):
        drawn = Table(tick=tick).dice.stream(f"events/{IDS.handle('inquest')}/draw").below(100) + 1
        if drawn > 75:
            continue
        for strain, held in ((drawn, True), (drawn - 1, False)):
            told = inquest(strain, tick, north=2)
            assert held == bool(told.all(ZoneSealed, cause="inquest"))
            assert (strain, drawn - 1) == (told.one(InquestDrawn).chance, told.one(InquestDrawn).draw.value)


def held_inquest(**noise: int) -> Any:
    """An inquest that is held, at a strain of 75."""
    for tick in range(1, 40):
        told = inquest(75, tick, **noise)
        if told.one(InquestDrawn).draw.value < 75:
            return told
    raise AssertionError("no tick draws an inquest")


def test_V33_an_inquest_seals_the_noisiest_zone_for_the_next_tick_and_keeps_its_noise() -> None:
    told = held_inquest(north=3, south=6, west=2)
    (sealed,) = told.all(ZoneSealed)

    assert ("inquest", "south", told.result.tick + 1) == (sealed.cause, sealed.zone, sealed.through)
    assert 6 == told.city.zones["south"].noise


def test_V33_of_equally_noisy_zones_the_lowest_id_is_sealed() -> None:
    assert "north" == held_inquest(south=3, north=3, west=3).one(ZoneSealed).zone


def test_V33_no_inquest_without_a_zone_of_noise_1() -> None:
    told = held_inquest()

    assert None is told.one(InquestDrawn).zone
    assert [] == told.all(ZoneSealed)


def test_V33_an_inquest_passes_over_zones_that_are_sealed_in_the_next_tick() -> None:
    for tick in range(1, 40):
        table = Table(tick=tick, noise_share=100)
        table.servant("ariane")
        table.city.strain = 100
        table.zones["north"].noise, table.zones["south"].noise = 40, 4
        table.zones["north"].sealed_through = tick + 1
        told = table.resolve()
        assert told.one(InquestDrawn).zone in (None, "south")
        if told.one(InquestDrawn).zone == "south":
            return
    raise AssertionError("no tick draws an inquest")


def test_V33_no_mission_is_drawn_where_the_inquest_has_sealed() -> None:
    told = held_inquest(north=3)

    assert 2 == len(told.all(MissionAssigned))
    assert "north" not in {event.zone for event in told.all(MissionAssigned)}
    assert {3} == {event.draws[0].below for event in told.all(MissionAssigned)}


def test_V33_every_servant_without_a_mission_gets_one_even_at_3_wounds() -> None:
    table = Table()
    table.servant("ariane", wounds=3)
    table.servant("celeste")
    table.mission("celeste")

    assert ["ariane"] == [event.servant for event in table.resolve().all(MissionAssigned)]


def test_V33_nobody_gets_a_mission_when_all_zones_are_sealed() -> None:
    table = Table()
    table.servant("ariane")
    for zone in table.zones.values():
        zone.sealed_through = TICK + 1

    assert [] == table.resolve().all(MissionAssigned)


def test_V33_zones_are_drawn_by_ascending_id() -> None:
    table = Table(zones="b a C é")
    for i in range(40):
        table.servant(f"angel{i}")

    ascending = ["C", "a", "b", "é"]
    drawn = table.resolve().all(MissionAssigned)

    assert {0, 1, 2, 3} == {event.draws[0].value for event in drawn}
    assert all(ascending[event.draws[0].value] == event.zone for event in drawn)


@pytest.mark.parametrize(
    ("last", "tick", "influence", "expected"),
    [
        (0, 99, 50, None),
        (6, 5, 50, None),
        (6, 6, 50, Verdict("angel", "dominance")),
        (6, 6, -1, Verdict("demon", "dominance")),
        (6, 7, 0, Verdict("", "balance")),
    ],
)
def test_V35_the_verdict_after_the_last_tick_is_the_sign_of_the_sum_of_influence(
    last: int, tick: int, influence: int, expected: Verdict | None
) -> None:
    table = Table(last_tick=last)
    table.zones["north"].influence, table.zones["south"].influence = influence + 10, -10

    assert expected == RULEBOOK.verdict(table.city, table.settings, tick)


def test_V31_V15_two_interventions_in_one_zone_cancel_out_and_both_are_told() -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon")
    table.order(Influence("ariane", "north"), 111)
    table.order(Influence("garance", "north"), 666)

    told = table.resolve()

    assert ["divine", "satanic"] == [event.cause for event in told.all(Intervention)]
    assert 0 == told.influence()
    assert 2 == told.one(VeilTorn).interventions
