"""Reading reports: pages of a camp's stream as facts with their ids, cut to an actor's own, with their words.

A fact's id is `tick-page.index`, each counted from 1 (tick 0 is the set-up); a reader goes on after the last id that it
has read, or after a whole page (`tick-page`) or tick (`tick`). Who has read a tick to its end stands after the tick: so
a place within a tick says that there is more of it, also when its pages are no longer kept.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, Generic, TypeVar

import msgspec

from workers.kernel.words import Words
from workers.service.problems import FieldProblem, Problem
from workers.store import Store
from workers.store.records import Page

WHOLE: Final = 1 << 53
"""Stands for the last page of a tick, or the last fact of a page."""

_POSITION: Final = re.compile(r"([0-9]{1,15})(?:-([0-9]{1,15})(?:\.([0-9]{1,15}))?)?")


class Position(msgspec.Struct, frozen=True, order=True):
    """A place in a report: after the fact `index` of page `page` of tick `tick`."""

    tick: int = 0
    page: int = 0
    index: int = WHOLE

    @property
    def text(self) -> str:
        """The place as a reader names it: the id of the fact before it, of the page or of the tick that ends there."""
        if self.page == WHOLE:
            return str(self.tick)
        return f"{self.tick}-{self.page}" if self.index == WHOLE else f"{self.tick}-{self.page}.{self.index}"


class Fact(msgspec.Struct, frozen=True):
    """One fact of a report: its id, tick and phase, what happened, and that in words."""

    id: str
    tick: int
    phase: str
    fact: dict[str, Any]
    text: str


class ReportPage(msgspec.Struct, frozen=True):
    """Facts that follow a place. `next` is the place after what was read, also where all of it was others' facts;
    `complete` the last tick that was read to its end; `more` whether pages follow that weren't read; `trimmed` whether
    something between the place asked for and what follows here was told and is no longer kept."""

    camp: str
    language: str
    facts: tuple[Fact, ...]
    next: str
    complete: int | None
    more: bool
    trimmed: bool = False


T = TypeVar("T")


class _Page(msgspec.Struct, Generic[T], frozen=True):
    phase: str
    facts: tuple[tuple[tuple[str, ...] | None, T], ...]
    """Whom each fact is about (None: everybody), and the fact."""


_decode = msgspec.json.Decoder(_Page[dict[str, Any]]).decode
_decode_unread = msgspec.json.Decoder(_Page[msgspec.Raw]).decode
"""For an actor, to whom few of a camp's facts are told: those alone are read."""
_decode_fact = msgspec.json.Decoder(dict[str, Any]).decode


def parse_position(text: str, field: str = "after") -> Position:
    """The place that a reader names: `""` (the beginning), `tick`, `tick-page` or `tick-page.index`.

    Raises Problem (invalid_request).
    """
    if not text:
        return Position()
    found = _POSITION.fullmatch(text)
    if found is None:
        problem = FieldProblem(field, f"{text!r} is no place in a report", "an id: tick, tick-page or tick-page.index")
        raise Problem("invalid_request", f"{field}: no place in a report.", (problem,))
    tick, page, index = found.groups()
    return Position(int(tick), WHOLE if page is None else int(page), WHOLE if index is None else int(index))


def facts_of(page: Page, after: Position, entities: frozenset[str] | None, words: Words) -> Iterator[Fact]:
    """The facts of a page that follow a place; for an actor (`entities` isn't None) its own and the public ones."""
    body: _Page[Any] = _decode(page.body) if entities is None else _decode_unread(page.body)
    phase = words.phases.get(body.phase, body.phase)
    for index, (about, told) in enumerate(body.facts, start=1):
        if (page.tick, page.page, index) <= (after.tick, after.page, after.index):
            continue
        if entities is not None and about is not None and entities.isdisjoint(about):
            continue
        fact = told if entities is None else _decode_fact(told)
        yield Fact(f"{page.tick}-{page.page}.{index}", page.tick, phase, fact, words.fact(fact))


def end_of(page: Page) -> Position:
    """The place after a page: after its tick, where it's the tick's last."""
    return Position(page.tick, WHOLE) if page.last else Position(page.tick, page.page)


def entry_before(after: Position) -> tuple[int, int]:
    """The stream entry after which a reader at a place must read: the page before one that is partly read."""
    if after.index < WHOLE and after.page:
        return after.tick, after.page - 1
    return after.tick, after.page


class ReportReader:
    """Reads the reports of camps from a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(
        self,
        campaign: str,
        camp: str,
        words: Words,
        *,
        after: Position,
        entities: frozenset[str] | None = None,
        pages: int = 10,
    ) -> ReportPage:
        """The facts of up to `pages` pages that follow a place."""
        found = self._store.reports.read(campaign, camp, after=entry_before(after), count=pages + 1)
        read, more = found[:pages], len(found) > pages
        facts = tuple(fact for page in read for fact in facts_of(page, after, entities, words))
        complete = [page.tick for page in read if page.last]
        return ReportPage(
            camp=camp,
            language=words.language,
            facts=facts,
            next=(end_of(read[-1]) if read else after).text,
            complete=complete[-1] if complete else None,
            more=more,
            trimmed=bool(found) and self._gone(campaign, camp, after, found[0]),
        )

    def trimmed(self, campaign: str, camp: str, after: Position) -> bool:
        """Whether something between a place and the first page kept after it was told and is no longer kept."""
        found = self._store.reports.read(campaign, camp, after=entry_before(after), count=1)
        return bool(found) and self._gone(campaign, camp, after, found[0])

    def _gone(self, campaign: str, camp: str, after: Position, following: Page) -> bool:
        """The same, of a place and the first page kept that wasn't read to its end. Each tick has pages, from 1."""
        if following.tick == after.tick:
            unread = after.page if after.index < WHOLE else after.page + 1
            return following.page > unread
        if following.page > 1 or following.tick > after.tick + 1:
            return True
        # The place's tick was read to its end, or its page is kept, and was the last: whole ticks are dropped.
        first = self._store.reports.first_position(campaign, camp) if after.page < WHOLE else None
        return first is not None and first > (after.tick, after.page)

    def key(self, campaign: str, camp: str) -> str:
        """The stream's key, for a reader that waits with a client of its own."""
        return self._store.reports.key(campaign, camp)
