"""Waiting for a tick: its state polled over HTTP until it is published, with a bar for people."""

from collections.abc import Callable
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from workers import clock
from workers.cli.client import Client
from workers.cli.errors import CheckFailed, Unreachable

POLL_S: Final = 0.1

Show = Callable[[dict[str, Any]], None]


def wait_published(client: Client, campaign: str, tick: int, show: Show, limit_s: float) -> dict[str, Any]:
    """A tick's state once it is published; each state on the way is shown.

    Raises CheckFailed when the tick stands in quarantine, and Unreachable past the limit.
    """
    deadline_s = clock.monotonic_s() + limit_s
    while True:
        state: dict[str, Any] = client.get(f"/campaigns/{campaign}/ticks/{tick}")
        show(state)
        if state["status"] == "published":
            return state
        if state["status"] in ("failed", "lost"):
            failure = (state.get("progress") or {}).get("failure") or {}
            raise CheckFailed(f"tick {tick} is {state['status']}: {failure.get('message') or 'see its operator'}")
        if clock.monotonic_s() > deadline_s:
            raise Unreachable(f"tick {tick} is {state['status']}, not published within {limit_s:g} s")
        clock.sleep_s(POLL_S)


class TickBar:
    """A progress bar over the supersteps of ticks, one line a tick; on a stream that isn't a terminal, nothing."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("tick {task.fields[tick]}"),
            BarColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._lines: dict[int, Any] = {}

    def __enter__(self) -> "TickBar":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, state: dict[str, Any]) -> None:
        """Show a tick's state."""
        tick = state["tick"]
        if tick not in self._lines:
            self._lines[tick] = self._progress.add_task("", total=None, tick=tick)
        progress = state.get("progress") or {}
        steps = progress.get("steps") or None
        done = progress.get("step", 0)
        if steps and progress.get("shards"):
            done += progress.get("shards_done", 0) / progress["shards"]
        if state["status"] == "published":
            self._progress.update(self._lines[tick], description="published", total=1, completed=1)
            return
        description = state.get("phase") or state["status"]
        self._progress.update(self._lines[tick], description=description, total=steps, completed=done)
