"""Everything on one machine: the embedded server, the API, workers and a sweeper, each a process, all ended together.

`up`, `demo` and the tests start the same stack. The API is started by its import string: nothing here imports it.
"""

import fcntl
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Literal

from workers.app import QUEUE_LARGE, QUEUE_SMALL, make_app
from workers.cli.processes import Child, wait_until
from workers.kernel.errors import InvalidInput
from workers.settings import ServerSettings
from workers.store.embedded import EmbeddedServer

HOST: Final = "127.0.0.1"
API: Final = "api.app:app"
"""The API as its server imports it."""
API_STOP_S: Final = 5
"""How long the API may take to end. An answer is given in less; streams of reports, which never end by themselves, are
cut, and their readers go on elsewhere after the last id that they have read."""
START_LIMIT_S: Final = 60.0
PING_S: Final = 0.5

Tell = Callable[[str], None]


def api_command(port: int, processes: int = 1) -> list[str]:
    """What serves the API on a port of loopback, as deploy/ does it."""
    command = [sys.executable, "-m", "granian", "--interface", "asgi", "--host", HOST, "--port", str(port)]
    return [*command, "--workers", str(processes), "--no-ws", "--workers-kill-timeout", str(API_STOP_S), API]


@dataclass(frozen=True, kw_only=True)
class StackPlan:
    """What to start. All files lie under `folder`: `server/`, `archive/`, `logs/`.

    `workers` are Celery processes with `concurrency` pool processes each; `port` is the API's, 0 for a free one.
    `environment` adds to that of every child. `fsync` is the server's: only tests need less than "always".
    """

    folder: Path
    workers: int = 1
    concurrency: int = 2
    port: int = 0
    server_port: int = 0
    sweeper: bool = True
    fsync: Literal["always", "everysec", "no"] = "always"
    environment: Mapping[str, str] = field(default_factory=dict)


class Stack:
    """The processes of one machine. Start them, or use it as a context manager."""

    def __init__(self, plan: StackPlan, tell: Tell = lambda _: None) -> None:
        self._plan = plan
        self._tell = tell
        self.server = EmbeddedServer(data_dir=plan.folder / "server", fsync=plan.fsync, port=plan.server_port)
        self.port = plan.port
        self.api: Child | None = None
        self.workers: list[Child] = []
        self.sweeper: Child | None = None
        self._lock: IO[str] | None = None

    @property
    def url(self) -> str:
        """Where the API is reached."""
        return f"http://{HOST}:{self.port}"

    @property
    def settings(self) -> ServerSettings:
        """What its processes are told, for one that works beside them."""
        return ServerSettings(redis_url=self.server.url, broker_url="", archive_url=self._archive_url)

    @property
    def children(self) -> list[Child]:
        """All processes but the server's, in the order of their start."""
        return [child for child in (*self.workers, self.sweeper, self.api) if child is not None]

    @property
    def _archive_url(self) -> str:
        return (self._plan.folder / "archive").resolve().as_uri()

    def start(self) -> "Stack":
        """Start everything and wait until it can be used. Raises ServerStartError and Unreachable, with all ended."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def _start(self) -> None:
        self._lock = locked(self._plan.folder)
        self._tell("server")
        self.server.start()
        self._tell("workers")
        self.workers = [self._worker(number).start() for number in range(1, self._plan.workers + 1)]
        if self._plan.sweeper:
            self.sweeper = self._child("sweeper", [sys.executable, "-m", "workers.cli", "sweep"]).start()
        self._tell("API")
        self.port = self.port or _free_port()
        self.api = self._child("api", api_command(self.port)).start()
        wait_until(self._api_ready, "the API answers", START_LIMIT_S, [self.api])
        with make_app(self.settings) as app:
            ping = app.control.ping
            wanted = self._plan.workers
            wait_until(
                lambda: len(ping(timeout=PING_S) or ()) >= wanted, "the workers answer", START_LIMIT_S, self.workers
            )
        self._tell("ready")

    def stop(self) -> None:
        """End everything: first what takes orders, last the server. Acknowledged orders are on disk afterwards."""
        if self.api is not None:
            self.api.stop()
        for child in self.children:
            child.signal(signal.SIGTERM)
        for child in self.children:
            child.stop()
        self.server.stop()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> "Stack":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _child(self, name: str, command: list[str]) -> Child:
        environment = {
            **os.environ,
            "TOCSIN_REDIS_URL": self.server.url,
            "TOCSIN_BROKER_URL": "",
            "TOCSIN_ARCHIVE_URL": self._archive_url,
            **self._plan.environment,
        }
        return Child(name, command, self._plan.folder / "logs" / f"{name}.log", environment)

    def _worker(self, number: int) -> Child:
        command = [sys.executable, "-m", "celery", "-A", "workers.tasks", "worker"]
        command += ["-Q", f"{QUEUE_LARGE},{QUEUE_SMALL}", "--concurrency", str(self._plan.concurrency)]
        command += ["--hostname", f"worker-{number}@%h", "--loglevel", "INFO", "--without-gossip", "--without-mingle"]
        return self._child(f"worker-{number}", command)

    def _api_ready(self) -> bool:
        import httpx2

        try:
            return httpx2.get(f"{self.url}/v1/ready", timeout=PING_S * 4).status_code == httpx2.codes.OK
        except httpx2.TransportError:
            return False


def locked(folder: Path) -> IO[str]:
    """The folder's lock, made with the folder and held until it is closed: two servers on one folder's files would ruin
    them. Raises InvalidInput where another process holds it."""
    try:
        # Records, bundles and the server's files hold what only the operator may read.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (folder / "lock").open("w", encoding="utf-8")
    except OSError as error:
        raise InvalidInput("--folder", f"{folder} can't be used ({error.strerror})", "a folder to write in") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise InvalidInput("--folder", f"{folder} is in use by another tocsin", "another folder") from error
    return lock


def _free_port() -> int:
    """A free port of loopback."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
