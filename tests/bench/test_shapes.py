"""Every measurement, for real and tiny: its document has the shape that is promised, and its figures hang together.

No figure is held to a goal here: a machine that others use says nothing about time.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.world import Cli
from tests.servers import unavailable
from workers.cli.bench import growth, intake, many, memory, replaying, reports, small, tick
from workers.cli.bench.documents import Goal, document
from workers.cli.bench.everything import COLUMNS, markdown, rows_of, short_questions, whole_questions
from workers.store.embedded import find_server

FIELDS = {"command", "sizes", "seeds", "runs", "median", "ratio", "goal", "met", "goals"}
Measure = Callable[[], Mapping[str, Any]]

TINY: dict[str, Measure] = {
    "tick": lambda: tick.measure(tick.Plan(orders=300, runs=2, naive_sample=20)),
    "tick of anarchy": lambda: tick.measure(tick.Plan(orders=100, runs=1, naive_sample=10, rulebook="anarchy")),
    "small": lambda: small.measure(small.Plan(orders=20, runs=3, workers=1, yardstick=300)),
    "many": lambda: many.measure(many.Plan(campaigns=12, orders=20, runs=1)),
    "growth": lambda: growth.measure(growth.Plan(sizes=(100, 200), runs=1)),
    "intake": lambda: intake.measure(intake.Plan(orders=1_500, singles=10, runs=1, processes=1, connections=2)),
    "reports": lambda: reports.measure(reports.Plan(readers=(1, 20), orders=20, runs=1, processes=1)),
    "replay": lambda: replaying.measure(replaying.Plan(orders=200, runs=1)),
    "memory": lambda: memory.measure(memory.Plan(sizes=(200,), workers=1)),
}
GOALS: dict[str, list[str | None]] = {
    "tick": [">=", ">="],
    "tick of anarchy": [">=", ">="],
    "small": ["<="],
    "many": ["<="],
    "growth": ["<=", "<=", "<="],
    "intake": [">=", ">="],
    "reports": [None, None, None],
    "replay": ["<="],
    "memory": ["<=", None, None, None, None],
}


@pytest.fixture(scope="module")
def measured() -> Callable[[str], Mapping[str, Any]]:
    """A measurement by its name, done once."""
    if find_server() is None:
        unavailable("there is no program of a server")
    done: dict[str, Mapping[str, Any]] = {}

    def measure(name: str) -> Mapping[str, Any]:
        if name not in done:
            done[name] = TINY[name]()
        return done[name]

    return measure


def told(goal: Mapping[str, Any]) -> Any:
    return goal["goal"] and goal["goal"]["op"]


@pytest.mark.parametrize("name", list(TINY))
def test_a_measurement_has_the_fields_that_are_promised(
    measured: Callable[[str], Mapping[str, Any]], name: str
) -> None:
    found = measured(name)
    goals = found["goals"]
    judged = [goal["met"] for goal in goals if goal["goal"]]

    assert set() == FIELDS - set(found)
    assert GOALS[name] == [told(goal) for goal in goals]
    assert (goals[0]["value"], goals[0]["goal"]) == (found["ratio"], found["goal"])
    assert (all(judged) if judged else None) == found["met"]
    assert all(value > 0 for value in [found["median"], *found["runs"], *(goal["value"] for goal in goals)])
    assert min(found["runs"]) <= found["median"] <= max(found["runs"])
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("name", list(TINY))
def test_the_command_of_a_measurement_is_one(measured: Callable[[str], Mapping[str, Any]], cli: Cli, name: str) -> None:
    words = measured(name)["command"].split()

    assert ["tocsin", "bench", name.split(maxsplit=1)[0]] == words[:3]
    assert 0 == cli(*words[1:], "--help").exit_code
    refused = cli(*words[1:], "--no-such-option")
    assert (2, True) == (refused.exit_code, "--no-such-option" in refused.stderr)


@pytest.mark.parametrize("name", ["tick", "tick of anarchy"])
def test_a_tick_asks_for_the_messages_of_the_model_and_ends_the_same_each_time(
    measured: Callable[[str], Mapping[str, Any]], name: str
) -> None:
    found = measured(name)
    rate = found["sizes"]["orders"] / found["median"]

    assert found["digests_equal"]
    assert found["model"]["messages"] == found["counts"]["messages"]
    assert pytest.approx(rate / found["naive_task_orders_per_s"], rel=0.02) == found["ratio_to_naive"]
    assert pytest.approx(rate / found["pure_loop_orders_per_s"] / 2, rel=0.02, abs=0.002) == found["ratio_to_pure_loop"]


def test_two_measurements_are_compared_figure_by_figure(
    measured: Callable[[str], Mapping[str, Any]], cli: Cli, tmp_path: Path
) -> None:
    one = measured("memory")
    twice = {**one, "median": one["median"] * 2}
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps(one), encoding="utf-8")
    after.write_text(json.dumps({"benches": [twice, measured("replay")]}), encoding="utf-8")
    figures = cli.json("bench", "compare", str(before), str(after))["figures"]
    ratios = {figure["figure"]: figure["ratio"] for figure in figures}

    assert {"memory veil"} == {figure["bench"] for figure in figures}
    assert (2.0, 1.0) == (ratios["median"], ratios["ratio"])
    assert "by_size[200].bytes_an_order" in ratios


def test_what_measures_different_things_is_not_compared(
    measured: Callable[[str], Mapping[str, Any]], cli: Cli, tmp_path: Path
) -> None:
    for name in ("memory", "replay"):
        (tmp_path / f"{name}.json").write_text(json.dumps(measured(name)), encoding="utf-8")
    refused = cli("bench", "compare", str(tmp_path / "memory.json"), str(tmp_path / "replay.json"))

    assert (2, True) == (refused.exit_code, "measures nothing" in refused.stderr)


def test_one_table_has_a_row_for_each_figure(measured: Callable[[str], Mapping[str, Any]]) -> None:
    rows = [row for name in TINY for row in rows_of(name, measured(name))]
    lines = markdown(COLUMNS, rows).splitlines()

    assert sum(len(goals) for goals in GOALS.values()) + 2 == len(lines)
    assert 1 == len({len(line) for line in lines})
    assert all(line.startswith("| ") or set(line) == {"|", "-"} for line in lines)


def test_the_short_version_asks_every_question_of_the_whole() -> None:
    whole = [name for name, _ in whole_questions(2, 1) if not name.startswith("one tick of")]

    assert whole == [name for name, _ in short_questions(2, 1)]


@pytest.mark.parametrize(
    ("goals", "met"),
    [
        ([Goal("a", 1.0, "<=", 1.0)], True),
        ([Goal("a", 1.1, "<=", 1.0)], False),
        ([Goal("a", 0.5, ">=", 0.4), Goal("b", 0.1, ">=", 0.4)], False),
        ([Goal("a", 0.5, ">=", 0.4), Goal("b", 9.0)], True),
        ([Goal("a", 9.0)], None),
    ],
)
def test_it_is_met_only_if_every_goal_is(goals: list[Goal], met: bool | None) -> None:
    assert met is document("c", {}, [1], [1.0], goals)["met"]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["growth", "--sizes", "100"], "--sizes"),
        (["growth", "--sizes", "200,100"], "--sizes"),
        (["memory", "--sizes", "many"], "--sizes"),
        (["reports", "--readers", "0"], "--readers"),
        (["tick", "--profile", "profile.pdf"], "--profile"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(cli: Cli, words: list[str], field: str) -> None:
    refused = cli("bench", *words)

    assert (2, True) == (refused.exit_code, field in refused.stderr)
