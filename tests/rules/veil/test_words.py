"""The Veil's words: the source's own terms in French, and a word for everything that a player may read."""

import itertools
import re
import typing

import pytest

from tests.rules.veil.table import Table
from workers.rules.contract import LANGUAGES
from workers.rules.resources import load_words
from workers.rules.veil import RULEBOOK
from workers.rules.veil.events import VoidReason
from workers.rules.veil.odds import outcome_counts
from workers.rules.veil.orders import Influence, Mission
from workers.rules.veil.tables import APPROACHES, CAMPS, CHARACTERISTICS, KINDS, TALENTS

MODIFIERS = ("difficulty", "power_points", "wounded", "disgrace", "promotion", "routine")
METERS = ("ap", "pp", "recovery")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_that_a_roll_an_order_the_odds_or_a_verdict_may_hold_has_a_word(language: str) -> None:
    names = {
        *CAMPS,
        *APPROACHES,
        *CHARACTERISTICS,
        *TALENTS,
        *MODIFIERS,
        *METERS,
        *outcome_counts(0),
        *(kind.name for kind in KINDS),
        "balance",
        "dominance",
    }

    assert set() == names - load_words(RULEBOOK, language).terms.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_K6_every_reason_why_an_order_is_void_has_a_sentence(language: str) -> None:
    words = load_words(RULEBOOK, language)

    assert {f"order_void.{reason}" for reason in typing.get_args(VoidReason)} <= words.events.keys()


def test_the_french_uses_the_terms_of_the_source() -> None:
    french = load_words(RULEBOOK, "fr")

    assert ["Mission", "Influence", "Renseignement", "Soutien", "Contre-mission", "Récupération"] == [
        french.term(kind.name) for kind in KINDS
    ]
    assert ["Violente", "Furtive", "Sociale", "Occulte", "Technique", "Infiltration lente"] == [
        french.term(approach) for approach in APPROACHES
    ]
    assert ["Violence", "Discrétion", "Baratin", "Occulte", "Machines", "Enquête"] == [
        french.term(name) for name in TALENTS
    ]
    assert ["Corps", "Esprit", "Âme", "Verbe"] == [french.term(name) for name in CHARACTERISTICS]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_number_stands_before_a_word_that_it_would_put_in_the_plural(language: str) -> None:
    """`influence: 1`, not `1 points`: a blank is followed by no noun that is counted."""
    words = load_words(RULEBOOK, language)
    counted = re.compile(r"\} (points?|power|wounds?|divine|satanic|interventions?|orders?|blessures?|ordres?|PP|PA)\b")
    messages = [*itertools.chain.from_iterable(words.events.values()), *words.refusals.values()]

    assert [] == [message for message in messages if counted.search(message)]


def test_V24_the_gain_of_a_halved_mission_is_told_as_halved() -> None:
    words = [load_words(RULEBOOK, language) for language in LANGUAGES]
    fact = {
        "event": "mission_played",
        "outcome": "halved",
        "servant": "ariane",
        "mission": "m",
        "zone": "north",
        "approach": "slow_infiltration",
        "roll": {"dice": [2, 4, 2], "threshold": 356},
        "quality": 2,
        "gain": {"points": 6, "rounded": 12},
    }

    english, french = (language.fact(fact) for language in words)
    assert english == (
        "ariane plays the mission m (slow infiltration) in north: 2, 4, 2 against 356, final quality 2; its gain is "
        "halved, influence: 6 instead of 12."
    )
    assert french == (
        "ariane joue la Mission m (Infiltration lente) à north : 2, 4, 2 contre 356, qualité finale 2 ; gain divisé "
        "par deux, influence : 6 au lieu de 12."
    )


def test_a_report_is_read_as_sentences_in_both_languages() -> None:
    table = Table()
    table.servant("ariane")
    table.order(Influence("ariane", "north"), 241)
    table.order(Mission("ariane", table.mission("ariane")), 666)
    told = table.resolve()
    facts = [*told.report("angel")[:2], *told.report("angel", "intervention")]

    english, french = ([load_words(RULEBOOK, language).fact(fact) for fact in facts] for language in LANGUAGES)

    assert [
        "ariane works on north: 2, 4, 1 against 356, quality 1, influence: 2.",
        "ariane fails the mission m-ariane-0 (social) in north, the enemy's power intervened: 6, 6, 6.",
        "Satanic intervention in north!",
    ] == english
    assert "Intervention satanique à north !" == french[2]
    assert "ariane œuvre à north : 2, 4, 1 contre 356, qualité 1, influence : 2." == french[0]


def test_K7_refusals_say_what_is_refused() -> None:
    table = Table()
    (refused,) = table.check(Influence("nobody", "north"))

    assert "Your camp has no servant nobody." == load_words(RULEBOOK, "en").refusal(refused.code, refused.values)
    assert "Votre camp n'a pas de serviteur nobody." == load_words(RULEBOOK, "fr").refusal(refused.code, refused.values)
