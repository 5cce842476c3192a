"""Words: every fact and refusal has a sentence in every language, and the languages say the same things."""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import inspect

from workers.kernel.events import Event, readers_of, tag_of
from workers.kernel.words import VARIANT_FIELDS, Words, blanks
from workers.rules.conformance.answers import refusals
from workers.rules.conformance.errors import demand
from workers.rules.conformance.games import facts_of
from workers.rules.conformance.kit import Conformance
from workers.rules.contract import LANGUAGES
from workers.rules.resources import load_words

AMENDMENTS = "amendments"
"""The name under which reports tell what an operator amended."""


def languages_agree(kit: Conformance) -> None:
    """The languages have the same keys, and their templates the same blanks in the same order of preference."""
    first, *others = (load_words(kit.rulebook, language) for language in LANGUAGES)
    demand(bool(first.title), f"the title is empty in {first.language!r}")
    for other in others:
        demand(bool(other.title), f"the title is empty in {other.language!r}")
        for table in ("events", "refusals", "phases", "terms"):
            ours, theirs = getattr(first, table), getattr(other, table)
            apart = sorted(ours.keys() ^ theirs.keys())
            demand(not apart, f"[{table}] of {first.language!r} and {other.language!r} differ in the keys {apart}")
            for key in ours:
                found, expected = _fields(theirs[key]), _fields(ours[key])
                demand(
                    found == expected,
                    f"[{table}] {key!r} fills {found} in {other.language!r}, {expected} in {first.language!r}",
                )


def facts_have_words(kit: Conformance) -> None:
    """Every event that some camp may read has a sentence: each that happens, each type, each of its variants."""
    for language in LANGUAGES:
        words = load_words(kit.rulebook, language)
        for game, trace in kit.traces:
            for camp, pages in trace.result.pages.items():
                for _, line in facts_of(pages):
                    _, fact = msgspec.json.decode(line)
                    said = words.sentence(fact)
                    demand(
                        said is not None, f"{game.name}: no template in {language!r} fits what {camp!r} reads: {fact}"
                    )
        for kind in kit.events:
            _type_has_words(kind, words)
        known = {tag_of(kind) for kind in kit.events}
        strange = sorted(key for key in words.events if key.partition(".")[0] not in known)
        demand(not strange, f"[events] of {language!r} has templates of events that don't exist: {strange}")


def phases_have_words(kit: Conformance) -> None:
    """Every phase has a name in every language, the set-up's and the amendments too."""
    names = {AMENDMENTS, *(phase.name for phase in (*kit.rulebook.phases, *kit.rulebook.opening))}
    for language in LANGUAGES:
        missing = sorted(names - load_words(kit.rulebook, language).phases.keys())
        demand(not missing, f"[phases] of {language!r} lacks {missing}")


def refusals_have_words(kit: Conformance) -> None:
    """Every refusal that the kit provokes names a field of its order, and has a sentence whose blanks it fills."""
    provoked = list(refusals(kit))
    for language in LANGUAGES:
        words = load_words(kit.rulebook, language)
        for order, refusal in provoked:
            field = refusal.field.partition(".")[0].partition("[")[0]
            where = f"the refusal {refusal.code!r} of {order}"
            demand(not field or field in order.__struct_fields__, f"{where} names the field {field!r}")
            demand(refusal.code in words.refusals, f"[refusals] of {language!r} lacks {refusal.code!r}")
            unfilled = sorted(_plain(blanks(words.refusals[refusal.code])) - refusal.values.keys())
            demand(not unfilled, f"{where} leaves blanks empty in {language!r}: {unfilled}")


def _type_has_words(kind: type[Event], words: Words) -> None:
    readable = {name for name, reader in readers_of(kind).items() if reader.name != "nobody"}
    if not readable:
        return
    tag = tag_of(kind)
    templates = {key: found for key, found in words.events.items() if key.partition(".")[0] == tag}
    demand(bool(templates), f"[events] of {words.language!r} lacks {tag!r}")
    types = _types(inspect.type_info(kind))
    told = {name for found in templates.values() for template in found for name in blanks(template)}
    for blank in sorted(told):
        path, _, translated = blank.partition("!")
        values = _values_at(types, path.split("."))
        demand(
            values is not None, f"[events] {tag!r} in {words.language!r} fills {path!r}, which the event doesn't have"
        )
        untold = [value for value in values or () if value not in words.terms] if translated else []
        demand(not untold, f"[terms] of {words.language!r} lacks {untold}, which {path!r} of {tag!r} may hold")
    for name in VARIANT_FIELDS:
        if name not in readable or name in _plain(told):
            continue
        missing = [value for value in _values_at(types, [name]) or () if f"{tag}.{value}" not in templates]
        demand(not missing, f"[events] of {words.language!r} tells nothing of {tag!r} with {name} {missing}")


def _fields(templates: list[str] | str) -> list[list[str]]:
    found = [templates] if isinstance(templates, str) else templates
    return [sorted(_plain(blanks(template))) for template in found]


def _plain(found: set[str]) -> set[str]:
    return {blank.partition("!")[0] for blank in found}


def _types(kind: inspect.Type) -> Mapping[str, inspect.Type]:
    return {field.name: field.type for field in kind.fields} if isinstance(kind, inspect.StructType) else {}


def _values_at(types: Mapping[str, inspect.Type], path: list[str]) -> tuple[str, ...] | None:
    """The texts that a field declares that it may hold (none for any other type); None where there is no such field."""
    if path[0] not in types:
        return None
    choices = list(_choices(types[path[0]]))
    if len(path) == 1:
        return tuple(str(value) for c in choices if isinstance(c, inspect.LiteralType) for value in c.values)
    deeper = [_values_at(_types(choice), path[1:]) for choice in choices if isinstance(choice, inspect.StructType)]
    if any(isinstance(choice, inspect.DictType) for choice in choices):
        deeper.append(())
    found = [values for values in deeper if values is not None]
    return tuple(value for values in found for value in values) if found else None


def _choices(kind: inspect.Type) -> Iterator[inspect.Type]:
    """The types that a field may have: of a union each, of a sequence its items'."""
    match kind:
        case inspect.Metadata():
            yield from _choices(kind.type)
        case inspect.UnionType():
            for choice in kind.types:
                yield from _choices(choice)
        case inspect.VarTupleType() | inspect.ListType():
            yield from _choices(kind.item_type)
        case _:
            yield kind
