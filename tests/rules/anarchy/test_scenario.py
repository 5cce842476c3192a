"""Scenarios as data, the generator, and the sample that plays them: A1, A6, A11, A16 where they are written down."""

import copy
from typing import Any

import msgspec
import pytest

from tests.rules.anarchy.table import ENGINE, IDS, Told, seed
from workers.kernel.dice import Dice
from workers.kernel.digest import canonical
from workers.kernel.entities import State, cut
from workers.kernel.errors import InvalidInput
from workers.kernel.tick import TickInput, resolve
from workers.rules.anarchy import RULEBOOK
from workers.rules.anarchy.events import Attacked, Granted, Interposed, Narrated, Tried
from workers.rules.anarchy.scenario import Scenario
from workers.rules.anarchy.tables import LEVELS
from workers.rules.conformance.games import Game, sampled
from workers.rules.resources import convert_scenario, parse_scenario, scenario_text

GOOD: dict[str, Any] = {
    "title": "A night",
    "missions": [
        {
            "id": "m",
            "players": [
                {
                    "id": "ana",
                    "characters": [
                        {
                            "id": "mia",
                            "scene": "s",
                            "skills": {"firearms": {"attribute": "agility", "rating": 3}},
                            "weapons": [{"name": "pistol", "skill": "firearms", "damage": 4}],
                            "traits": [{"kind": "asset", "name": "eyes", "dice": 1, "on": ["perception"]}],
                            "gear": ["lamp"],
                        }
                    ],
                }
            ],
            "scenes": [{"id": "s", "places": ["a", "b"], "cast": [{"id": "kane", "level": "pro"}]}],
        }
    ],
}
MISSION, MIA, SCENE = ("missions", 0), ("missions", 0, "players", 0, "characters", 0), ("missions", 0, "scenes", 0)
KANE = (*SCENE, "cast", 0)
MIA_FIELD, KANE_FIELD = "missions[0].players[0].characters[0]", "missions[0].scenes[0].cast[0]"


def found(plain: Any) -> State[Any]:
    return RULEBOOK.found(convert_scenario(RULEBOOK, plain), IDS)


def changed(path: tuple[Any, ...], value: Any) -> Any:
    plain = copy.deepcopy(GOOD)
    place = plain
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return plain


