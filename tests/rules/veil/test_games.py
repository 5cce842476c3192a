"""Golden games: whole ticks as data files, each with what the rules expect of it, and its recorded digest."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rules.veil.table import Told
from workers.kernel.tick import resolve
from workers.rules.bundle import load_bundle
from workers.rules.veil import RULEBOOK
from workers.rules.veil.events import (
    ChainBroken,
    CorrectionTold,
    CounterJudged,
    CounterRolled,
    InfluencePlayed,
    InquestDrawn,
    Intervention,
    MissionAssigned,
    MissionForgotten,
    MissionHeld,
    MissionLapsed,
    MissionPlayed,
    MissionSeen,
    OrderLost,
    OrderVoid,
    RecoveryRolled,
    Rolled,
    SealLifted,
    ServantRefused,
    SupportRolled,
    VeilDecayed,
    ZoneReport,
    ZoneSealed,
)

GAMES = Path(__file__).parent / "games"


def game(name: str, slices: int = 4) -> Told:
    loaded = load_bundle((GAMES / f"{name}.json").read_bytes(), lambda _: RULEBOOK, slices)
    return Told(resolve(loaded.engine, loaded.given))


def the_sabotage() -> None:
    """V22–V24: Ariane's supported mission resists a counter of its own quality, Bastien's doesn't."""
    told = game("the_sabotage")
    ariane, bastien = (told.one(MissionPlayed, servant=name) for name in ("ariane", "bastien"))

    # Ariane rolls quality 3, one of Celeste's two supports succeeds: 4. Garance's counter has quality 3 and halves:
    # 13 × 6/4 = 19.5, so 20, halved 10.
    assert ["failure", "success"] == sorted(event.outcome for event in told.all(SupportRolled))
    assert (3, 1, 4, "halved") == (ariane.roll.quality, ariane.supports, ariane.quality, ariane.outcome)
    assert ariane.gain is not None
    assert (20, 10) == (ariane.gain.rounded, ariane.gain.points)
    # Horace's counter has quality 2, which is Bastien's: cancelled, exposed by 2, the rating untouched.
    assert ("cancelled", 2, 0) == (bastien.outcome, bastien.exposure, bastien.rating)
    assert {("garance", "halved", 4), ("horace", "cancelled", 2)} == {
        (event.servant, event.outcome, event.quality) for event in told.all(CounterJudged)
    }
    # North: 10, and 2 of Bastien's influence (3 × 3/4 = 2.25). South: nothing.
    assert (12, 0) == (told.influence("north"), told.influence("south"))
    # Strain: 10 × 3 / 5 = 6, less 2. The draw is 1: an inquest seals the noisiest, south (2, less 1).
    assert (6, 4) == (told.one(VeilDecayed).gained, told.one(VeilDecayed).strain)
    assert ("inquest", "south", 4) == tuple(
        getattr(told.one(ZoneSealed), name) for name in ("cause", "zone", "through")
    )
    # The demons' coverage of north goes on: all three angels' new missions are there, and intercepted.
    assert {"ariane", "bastien", "celeste"} == {event.servant for event in told.all(MissionSeen, cause="intercepted")}


def the_tearing() -> None:
    """V15 and V31–V33: four interventions, an inquest, and a chain that breaks on it."""
    told = game("the_tearing")

    assert [("divine", "docks"), ("satanic", "docks"), ("satanic", "market"), ("divine", None)] == [
        (event.cause, event.zone) for event in told.all(Intervention)
    ]
    # 90 + 25 is bounded to 100 in the intel phase, then falls by 25 in the mission phase.
    assert (75, -25, 0) == tuple(told.influence(zone) for zone in ("docks", "market", "towers"))
    # Falco fails a violent mission in a place of the angels: exposure 2 + 1, a second wound, rating −1; then recovers,
    # wounded: 2 + 2 − 1 = 3.
    falco, rest = told.one(MissionPlayed, servant="falco"), told.one(RecoveryRolled, servant="falco")
    assert ("failure", 3, 2, -1) == (falco.outcome, falco.exposure, falco.wounds, falco.rating)
    assert (3, 7, 1) == (rest.roll.score, rest.pp_now, rest.wounds)
    # 10 × (10 × 4 + 4) / 4 = 110, bounded to 100, less 25.
    assert (4, 4, 110, 75) == tuple(
        getattr(told.one(VeilDecayed), name) for name in ("interventions", "exposure", "gained", "strain")
    )
    # The draw is 44 ≤ 75. Market's noise: 4 + 1 = 5, less 2; towers': 3, less 1.
    assert (43, "market") == (told.one(InquestDrawn).draw.value, told.one(InquestDrawn).zone)
    assert (("market", 3), ("towers", 2)) == told.one(VeilDecayed).noise
    assert ("horace", "market") == (told.one(ChainBroken).servant, told.one(ChainBroken).zone)
    assert {"towers"} == {event.zone for event in told.all(MissionAssigned)} - {"docks"}


