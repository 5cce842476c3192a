"""Answers to any order: `check` and `odds` answer whatever may be sent, and what they accept can be resolved."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from workers.kernel.errors import Refusal
from workers.kernel.ids import Ids
from workers.kernel.orders import Booking
from workers.kernel.tick import resolve
from workers.rules.conformance.errors import demand, without_error
from workers.rules.conformance.games import Desk, Game, lines_of, names_in
from workers.rules.conformance.kit import Conformance
from workers.rules.conformance.trace import traced
from workers.rules.conformance.values import Maker

MADE_OF_A_KIND = 60
"""Orders of each kind that the kit makes up, a game."""
GAMES = 4
"""Games in which made-up orders are sent."""


def any_order(kit: Conformance) -> None:
    """Any well-formed order of any camp gets an answer, and whatever is accepted together resolves."""
    for game in kit.games[:GAMES]:
        desk = Desk(kit.rulebook, game.state(kit.engine), game.given.settings, game.given.tick)
        ids = Ids(game.given.id_key)
        for number, order in enumerate(made_orders(kit, game)):
            camp = kit.rulebook.camps[number % len(kit.rulebook.camps)]
            view = kit.view(game, camp)
            where = f"{game.name}, {order} of {camp!r}"
            answer = without_error(f"{where}: `check`", partial(kit.rulebook.check, order, view))
            if isinstance(answer, Booking):
                demand(bool(answer.home), f"{where}: it is booked in no home")
                without_error(f"{where}: `odds`", partial(kit.rulebook.odds, order, view))
                without_error(f"{where}: `commands`", partial(kit.rulebook.commands, order))
                desk.book(ids.order(game.given.tick, camp, "any", number), camp, camp, order)
            else:
                demand(bool(answer), f"{where}: it gets neither a booking nor a refusal")
        resolved = game.with_orders(desk.booked)
        orders = ", ".join(str(booked.order) for booked in desk.booked)
        without_error(f"{game.name}, resolved with {orders}", partial(resolve, kit.engine, resolved.given))


def void_orders(kit: Conformance) -> None:
    """An order whose home is no longer there is void: the tick resolves, and an event with the order's id says so
    (K6), unless the order made the home anew."""
    for game in kit.games:
        for home in sorted({booked.home for booked in game.given.orders})[:GAMES]:
            state = game.state(kit.engine)
            state.homes.pop(home, None)
            bereft = game.with_state(state)
            trace = without_error(f"{game.name}, without home {home!r}", partial(traced, kit.rulebook, bereft))
            if home in lines_of(trace.result.slices):
                continue
            told = "\n".join(str(msgspec.to_builtins(act.event)) for act in trace.acts if act.event.void)
            for booked in game.given.orders:
                demand(
                    booked.home != home or booked.id in told or booked.id in game.given.dropped,
                    f"{game.name}: order {booked.id!r} is lost without a word when home {home!r} isn't there",
                )


def made_orders(kit: Conformance, game: Game) -> Iterator[Any]:
    """Well-formed orders of every kind, whose texts are names of the game's entities or of nothing."""
    state = game.state(kit.engine)
    names = sorted({*names_in(msgspec.to_builtins([state.shared, state.homes]))})
    for kind in kit.rulebook.orders:
        maker = Maker(kit.stream(f"{game.name} {kind.__name__}", "made-up orders"), kit.rulebook.camps, tuple(names))
        for _ in range(MADE_OF_A_KIND):
            yield maker.record(kind)


def refusals(kit: Conformance) -> Iterator[tuple[Any, Refusal]]:
    """Every refusal of the games' orders, sent by each camp, and of made-up orders."""
    for game in kit.games:
        played = [kit.engine.packing.plain(booked.order) for booked in kit.some_orders(game)]
        for camp in kit.rulebook.camps:
            view = kit.view(game, camp)
            for order in (*played, *made_orders(kit, game)):
                answer = kit.rulebook.check(order, view)
                if not isinstance(answer, Booking):
                    for refusal in answer:
                        yield order, refusal
