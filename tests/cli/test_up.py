"""`tocsin up`: everything comes up together, is looked after, and goes down together."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.test_processes import alive
from tests.cli.world import Cli, tocsin
from tests.servers import unavailable
from workers.cli.processes import wait_until
from workers.store.embedded import find_server

LIMIT_S = 90.0


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


def client(folder: Path) -> Cli:
    token = (folder / "admin-token").read_text(encoding="utf-8")
    return Cli(TOCSIN_URL=(folder / "url").read_text(encoding="utf-8"), TOCSIN_TOKEN=token)


@pytest.fixture(autouse=True)
def needs_a_server() -> None:
    if find_server() is None:
        unavailable("there is no program of a server")


def test_all_comes_up_keeps_its_token_and_campaigns_and_goes_down_without_a_trace(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    with up(folder) as process:
        token = (folder / "admin-token").read_text(encoding="utf-8")
        assert 0o600 == (folder / "admin-token").stat().st_mode & 0o777
        assert 0o700 == folder.stat().st_mode & 0o777
        assert 0 == client(folder)("campaign", "new", "kept", "--open").exit_code
        below = children_of(process.pid)
        process.send_signal(signal.SIGTERM)
        told, _ = process.communicate(timeout=LIMIT_S)

    assert 0 == process.returncode
    assert "/v1" in told
    assert token not in told
    assert not [pid for pid in below if alive(pid)]
    assert not (folder / "url").exists()
    with up(folder):
        assert token == (folder / "admin-token").read_text(encoding="utf-8")
        assert "open" == client(folder).json("campaign", "show", "kept")["status"]


def test_what_ends_by_itself_is_started_again_and_a_folder_has_one_owner(tmp_path: Path) -> None:
    folder = tmp_path / "looked-after"
    with up(folder) as process:
        second = tocsin("up", "--port", "0", "--folder", str(folder))
        first = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children_of(process.pid)}
        api = next(pid for pid, command in first.items() if b"granian" in command and b"/bin/sh" not in command)
        os.kill(api, signal.SIGKILL)

        def answers() -> bool:
            again = children_of(process.pid)
            return api not in again and client(folder)("campaign", "show").exit_code == 0

        wait_until(answers, "the API answers again", LIMIT_S)

    assert 2 == second.returncode
    assert f"--folder: {folder} is in use by another tocsin (accepted: another folder)" in second.stderr


def test_a_port_that_is_taken_is_bad_input(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = tocsin("up", "--port", str(port), "--folder", str(tmp_path / "none"))

    assert 2 == done.returncode
    assert f"--port: somebody listens on port {port} already" in done.stderr
    assert not (tmp_path / "none").exists()
