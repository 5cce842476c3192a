"""The golden values of the rules' sheet: exact numbers, computed from the clauses with fractions."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.rules.uprising.board import Board
from workers.kernel.odds import Term, ratio
from workers.rules.uprising.cards import Card, Side
from workers.rules.uprising.entities import Garrison, Influence, Landmark
from workers.rules.uprising.events import AssassinationTried, InfluenceMoved, UnitRevealed
from workers.rules.uprising.force import (
    Field,
    Presence,
    contest_chance,
    modifier_points,
    points_chance,
    strength,
    total,
)
from workers.rules.uprising.odds import casualties
from workers.rules.uprising.orders import Arrest, Assassination, Assault, Contest, Gamble, Raid, Rally, Search
from workers.rules.uprising.phases.arrest import arrest_clash
from workers.rules.uprising.phases.assassination import chance as assassination_chance
from workers.rules.uprising.phases.assault import assault_clash
from workers.rules.uprising.phases.contest import contest_clash
from workers.rules.uprising.phases.raid import raid_clash
from workers.rules.uprising.points import (
    bodyguard_terms,
    rally_points,
    rally_terms,
    search_points,
    search_terms,
    stealth_points,
)
from workers.rules.uprising.settings import Settings
from workers.rules.uprising.tables import STANDARD_ASSETS, other

CASES = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))
SETTINGS = Settings()
NAMED_RAID = (
    "raid: one unit (Force 1) is named, two more (Force 3 and 2) stand in the district; target Force 2, "
    "one other enemy unit of Force 3"
)
Inputs = dict[str, Any]


def field_of(board: Board, kind: Any) -> Field:
    district = board.homes["north"]
    return Field(district, Presence(district), board.city.boons, kind)


def contested_chance(given: Inputs) -> Any:
    points = total(modifier_points(given["modifier"], "contest", ()))
    return ratio(contest_chance(given["attack"], given["defence"], points))


def arrest_chance(given: Inputs) -> Any:
    """The chance of a real arrest by one unit of the Law with the whole attack."""
    board = Board()
    board.unit("gendarmes", "law", given["attack"])
    board.unit("louise", "revolution", given["target_force"])
    if given.get("asset_points"):
        assert given["asset_points"] == STANDARD_ASSETS["order_faction"].points["arrest"]
        board.boon("law", "order_faction")
    board.card("given", "arrest", modifier=given.get("modifier", 0))
    return board.odds(Arrest("north", ("gendarmes",), "louise", "given"), "law").success


def unit_force(given: Inputs) -> Any:
    board = Board()
    board.homes["north"].gas, board.homes["north"].disease = given["gas"], given["disease"]
    if given["upgrades"]:
        board.boon("revolution", "upgrade", force={"raid": given["upgrades"]})
    unit = board.unit("louise", force=given["own"] + given["bonuses"], wounds=given["wounds"], shaken=given["shaken"])
    return field_of(board, "raid").force(unit, defends=False).force


def floors(given: Inputs) -> Any:
    board = Board()
    for number, unit in enumerate(given["units"]):
        board.homes["north"].gas = unit["gas"]
        board.unit(f"u{number}", force=unit["own"])
    field = field_of(board, "raid")
    return {"attack": strength(field.forces(field.attackers("revolution"), defends=False))}


def raid_board(forces: list[int], target: int, others: list[int]) -> Board:
    board = Board()
    for number, force in enumerate(forces):
        board.unit(f"l{number}", "law", force)
    board.unit("press", "revolution", target, nature="building")
    for number, force in enumerate(others):
        board.unit(f"r{number}", "revolution", force)
    return board


def raid_chance(given: Inputs) -> Any:
    board = raid_board([given["attack"]], given["target_force"], given["other_enemy_forces"])
    card = board.card("given", "raid", bonus=given["bonus"], modifier=given["modifier"])
    clash = raid_clash(field_of(board, "raid"), "law", board.homes["north"].units["press"], card, ())
    return ratio(clash.chance())


def raid_by_all(given: Inputs) -> Any:
    forces = [*given["named"], *given["others_present"]]
    board = raid_board(forces, given["target_force"], given["other_enemy_forces"])
    return {"chance_all_units": board.odds(Raid("north", ("l0",), "press"), "law").success}


def failed_assassination(given: Inputs) -> Any:
    board = Board(heat_units=1000)
    board.city.heat = given["heat"]
    board.unit("prefect", "law", nature="person")
    for name in ("mask", "cape"):
        board.unit(name, hidden=True)
    board.order(Assassination("north", ("mask", "cape"), "prefect"))
    told = board.resolve(lambda told: told.one(AssassinationTried).outcome == "failure")
    (before_the_aftermath,) = [step for step in told.result.steps if step.phase == "assassination"]
    moved = [line for line in before_the_aftermath.events if b'"event":"heat"' in line]
    assert len(told.all(UnitRevealed)) == 2
    return {"heat": json.loads(moved[0])["after"]}


def assassination_points(given: Inputs) -> Any:
    target = Board().unit("prefect", "law", bodyguards=given["bodyguards"])
    points = assassination_chance(
        Card("given", "assassination", chance=given["card_chance"]), bodyguard_terms(target, SETTINGS)
    )
    return {"points": points, "chance": ratio(points_chance(points))}


def assault(given: Inputs) -> Any:
    board = Board()
    side: Side = given["side"]
    enemy = other(side)
    board.unit("attacker", side, given["attack"])
    for number, force in enumerate(given["units"]):
        board.unit(f"d{number}", enemy, force)
    home = board.homes["north"]
    home.landmark = Landmark("", given["landmark_defence"], side if given["holds_landmark"] else enemy)
    home.barricades = given["barricades"]
    home.garrison = None
    if given["garrison_hostile"]:
        home.garrison = Garrison(given["garrison_hostile"], (side,))
    clash = assault_clash(field_of(board, "assault"), side, board.city.cards["assault"], ())
    assert clash.attack == given["attack"]
    return {"defence": clash.defence, "chance": ratio(clash.chance())}


def fallen_defenders(given: Inputs) -> Any:
    return {str(number): ratio(share) for number, share in casualties(given["defenders"]).items()}


def influence_after(given: Inputs) -> Any:
    board = Board()
    board.homes["north"].influence = Influence(given["winner"], given["loser"])
    board.unit("section", "revolution", 20)
    board.unit("patrol", "law", 1)
    board.order(Assault("north", ("section",)))
    moved = board.resolve(lambda told: bool(told.all(InfluenceMoved))).one(InfluenceMoved)
    return {"winner": moved.revolution, "loser": moved.law}


def rally_by_authority(given: Inputs) -> Any:
    board = Board()
    board.city.gauges["revolution"].authority = given["authority"]
    board.unit("prefect", "law", given["force"], named=True)
    board.unit("louise")
    board.card("given", "rally", by_authority=True)
    return {"success": board.odds(Rally("north", ("louise",), "prefect", "given")).success == "1/1"}


def rally_by_dice(given: Inputs) -> Any:
    terms = rally_terms(Card("given", "rally", chance=given["card_chance"]), given["units"], SETTINGS)
    return {"points": rally_points(total(terms), SETTINGS)}


def default_contest(given: Inputs) -> Any:
    board = Board()
    unit = board.unit("louise", force=given["attack"])
    for number, force in enumerate(given["enemy_forces"]):
        board.unit(f"l{number}", "law", force)
    clash = contest_clash(field_of(board, "contest"), "revolution", [unit], board.city.cards["contest"], ())
    assert board.odds(Contest("north", ("louise",))).success == ratio(clash.chance())
    return ratio(clash.chance())


def default_gamble(given: Inputs) -> Any:
    board = Board()
    board.unit("louise")
    return board.odds(Gamble("north", ("louise",))).success


def search_chance(searcher: int, stealth: int, side: str, heat: int) -> int:
    return search_points(total(search_terms(searcher, side, heat)) + stealth_points(stealth), SETTINGS)


def searches(given: Inputs) -> Any:
    searcher, stealth = given["searcher_chance"], given["stealth"]
    points = {
        "law_heat_below_50": search_chance(searcher, stealth, "law", 49),
        "law_heat_50_or_more": search_chance(searcher, stealth, "law", 50),
        "revolution_any_heat": search_chance(searcher, stealth, "revolution", 50),
    }
    board = Board(search_chance=searcher)
    board.unit("agent", "law")
    effects = board.odds(Search("north", ("agent",)), "law").effects
    assert points["law_heat_below_50"] == effects[f"stealth_{stealth}"]["points"]
    return {**points, **{f"{name}_fraction": ratio(points_chance(value)) for name, value in points.items()}}


def stealthy(given: Inputs) -> Any:
    return search_chance(given["searcher_chance"], given["stealth"], "law", given["heat"])


def heat_threshold(given: Inputs) -> Any:
    return search_chance(40, 3, "law", given["heat"])


def heat_of_reveals(given: Inputs) -> Any:
    board = Board(heat_units=1000)
    board.city.heat = given["heat"]
    for number in range(given["newly_revealed"]):
        board.unit(f"r{number}", hidden=True, stealth=0)
    board.unit("agent", "law", search_chance=95)
    board.order(Search("north", ("agent",)))
    told = board.resolve(lambda told: len(told.all(UnitRevealed)) == given["newly_revealed"])
    (find,) = [step for step in told.result.steps if any(b'"event":"unit_revealed"' in line for line in step.events)]
    (moved,) = [line for line in find.events if b'"event":"heat"' in line]
    return json.loads(moved)["after"]


def merged_arrests(given: Inputs) -> Any:
    """One merged roll of all units, and what as many separate rolls would have given."""
    board = Board()
    units = [board.unit(f"l{number:02}", "law", given["force_each"]) for number in range(given["units"])]
    target = board.unit("louise", "revolution", given["defence"] - 1)
    field, card = field_of(board, "arrest"), board.city.cards["arrest"]
    merged = arrest_clash(field, units, target, card, ()).chance()
    alone = arrest_clash(field, units[:1], target, card, ()).chance()
    return {"merged": ratio(merged), "separate": ratio(1 - (1 - alone) ** len(units))}


KNOWN: dict[tuple[str, str], Callable[[Inputs], Any]] = {
    ("U5-U8", "contested chance: plain ratio"): contested_chance,
    ("U5-U8", "contested chance: exactly 5 %"): contested_chance,
    ("U5-U8", "contested chance: modifier drives it above 95 %"): contested_chance,
    ("U5-U8", "contested chance: ratio and modifier: denominator 70"): contested_chance,
    ("U5-U8", "contested chance: no Force on either side"): contested_chance,
    ("U5-U8", "contested chance: no Force, modifier +1"): contested_chance,
    ("U5-U8", "contested chance: no Force, modifier -5"): contested_chance,
    ("U5-U8", "contested chance: undefended"): contested_chance,
    ("U5-U8", "contested chance: modifier drives it below 5 %"): contested_chance,
    ("U5-U8", "contested chance: a third: draw below the denominator"): contested_chance,
    ("U12", "arrest (defence = target's Force + 1): asset and modifier -1"): arrest_chance,
    ("U12", "arrest (defence = target's Force + 1): 2 against 0 + 1"): arrest_chance,
    ("U12", "arrest (defence = target's Force + 1): asset, clamped high"): arrest_chance,
    ("U12", "arrest (defence = target's Force + 1): 1 against 2, asset"): arrest_chance,
    ("U12", "arrest (defence = target's Force + 1): without the asset"): arrest_chance,
    ("U12", "arrest (defence = target's Force + 1): order-faction asset"): arrest_chance,
    ("U8/U12", "arrest, attack 0, target Force 0 (the +1 makes the total 1)"): arrest_chance,
    ("U9-U11", "Force of one unit"): unit_force,
    ("U11", "floor is per unit, not on the sum"): floors,
    ("U13", "raid: attack + the card's bonus against target + every other enemy unit + 1"): raid_chance,
    ("U13", NAMED_RAID): raid_by_all,
    (
        "U14",
        "failed assassination by two hidden Revolution killers, both revealed (before the aftermath)",
    ): failed_assassination,
    ("U14", "assassination, 10 points a bodyguard, within 5..95"): assassination_points,
    ("U15", "assault"): assault,
    ("U16", "won assault: number of defenders that fall (the others are wounded)"): fallen_defenders,
    ("U16", "influence after a won assault, both within 0..100"): influence_after,
    ("U17", "rally by Authority (no dice)"): rally_by_authority,
    ("U17", "rally by dice, +5 points a unit at its side, at most 95"): rally_by_dice,
    (
        "U17",
        "rally by dice, +5 points a unit at its side, at most 95 (formula: an order has at least one unit)",
    ): rally_by_dice,
    ("U18", "contest with no defence named: the other side's units + 1"): default_contest,
    ("U18", "gamble by default"): default_gamble,
    (
        "U19",
        "search chance in points (the searcher's own chance is an input; U19's default is 50); +15 before the cap",
    ): searches,
    ("U19", "very stealthy: floor 0"): stealthy,
    ("U19", "heat threshold (Law, searcher 40, stealth 3)"): heat_threshold,
    ("U19", "reveal adds heat once a unit, bounded at the phase's end"): heat_of_reveals,
    (
        "U12/U22",
        "same-target arrests: one merged roll against n separate ones (why they must be merged)",
    ): merged_arrests,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['clause']} {case['what'][:40]}")
def test_golden_values_of_the_sheet(case: dict[str, Any]) -> None:
    """U5, U6, U7, U8, U9, U10, U11, U12, U13, U14, U15, U16, U17, U18, U19, U22: each value is what the rules give."""
    compute = KNOWN.get((case["clause"], case["what"]))

    assert compute is not None, f"no test knows the case {case['clause']}: {case['what']}"
    assert case["expected"] == compute(case["inputs"])


def test_every_known_case_is_among_the_values() -> None:
    assert set(KNOWN) == {(case["clause"], case["what"]) for case in CASES}


def test_a_term_of_zero_is_not_listed() -> None:
    assert () == modifier_points(0, "arrest", ())
    assert (Term("modifier", -20),) == modifier_points(-2, "arrest", ())
    assert Fraction(1, 20) == contest_chance(0, 1, 0)