def test_a_good_scenario_is_found_with_a_home_for_each_scene_mission_and_player():
    state = found(GOOD)

    assert {"m", "m.s", "ana"} == state.homes.keys()
    assert {"title": "A night"} == msgspec.to_builtins(state.shared), "what all read stays one line"


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ((*MISSION, "id"), "a.b", "missions[0].id"),
        ((*MISSION, "id"), "", "missions[0].id"),
        ((*MISSION, "id"), "x" * 32, "missions[0].id"),
        ((*MISSION, "id"), "e\u0301", "missions[0].id"),
        ((*MISSION, "id"), "a/b", "missions[0].id"),
        ((*MISSION, "id"), "a#b", "missions[0].id"),
        ((*MISSION, "id"), "a\nb", "missions[0].id"),
        ((*MISSION, "players", 0, "id"), "m", "missions[0]"),
        ((*MISSION, "cast"), [{"id": "kane"}], "missions[0].cast"),
        ((*MIA, "id"), "a.b", f"{MIA_FIELD}.id"),
        ((*MIA, "scene"), "t", f"{MIA_FIELD}.scene"),
        ((*MIA, "place"), 2, f"{MIA_FIELD}.place"),
        ((*MIA, "level"), "pro", f"{MIA_FIELD}.level"),
        ((*MIA, "hidden"), True, f"{MIA_FIELD}.hidden"),
        ((*MIA, "skills"), {"dodge": {"attribute": "agility", "rating": 1}}, f"{MIA_FIELD}.skills.dodge"),
        ((*MIA, "weapons"), [{"name": "axe", "skill": "blades", "damage": 1}], f"{MIA_FIELD}.weapons[0].skill"),
        ((*MIA, "weapons"), [{"name": "hands", "skill": "brawl", "damage": 1}], f"{MIA_FIELD}.weapons[0].name"),
        ((*MIA, "gear"), ["pistol"], f"{MIA_FIELD}.gear[0]"),
        ((*MIA, "gear"), [""], f"{MIA_FIELD}.gear[0]"),
        ((*MIA, "gear"), ["a\nb"], f"{MIA_FIELD}.gear[0]"),
        ((*MIA, "gear"), ["x" * 65], f"{MIA_FIELD}.gear[0]"),
        ((*SCENE, "places"), ["x" * 65], "missions[0].scenes[0].places[0]"),
        ((*SCENE, "places"), [" "], "missions[0].scenes[0].places[0]"),
        ((*MIA, "gear"), ["eyes"], f"{MIA_FIELD}.traits[0].name"),
        ((*MIA, "traits", 0, "dice"), -1, f"{MIA_FIELD}.traits[0].dice"),
        ((*MIA, "traits", 0, "on"), [], f"{MIA_FIELD}.traits[0].on"),
        ((*MIA, "traits", 0, "on"), ["cooking"], f"{MIA_FIELD}.traits[0].on"),
        ((*MIA, "traits", 0, "kind"), "line", f"{MIA_FIELD}.traits[0].dice"),
        ((*MIA, "traits", 0, "complication"), ["cooking"], f"{MIA_FIELD}.traits[0].complication"),
        ((*KANE, "armour"), 3, f"{KANE_FIELD}.armour"),
        ((*KANE, "skills"), {"x": {"attribute": "agility", "rating": 1}}, f"{KANE_FIELD}.skills"),
        ((*KANE, "gear"), ["gun"], f"{KANE_FIELD}.gear[0]"),
        ((*SCENE, "places"), ["a", "a"], "missions[0].scenes[0].places[1]"),
        (
            (*SCENE, "challenges"),
            [{"name": "x", "on": "lift", "difficulty": "easy"}] * 2,
            "missions[0].scenes[0].challenges[1]",
        ),
        (("missions",), [], "scenario.missions"),
    ],
)
def test_a_scenario_that_cannot_be_names_the_field(path, value, field):
    with pytest.raises(InvalidInput) as caught:
        found(changed(path, value))

    assert field == caught.value.field
    assert caught.value.problem


def test_A16_a_scenario_puts_a_players_characters_in_one_scene():
    plain = copy.deepcopy(GOOD)
    plain["missions"][0]["scenes"].append({"id": "t", "places": ["a"]})
    plain["missions"][0]["players"][0]["characters"].append({"id": "nix", "scene": "t"})

    with pytest.raises(InvalidInput, match="several scenes"):
        found(plain)


def test_two_missions_do_not_share_a_player():
    plain = copy.deepcopy(GOOD)
    plain["missions"].append({**copy.deepcopy(GOOD["missions"][0]), "id": "n"})

    with pytest.raises(InvalidInput, match="'ana' is taken"):
        found(plain)


def test_a_mission_may_be_played_at_several_tables_each_numbered():
    plain = copy.deepcopy(GOOD)
    plain["missions"][0]["tables"] = 12
    homes = found(plain).homes

    assert 12 * 3 == len(homes)
    assert {"m-07", "m-07.s", "ana-07"} <= homes.keys()
    assert {"ana-07.mia", "m-07.kane"} == homes["m-07.s"].scene.characters.keys()


@pytest.mark.parametrize(
    ("path", "title"),
    [(("missions", 0), "m"), (("missions", 0, "scenes", 0), "s"), ((*MIA,), "mia"), ((*KANE,), "kane")],
)
def test_what_has_no_title_or_name_is_called_by_its_id(path, title):
    field = "title" if title in ("m", "s") else "name"
    homes = found(GOOD).homes
    named = found(changed((*path, field), "Something else")).homes

    def called(where: dict[str, Any]) -> str:
        characters = where["m.s"].scene.characters
        shown = {"m": where["m"].mission.title, "s": where["m.s"].scene.title}
        return str({**shown, "mia": characters["ana.mia"].sheet.name, "kane": characters["m.kane"].sheet.name}[title])

    assert (title, "Something else") == (called(homes), called(named))


