"""The golden values of the rules' sheet: exact numbers, computed from the clauses with fractions."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.rules.anarchy.table import M, S, Table
from workers.kernel.odds import Term
from workers.rules.anarchy import chances
from workers.rules.anarchy.orders import Allot, Grant, Move, Narrate, Trial
from workers.rules.anarchy.pools import nd_of_pool, pool_of
from workers.rules.anarchy.tables import LEVELS, WELL_DISPOSED_DICE, degree_of

CASES = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))
Inputs = dict[str, Any]


def written(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def share(joint: chances.Joint, nd: int, wanted: Callable[[int, int], bool]) -> str:
    """The chance of a success with the exploits and complications wanted."""
    return written(
        sum((chance for (n, e, c), chance in joint.items() if n >= nd and wanted(e, c)), Fraction(0)),
    )


def mean_hits(joint: chances.Joint) -> str:
    return written(sum((n * chance for (n, _, _), chance in joint.items()), Fraction(0)))


def nd(given: Inputs) -> Any:
    return nd_of_pool(given["pool"])


def level_nd(given: Inputs) -> Any:
    assert LEVELS[given["level"]].dice == given["pool"]
    assert LEVELS[given["level"]].nd == nd_of_pool(given["pool"])
    return LEVELS[given["level"]].nd


def band(given: Inputs) -> Any:
    return degree_of(given["margin"])


def band_odds(given: Inputs) -> Any:
    margins = chances.margins(chances.joint(given["pool"], given["luck"]), chances.thresholds(given["nd"]))
    more = sum((chance for (margin, _, _), chance in margins.items() if margin > 0), Fraction(0))
    return {
        "at_least_bare_success": written(chances.reached(margins)),
        "strictly_more_than_nd": written(more),
        "bands": {degree: written(chance) for degree, chance in chances.degrees(margins).items()},
    }


def distribution(given: Inputs) -> Any:
    found = chances.hits(given["pool"], given["luck"])
    sides = (2 if given["luck"] else 3) ** given["pool"]
    return {
        "distribution": {str(n): f"{chance * sides}/{sides}" for n, chance in enumerate(found)},
        "mean": written(chances.mean(found)),
        "variance": written(chances.variance(found)),
    }


def two_pools(given: Inputs) -> Any:
    attack = chances.joint(given["attack"], given["attack_luck"])
    return written(chances.reached(chances.margins(attack, chances.rolled(given["defence"], given["defence_luck"]))))


def complication_die(given: Inputs) -> Any:
    joint = chances.joint(0, False, 0, 1)
    return {
        "complication": share(joint, 0, lambda e, c: c > 0),
        "hit": share(joint, 1, lambda e, c: True),
        "exploit": share(joint, 0, lambda e, c: e > 0),
    }


def glitch_against_nd(given: Inputs) -> Any:
    joint = chances.joint(8, given["luck"], 1)
    return {
        "success": share(joint, 3, lambda e, c: True),
        "success_and_exploit": share(joint, 3, lambda e, c: e > 0),
        "success_and_complication": share(joint, 3, lambda e, c: c > 0),
        "mean_hits": mean_hits(joint),
    }


def glitch_die(given: Inputs) -> Any:
    names = {(0, 0): "none", (1, 0): "exploit", (0, 1): "complication"}
    return {
        f"{names[e, c]},hit={n > 0}": written(chance)
        for (n, e, c), chance in chances.joint(0, given["luck"], 1).items()
    }


def well_disposed(given: Inputs) -> Any:
    return {"pool": pool_of((Term("pool", given["pool"]), Term("line", WELL_DISPOSED_DICE)))}


def points_at_the_table(given: Inputs) -> Any:
    """Played: one player buys two effects, another one, the GM grants the third a point."""
    assert given == {"players": [3, 3, 3], "gm": 1}
    table = Table()
    for name in ("a.x", "b.y", "c.z"):
        table.pc(name)
    table.npc("kane", level="extra", place=3)
    disposed = Trial(on="dodge", opponent="m.kane", against="dodge", well_disposed="bold", risk=True)
    told = table.play(
        Narrate(S, "a.x", steps=(disposed,)),
        Narrate(S, "b.y", steps=(Trial(on="lift", opponent="m.kane", against="lift", risk=True),)),
        Grant(S, "c", "narration"),
        where=lambda told: not any(fact["roll"].get("complications") for fact in told.facts("gm", "tested")),
    )
    assert told.facts("players", "reserve_settled")[0]["reserve"] == table.mission().reserve
    return {"players": [table.scene().points[name] for name in "abc"], "gm": table.mission().reserve}


def grant_at_the_limit(given: Inputs) -> Any:
    table = Table()
    table.pc("a.x")
    table.scene().points["a"] = given["points"]
    refused = table.refusal(Grant(S, "a", "narration"))
    table.play(Grant(S, "a", "narration"), unchecked=True)
    return {"points": table.scene().points["a"], "refused": refused == ("at_most", "player")}


def gm_spends(given: Inputs) -> Any:
    """Played: the GM's one point buys a second move, and leaves the game."""
    table = Table()
    for name in ("a.x", "b.y", "c.z"):
        table.pc(name)
    table.npc("kane", level="extra")
    table.mission().reserve = given["gm"]
    table.scene().points.update(zip("abc", given["players"], strict=True))
    moves = (Move(1), Move(2, go="a.x"))
    table.play(Allot(M, S, given["gm_spends"]), Narrate(S, "m.kane", steps=moves))
    assert table.who("m.kane").place == 2
    return {"gm": table.mission().reserve, "players": [table.scene().points[name] for name in "abc"]}


