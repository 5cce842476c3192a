"""Golden games: their digests are recorded; what must come of them was worked out by hand."""

import json

import pytest

from tests.rules.uprising.played import DIGESTS, ENGINE, GAMES, homes_after, one, resolved, told, void
from workers.rules.uprising import RULEBOOK


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_ends_as_it_was_recorded_however_it_is_cut(name: str) -> None:
    assert {DIGESTS[name]} == {resolved(name, slices).digest for slices in (1, 16, 256)}


def test_every_game_is_recorded_and_there_are_at_least_six() -> None:
    assert set(GAMES) == set(DIGESTS)
    assert len({name.rpartition("-")[0] for name in GAMES}) >= 6


@pytest.mark.parametrize("name", [name for name in GAMES if name[:-2] + f"{int(name[-2:]) + 1:02}" in GAMES])
def test_a_game_s_next_tick_starts_where_this_one_ended(name: str) -> None:
    result = resolved(name)
    following = GAMES[name[:-2] + f"{int(name[-2:]) + 1:02}"]

    assert following["state"]["shared"] == json.loads(result.shared)
    assert following["state"]["homes"] == homes_after(result)


def test_the_market() -> None:
    """U6, U12, U13, U14, U19, U22, U24, U25, K6.

    Two masked killers against a prefect with one bodyguard: 45 points; they fail, are revealed (+2 Heat each) and heat
    by 5. Two arrests of Louise are one: 3 + 1 against 3 + 1, and 15 points of the Order faction's asset (the default
    card, for the other takes 10 away): 65 %. She escapes. The Law's raid: 3 + 1 + 1 (a wounded patrol, a prefect)
    against the press 1 + 1, Louise 3, three others 1 each, and 1: 5/14 and 10 points. The day after, the card with a
    bonus of 2.
    """
    attempt = one("market-01", event="assassination")
    arrest = one("market-01", event="arrest")
    raid = one("market-01", event="raid", camp="law")
    assert (["cape", "mask"], 45) == (attempt["units"], attempt["roll"]["threshold"])
    assert (30, 39) == (told("market-01", event="heat")[0]["before"], told("market-01", event="heat")[0]["after"])
    assert ("arrest", "13/20", ["02", "03"]) == (arrest["card"], arrest["roll"]["chance"], arrest["orders"])
    assert ("escaped", 40) == (arrest["outcome"], arrest["escape"]["threshold"])
    assert (5, 9, "16/35") == (raid["roll"]["attack"], raid["roll"]["defence"], raid["roll"]["chance"])
    assert {"03": "unit_arrested", "04": "second_raid"} == void("market-02")
    assert ("jail", "destroyed") == (
        one("market-02", event="arrest")["prison"],
        homes_after(resolved("market-02"))["market"]["units"]["press"]["status"],
    )
    assert 7 == one("market-02", event="raid")["roll"]["attack"]


def test_the_prison_break() -> None:
    """U12, U15, U16, U20, U23, U24.

    The baker is taken to the citadel, two bridges away, for the quay's prison is its own side's. The column crosses in
    the open (5 − 1) and storms: keepers 3 − 2, a clerk of 0, hidden snipers 1, a garrison of 1, a keep of 2; refusers
    stand by. The keepers' third wound fells them. The prison is the Revolution's at the phase's end: its prisoners are
    free.
    """
    fought = one("prison-break-01", event="assault")
    roll = one("prison-break-01", event="assault_roll")
    after = homes_after(resolved("prison-break-01"))["citadel"]
    assert "citadel" == one("prison-break-01", event="arrest")["prison"]
    assert (4, 5, "4/9") == (roll["roll"]["attack"], roll["roll"]["defence"], roll["roll"]["chance"])
    assert ["clerk", "keepers", "snipers"] == [force["unit"] for force in roll["facing"]["forces"]]
    assert ["landmark", "prison"] == fought["taken"]
    assert ["baker", "varlin"] == one("prison-break-01", event="prisoners_freed")["units"]
    assert ("fallen", 3) == (after["units"]["keepers"]["status"], after["units"]["keepers"]["wounds"])
    assert "imprisoned" == after["units"]["thief"]["status"]
    assert (2, 1) == (after["units"]["baker"]["wounds"], after["units"]["varlin"]["wounds"]), (
        "nobody heals in an assault"
    )
    assert {"01": "no_attacker"} == void("prison-break-02")


