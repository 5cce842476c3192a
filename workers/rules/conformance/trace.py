"""A tick resolved with every act written down: which home's event it was, in which phase."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.events import Event, Mail
from workers.kernel.phases import Homes, Phase, Shared, Sums
from workers.kernel.tick import TickResult, resolve
from workers.rules.conformance.games import Game
from workers.rules.contract import Rulebook


@dataclass(frozen=True, slots=True)
class Act:
    """One event as it was yielded; `home` is empty at a barrier and in an amendment of the shared record."""

    phase: str
    home: str
    event: Event


@dataclass(frozen=True, slots=True)
class Trace:
    """A resolved tick and its acts, in order."""

    result: TickResult
    acts: tuple[Act, ...]

    def of_home(self, home: str) -> list[Event]:
        """The events of one home, in order."""
        return [act.event for act in self.acts if act.home == home]

    def sums_of_home(self, rulebook: Rulebook, home: str) -> list[tuple[str, str, int]]:
        """What a home's events add to sums or raise maxima to: (phase, name, amount) in order."""
        found: list[tuple[str, str, int]] = []
        for act in self.acts:
            tally = rulebook.tally.get(type(act.event))
            if act.home == home and tally is not None:
                sums = Sums({}, {})
                tally(act.event, sums)
                for amounts in (sums.added, sums.highest):
                    found.extend((act.phase, name, amount) for name, amount in amounts.items())
        return found

    def wrote_to(self, home: str) -> bool:
        """Whether some home sent mail to this one."""
        return any(isinstance(act.event, Mail) and act.event.to == home for act in self.acts)


def traced(rulebook: Rulebook, game: Game) -> Trace:
    """Resolve a game and write down every act. Raises what the rulebook raises."""
    acts = [Act("amendments", item.home, item.event) for item in game.given.amendments]
    watched = replace(
        rulebook, phases=_watched(rulebook.phases, acts.append), opening=_watched(rulebook.opening, acts.append)
    )
    result = resolve(Engine(watched), game.given)
    return Trace(result, tuple(acts))


def rehearsed(rulebook: Rulebook) -> Rulebook:
    """The rulebook with each home decided twice, the first time on a copy, for nothing: as when a shard's first run was
    lost on its way. A decision that remembers anything gives itself away."""
    read_home = Engine(rulebook).read_home

    def rehearse(step: Homes | Shared) -> Homes | Shared:
        if isinstance(step, Shared):
            return step
        decide = step.decide

        def decide_twice(home: Any, orders: Any, mail: Any, context: Any) -> Iterator[Event]:
            copy = None if home is None else read_home(canonical(home))
            for event in decide(copy, orders, mail, context):
                change = rulebook.evolve.get(type(event))
                copy = change(copy, event) if change is not None else copy
            yield from decide(home, orders, mail, context)

        return replace(step, decide=decide_twice)

    tables = [
        tuple(replace(phase, steps=tuple(map(rehearse, phase.steps))) for phase in table)
        for table in (rulebook.phases, rulebook.opening)
    ]
    return replace(rulebook, phases=tables[0], opening=tables[1])


def _watched(phases: tuple[Phase, ...], note: Callable[[Act], None]) -> tuple[Phase, ...]:
    return tuple(replace(phase, steps=tuple(_step(phase.name, step, note) for step in phase.steps)) for phase in phases)


def _step(phase: str, step: Homes | Shared, note: Callable[[Act], None]) -> Homes | Shared:
    if isinstance(step, Shared):
        settle = step.decide

        def settle_and_note(shared: Any, sums: Any, context: Any) -> Iterator[Event]:
            for event in settle(shared, sums, context):
                note(Act(phase, "", event))
                yield event

        return Shared(settle_and_note)
    decide = step.decide

    def decide_and_note(home: Any, orders: Any, mail: Any, context: Any) -> Iterator[Event]:
        key = home.id if home is not None else orders[0].home if orders else mail[0].to
        for event in decide(home, orders, mail, context):
            note(Act(phase, key, event))
            yield event

    return replace(step, decide=decide_and_note)
