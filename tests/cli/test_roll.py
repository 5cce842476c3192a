"""`tocsin roll`: known answers, and the line by which anybody recomputes them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.world import Cli, tocsin
from tests.servers import unavailable
from workers.cli.roll import openssl_line, spread
from workers.kernel.dice import Dice

VECTORS = json.loads((Path(__file__).parents[1] / "kernel" / "vectors.json").read_text(encoding="utf-8"))
SEED = "c2cbf150f525177d5ed8b63e5162b5e92570817e9c261589b0792c0538e303c6"


@pytest.mark.parametrize("draw", VECTORS["draws"], ids=lambda draw: draw["path"])
def test_the_known_answers_come_out(cli: Cli, draw) -> None:
    bounds = map(str, draw["below"])
    document = cli.json("roll", "--tick-seed", draw["tick_seed"], "--path", draw["path"], "--below", *bounds)

    assert {"values": draw["values"]} == document


def test_the_bounds_may_stand_anywhere_among_the_flags() -> None:
    done = tocsin("roll", "--below", "6", "6", "6", "--json", "--path", "mission/01/roll", "--tick-seed", SEED)

    assert ('{"values":[2,0,0]}\n', "", 0) == (done.stdout, done.stderr, done.returncode)


def test_without_json_the_values_stand_first_and_the_openssl_line_is_told(cli: Cli) -> None:
    told = cli("roll", "--tick-seed", SEED, "--path", "mission/01/roll", "--below", "6", "6", "6").stdout

    assert "2 0 0" == told.splitlines()[0]
    assert openssl_line(SEED, "mission/01/roll") in told


def test_the_openssl_line_computes_the_first_block() -> None:
    if shutil.which("openssl") is None:
        unavailable("there is no openssl")
    path = "mission/élan d'hiver/roll"
    line = openssl_line(SEED, path)
    printed = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True).stdout

    assert Dice(bytes.fromhex(SEED)).block(path, 0).hex() == printed.split()[-1]


@pytest.mark.parametrize(
    ("flag", "value", "named"),
    [
        ("--below", "0", "--below: a draw is below 1..2**64, got 0 (accepted: integers from 1 to 2**64)"),
        ("--below", "-1", "--below: a draw is below"),
        ("--below", "18446744073709551617", "--below: a draw is below"),
        ("--path", "mission/01", "--path: a path of dice is phase/subject/label"),
        ("--path", "a/b/c#1", "--path: a path of dice"),
        ("--tick-seed", "00", "--tick-seed: 2 characters that are no seed (accepted: 64 hexadecimal digits)"),
        ("--tick-seed", "é" * 64, "--tick-seed: 64 characters that are no seed"),
    ],
)
def test_bad_input_is_named_with_what_would_be_accepted(cli: Cli, flag: str, value: str, named: str) -> None:
    given = {"--tick-seed": SEED, "--path": "mission/01/roll", "--below": "6", flag: value}
    result = cli("roll", *(part for pair in given.items() for part in pair))

    assert 2 == result.exit_code
    assert f"tocsin: {named}" in result.stderr
    assert "" == result.stdout


def test_integers_are_taken_only_where_they_follow_the_flag() -> None:
    assert ["--below=6", "--below=7", "--json", "8"] == spread(["--below", "6", "7", "--json", "8"])
    assert ["--below=6", "--below=7"] == spread(["--below=6", "7"])
    assert ["1", "--below=-2"] == spread(["1", "--below", "-2"])


def test_a_roll_waits_for_no_part_that_it_does_not_need() -> None:
    code = """
import sys
from workers.cli.program import app
app(sys.argv[1:], standalone_mode=False)
print(sorted(sys.modules.keys() & {"celery", "kombu", "redis", "httpx2", "fsspec", "fastapi"}))
"""
    arguments = ["roll", "--tick-seed", SEED, "--path", "mission/01/roll", "--below", "6", "--json"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)

    assert '{"values":[2]}\n[]\n' == done.stdout
