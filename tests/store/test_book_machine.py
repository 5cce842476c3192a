"""Whatever comes, replies lost included: meters hold, and each acknowledged order is in one tick."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

import fakeredis
import pytest
import redis
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from tests.servers import emptied
from tests.store.campaigns import NAME, NOW_MS, head_of, new_campaign, order_id, publish
from workers.store import Store
from workers.store.connection import connect
from workers.store.embedded import EmbeddedServer
from workers.store.places import slice_of
from workers.store.records import (
    CloseTerms,
    Cost,
    Counts,
    IntakeItem,
    IntakeReply,
    IntakeRequest,
    Release,
    StepCommit,
    StepId,
)

HOMES = tuple(f"servant-{number}" for number in range(4))
LIMITS = {f"{home}/ap": 5 for home in HOMES} | {"reserve": 12}
CAMP_HOME = "camp"


@dataclass
class Placed:
    """An order as the model has it: where it is, at which revision, and what it took."""

    revision: int
    home: str
    costs: tuple[Cost, ...]


@dataclass
class Tick:
    orders: dict[str, Placed] = field(default_factory=dict)
    entries: list[bytes] = field(default_factory=list)
    version: int = 0

    def used(self, meter: str) -> int:
        live = (placed for placed in self.orders.values() if placed.revision)
        return sum(cost.amount for placed in live for cost in placed.costs if cost.field == meter)


@dataclass
class Sent:
    request: IntakeRequest
    items: list[IntakeItem]
    reply: IntakeReply


# What is contributed to the reserve may be withdrawn when it's spent already: only a meter that nobody contributes to
# stays within its limit whatever comes.
costs_of_an_order = st.tuples(
    st.sampled_from(HOMES), st.integers(min_value=0, max_value=4), st.none() | st.integers(min_value=-2, max_value=4)
)


def costs_from(drawn: tuple[str, int, int | None]) -> tuple[Cost, ...]:
    home, points, reserve = drawn
    costs = [Cost(home, f"{home}/ap", points, LIMITS[f"{home}/ap"])]
    if reserve is not None:
        costs.append(Cost(CAMP_HOME, "reserve", reserve, LIMITS["reserve"]))
    return tuple(costs)


class BookMachine(RuleBasedStateMachine):
    """Drives one campaign, beside a model of it in Python."""

    def __init__(self, client: redis.Redis) -> None:
        super().__init__()
        self.store = Store.over(emptied(client))
        assert self.store.heads.create(new_campaign(steps=1, groups=2, slices=4), seed=bytes(32)).outcome == "created"
        self.store.heads.lifecycle(NAME, "open")
        self.ticks: dict[int, Tick] = {1: Tick()}
        self.open_tick = 1
        self.numbers = count()
        self.sent: list[Sent] = []

    @property
    def tick(self) -> Tick:
        return self.ticks[self.open_tick]

    def item(self, drawn: tuple[str, int, int | None], replaces: str | None, expect: int) -> IntakeItem:
        old = self.tick.orders.get(replaces or "")
        released = tuple(Release(cost.home, cost.field, cost.amount) for cost in old.costs) if old else ()
        number = next(self.numbers)
        order = replaces or order_id(number)
        return IntakeItem(
            order, drawn[0], f"{order} {expect + 1} {number}".encode(), costs_from(drawn), released, expect
        )

    def expected(self, items: list[IntakeItem], atomic: bool) -> tuple[Tick, list[int | str]]:
        """What the tick should be after these items, and the revision of each, or why it's refused."""
        after = Tick(dict(self.tick.orders), list(self.tick.entries), self.tick.version)
        results: list[int | str] = []
        for item in items:
            old = after.orders.get(item.id)
            if item.expect and old is not None and old.revision != item.expect:
                results.append("revision_conflict")
                continue
            kept = {order: placed for order, placed in after.orders.items() if order != item.id}
            beside = Tick(kept)
            taken: Counter[str] = Counter()
            fits = True
            for cost in item.costs:
                taken[cost.field] += cost.amount
                fits &= cost.amount <= 0 or beside.used(cost.field) + taken[cost.field] <= cost.limit
            if not fits:
                results.append("over")
                continue
            after.orders[item.id] = Placed(item.expect + 1, item.home, item.costs)
            after.entries.append(item.packed)
            after.version += 1
            results.append(item.expect + 1)
        if atomic and any(isinstance(result, str) for result in results):
            return self.tick, [result if isinstance(result, str) else "not_booked" for result in results]
        return after, results

    @rule(drawn=st.lists(costs_of_an_order, min_size=1, max_size=6), atomic=st.booleans(), named=st.booleans())
    def send_new_orders(self, drawn: list[tuple[str, int, int | None]], atomic: bool, named: bool) -> None:
        self.send([self.item(one, None, 0) for one in drawn], atomic, named)

    @precondition(lambda self: self.tick.orders)
    @rule(data=st.data(), stale=st.booleans(), atomic=st.booleans(), named=st.booleans())
    def replace_orders(self, data: st.DataObject, stale: bool, atomic: bool, named: bool) -> None:
        known = sorted(self.tick.orders)
        chosen = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
        items = []
        for order in chosen:
            present = self.tick.orders[order].revision
            items.append(self.item(data.draw(costs_of_an_order), order, (present or 1) + stale))
        items.append(self.item(data.draw(costs_of_an_order), None, 0))
        self.send(items, atomic, named)

    def send(self, items: list[IntakeItem], atomic: bool, named: bool) -> None:
        after, results = self.expected(items, atomic)
        number = next(self.numbers)
        idem, body = (f"{number:x}", f"body-{number}") if named else ("", "")
        request = IntakeRequest(tick=self.open_tick, atomic=atomic, idem=idem, body=body)
        reply = self.store.intake.book(head_of(self.store), request, items)

        assert results == [result if isinstance(result, int) else result.refused for result in reply.results]
        self.ticks[self.open_tick] = after
        if named and any(isinstance(result, int) for result in results):
            self.sent.append(Sent(request, items, reply))

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again_because_the_reply_was_lost(self, data: st.DataObject) -> None:
        sent = data.draw(st.sampled_from(self.sent))
        reply = self.store.intake.book(head_of(self.store), sent.request, sent.items)

        assert reply.replayed
        assert (sent.reply.tick, sent.reply.results) == (reply.tick, reply.results)

    @precondition(lambda self: self.tick.orders)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        order = data.draw(st.sampled_from(sorted(self.tick.orders)))
        placed = self.tick.orders[order]
        released = [Release(cost.home, cost.field, cost.amount) for cost in placed.costs]
        head = head_of(self.store)
        expect = placed.revision or 1
        for outcome in ("withdrawn" if placed.revision else "same", "same"):
            assert (
                outcome
                == self.store.intake.withdraw(head, self.open_tick, order, expect=expect, release=released).outcome
            )
        if placed.revision:
            self.tick.orders[order] = Placed(0, placed.home, placed.costs)
            self.tick.version += 1

    @rule()
    def close_twice_and_publish(self) -> None:
        tick = self.open_tick
        closed = self.store.ticks.close(NAME, tick, CloseTerms("operator", archive_lag_max=100), NOW_MS)
        assert "closed" == closed.outcome
        assert "other_tick" == self.store.ticks.close(NAME, tick, CloseTerms("operator"), NOW_MS).outcome
        head = head_of(self.store)
        assert sum(placed.revision > 0 for placed in self.tick.orders.values()) == head.orders
        assert self.tick.version == head.book_version
        move = StepCommit(head.manifest, head.manifest, last=True, summaries=(b"{}",), named=frozenset({head.manifest}))
        assert "committed" == self.store.ticks.commit(StepId(NAME, tick, 1, 0), move).outcome
        assert "published" == publish(self.store, tick)
        self.open_tick += 1
        self.ticks[self.open_tick] = Tick()

    @invariant()
    def meters_are_those_of_the_live_orders(self) -> None:
        for number in list(self.ticks)[-2:]:
            homes = [(CAMP_HOME if meter == "reserve" else meter.partition("/")[0], meter) for meter in LIMITS]
            used = self.store.intake.used(head_of(self.store), number, homes)
            assert [self.ticks[number].used(meter) for meter in LIMITS] == used
            assert all(
                amount <= LIMITS[meter] for amount, (_, meter) in zip(used, homes, strict=True) if meter != "reserve"
            )

    @invariant()
    def every_acknowledged_order_lies_once_in_the_book_of_its_tick(self) -> None:
        for number, tick in list(self.ticks.items())[-2:]:
            live = sum(placed.revision > 0 for placed in tick.orders.values())
            assert Counts(live, tick.version) == self.store.intake.counts(NAME, number)
            slices = self.store.intake.read_slices(NAME, number, range(4))
            assert Counter(tick.entries) == Counter(packed for one in slices for packed in one)
            revisions = self.store.intake.revisions(NAME, number)
            for order, placed in tick.orders.items():
                assert placed.revision == revisions.get(order, 1)
                wanted = f"{order} {placed.revision} ".encode()
                if placed.revision:
                    place = slice_of(placed.home, 4)
                    assert place == self.store.intake.find(NAME, number, order)[0]
                    assert 1 == sum(packed.startswith(wanted) for packed in slices[place])


@pytest.fixture
def backend_client(backend: str, request: pytest.FixtureRequest) -> Iterator[Callable[[], redis.Redis]]:
    if backend == "fakeredis":
        yield lambda: fakeredis.FakeRedis(server=fakeredis.FakeServer())
        return
    server: EmbeddedServer = request.getfixturevalue(f"{backend}_server")
    with connect(server.url) as connected:
        yield lambda: connected


def test_the_book_holds_whatever_comes(backend: str, backend_client: Callable[[], redis.Redis]) -> None:
    class Machine(BookMachine):
        def __init__(self) -> None:
            super().__init__(backend_client())

    run_state_machine_as_test(
        Machine,
        settings=settings(max_examples=10 if backend == "fakeredis" else 30, stateful_step_count=20, deadline=None),
    )
