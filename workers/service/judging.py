"""Judging orders on what their sender's camp knows: the rulebook's `check`, given what it may read and nothing else."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

import msgspec

from workers.kernel.entities import Reads, View
from workers.kernel.errors import Refusal
from workers.kernel.odds import Odds
from workers.kernel.orders import Booked, Booking, Order
from workers.service.access import Sender
from workers.service.book import NOBODY, Book
from workers.service.campaigns import Campaign
from workers.service.orders import UNKNOWN_ENTITY
from workers.service.views import Lens

STRANGER: Final = "#{}"
"""Stands in for an entity that an actor doesn't command while the rulebook is asked what it says of one that doesn't
exist: no entity's id has a `#`."""


class Judge:
    """Judges the orders of one sender for one tick. For one request: what it read stays with it."""

    def __init__(self, book: Book, campaign: Campaign, lens: Lens, sender: Sender) -> None:
        self._book = book
        self._campaign = campaign
        self._check = campaign.rulebook.check
        self._lens = lens
        self._camp = sender.camp
        self._actor = sender.actor
        self._entities = sender.entities
        self._mine: dict[str, tuple[Booked[Any, Any], ...]] = {}
        self._homes: set[str] = set()
        self._views: dict[tuple[str, ...], View[Any, Any, Any]] = {}

    def prepare(self, orders: Iterable[Order]) -> list[Reads]:
        """Read what judging these orders needs, all at once; what each of them reads. Raises MissingBlob."""
        read = list(map(self._campaign.rulebook.reads, orders))
        self._read_booked(dict.fromkeys(home for reads in read for home in reads.booked if home not in self._homes))
        self._lens.load([home for reads in read for home in reads.homes])
        self._views.clear()
        return read

    def judge(self, order: Order, reads: Reads, replaces: str = "") -> Booking | tuple[Refusal, ...]:
        """The booking of a prepared order, or why it is refused; `reads` is what it reads, and `replaces` the id of the
        order that it would replace, which doesn't count beside it."""
        if self._entities is not None:
            strangers = self._strangers(order, self._entities)
            if strangers:
                return self._of_strangers(order, strangers)
        return self._check(order, self._view(reads, replaces))

    def foreseen(self, orders: Iterable[Order], read: Iterable[Reads]) -> list[Booking]:
        """The bookings of prepared orders, each judged as if all before it that are legal were accepted: what judging
        them in turn will ask meters for. Nothing is accepted."""
        mine, bookings = self._mine.copy(), []
        for order, reads in zip(orders, read, strict=True):
            answer = self.judge(order, reads)
            if isinstance(answer, Booking):
                bookings.append(answer)
                self.accept(Booked(NOBODY, answer.home, self._camp, self._actor, order, answer.facts, answer.costs))
        self._mine = mine
        return bookings

    def odds(self, order: Order, reads: Reads) -> Odds:
        """The odds of a prepared order that was judged well."""
        return self._campaign.rulebook.odds(order, self._view(reads, ""))

    @property
    def reads_booked(self) -> bool:
        """Whether some order that was prepared is judged by what else is booked."""
        return bool(self._homes)

    def accept(self, booked: Booked[Any, Any]) -> None:
        """Let the orders judged after this one see it beside them."""
        self._mine[booked.home] = (*self._mine.get(booked.home, ()), booked)

    def _strangers(self, order: Order, mine: frozenset[str]) -> tuple[str, ...]:
        return tuple(name for name in self._campaign.rulebook.commands(order) if name not in mine)

    def _view(self, reads: Reads, replaces: str) -> View[Any, Any, Any]:
        """What an order's check receives; orders that read the same homes and no booked orders share it."""
        known = None if reads.booked else self._views.get(reads.homes)
        if known is not None:
            return known
        booked: dict[str, tuple[Any, ...]] = {}
        for home in reads.booked:
            booked[home] = tuple(one for one in self._mine.get(home, ()) if one.id != replaces)
        view = self._lens.view(reads.homes, booked)
        if not booked:
            self._views[reads.homes] = view
        return view

    def _read_booked(self, homes: Collection[str]) -> None:
        if homes:
            self._homes.update(homes)
            for booked in self._book.live_of(self._campaign, self._lens.tick, self._camp, homes):
                self.accept(booked)

    def _of_strangers(self, order: Order, strangers: tuple[str, ...]) -> tuple[Refusal, ...]:
        """What the rulebook says of entities that don't exist, of these (K7: the same code, field and words)."""
        names = {name: STRANGER.format(number) for number, name in enumerate(strangers)}
        asked = _renamed(order, names)
        answer = self._check(asked, self._view(self._campaign.rulebook.reads(asked), ""))
        if isinstance(answer, Booking) or asked == order:
            return (Refusal(UNKNOWN_ENTITY, "", values={"entity": strangers[0]}),)
        back = {stranger: name for name, stranger in names.items()}
        return tuple(_renamed(refusal, back) for refusal in answer)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A value with some texts in it replaced, however deep they lie."""
    match value:
        case str():
            return names.get(value, value)
        case tuple() | list():
            return type(value)(_renamed(one, names) for one in value)
        case dict():
            return {_renamed(key, names): _renamed(one, names) for key, one in value.items()}
        case msgspec.Struct():
            fields = {name: _renamed(getattr(value, name), names) for name in value.__struct_fields__}
            return msgspec.structs.replace(value, **fields)
        case _:
            return value
