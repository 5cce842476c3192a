"""A scene while its Turn is played: who is there, who answers whom, who pays (A11, A13–A16).

Everything here is a generator of events: each event is carried out on the scene as it is yielded, so what follows reads
the scene as its predecessors left it (K9).
"""

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Sequence
from operator import itemgetter
from typing import Any, Literal, TypeVar

from workers.kernel.events import Event
from workers.kernel.orders import Booked
from workers.kernel.phases import Context
from workers.rules.anarchy.entities import GM, Campaign, Character, Scene
from workers.rules.anarchy.events import EffectLeftOut, Held, PointSpent, Revealed, StepVoid, ThreatCame
from workers.rules.anarchy.names import joined, owner_of
from workers.rules.anarchy.orders import Narrate, StandingOrder
from workers.rules.anarchy.reasons import OrderKind, Reason
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.sheets import threat_sheet
from workers.rules.anarchy.tables import HANDS, Effect, Level

ResultT = TypeVar("ResultT")
Play = Generator[Event, None, ResultT]
StandingT = TypeVar("StandingT", bound=StandingOrder)


_position_of = itemgetter(0)


def witnesses(scene: Scene) -> tuple[str, ...]:
    """The players who have a character in the scene."""
    return tuple(sorted({scene.characters[name].player for name in scene.seats}))


def seating(scene: Scene, tick: int) -> list[str]:
    """A16: the GM's seat, then the players' characters, from the seat whose Turn it is. A threat that appears in this
    Turn isn't seated before the next (A13).
    """
    gms = sorted(
        name for name, character in scene.characters.items() if not character.player and name not in scene.appeared
    )
    seats = [gms, *([name] for name in scene.seats)]
    start = turn_of(scene, tick) % len(seats)
    return [name for seat in (*seats[start:], *seats[:start]) for name in seat]


def turn_of(scene: Scene, tick: int) -> int:
    """The number of the scene's Turn, from 0: the tick after the one in which it opened."""
    return tick - scene.since - 1


def payer_of(character: Character) -> str:
    """Who pays for a character: its player, or the GM, who counts as one (A13)."""
    return character.player or GM


