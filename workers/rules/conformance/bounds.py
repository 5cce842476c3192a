"""Settings: every number bounded and described, and a game that can be played at each bound."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

from workers.kernel.errors import InvalidInput
from workers.kernel.ids import Ids, id_key
from workers.rules.conformance.chances import demand_odds
from workers.rules.conformance.errors import demand
from workers.rules.conformance.games import CAMPAIGN_SEED, full_view, self_played
from workers.rules.conformance.kit import Conformance
from workers.rules.conformance.values import bounds_of, fields_of
from workers.rules.resources import parse_scenario, scenario_text

TICKS = 2
"""Ticks that are played at each bound, beside the set-up."""


def settings_bounds(kit: Conformance) -> None:
    """Every whole number of the settings has bounds and a description; with each at each of its bounds, a scenario can
    be played, unless `found` says that the settings contradict each other."""
    scenario = kit.rulebook.scenarios[0]
    made: Any = parse_scenario(kit.rulebook, scenario_text(kit.rulebook, scenario))
    for name, value in _extremes(kit):
        settings = msgspec.structs.replace(made.settings, **{name: value})
        try:
            kit.rulebook.found(msgspec.structs.replace(made, settings=settings), Ids(id_key(CAMPAIGN_SEED)))
        except InvalidInput:
            continue
        try:
            for game in self_played(kit.rulebook, scenario, TICKS, settings):
                state = game.state(kit.engine)
                views = {camp: full_view(kit.rulebook, state, game.given, camp) for camp in kit.rulebook.camps}
                for booked in kit.some_orders(game):
                    where = f"{game.name}, odds of {booked.order}"
                    demand_odds(kit.rulebook, where, booked.order, views[booked.camp])
        except AssertionError as error:
            demand(False, f"with the setting {name} = {value}: {error}")


def _extremes(kit: Conformance) -> Iterator[tuple[str, int]]:
    """Each whole number of the settings with each of its bounds. Raises ConformanceError where one is missing."""
    for name, declared in fields_of(kit.rulebook.settings).items():
        described: dict[str, Any] = {}
        number = declared
        while isinstance(number, inspect.Metadata):
            described.update(number.extra_json_schema or {})
            number = number.type
        if not isinstance(number, inspect.IntType):
            continue
        low, high = bounds_of(number)
        demand(low is not None and high is not None, f"the setting {name!r} has no bounds; give both `ge` and `le`")
        demand(bool(described.get("description")), f"the setting {name!r} has no description")
        for bound in (low, high):
            if bound is not None:
                yield name, bound
