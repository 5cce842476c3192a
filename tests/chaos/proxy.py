"""A TCP proxy on loopback that cuts connections: before a request, between request and reply, or half-open.

It knows nothing of what it carries: what a client sends at once is a request, what comes back a reply.
"""

import asyncio
import threading
from collections import deque
from contextlib import suppress
from typing import Final, Literal

HOST: Final = "127.0.0.1"
READ_BYTES: Final = 1 << 16
START_LIMIT_S: Final = 10.0

Cut = Literal["before", "after", "half-open"]
CUTS: Final[tuple[Cut, ...]] = ("before", "after", "half-open")


class _Wire:
    """One connection of a client and the one that belongs to it."""

    def __init__(self, near: asyncio.StreamWriter, far: asyncio.StreamWriter) -> None:
        self.near, self.far = near, far
        self.swallow = False
        self.silent = False
        self.over = asyncio.Event()

    def abort(self) -> None:
        """Cut both ends, as a machine that vanished would have."""
        for writer in (self.near, self.far):
            writer.transport.abort()


class Proxy:
    """Listens on a port of its own and carries everything to the target's; use it as a context manager.

    `cut` arms cuts: each is taken by the next connection on which a client sends something. `cuts` counts those taken.
    """

    def __init__(self, target_port: int = 0) -> None:
        self.target_port = target_port
        self.port = 0
        self.cuts = 0
        self._armed: deque[tuple[Cut, float] | None] = deque()
        self._wires: set[_Wire] = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._server: asyncio.Server | None = None

    def __enter__(self) -> "Proxy":
        self._thread.start()
        assert self._ready.wait(START_LIMIT_S), "the proxy didn't start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_LIMIT_S)

    @property
    def wires(self) -> int:
        """Connections that are carried now."""
        return len(self._wires)

    def cut(self, kind: Cut, times: int = 1, *, skip: int = 0, hold_s: float = 2.0) -> None:
        """Let `skip` requests pass, then cut the connections of the next `times`; half-open ones stay for `hold_s`."""
        self._armed.extend([None] * skip)
        self._armed.extend([(kind, hold_s)] * times)

    def cut_all(self) -> None:
        """Cut every connection, whatever it carries."""

        def abort() -> None:
            for wire in list(self._wires):
                self.cuts += 1
                wire.abort()

        self._loop.call_soon_threadsafe(abort)

    def heal(self) -> None:
        """Cut nothing more; what is half-open ends now."""
        self._armed.clear()

        def end() -> None:
            for wire in self._wires:
                wire.over.set()

        self._loop.call_soon_threadsafe(end)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._server = self._loop.run_until_complete(asyncio.start_server(self._carry, HOST, 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        assert self._server is not None
        self._server.close()
        for wire in list(self._wires):
            wire.over.set()
            wire.abort()
        if others := [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]:
            await asyncio.wait(others, timeout=START_LIMIT_S)

    async def _carry(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        try:
            answers, far = await asyncio.open_connection(HOST, self.target_port)
        except OSError:
            near.transport.abort()
            return
        wire = _Wire(near, far)
        self._wires.add(wire)
        try:
            await asyncio.gather(self._requests(reader, wire), self._replies(answers, wire))
        finally:
            wire.abort()
            self._wires.discard(wire)

    async def _requests(self, reader: asyncio.StreamReader, wire: _Wire) -> None:
        with suppress(OSError):
            while data := await reader.read(READ_BYTES):
                if self._armed and not wire.swallow:
                    armed = self._armed.popleft()
                    if armed is not None and await self._take(wire, *armed):
                        return
                wire.far.write(data)
                await wire.far.drain()
        if not wire.swallow:
            with suppress(OSError, RuntimeError):
                wire.far.write_eof()

    async def _take(self, wire: _Wire, kind: Cut, hold_s: float) -> bool:
        """Do what was armed; whether the connection is over."""
        self.cuts += 1
        if kind == "after":
            wire.swallow = True
            return False
        if kind == "half-open":
            wire.silent = True
            with suppress(TimeoutError):
                await asyncio.wait_for(wire.over.wait(), hold_s)
        wire.abort()
        return True

    async def _replies(self, answers: asyncio.StreamReader, wire: _Wire) -> None:
        with suppress(OSError):
            while data := await answers.read(READ_BYTES):
                if wire.swallow:
                    break
                if not wire.silent:
                    wire.near.write(data)
                    await wire.near.drain()
        if not wire.silent:
            wire.abort()
