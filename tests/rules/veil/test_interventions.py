"""A public intervention tells its power and zone and nothing else, page and place included: V15, V24, V34 and K7."""

from typing import Any

import pytest

from tests.rules.veil.table import TICK, Table, Told, next_tick
from workers.rules.veil.events import CounterJudged, Intervention, Rolled
from workers.rules.veil.orders import AnyOrder, Counter, Influence, Intel, Mission, Recovery, Support

KINDS = ("influence", "intel", "support", "counter")


def intervened(kind: str, roll: int) -> Told:
    """Ariane's mission in `north` fails by itself, Garance's too; Horace, a demon, rolls this with one order there.

    The angels know the zone, so that they read all that moved it.
    """
    table = Table()
    table.servant("ariane")
    for name in ("garance", "horace"):
        table.servant(name, "demon")
    table.intel("angel", "north", TICK)
    mission, allied = table.mission("ariane", by_intel=True), table.mission("garance")
    table.mission("horace", "south")
    table.order(Mission("ariane", mission), 665)
    table.order(Mission("garance", allied), 665)
    orders: dict[str, AnyOrder] = {
        "influence": Influence("horace", "north"),
        "intel": Intel("horace", "north"),
        "support": Support("horace", "garance", allied),
        "counter": Counter("horace", "ariane", mission),
    }
    table.order(orders[kind], roll)
    told = table.resolve()
    assert roll == int("".join(map(str, told.one(Rolled, servant="horace").roll.dice)))
    return told


@pytest.mark.parametrize("roll", [111, 666])
@pytest.mark.parametrize("kind", KINDS)
def test_V15_V24_V34_K7_the_other_camps_pages_are_the_same_whatever_kind_of_order_rolled_an_intervention(
    kind: str, roll: int
) -> None:
    """Above all a counter's: the owner of a mission that fails by itself isn't told that somebody countered (V24)."""
    told = intervened(kind, roll)
    cause = "divine" if roll == 111 else "satanic"

    assert intervened("influence", roll).pages("angel") == told.pages("angel")
    assert [("veil_decay", None, {"event": "intervention", "cause": cause, "zone": "north"})] == [
        entry for entry in told.pages("angel") if entry[2]["event"] == "intervention"
    ]
    assert (kind == "counter") == bool(told.all(CounterJudged))


@pytest.mark.parametrize(("roll", "cause"), [(111, "divine"), (666, "satanic")])
def test_V15_V34_a_recoverys_intervention_is_told_with_the_others_and_names_no_zone(roll: int, cause: str) -> None:
    table = Table()
    table.servant("ariane")
    table.servant("garance", "demon")
    for name in table.servants:
        table.mission(name)
    table.order(Recovery("garance"), roll)

    told = table.resolve()

    fact = {"event": "intervention", "cause": cause, "zone": None}
    assert [("veil_decay", None, fact)] == told.pages("angel")
    assert [] == next_tick(told, table).resolve().all(Intervention)


def test_V15_all_interventions_of_a_tick_are_told_once_by_zone_then_power() -> None:
    table = Table()
    table.servant("ariane")
    for name in ("garance", "horace"):
        table.servant(name, "demon")
    mission = table.mission("ariane", "north", by_intel=True)
    table.order(Mission("ariane", mission), 111)
    table.order(Recovery("ariane"), 111)
    table.order(Intel("garance", "south"), 666)
    table.order(Influence("garance", "south"), 111)
    table.order(Recovery("garance"), 666)
    table.order(Counter("horace", "ariane", mission), 666)
    table.order(Recovery("horace"), 666)

    told = table.resolve()

    expected: list[tuple[str, Any]] = [
        ("divine", "north"),
        ("satanic", "north"),
        ("divine", "south"),
        ("satanic", "south"),
        ("divine", None),
        ("satanic", None),
        ("satanic", None),
    ]
    for camp in ("angel", "demon"):
        found = [(phase, fact) for phase, _, fact in told.pages(camp) if fact["event"] == "intervention"]
        assert expected == [(fact["cause"], fact["zone"]) for _, fact in found]
        assert {"veil_decay"} == {phase for phase, _ in found}
    assert ["veil_decay"] == told.phase_of(Intervention)
