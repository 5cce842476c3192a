"""What every check receives: the rulebook, made ready, and the games to play."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from workers.kernel.dice import Dice, Stream
from workers.kernel.engine import Engine
from workers.kernel.entities import State, View
from workers.kernel.events import KERNEL_EVENTS, Event
from workers.kernel.orders import Booked
from workers.rules.conformance.errors import ConformanceError, without_error
from workers.rules.conformance.games import Game, full_view, game_from_bundle, sampled, self_played
from workers.rules.conformance.trace import Trace, traced
from workers.rules.conformance.values import Maker
from workers.rules.contract import Rulebook, check_rulebook

ORDERS_OF_A_KIND = 6
"""Orders of each kind that are looked at closely, a game."""

OutcomeOf = Callable[[Booked[Any, Any], Sequence[Event]], str | None]
"""`outcome_of(order, events)`: the name, among those of `odds`, of what came of an order; None where nothing was
rolled."""

Disturb = Callable[[State[Any], Sequence[Booked[Any, Any]], str, Stream], Iterable[State[Any]]]
"""`disturb(state, orders, camp, stream)`: the state, changed in what the camp doesn't know and what takes part in
nothing that the camp is shown. The state is a fresh copy: change it and yield it, as often as you like."""


def no_disturbance(
    state: State[Any], orders: Sequence[Booked[Any, Any]], camp: str, stream: Stream
) -> Iterable[State[Any]]:
    """No change beside those that the kit makes by itself."""
    return ()


class Conformance:
    """A rulebook under test, and its games.

    `games` are bundles by name; to them come the first `ticks` ticks of every scenario that ships, played by the
    rulebook's `sample`. `outcome_of` tells what came of an order, where the first roll in the order's path doesn't.
    `disturb` changes what the kit can't find by itself: entities that lie hidden inside a home that the camp knows.
    `open_sums` are the beginnings of the names of sums whose totals every camp may read, whoever added to them.
    `seeds` is how often an order is rolled against its odds.

    Raises RulebookError when the record itself breaks the contract, InvalidInput when a game isn't a bundle of it.
    """

    def __init__(
        self,
        rulebook: Rulebook,
        games: Mapping[str, bytes],
        *,
        ticks: int = 3,
        seeds: int = 64,
        outcome_of: OutcomeOf | None = None,
        disturb: Disturb = no_disturbance,
        open_sums: tuple[str, ...] = (),
    ) -> None:
        check_rulebook(rulebook)
        self.rulebook = rulebook
        self.engine = Engine(rulebook)
        self.given_games = tuple(game_from_bundle(rulebook, name, text) for name, text in games.items())
        self.ticks = ticks
        self.seeds = seeds
        self.outcome_of = outcome_of
        self.disturb = disturb
        self.open_sums = open_sums
        self._views: dict[tuple[str, str], View[Any, Any, Any]] = {}
        self.dice = Dice(b"conformance kit".ljust(32, b"\0"))

    @cached_property
    def games(self) -> tuple[Game, ...]:
        """Every game: those given, then those that the rulebook plays with itself."""
        played = [
            game for scenario in self.rulebook.scenarios for game in self_played(self.rulebook, scenario, self.ticks)
        ]
        return (*self.given_games, *played)

    @cached_property
    def traces(self) -> tuple[tuple[Game, Trace], ...]:
        """Every game with what happened in it."""
        return tuple(
            (game, without_error(f"{game.name}, resolved", partial(traced, self.rulebook, game))) for game in self.games
        )

    @cached_property
    def events(self) -> tuple[type[Event], ...]:
        """The rulebook's types of event and the kernel's own."""
        return (*self.rulebook.events, *KERNEL_EVENTS)

    @cached_property
    def games_with_orders(self) -> tuple[Game, ...]:
        """Every game that has orders. Raises ConformanceError when none has."""
        found = tuple(game for game in self.games if game.given.orders)
        if not found:
            raise ConformanceError("no game has an order, and `sample` gives none: there is nothing to check")
        return found

    @cached_property
    def orders(self) -> tuple[tuple[Game, Booked[Any, Any]], ...]:
        """Every order with its game. Raises ConformanceError when there is none."""
        return tuple((game, booked) for game in self.games_with_orders for booked in game.given.orders)

    def view(self, game: Game, camp: str) -> View[Any, Any, Any]:
        """All that a camp knows at a game's start, with no order booked. Kept: to be read only."""
        known = self._views.get((game.name, camp))
        if known is None:
            known = full_view(self.rulebook, game.state(self.engine), game.given, camp)
            self._views[game.name, camp] = known
        return known

    def some_orders(self, game: Game) -> list[Booked[Any, Any]]:
        """Some orders of a game, of each kind `ORDERS_OF_A_KIND` at most."""
        taken: dict[type, int] = {}
        found = []
        for booked in game.given.orders:
            kind = type(self.engine.packing.plain(booked.order))
            taken[kind] = taken.get(kind, 0) + 1
            if taken[kind] <= ORDERS_OF_A_KIND:
                found.append(booked)
        return found

    def stream(self, subject: str, label: str) -> Stream:
        """A stream of dice of the kit's own."""
        return self.dice.stream(f"conformance/{subject.replace('/', ' ')}/{label}")

    def maker(self, subject: str, label: str) -> Maker:
        """A maker of values, from a stream of its own."""
        return Maker(self.stream(subject, label), self.rulebook.camps)

    def sample_problems(self) -> Iterator[str]:
        """A sentence for each order of `sample` that intake would refuse, in the games that the rulebook plays."""
        for game in self.games[len(self.given_games) :]:
            if game.given.tick > 0:
                yield from sampled(self.rulebook, self.engine, game).problems