class Stage:
    """One Turn of one scene."""

    __slots__ = (
        "_fired",
        "_held",
        "_position",
        "_standing",
        "bought",
        "context",
        "home",
        "narrated",
        "narrations",
        "order",
        "scene",
        "watch",
    )

    def __init__(
        self, home: str, scene: Scene, orders: Sequence[Booked[Any, Any]], context: Context[Campaign, Settings]
    ) -> None:
        self.home = home
        self.scene = scene
        self.context = context
        self.watch = witnesses(scene)
        seated = seating(scene, context.tick)
        self.order = [*scene.front, *(name for name in seated if name not in scene.front)]
        self._position = {name: i for i, name in enumerate(self.order)}
        self.narrations: dict[str, Booked[Any, Any]] = {}
        self.narrated: list[str] = []
        self.bought: set[tuple[str, str]] = set()
        self._standing: dict[OrderKind, list[tuple[int, Booked[Any, Any]]]] = {}
        self._fired: dict[str, int] = {}
        self._held: set[tuple[str, str]] = set()
        for booked in orders:
            order = booked.order
            if order.called == Narrate.called:
                self.narrations[order.character] = booked
            elif isinstance(order, StandingOrder):
                self._standing.setdefault(order.called, []).append((self._position[order.character], booked))
        for standing in self._standing.values():
            standing.sort(key=_position_of)  # one character's stay as they came: by order id (A14)

    # --- Who answers --------------------------------------------------------------------------------------------------

    def ready(
        self, kind: type[StandingT], actor: str, fits: Callable[[Character, StandingT], bool]
    ) -> Iterator[tuple[Character, Booked[Any, Any]]]:
        """The standing orders of a kind that a trigger concerns: in turn order from the actor, one character's by order
        id (A14). Read one by one, so that each sees what those before it did.
        """
        standing = self._standing.get(kind.called)
        if standing is None:
            return
        first = bisect_left(standing, self._position[actor], key=_position_of)
        for _, booked in (*standing[first:], *standing[:first]):
            order = booked.order
            left = getattr(order, "times", 1) - self._fired.get(booked.id, 0)
            character = self.scene.present(order.character)
            if character is not None and left > 0 and fits(character, order):
                yield character, booked

    def fired(self, booked: Booked[Any, Any]) -> None:
        """Count one use of a standing order."""
        self._fired[booked.id] = self._fired.get(booked.id, 0) + 1

    def afford(self, character: Character, booked: Booked[Any, Any], depth: int) -> Play[bool]:
        """Pay a reaction as it fires; one that is too deep, that its player has bought already in this Narration (A13),
        or that can't be paid doesn't fire, and its camp is told (A14).
        """
        effect: Effect = booked.order.effect
        if (payer_of(character), effect) in self.bought:
            yield from self.hold(booked, "bought")
            return False
        if depth > self.context.settings.reaction_depth:
            yield from self.hold(booked, "depth")
            return False
        if not self.can_pay(character):
            yield from self.hold(booked, "points")
            return False
        self.fired(booked)
        yield from self.reveal(character)
        yield from self.pay(character, effect, booked.id)
        return True

    def hold(self, booked: Booked[Any, Any], reason: Reason) -> Iterator[Event]:
        """Tell its camp that a standing order's trigger came and it didn't fire: once a Turn for each reason."""
        if (booked.id, reason) not in self._held:
            self._held.add((booked.id, reason))
            order = booked.order
            owner = owner_of(order.character)
            effect: Effect | Literal["luck"] = order.effect or "luck"
            yield Held(booked.camp, owner, self.home, booked.id, order.character, effect, reason)

    # --- Who pays -----------------------------------------------------------------------------------------------------

    def can_pay(self, character: Character) -> bool:
        """Whether one point is there: the player's, or the scene's allotment (A16)."""
        return (self.scene.points.get(character.player, 0) if character.player else self.scene.allotment) > 0

    def pay(self, character: Character, effect: Effect, order: str) -> Iterator[Event]:
        """Spend one point on an effect (A11, A13, A15)."""
        payer = payer_of(character)
        self.bought.add((payer, effect))
        held = self.scene.points[payer] if character.player else self.scene.allotment
        yield PointSpent(character.camp, self.home, self.watch, payer, character.id, effect, order, held - 1)

    def buy(self, character: Character, booked: Booked[Any, Any], step: int, effect: Effect) -> Play[bool]:
        """Buy an effect of a Narration's own step; the camp is told when it must be left out (A13)."""
        if not self.can_pay(character):
            yield self.left_out(booked, step, effect, "points")
            return False
        yield from self.pay(character, effect, booked.id)
        return True

    def left_out(
        self, booked: Booked[Any, Any], step: int, effect: Effect | Literal["luck"], reason: Reason
    ) -> EffectLeftOut:
        """The fact that a step is carried out without an effect."""
        name = booked.order.character
        return EffectLeftOut(booked.camp, owner_of(name), self.home, booked.id, name, step, effect, reason)

    def step_void(self, booked: Booked[Any, Any], step: int, reason: Reason) -> StepVoid:
        """The fact that a step is void alone."""
        order = booked.order
        kind = order.steps[step].called
        owner = owner_of(order.character)
        return StepVoid(booked.camp, owner, self.home, booked.id, order.character, step, kind, reason)

    # --- Who is known -------------------------------------------------------------------------------------------------

    def reveal(self, character: Character) -> Iterator[Event]:
        """A19: a hidden character is known once it narrates, reacts or is acted on."""
        if character.hidden:
            weapons = (*(weapon.name for weapon in character.sheet.weapons), HANDS)
            sheet = character.sheet
            yield Revealed(character.camp, self.home, self.watch, character.id, sheet.name, character.place, weapons)

    def bring_in(self, by: str, booked: Booked[Any, Any], name: str, level: Level, place: int) -> ThreatCame:
        """A new threat takes its place (A13): its id is drawn from the order that brought it."""
        context = self.context
        created = joined(owner_of(self.home), context.ids.created("threat", context.tick, booked.id))
        sheet = threat_sheet(name, level, context.settings)
        return ThreatCame(GM, self.home, self.watch, created, by, name, place, level, sheet)
