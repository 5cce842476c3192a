"""With everything that a client can see before the reveal, nothing predicts a roll, and nothing gives a key away."""

import base64
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import fakeredis
import pytest

from tests.api.web import Web, serve
from tests.attack.hidden import CASES, found
from workers.kernel.dice import Dice
from workers.kernel.ids import Ids, encode_id, id_key, mac, salt, tick_seed
from workers.registry import load_registry

SEED = bytes(range(100, 132))
TICKS = 6
SHOWN_BYTES_LEAST = 50_000
WAYS = ("hex", "HEX", "base64", "base64url", "base32", "raw", "decimal", "list")


def written(secret: bytes, way: str) -> bytes:
    """A secret as it could stand in an answer."""
    match way:
        case "hex":
            return secret.hex().encode()
        case "HEX":
            return secret.hex().upper().encode()
        case "base64":
            return base64.b64encode(secret).rstrip(b"=")
        case "base64url":
            return base64.urlsafe_b64encode(secret).rstrip(b"=")
        case "base32":
            return base64.b32encode(secret).rstrip(b"=").lower()
        case "raw":
            return secret
        case "decimal":
            return str(int.from_bytes(secret, "big")).encode()
        case _:
            return ",".join(map(str, secret)).encode()


def secrets() -> dict[str, bytes]:
    """What nobody but the server may know before the reveal of tick 1: keys, and what they give."""
    keys = {"campaign seed": SEED, "id key": id_key(SEED)}
    for tick in range(TICKS):
        keys |= {f"seed of tick {tick}": tick_seed(SEED, tick), f"salt of tick {tick}": salt(SEED, tick)}
    return keys


@pytest.fixture(params=["veil", "uprising", "anarchy"])
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Web, tuple[str, ...]]]:
    """A campaign whose first tick is published and whose seeds are all hidden still."""
    twin = fakeredis.FakeServer()
    fake = partial(fakeredis.FakeAsyncRedis, server=twin)
    with serve(fakeredis.FakeRedis(server=twin), fake, tmp_path, rulebooks=load_registry()) as web:
        web.found("city", request.param, campaign_seed=SEED.hex(), policy={"reveal_after": 3})
        yield web, web.get("/campaigns/city", web.admin).json()["camps"]


def shown(web: Web, camps: tuple[str, ...]) -> bytes:
    """Every byte that a camp's clients read of two ticks: headers and bodies, refusals too."""
    seen: list[bytes] = []

    def ask(method: str, path: str, token: str, **request: object) -> bytes:
        answer = web.ask(method, f"/campaigns/city{path}", token, **request)
        seen.append(b"".join(name + b":" + value for name, value in answer.headers.raw) + answer.content)
        return answer.content

    tokens = [web.token("city", "camp", camp=camp) for camp in camps]
    for _ in range(2):
        for token in tokens:
            for path in (
                "",
                "/ticks/current",
                "/ticks/0",
                "/ticks/1",
                "/ticks/2",
                "/view?limit=1000",
                "/reports?pages=50",
            ):
                ask("GET", path, token)
            for tick in range(TICKS):
                ask("GET", f"/ticks/{tick}/commitment", token)
                ask("GET", f"/ticks/{tick}/seed", token)
            home = json.loads(ask("GET", "/view?limit=1000", token))["homes"]
            for order in ({"kind": "recovery", "servant": one["key"]} for one in home[:5]):
                ask("POST", "/orders", token, json=order, headers={"Idempotency-Key": "one"})
                ask("POST", "/orders:check", token, json=order)
            ask("GET", "/orders", token)
        web.play("city")
    return b"\n".join(seen)


def test_no_byte_that_a_client_sees_before_the_reveal_is_of_a_key(game: tuple[Web, tuple[str, ...]]) -> None:
    web, camps = game
    bytes_shown = shown(web, camps)

    assert len(bytes_shown) > SHOWN_BYTES_LEAST
    leaked = [(name, way) for name, secret in secrets().items() for way in WAYS if written(secret, way) in bytes_shown]
    assert [] == leaked
    for tick in range(TICKS):  # nor the blocks that rolls to come are drawn from
        block = Dice(tick_seed(SEED, tick)).block("mission/a/roll", 0)
        assert [] == [way for way in WAYS if written(block, way) in bytes_shown]


def test_what_is_looked_for_would_be_found(game: tuple[Web, tuple[str, ...]]) -> None:
    """The commitment is public, and shown."""
    web, camps = game
    promise = web.get("/campaigns/city/ticks/1/commitment", web.admin).json()["commitment"]

    assert written(bytes.fromhex(promise), "hex") in shown(web, camps)


@pytest.mark.parametrize(("rulebook", "camp"), CASES)
def test_an_orders_id_is_not_what_anybody_computes_without_the_key(installed: Web, rulebook: str, camp: str) -> None:
    """It is of the id key, and of none that a client has or may guess: its token, a commitment, nothing."""
    seat = found(installed.world.services, rulebook, camp, SEED)
    token = installed.token(seat.campaign, "camp", camp=camp)
    sent = installed.post(
        f"/campaigns/{seat.campaign}/orders", token, json=seat.orders[0], headers={"Idempotency-Key": "one"}
    )
    promise = installed.get(f"/campaigns/{seat.campaign}/ticks/1/commitment", token).json()["commitment"]
    guesses = [b"", bytes(32), token.encode(), bytes.fromhex(promise), seat.campaign.encode(), b"tocsin/ids"]
    text = f"order/1/{camp}/one/0"

    assert Ids(id_key(SEED)).order(1, camp, "one", 0) == encode_id(mac(id_key(SEED), text)[:16]) == sent.json()["id"]
    assert sent.json()["id"] not in {encode_id(mac(guess, text)[:16]) for guess in guesses}


@pytest.mark.parametrize("secret", ["campaign_seed", "id_key", "salt"])
def test_no_answer_has_a_field_of_a_secrets_name(game: tuple[Web, tuple[str, ...]], secret: str) -> None:
    web, camps = game

    assert f'"{secret}"'.encode() not in shown(web, camps)
