"""Whatever a file holds, a verb does its work or says which field is wrong: no traceback, no bare exception."""

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.cli.mutation import broken, mutated
from tests.cli.test_records import lines_of, write
from tests.cli.world import Cli
from workers.cli.orders import read_orders
from workers.kernel.engine import Engine
from workers.kernel.errors import InvalidInput
from workers.registry import load_registry
from workers.rules.resources import parse_scenario, scenario_text
from workers.service.founding import CampaignPlan, new_campaign

RULEBOOKS = tuple(load_registry())
SEEDS = (1, 2, 3)
EXCEPTION = re.compile(r"\b(?:[A-Z][a-z]+)+(?:Error|Exception)\b|Traceback")
KEPT = sorted((Path(__file__).parents[1] / "records" / "kept").glob("*.zst"))
RANDOMS = st.randoms(use_true_random=False)

many = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@cache
def example(rulebook: str) -> str:
    return Cli()("resolve", "--example", rulebook).stdout


def unchecked(text: str, random: Random) -> str:
    """The bundle, half of the time with orders that say neither their home nor their facts: they are checked then."""
    document = json.loads(text)
    if random.random() < 0.5:
        for item in document["orders"]:
            item.pop("home", None)
            item.pop("facts", None)
    return json.dumps(document)


def check_clear(cli: Cli, path: Path, *arguments: str) -> None:
    """The verb ends well, or with a sentence that names the file and what would be accepted."""
    result = cli(*arguments, str(path), "--json")

    assert result.exit_code in (0, 2), (result.exit_code, result.stderr)
    assert EXCEPTION.search(result.stderr) is None, result.stderr
    if result.exit_code:
        assert "" == result.stdout
        assert result.stderr.startswith(f"tocsin: {path}")


@pytest.mark.parametrize("number", SEEDS)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize("verb", ["resolve", "odds"])
def test_a_changed_bundle_is_played_or_its_field_is_named(
    cli: Cli, tmp_path: Path, verb: str, rulebook: str, number: int
) -> None:
    @seed(number)
    @many
    @given(random=RANDOMS)
    def check(random: Random) -> None:
        path = tmp_path / "bundle.json"
        path.write_bytes(mutated(unchecked(example(rulebook), random), random))
        check_clear(cli, path, verb)

    check()


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_bundle_whose_bytes_are_broken_is_played_or_told(cli: Cli, tmp_path: Path, rulebook: str) -> None:
    @many
    @given(random=RANDOMS)
    def check(random: Random) -> None:
        path = tmp_path / "bundle.json"
        path.write_bytes(broken(example(rulebook).encode(), random))
        check_clear(cli, path, "resolve")

    check()


def spoiled(lines: list[bytes], random: Random) -> list[bytes]:
    """A record's lines with one changed, broken, dropped or doubled; the digest at its end often made to fit again."""
    number = random.choice([0, random.randrange(len(lines) - 1)])
    match random.randrange(4):
        case 0:
            lines[number] = mutated(lines[number], random)
        case 1:
            lines[number] = broken(lines[number], random).replace(b"\n", b"")
        case 2:
            del lines[number]
        case _:
            lines.insert(number, random.choice(lines))
    if random.random() < 0.7:
        lines = [line for line in lines if not line.startswith(b'["end"')]
        digest = hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
        lines.append(f'["end","{digest}"]'.encode())
    return lines


@pytest.mark.parametrize("number", SEEDS)
@pytest.mark.parametrize("record", KEPT, ids=lambda path: path.stem)
def test_a_changed_record_is_verified_or_the_place_is_named(
    cli: Cli, tmp_path: Path, record: Path, number: int
) -> None:
    """0: the change was none; 1: a claim doesn't hold; 2: it is no record any more."""
    base = lines_of(record)

    @seed(number)
    @many
    @given(random=RANDOMS)
    def check(random: Random) -> None:
        path = write(tmp_path / "spoiled.zst", spoiled(list(base), random))
        for verb in ("verify", "replay"):
            result = cli(verb, str(path))
            assert result.exit_code in (0, 1, 2), result.stderr
            assert EXCEPTION.search(result.stderr) is None, result.stderr
            assert bool(result.exit_code) == result.stderr.startswith(f"tocsin: {path}: ")

    check()


@pytest.mark.parametrize("record", KEPT, ids=lambda path: path.stem)
def test_a_record_whose_file_is_broken_is_told(cli: Cli, tmp_path: Path, record: Path) -> None:
    data = record.read_bytes()

    @many
    @given(random=RANDOMS)
    def check(random: Random) -> None:
        path = tmp_path / "broken.zst"
        path.write_bytes(broken(data, random))
        result = cli("verify", str(path))
        assert result.exit_code in ((0, 1, 2) if path.read_bytes() == data else (1, 2))
        assert EXCEPTION.search(result.stderr) is None, result.stderr

    check()


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_changed_scenario_founds_a_campaign_or_its_field_is_named(rulebook: str) -> None:
    rules = load_registry().get(rulebook)
    engine = Engine(rules)
    scenario = msgspec.json.encode(parse_scenario(rules, scenario_text(rules, rules.scenarios[0])))

    @many
    @given(random=RANDOMS)
    def check(random: Random) -> None:
        changed = json.loads(mutated(scenario, random))
        plan = CampaignPlan(campaign="changed", rulebook=rulebook, scenario=changed)
        try:
            assert "changed" == new_campaign(engine, plan, bytes(32), "", "").campaign
        except InvalidInput as error:
            told = error.field or error.problem
            assert told

    check()


def test_a_broken_file_of_orders_is_a_list_or_is_told(tmp_path: Path) -> None:
    orders = json.dumps([item["order"] for item in json.loads(example("veil"))["orders"]]).encode()

    @many
    @given(random=RANDOMS)
    def check(random: Random) -> None:
        path = tmp_path / "orders.json"
        path.write_bytes(broken(orders, random) if random.random() < 0.5 else mutated(orders, random))
        try:
            assert read_orders(str(path))
        except InvalidInput as error:
            told = str(error)
            assert told.startswith(str(path))

    check()
