"""The API as `tocsin up` and deploy/ run it, in processes of its own, and clients that keep their connections open."""

import http.client
import queue
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from workers import clock
from workers.cli.bench.errors import BenchError
from workers.cli.bench.ground import START_LIMIT_S, Ground
from workers.cli.bench.profiles import profiled
from workers.cli.bench.usage import children_of
from workers.cli.processes import wait_until
from workers.cli.stack import HOST, api_command
from workers.service.access import Access, TokenPlan

REQUEST_LIMIT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """One POST, ready to be sent."""

    path: str
    token: str
    key: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Served:
    """An API at work: its port, and its processes."""

    port: int
    pids: tuple[int, ...]


@contextmanager
def api(here: Ground, processes: int, profile: str = "") -> Iterator[Served]:
    """The API with so many processes on one port of loopback, once it answers."""
    with closing(socket.socket()) as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    child = here.child("api", api_command(port, processes))
    try:
        wait_until(lambda: _ready(port), "the API answers", START_LIMIT_S, [child])
        with profiled(child.pid, profile):
            yield Served(port, (child.pid, *children_of(child.pid)))
    finally:
        child.stop()


def _ready(port: int) -> bool:
    with closing(http.client.HTTPConnection(HOST, port, timeout=REQUEST_LIMIT_S)) as connection, suppress(OSError):
        connection.request("GET", "/v1/ready")
        return connection.getresponse().status == http.HTTPStatus.OK
    return False


def camp_token(here: Ground, campaign: str, camp: str) -> str:
    """A token of a camp."""
    return Access(here.services.store, clock.entropy).create(campaign, TokenPlan(scope="camp", camp=camp)).secret


@contextmanager
def posting(port: int, requests: Sequence[Request], connections: int) -> Iterator[Callable[[], None]]:
    """So many connections, open and waiting for a word: calling what is given sends all requests, each connection one
    after another, and returns with the last answer. It raises BenchError where one isn't answered with success."""
    waiting: queue.SimpleQueue[Request] = queue.SimpleQueue()
    for request in requests:
        waiting.put(request)
    failures: list[str] = []
    ready, start = threading.Barrier(connections + 1), threading.Barrier(connections + 1)
    threads = [
        threading.Thread(target=_send, args=(port, waiting, ready, start, failures), daemon=True)
        for _ in range(connections)
    ]
    for thread in threads:
        thread.start()

    def post() -> None:
        start.wait(START_LIMIT_S)
        for thread in threads:
            thread.join()
        if failures:
            raise BenchError(f"{len(failures)} requests failed, one so: {failures[0]}")

    ready.wait(START_LIMIT_S)
    try:
        yield post
    finally:
        start.abort()  # for those that still wait, if nothing was sent


def _send(
    port: int,
    waiting: "queue.SimpleQueue[Request]",
    ready: threading.Barrier,
    start: threading.Barrier,
    failures: list[str],
) -> None:
    with closing(http.client.HTTPConnection(HOST, port, timeout=REQUEST_LIMIT_S)) as connection:
        connection.connect()
        ready.wait(START_LIMIT_S)
        try:
            start.wait(START_LIMIT_S)
        except threading.BrokenBarrierError:
            return
        while True:
            try:
                request = waiting.get_nowait()
            except queue.Empty:
                return
            headers = {
                "Authorization": f"Bearer {request.token}",
                "Content-Type": "application/json",
                "Idempotency-Key": request.key,
            }
            try:
                connection.request("POST", request.path, request.body, headers)
                answer = connection.getresponse()
                body = answer.read()
            except OSError as error:
                failures.append(repr(error))
                return
            if answer.status not in (http.HTTPStatus.OK, http.HTTPStatus.CREATED):
                failures.append(f"{answer.status} {body[:300].decode(errors='replace')}")
