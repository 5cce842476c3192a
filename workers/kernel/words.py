"""Words: the messages of one language, chosen when a report is read.

A message is a template with blanks: `{servant}` is a field of the fact, `{roll.total}` a field inside one,
`{approach!t}` a field's value translated by the language's terms. A fact may have several templates: the first whose
blanks the fact fills is used, so a camp that reads fewer fields reads a shorter sentence. A fact whose field
`outcome`, `reason` or `cause` has a value looks for the key `<event>.<value>` first.
"""

import string
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

VARIANT_FIELDS = ("outcome", "reason", "cause")


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's messages of one rulebook: events, refusals, phases, and the terms that fields hold.

    Raises ValueError for a template whose braces don't pair (as msgspec.ValidationError where it is decoded).
    """

    language: str
    title: str
    events: dict[str, list[str]]
    refusals: dict[str, str]
    phases: dict[str, str]
    terms: dict[str, str]

    def __post_init__(self) -> None:
        refusals = ((key, [template]) for key, template in self.refusals.items())
        for key, templates in (*self.events.items(), *refusals):
            for template in templates:
                try:
                    blanks(template)
                except ValueError as error:
                    raise ValueError(f"the message {key!r} can't be read: {error}") from error

    def sentence(self, fact: Mapping[str, Any]) -> str | None:
        """The sentence of a fact, or None where no template fits."""
        for key in _keys(fact):
            for template in self.events.get(key, ()):
                try:
                    return _filled(template, fact, self.terms)
                except (KeyError, IndexError, TypeError):
                    continue
        return None

    def fact(self, fact: Mapping[str, Any]) -> str:
        """The sentence of a fact. Falls back to the event's name and its fields where no template fits."""
        sentence = self.sentence(fact)
        if sentence is not None:
            return sentence
        rest = ", ".join(f"{name}={value}" for name, value in fact.items() if name != "event")
        return f"{fact.get('event', '?')}: {rest}"

    def refusal(self, code: str, values: Mapping[str, Any]) -> str:
        """The sentence of a refusal; its code where there is no template or a blank stays empty."""
        template = self.refusals.get(code)
        if template is None:
            return code
        try:
            return _filled(template, values, self.terms)
        except (KeyError, IndexError, TypeError):
            return code

    def term(self, value: str) -> str:
        """A field's value in this language, or itself."""
        return self.terms.get(value, value)


class _Blank(NamedTuple):
    """A blank of a template: the text before it, the names that lead to its value, and its mark (`t`: translated)."""

    before: str
    path: tuple[str, ...]
    mark: str


@lru_cache(4096)
def _parts(template: str) -> tuple[tuple[_Blank, ...], str]:
    """A template's blanks, and the text after them. Raises ValueError where its braces don't pair."""
    found: list[_Blank] = []
    text = ""
    for before, name, _, conversion in string.Formatter().parse(template):
        text += before
        if name is not None:
            found.append(_Blank(text, tuple(name.split(".")), conversion or ""))
            text = ""
    return tuple(found), text


def blanks(template: str) -> set[str]:
    """The fields that a template reads, with their translation mark: `{"servant", "approach!t"}`."""
    found, _ = _parts(template)
    return {".".join(path) + (f"!{mark}" if mark else "") for _, path, mark in found}


def _filled(template: str, values: Mapping[str, Any], terms: Mapping[str, str]) -> str:
    """A template with its blanks filled. They reach into mappings alone: no attribute of any object, no index.

    Raises KeyError for a blank that has no value.
    """
    found, after = _parts(template)
    texts: list[str] = []
    for before, path, mark in found:
        value: Any = values
        for name in path:
            if not isinstance(value, Mapping):
                raise KeyError(name)
            value = value[name]
        if value is None:
            raise KeyError(path)
        if mark == "t":
            text = terms.get(str(value), str(value))
        elif isinstance(value, list | tuple):
            text = ", ".join(terms.get(str(item), str(item)) for item in value)
        else:
            text = str(value)
        texts += (before, text)
    return "".join((*texts, after))


def _keys(fact: Mapping[str, Any]) -> Sequence[str]:
    tag = str(fact.get("event", ""))
    variants = [f"{tag}.{fact[name]}" for name in VARIANT_FIELDS if isinstance(fact.get(name), str)]
    return [*variants, tag]
