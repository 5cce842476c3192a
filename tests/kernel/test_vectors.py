"""The random contract's known answers, all of them: a section that no test knows fails the suite."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from workers.kernel.dice import Dice
from workers.kernel.ids import Ids, commitment, id_key, salt, tick_seed

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
CAMPAIGN_SEED = bytes.fromhex(VECTORS["ids"]["campaign_seed"])
IDS = Ids(id_key(CAMPAIGN_SEED))


def named(cases: list[dict[str, Any]], *fields: str) -> Any:
    return [pytest.param(case, id=" ".join(str(case[field])[:32] for field in fields)) for case in cases]


def test_every_section_of_the_vectors_is_tested() -> None:
    assert {"about", "tick_seeds", "draws", "initiative", "ids"} == VECTORS.keys()
    assert {"campaign_seed", "id_key", "handles", "orders", "missions", "salts"} == VECTORS["ids"].keys()
    assert all(VECTORS[section] for section in VECTORS)
    assert all(VECTORS["ids"][section] for section in VECTORS["ids"])


@pytest.mark.parametrize("case", named(VECTORS["tick_seeds"], "campaign_seed", "tick"))
def test_a_tick_seed_and_its_commitment(case: dict[str, Any]) -> None:
    seed = tick_seed(bytes.fromhex(case["campaign_seed"]), case["tick"])

    assert case["tick_seed"] == seed.hex()
    assert case["commitment"] == commitment(seed)


@pytest.mark.parametrize("case", named(VECTORS["draws"], "path"))
def test_the_draws_of_a_path(case: dict[str, Any]) -> None:
    stream = Dice(bytes.fromhex(case["tick_seed"])).stream(case["path"])

    assert case["values"] == [stream.below(bound) for bound in case["below"]]


@pytest.mark.parametrize("case", named([case for case in VECTORS["draws"] if set(case["below"]) == {6}], "path"))
def test_a_d6_is_one_more_than_a_draw_below_6(case: dict[str, Any]) -> None:
    dice = Dice(bytes.fromhex(case["tick_seed"]))
    faces = tuple(value + 1 for value in case["values"])
    stream = dice.stream(case["path"])

    assert faces == dice.d6(case["path"], len(faces))
    assert faces == tuple(stream.d6() for _ in faces)


@pytest.mark.parametrize("case", VECTORS["initiative"])
def test_the_order_of_initiative(case: dict[str, Any]) -> None:
    assert case["order"] == sorted(case["ids"], key=Dice(bytes.fromhex(case["tick_seed"])).initiative)


def test_the_id_key() -> None:
    assert VECTORS["ids"]["id_key"] == id_key(CAMPAIGN_SEED).hex()


@pytest.mark.parametrize("case", named(VECTORS["ids"]["handles"], "id"))
def test_the_handle_of_a_name(case: dict[str, Any]) -> None:
    assert case["handle"] == IDS.handle(case["id"])


@pytest.mark.parametrize("case", named(VECTORS["ids"]["orders"], "tick", "actor", "key", "index"))
def test_the_id_of_an_order(case: dict[str, Any]) -> None:
    assert case["order_id"] == IDS.order(case["tick"], case["actor"], case["key"], case["index"])


@pytest.mark.parametrize("case", named(VECTORS["ids"]["missions"], "tick", "servant"))
def test_the_id_of_a_thing_created_in_play(case: dict[str, Any]) -> None:
    assert case["mission_id"] == IDS.created("mission", case["tick"], case["servant"])


@pytest.mark.parametrize("case", named(VECTORS["ids"]["salts"], "tick"))
def test_the_salt_of_a_tick(case: dict[str, Any]) -> None:
    assert case["salt"] == salt(CAMPAIGN_SEED, case["tick"]).hex()


def openssl_hmac(key: bytes, message: str) -> bytes:
    command = ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key.hex()}", "-binary"]
    return subprocess.run(command, input=message.encode(), check=True, capture_output=True).stdout


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command line")
@pytest.mark.parametrize("case", named(VECTORS["draws"], "path"))
def test_a_player_gets_the_same_dice_from_openssl(case: dict[str, Any]) -> None:
    seed = bytes.fromhex(case["tick_seed"])

    for index in (0, 1, 10):
        assert openssl_hmac(seed, f"{case['path']}#{index}") == Dice(seed).block(case["path"], index)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command line")
def test_a_player_gets_the_same_seed_and_commitment_from_openssl() -> None:
    case = VECTORS["tick_seeds"][1]
    seed = openssl_hmac(bytes.fromhex(case["campaign_seed"]), f"tocsin/tick/{case['tick']}")

    assert case["tick_seed"] == seed.hex()
    assert case["commitment"] == hashlib.sha256(seed).hexdigest()
