"""A campaign played over HTTP by a rulebook's own sample orders: what the demonstration does."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from workers.bootstrap import Services
from workers.cli.client import Client, Problem
from workers.cli.processes import wait_until
from workers.cli.watching import Show, wait_published
from workers.kernel.dice import Dice
from workers.kernel.digest import sha256_hex
from workers.kernel.entities import Slice

BATCH: Final = 500
PUBLISH_LIMIT_S: Final = 120.0
REVEAL_LIMIT_S: Final = 30.0


@dataclass(slots=True)
class Played:
    """What was sent and read, so far."""

    orders: int = 0
    refused: list[str] = field(default_factory=list)
    ticks: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    commitments: dict[int, str] = field(default_factory=dict)
    odds: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


class Table:
    """One campaign at play: an operator and a player a camp, each with a token of its own.

    `services` is the operator's own look into the store: sample orders are made from the state, as no player could.
    """

    def __init__(self, operator: Client, services: Services, campaign: str, connect: Callable[[str], Client]) -> None:
        self._operator = operator
        self._services = services
        self._campaign = campaign
        self._connect = connect
        self._camps: dict[str, Client] = {}
        self.played = Played()

    def found(self, rulebook: str) -> None:
        """Create the campaign, open it, and give each camp its token."""
        plan = {
            "campaign": self._campaign,
            "rulebook": rulebook,
            "policy": {"reveal_after": 1},
            "slices": 16,
            "shards": 4,
            "fuse_below": 0,
        }
        self._operator.post("/campaigns", plan, key=f"{self._campaign}-creation")
        self._operator.post(f"/campaigns/{self._campaign}/lifecycle", {"verb": "open"})
        camps = self._operator.get(f"/campaigns/{self._campaign}")["camps"]
        for camp in camps:
            made = self._operator.post(f"/campaigns/{self._campaign}/tokens", {"scope": "camp", "camp": camp})
            self._camps[camp] = self._connect(made["secret"])
            self.played.facts[camp] = []

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._camps.values():
            client.close()

    def play(self, tick: int, show: Show) -> None:
        """One tick: read its commitment, send the orders, close, wait, read both reports."""
        path = f"/campaigns/{self._campaign}/ticks/{tick}"
        self.played.commitments[tick] = self._operator.get(f"{path}/commitment")["commitment"]
        self._send(tick)
        self._operator.post(f"{path}:close")
        state = wait_published(self._operator, self._campaign, tick, show, PUBLISH_LIMIT_S)
        record = state["record"]
        self.played.ticks.append({"tick": tick, **{name: record[name] for name in ("digest", "orders", "phases")}})
        for camp in self._camps:
            self._read(camp)

    def end(self) -> dict[int, str]:
        """End the campaign: its seeds, by tick, all revealed by then. Raises Unreachable where they don't come."""
        self._operator.post(f"/campaigns/{self._campaign}/lifecycle", {"verb": "end"})
        seeds: dict[int, str] = {}

        def revealed() -> bool:
            for tick in self.played.commitments:
                if tick not in seeds:
                    try:
                        seeds[tick] = self._operator.get(f"/campaigns/{self._campaign}/ticks/{tick}/seed")["seed"]
                    except Problem as problem:
                        if problem.code != "not_revealed":
                            raise
            return len(seeds) == len(self.played.commitments)

        wait_until(revealed, "all seeds are revealed", REVEAL_LIMIT_S)
        return seeds

    def _send(self, tick: int) -> None:
        for camp, orders in self._sample(tick).items():
            client = self._camps[camp]
            path = f"/campaigns/{self._campaign}/orders"
            if tick == 1:
                self._ask(client, camp, orders[:1])
            for start in range(0, len(orders), BATCH):
                batch = {"orders": orders[start : start + BATCH], "for_tick": tick}
                answer = client.post(path, batch, key=f"{camp}-{tick}-{start}")
                self._count(answer["results"])

    def _ask(self, client: Client, camp: str, orders: list[Any]) -> None:
        answer = client.post(f"/campaigns/{self._campaign}/orders:check", {"orders": orders})
        for result in answer["results"]:
            if result.get("odds"):
                self.played.odds.append((camp, result["odds"]))

    def _count(self, results: list[dict[str, Any]]) -> None:
        for result in results:
            if result.get("refusals"):
                self.played.refused += [refusal.get("text") or refusal["code"] for refusal in result["refusals"]]
            else:
                self.played.orders += 1

    def _sample(self, tick: int) -> dict[str, list[Any]]:
        campaign = self._services.campaigns.load(self._campaign)
        manifest = self._services.campaigns.manifest(campaign.name, campaign.head.start_manifest)
        shared = self._services.campaigns.shared(campaign, manifest)
        slices = self._services.campaigns.blobs(campaign.name, [ref.digest for ref in manifest.slices])
        homes = [campaign.engine.read_home(line) for data in slices for line in Slice.parse(data).lines.values()]
        dice = Dice(bytes.fromhex(sha256_hex(f"{self._campaign}/{tick}".encode())))
        found: dict[str, list[Any]] = {}
        for camp, _, order in campaign.rulebook.sample(homes, shared, campaign.settings, tick, dice):
            found.setdefault(camp, []).append(msgspec.to_builtins(order))
        return found

    def _read(self, camp: str) -> None:
        facts = self.played.facts[camp]
        after = facts[-1]["id"] if facts else ""
        more = True
        while more:
            page = self._camps[camp].get(f"/campaigns/{self._campaign}/reports", after=after)
            facts += page["facts"]
            after, more = page["next"], page["more"]