def test_the_barricades() -> None:
    """U4, U8, U9, U10, U16, U18, U22, U23.

    Gas comes first and takes 2 from everybody at once, disease 1: Louise brings 2 − 3 = 0 against a named 3, and wins
    with 5 %. Influence is bounded at 100 and then loses 40. The Law's assault (both orders are one, the better card
    counts): the line 6 + 1 − 1 − 2 − 1 = 3, the chasseurs 4 − 1 − 2 − 1 = 0 don't attack; gunners 4 + 2 + 1 + 1 − 3 =
    5, Louise 0, masons 1 + 1 − 3 = 0, the guns 2, barricades 2 + 3: 3 against 12, and 10 points.
    """
    won = [(event["revolution"], event["law"]) for event in told("barricades-01", event="influence")]
    roll = one("barricades-01", event="assault_roll")
    assert "1/20" == one("barricades-01", event="contest", card="speech")["roll"]["chance"]
    assert [(100, 30), (60, 40)] == won
    assert (48, 51) == tuple(told("barricades-01", event="heat")[0][name] for name in ("before", "after"))
    assert (40, 100) == tuple(one("barricades-01", event="authority")[name] for name in ("before", "after"))
    assert ("storm", ["02", "03"]) == (roll["card"], roll["orders"])
    assert (3, 12, "3/10") == (roll["roll"]["attack"], roll["roll"]["defence"], roll["roll"]["chance"])
    assert "line" == one("barricades-01", event="unit_struck")["unit"]
    assert 2 == homes_after(resolved("barricades-01"))["hill"]["fire"]
    assert (25, -30) == tuple(
        one("barricades-02", event="influence")[name] for name in ("revolution_change", "law_change")
    )


def test_the_hunt() -> None:
    """U19, U20, U21, U24, U25.

    The failed assassination takes the Heat over 50: the Law's sweep is 75 + 15, less 24 for a Stealth of 5, at most 95.
    It reaches the garden and the mill, finds the shade and so succeeds, once: 5 influence and 2 Authority. The spy
    finds the informer from next door. Moves under cover: into the mill, from which the unseen urchin leaves, the ear
    hides again.
    """
    searched = {event["unit"]: event["roll"] for event in told("hunt-01", event="search_roll", card="sweep")}
    assert {"ghost": 66, "shade": 95, "urchin": 90} == {unit: roll["threshold"] for unit, roll in searched.items()}
    assert 5 == one("hunt-01", event="influence")["law_change"]
    assert (40, 42) == tuple(one("hunt-01", event="authority")[name] for name in ("before", "after"))
    assert "urchin" == one("hunt-01", event="search_roll", unit="ear")["units"][0]
    assert ("ear", "covered_move") == tuple(one("hunt-01", event="unit_hidden")[name] for name in ("unit", "cause"))
    after = homes_after(resolved("hunt-01"))
    assert {"ear"} == {name for name, unit in after["mill"]["units"].items() if unit.get("hidden")}
    assert {"urchin"} == set(after["moor"]["units"])
    reports = b"".join(resolved("hunt-01").pages["law"])
    assert b'"ghost"' not in reports
    assert b'"urchin"' not in reports


