"""What holds in every game (U1–U26), tried on cities and orders drawn at random."""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.uprising.board import ENGINE, Told
from workers.kernel.dice import Dice
from workers.kernel.digest import canonical
from workers.kernel.entities import cut
from workers.kernel.ids import Ids, id_key, tick_seed
from workers.kernel.orders import Booked
from workers.kernel.tick import TickInput, resolve
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.entities import Unit
from workers.rules.uprising.orders import Arrest, Assassination, Assault, Contest, Gamble, Raid, Rally, Search
from workers.rules.uprising.scenario import Scenario

BOUNDS = {"assassination": (5, 95), "rally": (0, 95), "search": (0, 95), "aftermath": (0, 95), "contest": (0, 100)}
"""The lowest and highest chance in points of each phase's rolls (a gamble's in the contests)."""


def a_scenario(seed: bytes) -> Scenario:
    """A generated city with more of everything, drawn from the seed."""
    scenario: Scenario = RULEBOOK.generate(1 + seed[0] % 4, Dice(seed))
    stream = Dice(seed).stream("test/city/more")
    units = tuple(
        msgspec.structs.replace(
            unit,
            wounds=stream.below(3),
            refuses=stream.below(6) == 0,
            spy=stream.below(8) == 0,
            search_neighbours=stream.below(2) == 0,
            force=stream.below(6),
            stealth=stream.below(6),
        )
        for unit in scenario.units
    )
    districts = tuple(
        msgspec.structs.replace(place, gas=stream.below(6) == 0, fire=stream.below(3)) for place in scenario.districts
    )
    return msgspec.structs.replace(scenario, units=units, districts=districts, heat=stream.below(101))


def play(seed: bytes, ticks: int) -> Iterator[tuple[Mapping[str, Unit], Told]]:
    """Ticks of a city played by `sample`, with orders that intake would refuse among them: the units at each tick's
    start, and what was told.
    """
    scenario = a_scenario(seed)
    key = id_key(seed)
    state = RULEBOOK.found(scenario, Ids(key))
    for tick in range(3, 3 + ticks):
        dice = Dice(tick_seed(seed, tick))
        drawn = list(RULEBOOK.sample(state.homes.values(), state.shared, scenario.settings, tick, dice))
        orders = [
            Booked(f"{number:04}", order.district, camp, actor, order, None)
            for number, (camp, actor, order) in enumerate([*drawn, *_wild(drawn, dice)])
        ]
        given_tick = TickInput(
            tick=tick,
            tick_seed=tick_seed(seed, tick),
            id_key=key,
            settings=scenario.settings,
            shared=canonical(state.shared),
            slices=[piece.to_bytes() for piece in cut(state.homes.items(), 2)],
            orders=orders,
        )
        before = {unit.id: unit for home in state.homes.values() for unit in home.units.values()}
        told = Told(resolve(ENGINE, given_tick))
        yield before, told
        state = told.state


def _wild(drawn: list[Any], dice: Dice) -> Iterator[Any]:
    """The same orders with units and districts shuffled: what no intake would book."""
    stream = dice.stream("test/orders/wild")
    for camp, _, order in drawn:
        if stream.below(3) == 0:
            _, actor, other = drawn[stream.below(len(drawn))]
            yield (
                camp,
                actor,
                msgspec.structs.replace(order, units=(*other.units, *order.units), district=other.district),
            )


def crowded(seed: bytes, *, joined: bool) -> Told:
    """A tick in which units of a side act on few targets: each by an order of its own, or all that have a card and a
    target in common by one.
    """
    scenario = a_scenario(seed)
    state = RULEBOOK.found(scenario, Ids(id_key(seed)))
    crowds: dict[Any, list[str]] = {}
    for (order, camp), name in _crowd(state, Dice(seed)):
        crowds.setdefault((order, camp) if joined else (order, camp, name), []).append(name)
    orders = [
        Booked(f"{number:04}", order.district, camp, names[0], msgspec.structs.replace(order, units=tuple(names)), None)
        for number, ((order, camp, *_), names) in enumerate(crowds.items())
    ]
    pieces = [piece.to_bytes() for piece in cut(state.homes.items(), 1)]
    given_tick = TickInput(3, seed, id_key(seed), scenario.settings, canonical(state.shared), pieces, orders)
    return Told(resolve(ENGINE, given_tick))


def _crowd(state: Any, dice: Dice) -> Iterator[tuple[tuple[Any, str], str]]:
    """For each unit one of a few orders (still without units), with its side."""
    stream = dice.stream("test/orders/crowd")
    for place, home in sorted(state.homes.items()):
        for camp in RULEBOOK.camps:
            enemies = sorted(unit.id for unit in home.units.values() if unit.camp != camp) or ["nobody"]
            target = enemies[stream.below(len(enemies))]
            kinds = (Assassination, Rally, Arrest, Raid, Search, Contest, Gamble, Assault)
            for name, unit in sorted(home.units.items()):
                kind = kinds[stream.below(len(kinds))]
                if unit.camp == camp:
                    where = {"target": target} if kind in (Assassination, Rally, Arrest, Raid) else {}
                    yield (kind(district=place, units=(), **where), camp), name


