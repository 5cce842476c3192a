"""A real server as deploy/ runs it: under redis.conf, and under the access list with freshly drawn passwords."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import redis
from redis.exceptions import RedisError

from workers.cli.processes import Child, wait_until
from workers.store.connection import connect
from workers.store.embedded import HOST, find_server

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
LIMIT_S = 60.0
PROCESSES = ("api", "worker", "sweeper", "operator")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def wait_for(ready: Callable[[], object], what: str) -> None:
    """Wait until something is so. Raises Unreachable, saying what was waited for, past the limit."""
    wait_until(lambda: bool(ready()), what, LIMIT_S)


def draw_secrets(folder: Path, server: str) -> subprocess.CompletedProcess[str]:
    """Run secrets.sh."""
    command = ["/bin/sh", str(DEPLOY / "secrets.sh"), str(folder), server]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def environment_of(file: Path) -> dict[str, str]:
    """The variables of an environment file."""
    pairs = (line.partition("=")[::2] for line in file.read_text(encoding="utf-8").splitlines())
    return dict(pairs)


class GuardedServer:
    """The server that compose, systemd and Kubernetes start. Beside the list's users it has one of the test's, who may
    do everything and looks at what was denied."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.secrets = folder / "secrets"
        drawn = draw_secrets(self.secrets, f"{HOST}:{self.port}")
        assert drawn.returncode == 0, drawn.stderr
        users = self.secrets / "users.acl"
        with users.open("a", encoding="utf-8") as file:
            file.write("user test on nopass ~* &* +@all\n")
        data = folder / "data"
        data.mkdir()
        command = [str(find_server()), str(DEPLOY / "redis.conf"), "--dir", str(data), "--aclfile", str(users)]
        command += ["--bind", HOST, "--port", str(self.port)]
        self._child = Child("store", command, folder / "store.log", os.environ)

    def __enter__(self) -> "GuardedServer":
        self._child.start()
        wait_until(self._answers, "the server answers", LIMIT_S, [self._child])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.stop()

    def _answers(self) -> bool:
        try:
            with connect(self.url) as client:
                return bool(client.ping())
        except RedisError:
            return False

    @property
    def url(self) -> str:
        """Where it is asked whether it lives: by the user who may ask just that."""
        return f"redis://tocsin-probe:any@{HOST}:{self.port}/0"

    def url_of(self, process: str) -> str:
        """The URL that one of the processes is given (a scaler is given its name and password alone)."""
        told = environment_of(self.secrets / f"{process}.env")
        return told.get("TOCSIN_REDIS_URL") or f"redis://{told['username']}:{told['password']}@{HOST}:{self.port}/0"

    def client_of(self, process: str) -> redis.Redis:
        """A client as one of the processes has it."""
        return connect(self.url_of(process))

    def test_client(self) -> redis.Redis:
        """A client that may do everything."""
        return connect(f"redis://test:any@{HOST}:{self.port}/0")

    def denied(self) -> list[str]:
        """What the server denied to anybody: user, reason, object, where."""
        entries = self.test_client().execute_command("ACL", "LOG", 128)
        return sorted(
            " ".join(str(_text(entry[field])) for field in ("username", "reason", "object", "context"))
            for entry in (_pairs(raw) for raw in entries)
        )


def _pairs(raw: object) -> dict[str, object]:
    if isinstance(raw, dict):
        return {str(_text(name)): value for name, value in raw.items()}
    assert isinstance(raw, list)
    return {str(_text(name)): value for name, value in zip(raw[::2], raw[1::2], strict=True)}


def _text(value: object) -> object:
    return value.decode() if isinstance(value, bytes) else value
