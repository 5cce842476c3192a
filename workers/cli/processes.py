"""Child processes: started, looked after, ended. None outlives the process that started it.

A shell stays between us and each child and holds the read end of a pipe whose write end only we have: when we are gone,
however that came, the read ends, the child is told to stop, and after a grace its whole session is killed.
"""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

from workers import clock
from workers.cli.errors import Unreachable

LOG_TAIL_BYTES: Final = 4_000
POLL_S: Final = 0.05
STOP_LIMIT_S: Final = 20.0

_KEEPER: Final = """
log=$1; shift
exec 3<&0 </dev/null
"$@" 3<&- >>"$log" 2>&1 & child=$!
echo $child
{ read -r _; kill -TERM $child; sleep 20; kill -KILL 0; } <&3 >/dev/null 2>&1 & watcher=$!
wait $child; code=$?
kill $watcher 2>/dev/null
exit $code
"""


class Child:
    """One child process; what it says goes to a file. It may be started again after its end."""

    def __init__(self, name: str, command: Sequence[str], log: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self.log_path = log
        self.pid = 0
        self._command = list(command)
        self._environment = dict(environment)
        self._keeper: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether it lives."""
        return self._keeper is not None and self._keeper.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How it ended (128 and more: by a signal), or None while it lives and before its start."""
        return None if self._keeper is None else self._keeper.poll()

    def start(self) -> "Child":
        """Start it, in a session of its own: a terminal's Ctrl-C doesn't reach it. Does nothing where it lives; where
        it ended, the children that outlived it are killed first."""
        if self.running:
            return self
        self._clear_session()
        self._close()
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, f"tocsin-{self.name}", str(self.log_path), *self._command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environment,
            start_new_session=True,
        )
        assert self._keeper.stdout is not None
        self.pid = int(self._keeper.stdout.readline())
        return self

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the child (not to the children that it may have). One that has ended gets none, also while
        the shell that looks after it still says so to nobody."""
        if self.running:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def stop(self, limit_s: float = STOP_LIMIT_S) -> None:
        """Ask it to stop, wait, and kill its session where it takes longer. Does nothing where it doesn't live."""
        keeper = self._keeper
        if keeper is None:
            return
        self.signal(signal.SIGTERM)
        try:
            keeper.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.kill()
        self._clear_session()
        self._close()

    def kill(self) -> None:
        """Kill it and all its children, as a crash would."""
        if self._keeper is not None:
            self.signal(signal.SIGKILL)
            self._keeper.wait()
            self._clear_session()

    def log(self) -> str:
        """The end of what it said."""
        try:
            return self.log_path.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")
        except FileNotFoundError:
            return ""

    def _clear_session(self) -> None:
        """Kill what is left of its session: children that outlived it."""
        if self._keeper is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._keeper.pid, signal.SIGKILL)

    def _close(self) -> None:
        if self._keeper is not None:
            for pipe in (self._keeper.stdin, self._keeper.stdout):
                if pipe is not None:
                    pipe.close()

    def __enter__(self) -> "Child":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def wait_until(ready: Callable[[], bool], what: str, limit_s: float, children: Sequence[Child] = ()) -> None:
    """Wait until something is so. Raises Unreachable past the limit, or when one of the children ends meanwhile."""
    deadline_s = clock.monotonic_s() + limit_s
    while not ready():
        for child in children:
            if not child.running:
                raise Unreachable(f"{child.name} ended ({child.exit_code}) before {what}; its log ends:\n{child.log()}")
        if clock.monotonic_s() > deadline_s:
            tails = "".join(f"\n{child.name}'s log ends:\n{child.log()}" for child in children)
            raise Unreachable(f"{what}: not within {limit_s:g} s{tails}")
        clock.sleep_s(POLL_S)
