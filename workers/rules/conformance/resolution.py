"""Resolution: the same bytes however a tick is cut and its orders arrived; state that changes by events alone."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from workers.kernel.dice import Stream
from workers.kernel.digest import canonical, digest_of_parts
from workers.kernel.engine import Engine
from workers.kernel.events import Event, tag_of
from workers.kernel.ids import encode_id
from workers.kernel.orders import Booked, union_of
from workers.kernel.tick import resolve
from workers.rules.conformance.errors import demand, without_error
from workers.rules.conformance.games import Game, facts_of, lines_of
from workers.rules.conformance.kit import Conformance
from workers.rules.conformance.trace import Trace, rehearsed


def determinism(kit: Conformance) -> None:
    """A tick gives one digest and the same facts, however its homes are cut, however its orders arrived, and however
    often its homes were decided before."""
    twice = Engine(rehearsed(kit.rulebook))
    for game in kit.games:
        expected = _outcome(kit.engine, game)
        same = _outcome(twice, game) == expected
        demand(same, f"{game.name}: decided a second time, its homes do something else: `decide` remembers")
        orders = game.given.orders
        stream = kit.stream(game.name, "arrival")
        arrivals = (
            (1, "backwards", orders[::-1]),
            (2, "shuffled", shuffled(orders, stream)),
            (16, "from the store", [through_store(kit, order) for order in orders]),
            (256, "shuffled again", shuffled(orders, stream)),
        )
        for slices, how, arrived in arrivals:
            other = replace(game, given=replace(game.given, orders=tuple(arrived))).with_slices(slices)
            digest, facts = _outcome(kit.engine, other)
            where = f"{game.name}, with {slices} slices and the orders {how}"
            demand(digest == expected[0], f"{where}: the tick has another digest")
            demand(facts == expected[1], f"{where}: the camps read other facts")


def digests(kit: Conformance) -> dict[str, str]:
    """For each game, one text over all that it gives: its state, its events, what each camp reads, and its orders as
    `sample` drew them. Print it in processes with different `PYTHONHASHSEED`s: it must be the same."""
    found = {}
    for game in kit.games:
        digest, facts = _outcome(kit.engine, game)
        book = [kit.engine.packing.line(order).decode() for order in game.given.orders]
        told = {camp: [[phase, fact.decode()] for phase, fact in lines] for camp, lines in facts.items()}
        found[game.name] = digest_of_parts("tocsin/conformance", {"digest": digest, "facts": told, "book": book})
    return found


def packing(kit: Conformance) -> None:
    """Every order comes back from the store as it was booked, and counts the same in its book's digest."""
    for game, booked in kit.orders:
        found = through_store(kit, booked)
        where = f"{game.name}, order {booked.id!r} ({booked.order})"
        demand(kit.engine.packing.plain(found.order) == booked.order, f"{where}: unpacked as {found.order}")
        demand(found.facts == booked.facts, f"{where}: its facts {booked.facts} are unpacked as {found.facts}")
        same = kit.engine.packing.line(found) == kit.engine.packing.line(booked)
        demand(same, f"{where}: packed, it has other canonical bytes")


def evolution(kit: Conformance) -> None:
    """State changes by recorded events alone: carried out on the start, they give the end, byte for byte."""
    for game, trace in kit.traces:
        shared, lines = replayed(kit, game, trace)
        expected = lines_of(trace.result.slices)
        for key in sorted({*expected, *lines}):
            found, wanted = lines.get(key), expected.get(key)
            demand(
                found == wanted,
                f"{game.name}: home {key!r} ends as {_text(wanted)}, by its recorded events as {_text(found)}: "
                "something but `evolve` changed it, or an event doesn't hold all that its change needs",
            )
        ended = trace.result.shared
        demand(
            shared == ended,
            f"{game.name}: the shared record ends as {_text(ended)}, by its recorded events as {_text(shared)}",
        )


def replayed(kit: Conformance, game: Game, trace: Trace) -> tuple[bytes, dict[str, bytes]]:
    """The state after the recorded events of a trace, read back from their canonical bytes, and nothing else."""
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(union_of(kit.events))
    state = game.state(kit.engine)
    for act in trace.acts:
        line = canonical(act.event)
        event: Event = without_error(f"{game.name}, reading the event {line.decode()}", partial(decoder.decode, line))
        if not act.home:
            change = kit.rulebook.evolve_shared.get(type(event))
            if change is not None:
                change(state.shared, event)
            continue
        change = kit.rulebook.evolve.get(type(event))
        if change is not None:
            home = change(state.homes.get(act.home), event)
            if home is None:
                state.homes.pop(act.home, None)
            else:
                demand(home.id == act.home, f"{game.name}: {tag_of(type(event))} made {home.id!r} of home {act.home!r}")
                state.homes[act.home] = home
    return canonical(state.shared), {key: canonical(home) for key, home in state.homes.items()}


def through_store(kit: Conformance, booked: Booked[Any, Any]) -> Booked[Any, Any]:
    """An order packed and unpacked (under an id of the written form, for a game may name its orders as it likes)."""
    stored = msgspec.structs.replace(booked, id=encode_id(bytes(16)))
    return msgspec.structs.replace(kit.engine.packing.unpack(kit.engine.packing.pack(stored)), id=booked.id)


def shuffled(orders: Sequence[Booked[Any, Any]], stream: Stream) -> list[Booked[Any, Any]]:
    """The orders in an order drawn from a stream."""
    drawn = list(orders)
    for last in range(len(drawn) - 1, 0, -1):
        other = stream.below(last + 1)
        drawn[last], drawn[other] = drawn[other], drawn[last]
    return drawn


def _outcome(engine: Engine, game: Game) -> tuple[str, dict[str, list[tuple[str, bytes]]]]:
    result = resolve(engine, game.given)
    return result.digest, {camp: facts_of(pages) for camp, pages in result.pages.items()}


def _text(line: bytes | None) -> str:
    return "no home" if line is None else line.decode()
