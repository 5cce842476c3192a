"""What an order costs in the server's memory."""

from hashlib import sha256

import redis

from tests.store.campaigns import NAME, book, opened, order_id
from workers.store import Store
from workers.store.records import Cost, IntakeItem

ORDERS = 20_000
BYTES_AN_ORDER = 64


def test_a_booked_order_costs_at_most_64_bytes(real_store: Store, real_client: redis.Redis) -> None:
    """Two orders a servant, one meter each, orders as long as the Veil's, servants spread over batches of 1,000.

    A sample of 20,000 orders with slices in proportion (52 stand for 256 at 100,000; 64 is the power of two): the cost
    an order grows with neither, since lists and hashes stay compact up to sizes that groups and slices are chosen for.
    """
    servants = ORDERS // 2
    head = opened(real_store, slices=64, groups=128)  # a power of two near 10,000 / 64
    for start in range(0, ORDERS, 1_000):
        items = []
        for number in range(start, start + 1_000):
            servant = f"s{number * 7_919 % servants}"
            costs = (Cost(servant, f"{servant}/ap", 1, 2),)
            items.append(IntakeItem(order_id(number), servant, packed_like_the_veils(number, servant), costs))
        reply = book(real_store, head, *items, idem=f"{start:064x}", body=f"{start:064x}")
        assert all(result == 1 for result in reply.results)
    keys = [
        key
        for kind in ("book", "meters", "where", "revisions", "counts", "idem", "idems")
        for key in real_client.scan_iter(match=f"tocsin:{{{NAME}}}:{kind}:*")
    ]
    spent = sum(real_client.memory_usage(key, samples=0) or 0 for key in keys)

    assert 40 < spent / ORDERS <= BYTES_AN_ORDER


def packed_like_the_veils(number: int, servant: str) -> bytes:
    """Some 52 bytes of which sixteen, the id, can't be compressed, and one in four orders with a second such id."""
    mission = sha256(b"mission %d" % number).hexdigest()[:26] if number % 4 == 0 else "z17"
    return b"".join(
        [
            b"\x99\x05\xc4\x10",
            sha256(b"order %d" % number).digest()[:16],
            b"\x01\x00\x00\xc0\x93",
            b"\xa6%b\xa3%b\x00" % (servant.encode(), mission.encode()),
            b"\xc0\x91\x92\xa2ap\x01",
        ]
    )
