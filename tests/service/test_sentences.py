"""Refusals in words, and the language of an answer."""

import pytest

from tests.service.pond import registry
from workers.kernel.errors import Refusal
from workers.kernel.words import blanks
from workers.rules.contract import LANGUAGES
from workers.rules.resources import load_words
from workers.service.orders import SERVICE_REFUSALS
from workers.service.sentences import SENTENCES, choose_language, sentence

VALUES: dict[str, str | int] = {"problem": "x", "left": 1, "limit": 2, "meter": "oil", "entity": "bert", "used": 1}


def test_every_refusal_of_ours_has_words_in_every_language_with_the_same_blanks():
    assert set(LANGUAGES) == set(SENTENCES)
    for language in LANGUAGES:
        assert set(SERVICE_REFUSALS) == set(SENTENCES[language])
        for code, template in SENTENCES[language].items():
            assert blanks(SENTENCES["en"][code]) == blanks(template)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", SERVICE_REFUSALS)
def test_each_is_a_sentence(language: str, code: str):
    words = load_words(registry().get("lake"), language)
    said = sentence(Refusal(code, values=VALUES), words)
    assert said != code
    assert "{" not in said


def test_a_rulebooks_own_words_come_first():
    words = load_words(registry().get("lake"), "fr")
    assert "Aucun bateau zed." == sentence(Refusal("unknown_boat", values={"boat": "zed"}), words)


@pytest.mark.parametrize(
    ("wanted", "header", "language"),
    [
        ("", "", "en"),
        ("fr", "en", "fr"),
        ("", "fr", "fr"),
        ("", "fr-CH, fr;q=0.9, en;q=0.8", "fr"),
        ("", "en;q=0.3, fr;q=0.7", "fr"),
        ("", "de, fr;q=0", "en"),
        ("", "de-DE, fr;q=0.1", "fr"),
        ("", "fr;q=bad", "en"),
        ("", ",,;;=", "en"),
        ("", "FR", "fr"),
    ],
)
def test_the_language_is_the_one_asked_for_else_the_headers_best(wanted: str, header: str, language: str):
    assert language == choose_language(wanted, header)
