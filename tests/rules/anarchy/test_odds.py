"""Exact odds in closed form: K3, on the pools of A2 to A10."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.anarchy.table import S, Table
from workers.kernel.odds import Term
from workers.rules.anarchy import chances
from workers.rules.anarchy.orders import Attack, Grant, Interpose, Luck, Narrate, Riposte, Start, Trial
from workers.rules.anarchy.tables import degree_of

SIX = range(1, 7)


def enumerated(pool, luck, glitch, complication, defence, defence_luck):
    """The degrees with their exploits and complications, by counting all faces of all dice."""
    count = pool + glitch + complication
    found: dict[str, int] = {}
    for faces in product(SIX, repeat=count + defence):
        told_apart, worse = faces[pool : pool + glitch], faces[pool + glitch : count]
        hits = sum(face >= (4 if luck else 5) for face in faces[: pool + glitch])
        against = sum(face >= (4 if defence_luck else 5) for face in faces[count:])
        name: str = degree_of(hits - against)
        name += "+exploit" if any(face >= 5 for face in told_apart) else ""
        name += "+complication" if 1 in (*told_apart, *worse) else ""
        found[name] = found.get(name, 0) + 1
    return {name: Fraction(n, 6 ** (count + defence)) for name, n in found.items()}


@pytest.mark.parametrize(
    ("agility", "logic", "luck", "risk", "cursed"),
    [(1, 1, False, False, False), (2, 0, True, True, False), (1, 0, False, True, True), (2, 1, True, False, True)],
)
def test_K3_the_odds_of_an_attack_on_a_rolled_defence_are_those_of_all_dice(agility, logic, luck, risk, cursed):
    table = Table()
    traits = [{"kind": "flaw", "name": "cursed", "complication": ["firearms"]}] if cursed else []
    table.pc(
        "ana.mia",
        attributes={"agility": 1},
        skills={"firearms": {"attribute": "agility", "rating": 1}},
        weapons=[{"name": "pistol", "skill": "firearms", "damage": 4}],
        traits=traits,
    )
    table.pc("ben.rook", attributes={"agility": agility, "logic": logic})
    odds = table.odds(Narrate(S, "ana.mia", "", (Attack("ben.rook", "pistol", luck=luck, risk=risk),)))
    expected = enumerated(2, luck, int(risk), int(cursed), agility + logic, False)

    assert expected == {name: Fraction(text) for name, text in odds.outcomes.items()}
    hit = sum(
        (chance for name, chance in expected.items() if "success" in name),
        Fraction(0),
    )
    assert hit == Fraction(odds.success or "0")
    assert "full" == odds.basis


@pytest.mark.parametrize(("luck", "defence_luck"), [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize(("pool", "glitch", "complication", "defence"), [(2, 1, 0, 2), (1, 1, 1, 1), (3, 0, 0, 2)])
def test_A8_margins_and_degrees_against_a_rolled_defence_are_those_of_all_dice(
    pool, glitch, complication, defence, luck, defence_luck
):
    margins = chances.margins(chances.joint(pool, luck, glitch, complication), chances.rolled(defence, defence_luck))
    expected: dict[str, Fraction] = {}
    for name, chance in enumerated(pool, luck, glitch, complication, defence, defence_luck).items():
        degree = name.partition("+")[0]
        expected[degree] = expected.get(degree, Fraction(0)) + chance

    assert expected == chances.degrees(margins)
    assert chances.reached(margins) == sum(chance for name, chance in expected.items() if "success" in name)
    assert chances.rolled(defence + 1, defence_luck) == chances.rolled(defence, defence_luck, glitch=1), "A9: it hits"


def test_K3_the_odds_come_with_their_terms():
    table = Table()
    table.pc(
        "ana.mia", traits=[{"kind": "asset", "name": "aim", "dice": 1, "on": ["firearms"], "complication": ["all"]}]
    )
    table.npc("kane", level="pro")
    table.who("m.kane").met_nds["dodge"] = 3
    attack = Attack("m.kane", "pistol", well_disposed="aim", risk=True)
    odds = table.odds(Narrate(S, "ana.mia", "", (attack,)))

    names = ["firearms", "agility", "aim", "aim", "glitch", "complication", "nd"]
    assert (names, [3, 3, 1, 3, 1, 1, 3]) == (
        [term.name for term in odds.terms],
        [term.value for term in odds.terms],
    )
    assert "known" == odds.basis


def test_K3_the_damage_of_each_outcome_is_shown_for_an_attack():
    table = Table()
    table.pc("ana.mia")
    table.npc("kane", level="minion")
    odds = table.odds(Narrate(S, "m.kane", "", (Attack("ana.mia", "gun"),)))

    assert {"least_damage": 3, "most_damage": 3} == odds.effects["bare_success"]
    assert {"least_damage": 4, "most_damage": 6} == odds.effects["success"]
    assert {"least_damage": 7, "most_damage": 9} == odds.effects["critical_success"]


@pytest.mark.parametrize(("special", "damage"), [("", 4), ("disarm", 3)])
def test_A10_in_the_odds_too_the_named_special_uses_one_exploit(special, damage):
    table = Table()
    table.pc("ana.mia")
    table.npc("kane", level="minion")
    odds = table.odds(Narrate(S, "m.kane", "", (Attack("ana.mia", "gun", risk=True, special=special),)))

    assert {"least_damage": damage, "most_damage": damage} == odds.effects["bare_success+exploit"]
    assert {"least_damage": 3, "most_damage": 3} == odds.effects["bare_success"]


def test_K3_a_test_against_a_challenge_has_full_odds_and_one_against_an_unknown_nd_none():
    table = Table()
    table.pc("ana.mia")
    table.npc("kane", level="minion")
    table.of_scene(challenges=[{"name": "the lock", "on": "recall", "difficulty": "hard", "modifier": -2}])
    sure = table.odds(Narrate(S, "ana.mia", "", (Trial("the lock"),)))
    unsure = table.odds(Narrate(S, "ana.mia", "", (Trial(on="lift", opponent="m.kane", against="lift"),)))

    assert (Term("logic", 3), Term("logic", 3), Term("the lock", -2), Term("nd", 3)) == sure.terms
    margins = chances.margins(chances.joint(4), chances.thresholds(3))
    assert chances.degrees(margins) == {name: Fraction(text) for name, text in sure.outcomes.items()}
    assert (None, {}, "nd") == (unsure.success, unsure.outcomes, unsure.missing)
    assert (Term("strength", 3), Term("strength", 3)) == unsure.terms


def test_K3_a_riposte_has_the_odds_of_its_attack_on_the_attacker_that_it_names():
    table = Table()
    table.pc("ana.mia")
    table.pc("ben.rook")
    riposte = table.odds(Riposte(S, "ana.mia", "pistol", by="ben.rook"))

    assert table.odds(Narrate(S, "ana.mia", "", (Attack("ben.rook", "pistol"),))) == riposte
    assert "attacker" == table.odds(Riposte(S, "ana.mia", "pistol")).missing


@pytest.mark.parametrize(
    "order",
    [Narrate(S, "ana.mia"), Interpose(S, "ana.mia"), Luck(S, "ana.mia"), Grant(S, "ana", "narration"), Start("m")],
)
def test_K3_an_order_without_a_roll_of_its_own_says_so(order):
    table = Table()
    table.pc("ana.mia")

    assert ("1/1", {"no_roll": "1/1"}, "full") == (
        table.odds(order).success,
        table.odds(order).outcomes,
        table.odds(order).basis,
    )


@given(st.integers(0, 12), st.booleans(), st.integers(0, 3), st.integers(0, 2), st.integers(0, 6))
def test_K3_every_distribution_sums_to_1_and_its_mean_is_linear(pool, luck, glitch, complication, nd):
    joint = chances.joint(pool, luck, glitch, complication)
    margins = chances.margins(joint, chances.thresholds(nd))

    assert 1 == sum(joint.values()) == sum(margins.values()) == sum(chances.degrees(margins).values())
    mean = sum(n * chance for (n, _, _), chance in joint.items())
    assert mean == (pool + glitch) * Fraction(1, 2 if luck else 3)
    assert sum(c * chance for (_, _, c), chance in joint.items()) == (glitch + complication) * Fraction(1, 6)


@pytest.mark.parametrize(("attack", "target", "other"), [(2, 1, 2), (3, 2, 1), (1, 1, 1), (2, 0, 2)])
def test_A13_the_odds_of_an_interposition_are_those_of_all_dice(attack, target, other):
    found = 0
    for faces in product(SIX, repeat=attack + target + other):
        hits = [face >= 5 for face in faces]
        rolled = sum(hits[:attack])
        first, second = sum(hits[attack : attack + target]), sum(hits[attack + target :])
        found += rolled >= first and rolled >= second
    exact = Fraction(found, 6 ** (attack + target + other))

    assert exact == chances.interposed(chances.joint(attack), chances.rolled(target), chances.rolled(other))


@pytest.mark.parametrize(("pool", "nd", "weapon", "glitch"), [(3, 1, 4, 0), (2, 0, 1, 1), (3, 2, 5, 1)])
def test_A10_the_expected_damage_is_that_of_all_dice(pool, nd, weapon, glitch):
    total = 0
    for faces in product(SIX, repeat=pool + glitch):
        hits = sum(face >= 5 for face in faces)
        if hits >= nd:
            total += weapon + hits - nd + sum(face >= 5 for face in faces[pool:])
    margins = chances.margins(chances.joint(pool, False, glitch), chances.thresholds(nd))

    assert Fraction(total, 6 ** (pool + glitch)) == chances.expected_damage(margins, weapon)
