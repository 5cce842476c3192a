"""What never goes wrong, whatever is played: hypothesis drives campaigns of many scenes (A10 to A18)."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.anarchy.table import ENGINE, IDS, Told, seed
from workers.kernel.dice import Dice, Stream
from workers.kernel.digest import canonical
from workers.kernel.entities import cut
from workers.kernel.orders import Order
from workers.kernel.tick import TickInput, TickResult, resolve
from workers.rules.anarchy import RULEBOOK
from workers.rules.anarchy.entities import GM, PLAYERS, Home, Scene
from workers.rules.anarchy.events import Allotted, Attacked, Interposed, Narrated, PointSpent, Tried
from workers.rules.anarchy.events_mission import MissionStarted
from workers.rules.anarchy.names import owner_of
from workers.rules.anarchy.orders import Close, Grant, Interpose, Interrupt, Join, Open, Place, Riposte, Risk, Start
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import CharacterSpec, hands
from workers.rules.conformance.games import Desk, state_of

TABLES = 3
SETTINGS = Settings()


class Campaign:
    """A generated campaign of several tables, with everything that may be sent at once."""

    def __init__(self, number: int) -> None:
        scenario: Any = RULEBOOK.generate(7 * TABLES, Dice(seed(number)))
        state = RULEBOOK.found(scenario, IDS)
        self.number = number
        self.settings = scenario.settings
        self.shared: bytes = canonical(state.shared)
        self.homes: dict[str, Home] = state.homes
        self.tick = 1

    def orders(self, stream: Stream) -> list[tuple[str, str, Order]]:
        """What `sample` would play, and much that a nervous GM and greedy players would."""
        dice = Dice(seed(self.number * 100 + self.tick))
        homes = [self.homes[key] for key in sorted(self.homes)]
        drawn = list(RULEBOOK.sample(homes, None, self.settings, self.tick, dice))
        for home in homes:
            drawn += [(camp, owner_of(home.id), order) for camp, order in _more(home, stream, self.tick)]
        return drawn

    def play(self, stream: Stream, slices: int = 1) -> Told:
        """Play a tick of everything that intake accepts."""
        state = state_of(ENGINE, self.shared, {key: canonical(home) for key, home in self.homes.items()})
        desk = Desk(RULEBOOK, state, self.settings, self.tick)
        for index, (camp, actor, order) in enumerate(self.orders(stream)):
            desk.book(IDS.order(self.tick, actor, "all", index), camp, actor, order)
        return Told(self.resolve(tuple(desk.booked), slices), tuple(desk.booked))

    def resolve(self, booked: Any, slices: int) -> TickResult:
        pieces = [piece.to_bytes() for piece in cut(self.homes.items(), slices)]
        given = TickInput(self.tick, seed(self.number + self.tick), IDS.key, self.settings, self.shared, pieces, booked)
        return resolve(ENGINE, given)

    def go_on(self, told: Told) -> None:
        self.homes, self.shared, self.tick = told.homes(), told.result.shared, self.tick + 1


def _more(home: Home, stream: Stream, tick: int) -> list[tuple[str, Order]]:
    found: list[tuple[str, Order]] = []
    if home.scene is not None:
        if stream.below(12) == 0:
            found.append((GM, Close(home.id)))
        for name, one in sorted(home.scene.characters.items()):
            camp = PLAYERS if one.player else GM
            found += [(camp, Risk(home.id, name, times=3)), (camp, Interpose(home.id, name, times=3))]
            found += [(camp, Interrupt(home.id, name, front=True)), (camp, Interrupt(home.id, name))]
            found.append((camp, Riposte(home.id, name, (one.sheet.weapons or (hands(SETTINGS),))[0].name, times=3)))
        found += [(GM, Grant(home.id, player, "ruling")) for player in sorted(home.scene.points) if stream.below(2)]
    elif home.mission is not None:
        scenes = sorted(home.mission.scenes)
        for name in sorted((*home.mission.where, *home.mission.wings)):
            if scenes and stream.below(4) == 0:
                found.append((GM, Place(home.id, name, scenes[stream.below(len(scenes))])))
        if stream.below(8) == 0:
            found.append((GM, Start(home.id)))
        if stream.below(4) == 0:
            rat = CharacterSpec(f"rat-{tick}", level="extra", hidden=stream.below(2) == 0)
            found.append((GM, Open(home.id, f"more-{tick}", "More", ("here", "there"), cast=(rat,))))
        if stream.below(6) == 0:
            late = CharacterSpec("late", armour=stream.below(3), luck=1), CharacterSpec("later", physical=2)
            found.append((GM, Join(home.id, f"late-{home.id}-{tick}", late)))
    return found


def reserves(homes: dict[str, Home]) -> dict[str, int]:
    return {key: home.mission.reserve for key, home in homes.items() if home.mission is not None}


def complications(told: Told) -> Counter[str]:
    """Complications of players' characters, by mission."""
    found: Counter[str] = Counter()
    for fact in (*told.of(Attacked), *told.of(Tried)):
        if fact.camp == PLAYERS:
            found[owner_of(fact.scene)] += fact.roll.complications
    both: list[Attacked | Interposed] = [*told.of(Attacked), *told.of(Interposed)]
    for rolled in both:
        if rolled.defence is not None:
            found[owner_of(rolled.scene)] += rolled.defence.complications
    return found


