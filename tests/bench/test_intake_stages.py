"""The stages of a batch's way into the book are measured on orders that are booked, all of them."""

import json
import subprocess
import sys


def test_each_stage_takes_its_share_of_every_order() -> None:
    command = [sys.executable, "-m", "benchmarks.intake_stages", "--orders", "1200", "--runs", "1"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=120).stdout)

    assert 1_200 == told["orders"]
    assert 8 == len(told["cpu_us_an_order"])
    assert all(microseconds >= 0 for microseconds in told["cpu_us_an_order"].values())
    assert 0 < told["sum"]
