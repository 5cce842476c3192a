"""Refusals in words: the rulebook's own message, or the service's for what no rulebook says."""

from typing import Final

from workers.kernel.errors import Refusal
from workers.kernel.words import Words
from workers.rules.contract import LANGUAGES
from workers.service.orders import (
    ACTOR_FULL,
    CHANGES_FULL,
    INVALID_ORDER,
    NOT_BOOKED,
    ORDER_EXISTS,
    OVER_BUDGET,
    TICK_FULL,
    UNKNOWN_ENTITY,
)

SENTENCES: Final[dict[str, dict[str, str]]] = {
    "en": {
        INVALID_ORDER: "The order can't be understood: {problem}.",
        OVER_BUDGET: "Over budget: {left} of {limit} {meter!t} left.",
        UNKNOWN_ENTITY: "There is no {entity}.",
        ORDER_EXISTS: "An order of this id is booked already.",
        TICK_FULL: "The tick takes no more orders: it has {limit}.",
        ACTOR_FULL: "You have {limit} orders in this tick, and may have no more.",
        CHANGES_FULL: "You have sent, replaced and withdrawn {limit} orders in this tick, and may send no more.",
        NOT_BOOKED: "Not booked, since another order of the same batch was refused.",
    },
    "fr": {
        INVALID_ORDER: "L’ordre n’est pas compris : {problem}.",
        OVER_BUDGET: "Budget dépassé : il reste {left} {meter!t} sur {limit}.",
        UNKNOWN_ENTITY: "{entity} n’existe pas.",
        ORDER_EXISTS: "Un ordre de cet identifiant est déjà inscrit.",
        TICK_FULL: "Le tour ne prend plus d’ordres : il en a {limit}.",
        ACTOR_FULL: "Vous avez {limit} ordres dans ce tour, et ne pouvez en avoir plus.",
        CHANGES_FULL: "Vous avez envoyé, remplacé et retiré {limit} ordres dans ce tour, et ne pouvez plus en envoyer.",
        NOT_BOOKED: "Non inscrit, car un autre ordre du même lot est refusé.",
    },
}
"""By language and code: what the service says of an order, in each of the languages that rulebooks speak."""


def sentence(refusal: Refusal, words: Words) -> str:
    """A refusal in the words' language."""
    if refusal.code in words.refusals:
        return words.refusal(refusal.code, refusal.values)
    ours = Words(words.language, "", {}, SENTENCES[words.language], {}, words.terms)
    return ours.refusal(refusal.code, refusal.values)


def choose_language(wanted: str, accept_language: str) -> str:
    """The language of an answer: the one asked for by name, else the best of an `Accept-Language` header (RFC 9110),
    else the first that rulebooks speak."""
    if wanted in LANGUAGES:
        return wanted
    ranked: list[tuple[float, int, str]] = []
    for place, part in enumerate(accept_language.split(",")[:32]):
        tag, _, parameters = part.partition(";")
        primary = tag.strip().lower().partition("-")[0]
        weight = _weight(parameters)
        if primary in LANGUAGES and weight > 0:
            ranked.append((-weight, place, primary))
    return min(ranked)[2] if ranked else LANGUAGES[0]


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
