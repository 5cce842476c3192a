"""The field of a measurement: a real server with AOF always, real worker processes, and campaigns booked in full."""

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from workers import clock
from workers.app import QUEUE_LARGE, QUEUE_SMALL, make_app
from workers.bootstrap import Services, compose
from workers.cli.processes import Child, wait_until
from workers.dispatch import Dispatcher
from workers.kernel.digest import sha256_hex
from workers.kernel.dice import Dice
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice
from workers.kernel.errors import InvalidInput, TocsinError
from workers.kernel.ids import Ids, id_key
from workers.kernel.orders import Booked, Booking
from workers.rules.contract import Rulebook, view_of
from workers.service.access import Sender
from workers.service.campaigns import Campaign
from workers.service.desk import item_of
from workers.service.founding import CampaignPlan, generation_dice, new_campaign
from workers.service.records import Manifest
from workers.settings import ServerSettings
from workers.store.embedded import EmbeddedServer
from workers.store.records import Head, IntakeItem, IntakeRequest, NewCampaign

BATCH = 1_000
START_LIMIT_S = 60.0
TICK_LIMIT_S = 1_800.0
HOMES_PER_ORDERS = 2
"""Orders a home that a bench campaign is generated for."""


class BenchError(TocsinError):
    """A measurement that came to nothing: a tick failed, or its orders couldn't be booked."""


@dataclass(frozen=True, slots=True)
class Book:
    """A campaign ready to be written, with the orders of its first tick: the same bytes for every run."""

    rulebook: Rulebook
    engine: Engine
    new: NewCampaign
    seed: bytes
    settings: Any
    homes: dict[str, Any]
    shared: Any
    orders: list[Booked[Any, Any]]
    items: list[IntakeItem]


def write_book(engine: Engine, rulebook: Rulebook, orders: int, seed: int, shards: int) -> Book:
    """Generate a campaign of any rulebook and exactly `orders` legal orders for its tick 1.

    Raises InvalidInput when the rulebook's sample gives fewer on a campaign of that size.
    """
    campaign_seed = bytes.fromhex(sha256_hex(f"tocsin/bench/{seed}".encode()))
    size = max(2, -(-orders // HOMES_PER_ORDERS))
    plan = CampaignPlan(
        campaign="bench",
        rulebook=rulebook.name,
        scenario={"generate": {"size": size, "seed": str(seed)}},
        shards=shards,
        fuse_below=0,
    )
    new = new_campaign(engine, plan, campaign_seed, "bench", "bench")
    manifest = msgspec.json.decode(new.blobs[new.manifest], type=Manifest)
    homes: dict[str, Any] = {}
    for ref in manifest.slices:
        lines = Slice.parse(new.blobs[ref.digest] if ref.digest else b"").lines
        homes |= {key: engine.read_home(line) for key, line in lines.items()}
    shared = engine.read_shared(new.blobs[manifest.shared])
    settings = msgspec.json.decode(new.settings, type=rulebook.settings)
    book = Book(rulebook, engine, new, campaign_seed, settings, homes, shared, [], [])
    drawn = rulebook.sample((homes[key] for key in sorted(homes)), shared, settings, 1, generation_dice(seed))
    _book_legal(book, drawn, orders)
    if len(book.items) < orders:
        problem = f"{rulebook.name}'s sample gives {len(book.items)} legal orders on a campaign for {orders}"
        raise InvalidInput("--orders", problem, f"at most {len(book.items)}")
    return book


def _book_legal(book: Book, drawn: Iterator[tuple[str, str, Any]], wanted: int) -> None:
    """Judge the drawn orders as intake would, until enough are booked within their meters."""
    ids = Ids(id_key(book.seed))
    used: dict[tuple[str, str], int] = {}
    mine: dict[tuple[str, str], tuple[Booked[Any, Any], ...]] = {}
    head = _Named(book.new.campaign)
    for number, (camp, actor, order) in enumerate(drawn):
        if len(book.items) == wanted:
            return
        reads = book.rulebook.reads(order)
        homes = {key: book.homes.get(key) for key in reads.homes}
        booked = {key: mine[camp, key] for key in reads.booked if (camp, key) in mine}
        view = view_of(book.rulebook, camp, 1, book.settings, book.shared, homes, booked)
        answer = book.rulebook.check(order, view)
        if not isinstance(answer, Booking) or not _take(used, answer):
            continue
        made = item_of(_campaign(book, head, ids), Sender(camp, actor), ids.order(1, actor, "bench", number), order, answer)
        if isinstance(made, tuple):
            book.items.append(made[0])
            book.orders.append(made[1])
            if reads.booked:
                mine[camp, answer.home] = (*mine.get((camp, answer.home), ()), made[1])


def _take(used: dict[tuple[str, str], int], booking: Booking) -> bool:
    """Take a booking's costs from the meters, or nothing and False where one is over its limit."""
    for cost in booking.costs:
        if cost.amount > 0 and used.get((booking.home, cost.meter), 0) + cost.amount > cost.limit:
            return False
    for cost in booking.costs:
        used[booking.home, cost.meter] = used.get((booking.home, cost.meter), 0) + cost.amount
    return True
