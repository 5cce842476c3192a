"""What processes have used, from Linux' /proc: processor time, which others at work on the machine change little, and
the peak of resident memory. Where the system doesn't tell, 0."""

import os
from pathlib import Path
from typing import Final

_TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM = 11, 12
"""Fields of /proc/PID/stat after the name, from 0: time in user mode and in the kernel."""


def children_of(pid: int) -> list[int]:
    """The processes that a process started, and those that these did."""
    try:
        found = [
            int(word)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for word in (task / "children").read_text().split()
        ]
    except OSError:
        return []
    return found + [grandchild for child in found for grandchild in children_of(child)]


def cpu_s(*pids: int) -> float:
    """The processor time that processes have used so far, in seconds."""
    return sum(_cpu_s(pid) for pid in pids)


def _cpu_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS_A_SECOND


def peak_rss_mb(*pids: int) -> float:
    """The largest peak of resident memory among processes, in megabytes (10⁶ bytes)."""
    return round(max((_peak_kb(pid) for pid in pids), default=0) * 1024 / 1e6, 1)


def _peak_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
