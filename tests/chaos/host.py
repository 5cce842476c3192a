"""The machine that the chaos plays on: server, API, workers and sweeper as processes, a proxy before server and API.

Whoever dies is started again by a supervisor, as systemd would. One worker's clock runs a minute ahead.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from tests.chaos.proxy import Proxy
from workers.app import QUEUE_LARGE, QUEUE_SMALL
from workers.cli.processes import Child, wait_until
from workers.cli.stack import Stack, StackPlan
from workers.settings import ServerSettings

ROOT: Final = Path(__file__).resolve().parents[2]
LOOK_S: Final = 0.1
SKEW_S: Final = 60
START_LIMIT_S: Final = 60.0
SETTINGS: Final = {
    # A task that was lost comes back while the chaos still watches.
    "TOCSIN_TASK_SOFT_LIMIT_S": "8",
    "TOCSIN_TASK_HARD_LIMIT_S": "10",
    "TOCSIN_VISIBILITY_TIMEOUT_S": "12",
    "TOCSIN_STALL_S": "1",
    "TOCSIN_SWEEP_INTERVAL_S": "0.3",
    "TOCSIN_SWEEP_WALK_INTERVAL_S": "2",
    "TOCSIN_SWEEP_LEASE_S": "2",
    "TOCSIN_STREAM_WAIT_S": "2",
}


class Host:
    """The processes, the proxies before them, and what may happen to them. Use it as a context manager."""

    def __init__(self, folder: Path) -> None:
        self.to_server = Proxy()
        self.to_api = Proxy()
        self._folder = folder
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._exits = ExitStack()
        self._supervisor = threading.Thread(target=self._supervise, name="supervisor", daemon=True)
        self._stack: Stack | None = None
        self._skewed: Child | None = None
        self._orphans: set[int] = set()
        self.kills = self.server_kills = self.heals = 0

    def __enter__(self) -> "Host":
        with ExitStack() as exits:
            exits.enter_context(self.to_server)
            exits.enter_context(self.to_api)
            environment = {
                **SETTINGS,
                "TOCSIN_REDIS_URL": f"redis://127.0.0.1:{self.to_server.port}/0",
                "PYTHONPATH": str(ROOT),
            }
            plan = StackPlan(folder=self._folder, workers=1, concurrency=2, environment=environment)
            self._stack = Stack(plan, self._told)
            exits.enter_context(self._stack)
            self.to_api.target_port = self._stack.port
            exits.callback(self._end_skewed)
            self._skewed = self._skewed_worker(environment).start()
            exits.callback(self._over.set)
            self._supervisor.start()
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._supervisor.join(START_LIMIT_S)
        self._exits.close()

    def _told(self, what: str) -> None:
        """The server is up before anybody who comes through the proxy is started."""
        if what == "workers":
            self.to_server.target_port = self.stack.server.port

    @property
    def stack(self) -> Stack:
        """What `tocsin up` would start."""
        assert self._stack is not None
        return self._stack

    @property
    def settings(self) -> ServerSettings:
        """For the test's own eyes: straight to the server, past the proxy."""
        return self.stack.settings

    @property
    def api_url(self) -> str:
        """Where clients reach the API: through its proxy."""
        return f"http://127.0.0.1:{self.to_api.port}"

    @property
    def workers(self) -> list[Child]:
        """The workers, the one whose clock is wrong last."""
        return [*self.stack.workers, *([self._skewed] if self._skewed else [])]

    @property
    def children(self) -> list[Child]:
        """All processes but the server's."""
        named = (*self.workers, self.stack.sweeper, self.stack.api)
        return [child for child in named if child is not None]

    def kill(self, child: Child) -> None:
        """SIGKILL to a process and its children, as when a container ends."""
        with self._lock:
            child.kill()
            self.kills += 1

    def kill_parent(self, worker: Child) -> None:
        """SIGKILL to a worker's parent process alone: its children are orphans then."""
        with self._lock:
            self._orphans.update(children_of(worker.pid))
            worker.signal(signal.SIGKILL)
            self.kills += 1

    def kill_child(self, worker: Child) -> None:
        """SIGKILL to one pool process of a worker, where there is one."""
        with self._lock:
            for pid in children_of(worker.pid)[-1:]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.kills += 1

    def terminate(self, worker: Child) -> None:
        """SIGTERM: the worker ends what it does, and itself."""
        with self._lock:
            worker.signal(signal.SIGTERM)

    def kill_server(self, away_s: float) -> None:
        """SIGKILL to the server; started again on the same files and port a moment later."""
        with self._lock:
            self.stack.server.interrupt(kill=True)
            self.kills += 1
            self.server_kills += 1
        self._over.wait(away_s)
        with self._lock:
            self.stack.server.start()
            self.heals += 1

    def heal(self) -> None:
        """Nothing is cut any more, everything runs. Raises Unreachable where it can't be brought to that."""
        for proxy in (self.to_server, self.to_api):
            proxy.heal()
        with self._lock:
            if not self.stack.server.running:
                self.stack.server.start()
                self.heals += 1
        wait_until(lambda: all(child.running for child in self.children), "all processes run", START_LIMIT_S)

    def orphans(self) -> list[int]:
        """The pool processes that outlived their killed parent and still live."""
        return sorted(pid for pid in self._orphans if is_running(pid))

    def end_orphans(self) -> None:
        """Kill what is left of them."""
        for pid in self.orphans():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _supervise(self) -> None:
        while not self._over.wait(LOOK_S):
            with self._lock:
                for child in self.children:
                    if not child.running and not self._over.is_set():
                        child.start()
                        self.heals += 1

    def _end_skewed(self) -> None:
        if self._skewed is not None:
            self._skewed.stop()
        self.end_orphans()

    def _skewed_worker(self, environment: dict[str, str]) -> Child:
        settings = self.stack.settings
        command = [sys.executable, "-m", "tests.chaos.skewed", str(SKEW_S), "-A", "workers.tasks", "worker"]
        command += ["-Q", f"{QUEUE_LARGE},{QUEUE_SMALL}", "--concurrency", "1", "--hostname", "skewed@%h"]
        command += ["--loglevel", "INFO", "--without-gossip", "--without-mingle"]
        given = {**os.environ, **environment, "TOCSIN_ARCHIVE_URL": settings.archive_url, "TOCSIN_BROKER_URL": ""}
        return Child("skewed", command, self._folder / "logs" / "skewed.log", given)


def children_of(pid: int) -> list[int]:
    """The child processes of a process, as Linux lists them; none elsewhere, or where it is gone."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(word) for word in (task / "children").read_text().split()]
    return sorted(found)


def is_running(pid: int) -> bool:
    """Whether a process lives (one that ended and is not yet buried doesn't)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


Fault = Callable[[], str]
"""Something that happens to a host; what it says was done."""
