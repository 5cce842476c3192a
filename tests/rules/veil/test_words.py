"""The Veil's words: the source's own terms in French, and a word for everything that a player may read."""

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
    assert ["violente", "furtive", "sociale", "occulte", "technique", "d'infiltration lente"] == [
        french.term(approach) for approach in APPROACHES
    ]
    assert ["Corps", "Esprit", "Âme", "Verbe"] == [french.term(name) for name in CHARACTERISTICS]
    assert ["Discrétion", "Baratin", "Enquête"] == [
        french.term(name) for name in ("stealth", "smooth_talk", "investigation")
    ]


def test_a_report_is_read_as_sentences_in_both_languages() -> None:
    table = Table()
    table.servant("ariane")
    table.order(Influence("ariane", "north"), 241)
    table.order(Mission("ariane", table.mission("ariane")), 666)
    facts = table.resolve().report("angel")

    english, french = ([load_words(RULEBOOK, language).fact(fact) for fact in facts[:3]] for language in LANGUAGES)

    assert [
        "ariane wins 2 points of influence in north: 2, 4, 1 against 356, quality 1.",
        "ariane fails the social mission m-ariane-0 in north, the enemy's power intervened: 6, 6, 6.",
        "Satanic intervention in north!",
    ] == english
    assert "Intervention satanique à north !" == french[2]
    assert "ariane gagne 2 points d'influence à north : 2, 4, 1 contre 356, qualité 1." == french[0]


def test_K7_refusals_say_what_is_refused() -> None:
    table = Table()
    (refused,) = table.check(Influence("nobody", "north"))

    assert "Your camp has no servant nobody." == load_words(RULEBOOK, "en").refusal(refused.code, refused.values)
    assert "Votre camp n'a pas de serviteur nobody." == load_words(RULEBOOK, "fr").refusal(refused.code, refused.values)
