"""Every roll of every event of the golden games is checked from the event's own record, with nothing of the rules' code
(K2).
"""

import hashlib
import hmac
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from tests.rules.uprising.played import GAMES, Plain, events
from workers.kernel.ids import tick_seed


def below(seed: bytes, path: str, bound: int) -> int:
    """The first draw of a path below a bound of at most 256."""
    for block in range(100):
        for byte in hmac.digest(seed, f"{path}#{block}".encode(), hashlib.sha256):
            if byte < bound * (256 // bound):
                return byte % bound
    raise AssertionError(path)


def rolls(value: Any) -> Iterator[Plain]:
    if isinstance(value, dict):
        if "path" in value:
            yield value
        for inner in value.values():
            yield from rolls(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from rolls(inner)


def total(terms: Any) -> int:
    return sum(term["value"] for term in terms)


def check_contest(event: Plain) -> None:
    """Attack and defence are the sums of the Forces, the chance is their ratio with the points, within 5 and 95 %
    (U5–U8).
    """
    roll, facing = event["roll"], event["facing"]
    for brought in (*roll["forces"], *facing["forces"]):
        assert brought["force"] == max(0, total(brought["terms"]))
    terms = {term["name"]: term["value"] for term in roll.get("terms", ())}
    bonus = terms.pop("bonus", 0)
    attack = sum(brought["force"] for brought in roll["forces"]) + bonus
    defence = sum(brought["force"] for brought in facing["forces"]) + total(roll.get("ground", ()))
    points = sum(terms.values())
    assert (attack, defence, points) == (roll["attack"], roll["defence"], roll.get("points", 0))
    plain = Fraction(attack, attack + defence) if attack + defence else Fraction(1, 2)
    chance = max(Fraction(1, 20), min(Fraction(19, 20), plain + Fraction(points, 100)))
    assert f"{chance.numerator}/{chance.denominator}" == roll["chance"]
    assert (chance.numerator, chance.denominator) == (roll["threshold"], roll["below"])


@pytest.mark.parametrize("name", GAMES)
def test_K2_K5_every_roll_can_be_checked_by_hand(name: str) -> None:
    seed = tick_seed(bytes.fromhex(GAMES[name]["campaign_seed"]), GAMES[name]["tick"])
    for event in events(name):
        if "facing" in event and "forces" in (event["roll"] or ()):
            check_contest(event)
        for roll in rolls(event):
            if "below" in roll:
                assert [below(seed, roll["path"], roll["below"])] == roll["dice"]
                assert "outcome" not in roll or (roll["dice"][0] < roll["threshold"]) == (roll["outcome"] == "success")
            else:
                assert [below(seed, roll["path"], 100) + 1] == roll["dice"]
                assert (roll["dice"][0] <= roll["threshold"]) == (roll["outcome"] == "success")
                assert total(roll["terms"]) + roll.get("other", 0) == roll["total"]


def test_there_are_rolls_of_every_kind_to_be_checked() -> None:
    kinds = {roll["path"].split("/")[0] for name in GAMES for event in events(name) for roll in rolls(event)}

    assert {"assassination", "search", "rally", "arrest", "raid", "contest", "assault", "aftermath"} == kinds


def test_the_games_meet_buildings_boons_bounds_and_floors() -> None:
    """U1, U3, U7, U11: beside what each game is about, all of them together meet these, and what no building does."""
    met: set[str] = set()
    for name, game in GAMES.items():
        homes, shared = game["state"]["homes"].values(), game["state"]["shared"]
        buildings = {
            key for home in homes for key, unit in home.get("units", {}).items() if unit["nature"] == "building"
        }
        boons = {boon["id"] for side in shared["boons"].values() for boon in side}
        for event in events(name):
            for copy in ("roll", "facing"):
                roll = event.get(copy)
                if roll and "below" in roll:
                    brought = {force["unit"] for force in roll["forces"]}
                    assert copy == "facing" or not buildings & brought, "a building attacks nobody (U1)"
                    met.update({"a building defends"} if buildings & brought else ())
                    met.update(_met(roll, boons))

    assert {
        "a building defends",
        "a boon's Force",
        "a boon's points",
        "a chance held within its bounds",
        "a Force held at 0",
    } == met


def _met(roll: Plain, boons: set[str]) -> Iterator[str]:
    """What a contest's record shows of U3, U7 and U11."""
    attack, defence, points = roll["attack"], roll["defence"], Fraction(roll.get("points", 0), 100)
    if not Fraction(5, 100) <= Fraction(attack, attack + defence or 1) + points <= Fraction(95, 100):
        yield "a chance held within its bounds"
    if boons & {term["name"] for term in roll.get("terms", ())}:
        yield "a boon's points"
    for force in roll["forces"]:
        if boons & {term["name"] for term in force["terms"]}:
            yield "a boon's Force"
        if total(force["terms"]) < 0:
            yield "a Force held at 0"
