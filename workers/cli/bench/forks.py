"""Functions run in forks of this process: what they change, and the memory that they take, go with them.

Plain forks, without the hooks of `multiprocessing`: kombu's would wait on connections that its parent still reads.
"""

import gc
import os
import traceback
from collections.abc import Callable

from workers.cli.bench.errors import BenchError


def in_forks(function: Callable[[], float], processes: int = 1) -> list[float]:
    """What a function gives in `processes` forks at once. Raises BenchError where one ends without a result."""
    gc.freeze()
    pipes = [_fork(function) for _ in range(processes)]
    gc.unfreeze()
    found = []
    for pid, reading in pipes:
        with os.fdopen(reading) as pipe:
            text = pipe.read()
        os.waitpid(pid, 0)
        try:
            found.append(float(text))
        except ValueError as error:
            raise BenchError(f"a fork ended without a result: {text}") from error
    return found


def _fork(function: Callable[[], float]) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    try:
        os.write(writing, repr(function()).encode())
    except BaseException:  # noqa: BLE001 the parent tells what the fork can't
        os.write(writing, traceback.format_exc(limit=3).encode())
    finally:
        os._exit(0)
