"""`tocsin bench reports`: from the commit of a page to the first byte that each of many readers gets of it."""

import asyncio
import resource
import statistics
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from workers import clock
from workers.cli.bench.books import Book, write_book
from workers.cli.bench.choices import ProfileFile, Rulebook, Runs, Seed, numbers
from workers.cli.bench.documents import Goal, document, rounded, show
from workers.cli.bench.errors import BenchError
from workers.cli.bench.ground import Ground, ground
from workers.cli.bench.serving import api, camp_token
from workers.cli.options import AsJson
from workers.cli.output import note
from workers.cli.processes import wait_until
from workers.cli.stack import HOST
from workers.kernel.engine import Engine
from workers.kernel.errors import InvalidInput
from workers.registry import load_registry
from workers.store.connection import connect_blocking

READERS_MAX: Final = 5_000
FUSE_BELOW: Final = 2_000
FILES_A_READER: Final = 3
"""Its connection here, and in the API that one and one to the server."""
FILES_ELSE: Final = 200
CONNECT_AT_ONCE: Final = 32
CONNECT_LIMIT_S: Final = 300.0
LIMIT_S: Final = 60.0
RESOLUTION_S: Final = 0.000_1
"""Two clients that see the same page differ by about so much, either way."""
STREAM_WAIT_S: Final = 60.0
"""A stream without news says so this often: no reader's first byte may be such a word."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure."""

    readers: tuple[int, ...] = (1, 100, 1_000)
    orders: int = 50
    processes: int = 2
    rulebook: str = "veil"
    runs: int = 5
    seed: int = 1
    profile: str = ""

    @property
    def command(self) -> str:
        """The command that measures this again."""
        return (
            f"tocsin bench reports --readers {','.join(map(str, self.readers))} --orders {self.orders}"
            f" --api-processes {self.processes} --rulebook {self.rulebook} --runs {self.runs} --seed {self.seed}"
        )


def reports(
    readers: Annotated[str, typer.Option("--readers", help="Readers at once, ascending.")] = "1,100,1000",
    orders: Annotated[int, typer.Option("--orders", min=1, max=FUSE_BELOW - 1, help="Orders of the tick.")] = 50,
    api_processes: Annotated[
        int, typer.Option("--api-processes", min=1, max=64, help="Processes of the API (deploy/ has two).")
    ] = 2,
    rulebook: Rulebook = "veil",
    runs: Runs = 5,
    seed: Seed = 1,
    profile: ProfileFile = "",
    as_json: AsJson = False,
) -> None:
    """How soon readers of server-sent events get a tick's first byte after its pages are in the server."""
    plan = Plan(
        readers=numbers(readers, "--readers", READERS_MAX),
        orders=orders,
        processes=api_processes,
        rulebook=rulebook,
        runs=runs,
        seed=seed,
        profile=profile,
    )
    show(measure(plan), as_json)


def measure(plan: Plan) -> dict[str, Any]:
    """The document: for each number of readers several ticks, each of a campaign of its own."""
    _check_files(plan.readers[-1])
    engine = Engine(load_registry().get(plan.rulebook))
    book = write_book(engine, plan.orders, plan.seed, fuse_below=FUSE_BELOW)
    found: dict[int, list[list[float]]] = {}
    with ground(1) as here:
        # One camp's token for all readers, who come at once: no limit of a token may be what is measured.
        most = plan.readers[-1]
        limits = {"streams_token_max": most, "requests_token_second_max": most}
        here.settings = here.settings.model_copy(update={"stream_wait_s": STREAM_WAIT_S, **limits})
        with here.worker(), api(here, plan.processes) as served:
            for readers in plan.readers:
                note(f"bench: {readers} readers …")
                found[readers] = [_read_at_once(here, book, served.port, readers) for _ in range(plan.runs)]
        if plan.profile:
            with here.worker(), api(here, plan.processes, plan.profile) as served:
                _read_at_once(here, book, served.port, plan.readers[-1])
    least = plan.readers[0]
    middle = {readers: statistics.median(map(statistics.median, found[readers])) for readers in plan.readers}
    last = {readers: statistics.median(map(max, found[readers])) for readers in plan.readers}
    return document(
        plan.command,
        {"readers": list(plan.readers), "orders": plan.orders, "api_processes": plan.processes},
        [plan.seed],
        [statistics.median(run) for run in found[most]],
        [
            Goal(f"first byte with {most} readers to that with {least}", middle[most] / middle[least]),
            Goal(f"first byte of the median reader of {most}, s", middle[most]),
            Goal(f"first byte of the last reader of {most}, s", last[most]),
        ],
        by_readers=[
            {
                "readers": readers,
                "first_s": rounded(statistics.median(map(min, found[readers]))),
                "median_s": rounded(middle[readers]),
                "last_s": rounded(last[readers]),
                "runs": [rounded(statistics.median(run)) for run in found[readers]],
            }
            for readers in plan.readers
        ],
    )


