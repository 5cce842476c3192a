"""A short chaos: as long as `make chaos` is, less happens; what must be true afterwards is the same."""

from pathlib import Path

import pytest

from tests.chaos import faults
from tests.chaos.run import run
from tests.servers import unavailable
from workers.store.embedded import find_server

SEED = "9"
DURATION_S = 5.0


@pytest.mark.xdist_group("chaos")
def test_nothing_is_lost_doubled_wrong_stuck_or_left_behind_whatever_dies(tmp_path: Path) -> None:
    if find_server() is None:
        unavailable("there is no program of a server")
    told: list[str] = []
    numbers, findings = run(tmp_path, seed=SEED, duration_s=DURATION_S, campaigns=3, tell=told.append)

    assert findings.lines() == [], "\n".join(told)
    assert numbers["kills"] > numbers["server_kills"] >= 1
    assert numbers["orders_acknowledged"] > 0
    assert numbers["ticks"] >= 2


def test_the_same_seed_plans_the_same_faults_and_another_one_others() -> None:
    assert faults.plan("a", 45.0) == faults.plan("a", 45.0)
    assert faults.plan("a", 45.0) != faults.plan("b", 45.0)


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_a_default_run_has_every_kind_of_fault_and_the_kills_that_it_promises(seed: str) -> None:
    names = [fault.name for fault in faults.plan(seed, 45.0)]

    assert set(faults.FAULTS) == set(names)
    assert sum(name.startswith("kill") for name in names) >= 5
    assert names[:5].count("kill the server") == 1
