"""Fog of war in answers: `check`, `odds` and the view depend on what `see` gave and on nothing else (K7)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import inspect

from workers.kernel.digest import canonical
from workers.kernel.entities import State, View
from workers.kernel.errors import Refusal
from workers.kernel.orders import Booked, Booking
from workers.rules.conformance.errors import UNFIT, demand
from workers.rules.conformance.games import Game, booked_by_home, full_view, names_in
from workers.rules.conformance.kit import Conformance
from workers.rules.conformance.values import fields_of

NOWHERE = "nobody-has-this-name"
"""An id that names nothing."""
HIDDEN_NAMES = 12
"""Hidden names that an order is turned to, a field."""

Answer = tuple[Booking | tuple[Refusal, ...], Any]
CampView = View[Any, Any, Any]


def fog_of_answers(kit: Conformance) -> None:
    """`check` and `odds` answer the same on a view rebuilt from its bytes, on the keys alone that `reads` names, and
    when what the camp doesn't know has changed; neither they nor `see` change anything."""
    for game in kit.games_with_orders:
        for camp in kit.rulebook.camps:
            told = _same_on_every_view(kit, game, camp)
            changed = full_view(kit.rulebook, hidden_changed(kit, game, camp), game.given, camp)
            for booked, expected in told:
                found = answer(kit, kit.engine.packing.plain(booked.order), _with_others_booked(game, booked, changed))
                demand(
                    found == expected,
                    f"{game.name}, order {booked.id!r} as {camp!r}: the answer {expected} becomes {found} "
                    "when only what the camp doesn't know changes",
                )


def _same_on_every_view(kit: Conformance, game: Game, camp: str) -> list[tuple[Booked[Any, Any], Answer]]:
    """The answer to each of some orders; raises ConformanceError where another view of the same gives another."""
    state = game.state(kit.engine)
    before = canonical([state.shared, state.homes])
    seen = full_view(kit.rulebook, state, game.given, camp)
    seen_again = rebuilt(seen)
    told = []
    for booked in kit.some_orders(game):
        where = f"{game.name}, order {booked.id!r} as {camp!r}"
        order = kit.engine.packing.plain(booked.order)
        whole = _with_others_booked(game, booked, seen)
        expected = answer(kit, order, whole)
        found = answer(kit, order, _with_others_booked(game, booked, seen_again))
        demand(found == expected, f"{where}: on the view rebuilt from its bytes the answer is {found}, else {expected}")
        found = answer(kit, order, _narrow(kit, whole, order))
        demand(found == expected, f"{where}: with only what `reads` names the answer is {found}, else {expected}")
        demand(canonical([state.shared, state.homes]) == before, f"{where}: asking about it changed the state")
        told.append((booked, expected))
    return told


def fog_of_names(kit: Conformance) -> None:
    """An order on something that the camp doesn't know is refused with the same words as on something that isn't
    there."""
    for game in kit.games_with_orders:
        state = game.state(kit.engine)
        views = {camp: kit.view(game, camp) for camp in kit.rulebook.camps}
        hidden = {camp: _hidden_names(kit, game, state, view) for camp, view in views.items()}
        for booked in kit.some_orders(game):
            _same_refusals(kit, game, booked, views[booked.camp], hidden[booked.camp])


def _same_refusals(kit: Conformance, game: Game, booked: Booked[Any, Any], view: CampView, hidden: list[str]) -> None:
    order = kit.engine.packing.plain(booked.order)
    view = _with_others_booked(game, booked, view)
    for field in order.__struct_fields__:
        if not isinstance(getattr(order, field), str) or not _accepts(order, field, NOWHERE):
            continue
        expected = _words_for(kit, order, view, field, NOWHERE)
        for name in hidden:
            found = _words_for(kit, order, view, field, name)
            demand(
                found == expected,
                f"{game.name}, order {booked.id!r}: {view.camp!r} doesn't know {name!r}; with it as {field!r} "
                f"the answer is {found}, with a name that nothing has {expected}",
            )


