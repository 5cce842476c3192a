"""What an attacker asks with a player's tokens, and every byte of what comes back."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.attack.hidden import Seat

CHANGING = frozenset({"date", "ratelimit-reset", "ratelimit-remaining"})
"""Headers that tell the time and how many requests the attacker made itself."""
MOMENT = re.compile(rb"\b1[5-9]\d{11}\b")
SEAL = re.compile(rb'"seal":"[0-9a-f]{64}"')
"""HMAC of the tick's digest under a salt that no client has: it differs between worlds as any two random texts do."""
ORDERS_MAX = 12
STREAM_LINES_MAX = 4_000
GUESSES = 6


@dataclass
class Attacker:
    """Asks, and keeps what was asked and answered."""

    http: httpx2.Client
    seat: Seat
    camp: str
    actor: str
    answers: list[tuple[str, int, tuple[tuple[str, str], ...], bytes]] = field(default_factory=list)

    def ask(self, method: str, path: str, token: str = "", **request: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token or self.camp}", **request.pop("headers", {})}
        answer = self.http.request(method, f"/campaigns/{self.seat.campaign}{path}", headers=headers, **request)
        told = tuple((name, value) for name, value in answer.headers.items() if name not in CHANGING)
        self.answers.append((f"{method} {path}", answer.status_code, told, masked(answer.content)))
        return answer

    def look(self) -> None:
        """All that can be read."""
        for token in (self.camp, self.actor):
            for path in (
                "",
                "/ticks/current",
                "/ticks/0",
                "/ticks/1",
                "/ticks/2/commitment",
                "/ticks/1/seed",
                "/orders",
            ):
                self.ask("GET", path, token)
            for lang in ("en", "fr"):
                self.ask("GET", f"/reports?pages=50&lang={lang}", token)
            after = ""
            while True:
                seen = self.ask("GET", f"/view?limit=3&after={after}", token)
                self.ask("GET", f"/view?limit=3&after={after}", token, headers={"If-None-Match": seen.headers["etag"]})
                after = seen.json()["next"]
                if not after:
                    break
        for path in ("/orders/" + "a" * 26, "/ticks/999", "/tokens", "/record", "/reports?camp=nobody"):
            self.ask("GET", path)

    def probe(self) -> None:
        """Dry runs and odds: of real orders, and of orders that name what the attacker can only guess."""
        for order in self.seat.orders[:ORDERS_MAX]:
            self.ask("POST", "/orders:check", json=order)
            for changed in self._guesses(order):
                self.ask("POST", "/orders:check", json=changed)

    def _guesses(self, order: dict[str, Any]) -> Iterator[dict[str, Any]]:
        names = [*self.seat.names[:GUESSES], *self.seat.names[-GUESSES:], "nobody"]
        for name, value in order.items():
            if isinstance(value, str) and name != "kind":
                for guess in names:
                    yield {**order, name: guess}

    def order(self) -> None:
        """Orders in a batch, one by one, again, replaced, withdrawn."""
        batch = {"orders": list(self.seat.orders[:ORDERS_MAX])}
        sent = self.ask("POST", "/orders", json=batch, headers={"Idempotency-Key": "one"})
        self.ask("POST", "/orders", json=batch, headers={"Idempotency-Key": "one"})
        half = {"orders": [{"kind": "nothing"}, *batch["orders"][:2]]}
        self.ask("POST", "/orders", json=half, headers={"Idempotency-Key": "two"})
        for result in sent.json().get("results", []):
            if "id" in result:
                self.ask("GET", f"/orders/{result['id']}")
        first = next((result for result in sent.json().get("results", []) if "id" in result), None)
        if first is not None:
            self.ask("PUT", f"/orders/{first['id']}", json=self.seat.orders[0])
            self.ask("DELETE", f"/orders/{first['id']}")
            self.ask("DELETE", f"/orders/{first['id']}")
        self.ask("GET", "/orders?limit=2")
        self.ask("PUT", "/ready")
        self.ask("DELETE", "/ready")

    def listen(self, until: str) -> None:
        """The bytes of the report's stream, up to the end of a tick."""
        headers = {"Authorization": f"Bearer {self.camp}"}
        lines: list[str] = []
        with self.http.stream("GET", f"/campaigns/{self.seat.campaign}/reports:stream", headers=headers) as answer:
            for line in answer.iter_lines():
                lines.append(line)
                if line == f'data: {{"tick":{until}}}' or len(lines) > STREAM_LINES_MAX:
                    break
            told = tuple((name, value) for name, value in answer.headers.items() if name not in CHANGING)
        heard = "\n".join(line for line in lines if not line.startswith(":")).encode()
        self.answers.append(("stream", answer.status_code, told, masked(heard)))


def masked(body: bytes) -> bytes:
    """A body without the moments in it (all of one length) and without the seal."""
    return SEAL.sub(b'"seal":"-"', MOMENT.sub(b"<moment>", body))
