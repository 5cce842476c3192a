"""A state played whole comes to what its slices come to, one after another: the same bytes, pages cut alike."""

from typing import Any

import msgspec
import pytest

from workers.cli.bench.books import Book, write_book
from workers.kernel.engine import Engine, SliceResult
from workers.kernel.entities import Slice, cut, slice_of_bucket, slice_of_key
from workers.kernel.ids import id_key, tick_seed
from workers.kernel.phases import Context, Sums
from workers.kernel.play import PhaseCount
from workers.kernel.tick import context_of
from workers.registry import load_registry

ORDERS = 120


def read(engine: Engine, book: Book) -> tuple[Context[Any, Any], list[Any]]:
    """A tick's context, with a shared record of its own, and its orders."""
    shared = engine.read_shared(msgspec.json.encode(book.shared))
    context = context_of(1, tick_seed(book.seed, 1), id_key(book.seed), book.settings, shared)
    return context, [engine.packing.unpack(item.packed) for item in book.items]


def joined(results: list[SliceResult]) -> SliceResult:
    """The results of several slices, in their order, as one."""
    whole = SliceResult()
    for one in results:
        whole.events |= one.events
        whole.changed |= one.changed
        for camp, pages in one.pages.items():
            whole.pages.setdefault(camp, []).extend(pages)
        whole.sums.merge(one.sums)
        whole.mail += one.mail
        whole.count.add(one.count)
    return whole


@pytest.mark.parametrize("slices", [1, 4, 32, 256])
@pytest.mark.parametrize("rulebook", ["anarchy", "uprising", "veil"])
def test_a_state_played_whole_comes_to_what_its_slices_come_to(rulebook: str, slices: int) -> None:
    engine = Engine(load_registry().get(rulebook))
    book = write_book(engine, ORDERS, 1)
    pieces = [piece.to_bytes() for piece in cut(book.homes.items(), slices)]
    whole = cut(book.homes.items(), 1)[0]
    (one_by_one, orders), (at_once, _) = read(engine, book), read(engine, book)
    mail: list[bytes] = []

    def part(lines: list[bytes], index: int) -> list[bytes]:
        return [line for line in lines if slice_of_key(msgspec.json.decode(line)["to"], slices) == index]

    for step in engine.steps:
        results = []
        for index, data in enumerate(pieces):
            own = [booked for booked in orders if slice_of_key(booked.home, slices) == index]
            result = engine.play_slice(step, data, own, engine.read_mail(part(mail, index)), one_by_one)
            if result.homes is not None:
                pieces[index] = result.homes.to_bytes()
            results.append(result)
        before = dict(whole.lines)
        found = engine.play_slices(step, whole, slices, orders, engine.read_mail(mail), at_once)
        assert before == whole.lines
        whole = whole if found.homes is None else found.homes
        expected = joined(results)
        expected.homes = found.homes
        assert expected == found
        mail = [line for _, line in found.mail]
        settled = [
            engine.settle(step, context.shared, sums, context)
            for context, sums in ((one_by_one, expected.sums), (at_once, found.sums))
        ]
        assert settled[0] == settled[1]
        assert pieces == state_of(whole, slices)


def state_of(whole: Slice, slices: int) -> list[bytes]:
    """The bytes of each slice of a state that is kept whole."""
    names: list[list[str]] = [[] for _ in range(slices)]
    for bucket, keys in whole.keys.items():
        names[slice_of_bucket(bucket, slices)] += keys
    return [Slice.of({name: whole.lines[name] for name in part}).to_bytes() for part in names]


def test_a_state_with_nothing_to_do_is_not_played() -> None:
    engine = Engine(load_registry().get("veil"))
    book = write_book(engine, ORDERS, 1)
    context, _ = read(engine, book)
    idle = next(step for step in engine.steps if not step.homes.every(context))

    found = engine.play_slices(idle, cut(book.homes.items(), 1)[0], 4, [], [], context)
    assert SliceResult(sums=Sums(), count=PhaseCount()) == found