def test_the_turncoats() -> None:
    """U17, U22, U23, K6, K9.

    Authority 35: enough for a Force of 3 (30), not of 4 (40); each reads the phase's start, 20 are taken at its end.
    Merged rallies of the colonel: an authority card that holds is a chance of 1. Then 10 are left: of two rallies by
    authority that were booked before, one is kept. Who changed side yesterday rests; who never rallies, never does. The
    Law has 15, enough for one rally by authority: that of Louise is kept, for the one of who rests is void in any case.
    """
    colonel = one("turncoats-01", event="rally", target="colonel")
    assert ("proclamation", 10, ["jean", "louise"]) == (colonel["card"], colonel["paid"], colonel["units"])
    assert ("failure", 40) == (
        one("turncoats-01", event="rally", target="captain")["outcome"],
        one("turncoats-01", event="rally", target="captain")["authority"]["threshold"],
    )
    assert [(35, 15), (15, 10)] == [
        (event["before"], event["after"]) for event in told("turncoats-01", event="authority", camp="revolution")
    ]
    assert (99, 100) == tuple(one("turncoats-01", event="loyalty")[name] for name in ("before", "after"))
    assert {"06": "unit_changed_side"} == void("turncoats-01")
    assert {
        "01": "no_authority",
        "03": "target_rests",
        "05": "target_never_rallies",
    } == void("turncoats-02")
    assert {"ensign": 10, "louise": 10} == {
        event["target"]: event["paid"] for event in told("turncoats-02", event="rally")
    }
    assert "law" == homes_after(resolved("turncoats-02"))["hall"]["units"]["louise"]["camp"]


def test_the_fifth_day() -> None:
    """U2, U10, U15, U24, U26, K6.

    Amendments come first: disease in the south, the east's prison to the Law, which frees nobody. Order 05 was dropped
    by the operator; 03 and 04 are void. Both sides have 50 of influence in the north on day 5: a troop each. The
    section heals 1 of 2 wounds where it stands, for moving in the open is no service. Heat 55 − ⌈5/4⌉ = 53.
    """
    after = homes_after(resolved("fifth-day-05"))
    assert {"03": "target_gone", "04": "unit_moved"} == void("fifth-day-05")
    assert "05" == one("fifth-day-05", event="order_dropped")["order"]
    assert ["revolution", "law"] == [event["camp"] for event in told("fifth-day-05", event="unit_raised")]
    assert (1, 2) == (after["south"]["units"]["section"]["wounds"], after["north"]["fire"])
    assert "imprisoned" == after["east"]["units"]["newcomer"]["status"]
    assert (55, 53) == tuple(one("fifth-day-05", event="heat")[name] for name in ("before", "after"))
    assert True is after["south"]["disease"]
    assert ["lost", "won"] == [event["outcome"] for event in told("fifth-day-06", event="assault")]
    assert (53, 54) == tuple(one("fifth-day-06", event="heat")[name] for name in ("before", "after"))
    assert None is RULEBOOK.verdict(ENGINE.read_shared(resolved("fifth-day-06").shared), RULEBOOK.settings(), 6)


def test_one_against_another() -> None:
    """U12, U15, U22, U23, K6, K9.

    Three arrests of Louise are one of 6 against 4, with the best card, and of two equally good the one of lowest id: 70
    %. Arrested, she arrests nobody. Ada took part in an arrest and is arrested after it: the Law has a prison, but no
    other side has one for her: she leaves the level. A refuser defends with 0 + 1. Paul comes by the open: 1 − 1 = 0.
    """
    louise = one("against-01", event="arrest", target="louise")
    assert ("a-good", "7/10", "gate") == (louise["card"], louise["roll"]["chance"], louise["prison"])
    assert {"04": "unit_arrested"} == void("against-01")
    assert None is one("against-01", event="arrest", target="ada")["prison"]
    assert "out" == homes_after(resolved("against-01"))["ford"]["units"]["ada"]["status"]
    assert "2/3" == one("against-01", event="arrest", target="stone")["roll"]["chance"]
    assert "1/20" == one("against-01", event="contest")["roll"]["chance"]
    assert {"02": "card_buildings_only", "03": "nothing_to_overcome"} == void("against-02")
