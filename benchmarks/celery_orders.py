"""One Celery task an order, with the same rules: the usual way. It is `tocsin bench tick`'s own reference, alone."""

import json

from benchmarks.common import arguments, book_of
from workers.cli.bench.ground import ground
from workers.cli.bench.naive import naive_orders_per_s


def main() -> None:
    """Measure it."""
    chosen = arguments("One Celery task an order.", workers=2)
    book = book_of(chosen.rulebook, chosen.orders)
    with ground(chosen.workers) as here:
        rates = [naive_orders_per_s(here, book, chosen.orders) for _ in range(chosen.runs)]
    found = {
        "reference": "one Celery task an order",
        "orders": chosen.orders,
        "runs": [round(chosen.orders / rate, 4) for rate in rates],
        "orders_per_s": round(sorted(rates)[len(rates) // 2], 1),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
