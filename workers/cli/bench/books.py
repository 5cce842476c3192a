"""A campaign of any rulebook and size, ready to be written, with its first orders: the same bytes for every run."""

from dataclasses import dataclass
from typing import Any, cast

import msgspec

from workers.kernel.digest import sha256_hex
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice
from workers.kernel.errors import InvalidInput
from workers.kernel.ids import Ids, id_key
from workers.kernel.orders import Booked, Booking
from workers.rules.contract import Rulebook, Sight
from workers.service.founding import CampaignPlan, generation_dice, new_campaign
from workers.service.meters import meter_field
from workers.service.records import Manifest
from workers.store.records import Cost, IntakeItem, NewCampaign

SAMPLE_HOMES = 64
"""Homes of the small campaign on which it is counted how many orders a home gives."""
SAMPLE_ORDERS_MAX = 10_000
"""Orders counted there, at most."""
GROWTH = 1.25
"""A campaign that gives too few orders is made so many times larger, up to `GROWTHS_MAX` times."""
GROWTHS_MAX = 4


@dataclass(frozen=True, slots=True)
class Book:
    """A campaign ready to be written, with the orders of its first tick: the same bytes for every run."""

    rulebook: Rulebook
    engine: Engine
    new: NewCampaign
    seed: bytes
    draw: int
    settings: Any
    homes: dict[str, Any]
    shared: Any
    orders: list[Booked[Any, Any]]
    items: list[IntakeItem]


def write_book(engine: Engine, orders: int, seed: int, shards: int = 0, fuse_below: int = 0) -> Book:
    """Generate a campaign of an engine's rulebook and exactly `orders` legal orders for its tick 1.

    Its size follows from how many orders a home of that rulebook gives (the Veil's servants two each); `shards` and
    `fuse_below` are the campaign's. Raises InvalidInput when the rulebook's sample gives fewer on ever larger
    campaigns.
    """
    small = _found(engine, SAMPLE_HOMES, seed, shards, fuse_below)
    _book_legal(small, SAMPLE_ORDERS_MAX)
    size = max(2, -(-orders * len(small.homes) // max(len(small.items) // len(small.homes) * len(small.homes), 1)))
    book = small
    for _ in range(GROWTHS_MAX):
        book = _found(engine, size, seed, shards, fuse_below)
        _book_legal(book, orders)
        if len(book.items) == orders:
            return book
        size = int(size * GROWTH) + 1
    problem = f"{engine.rules.name}'s sample gives {len(book.items)} legal orders on a campaign made for {orders}"
    raise InvalidInput("--orders", problem, f"at most {len(book.items)}")


def _found(engine: Engine, size: int, seed: int, shards: int, fuse_below: int) -> Book:
    """A generated campaign without orders."""
    rulebook = cast(Rulebook, engine.rules)
    campaign_seed = bytes.fromhex(sha256_hex(f"tocsin/bench/{seed}".encode()))
    plan = CampaignPlan(
        campaign="bench",
        rulebook=rulebook.name,
        scenario={"generate": {"size": size, "seed": str(seed)}},
        shards=shards,
        fuse_below=fuse_below,
    )
    new = new_campaign(engine, plan, campaign_seed, "bench", "bench")
    manifest = msgspec.json.decode(new.blobs[new.manifest], type=Manifest)
    homes: dict[str, Any] = {}
    for ref in manifest.slices:
        lines = Slice.parse(new.blobs[ref.digest] if ref.digest else b"").lines
        homes |= {key: engine.read_home(line) for key, line in lines.items()}
    shared = engine.read_shared(new.blobs[manifest.shared])
    settings = msgspec.json.decode(new.settings, type=rulebook.settings)
    return Book(rulebook, engine, new, campaign_seed, seed, settings, homes, shared, [], [])


def _book_legal(book: Book, wanted: int) -> None:
    """Judge the rulebook's sample of orders as intake would, until enough are booked within their meters."""
    homes_in_order = (book.homes[key] for key in sorted(book.homes))
    drawn = book.rulebook.sample(homes_in_order, book.shared, book.settings, 1, generation_dice(book.draw))
    ids = Ids(id_key(book.seed))
    sight = Sight(book.rulebook, 1, book.settings, book.shared)
    used: dict[tuple[str, str], int] = {}
    mine: dict[tuple[str, str], tuple[Booked[Any, Any], ...]] = {}
    for number, (camp, actor, order) in enumerate(drawn):
        if len(book.items) == wanted:
            return
        reads = book.rulebook.reads(order)
        homes = {key: book.homes.get(key) for key in reads.homes}
        booked = {key: mine[camp, key] for key in reads.booked if (camp, key) in mine}
        answer = book.rulebook.check(order, sight.view(camp, homes, booked))
        if not isinstance(answer, Booking) or not _take(used, answer):
            continue
        order_id = ids.order(1, actor, "bench", number)
        entry = Booked(order_id, answer.home, camp, actor, order, answer.facts, answer.costs)
        book.orders.append(entry)
        book.items.append(_item(book, entry))
        if reads.booked:
            mine[camp, answer.home] = (*mine.get((camp, answer.home), ()), entry)


def _item(book: Book, entry: Booked[Any, Any]) -> IntakeItem:
    places = [cost.place(entry.home) for cost in entry.costs]
    costs = tuple(
        Cost(place, meter_field(place, cost.meter), cost.amount, cost.limit)
        for place, cost in zip(places, entry.costs, strict=True)
    )
    return IntakeItem(entry.id, entry.home, book.engine.packing.pack(entry), costs)


def _take(used: dict[tuple[str, str], int], booking: Booking) -> bool:
    """Take a booking's costs from the meters, or nothing and False where one is over its limit."""
    meters = [(cost.place(booking.home), cost.meter) for cost in booking.costs]
    for meter, cost in zip(meters, booking.costs, strict=True):
        if cost.amount > 0 and used.get(meter, 0) + cost.amount > cost.limit:
            return False
    for meter, cost in zip(meters, booking.costs, strict=True):
        used[meter] = used.get(meter, 0) + cost.amount
    return True
