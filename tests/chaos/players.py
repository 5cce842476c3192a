"""The load: campaigns founded, played and read over HTTP by clients that send again, with the same key, whatever died.

A client never gives a request up while it may be answered: so at the end each order was acknowledged, or refused, and
nothing in between.
"""

import random
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

import httpx2
from redis.exceptions import RedisError

from tests.chaos.ledger import Ledger
from tests.chaos.sample import sample
from workers.bootstrap import Services
from workers.cli.client import Client, Problem
from workers.cli.errors import Unreachable
from workers.service.campaigns import MissingBlob

T = TypeVar("T")

BATCH: Final = 12
PAUSE_S: Final = 0.1
PATIENCE_S: Final = 90.0
SEVERAL: Final = 40

Connect = Callable[[str], Client]


class GaveUp(Exception):
    """A request was sent again and again in vain."""


class Player(threading.Thread):
    """A thread that speaks with the API until it is told to finish; what stopped it otherwise is in `error`."""

    def __init__(self, name: str, ledger: Ledger) -> None:
        super().__init__(name=name, daemon=True)
        self.ledger = ledger
        self.finishing = threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        """Work, and keep what went wrong for whoever looks."""
        try:
            self.work()
        except BaseException as error:  # noqa: BLE001 a thread's end must be told, whatever ended it
            self.error = error

    def work(self) -> None:
        """What the thread does."""
        raise AssertionError(f"{type(self).__name__} has nothing to do")

    def insist(self, send: Callable[[], T]) -> tuple[T, bool]:
        """Send until there is an answer (a problem is one, and is raised); also whether it was sent more than once."""
        pause = threading.Event()
        for attempt in range(int(PATIENCE_S / PAUSE_S)):
            try:
                return send(), attempt > 0
            except (httpx2.TransportError, Unreachable) as error:
                what = str(error).split(":", 1)[0] if isinstance(error, Unreachable) else type(error).__name__
                self.ledger.count(what)
                pause.wait(PAUSE_S)
        raise GaveUp(f"{self.name}: sent {int(PATIENCE_S / PAUSE_S)} times in vain")


