"""The conformance kit: the properties that every rulebook keeps, each as a check that its author runs over games.

    KIT = Conformance(RULEBOOK, {"a raid": Path("games/raid.json").read_bytes()})

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_rulebook_conforms(check):
        check(KIT)

A check returns nothing and raises ConformanceError with what it found. Everything is drawn from fixed dice: a check
gives the same answer each time. The kit knows no test runner; it is as pure as the rulebooks that it tries.
"""

from workers.rules.conformance.answers import any_order, void_orders
from workers.rules.conformance.bounds import settings_bounds
from workers.rules.conformance.chances import odds_against_dice, odds_form
from workers.rules.conformance.errors import ConformanceError
from workers.rules.conformance.fog import fog_of_fields, fog_of_hidden
from workers.rules.conformance.kit import Conformance
from workers.rules.conformance.records import bundles, ends, exactness, round_trips, sample_is_legal, scenarios
from workers.rules.conformance.resolution import determinism, digests, evolution, packing
from workers.rules.conformance.speech import (
    facts_have_words,
    languages_agree,
    phases_have_words,
    refusals_have_words,
)
from workers.rules.conformance.views import fog_of_answers, fog_of_names

CHECKS = (
    determinism,
    evolution,
    packing,
    fog_of_fields,
    fog_of_hidden,
    fog_of_answers,
    fog_of_names,
    odds_form,
    odds_against_dice,
    exactness,
    round_trips,
    bundles,
    scenarios,
    settings_bounds,
    sample_is_legal,
    ends,
    any_order,
    void_orders,
    languages_agree,
    facts_have_words,
    phases_have_words,
    refusals_have_words,
)
"""Every check, each a function of a `Conformance`."""

__all__ = [
    "CHECKS",
    "Conformance",
    "ConformanceError",
    "any_order",
    "bundles",
    "determinism",
    "digests",
    "ends",
    "evolution",
    "exactness",
    "facts_have_words",
    "fog_of_answers",
    "fog_of_fields",
    "fog_of_hidden",
    "fog_of_names",
    "languages_agree",
    "odds_against_dice",
    "odds_form",
    "packing",
    "phases_have_words",
    "refusals_have_words",
    "round_trips",
    "sample_is_legal",
    "scenarios",
    "settings_bounds",
    "void_orders",
]