@pytest.mark.parametrize(
    "path", [(), MISSION, SCENE, MIA, KANE, (*MIA, "traits", 0), (*MIA, "weapons", 0), ("settings",)]
)
def test_a_field_that_nobody_knows_is_refused(path):
    plain = changed((*path, "typo"), 1) if path != ("settings",) else changed(path, {"typo": 1})

    with pytest.raises(InvalidInput, match="typo"):
        found(plain)


# --- What ships -------------------------------------------------------------------------------------------------------


def shipped(name: str) -> Scenario:
    scenario = parse_scenario(RULEBOOK, scenario_text(RULEBOOK, name))
    assert isinstance(scenario, Scenario)
    return scenario


def test_the_small_scenario_is_one_mission_with_two_scenes_four_players_and_a_gms_character_of_each_level():
    homes = RULEBOOK.found(shipped("small"), IDS).homes
    characters = [one for home in homes.values() if home.scene for one in home.scene.characters.values()]

    assert ("small", "convention") == RULEBOOK.scenarios
    assert (1, 2, 4) == tuple(
        sum(getattr(home, part) is not None for home in homes.values()) for part in ("mission", "scene", "player")
    )
    assert 4 == sum(bool(one.player) for one in characters)
    assert LEVELS.keys() == {one.sheet.level for one in characters if one.sheet.level}
    assert any(one.hidden for one in characters)


def test_the_convention_has_fifty_tables_at_once():
    homes = RULEBOOK.found(shipped("convention"), IDS).homes

    assert 50 == sum(home.mission is not None for home in homes.values())
    assert 100 == sum(home.scene is not None for home in homes.values())


def test_the_generator_makes_any_number_of_scenes_the_same_from_the_same_dice():
    for size in (1, 7, 70, 700):
        made = RULEBOOK.generate(size, Dice(seed(1)))
        state = RULEBOOK.found(made, IDS)
        assert abs(len(state.homes) - size) <= 6
        assert canonical(made) == canonical(RULEBOOK.generate(size, Dice(seed(1))))
        assert canonical(made) == canonical(convert_scenario(RULEBOOK, msgspec.to_builtins(made)))
    assert canonical(RULEBOOK.generate(70, Dice(seed(1)))) != canonical(RULEBOOK.generate(70, Dice(seed(2))))


def campaign(scenario: Scenario, number: int, ticks: int) -> list[Told]:
    """The first ticks of a scenario, played by `sample`."""
    state = RULEBOOK.found(scenario, IDS)
    shared: bytes = canonical(state.shared)
    slices = [piece.to_bytes() for piece in cut(state.homes.items(), 1)]
    told = []
    for tick in range(1, ticks + 1):
        dice_seed = seed(1000 * number + tick)
        game = Game("", TickInput(tick, dice_seed, IDS.key, scenario.settings, shared, slices))
        drawn = sampled(RULEBOOK, ENGINE, game)
        assert () == drawn.problems
        result = resolve(ENGINE, game.with_orders(drawn.orders).given)
        told.append(Told(result, drawn.orders))
        shared, slices = result.shared, result.slices
    return told


@pytest.mark.parametrize("number", range(8))
def test_four_ticks_of_the_small_scenario_bring_what_the_game_is_about(number):
    told = campaign(shipped("small"), number, 4)
    attacks = [fact for turn in told for fact in turn.of(Attacked)]
    rolls = [fact.roll for turn in told for fact in (*turn.of(Attacked), *turn.of(Tried))]

    assert any(fact.cause == "riposte" for fact in attacks)
    assert any(turn.has(Interposed) for turn in told)
    assert any(fact.cause == "interruption" for turn in told for fact in turn.of(Narrated))
    assert any(roll.glitch for roll in rolls)
    assert any(turn.has(Granted) for turn in told)


def test_the_sample_goes_on_when_scenes_end():
    told = campaign(shipped("small"), 3, 30)

    assert all(turn.booked for turn in told)
    assert any(fact.cause for turn in told[20:] for fact in turn.of(Narrated))
