"""A camp checks its own rolls and receipts with what it keeps; whatever was changed is told by its place."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.cli.mutation import broken, mutated
from tests.cli.test_mutated_files import EXCEPTION
from tests.cli.world import LIMIT_S, Cli, Town, open_campaign, orders_of

pytestmark = pytest.mark.xdist_group("town")


@pytest.fixture(scope="module")
def angel(place: Town, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The papers and receipts of a camp, of a campaign whose tick 1 has its seed revealed."""
    folder = tmp_path_factory.mktemp("papers")
    papers, receipts = folder / "papers.json", folder / "receipts.jsonl"
    secret, _ = open_campaign(place.operator, "kept")
    player = Cli(TOCSIN_URL=place.stack.url, TOCSIN_TOKEN=secret)
    orders = json.dumps(orders_of(place.operator, "angel"))
    sent = player("orders", "send", "kept", "-", "--receipts", str(receipts), stdin=orders)
    assert 0 == sent.exit_code, sent.stderr
    for tick in ("1", "2"):
        assert 0 == place.operator("tick", "close", "kept").exit_code
        assert 0 == place.operator("tick", "watch", "kept", tick, "--limit-s", str(LIMIT_S)).exit_code
    saved = player.json("reports", "save", "kept", str(papers))
    assert saved["facts"] > 0
    return papers, receipts


def test_rolls_and_receipts_of_a_camp_are_checked_without_a_server(cli: Cli, angel: tuple[Path, Path]) -> None:
    papers, receipts = angel
    found = cli.json("verify", "--reports", str(papers), "--receipts", str(receipts))
    told = cli("verify", "--reports", str(papers), "--receipts", str(receipts)).stdout

    assert {"rolls", "receipts", "verified"} == found.keys()
    assert found["verified"]
    assert found["rolls"]["checked"] > 0
    assert found["receipts"] == len(receipts.read_text(encoding="utf-8").splitlines()) > 0
    assert f"{found['rolls']['checked']} rolls are what their seeds draw" in told
    assert f"{found['receipts']} receipts are of their orders" in told


def test_papers_are_private_and_written_once(place: Town, angel: tuple[Path, Path]) -> None:
    again = place.angel("reports", "save", "town", str(angel[0]))

    assert 0 == angel[0].stat().st_mode & 0o077
    assert (2, True) == (again.exit_code, "it is there already" in again.stderr)


def roll_of(papers: dict[str, Any]) -> dict[str, Any]:
    """The first roll of a tick whose seed is revealed."""
    return next(
        one["fact"]["roll"]
        for one in papers["facts"]
        if one["tick"] == 1 and (one["fact"].get("roll") or {}).get("dice")
    )


def change_dice(papers: dict[str, Any]) -> None:
    dice = roll_of(papers)["dice"]
    dice[0] = dice[0] % 6 + 1


def change_path(papers: dict[str, Any]) -> None:
    roll_of(papers)["path"] = "no path"


def change_seed(papers: dict[str, Any]) -> None:
    papers["seeds"]["1"] = "0" * 64


def change_commitment(papers: dict[str, Any]) -> None:
    papers["commitments"]["1"] = "0" * 64


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (change_dice, "aren't what the seed draws"),
        (change_path, "no roll has that path"),
        (change_seed, "seeds.1: the seed revealed isn't the one that was committed to"),
        (change_commitment, "seeds.1: the seed revealed isn't the one that was committed to"),
    ],
)
def test_what_was_changed_is_told(cli: Cli, angel: tuple[Path, Path], tmp_path: Path, change: Any, told: str) -> None:
    papers = json.loads(angel[0].read_text(encoding="utf-8"))
    change(papers)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(papers), encoding="utf-8")
    result = cli("verify", "--reports", str(path), "--json")

    assert 1 == result.exit_code
    assert result.stderr.startswith(f"tocsin: {path}: ")
    assert told in result.stderr


def test_a_seed_with_a_commitment_made_to_fit_is_caught_by_the_one_that_was_written_down(
    cli: Cli, angel: tuple[Path, Path]
) -> None:
    papers = json.loads(angel[0].read_text(encoding="utf-8"))
    good, bad = papers["commitments"]["1"], "0" * 64

    assert 0 == cli("verify", "--reports", str(angel[0]), "--commitment", f"1={good}").exit_code
    result = cli("verify", "--reports", str(angel[0]), "--commitment", f"1={bad}")
    assert (1, True) == (result.exit_code, "commitments.1: it isn't the one that was written down" in result.stderr)


