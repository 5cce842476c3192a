"""Words: the messages of one language, chosen when a report is read.

A message is a template with blanks: `{servant}` is a field of the fact, `{roll.total}` a field inside one,
`{approach!t}` a field's value translated by the language's terms. A fact may have several templates: the first whose
blanks the fact fills is used, so a camp that reads fewer fields reads a shorter sentence. A fact whose field
`outcome`, `reason` or `cause` has a value looks for the key `<event>.<value>` first.
"""

import string
from collections.abc import Mapping, Sequence
from typing import Any

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
                    return _Template(self.terms).vformat(template, (), fact)
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
            return _Template(self.terms).vformat(template, (), values)
        except (KeyError, IndexError, TypeError):
            return code

    def term(self, value: str) -> str:
        """A field's value in this language, or itself."""
        return self.terms.get(value, value)


def blanks(template: str) -> set[str]:
    """The fields that a template reads, with their translation mark: `{"servant", "approach!t"}`."""
    found = set()
    for _, name, _, conversion in string.Formatter().parse(template):
        if name is not None:
            found.add(name + (f"!{conversion}" if conversion else ""))
    return found


def _keys(fact: Mapping[str, Any]) -> Sequence[str]:
    tag = str(fact.get("event", ""))
    variants = [f"{tag}.{fact[name]}" for name in VARIANT_FIELDS if isinstance(fact.get(name), str)]
    return [*variants, tag]


class _Template(string.Formatter):
    """Templates whose blanks reach into mappings alone: no attribute of any object, no index, no format code."""

    def __init__(self, terms: Mapping[str, str]) -> None:
        self._terms = terms

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        value: Any = kwargs
        for part in field_name.split("."):
            if not isinstance(value, Mapping):
                raise KeyError(field_name)
            value = value[part]
        if value is None:
            raise KeyError(field_name)
        return value, field_name

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        if conversion == "t":
            return self._terms.get(str(value), str(value))
        return value

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(self._terms.get(str(item), str(item)) for item in value)
        return str(value)
