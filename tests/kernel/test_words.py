"""Words: templates reach into facts and nowhere else, and a camp that reads less reads a shorter sentence."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.kernel.words import Words, blanks

WORDS = Words(
    language="en",
    title="Toy",
    events={
        "theft": ["{thief} steals {loot} in {place}.", "Somebody steals {loot} in {place}.", "A theft."],
        "roll": ["{roll.total} against {roll.threshold}: {approach!t}.", "{dice}"],
        "void.sealed": ["The zone is sealed."],
        "void": ["Void ({reason!t})."],
        "named": ["{self.__class__}", "{thief.__class__}", "{thief.upper}", "{0}", "{}", "{thief[0]}", "{thief!r:>9}"],
    },
    refusals={"unknown": "There is no {what} called {name}.", "plain": "No."},
    phases={},
    terms={"stealth": "with stealth", "x": "ten", "late": "too late"},
)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"thief": "Ada", "loot": 3, "place": "the bank"}, "Ada steals 3 in the bank."),
        ({"loot": 3, "place": "the bank"}, "Somebody steals 3 in the bank."),
        ({"thief": None, "loot": 3, "place": "the bank"}, "Somebody steals 3 in the bank."),
        ({"place": "the bank"}, "A theft."),
        ({"loot": 0, "place": ""}, "Somebody steals 0 in ."),
    ],
)
def test_the_first_template_that_the_fact_fills_is_used(fields: dict[str, Any], sentence: str) -> None:
    assert sentence == WORDS.fact({"event": "theft", **fields})
    assert sentence == WORDS.sentence({"event": "theft", **fields})


def test_a_blank_may_name_a_field_inside_a_field_and_a_translated_value() -> None:
    fact = {"event": "roll", "roll": {"total": 7, "threshold": 9}, "approach": "stealth"}

    assert "7 against 9: with stealth." == WORDS.fact(fact)


def test_items_of_a_list_are_joined_each_translated() -> None:
    assert "6, ten, 1" == WORDS.fact({"event": "roll", "dice": [6, "x", 1]})
    assert "6, ten" == WORDS.fact({"event": "roll", "dice": (6, "x")})


def test_a_variant_by_outcome_reason_or_cause_comes_first() -> None:
    assert "The zone is sealed." == WORDS.fact({"event": "void", "reason": "sealed"})
    assert "The zone is sealed." == WORDS.fact({"event": "void", "cause": "sealed"})
    assert "Void (too late)." == WORDS.fact({"event": "void", "reason": "late"})


def test_a_fact_without_a_template_is_told_by_its_fields() -> None:
    assert "strange: a=1, b=x" == WORDS.fact({"event": "strange", "a": 1, "b": "x"})
    assert WORDS.sentence({"event": "strange", "a": 1}) is None
    assert "?: a=1" == WORDS.fact({"a": 1})


@pytest.mark.parametrize(
    "blank",
    [
        "{thief.__class__}",
        "{thief.__class__.__mro__}",
        "{thief.upper}",
        "{roll.total.real}",
        "{thief[0]}",
        "{roll[total]}",
        "{0}",
        "{}",
        "{missing}",
        "{roll.missing}",
        "{dice.0}",
        "{__class__}",
        "{roll.__len__}",
        "{thief.}",
        "{.thief}",
    ],
)
def test_a_template_reaches_no_attribute_no_index_and_no_position(blank: str) -> None:
    words = msgspec.structs.replace(WORDS, events={"theft": [blank]}, refusals={"unknown": blank})
    fact = {"event": "theft", "thief": "Ada", "roll": {"total": 3}, "dice": [1, 2]}

    assert words.sentence(fact) is None
    assert "unknown" == words.refusal("unknown", fact)


def test_a_format_code_changes_nothing() -> None:
    words = msgspec.structs.replace(WORDS, events={"theft": ["{loot:>9999999}", "{loot!r:x}"]})

    assert "3" == words.fact({"event": "theft", "loot": 3})


@given(st.text(), st.dictionaries(st.sampled_from(["a", "b", "event"]), st.none() | st.integers() | st.text()))
def test_whatever_a_fact_holds_a_sentence_comes_of_it(text: str, fact: dict[str, Any]) -> None:
    words = msgspec.structs.replace(WORDS, events={text: ["{a} and {b!t}"]})

    assert words.fact({**fact, "event": text})


def test_braces_in_a_fact_are_only_text() -> None:
    assert "Somebody steals {thief} in {0}." == WORDS.fact({"event": "theft", "loot": "{thief}", "place": "{0}"})


def test_a_refusal_is_told_with_its_values_or_by_its_code() -> None:
    assert "There is no servant called a7." == WORDS.refusal("unknown", {"what": "servant", "name": "a7"})
    assert "No." == WORDS.refusal("plain", {})
    assert "unknown" == WORDS.refusal("unknown", {"what": "servant"})
    assert "never_heard" == WORDS.refusal("never_heard", {})


def test_a_term_without_translation_stands_for_itself() -> None:
    assert ("with stealth", "violence") == (WORDS.term("stealth"), WORDS.term("violence"))


@pytest.mark.parametrize("template", ["{thief", "thief}", "{thief:{loot}", "{{thief}"])
@pytest.mark.parametrize("table", ["events", "refusals"])
def test_a_template_whose_braces_do_not_pair_is_refused_when_the_words_are_read(table: str, template: str) -> None:
    plain = {**msgspec.to_builtins(WORDS), table: {"theft": [template] if table == "events" else template}}

    with pytest.raises(msgspec.ValidationError, match="the message 'theft' can't be read"):
        msgspec.convert(plain, Words)


def test_the_blanks_of_a_template_are_known_with_their_marks() -> None:
    assert {"a", "b.c", "d!t"} == blanks("{a} {b.c} {d!t} {{e}} {a}")