def test_a_commitment_that_was_written_down_and_is_not_in_the_papers_is_told(
    cli: Cli, angel: tuple[Path, Path]
) -> None:
    """Whoever runs the server left it out: without it nothing holds that tick's dice to what was promised."""
    result = cli("verify", "--reports", str(angel[0]), "--commitment", f"99={'0' * 64}")

    assert 1 == result.exit_code
    assert f"tocsin: {angel[0]}: commitments.99: it isn't there, and one was written down\n" == result.stderr


def test_a_commitment_may_be_written_down_in_capitals_and_twice(cli: Cli, angel: tuple[Path, Path]) -> None:
    good = json.loads(angel[0].read_text(encoding="utf-8"))["commitments"]["1"]
    noted = ("--commitment", f"1={good.upper()}", "--commitment", f"1={good}")

    assert 0 == cli("verify", "--reports", str(angel[0]), *noted).exit_code


@pytest.mark.parametrize(
    "written", ["1=" + "z" * 64, "99=" + "z" * 64, "1=" + "0" * 63, "1=" + "\uff10" * 64, "1=", "=" + "0" * 64]
)
def test_what_is_no_commitment_is_told(cli: Cli, angel: tuple[Path, Path], written: str) -> None:
    result = cli("verify", "--reports", str(angel[0]), "--commitment", written)

    assert (2, True) == (result.exit_code, result.stderr.startswith("tocsin: --commitment: ")), result.stderr


def test_two_commitments_of_one_tick_contradict_each_other(cli: Cli, angel: tuple[Path, Path]) -> None:
    good = json.loads(angel[0].read_text(encoding="utf-8"))["commitments"]["1"]
    result = cli("verify", "--reports", str(angel[0]), "--commitment", f"1={'0' * 64}", "--commitment", f"1={good}")

    assert 2 == result.exit_code
    assert result.stderr.startswith("tocsin: --commitment: two different ones for tick 1 ")


@pytest.mark.parametrize("field", ["id", "revision", "camp", "actor", "order", "digest"])
def test_a_changed_receipt_is_told(cli: Cli, angel: tuple[Path, Path], tmp_path: Path, field: str) -> None:
    lines = [json.loads(line) for line in angel[1].read_text(encoding="utf-8").splitlines()]
    number = next(n for n, line in enumerate(lines) if line["order"]["kind"] == "recovery") if field == "order" else 1
    changed = {"id": "a" * 26, "revision": 2, "camp": "demon", "actor": "eve", "digest": "0" * 64}
    lines[number][field] = changed.get(field, {"kind": "recovery", "servant": "nobody"})
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = cli("verify", "--receipts", str(path))

    assert 1 == result.exit_code
    assert f"tocsin: {path}: receipt {number + 1} (" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), "records, --reports or --receipts"),
        (("--commitment", "1=2", "--reports", "x"), "there is no such file"),
        (("--commitment", "1=" + "0" * 64), "it goes with --reports"),
    ],
)
def test_bad_usage_is_told(cli: Cli, arguments: tuple[str, ...], named: str) -> None:
    result = cli("verify", *arguments)

    assert (2, True) == (result.exit_code, named in result.stderr), result.stderr


@pytest.mark.parametrize("number", [1, 2, 3])
def test_whatever_the_files_hold_the_answer_is_clear(
    cli: Cli, angel: tuple[Path, Path], tmp_path: Path, number: int
) -> None:
    papers, lines = angel[0].read_bytes(), angel[1].read_bytes().splitlines()

    @seed(number)
    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(random=st.randoms(use_true_random=False))
    def check(random: Random) -> None:
        spoil = mutated if random.random() < 0.7 else broken
        one, other = tmp_path / "papers.json", tmp_path / "receipts.jsonl"
        one.write_bytes(spoil(papers, random))
        other.write_bytes(b"\n".join([*lines[1:], spoil(lines[0], random)]))
        for option, path in (("--reports", one), ("--receipts", other)):
            result = cli("verify", option, str(path), "--json")
            assert result.exit_code in (0, 1, 2), result.stderr
            assert EXCEPTION.search(result.stderr) is None, result.stderr
            assert bool(result.exit_code) == result.stderr.startswith(f"tocsin: {path}: "), result.stderr

    check()
