"""Receipts are kept in a file that can be written, or nothing is booked; what was booked is always shown."""

import json
from pathlib import Path

import pytest

from tests.cli.world import Cli, Town, open_campaign, orders_of

pytestmark = pytest.mark.xdist_group("town")


@pytest.fixture(scope="module")
def camp(place: Town) -> Cli:
    """A camp of a campaign whose tick 1 takes orders."""
    secret, _ = open_campaign(place.operator, "receipted")
    return Cli(TOCSIN_URL=place.stack.url, TOCSIN_TOKEN=secret)


@pytest.fixture
def player(camp: Cli) -> Cli:
    """The camp, with no orders booked."""
    withdraw_all(camp)
    return camp


def withdraw_all(player: Cli) -> None:
    for one in player.json("orders", "list", "receipted")["orders"]:
        player.json("orders", "withdraw", "receipted", one["id"])


@pytest.fixture(scope="module")
def orders(place: Town) -> str:
    return json.dumps(orders_of(place.operator, "angel")[:1])


@pytest.mark.parametrize("name", ["nodir/receipts.jsonl", "."])
def test_nothing_is_booked_where_the_receipts_file_can_not_be_opened(
    player: Cli, orders: str, tmp_path: Path, name: str
) -> None:
    file = str(tmp_path / name)
    before = player.json("orders", "list", "receipted")["orders"]
    result = player("orders", "send", "receipted", "-", "--receipts", file, stdin=orders)

    assert 2 == result.exit_code
    assert f"tocsin: {file}: can't be written" in result.stderr
    assert before == player.json("orders", "list", "receipted")["orders"]


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_what_was_booked_is_shown_where_its_receipts_can_not_be_written(
    player: Cli, orders: str, options: tuple[str, ...]
) -> None:
    result = player("orders", "send", "receipted", "-", "--receipts", "/dev/full", *options, stdin=orders)
    (booked,) = player.json("orders", "list", "receipted")["orders"]

    assert 2 == result.exit_code
    assert booked["id"] in result.stdout
    assert "tocsin: /dev/full: can't be written" in result.stderr
    assert "the orders are booked" in result.stderr


def test_receipts_are_for_their_owner_alone(player: Cli, orders: str, tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    for count in (1, 2):
        player.json("orders", "send", "receipted", "-", "--receipts", str(file), stdin=orders)
        assert count == len(file.read_text(encoding="utf-8").splitlines())
        withdraw_all(player)

    assert 0o600 == file.stat().st_mode & 0o777


def test_tick_0_is_asked_for_and_takes_no_orders(player: Cli, orders: str) -> None:
    before = player.json("orders", "list", "receipted")["orders"]
    result = player("orders", "send", "receipted", "-", "--for-tick", "0", stdin=orders)

    assert 2 == result.exit_code
    assert "tick 0 doesn't take orders" in result.stderr
    assert before == player.json("orders", "list", "receipted")["orders"]


@pytest.mark.parametrize("secret", ["tocsin_SECRET\x1b", "tocsin_SEC\rRET", "tocsin_SEC\nRET", "tocsin SECRET", "é"])
def test_a_text_that_is_no_token_is_told_without_it(cli: Cli, secret: str) -> None:
    result = cli("campaign", "show", "town", "--url", "http://127.0.0.1:9", "--token", secret)

    assert 2 == result.exit_code
    assert "tocsin: --token: it is no token" in result.stderr
    assert "SEC" not in result.stdout + result.stderr


def test_the_end_of_a_line_behind_a_token_is_no_part_of_it(place: Town) -> None:
    secret, _ = open_campaign(place.operator, "carriage")

    assert (
        "carriage"
        == Cli(TOCSIN_URL=place.stack.url).json("campaign", "show", "carriage", "--token", f"{secret}\r\n")["campaign"]
    )
