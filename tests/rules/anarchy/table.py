"""A gaming table for tests: set up scenes, send orders, play Turns, read what happened.

Dice are never replaced: a Turn that needs certain rolls is played with the first of the numbered tick seeds that gives
them (`where`). Characters are written as in a scenario; what isn't said is plain.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice, cut
from workers.kernel.events import KERNEL_EVENTS, Event
from workers.kernel.ids import Ids, id_key
from workers.kernel.odds import Odds
from workers.kernel.orders import Booked, Booking, Order, union_of
from workers.kernel.tick import Amendment, TickInput, TickResult, resolve
from workers.rules.anarchy import RULEBOOK
from workers.rules.anarchy.check import commands
from workers.rules.anarchy.entities import GM, PLAYERS, Character, Home, Mission, Scene
from workers.rules.anarchy.events import Attacked, Interposed
from workers.rules.anarchy.orders import ActingOrder, SceneOrder
from workers.rules.anarchy.pools import Roll
from workers.rules.anarchy.rulebook import EVENTS
from workers.rules.anarchy.scenario import Scenario
from workers.rules.contract import view_of

EventT = TypeVar("EventT", bound=Event)

ENGINE = Engine(RULEBOOK)
SEED = bytes(range(32))
IDS = Ids(id_key(SEED))
M = "m"
S = "m.s"
"""The mission and the scene of a table that says nothing else."""
_EVENT: msgspec.json.Decoder[Any] = msgspec.json.Decoder(union_of((*EVENTS, *KERNEL_EVENTS)))
_PAGE: msgspec.json.Decoder[Any] = msgspec.json.Decoder()

PLAIN: dict[str, Any] = {
    "attributes": {"strength": 3, "agility": 3, "willpower": 3, "logic": 3, "charisma": 3},
    "skills": {
        "firearms": {"attribute": "agility", "rating": 3},
        "blades": {"attribute": "strength", "rating": 3},
    },
    "luck": 2,
    "weapons": [
        {"name": "pistol", "skill": "firearms", "damage": 4, "range": 2},
        {"name": "knife", "skill": "blades", "damage": 3, "defence": "resist"},
    ],
    "gear": ["lamp"],
    "traits": [
        {"kind": "behaviour", "name": "bold"},
        {"kind": "line", "name": "Hello."},
        {"kind": "advantage", "name": "tall"},
        {"kind": "asset", "name": "charm"},
        {"kind": "flaw", "name": "greedy"},
    ],
}


def seed(number: int) -> bytes:
    """A numbered tick seed."""
    return hashlib.sha256(f"table {number}".encode()).digest()


class Table:
    """A campaign of one mission in the making, then in play. Characters are named `player.id`, or `m.id` (the GM's)."""

    def __init__(self, scenes: Mapping[str, int] | None = None, **settings: Any) -> None:
        self.tick = 1
        self._settings = settings
        self._scenes: dict[str, dict[str, Any]] = {
            name: {"id": name, "places": [f"place {i}" for i in range(places)], "cast": []}
            for name, places in (scenes or {"s": 4}).items()
        }
        self._players: dict[str, list[dict[str, Any]]] = {}
        self._wings: list[dict[str, Any]] = []
        self._homes: dict[str, Home] | None = None
        self.amendments: list[Amendment] = []

    # --- Setting up ---------------------------------------------------------------------------------------------------

    def pc(self, name: str, scene: str = "s", **fields: Any) -> str:
        """A player's character, `player.id`, plain where nothing else is said."""
        assert self._homes is None, "the table is set up before it's asked"
        player, _, part = name.partition(".")
        self._players.setdefault(player, []).append({"id": part, "scene": scene, **PLAIN, **fields})
        return name

    def npc(self, part: str, scene: str = "s", **fields: Any) -> str:
        """A GM's character: with a `level`, or plain; with the scene "" in the wings."""
        assert self._homes is None, "the table is set up before it's asked"
        spec = {"id": part, **({} if fields.get("level") else {**PLAIN, "luck": 0}), **fields}
        (self._scenes[scene]["cast"] if scene else self._wings).append(spec)
        return f"{M}.{part}"

    def of_scene(self, scene: str = "s", **fields: Any) -> None:
        """Further fields of a scene: challenges, threats, threat_level."""
        self._scenes[scene].update(fields)

    @property
    def homes(self) -> dict[str, Home]:
        """The homes as they are now: founded when first asked for."""
        if self._homes is None:
            players = [{"id": name, "characters": characters} for name, characters in self._players.items()]
            mission = {"id": M, "scenes": list(self._scenes.values()), "players": players, "cast": self._wings}
            plain = {"title": "A table", "settings": self._settings, "missions": [mission]}
            self._homes = RULEBOOK.found(msgspec.convert(plain, Scenario), IDS).homes
        return self._homes

    @property
    def settings(self) -> Any:
        """The campaign's settings."""
        return msgspec.convert(self._settings, RULEBOOK.settings)

    def scene(self, key: str = S) -> Scene:
        """A scene as it is now."""
        found = self.homes[key].scene
        assert found is not None
        return found

    def mission(self, key: str = M) -> Mission:
        """A mission as it is now."""
        found = self.homes[key].mission
        assert found is not None
        return found

    def who(self, name: str, scene: str = S) -> Character:
        """A character in a scene as it is now."""
        return self.scene(scene).characters[name]

    # --- Asking -------------------------------------------------------------------------------------------------------

    def camp(self, order: Order) -> str:
        """The camp that would send the order."""
        players = {name for name, home in self.homes.items() if home.player is not None}
        return PLAYERS if isinstance(order, ActingOrder) and commands(order)[0] in players else GM

    def view(self, order: Order, camp: str, booked: tuple[Booked[Any, Any], ...] = ()) -> Any:
        """What intake hands to `check` and `odds`."""
        reads = RULEBOOK.reads(order)
        homes = {key: self.homes.get(key) for key in reads.homes}
        mine = {key: tuple(item for item in booked if item.home == key and item.camp == camp) for key in reads.booked}
        return view_of(RULEBOOK, camp, self.tick, self.settings, self._shared(), homes, mine)

    def check(self, order: Order, camp: str = "", booked: tuple[Booked[Any, Any], ...] = ()) -> Any:
        """What intake says of an order."""
        camp = camp or self.camp(order)
        return RULEBOOK.check(order, self.view(order, camp, booked))

    def refusal(self, order: Order, camp: str = "", booked: tuple[Booked[Any, Any], ...] = ()) -> tuple[str, str]:
        """The code and field of the first refusal of an order; empty where it is accepted."""
        answer = self.check(order, camp, booked)
        return ("", "") if isinstance(answer, Booking) else (answer[0].code, answer[0].field)

    def costs(self, order: Order, camp: str = "") -> dict[str, tuple[int, int]]:
        """What an accepted order costs: (amount, limit) by meter."""
        answer = self.check(order, camp)
        assert isinstance(answer, Booking), answer
        return {cost.meter: (cost.amount, cost.limit) for cost in answer.costs}

    def odds(self, order: Order, camp: str = "") -> Odds:
        """The odds that the camp is shown."""
        camp = camp or self.camp(order)
        return RULEBOOK.odds(order, self.view(order, camp))

    # --- Playing ------------------------------------------------------------------------------------------------------

    def _shared(self) -> Any:
        return ENGINE.read_shared(b'{"title":"A table"}')

    def book(self, orders: tuple[Order, ...], unchecked: bool = False) -> tuple[Booked[Any, Any], ...]:
        """Book orders: each is legal (or, unchecked, was legal when it was booked)."""
        booked: tuple[Booked[Any, Any], ...] = ()
        for index, order in enumerate(orders):
            camp, actor = self.camp(order), commands(order)[0]
            home = order.scene if isinstance(order, SceneOrder) else getattr(order, "player", actor)
            if not unchecked:
                answer = self.check(order, camp, booked)
                assert isinstance(answer, Booking), (order, answer)
                home = answer.home
            booked = (*booked, Booked(IDS.order(self.tick, actor, "t", index), home, camp, actor, order, None))
        return booked

    def given(self, booked: tuple[Booked[Any, Any], ...], number: int = 0, slices: int = 1) -> TickInput:
        """The tick as the interpreter takes it."""
        return TickInput(
            tick=self.tick,
            tick_seed=seed(number),
            id_key=IDS.key,
            settings=self.settings,
            shared=canonical(self._shared()),
            slices=[piece.to_bytes() for piece in cut(self.homes.items(), slices)],
            orders=booked,
            amendments=tuple(self.amendments),
        )

    def play(
        self,
        *orders: Order,
        where: Callable[["Told"], bool] = lambda told: True,
        unchecked: bool = False,
        slices: int = 1,
    ) -> "Told":
        """Play a Turn, with the first numbered seed of which `where` holds, and go on to the next tick."""
        booked = self.book(orders, unchecked)
        for number in range(5_000):
            told = Told(resolve(ENGINE, self.given(booked, number, slices)), booked)
            if where(told):
                self._homes = told.homes()
                self.tick += 1
                self.amendments = []
                return told
        raise AssertionError("no seed gives what is asked for")


def defence(fact: Attacked | Interposed) -> Roll:
    """The defence that was rolled."""
    assert fact.defence is not None
    return fact.defence


class Told:
    """What a Turn did."""

    def __init__(self, result: TickResult, booked: tuple[Booked[Any, Any], ...]) -> None:
        self.result = result
        self.booked = booked
        self.events: list[Event] = [_EVENT.decode(line) for step in result.steps for line in step.events]

    def homes(self) -> dict[str, Home]:
        """The homes at its end."""
        lines = {key: line for data in self.result.slices for key, line in Slice.parse(data).lines.items()}
        return {key: ENGINE.read_home(line) for key, line in lines.items()}

    def scene(self, key: str = S) -> Scene:
        """A scene at its end."""
        found = self.homes()[key].scene
        assert found is not None
        return found

    def mission(self, key: str = M) -> Mission:
        """A mission at its end."""
        found = self.homes()[key].mission
        assert found is not None
        return found

    def of(self, kind: type[EventT]) -> list[EventT]:
        """The events of a kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def one(self, kind: type[EventT]) -> EventT:
        """The only event of a kind."""
        (only,) = self.of(kind)
        return only

    def has(self, kind: type[EventT]) -> bool:
        """Whether there was one."""
        return bool(self.of(kind))

    def reads(self, camp: str) -> list[tuple[Any, dict[str, Any]]]:
        """What a camp reads, as (about, fact)."""
        pages = [_PAGE.decode(page) for page in self.result.pages[camp]]
        return [(about, fact) for page in pages for about, fact in page["facts"]]

    def facts(self, camp: str, event: str) -> list[dict[str, Any]]:
        """The facts of one name that a camp reads."""
        return [fact for _, fact in self.reads(camp) if fact["event"] == event]
