"""A rulebook that breaks the contract is told so, in a sentence, before anybody plays it."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Annotated, Any

import msgspec
import pytest

from workers.kernel.errors import InvalidInput, RulebookError
from workers.kernel.events import OWN, PUBLIC, Event, Mail
from workers.kernel.orders import Order
from workers.kernel.phases import Homes, Phase, Shared
from workers.rules.contract import Rulebook, Verdict, check_rulebook, no_state_for_amendments, no_verdict, view_of
from workers.rules.resources import load_words, parse_scenario, scenario_text


class Whistle(Event, frozen=True, tag="whistle"):
    tune: Annotated[str, PUBLIC]


class Rootless(Event, frozen=True, tag="rootless"):
    tune: Annotated[str, OWN]


class Torn(Event, frozen=True, tag="torn"):
    tune: Annotated[str, OWN, PUBLIC]


class Twin(Event, frozen=True, tag="order_dropped"):
    tune: Annotated[str, PUBLIC]


class Note(Mail, frozen=True, tag="note"):
    tune: str


class Sing(Order, frozen=True, tag="sing"):
    who: str


class SingLoud(Sing, frozen=True, tag="sing_loud"):
    pass


Careless = msgspec.defstruct("Careless", [("who", str)], bases=(Order,), frozen=False, tag="careless")
Loose = msgspec.defstruct("Loose", [("tune", str)], bases=(Event,), frozen=False, tag="loose")


class NoId(msgspec.Struct):
    name: str


class NoTitle(msgspec.Struct):
    settings: int = 0


class Strict(msgspec.Struct):
    tides: int


class Wild(msgspec.Struct):
    tides: Annotated[int, msgspec.Meta(ge=1)] = 0


class Mapped(msgspec.Struct):
    note: str


def nothing(*given: object) -> tuple[Event, ...]:
    return ()


HOMES: Any = Homes(nothing, (Sing, SingLoud))
NO_STEP: Any = "step"
SHARED: Any = Shared(nothing)


def test_the_sample_rulebook_keeps_the_contract(lantern: Rulebook) -> None:
    check_rulebook(lantern)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda book: {"name": "a lantern"}, "the name is a lower-case identifier"),
        (lambda book: {"camps": ()}, "camps are distinct, at least one"),
        (lambda book: {"home": NoId}, "the home record has a field `id`"),
        (lambda book: {"scenario": NoTitle}, "the scenario record has a field 'title'"),
        (lambda book: {"settings": Strict}, "every setting has a default"),
        (lambda book: {"settings": Wild}, "the settings' defaults are within their bounds"),
        (lambda book: {"facts": Mapped}, "the facts' record is array-like"),
        (lambda book: {"orders": (*book.orders, book.orders[0])}, "no two kinds of order share a tag"),
        (lambda book: {"orders": (*book.orders, Careless)}, "order Careless is frozen"),
        (lambda book: {"orders": (*book.orders, Whistle)}, "order Whistle is an Order"),
        (lambda book: {"orders": (*book.orders, Sing)}, "none plays ['sing']"),
        (
            lambda book: {"orders": (*book.orders, Sing, SingLoud), "phases": (*book.phases, Phase("song", (HOMES,)))},
            "no kind of order derives from another (SingLoud from ['Sing'])",
        ),
        (lambda book: {"events": (*book.events, book.events[0])}, "no two types of event share a tag"),
        (lambda book: {"events": (*book.events, Twin)}, "(nor one of the kernel's)"),
        (lambda book: {"events": (*book.events, Loose)}, "event Loose is frozen"),
        (lambda book: {"events": (*book.events, Sing)}, "event Sing is an Event"),
        (lambda book: {"events": (*book.events, Torn)}, "Torn.tune declares 2 readers"),
        (lambda book: {"events": (*book.events, Rootless)}, "event Rootless has a field `camp`"),
        (
            lambda book: {"events": (*book.events, Note), "evolve": {**book.evolve, Note: nothing}},
            "mail Note changes no home",
        ),
        (lambda book: {"evolve": {**book.evolve, Whistle: nothing}}, "`evolve` has a row for Whistle"),
        (lambda book: {"evolve_shared": {Whistle: nothing}}, "`evolve_shared` has a row for Whistle"),
        (lambda book: {"tally": {Whistle: nothing}}, "`tally` has a row for Whistle"),
        (lambda book: {"amendments": {Whistle: nothing}}, "`amendments` has a row for Whistle"),
        (
            lambda book: {"events": (*book.events, Whistle), "amendments": {Whistle: no_state_for_amendments}},
            "amendment Whistle changes nothing",
        ),
        (lambda book: {"phases": (*book.phases, book.phases[0])}, "no two phases share a name"),
        (lambda book: {"phases": (*book.phases, Phase("rest", ()))}, "phase 'rest' has a step"),
        (lambda book: {"opening": (Phase("rest", ()),)}, "phase 'rest' has a step"),
        (lambda book: {"phases": (Phase("first", (SHARED,)), *book.phases)}, "starts the table with a shared step"),
        (lambda book: {"opening": (Phase("first", (SHARED,)),)}, "starts the table with a shared step"),
        (lambda book: {"phases": (*book.phases, Phase("odd", (NO_STEP,)))}, "phase 'odd' has steps only"),
    ],
)
def test_a_broken_contract_is_named(
    lantern: Rulebook, change: Callable[[Rulebook], dict[str, Any]], problem: str
) -> None:
    broken = replace(lantern, **change(lantern))

    with pytest.raises(RulebookError) as found:
        check_rulebook(broken)

    assert problem in str(found.value)
    assert broken.name == found.value.rulebook


def test_what_is_no_rulebook_is_named_by_its_type() -> None:
    with pytest.raises(RulebookError, match="gives a tuple, a Rulebook is accepted"):
        check_rulebook(())  # type: ignore[arg-type]  # what a careless entry point gives


def test_a_rulebook_can_not_be_changed(lantern: Rulebook) -> None:
    with pytest.raises(FrozenInstanceError):
        lantern.version = "2"  # type: ignore[misc]  # what must not work


def test_a_fingerprint_changes_with_name_version_and_data_and_with_nothing_else(lantern: Rulebook) -> None:
    others = [
        lantern,
        replace(lantern, name="torch"),
        replace(lantern, version="2"),
        replace(lantern, data={"hours": [1, 2]}),
        replace(lantern, data={"hours": [2, 1]}),
    ]

    assert len(others) == len({other.fingerprint() for other in others})
    assert lantern.fingerprint() == replace(lantern, camps=("a",)).fingerprint()
    assert (
        replace(lantern, data={"a": 1, "b": 2}).fingerprint() == replace(lantern, data={"b": 2, "a": 1}).fingerprint()
    )


def test_a_view_holds_what_see_gave_and_nothing_of_what_it_hid(lantern: Rulebook) -> None:
    state = lantern.found(parse_scenario(lantern, scenario_text(lantern, "inlet")), None)  # type: ignore[arg-type]  # lantern founds without ids
    state.homes["corvo"].shown = "gull rock"
    view = view_of(lantern, "keepers", 3, lantern.settings(), state.shared, {**state.homes, "nobody": None})

    assert ("keepers", 3, {}) == (view.camp, view.tick, view.booked)
    assert ["anne", "bastien", "corvo"] == sorted(view.homes)
    assert {"id": "corvo", "camp": "smugglers", "cove": "gull rock"} == msgspec.to_builtins(view.homes["corvo"])
    assert state.homes["anne"] is view.homes["anne"]


def test_without_rules_for_it_a_campaign_does_not_end_and_an_amendment_acts_on_the_shared_record() -> None:
    assert no_verdict(None, None, 9) is None
    assert "" == no_state_for_amendments(Whistle("x"))
    assert Verdict("", "draw") != Verdict("a", "draw")


def test_words_are_spoken_in_the_languages_of_every_rulebook(lantern: Rulebook) -> None:
    assert ("Lantern", "La Lanterne") == (load_words(lantern, "en").title, load_words(lantern, "fr").title)
    with pytest.raises(InvalidInput, match="unknown language 'la'") as found:
        load_words(lantern, "la")
    assert "en or fr" == found.value.accepted


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ("title = ", "scenario", "not TOML"),
        ("title = 'x'", "scenario.coves", "missing required field `coves`"),
        ("title = 'x'\ncoves = ['a']\ncrews = [{id = 1, camp = 'k', cove = 'a'}]", "scenario.crews[0].id", "Expected"),
        ("title = 'x'\ncoves = []\ncrews = []\nmoon = 'full'", "scenario.moon", "unknown field `moon`"),
    ],
)
def test_a_scenario_that_can_not_be_read_names_its_field(
    lantern: Rulebook, text: str, field: str, problem: str
) -> None:
    with pytest.raises(InvalidInput) as found:
        parse_scenario(lantern, text)

    assert field == found.value.field
    assert problem in found.value.problem


def test_an_unknown_scenario_is_refused_with_those_that_ship(lantern: Rulebook) -> None:
    with pytest.raises(InvalidInput, match="unknown scenario 'ocean'") as found:
        scenario_text(lantern, "ocean")
    assert "inlet" == found.value.accepted