def check_points(before: dict[str, Home], told: Told, after: dict[str, Home]) -> None:
    """A11, A15, A16: what players spend reaches the reserve once, what the GM spends leaves the game."""
    spent, left = Counter[str](), Counter[str]()
    for fact in told.of(PointSpent):
        (left if fact.camp == GM else spent)[owner_of(fact.scene)] += 1
    started = {fact.mission for fact in told.of(MissionStarted)}
    due = complications(told)
    for key, reserve in reserves(after).items():
        if key not in started:
            assert reserve == reserves(before)[key] - left[key] + spent[key] + due[key]
            assert reserve >= 0
    allotted = Counter({fact.scene: fact.points for fact in told.of(Allotted)})
    assert not Counter(fact.scene for fact in told.of(PointSpent) if fact.camp == GM) - allotted
    purses = [points for home in after.values() if home.scene for points in home.scene.points.values()]
    purses += [purse.points for home in after.values() if home.mission for purse in home.mission.players.values()]
    assert all(0 <= points <= 6 for points in purses)


def check_bought_once(told: Told) -> None:
    """A13: the same effect not twice by one payer in one Narration, reactions included; an interruption counts in the
    one that it starts (A16), of which each character has one.
    """
    bought: set[tuple[str, str, str]] = set()
    started: set[tuple[str, str]] = set()
    for event in told.events:
        if isinstance(event, Narrated):
            bought = set()
        elif isinstance(event, PointSpent) and event.cause == "interruption":
            assert (event.scene, event.character) not in started
            started.add((event.scene, event.character))
        elif isinstance(event, PointSpent) and event.character:
            key = event.scene, event.payer, event.cause
            assert key not in bought
            bought.add(key)


def check_characters(homes: dict[str, Home]) -> None:
    """A10, A16: tracks within their boxes; a player's characters that aren't out in one scene, its points there."""
    seats: Counter[str] = Counter()
    places: dict[str, set[str]] = {}
    for key, home in homes.items():
        characters = home.scene.characters if home.scene else home.mission.wings if home.mission else {}
        for name, one in characters.items():
            seats[name] += 1
            assert 0 <= one.physical <= one.sheet.physical
            assert 0 <= one.stun <= one.sheet.stun
            assert 0 <= one.armour <= one.sheet.armour
            assert 0 <= one.luck <= one.sheet.luck
            assert one.out == (one.physical == one.sheet.physical or one.stun == one.sheet.stun)
            if home.scene is not None:
                assert one.place < len(home.scene.places)
                if one.player and not one.out:
                    places.setdefault(one.player, set()).add(key)
        if home.scene is not None:
            scene = home.scene
            assert sorted(scene.seats) == sorted(name for name, one in scene.characters.items() if one.player)
            assert (0, 0, [], []) == (scene.allotment, scene.due, scene.void, scene.front)
    assert set(seats.values()) <= {1}
    assert all(len(scenes) == 1 for scenes in places.values())
    for player, (scene_key,) in places.items():
        found = homes[scene_key].scene
        assert found is not None
        assert player in found.points


def check_rosters(homes: dict[str, Home]) -> None:
    """A18: each mission knows where its players, scenes and characters are."""
    for key, home in homes.items():
        if home.mission is None:
            continue
        mission = home.mission
        scenes: dict[str, Scene] = {
            name: other.scene for name, other in homes.items() if other.scene is not None and owner_of(name) == key
        }
        assert mission.scenes == {name: len(scene.places) for name, scene in scenes.items()}
        assert mission.where == {one: name for name, scene in scenes.items() for one in scene.characters}
        outs = {one.id for scene in scenes.values() for one in scene.characters.values() if one.out}
        assert set(mission.out) == outs | {one.id for one in mission.wings.values() if one.out}
        for player, purse in mission.players.items():
            assert homes[player].player is not None
            holds = [name for name, scene in scenes.items() if player in scene.points]
            assert holds == ([purse.scene] if purse.scene else [])


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([1, 2, 16, 256]))
@settings(max_examples=25)
def test_A10_A11_A13_A15_A16_A18_points_characters_and_rosters_never_go_wrong(number, ticks, slices):
    campaign = Campaign(number)
    for _ in range(ticks):
        told = campaign.play(Dice(seed(number)).stream(f"more/{number}/{campaign.tick}"), slices)
        after = told.homes()
        check_points(campaign.homes, told, after)
        check_bought_once(told)
        check_characters(after)
        check_rosters(after)
        campaign.go_on(told)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_same_ticks_give_the_same_digest_for_any_number_of_shards_and_any_order_of_arrival(number):
    campaign = Campaign(number)
    for _ in range(3):
        told = campaign.play(Dice(seed(number)).stream(f"more/{number}/{campaign.tick}"))
        for slices in (4, 64, 256):
            assert told.result.digest == campaign.resolve(tuple(reversed(told.booked)), slices).digest
        campaign.go_on(told)
