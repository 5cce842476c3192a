"""The simulation of machines that we don't have: what can be reckoned by hand comes out of it, and a page quotes it."""

import json
import shlex
import subprocess
import sys

import pytest

from benchmarks.simulate import Machine, many_campaigns, one_campaign, slices_of
from tests.docs.pages import DOCS, ROOT, tables

FREE = Machine(server_us_an_order=0, commit_ms=0, server_ms_a_small_tick=0, close_ms=0)
SCALING = DOCS / "explanation" / "scaling.md"


def test_one_process_takes_as_long_as_its_orders() -> None:
    machine = Machine(processes=1, worker_us_an_order=40, server_us_an_order=0, commit_ms=0)

    assert pytest.approx(4.0) == one_campaign(machine, 100_000, 4).seconds


def test_twice_the_processes_take_half_the_time_while_the_server_is_free() -> None:
    one, two = (one_campaign(Machine(**{**vars(FREE), "processes": n}), 1_000_000, 16).seconds for n in (4, 8))

    assert pytest.approx(2.0) == one / two


def test_no_number_of_processes_beats_the_server() -> None:
    machine = Machine(processes=10_000, server_us_an_order=6, commit_ms=0)
    found = one_campaign(machine, 10_000_000, 200)

    assert found.seconds >= 60.0
    assert "server" == found.saturated


def test_the_commits_stand_between_the_supersteps() -> None:
    machine = Machine(worker_us_an_order=0, server_us_an_order=0, commit_ms=10, supersteps=8)

    assert pytest.approx(0.08) == one_campaign(machine, 10_000, 4).seconds


@pytest.mark.parametrize("servers", [1, 4])
def test_small_campaigns_take_their_share_of_each_server(servers: int) -> None:
    campaigns = 4_000 // servers
    machine = Machine(server_ms_a_small_tick=5, worker_ms_a_small_tick=0, close_ms=0, processes=8)

    assert pytest.approx(campaigns * 0.005) == many_campaigns(machine, campaigns).seconds


def test_a_slow_sweeper_is_waited_for() -> None:
    machine = Machine(server_ms_a_small_tick=0, worker_ms_a_small_tick=1, close_ms=10, processes=8)

    assert pytest.approx(10.001) == many_campaigns(machine, 1_000).seconds


@pytest.mark.parametrize(("orders", "slices"), [(50, 4), (10_000, 16), (100_000, 128), (1_000_000, 256), (10**7, 256)])
def test_slices_are_cut_as_a_founding_cuts_them(orders: int, slices: int) -> None:
    assert slices == slices_of(orders)


def rows() -> list[list[str]]:
    """The page's table of simulations: options, seconds, what is waited for."""
    return next(table[1:] for table in tables(SCALING) if table[0][0] == "options of `benchmarks.simulate`")


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_the_page_tells_what_the_simulation_says(row: list[str]) -> None:
    command = [sys.executable, "-m", "benchmarks.simulate", *shlex.split(row[0].strip("`"))]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True, timeout=120).stdout
    found = json.loads(told)

    assert (float(row[1]), row[2]) == (found["seconds"], found["saturated"])
