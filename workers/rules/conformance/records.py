"""Records: what is written is read back the same, and holds nothing inexact."""

from functools import partial
from typing import Any

import msgspec
from msgspec import inspect

from workers.kernel.digest import canonical
from workers.kernel.ids import Ids, id_key
from workers.kernel.orders import union_of
from workers.kernel.tick import context_of
from workers.rules.bundle import bundle_of
from workers.rules.conformance.errors import demand, without_error
from workers.rules.conformance.games import CAMPAIGN_SEED, end_state, game_from_bundle
from workers.rules.conformance.kit import Conformance
from workers.rules.conformance.values import floats_and_sets
from workers.rules.resources import convert_scenario, parse_scenario, scenario_text

MADE_OF_A_TYPE = 50


def exactness(kit: Conformance) -> None:
    """No record holds a float, a set, raw JSON or just anything: each value has one canonical text."""
    book = kit.rulebook
    kinds: list[type[msgspec.Struct]] = [book.home, book.shared, book.settings, *book.orders, *kit.events]
    if book.facts is not None:
        kinds.append(book.facts)
    for kind in kinds:
        found = floats_and_sets(inspect.type_info(kind))
        demand(not found, f"{kind.__name__} has fields without a canonical form: {', '.join(found)}")


def round_trips(kit: Conformance) -> None:
    """decode(encode(x)) is x, and its canonical bytes the same: homes, the shared record and events, those of the games
    and made-up ones."""
    events: msgspec.json.Decoder[Any] = msgspec.json.Decoder(union_of(kit.events))
    for game, trace in kit.traces:
        for state in (game.state(kit.engine), end_state(kit.engine, trace.result)):
            _same(f"{game.name}: the shared record", state.shared, kit.engine.read_shared)
            for key, home in state.homes.items():
                demand(home.id == key, f"{game.name}: the home at {key!r} says that it is {home.id!r}")
                _same(f"{game.name}: home {key!r}", home, kit.engine.read_home)
        for act in trace.acts:
            _same(f"{game.name}: an event", act.event, events.decode)
    for kind, read in (
        (kit.rulebook.home, kit.engine.read_home),
        (kit.rulebook.shared, kit.engine.read_shared),
        *((kind, events.decode) for kind in kit.events),
    ):
        maker = kit.maker(kind.__name__, "made-up records")
        for _ in range(MADE_OF_A_TYPE):
            _same(f"a made-up {kind.__name__}", maker.record(kind), read)


def bundles(kit: Conformance) -> None:
    """A game written as a bundle and read back is the same game."""
    for game in kit.games:
        text = bundle_of(kit.rulebook, game.given)
        again = without_error(
            f"{game.name}, read back from a bundle", partial(game_from_bundle, kit.rulebook, game.name, text)
        )
        demand(again.lines() == game.lines(), f"{game.name}: its homes come back changed from a bundle")
        for part in ("tick", "tick_seed", "id_key", "settings", "shared", "dropped"):
            found, expected = getattr(again.given, part), getattr(game.given, part)
            demand(found == expected, f"{game.name}: {part} comes back from a bundle as {found}, not as {expected}")
        books = [sorted(map(kit.engine.packing.line, each.given.orders)) for each in (game, again)]
        demand(books[0] == books[1], f"{game.name}: its orders come back changed from a bundle")
        events = [[(item.home, item.event) for item in each.given.amendments] for each in (game, again)]
        demand(events[0] == events[1], f"{game.name}: its amendments come back changed from a bundle")


def scenarios(kit: Conformance) -> None:
    """Every scenario that ships is read and founded, the same each time; so is one that `generate` makes, whose plain
    form is read back as it was."""
    book = kit.rulebook
    ids = Ids(id_key(CAMPAIGN_SEED))
    made: dict[str, Any] = {name: parse_scenario(book, scenario_text(book, name)) for name in book.scenarios}
    for size in (1, 10, 60):
        name = f"generate({size})"
        made[name] = book.generate(size, kit.dice)
        demand(book.generate(size, kit.dice) == made[name], f"{name} gives another scenario the second time")
        again = convert_scenario(book, msgspec.to_builtins(made[name]))
        demand(again == made[name], f"{name} isn't read back from its plain form as it was")
    for name, scenario in made.items():
        states = [book.found(scenario, ids) for _ in range(2)]
        demand(canonical(states[0]) == canonical(states[1]), f"{name}: founded twice, it gives two states")
        for key, home in states[0].homes.items():
            demand(home.id == key, f"{name}: the home at {key!r} says that it is {home.id!r}")


def sample_is_legal(kit: Conformance) -> None:
    """`sample` gives orders, the same from the same dice, all of them legal together; every kind of order is played."""
    problems = list(kit.sample_problems())
    demand(not problems, f"`sample` gives orders that intake refuses: {'; '.join(problems[:3])}")
    for game in kit.games[len(kit.given_games) :]:
        drawn = []
        for _ in range(2):
            state = game.state(kit.engine)
            context = context_of(game.given.tick, game.given.tick_seed, game.given.id_key, game.given.settings, None)
            homes = state.homes.values()
            orders = kit.rulebook.sample(homes, state.shared, game.given.settings, game.given.tick, context.dice)
            drawn.append(list(orders))
        demand(drawn[0] == drawn[1], f"{game.name}: `sample` gives other orders the second time")
    played = {type(kit.engine.packing.plain(booked.order)) for _, booked in kit.orders}
    missing = sorted(kind.__name__ for kind in kit.rulebook.orders if kind not in played)
    demand(not missing, f"no game plays an order of the kinds {', '.join(missing)}")


def ends(kit: Conformance) -> None:
    """`verdict` names a camp or nobody, and changes nothing; `commands` names what each order commands."""
    for game, trace in kit.traces:
        shared = end_state(kit.engine, trace.result).shared
        before = canonical(shared)
        verdict = kit.rulebook.verdict(shared, game.given.settings, game.given.tick)
        demand(canonical(shared) == before, f"{game.name}: `verdict` changed the shared record")
        fit = verdict is None or verdict.winner in ("", *kit.rulebook.camps)
        demand(fit, f"{game.name}: the verdict {verdict} names no camp")
    for game, booked in kit.orders:
        named = kit.rulebook.commands(kit.engine.packing.plain(booked.order))
        demand(
            bool(named) and all(named),
            f"{game.name}, order {booked.id!r}: `commands` gives {named!r}, names of entities are accepted",
        )


def _same(what: str, value: Any, read: Any) -> None:
    written = canonical(value)
    found = without_error(f"{what}, read back from {written.decode()}", lambda: read(written))
    demand(found == value, f"{what} comes back from its canonical bytes as {found}, not as {value}")
    demand(canonical(found) == written, f"{what} has two canonical forms: {written!r} and {canonical(found)!r}")
