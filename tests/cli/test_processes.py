"""Child processes: they start, end when told, and never outlive whoever started them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workers.cli.errors import Unreachable
from workers.cli.processes import Child, wait_until

LIMIT_S = 20.0
PATIENT = [sys.executable, "-c", "import signal; print('here', flush=True); signal.pause()"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True)\nwhile 1: signal.pause()",
]
PARENT = """
import sys
from pathlib import Path
from workers.cli.processes import Child
child = Child("child", sys.argv[2:], Path(sys.argv[1]), {}).start()
print(child.pid, flush=True)
sys.stdin.read()
"""


def alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def child_of(tmp_path: Path, command: list[str]) -> Child:
    child = Child("child", command, tmp_path / "logs" / "child.log", dict(os.environ)).start()
    wait_until(lambda: "here" in child.log(), "the child speaks", LIMIT_S, [child])
    return child


def test_a_child_ends_when_it_is_told_to(tmp_path: Path) -> None:
    child = child_of(tmp_path, PATIENT)
    assert alive(child.pid)

    child.stop()

    assert not alive(child.pid)
    assert 128 + signal.SIGTERM == child.exit_code


def test_a_child_whose_end_is_not_known_yet_gets_no_signal(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    with child_of(tmp_path, PATIENT) as child:
        mine, child.pid = child.pid, ended.pid  # as between a child's end and its keeper's

        child.signal(signal.SIGTERM)

        assert child.running
        child.pid = mine
    assert not alive(mine)


def test_a_child_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    child = child_of(tmp_path, STUBBORN)

    child.stop(limit_s=0.2)

    assert not alive(child.pid)


def test_a_child_can_be_killed_and_started_again(tmp_path: Path) -> None:
    child = child_of(tmp_path, PATIENT)
    first = child.pid
    child.kill()
    assert not alive(first)

    child.start()

    assert alive(child.pid)
    assert first != child.pid
    child.stop()


def test_a_child_ends_with_whoever_started_it_even_where_that_one_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path / "child.log"), *PATIENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.send_signal(signal.SIGKILL)
        parent.wait()

    wait_until(lambda: not alive(pid), "the child is gone", LIMIT_S)


def test_waiting_ends_with_the_log_of_a_child_that_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('it is over'); raise SystemExit(7)"]
    told = r"(?s)short ended \(7\) before it is ready; its log ends:\nit is over"

    with (
        Child("short", command, tmp_path / "short.log", dict(os.environ)) as child,
        pytest.raises(Unreachable, match=told),
    ):
        wait_until(lambda: False, "it is ready", LIMIT_S, [child])


def test_waiting_has_a_limit() -> None:
    with pytest.raises(Unreachable, match=r"the moon: not within 0\.01 s"):
        wait_until(lambda: False, "the moon", 0.01)