def _check_files(readers: int) -> None:
    """Raise the soft limit of open files to what so many readers need. Raises InvalidInput where it can't be."""
    wanted = readers * FILES_A_READER + FILES_ELSE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and wanted > hard:
        most = (hard - FILES_ELSE) // FILES_A_READER
        raise InvalidInput("--readers", f"{readers} readers open more files than a process may", f"at most {most}")
    if soft != resource.RLIM_INFINITY and wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _read_at_once(here: Ground, book: Book, port: int, readers: int) -> list[float]:
    """The seconds from the commit to each reader's first byte, of one tick of a campaign of its own.

    The commit is when a client that waits on the stream itself, with no API between, sees the page.
    """
    name = here.name()
    head = here.found(book, name)
    here.book(head, book.items)
    camp = book.rulebook.camps[-1]
    tokens = [camp_token(here, name, camp) for _ in range(readers)]
    crowd = Crowd(port, f"/v1/campaigns/{name}/reports:stream?after=0", tokens)
    crowd.start()
    try:
        wait_until(crowd.all_wait, f"{readers} readers wait", CONNECT_LIMIT_S)
        committed = Committed(here, name, camp)
        here.shut(head)
        seen_s = committed.at_s()
        wait_until(crowd.all_read, f"{readers} readers got a byte", LIMIT_S)
        wait_until(lambda: here.head(name).retired >= 1, "the tick is retired", LIMIT_S)
    finally:
        crowd.stop()
    here.forget([name])
    return [max(moment_s - seen_s, RESOLUTION_S) for moment_s in crowd.first_s]


class Committed:
    """Waits, in a thread of its own, for the first page of tick 1 in the server's own stream."""

    def __init__(self, here: Ground, name: str, camp: str) -> None:
        self._key = here.services.store.reports.key(name, camp)
        self._url = here.server.url
        self._seen_s: list[float] = []
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def _wait(self) -> None:
        with connect_blocking(self._url, block_s=LIMIT_S) as client:
            if client.xread({self._key: "1-0"}, block=int(LIMIT_S * 1000)):
                self._seen_s.append(clock.monotonic_s())

    def at_s(self) -> float:
        """When it was there. Raises BenchError where it didn't come."""
        self._thread.join(LIMIT_S)
        if not self._seen_s:
            raise BenchError(f"no page was published within {LIMIT_S:g} s")
        return self._seen_s[0]


class Crowd:
    """Readers of one report stream, each with a token of its own, on one event loop in a thread.

    Each notes when its first byte of news came.
    """

    def __init__(self, port: int, path: str, tokens: list[str]) -> None:
        start = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer "
        self._requests = [f"{start}{token}\r\n\r\n".encode() for token in tokens]
        self._port = port
        self._readers = len(tokens)
        self._waiting = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._failures: list[str] = []
        self.first_s: list[float] = []

    def start(self) -> None:
        """Connect all."""
        self._thread.start()

    def all_wait(self) -> bool:
        """Whether every reader got the start of its stream. Raises BenchError where one was refused."""
        if self._failures:
            raise BenchError(f"{len(self._failures)} readers failed, one so: {self._failures[0]}")
        return self._waiting == self._readers

    def all_read(self) -> bool:
        """Whether every reader got a byte of news. Raises BenchError where one was cut off."""
        self.all_wait()
        return len(self.first_s) == self._readers

    def stop(self) -> None:
        """Hang up."""
        with suppress(RuntimeError):  # the loop ends by itself once all have read
            for task in asyncio.all_tasks(self._loop):
                self._loop.call_soon_threadsafe(task.cancel)
        self._thread.join(LIMIT_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        with suppress(asyncio.CancelledError):  # told to stop before all have read
            self._loop.run_until_complete(self._all())
        self._loop.close()

    async def _all(self) -> None:
        few = asyncio.Semaphore(CONNECT_AT_ONCE)
        await asyncio.gather(*(self._one(few, request) for request in self._requests), return_exceptions=True)

    async def _one(self, few: asyncio.Semaphore, request: bytes) -> None:
        try:
            async with few:
                reader, writer = await asyncio.open_connection(HOST, self._port)
                writer.write(request)
                status = await reader.readline()
                if b" 200 " not in status:
                    raise BenchError(status.decode(errors="replace"))
                await reader.readuntil(b"retry: ")
                await reader.readuntil(b"\n\n\r\n")
            self._waiting += 1
            await reader.readexactly(1)
            self.first_s.append(clock.monotonic_s())
            writer.close()
        except (OSError, EOFError, TimeoutError, BenchError) as error:
            self._failures.append(repr(error))