def interposition(given: Inputs) -> Any:
    attack = chances.joint(given["attack"])
    target, other = chances.rolled(given["target_dodge"]), chances.rolled(given["interposer_dodge"])
    return {
        "first_hit": written(chances.reached(chances.margins(attack, target))),
        "somebody_hit": written(chances.interposed(attack, target, other)),
    }


def damage(given: Inputs) -> Any:
    joint = chances.joint(given["pool"], False, int(given.get("risk", False)))
    return written(chances.expected_damage(chances.margins(joint, chances.thresholds(given["nd"])), given["weapon"]))


KNOWN: dict[tuple[str, str], Callable[[Inputs], Any]] = {
    ("A5", "ND of a pool (thirds never fall on a half)"): nd,
    ("A6", "level table agrees with A5"): level_nd,
    ("A7", "margin band"): band,
    ("A7", "band odds of a pool of 8 against an ND"): band_odds,
    ("A4", "hit distribution of a pool of 8"): distribution,
    ("A8", "two rolled pools: the attack hits on a tie"): two_pools,
    ("A9", "one complication die"): complication_die,
    ("A9", "pool of 8 plus a glitch die against ND 3"): glitch_against_nd,
    ("A9", "one glitch die: (event, hit)"): glitch_die,
    ("A13", "well-disposed: 5 dice + 3"): well_disposed,
    ("A11", "points: three players at 3, GM 1; p1 spends 2, p2 spends 1, GM grants p3 one"): points_at_the_table,
    ("A12", "grant to a player who holds 6"): grant_at_the_limit,
    ("A15", "a point spent by the GM leaves the game"): gm_spends,
    ("A13", "interpose against an attack of 8 dice: the first hit, then somebody is hit"): interposition,
    ("A10", "expected damage of an attack, weapon damage 4"): damage,
    ("A10", "the same with a glitch die, +1 damage an exploit"): damage,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['clause']} {json.dumps(case['inputs'])}"[:90])
def test_a_golden_value_of_A4_to_A15_is_met_and_each_case_is_known(case: dict[str, Any]) -> None:
    answer = KNOWN[case["clause"], case["what"]]

    assert case["expected"] == answer(case["inputs"])


def test_every_golden_case_is_tried() -> None:
    assert 49 == len(CASES)
    assert {(case["clause"], case["what"]) for case in CASES} == KNOWN.keys()