class Game(Player):
    """Founds a campaign, then sends, sends again, replaces and withdraws orders of both camps, and closes ticks.

    `services` is the test's own look into the store: sample orders are made from the state, as no player could.
    """

    def __init__(
        self, plan: dict[str, Any], admin: Client, connect: Connect, services: Services, ledger: Ledger, seed: str
    ) -> None:
        super().__init__(f"game-{plan['campaign']}", ledger)
        self.campaign: str = plan["campaign"]
        self.playing = threading.Event()
        self.camps: dict[str, str] = {}
        self._plan = plan
        self._admin = admin
        self._connect = connect
        self._services = services
        self._chance = random.Random(seed)
        self._number = 0
        self._clients: dict[str, Client] = {}

    def work(self) -> None:
        """Found, then play tick after tick."""
        try:
            self._found()
            self.playing.set()
            waiting: dict[str, list[Any]] = {}
            tick = 0
            while not self.finishing.is_set():
                tick, waiting = self._look(tick, waiting)
                for camp, orders in waiting.items():
                    if orders and not self.finishing.is_set():
                        self._send(camp, tick, [orders.pop() for _ in range(min(BATCH, len(orders)))])
                if not any(waiting.values()):
                    if not self._plan.get("schedule"):
                        self.close_tick(tick)
                    self.finishing.wait(PAUSE_S)
        finally:
            for client in self._clients.values():
                client.close()

    def _found(self) -> None:
        path = f"/campaigns/{self.campaign}"
        key = f"creation of {self.campaign}"
        view, _ = self.insist(lambda: self._admin.post("/campaigns", self._plan, key=key))
        again, _ = self.insist(lambda: self._admin.post("/campaigns", self._plan, key=key))
        if view["campaign"] != again["campaign"] or view["settings"] != again["settings"]:
            self.ledger.contradict(f"{self.campaign}: created twice, and not alike")
        self.insist(lambda: self._admin.post(f"{path}/lifecycle", {"verb": "open"}))
        for camp in view["camps"]:
            plan = {"scope": "camp", "camp": camp}
            made, _ = self.insist(lambda plan=plan: self._admin.post(f"{path}/tokens", plan))  # type: ignore[misc]  # mypy can't type a lambda with a default
            self.camps[camp] = made["secret"]
            self._clients[camp] = self._connect(made["secret"])

    def _look(self, tick: int, waiting: dict[str, list[Any]]) -> tuple[int, dict[str, list[Any]]]:
        """The open tick and the orders that are left for it; new ones where it is a new tick."""
        try:
            campaign = self._services.campaigns.load(self.campaign)
            if campaign.head.open_tick == tick or not campaign.head.start_manifest:
                return tick, waiting
            return campaign.head.open_tick, self._sample(campaign.head.open_tick)
        except (RedisError, MissingBlob):
            return tick, waiting

    def _sample(self, tick: int) -> dict[str, list[Any]]:
        found = sample(self._services, self.campaign, tick)
        for orders in found.values():
            self._chance.shuffle(orders)
            del orders[SEVERAL:]
        return found

    def _send(self, camp: str, tick: int, orders: list[Any]) -> None:
        """A batch with its key; sometimes once more; sometimes an order of it is changed or taken back."""
        self._number += 1
        key = f"{camp}-{self._number}"
        body: dict[str, Any] = {"orders": orders}
        if self._chance.random() < 0.5:
            body["for_tick"] = tick
        try:
            answer, _ = self.insist(lambda: self._batch(camp, body, key))
        except Problem as problem:
            self.ledger.count(problem.code)
            return
        booked = [(result, order) for result, order in zip(answer["results"], orders, strict=True) if "id" in result]
        for receipt, _ in booked:
            self.ledger.acknowledge(self.campaign, camp, receipt)
        if booked and self._chance.random() < 0.3:
            again, _ = self.insist(lambda: self._batch(camp, body, key))
            if again != answer:
                self.ledger.contradict(f"{self.campaign}: key {key} was answered {answer}, then {again}")
        if booked and self._chance.random() < 0.4:
            self._withdraw(camp, booked[0][0]["id"])
        if len(booked) > 2 and self._chance.random() < 0.4:
            self._replace(camp, booked[1][0]["id"], self._chance.choice(booked[2:])[1])

    def _batch(self, camp: str, body: Any, key: str) -> Any:
        return self._clients[camp].post(f"/campaigns/{self.campaign}/orders", body, key=key)

    def _withdraw(self, camp: str, order: str) -> None:
        path = f"/campaigns/{self.campaign}/orders/{order}"
        self.ledger.withdrawn(order, sure=False)
        try:
            self.insist(lambda: self._clients[camp].delete(path))
        except Problem as problem:
            self.ledger.count(problem.code)
            # The tick was closed before: had an earlier attempt succeeded, the answer would be that of a success.
            if problem.code == "tick_closed":
                self.ledger.kept(order)
            return
        self.ledger.withdrawn(order, sure=True)

    def _replace(self, camp: str, order: str, new: Any) -> None:
        path = f"/campaigns/{self.campaign}/orders/{order}"
        known = self.ledger.digests(order)
        self.ledger.maybe_replaced(order)
        try:
            receipt, _ = self.insist(lambda: self._clients[camp].put(path, new))
        except Problem as problem:
            self.ledger.count(problem.code)
            if problem.code in ("order_refused", "order_invalid"):
                self.ledger.still(order, known)
            return
        self.ledger.replaced(order, receipt["revision"], receipt["digest"])

    def close_tick(self, tick: int) -> None:
        """Close a tick by the operator's word; that it can't close just now is an answer too."""
        try:
            self.insist(lambda: self._admin.post(f"/campaigns/{self.campaign}/ticks/{tick}:close"))
        except Problem as problem:
            self.ledger.count(problem.code)

    def end(self) -> None:
        """End the campaign; again, it changes nothing."""
        self.insist(lambda: self._admin.post(f"/campaigns/{self.campaign}/lifecycle", {"verb": "end"}))

    def close(self) -> None:
        """Close the operator's connections."""
        self._admin.close()


class Reader(Player):
    """Reads a camp's report as it comes, by long polls or as a stream, until a tick is complete.

    `facts` are ids and facts, in the order in which they came.
    """

    def __init__(self, game: Game, camp: str, client: Client, *, streamed: bool) -> None:
        super().__init__(f"reader-{game.campaign}-{camp}", game.ledger)
        self.campaign, self.camp = game.campaign, camp
        self.facts: list[tuple[str, Any]] = []
        self.until = 1 << 53
        self._client = client
        self._place = "0"
        self._complete = 0
        self._streamed = streamed

    def finish(self, tick: int) -> None:
        """Read on until this tick is complete."""
        self.until = tick
        self.finishing.set()

    def work(self) -> None:
        """Read until told."""
        try:
            while not self._done():
                self.insist(self._stream if self._streamed else self._poll)
        finally:
            self._client.close()

    def _done(self) -> bool:
        return self.finishing.is_set() and self._complete >= self.until

    def _poll(self) -> None:
        page = self._client.get(f"/campaigns/{self.campaign}/reports", after=self._place, wait_s=1)
        self.facts += [(fact["id"], fact["fact"]) for fact in page["facts"]]
        self._place = page["next"]
        self._complete = max(self._complete, page["complete"] or 0)

    def _stream(self) -> None:
        """Read until the tick to finish with is complete, or the connection ends."""
        if self._done():
            return
        events = self._client.stream(f"/campaigns/{self.campaign}/reports:stream", last_event_id=self._place)
        for event in events:
            self._place = event.id or self._place
            if event.name == "fact":
                self.facts.append((event.id, event.data["fact"]))
            elif event.name == "complete":
                self._complete = max(self._complete, event.data["tick"])
                if self._done():
                    return
