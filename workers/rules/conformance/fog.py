"""Fog of war in reports: a camp reads what it may know and nothing else (K7)."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

from workers.kernel.digest import canonical
from workers.kernel.engine import Reports
from workers.kernel.events import Event, Mail, readers_of, tag_of
from workers.rules.conformance.errors import UNFIT, demand
from workers.rules.conformance.games import Game, end_state, facts_of, view_bytes
from workers.rules.conformance.kit import Conformance
from workers.rules.conformance.trace import Trace, traced
from workers.rules.conformance.values import fields_of

SEEN_OF_A_TYPE = 64
"""Events of each type that are taken from games."""
MADE_OF_A_TYPE = 16
"""Events of each type that the kit makes up, a camp."""
HIDDEN_HOMES = 4
"""Hidden homes that are changed, a game and camp."""
NUMBERS = 3
"""Numbers and flags that are changed, a hidden home."""


def fog_of_fields(kit: Conformance) -> None:
    """A camp's bytes don't change when the fields of an event that it may not read are scrambled."""
    for event, subject in all_events(kit):
        for camp in kit.rulebook.camps:
            _scramble(kit, event, subject, camp)


def fog_of_hidden(kit: Conformance) -> None:
    """A camp's reports and its view don't change with hidden entities that took part in nothing that it is shown."""
    for game, trace in kit.traces:
        for camp in kit.rulebook.camps:
            for home in _hidden_homes(kit, game, trace, camp):
                for changed in _changes(kit, game, home):
                    _compare_hidden(kit, (game, trace), changed, home, camp)
            _disturb(kit, game, trace, camp)


def all_events(kit: Conformance) -> Iterator[tuple[Event, str]]:
    """Events of every type, each with a subject for dice: from the games, then made up."""
    taken: dict[type[Event], int] = {}
    for game, trace in kit.traces:
        for i, act in enumerate(trace.acts):
            kind = type(act.event)
            taken[kind] = taken.get(kind, 0) + 1
            if taken[kind] <= SEEN_OF_A_TYPE:
                yield act.event, f"{game.name} {i}"
    for kind in kit.events:
        for event in made_events(kit, kind):
            yield event, f"made {tag_of(kind)}"


def made_events(kit: Conformance, kind: type[Event]) -> Iterator[Event]:
    """Events of one type, made up; the same number for each camp where the type has a field `camp`."""
    maker = kit.maker(tag_of(kind), "made-up events")
    for camp in kit.rulebook.camps:
        for _ in range(MADE_OF_A_TYPE):
            made: Any = maker.record(kind)
            yield msgspec.structs.replace(made, camp=camp) if "camp" in kind.__struct_fields__ else made


def read_by(kit: Conformance, event: Event, camp: str) -> bytes:
    """The bytes that a camp reads of one event (empty: it reads nothing)."""
    reports = Reports(kit.engine.projector, (camp,), "")
    reports.add(event, canonical(event))
    return b"".join(reports.pages().get(camp, ()))


def _scramble(kit: Conformance, event: Event, subject: str, camp: str) -> None:
    readers = readers_of(type(event))
    try:
        before = read_by(kit, event, camp)
        allowed = {name for name, reader in readers.items() if reader.reads(event, camp)}
    except UNFIT:
        demand(subject.startswith("made "), f"{subject}: what {camp!r} reads of {event} can't be said")
        return
    maker = kit.maker(f"{subject} {camp}", "scrambled fields")
    for name, kind in fields_of(type(event)).items():
        if name in allowed:
            continue
        value = maker.other(kind, name, getattr(event, name))
        changed = msgspec.structs.replace(event, **{name: value})
        try:
            after = read_by(kit, changed, camp)
            same_readers = {other for other, reader in readers.items() if reader.reads(changed, camp)} == allowed
        except UNFIT:
            continue
        # Where the field decides who reads the others, it was changed into another event: nothing to compare.
        demand(
            not same_readers or before == after,
            f"{subject}: {camp!r} may not read {name!r} of event {tag_of(type(event))!r}, "
            f"but what it reads changes with it, from {before.decode()} to {after.decode()}",
        )


def _hidden_homes(kit: Conformance, game: Game, trace: Trace, camp: str) -> list[str]:
    """Some homes of which the camp knows nothing, neither before the tick nor after it."""
    before = game.state(kit.engine)
    after = end_state(kit.engine, trace.result)
    hidden = [
        key
        for key, home in sorted(before.homes.items())
        if kit.rulebook.see(home, before.shared, camp) is None
        and (key not in after.homes or kit.rulebook.see(after.homes[key], after.shared, camp) is None)
    ]
    stream = kit.stream(game.name, f"hidden from {camp}")
    return [hidden.pop(stream.below(len(hidden))) for _ in range(min(HIDDEN_HOMES, len(hidden)))]


def _changes(kit: Conformance, game: Game, home: str) -> Iterator[Game]:
    """The game without the home's orders, then with some of the home's numbers and flags changed, one at a time."""
    others = [order for order in game.given.orders if order.home != home]
    if len(others) < len(game.given.orders):
        yield game.with_orders(others)
    fields = fields_of(type(game.state(kit.engine).homes[home]))
    numbers = [name for name, declared in fields.items() if isinstance(declared, inspect.IntType | inspect.BoolType)]
    stream = kit.stream(f"{game.name} {home}", "hidden numbers")
    maker = kit.maker(f"{game.name} {home}", "hidden homes")
    for _ in range(min(NUMBERS, len(numbers))):
        name = numbers.pop(stream.below(len(numbers)))
        state = game.state(kit.engine)
        changed = state.homes[home]
        value = maker.other(fields[name], name, getattr(changed, name))
        state.homes[home] = msgspec.structs.replace(changed, **{name: value})
        yield game.with_state(state)


def _compare_hidden(kit: Conformance, base: tuple[Game, Trace], changed: Game, home: str, camp: str) -> None:
    game, trace = base
    try:
        other = traced(kit.rulebook, changed)
    except UNFIT:
        return
    if _takes_part(kit, trace, home, camp) or _takes_part(kit, other, home, camp):
        return
    state = end_state(kit.engine, other.result)
    if home in state.homes and kit.rulebook.see(state.homes[home], state.shared, camp) is not None:
        return
    if _open_amounts(kit, trace, home) != _open_amounts(kit, other, home):
        return
    hint = f"home {home!r}, of which it knows nothing and which took part in nothing that it is shown"
    if trace.sums_of_home(kit.rulebook, home) != other.sums_of_home(kit.rulebook, home):
        hint += " (the home adds to other sums; if everybody may read their totals, name them in `open_sums`)"
    _demand_same(kit, game, trace, other, camp, hint)


def _takes_part(kit: Conformance, trace: Trace, home: str, camp: str) -> bool:
    events = trace.of_home(home)
    return trace.wrote_to(home) or any(
        isinstance(event, Mail) or kit.engine.projector.project(event, camp) is not None for event in events
    )


def _open_amounts(kit: Conformance, trace: Trace, home: str) -> list[tuple[str, str, int]]:
    return [entry for entry in trace.sums_of_home(kit.rulebook, home) if entry[1].startswith(kit.open_sums)]


def _disturb(kit: Conformance, game: Game, trace: Trace, camp: str) -> None:
    stream = kit.stream(game.name, f"disturbed for {camp}")
    before = view_bytes(kit.rulebook, game.state(kit.engine), game.given, camp)
    for state in kit.disturb(game.state(kit.engine), game.given.orders, camp, stream):
        changed = game.with_state(state)
        now = view_bytes(kit.rulebook, changed.state(kit.engine), game.given, camp)
        demand(now == before, f"{game.name}: `disturb` changed what {camp!r} knows; it may change hidden things alone")
        _demand_same(kit, game, trace, traced(kit.rulebook, changed), camp, "what `disturb` changed")


def _demand_same(kit: Conformance, game: Game, trace: Trace, other: Trace, camp: str, what: str) -> None:
    expected, found = facts_of(trace.result.pages[camp]), facts_of(other.result.pages[camp])
    for old, new in zip(expected, found, strict=False):
        demand(old == new, f"{game.name}: {camp!r} reads {new[1].decode()} instead of {old[1].decode()} with {what}")
    rest = (expected + found)[2 * min(len(expected), len(found)) :]
    demand(
        not rest, f"{game.name}: {camp!r} reads {len(found)} facts instead of {len(expected)} with {what}: {rest[:1]}"
    )
    ends = [end_state(kit.engine, run.result) for run in (trace, other)]
    views = [view_bytes(kit.rulebook, end, game.given, camp) for end in ends]
    demand(views[0] == views[1], f"{game.name}: after the tick, the view of {camp!r} changes with {what}")
