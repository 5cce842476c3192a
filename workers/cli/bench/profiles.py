"""Flame graphs of processes at work: py-spy beside them, which needs nothing of them but their process id."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from workers.cli.errors import CheckFailed
from workers.kernel.errors import InvalidInput

FORMATS: Final = {".svg": "flamegraph", ".json": "speedscope", ".txt": "raw"}
"""What is written, by the file's ending."""
SAMPLES_PER_S: Final = 200
WRITE_LIMIT_S: Final = 60.0
WITHIN_S: Final = 3_600


def profiler() -> str:
    """The program. Raises InvalidInput where it isn't installed."""
    beside = Path(sys.executable).parent / "py-spy"
    found = str(beside) if beside.exists() else shutil.which("py-spy")
    if found is None:
        raise InvalidInput("--profile", "py-spy isn't installed", "the package py-spy, which `make setup` installs")
    return found


def check_profile(file: str) -> str:
    """The same file's name. Raises InvalidInput for an ending that isn't known, and where py-spy isn't installed."""
    if file:
        ending = Path(file).suffix
        if ending not in FORMATS:
            raise InvalidInput("--profile", f"{file} ends in {ending!r}", ", ".join(sorted(FORMATS)))
        profiler()
    return file


@contextmanager
def profiled(pid: int, file: str) -> Iterator[None]:
    """Watch a process and its children while the block runs, and write where their time went; an empty name: don't.

    Raises CheckFailed where py-spy couldn't look into the processes (it may need the right to trace them).
    """
    if not file:
        yield
        return
    command = [profiler(), "record", "--pid", str(pid), "--subprocesses", "--rate", str(SAMPLES_PER_S)]
    command += ["--duration", str(WITHIN_S), "--format", FORMATS[Path(file).suffix], "--output", file]
    watching = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        yield
    finally:
        watching.send_signal(signal.SIGINT)
        try:
            _, said = watching.communicate(timeout=WRITE_LIMIT_S)
        except subprocess.TimeoutExpired:
            watching.kill()
            _, said = watching.communicate()
    if not Path(file).exists():
        raise CheckFailed(f"py-spy wrote no profile: {said.decode(errors='replace').strip()[-500:]}")
