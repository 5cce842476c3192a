"""What camps read of a phase: the facts of its events, gathered for each camp and cut into pages."""

from typing import Any, TypeAlias

import msgspec

from workers.kernel.digest import canonical
from workers.kernel.events import Event, Plan, Projector

PAGE_FACTS = 256
"""Facts in a page of a report, at most."""

Fact: TypeAlias = tuple[tuple[str, ...] | None, msgspec.Raw]
"""The entities that a fact concerns (None: it is public), and its canonical bytes."""


class _Page(msgspec.Struct, frozen=True):
    phase: str
    facts: list[Fact]


class Reports:
    """The facts of one phase, gathered for each camp and cut into pages."""

    __slots__ = ("_facts", "_pages", "_phase", "_projector")

    def __init__(self, projector: Projector, camps: tuple[str, ...], phase: str) -> None:
        self._projector = projector
        self._phase = phase
        self._facts: dict[str, list[Fact]] = {camp: [] for camp in camps}
        self._pages: dict[str, list[bytes]] = {camp: [] for camp in camps}

    def add(self, event: Event, line: bytes) -> None:
        """Add what each camp reads of an event; `line` is its canonical bytes.

        Raises RulebookError for an event of an undeclared type.
        """
        self.tell(self._projector.plan(type(event)), event, line)

    def tell(self, plan: Plan, event: Any, line: bytes) -> None:
        """The same for an event whose plan was looked up."""
        if plan.audience == "own":
            camp = event.camp
            facts = self._facts.get(camp)
            if facts is not None:
                facts.append((event.about(camp), msgspec.Raw(line)))
                if len(facts) == PAGE_FACTS:
                    self._end_page(camp, facts)
        elif plan.audience == "any":
            for camp, facts in self._facts.items():
                fact = plan.project(event, camp)
                if fact is not None:
                    encoded = line if fact is event else canonical(fact)
                    facts.append((event.about(camp), msgspec.Raw(encoded)))
                    if len(facts) == PAGE_FACTS:
                        self._end_page(camp, facts)

    def _end_page(self, camp: str, facts: list[Fact]) -> None:
        self._pages[camp].append(canonical(_Page(self._phase, facts)))
        facts.clear()

    def end_pages(self) -> None:
        """End the pages under way: what is told next begins pages of its own."""
        for camp, facts in self._facts.items():
            if facts:
                self._end_page(camp, facts)

    def pages(self) -> dict[str, list[bytes]]:
        """The encoded pages of each camp that reads something: `{"phase", "facts": [[about, fact], …]}`. Those under
        way end here.
        """
        self.end_pages()
        return {camp: pages for camp, pages in self._pages.items() if pages}
