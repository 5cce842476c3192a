"""A small campaign of the toy rulebook, for tests of the service and the HTTP face."""

import json
from dataclasses import dataclass
from typing import Any

import msgspec
import redis

from tests.service.lake import RULEBOOK
from workers import clock
from workers.app import make_app
from workers.bootstrap import Services, compose
from workers.kernel.orders import Booked
from workers.registry import Plugin, Registry
from workers.service.access import Sender
from workers.service.book import Book
from workers.service.face import Face
from workers.service.founding import CampaignPlan
from workers.service.orders import Answer, Receipt, Refused, Submission
from workers.settings import ServerSettings
from workers.tasks import Runtime

EAST = Sender("east", "east")
WEST = Sender("west", "west")
PAT = Sender("east", "pat", frozenset({"bert"}))
"""An actor of the east who commands one of its two boats."""

ANNA = {"kind": "fish", "boat": "anna"}
BERT = {"kind": "fish", "boat": "bert"}


def registry() -> Registry:
    """The toy rulebook alone."""
    return Registry([Plugin(RULEBOOK, "tests 0")])


@dataclass(frozen=True)
class World:
    """A whole process's services in the test's own process."""

    services: Services
    face: Face
    runtime: Runtime

    def found(self, name: str = "pond", *, opened: bool = True, **plan: Any) -> None:
        """Found a campaign, and open it."""
        self.face.founding.found(CampaignPlan(campaign=name, rulebook="lake", **plan))
        if opened:
            self.face.lifecycle.move(name, "open")

    def close(self, name: str = "pond") -> int:
        """Close the open tick by the operator's word; its number."""
        head = self.services.campaigns.load(name).head
        assert self.face.closing.close(head, head.open_tick, "operator").outcome == "closed"
        return head.open_tick

    def play(self, name: str = "pond") -> int:
        """Close the open tick, resolve and publish it; its number."""
        tick = self.close(name)
        self.runtime.resolve(name)
        assert self.services.campaigns.load(name).head.published == tick
        return tick

    def live(self, tick: int = 1) -> list[Booked[Any, Any]]:
        """The pond's live orders of a tick, whoever sent them."""
        campaign = self.services.campaigns.load("pond")
        every = range(campaign.head.slices)
        book = Book(self.services.store)
        found = [book.live_after(campaign, tick, every, 0, camp, lambda _: True) for camp in campaign.rulebook.camps]
        return [booked for one in found for _, _, booked in one]

    def send(self, *orders: Any, sender: Sender = EAST, key: str = "", **more: Any) -> Answer:
        """Submit orders in the pond."""
        return self.face.desk.submit(sender, "pond", submission(*orders, **more), key)


def world(client: redis.Redis, archive: str, *, rulebooks: Registry | None = None, **settings: Any) -> World:
    """Services over a client, with the toy rulebook or those given."""
    chosen = ServerSettings(archive_url=archive, **settings)
    services = compose(chosen, client=client, registry=rulebooks or registry())
    face = Face.over(chosen, services.store, services.registry, services.campaigns, clock.entropy)
    return World(services, face, Runtime(make_app(chosen), services))


def submission(*orders: Any, **more: Any) -> Submission:
    """Orders, given as plain data or as raw bytes, as they come over HTTP."""
    raw = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in orders)
    return Submission(tuple(msgspec.Raw(one) for one in raw), **more)


def receipt(result: Receipt | Refused) -> Receipt:
    """The result, which must be a receipt."""
    assert isinstance(result, Receipt), result
    return result


def codes(result: Receipt | Refused) -> list[tuple[str, str]]:
    """Code and field of each refusal of the result, which must be refused."""
    assert isinstance(result, Refused), result
    return [(refusal.code, refusal.field) for refusal in result.refusals]
