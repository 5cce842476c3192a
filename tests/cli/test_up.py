"""`tocsin up`: everything comes up together, is looked after, and goes down together."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.test_processes import alive
from tests.cli.world import Cli, open_campaign, orders_of, tocsin
from tests.servers import unavailable
from workers.cli.processes import Child, wait_until
from workers.store.embedded import find_server

LIMIT_S = 90.0
TAIL = [sys.executable, "-m", "workers.cli", "reports", "tail", "tailed", "--camp", "angel", "--json"]


def children_of(pid: int) -> list[int]:
    """All processes below one, from the kernel's own lists."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text(encoding="utf-8").split()):
            found += [child, *children_of(child)]
    return found


@contextmanager
def up(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A running `tocsin up`, ready; it is ended at the end."""
    command = [sys.executable, "-m", "workers.cli", "up", "--port", "0", "--workers", "1", "--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_until(lambda: (folder / "url").exists() or process.poll() is not None, "`tocsin up` is ready", LIMIT_S)
            yield process
        finally:
            process.terminate()
            process.communicate()


def addressed(folder: Path) -> dict[str, str]:
    """Where the API of a folder is, and its admin's token."""
    token = (folder / "admin-token").read_text(encoding="utf-8")
    return {"TOCSIN_URL": (folder / "url").read_text(encoding="utf-8"), "TOCSIN_TOKEN": token}


def sourced(environment: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`tocsin` run by a shell that has read a file of the environment."""
    verb = shlex.join([sys.executable, "-m", "workers.cli", *arguments])
    script = f"set -eu; . {shlex.quote(str(environment))}; exec {verb}"
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=LIMIT_S, check=False)


def client(folder: Path) -> Cli:
    return Cli(**addressed(folder))


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.fixture(autouse=True)
def needs_a_server() -> None:
    if find_server() is None:
        unavailable("there is no program of a server")


def test_all_comes_up_keeps_its_token_and_campaigns_and_goes_down_without_a_trace(tmp_path: Path) -> None:
    folder = tmp_path / "all of it's"
    with up(folder) as process:
        token = (folder / "admin-token").read_text(encoding="utf-8")
        assert 0o600 == (folder / "admin-token").stat().st_mode & 0o777
        assert 0o700 == folder.stat().st_mode & 0o777
        assert 0 == client(folder)("campaign", "new", "kept", "--open").exit_code
        assert 0o600 == (folder / "env").stat().st_mode & 0o777
        exported = str(tmp_path / "kept.zst")
        done = sourced(folder / "env", "campaign", "export", "kept", "--output", exported)
        assert 0 == done.returncode, done.stderr
        below = children_of(process.pid)
        process.send_signal(signal.SIGTERM)
        told, _ = process.communicate(timeout=LIMIT_S)

    assert 0 == process.returncode
    assert "/v1" in told
    assert token not in told
    assert not [pid for pid in below if alive(pid)]
    assert f". {shlex.quote(str(folder / 'env'))}" in told
    assert not (folder / "url").exists()
    assert not (folder / "env").exists()
    with up(folder):
        assert token == (folder / "admin-token").read_text(encoding="utf-8")
        assert "open" == client(folder).json("campaign", "show", "kept")["status"]


def test_what_ends_by_itself_is_started_again_and_a_folder_has_one_owner(tmp_path: Path) -> None:
    folder = tmp_path / "looked-after"
    with up(folder) as process:
        second = tocsin("up", "--port", "0", "--folder", str(folder))
        operator = client(folder)
        secret, _ = open_campaign(operator, "tailed")
        player = Cli(**{**addressed(folder), "TOCSIN_TOKEN": secret})
        orders = json.dumps(orders_of(player, "angel"))
        assert 0 == player("orders", "send", "tailed", "-", stdin=orders).exit_code
        read = operator.json("reports", "read", "tailed", "--camp", "angel")["facts"]
        told = tmp_path / "told"
        tail = Child("tail", TAIL, told, {**os.environ, **addressed(folder)}).start()
        wait_until(lambda: len(lines(told)) == len(read), "the report is told so far", LIMIT_S, [tail])
        first = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children_of(process.pid)}
        api = next(pid for pid, command in first.items() if b"granian" in command and b"/bin/sh" not in command)
        served_by = children_of(api)
        os.kill(api, signal.SIGKILL)

        def answers() -> bool:
            again = children_of(process.pid)
            return api not in again and client(folder)("campaign", "show").exit_code == 0

        assert served_by
        wait_until(lambda: not any(map(lives, served_by)), "what served before is gone", LIMIT_S)
        wait_until(answers, "the API answers again", LIMIT_S)
        assert 0 == operator("tick", "close", "tailed").exit_code
        assert 0 == operator("tick", "watch", "tailed", "1").exit_code
        whole = operator.json("reports", "read", "tailed", "--camp", "angel")["facts"]
        wait_until(lambda: len(lines(told)) >= len(whole), "the tail goes on", LIMIT_S, [tail])
        tail.stop()

    assert len(read) < len(whole)
    assert whole == [json.loads(line) for line in lines(told)]
    assert 2 == second.returncode
    assert f"--folder: {folder} is in use by another tocsin (accepted: another folder)" in second.stderr


def lives(pid: int) -> bool:
    """Whether a process runs: one that is dead and not yet waited for doesn't."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_port_that_is_taken_is_bad_input(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = tocsin("up", "--port", str(port), "--folder", str(tmp_path / "none"))

    assert 2 == done.returncode
    assert f"--port: somebody listens on port {port} already" in done.stderr
    assert not (tmp_path / "none").exists()
