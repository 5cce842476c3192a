"""`tocsin resolve` and `tocsin odds`: pure, offline, the same everywhere; bad files end in a sentence."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.cli.world import Cli, tocsin
from tests.pipeline.trapped import trapped_registry
from workers.cli.dangling import dangling
from workers.cli.errors import CheckFailed
from workers.cli.resolve import run
from workers.registry import load_registry
from workers.rules.bundle import load_bundle

DEEP = 100_000


def test_the_document_of_a_resolution_has_these_parts(cli: Cli, bundle: Path) -> None:
    document = cli.json("resolve", str(bundle))

    assert ["digest", "events", "reports", "state", "tick"] == sorted(document)
    assert ["homes", "shared"] == sorted(document["state"])
    assert ["angel", "demon"] == sorted(document["reports"])
    assert all(["facts", "phase"] == sorted(page) for pages in document["reports"].values() for page in pages)
    assert 64 == len(document["digest"])


def test_each_event_of_a_roll_holds_its_path_its_dice_and_its_terms(cli: Cli, bundle: Path) -> None:
    events = cli.json("resolve", str(bundle))["events"]
    rolls = [event["roll"] for event in events if event.get("roll")]

    assert rolls
    for roll in rolls:
        assert 3 == len(roll["path"].split("/"))
        assert all(1 <= die <= 6 for die in roll["dice"])
        assert all({"name", "value"} == set(term) for term in roll["terms"])


def test_a_bundle_resolves_to_one_digest_whatever_the_slices_and_the_hash_seed(cli: Cli, bundle: Path) -> None:
    digests = {cli.json("resolve", str(bundle), "--slices", slices)["digest"] for slices in ("1", "4", "256")}
    for seed in ("0", "1", "4242"):
        done = tocsin("resolve", str(bundle), "--json", PYTHONHASHSEED=seed)
        digests.add(json.loads(done.stdout)["digest"])

    assert 1 == len(digests)


@pytest.mark.parametrize("rulebook", list(load_registry()))
def test_every_rulebook_has_an_example_that_resolves(cli: Cli, rulebook: str) -> None:
    example = cli("resolve", "--example", rulebook).stdout

    assert json.loads(example)["orders"]
    assert 1 == cli.json("resolve", "-", stdin=example)["tick"]


def test_people_read_phases_reports_and_the_digest(cli: Cli, bundle: Path) -> None:
    digest = cli.json("resolve", str(bundle))["digest"]
    english, french = (cli("resolve", str(bundle), "--lang", language).stdout for language in ("en", "fr"))

    assert f"digest {digest}" == english.splitlines()[-1] == french.splitlines()[-1]
    assert "Mission and influence" in english
    assert "Mission et Influence" in french


def test_odds_are_exact_fractions_with_their_terms(cli: Cli, bundle: Path) -> None:
    orders = cli.json("odds", str(bundle))["orders"]
    given = json.loads(bundle.read_text(encoding="utf-8"))["orders"]

    assert [order["id"] for order in given] == [order["id"] for order in orders]
    assert [order["order"]["kind"] for order in given] == [order["kind"] for order in orders]
    for order in orders:
        assert {"id", "kind", "success", "outcomes", "terms", "basis"} <= set(order)
        assert order["basis"] in ("full", "known")
        if order["success"] is None:
            assert order["missing"]
        else:
            assert 1 == sum(map(Fraction, order["outcomes"].values()))
            assert 0 <= Fraction(order["success"]) <= 1


def test_people_read_odds_in_a_table(cli: Cli, bundle: Path) -> None:
    first = cli.json("odds", str(bundle))["orders"][0]
    told = cli("odds", str(bundle)).stdout

    assert first["id"] in told
    assert first["success"] in told


BAD_FILES = {
    "empty": (b"", "truncated"),
    "no JSON": (b"hello", "JSON is malformed"),
    "binary": (bytes(range(256)), "JSON is malformed"),
    "UTF-16": ("{}".encode("utf-16"), "JSON is malformed"),
    "a list": (b"[]", "Expected `object`, got `array`"),
    "NaN": (b'{"tick": NaN}', "JSON is malformed"),
    "a field that nobody knows": (b'{"spell": 1}', "unknown field `spell`"),
    "a huge integer": (b'{"rulebook": "veil", "rulebook_version": "1", "tick": %b}' % (b"9" * 5_000), "tick: "),
    "nested lists": (b"[" * DEEP, "Expected `object`"),
    "a deep state": (
        b'{"rulebook":"veil","rulebook_version":"1","tick":1,"state":{"shared":%b%b,"homes":{}}}'
        % (b"[" * DEEP, b"]" * DEEP),
        "nested too deep",
    ),
    "an unknown rulebook": (
        b'{"rulebook":"chess","rulebook_version":"1","tick":1,"state":{"shared":{},"homes":{}}}',
        "rulebook: unknown rulebook 'chess' (accepted: ",
    ),
    "another version": (
        b'{"rulebook":"veil","rulebook_version":"0","tick":1,"state":{"shared":{},"homes":{}}}',
        "rulebook_version: recorded with version '0' of veil",
    ),
    "no seed": (
        b'{"rulebook":"veil","rulebook_version":"1","tick":1,"state":{"shared":{},"homes":{}}}',
        "64 hexadecimal digits",
    ),
}


@pytest.mark.parametrize("verb", ["resolve", "odds"])
@pytest.mark.parametrize("bad", list(BAD_FILES))
def test_a_bad_file_ends_in_a_sentence_that_names_it(cli: Cli, tmp_path: Path, verb: str, bad: str) -> None:
    data, named = BAD_FILES[bad]
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    result = cli(verb, str(path), "--json")

    assert 2 == result.exit_code
    assert result.stderr.startswith(f"tocsin: {path}")
    assert named in result.stderr
    assert "" == result.stdout


def test_wrong_types_deep_inside_are_named_with_their_path(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    document = json.loads(bundle.read_text(encoding="utf-8"))
    document["orders"][3]["order"]["servant"] = 7
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    result = cli("resolve", str(path))

    assert 2 == result.exit_code
    assert "orders[3].order" in result.stderr
    assert "Expected `str`, got `int`" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("resolve",), "one of them"),
        (("resolve", "x.json", "--example", "veil"), "one of them"),
        (("resolve", "--example", "chess"), "unknown rulebook 'chess'"),
        (("resolve", "no-such-file.json"), "there is no such file"),
        (("resolve", "."), "it is a folder"),
        (("resolve", "x" * 10_000), "is no name of a file"),
        (("resolve", "a\0b"), "'a\\x00b': there is no such file"),
        (("resolve", "-", "--slices", "3"), "3 is no power of two"),
        (("resolve", "-", "--lang", "la"), "--lang: unknown language 'la' (accepted: en or fr)"),
        (("odds",), "BUNDLE"),
        (("resolve", "-", "--slices", "many"), "--slices"),
        (("dance",), "dance"),
    ],
)
def test_bad_usage_ends_with_exit_code_2(cli: Cli, arguments: tuple[str, ...], named: str) -> None:
    result = cli(*arguments, stdin="{}")

    assert 2 == result.exit_code
    assert named in result.stderr


def test_a_bundle_without_the_zone_that_its_orders_name_is_told_which_field_names_it(
    cli: Cli, bundle: Path, tmp_path: Path
) -> None:
    document = json.loads(bundle.read_text(encoding="utf-8"))
    number, order = next((n, item["order"]) for n, item in enumerate(document["orders"]) if "zone" in item["order"])
    del document["state"]["shared"]["zones"][order["zone"]]
    path = tmp_path / "lost.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    result = cli("resolve", str(path))

    assert 2 == result.exit_code
    assert f"tocsin: {path}: orders[{number}].order.zone: it names {order['zone']!r}" in result.stderr
    assert "(accepted: a name that the bundle's state has)" in result.stderr


def test_a_tick_that_the_rulebook_cannot_play_is_a_failed_check_with_a_trace_on_demand(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = bundle.read_bytes()
    (tmp_path / "poison").write_text(json.loads(text)["orders"][0]["home"], encoding="utf-8")
    loaded = load_bundle(text, trapped_registry(tmp_path).get)
    told = []
    for trace in (False, True):
        with pytest.raises(CheckFailed) as failed:
            run(loaded, "trap.json", trace=trace)
        told.append((str(failed.value), "Traceback" in capsys.readouterr().err))

    sentence = "trap.json: the tick can't be resolved: RuntimeError: poisoned (--trace shows where)"
    assert [(sentence, False), (sentence, True)] == told


def test_a_name_that_the_bundle_does_not_give_is_the_rulebooks_fault(bundle: Path) -> None:
    loaded = load_bundle(bundle.read_bytes(), load_registry().get)

    assert dangling(loaded, KeyError("nobody gave this name")) is None
    assert dangling(loaded, ValueError("angel")) is None
    assert dangling(loaded, KeyError("angel")) is not None