def rolls(told: Told) -> Iterator[Mapping[str, Any]]:
    """Every record of a roll in every event."""
    stack: list[Any] = [msgspec.to_builtins(event) for event in told.events]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if "path" in value and "outcome" in value:
                yield value
            stack.extend(value.values())
        elif isinstance(value, list | tuple):
            stack.extend(value)


SEEDS = st.binary(min_size=32, max_size=32)


@settings(max_examples=25)
@given(SEEDS)
def test_U7_U14_U17_U18_U19_U24_chances_stay_within_the_bounds_of_their_kind(seed: bytes) -> None:
    for _, told in play(seed, 2):
        for roll in rolls(told):
            phase, _, label = roll["path"].split("/")
            if "below" in roll:
                assert Fraction(5, 100) <= Fraction(roll["threshold"], roll["below"]) <= Fraction(95, 100)
            elif phase in BOUNDS:
                low, high = BOUNDS[phase]
                assert low <= roll["threshold"] <= high, roll
            else:
                assert phase == "arrest" or (phase, roll["threshold"]) == ("assault", 50), roll
                assert phase != "arrest" or label == "escape"


@settings(max_examples=25)
@given(SEEDS)
def test_U11_forces_are_never_below_zero_and_sums_are_those_of_their_terms(seed: bytes) -> None:
    for _, told in play(seed, 2):
        for roll in rolls(told):
            for brought in roll.get("forces", ()):
                assert brought["force"] == max(0, sum(term["value"] for term in brought["terms"]))


@settings(max_examples=25)
@given(SEEDS)
def test_U2_U3_influence_and_gauges_stay_within_bounds(seed: bytes) -> None:
    for _, told in play(seed, 4):
        city = told.city
        assert 0 <= city.heat <= 100
        for gauges in city.gauges.values():
            assert 0 <= gauges.authority <= 100
            assert all(0 <= faction.loyalty <= 100 for faction in gauges.factions)
        for home in told.state.homes.values():
            assert 0 <= home.influence.revolution <= 100
            assert 0 <= home.influence.law <= 100
            assert home.barricades >= 0
            assert home.fire >= 0


@settings(max_examples=25)
@given(SEEDS)
def test_U1_no_unit_is_lost_or_in_two_places(seed: bytes) -> None:
    for before, told in play(seed, 4):
        counted = Counter(name for home in told.state.homes.values() for name in home.units)
        raised = {event.unit for event in told.events if type(event).__name__ == "UnitRaised"}
        assert {*before, *raised} == set(counted)
        assert {1} == set(counted.values())
        assert all(name == unit.id for home in told.state.homes.values() for name, unit in home.units.items())


@settings(max_examples=25)
@given(SEEDS)
def test_U1_U24_who_is_not_active_never_acts_and_never_rises(seed: bytes) -> None:
    for before, told in play(seed, 4):
        out = {name for name, unit in before.items() if not unit.active}
        for event in told.events:
            plain = msgspec.to_builtins(event)
            if "orders" in plain:
                forces = {brought["unit"] for brought in (plain.get("roll") or {}).get("forces", ())}
                assert not {*plain["units"], *forces} & out, plain
            match plain:
                case {"event": "unit_struck", "outcome": "fallen", "unit": name}:
                    out.add(name)
                case {"event": "assassination" | "raid", "outcome": "success", "target": name}:
                    out.add(name)
                case {"event": "arrest", "outcome": "arrested", "target": name}:
                    out.add(name)
                case {"event": "prisoners_freed", "units": names}:
                    out -= {*names}
        for name in ("fallen", "destroyed", "out"):
            gone = {unit.id for unit in before.values() if unit.status == name}
            assert gone <= {
                key for home in told.state.homes.values() for key, unit in home.units.items() if unit.status == name
            }


@settings(max_examples=25)
@given(SEEDS)
def test_U4_a_unit_serves_one_order_of_a_tick(seed: bytes) -> None:
    for _, told in play(seed, 2):
        served = Counter(
            name for event in told.events for name in (getattr(event, "units", ()) if hasattr(event, "orders") else ())
        )
        served.update(
            event.unit for event in told.events if getattr(event, "covered", False) and hasattr(event, "card")
        )
        assert not [name for name, times in served.items() if times > 1]


@settings(max_examples=50)
@given(SEEDS)
def test_U22_a_side_gains_nothing_by_splitting_its_orders(seed: bytes) -> None:
    split, one = (crowded(seed, joined=joined) for joined in (False, True))

    assert split.result.state_digest == one.result.state_digest
    assert list(map(canonical, rolls(split))) == list(map(canonical, rolls(one)))


@settings(max_examples=25)
@given(SEEDS)
def test_K6_every_order_is_carried_out_or_void_with_a_reason(seed: bytes) -> None:
    for _, told in play(seed, 1):
        void = {event.order for event in told.events if event.void}
        done = {name for event in told.events for name in getattr(event, "orders", ())}
        moved = {event.order for event in told.events if type(event).__name__ == "UnitMoved"}
        booked = len(void | done | moved)
        assert not void & (done | moved)
        assert booked == max(int(name) for name in void | done | moved) + 1