def answer(kit: Conformance, order: Any, view: View[Any, Any, Any]) -> Answer:
    """What a camp is told of an order: the booking or refusals, and the odds of an order that is accepted."""
    checked = kit.rulebook.check(order, view)
    if isinstance(checked, Booking):
        return checked, kit.rulebook.odds(order, view)
    demand(bool(checked), f"order {order}: `check` gives no refusal and no booking")
    return checked, None


def hidden_changed(kit: Conformance, game: Game, camp: str) -> State[Any]:
    """The state with every number and flag of its homes changed that the camp doesn't see, one at a time."""
    state = game.state(kit.engine)
    maker = kit.maker(f"{game.name} {camp}", "hidden numbers")
    for key in sorted(state.homes):
        for name, declared in fields_of(type(state.homes[key])).items():
            if not isinstance(declared, inspect.IntType | inspect.BoolType):
                continue
            home = state.homes[key]
            value = maker.other(declared, name, getattr(home, name))
            changed = msgspec.structs.replace(home, **{name: value})
            try:
                seen = [canonical(kit.rulebook.see(each, state.shared, camp)) for each in (home, changed)]
            except UNFIT:
                continue
            if seen[0] == seen[1]:
                state.homes[key] = changed
    return state


def rebuilt(view: View[Any, Any, Any]) -> View[Any, Any, Any]:
    """The view from its own bytes: whatever isn't in them is lost."""
    homes = {key: _again(seen) for key, seen in view.homes.items()}
    return View(view.camp, view.tick, view.settings, _again(view.shared), homes, view.booked)


def _again(seen: Any) -> Any:
    return msgspec.json.decode(canonical(seen), type=type(seen))


def _with_others_booked(game: Game, booked: Booked[Any, Any], view: CampView) -> CampView:
    """The view while the order is being written: the camp's other orders are booked."""
    others = [order for order in game.given.orders if order.id != booked.id]
    return msgspec.structs.replace(view, booked=booked_by_home(others, view.camp))


def _narrow(kit: Conformance, view: View[Any, Any, Any], order: Any) -> View[Any, Any, Any]:
    reads = kit.rulebook.reads(order)
    homes = {key: view.homes[key] for key in reads.homes if key in view.homes}
    booked = {key: view.booked[key] for key in reads.booked if key in view.booked}
    return msgspec.structs.replace(view, homes=homes, booked=booked)


def _accepts(order: Any, field: str, value: str) -> bool:
    """Whether the order's type takes the value in the field: a field of fixed words names no entity."""
    plain = msgspec.to_builtins(order)
    try:
        msgspec.convert({**plain, field: value}, type(order))
    except msgspec.ValidationError:
        return False
    return True


def _words_for(kit: Conformance, order: Any, view: CampView, field: str, name: str) -> str:
    turned = msgspec.structs.replace(order, **{field: name})
    told = canonical(answer(kit, turned, _narrow(kit, view, turned)))
    return told.decode().replace(canonical(name)[1:-1].decode(), "<name>")


def _hidden_names(kit: Conformance, game: Game, state: State[Any], view: CampView) -> list[str]:
    """Some names of the state that occur nowhere in what the camp knows."""
    known = frozenset(_texts(msgspec.to_builtins([view.shared, dict(view.homes)])))
    plain = msgspec.to_builtins([state.shared, state.homes])
    hidden = sorted({name for name in names_in(plain) if name and name not in known})
    stream = kit.stream(game.name, f"names hidden from {view.camp}")
    return [hidden.pop(stream.below(len(hidden))) for _ in range(min(HIDDEN_NAMES, len(hidden)))]


def _texts(plain: Any) -> Iterator[str]:
    """Every text in plain data, keys included."""
    if isinstance(plain, str):
        yield plain
    elif isinstance(plain, Mapping):
        for key, value in plain.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(plain, Iterable):
        for value in plain:
            yield from _texts(value)
