"""Over many games, nothing of what a player sees depends on what is hidden from it.

In each game a coin decides what is hidden: what the scenario has, or something drawn anew, with the enemy's orders
booked and taken back. Every number of a player's answers (sizes, counts, places, bits of ids and of ETags) is then held
against the coins by Fisher's exact test. All seeds are fixed, so this passes or fails the same each time; with others,
equal worlds would be told apart once in ten thousand times at most (the union bound over all numbers).
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import Any

import pytest

from tests.api.web import Response, Web
from tests.attack.hidden import CASES, Seat, enemy_orders, found
from tests.attack.script import masked
from workers.kernel.dice import Dice

GAMES = 32
BITS = 16
FALSE_ALARM = 1e-4
NUMBERS_LEAST = 200

See = Callable[[Web, Seat], list[int]]


def bits_of(text: str) -> list[int]:
    """Some bits of what a text hashes to: a text that depends on something has bits that do, or is one of few."""
    digest = int.from_bytes(hashlib.sha256(text.encode()).digest()[: BITS // 8], "big")
    return [digest >> bit & 1 for bit in range(BITS)]


def numbers(answers: Sequence[Response]) -> Iterator[int]:
    """What can be counted, measured or ordered of answers."""
    for answer in answers:
        body = masked(answer.content)
        yield len(body)
        yield answer.status_code
        yield int(answer.headers.get("content-length", "0"))
        yield len(answer.headers)
        yield from _of(json.loads(body.replace(b"<moment>", b"0")) if body else None)
        yield from bits_of(answer.headers.get("etag", ""))


def _of(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        yield len(value)
        for inner in value.values():
            yield from _of(inner)
    elif isinstance(value, list):
        yield len(value)
        if value:
            yield from _of(value[0])
            yield from _of(value[-1])
    elif isinstance(value, str):
        yield len(value)
        yield from bits_of(value)
    elif isinstance(value, int | float):
        yield int(value)


def exact_test(coins: Sequence[int], values: Sequence[int]) -> float:
    """The chance of a table at least as unlikely as the one of coin against value above the median (Fisher's exact
    test, two-sided): what no dependence gives."""
    median = sorted(values)[len(values) // 2]
    table = Counter((coin, value >= median) for coin, value in zip(coins, values, strict=True))
    heads, above, total = sum(coins), table[0, True] + table[1, True], len(values)
    ways = {both: comb(heads, both) * comb(total - heads, above - both) for both in range(min(heads, above) + 1)}
    seen = ways[table[1, True]]
    return sum(way for way in ways.values() if way <= seen) / comb(total, above)


def ask_all(web: Web, seat: Seat) -> list[int]:
    """The numbers of a player's few requests, each of its kind."""
    at, token = f"/campaigns/{seat.campaign}", web.token(seat.campaign, "camp", camp=seat.camp)
    some = {"orders": list(seat.orders[:4])}
    answers = [
        web.get(f"{at}{path}", token) for path in ("", "/ticks/current", "/view?limit=1000", "/reports?pages=50")
    ]
    answers += [web.post(f"{at}/orders:check", token, json=order) for order in seat.orders[:4]]
    answers.append(web.post(f"{at}/orders", token, json=some, headers={"Idempotency-Key": "one"}))
    answers.append(web.get(f"{at}/orders?limit=1", token))
    answers.append(web.post(f"{at}/orders", token, json={"orders": [{"kind": "nothing"}]}))
    return list(numbers(answers))


def count_the_book(web: Web, seat: Seat) -> list[int]:
    """What no player is told: how many orders the book has."""
    store = web.world.services.store
    head = store.heads.get(seat.campaign)
    assert head is not None
    booked = sum(map(len, store.intake.read_slices(seat.campaign, 1, range(head.slices))))
    return [booked, *([0] * NUMBERS_LEAST)]


def enemy_at_work(web: Web, seat: Seat, seed: bytes) -> None:
    """The other camp's orders, booked and taken back."""
    head = web.world.services.store.heads.get(seat.campaign)
    assert head is not None
    for other in head.camps:
        if other != seat.camp:
            token = web.token(seat.campaign, "camp", camp=other)
            for order in enemy_orders(web.world.services, seat, other, seed):
                sent = web.post(f"/campaigns/{seat.campaign}/orders", token, json=order)
                if sent.status_code == 201:
                    web.delete(f"/campaigns/{seat.campaign}/orders/{sent.json()['id']}", token)


def alarm(web: Web, rulebook: str, camp: str, see: See) -> bool:
    """Whether anything that is seen depends on the coins."""
    coins, rows = [], []
    for number in range(GAMES):
        seed = hashlib.sha256(f"{rulebook}/{camp}/{number}".encode()).digest()
        coins.append(seed[0] & 1)
        hidden = Dice(seed).stream("hidden/of/game") if coins[-1] else None
        seat = found(web.world.services, rulebook, camp, seed, hidden, f"{rulebook}-{camp}-{number:03}")
        if coins[-1]:
            enemy_at_work(web, seat, seed)
        rows.append(see(web, seat))
    width = min(map(len, rows))
    assert width > NUMBERS_LEAST
    columns = [[row[column] for row in rows] for column in range(width)]
    columns.append([len(row) for row in rows])
    return min(exact_test(coins, column) for column in columns) * len(columns) < FALSE_ALARM


@pytest.mark.parametrize(("rulebook", "camp"), CASES)
def test_K7_nothing_that_a_player_sees_depends_on_what_is_hidden(installed: Web, rulebook: str, camp: str) -> None:
    assert not alarm(installed, rulebook, camp, ask_all)


def test_what_depends_on_it_is_found(installed: Web) -> None:
    """The same games, looked at by somebody who may count the book."""
    assert alarm(installed, "veil", "angel", count_the_book)


def test_the_exact_test_says_how_likely_chance_is() -> None:
    half = [0] * 5 + [1] * 5

    assert 2 / comb(10, 5) == pytest.approx(exact_test(half, half))
    assert 1.0 == pytest.approx(exact_test(half, [0, 1] * 5))
    assert 1.0 == exact_test(half, [7] * 10)
