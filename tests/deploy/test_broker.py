"""Celery on a guarded server: publishers publish, the worker works, and nothing that either needs is denied."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery, chain, group
from redis.exceptions import NoPermissionError

from tests.deploy.guarded import ROOT, GuardedServer, environment_of, wait_for
from tests.deploy.small_tasks import DONE
from workers.app import QUEUE_LARGE, QUEUE_SMALL, make_app
from workers.settings import ServerSettings

# One guarded server serves all tests here: they stay on one test process.
pytestmark = pytest.mark.xdist_group("deploy-broker")

PARTS = 4


class Worker:
    """A Celery worker under the worker's user, in a session of its own."""

    def __init__(self, guarded: GuardedServer, log: Path, **environment: str) -> None:
        self.log = log
        command = [sys.executable, "-m", "celery", "-A", "tests.deploy.small_tasks", "worker"]
        command += ["-Q", f"{QUEUE_LARGE},{QUEUE_SMALL}", "--concurrency", "2", "--loglevel", "INFO"]
        settings = {**os.environ, **environment_of(guarded.secrets / "worker.env"), **environment}
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=settings, stdout=file, stderr=file, start_new_session=True
            )

    def kill(self) -> None:
        """Kill it with all its children, as a crash of its machine would."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def worker(guarded: GuardedServer, tmp_path: Path) -> Iterator[Worker]:
    started = Worker(guarded, tmp_path / "worker.log")
    yield started
    started.kill()


def publisher(guarded: GuardedServer, process: str) -> Celery:
    """The application as a process that only publishes has it."""
    return make_app(ServerSettings(redis_url=guarded.url_of(process)))


def publish(app: Celery) -> None:
    """A phase as the dispatcher sends one, a group and what follows it, and a task that fails."""
    header = [app.signature("small.part", args=[n], immutable=True, queue=QUEUE_LARGE) for n in range(PARTS)]
    callback = app.signature("small.whole", immutable=True, queue=QUEUE_LARGE)
    chain(group(header, app=app), callback, app=app).apply_async()
    app.signature("small.fail", immutable=True, queue=QUEUE_SMALL).apply_async()


@pytest.mark.parametrize("process", ["api", "sweeper", "operator"])
def test_a_phase_that_any_publisher_sends_is_worked_off_and_nothing_is_denied(
    guarded: GuardedServer, worker: Worker, process: str
) -> None:
    server = guarded.test_client()
    server.delete(DONE)
    server.execute_command("ACL", "LOG", "RESET")
    with publisher(guarded, process) as app:
        publish(app)

    wait_for(lambda: server.hexists(DONE, "whole"), "the phase's last task")
    wait_for(lambda: "as told" in worker.log.read_text(), "the failed task's error")
    wait_for(lambda: not server.exists("unacked"), "all messages acknowledged")
    assert server.hlen(DONE) == PARTS + 1
    assert guarded.denied() == []


def test_the_operator_asks_the_workers_whether_they_live(guarded: GuardedServer, worker: Worker) -> None:
    guarded.test_client().execute_command("ACL", "LOG", "RESET")
    with publisher(guarded, "operator") as app:
        wait_for(lambda: app.control.ping(timeout=1.0), "a worker's answer")
        replies = app.control.ping(timeout=1.0) or []

    assert [list(reply.values()) for reply in replies] == [[{"ok": "pong"}]]
    assert guarded.denied() == []


def test_what_a_killed_worker_had_taken_comes_again_to_the_next_one(guarded: GuardedServer, tmp_path: Path) -> None:
    """The limits are small here, so that the message comes again soon."""
    limits = {"TOCSIN_TASK_SOFT_LIMIT_S": "1", "TOCSIN_TASK_HARD_LIMIT_S": "2", "TOCSIN_VISIBILITY_TIMEOUT_S": "3"}
    server = guarded.test_client()
    server.delete(DONE)
    server.execute_command("ACL", "LOG", "RESET")
    workers = []
    try:
        workers.append(Worker(guarded, tmp_path / "first.log"))
        with publisher(guarded, "api") as app:
            app.signature("small.again", immutable=True, queue=QUEUE_LARGE).apply_async()
        wait_for(lambda: server.hget(DONE, "again") == b"1", "the task's first start")
        workers[0].kill()
        workers.append(Worker(guarded, tmp_path / "second.log", **limits))
        wait_for(lambda: server.hget(DONE, "again") == b"2", "the task's second start")
        wait_for(lambda: not server.exists("unacked"), "its acknowledgement")
    finally:
        for worker in workers:
            worker.kill()

    assert guarded.denied() == []


def test_a_scaler_counts_what_waits_and_reads_none_of_it(guarded: GuardedServer) -> None:
    """Autoscalers ask by a script of their own, to which the queue is handed."""
    count = "redis.call('type', KEYS[1]) return redis.call('llen', KEYS[1])"
    scaler = guarded.client_of("scaler")

    for queue in (QUEUE_LARGE, QUEUE_SMALL):
        assert scaler.eval(count, 1, queue) == guarded.test_client().llen(queue)
    for command in (("LRANGE", QUEUE_LARGE, 0, -1), ("LPUSH", QUEUE_LARGE, "{}"), ("LLEN", "tocsin:campaigns")):
        with pytest.raises(NoPermissionError):
            scaler.execute_command(*command)
