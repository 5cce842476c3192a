"""What intake accepts and refuses: U4."""

import pytest

from tests.rules.uprising.board import Board
from workers.kernel.orders import Booking, Cost
from workers.rules.resources import load_words
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.orders import (
    AnyOrder,
    Arrest,
    Assassination,
    Assault,
    Contest,
    Gamble,
    Move,
    Raid,
    Rally,
    Search,
)


def a_city() -> Board:
    """One legal order of each kind can be given by the Revolution."""
    board = Board()
    board.unit("louise", force=2)
    board.unit("mask", hidden=True)
    board.unit("prefect", "law", nature="person", named=True)
    board.unit("post", "law", nature="building")
    return board


LEGAL: list[AnyOrder] = [
    Assassination("north", ("mask",), "prefect"),
    Search("north", ("louise",)),
    Rally("north", ("louise",), "prefect"),
    Arrest("north", ("louise",), "prefect"),
    Raid("north", ("louise",), "post"),
    Move("north", ("louise",), "south"),
    Contest("north", ("louise",)),
    Gamble("north", ("louise",)),
    Assault("north", ("louise", "mask")),
]


UNKNOWN: list[AnyOrder] = [
    Gamble("nowhere", ("louise",)),
    Search("north", ("louise",), "nothing"),
    Raid("north", (), "post"),
]


@pytest.mark.parametrize("order", LEGAL, ids=lambda order: order.kind)
def test_U4_a_legal_order_is_booked_in_its_district_and_takes_its_units_service(order: Arrest) -> None:
    service = "move" if isinstance(order, Move) else "serve"

    assert Booking(
        "north", tuple(Cost(f"{service}/{name}", 1, 1, "revolution") for name in order.units)
    ) == a_city().check(order)


@pytest.mark.parametrize("order", LEGAL, ids=lambda order: order.kind)
def test_U4_every_order_names_a_district_a_card_and_units_that_can_be(order: Arrest) -> None:
    board = a_city()
    board.unit("club", nature="building")
    board.homes["north"].units["louise"].status = "fallen"
    board.homes["north"].units["mask"].status = "out"
    for name, value, code in (
        ("district", "nowhere", "unknown_district"),
        ("card", "nothing", "card_unknown"),
        ("card", "raid" if order.kind != "raid" else "arrest", "card_of_other_kind"),
        ("units", (), "no_unit"),
        ("units", ("nobody",), "unit_not_here"),
        ("units", (order.units[0],), "unit_not_active"),
    ):
        changed = type(order)(**{field: getattr(order, field) for field in order.__struct_fields__} | {name: value})
        assert code == board.refusal(changed)


def test_U4_no_unit_is_named_twice() -> None:
    assert "unit_twice" == a_city().refusal(Search("north", ("louise", "louise")))


def test_U4_a_card_that_is_not_the_side_s_is_refused_with_those_that_are() -> None:
    board = a_city()
    board.card("manhunt", "arrest", sides=("law",))
    board.card("snatch", "arrest", sides=("revolution",))

    (refusal,) = board.check(Arrest("north", ("louise",), "prefect", "manhunt"))

    assert ("card_not_yours", "card", "illegal", "arrest, snatch") == (
        refusal.code,
        refusal.field,
        refusal.family,
        refusal.accepted,
    )


def test_U4_a_unit_serves_the_one_order_that_names_it() -> None:
    """U4: the meter of a unit's service is the same for every kind of order, and takes 1 of 1."""
    board = a_city()
    costs = [board.check(order).costs for order in LEGAL if order.units == ("louise",) and not isinstance(order, Move)]

    assert {(Cost("serve/louise", 1, 1, "revolution"),)} == set(costs)


def test_U4_what_is_not_known_is_invalid_what_is_not_allowed_illegal() -> None:
    board = a_city()
    families = {order.kind: board.check(order)[0].family for order in UNKNOWN}

    assert {"gamble": "invalid", "search": "invalid", "raid": "invalid"} == families
    assert "illegal" == board.check(Gamble("north", ("post",)))[0].family


def test_every_refusal_has_words_in_both_languages() -> None:
    for language in ("en", "fr"):
        words = load_words(RULEBOOK, language)
        assert "louise" in words.refusal("unit_twice", {"name": "louise", "district": "north"})
        assert "serve/louise" in words.refusal(
            "over_budget", {"meter": "serve/louise", "used": 1, "limit": 1, "left": 0}
        )


def test_U4_an_order_reads_the_districts_that_it_names() -> None:
    assert ("north",) == RULEBOOK.reads(LEGAL[0]).homes
    assert () == RULEBOOK.reads(LEGAL[0]).booked
    contest = Contest("north", ("louise",), coming_from=("south", "south"))
    assert ("north", "south") == RULEBOOK.reads(contest).homes == RULEBOOK.reads(contest).booked
    assert ("louise",) == RULEBOOK.commands(contest)
