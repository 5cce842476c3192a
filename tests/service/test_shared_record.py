"""The shared record between supersteps: the same for whoever plays on, and what can't be kept fails its tick."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
import redis

from tests.service.lake import RULEBOOK, Fish, Lake, Level, Scenario
from tests.service.pond import ANNA, World, world
from workers.kernel.entities import State
from workers.kernel.events import Event
from workers.kernel.phases import Homes, Phase, Shared, Sums
from workers.registry import Plugin, Registry
from workers.rules.contract import Rulebook
from workers.service.recording import read_record
from workers.service.replaying import replay
from workers.store.records import StepId

Change = Callable[[Any, int], None]
NOBODY = Homes(lambda home, orders, mail, context: iter(()), (Fish,))
AT_ONCE, STEP_BY_STEP = False, True


class Memory(Lake):
    """A lake that remembers what was caught."""

    before: dict[str, int] = msgspec.field(default_factory=dict)


def told_by(words: tuple[int, ...]) -> Callable[[Any, Sums, Any], Iterator[Event]]:
    """A barrier that tells the same in each tick, whatever it leads to."""

    def barrier(shared: Memory, sums: Sums, context: Any) -> Iterator[Event]:
        yield from map(Level, words if context.tick else ())

    return barrier


def rulebook(change: Change) -> Rulebook:
    """Two supersteps: the barrier at noon tells 1, that at dusk 2; each leads to a change of the shared record."""

    def level(shared: Memory, event: Level) -> Memory:
        change(shared, event.fish)
        return shared

    def found(scenario: Scenario, ids: Any) -> State[Memory]:
        state = RULEBOOK.found(scenario, ids)
        return State(Memory(state.shared.fish), state.homes)

    phases = (Phase("noon", (NOBODY, Shared(told_by((1,))))), Phase("dusk", (NOBODY, Shared(told_by((2,))))))
    evolve: dict[Any, Any] = {**RULEBOOK.evolve_shared, Level: level}
    return replace(RULEBOOK, phases=phases, opening=(), shared=Memory, found=found, evolve_shared=evolve)


def played(client: redis.Redis, folder: Path, change: Change, ticks: int, *, careful: bool) -> World:
    """A pond of this rulebook after so many ticks, the last of them played at once or superstep by superstep."""
    client.flushdb()
    made = world(client, folder.as_uri(), rulebooks=Registry([Plugin(rulebook(change), "tests 0")]))
    made.found(fuse_below=1_000, campaign_seed="5e" * 32)
    for tick in range(1, ticks + 1):
        made.send(ANNA)
        made.close()
        if careful and tick == ticks:
            made.services.store.ticks.leap_attempt(StepId("pond", tick, 1, 0))
        made.runtime.resolve("pond")
    return made


def shared_of(pond: World) -> Any:
    campaign = pond.services.campaigns.load("pond")
    return pond.services.campaigns.shared(campaign, pond.services.campaigns.manifest("pond", campaign.head.manifest))


@pytest.mark.parametrize("careful", [AT_ONCE, STEP_BY_STEP])
@pytest.mark.parametrize("moment", [1, 2])
@pytest.mark.parametrize("spoilt", ["many", Fraction(3, 2)])
def test_a_shared_record_that_can_t_be_kept_fails_its_tick_and_nothing_is_published(
    client: redis.Redis, tmp_path: Path, spoilt: Any, moment: int, careful: bool
) -> None:
    """In its second tick, whose words are all stored by the first: nothing else would be found missing."""

    def change(shared: Memory, told: int) -> None:
        if told == 1:
            shared.before["ticks"] = shared.before.get("ticks", 0) + 1
        if told == moment and shared.before["ticks"] == 2:
            shared.caught["east"] = spoilt

    pond = played(client, tmp_path, change, 2, careful=careful)

    head = pond.services.campaigns.load("pond").head
    assert ("failed", 1) == (head.tick_status, head.published)
    assert "many" not in shared_of(pond).caught.values()


def test_what_a_barrier_leaves_under_two_names_is_two_things_for_whoever_plays_on(
    client: redis.Redis, tmp_path: Path
) -> None:
    def change(shared: Memory, told: int) -> None:
        if told == 1:
            shared.before = shared.caught
        else:
            shared.caught["east"] = 7

    for careful in (AT_ONCE, STEP_BY_STEP):
        pond = played(client, tmp_path / str(careful), change, 1, careful=careful)
        assert ({}, {"east": 7}) == (shared_of(pond).before, shared_of(pond).caught)

        campaign = pond.services.campaigns.load("pond")
        record = read_record(list(pond.services.archive.read("pond", 1)))
        assert [] == list(replay(record, campaign.rulebook, campaign.engine).findings)