def the_coverage() -> None:
    """V2, V5, V7 and V26–V28: Yves's coverage, Georges's routine, an exposed servant, a lapse."""
    told = game("the_coverage")
    influence = told.one(InfluencePlayed)

    # Ariane, of Yves, covers the bridge with quality 1: Garance's mission is revealed, and her next one intercepted.
    assert [("revealed", "garance"), ("intercepted", "garance"), ("exposed", "horace")] == [
        (event.cause, event.servant) for event in told.all(MissionSeen)
    ]
    assert "m-garance-0" == told.one(MissionLapsed).mission == told.one(MissionSeen, cause="revealed").mission
    # Bastien, of Georges, repeats an influence: 4 + 3 + 1.
    assert ("routine", 1) == (influence.roll.terms[-1].name, influence.roll.terms[-1].value)
    assert (8, 6) == (influence.roll.score, told.influence("bridge"))
    # His counter, on a mission detected by exposure alone, misses: 446 against 426; he reads the outcome all the same.
    assert ("failure", 426) == (told.one(CounterRolled).outcome, told.one(CounterRolled).roll.threshold)
    assert ("success", 6) == (told.one(CounterJudged).outcome, told.one(CounterJudged).quality)
    # Horace's exposure: 9 + 1 = 10, less 2: 8, so the mission that chains is known too. Quay: −30 − 24.
    assert (8, -54) == (told.servants["horace"].exposure, told.influence("quay"))
    assert ("chained", 13) == tuple(
        getattr(told.one(MissionAssigned, servant="horace"), name) for name in ("cause", "base")
    )
    # The intel on the quay is stale: the angels keep what they knew of it.
    stale = told.city.intel_of("angel", "quay")
    assert stale is not None
    assert (12, 6) == (stale.influence, stale.known)
    assert ["bridge"] == [event.zone for event in told.all(ZoneReport)]


def the_seal() -> None:
    """V19, V32 and K6: a sealed zone's orders are void, its missions wait; its seal ends."""
    told = game("the_seal")

    reasons = {(event.servant, event.kind): event.reason for event in told.all(OrderVoid)}
    assert {
        ("ariane", "mission"): "sealed",
        ("garance", "influence"): "sealed",
        ("garance", "recovery"): "one_recovery",
    } == reasons
    assert {"ariane", "garance"} == {event.servant for event in told.all(MissionHeld)}
    assert [] == told.all(MissionLapsed)
    # The void mission keeps its 2 action points, the support fits beside it; of the 3 power points 1 is spent.
    assert 4 == told.servants["ariane"].pp
    # Quality 6 and a support: still 6. 12 × 8/4.
    assert (1, 6, 24) == (told.one(MissionPlayed).supports, told.one(MissionPlayed).quality, told.influence("square"))
    assert "cellar" == told.one(SealLifted).zone
    # Square's noise: 9 + 1 = 10, less 3: 7, below the threshold of max(5, ⌈5 × 3 / 2⌉) = 8.
    assert (7, []) == (told.city.zones["square"].noise, told.all(ZoneSealed))
    # The angels' intel on the cellar ends with this tick: Garance's mission is forgotten.
    assert "m-garance-0" == told.one(MissionForgotten).mission


def the_newcomers() -> None:
    """Amendments, and an order that the operator dropped."""
    told = game("the_newcomers")

    assert {"ariane", "garance", "noemie"} == told.servants.keys()
    assert ("xavier", "superior") == (told.one(ServantRefused).servant, told.one(ServantRefused).reason)
    assert ["servant_gone", "mission_gone"] == [event.reason for event in told.all(OrderVoid)]
    # 40 by correction, less 5.
    assert "north" == told.one(CorrectionTold).zone
    assert (35, 0) == (told.influence("north"), told.influence("south"))
    (dropped,) = told.report("angel", "order_dropped")
    assert {"event": "order_dropped", "dropped": 1} == dropped


def paris() -> None:
    """A sampled tick of the city that ships: every order is answered."""
    told = game("paris")
    orders = json.loads((GAMES / "paris.json").read_text(encoding="utf-8"))["orders"]

    answered = [event.order for event in told.events if isinstance(event, Rolled | OrderVoid | OrderLost)]
    assert sorted(order["id"] for order in orders) == sorted(answered)
    assert 40 == len(told.servants)
    assert all(home.missions for home in told.servants.values())


RECORDED: dict[Callable[[], None], str] = {
    the_sabotage: "91ea7c71be68d078f07c65cc948a366bafa990cf60933f837ad5a75c64a4d053",
    the_tearing: "302937b7bffd2899b3f849f2ac9794511775a4319b706702d677c48c4378a45b",
    the_coverage: "ca7a3e729753d6c2f4591e4af7d3a75544f63021f47f58c2a93ce046591f9f96",
    the_seal: "2dfb4562d65cf3c14336a9fb4cd77573c50c1c35f3e6dc823e2e98d94921713e",
    the_newcomers: "a2c124844be02d411b24f5cfb7bfb48470e4fd29dab7b06c3d543724f7a02512",
    paris: "ea9f729d1d1589d49d0dcea0877a28cf012b205d396a40f46bba232da4f61b95",
}


@pytest.mark.parametrize("expected", RECORDED, ids=lambda expected: expected.__name__)
def test_a_golden_game_of_V2_to_V33_ends_as_the_rules_say(expected: Callable[[], None]) -> None:
    expected()


@pytest.mark.parametrize("slices", [1, 16])
@pytest.mark.parametrize(("expected", "digest"), RECORDED.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_a_golden_game_has_its_recorded_digest(expected: Callable[[], None], digest: str, slices: int) -> None:
    assert digest == game(expected.__name__, slices).result.digest


def test_every_golden_game_is_played() -> None:
    assert {path.stem for path in GAMES.glob("*.json")} == {expected.__name__ for expected in RECORDED}
