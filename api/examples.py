"""Examples for the API's description that work: orders that are legal in any campaign of a rulebook's first scenario.

They come from the rulebook's own sample orders, made on the scenario founded with one seed and kept if they are legal
on it founded with another: so they name nothing that was drawn.
"""

from typing import Any, Final

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice, State
from workers.kernel.ids import Ids, id_key, tick_seed
from workers.kernel.orders import Booking
from workers.kernel.tick import TickInput, resolve
from workers.registry import Registry
from workers.rules.contract import Rulebook, view_of
from workers.rules.resources import parse_scenario, scenario_text

EXAMPLES_MAX: Final = 3
_SEEDS: Final = (bytes(32), bytes(31) + b"\1")


class Example(msgspec.Struct, frozen=True):
    """An order of a camp, in a campaign of a rulebook's first scenario."""

    rulebook: str
    camp: str
    order: dict[str, Any]


def examples(registry: Registry) -> list[Example]:
    """A few orders of each rulebook, one a kind."""
    return [example for name in registry for example in examples_of(registry.get(name))]


def examples_of(rulebook: Rulebook) -> list[Example]:
    """A few orders of a rulebook, one a kind."""
    settings, first = _first_state(rulebook, _SEEDS[0])
    _, second = _first_state(rulebook, _SEEDS[1])
    found: dict[str, Example] = {}
    sample = rulebook.sample(first.homes.values(), first.shared, settings, 1, Dice(_SEEDS[0]))
    for camp, _, order in sample:
        kind = str(type(order).__struct_config__.tag)
        if kind in found or len(found) == EXAMPLES_MAX:
            continue
        homes = {key: second.homes.get(key) for key in rulebook.reads(order).homes}
        view = view_of(rulebook, camp, 1, settings, second.shared, homes)
        if isinstance(rulebook.check(order, view), Booking):
            found[kind] = Example(rulebook.name, camp, msgspec.to_builtins(order))
    return list(found.values())


def _first_state(rulebook: Rulebook, seed: bytes) -> tuple[Any, State[Any]]:
    """The settings and the state at tick 1 of the first scenario, founded with a seed."""
    engine = Engine(rulebook)
    scenario: Any = parse_scenario(rulebook, scenario_text(rulebook, rulebook.scenarios[0]))
    ids = Ids(id_key(seed))
    state = rulebook.found(scenario, ids)
    lines = {key: msgspec.json.encode(home, order="deterministic") for key, home in state.homes.items()}
    shared = msgspec.json.encode(state.shared, order="deterministic")
    given = TickInput(0, tick_seed(seed, 0), ids.key, scenario.settings, shared, [Slice.of(lines).to_bytes()])
    result = resolve(engine, given)
    (data,) = result.slices
    homes = {key: engine.read_home(line) for key, line in Slice.parse(data).lines.items()}
    return scenario.settings, State(engine.read_shared(result.shared), homes)
