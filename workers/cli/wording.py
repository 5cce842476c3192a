"""Reports in words: a page's facts as lines for people."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from workers.kernel.words import Words


class ReportPage(msgspec.Struct, frozen=True):
    """A page of a report as it is stored: the phase, and what each fact is about (None: everybody) with the fact."""

    phase: str
    facts: list[tuple[list[str] | None, dict[str, Any]]]


def read_page(data: bytes) -> ReportPage:
    """A page from its bytes."""
    return msgspec.json.decode(data, type=ReportPage)


def phase_name(words: Words, phase: str) -> str:
    """A phase's name in the words' language, or itself."""
    return words.phases.get(phase, phase)


def lines_of(words: Words, pages: Iterable[ReportPage]) -> Iterator[tuple[str, str]]:
    """(phase, sentence) of each fact, in order."""
    for page in pages:
        for _, fact in page.facts:
            yield phase_name(words, page.phase), words.fact(fact)


def by_phase(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The sentences as lines for people: the phase's name where it changes, then its sentences, indented."""
    present = None
    for phase, sentence in lines:
        if phase != present:
            present = phase
            yield f"  {phase}"
        yield f"    {sentence}"
