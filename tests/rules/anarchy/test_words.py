"""Words: every fact, refusal and reason in both languages, the source's own terms in French."""

import typing

import pytest

from tests.rules.anarchy.table import Table
from workers.rules.anarchy import RULEBOOK
from workers.rules.anarchy.orders import ORDERS, AnyStep, Attack, FirstAid, Narrate
from workers.rules.anarchy.reasons import OrderKind, Reason, RefusalCode, StepKind
from workers.rules.anarchy.tables import EFFECTS
from workers.rules.resources import load_words

LANGUAGES = ("en", "fr")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_and_every_reason_has_words_and_no_words_are_left_over(language):
    words = load_words(RULEBOOK, language)

    assert set(typing.get_args(RefusalCode)) == words.refusals.keys()
    assert set(typing.get_args(Reason)) <= words.terms.keys()


def test_the_kinds_of_orders_and_steps_are_those_that_are_declared():
    assert set(typing.get_args(OrderKind)) == {getattr(kind, "called", "") for kind in ORDERS}
    assert set(typing.get_args(OrderKind)) == {kind.__struct_config__.tag for kind in ORDERS}
    steps = typing.get_args(AnyStep)
    assert set(typing.get_args(StepKind)) == {kind.called for kind in steps}
    assert [kind.called for kind in steps] == [kind.__struct_config__.tag for kind in steps]


def test_the_french_words_are_the_sources_own():
    words = load_words(RULEBOOK, "fr")

    effects = ["Bien disposé", "Défaillance", "Interruption", "Intervention narrative", "Fonce !", "Nouvelle menace"]
    effects += ["Premiers secours", "Prise de risque", "Riposte", "S’interposer"]
    assert effects == [words.term(effect) for effect in EFFECTS]
    levels = ["Figurant", "Sbire", "Antagoniste", "Pro", "Terreur"]
    assert levels == [words.term(level) for level in ("extra", "minion", "antagonist", "pro", "terror")]
    assert "Réussite de justesse (« Oui, mais… »)" == words.term("bare_success")
    assert "Échec critique (« Non, et… »)" == words.term("critical_failure")


def told_in(language):
    table = Table()
    table.pc("ana.mia")
    table.npc("kane", level="minion")
    words = load_words(RULEBOOK, language)
    told = table.play(Narrate("m.s", "ana.mia", "Voilà.", (Attack("m.kane", "pistol"),)), where=hurts)
    return [words.fact(fact) for _, fact in told.reads("players")], words


def hurts(told):
    return bool(told.facts("players", "hurt"))


def test_a_turn_reads_as_sentences():
    english, _ = told_in("en")
    french, _ = told_in("fr")

    assert "m.s, Turn 0. Order: m.kane, ana.mia. In front: ." == english[0]
    assert "ana.mia: “Voilà.”" == english[1]
    assert "ana.mia : « Voilà. »" == french[1]
    assert english[2].startswith("ana.mia attacks m.kane (pistol): ")
    assert "against 2" in english[2]
    assert "contre ND 2" in french[2]


@pytest.mark.parametrize(
    ("boxes", "english", "french"),
    [(1, "; out: yes.", " ; hors de combat : oui."), (40, "; out: no.", "combat : non.")],
)
def test_A10_who_goes_out_is_told_in_words(boxes, english, french):
    table = Table()
    table.pc("ana.mia")
    table.npc("kane", level="extra", physical=boxes)
    told = table.play(Narrate("m.s", "ana.mia", "", (Attack("m.kane", "pistol"),)), where=hurts)

    for camp in ("players", "gm"):
        (fact,) = told.facts(camp, "hurt")
        assert load_words(RULEBOOK, "en").fact(fact).endswith(english)
        assert load_words(RULEBOOK, "fr").fact(fact).endswith(french)


def test_a_refusal_reads_as_a_sentence():
    table = Table()
    table.pc("ana.mia")
    (refusal, *_) = table.check(
        Narrate("m.s", "ana.mia", "", (FirstAid("ana.mia", "stun"), FirstAid("ana.mia", "stun")))
    )
    words = {language: load_words(RULEBOOK, language).refusal(refusal.code, refusal.values) for language in LANGUAGES}

    assert "first aid is bought twice; each effect once in a Narration." == words["en"]
    assert "Premiers secours est acheté deux fois ; chaque effet une fois par Narration." == words["fr"]
