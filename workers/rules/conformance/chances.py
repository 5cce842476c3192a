"""Odds against dice: what is promised of an order contains what happens, as often as it says (K3)."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Any

import msgspec

from workers.kernel.digest import canonical
from workers.kernel.entities import View
from workers.kernel.events import Event
from workers.kernel.ids import tick_seed
from workers.kernel.odds import Odds
from workers.kernel.orders import Booked, Booking
from workers.rules.conformance.errors import demand, without_error
from workers.rules.conformance.games import CAMPAIGN_SEED, Game
from workers.rules.conformance.kit import Conformance
from workers.rules.conformance.trace import traced
from workers.rules.contract import Rulebook

TAIL = Fraction(1, 10**9)
"""How unlikely a count may be before it is held for wrong odds."""
PATIENCE = 8
"""Seeds after which an order that rolled nothing is left alone."""
ORDERS_OF_A_KIND = 4
"""Orders of each kind that are rolled, those of the given games first."""


def odds_form(kit: Conformance) -> None:
    """Odds are exact fractions in lowest terms that sum to 1, or name the term that is missing."""
    for game in kit.games_with_orders:
        for booked in kit.some_orders(game):
            order = kit.engine.packing.plain(booked.order)
            demand_odds(kit.rulebook, f"{game.name}, odds of order {booked.id!r}", order, kit.view(game, booked.camp))


def demand_odds(rulebook: Rulebook, where: str, order: Any, view: View[Any, Any, Any]) -> None:
    """Raise ConformanceError unless the odds of an order, if it is legal standing alone, are well formed."""
    odds = without_error(where, lambda: _odds(rulebook, order, view))
    if odds is None:
        return
    if odds.success is None:
        demand(bool(odds.missing), f"{where}: no odds, and no word of which term is missing")
        demand(not odds.outcomes, f"{where}: outcomes {odds.outcomes} beside a missing term")
        return
    chances = {name: _fraction(where, text) for name, text in odds.outcomes.items()}
    total = sum(chances.values(), Fraction(0))
    demand(total == 1, f"{where}: the outcomes sum to {total}, not to 1")
    success = _fraction(where, odds.success)
    demand(0 <= success <= 1, f"{where}: a success of {success}")
    demand(all(chance >= 0 for chance in chances.values()), f"{where}: a chance below 0 in {odds.outcomes}")


def odds_against_dice(kit: Conformance) -> None:
    """An order played alone, over many seeds: each outcome is one that the odds name, and where they rest on nothing
    hidden (`full`), comes as often as they say."""
    taken: dict[type, int] = {}
    rolled = 0
    for game, booked in _given_first_then_small(kit):
        order = kit.engine.packing.plain(booked.order)
        kind = type(order)
        if taken.get(kind, 0) >= ORDERS_OF_A_KIND:
            continue
        odds = _odds(kit.rulebook, order, kit.view(game, booked.camp))
        if odds is None or odds.success is None:
            continue
        taken[kind] = taken.get(kind, 0) + 1
        counts = _counts(kit, game, booked, odds)
        rolled += sum(counts.values())
        if odds.basis == "full":
            _compare(f"{game.name}, order {booked.id!r}", odds, counts)
    promised = bool(taken)
    demand(
        rolled > 0 or not promised,
        "no roll of any order was found: give `outcome_of`, or put the order's id in the path of its roll",
    )


def tail(count: int, tries: int, chance: Fraction) -> Fraction:
    """The chance of a count as far from the expected one, or farther on the same side, exactly."""
    below = count <= tries * chance
    counts = range(count + 1) if below else range(count, tries + 1)
    return sum((comb(tries, k) * chance**k * (1 - chance) ** (tries - k) for k in counts), Fraction(0))


def rolled_outcome(booked: Booked[Any, Any], events: Sequence[Event], names: Mapping[str, str]) -> str | None:
    """The outcome in the first roll whose path has the order's id as its subject, if the odds name it."""
    for event in events:
        for record in _records(msgspec.json.decode(canonical(event))):
            path, outcome = record.get("path"), record.get("outcome")
            if isinstance(path, str) and path.split("/")[1:2] == [booked.id] and isinstance(outcome, str):
                return outcome
    return None


def _records(plain: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(plain, Mapping):
        yield plain
        for value in plain.values():
            yield from _records(value)
    elif isinstance(plain, list):
        for value in plain:
            yield from _records(value)


def _given_first_then_small(kit: Conformance) -> Iterator[tuple[Game, Booked[Any, Any]]]:
    """The orders of the games that were given, then of those played, in campaigns of few homes first."""
    given = [game for game in kit.given_games if game.given.orders]
    played = [game for game in kit.games_with_orders if game not in given]
    for game in (*given, *sorted(played, key=lambda game: len(game.lines()))):
        for booked in game.given.orders:
            yield game, booked


def _odds(rulebook: Rulebook, order: Any, view: View[Any, Any, Any]) -> Odds | None:
    """The odds of an order that stands alone, or None where it isn't legal alone."""
    if not isinstance(rulebook.check(order, view), Booking):
        return None
    return rulebook.odds(order, view)


def _fraction(where: str, text: str) -> Fraction:
    above, slash, below = text.partition("/")
    plain = slash == "/" and above.removeprefix("-").isdigit() and below.isdigit() and int(below) > 0
    demand(plain, f"{where}: {text!r} is no fraction `a/b`")
    value = Fraction(int(above), int(below))
    demand(f"{value.numerator}/{value.denominator}" == text, f"{where}: {text!r} is not in lowest terms")
    return value


def _counts(kit: Conformance, game: Game, booked: Booked[Any, Any], odds: Odds) -> dict[str, int]:
    alone = game.with_orders([booked])
    counts: dict[str, int] = {}
    for number in range(kit.seeds):
        if number == PATIENCE and not counts:
            break
        trace = traced(kit.rulebook, alone.with_seed(tick_seed(CAMPAIGN_SEED, 1_000_000 + number)))
        events = [act.event for act in trace.acts]
        if kit.outcome_of is None:
            outcome = rolled_outcome(booked, events, odds.outcomes)
        else:
            outcome = kit.outcome_of(booked, events)
        if outcome is None:
            continue
        named = outcome in odds.outcomes and odds.outcomes[outcome] != "0/1"
        hint = " (where rolls name their outcomes otherwise, give `outcome_of`)" if kit.outcome_of is None else ""
        demand(named, f"{game.name}, order {booked.id!r}: {outcome!r} happened, the odds are {odds.outcomes}{hint}")
        counts[outcome] = counts.get(outcome, 0) + 1
    return counts


def _compare(where: str, odds: Odds, counts: Mapping[str, int]) -> None:
    tries = sum(counts.values())
    for name, text in odds.outcomes.items():
        chance = Fraction(text)
        count = counts.get(name, 0)
        likely = tail(count, tries, chance)
        demand(
            likely >= TAIL,
            f"{where}: {name!r} came {count} times of {tries}, its odds are {text}",
        )
